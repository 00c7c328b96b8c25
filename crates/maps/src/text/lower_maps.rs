//! Lowers parsed maps: every variable gets a unique name and bounds.

use super::ast::{
    ComparisonText, DomainText, MapText, NodeId, NodeKind, SetText, Side, Sign, Term, VariableText,
};
use super::lower::{Sizes, expr, expr_error};
use super::print::{Style, print_expr, variable_names};
use super::scope::Scope;
use super::token::excerpt;
use crate::expr::{Domain, End, Expr, IndexingMap, Variable, VariableId, VariableKind, bounded};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::text::{Error, ErrorKind, Span};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Lowers a map, some of whose variables may have given values: its divisors need to be positive only for these. `text` is its
/// source.
///
/// # Errors
/// The errors of [`expr`]; [`ErrorKind::Domain`] if the domain does not give each variable its bounds, [`ErrorKind::Division`] if
/// it does not imply that a divisor is positive.
pub fn map_at<'t>(
    map: &MapText<'t>,
    text: &'t str,
    values: &[(&str, i64)],
) -> Result<IndexingMap, Error> {
    check_names(&map.variables)?;
    let kinds = kinds(map, text)?;
    let mut lowering = Lowering::new(map, &kinds, text);
    let results = map.results.iter().map(|term| lowering.expr(term));
    let results = results.collect::<Result<Vec<Expr>, Error>>()?;
    let variables = map.variables.iter().zip(kinds).zip(bounds(map)?);
    let variables = variables.map(|((text, kind), bounds)| Variable::new(text.name, kind, bounds));
    let mut domain = Domain::new(variables.collect());
    match &map.domain {
        DomainText::Absent => {}
        DomainText::Empty => domain.make_empty(),
        DomainText::Set(set) => {
            check_set(map, set)?;
            lowering.rename(&set.variables);
            for comparison in &set.constraints {
                let (expr, bounds) = lowering.comparison(comparison)?;
                domain.constrain(&expr, bounds);
            }
        }
        DomainText::Items(items) => {
            for (index, item) in items.iter().enumerate() {
                let is_own = index < map.variables.len();
                if is_own && item.ends.is_empty() {
                    continue;
                }
                let limited = lowering.expr(&item.term)?;
                if !is_own && (item.ends.is_empty() || item.bounds != Interval::ALL) {
                    domain.constrain(&limited, item.bounds);
                }
                for (end, bound) in &item.ends {
                    let span = bound.span();
                    let bound = lowering.expr(bound)?;
                    if is_own {
                        check_bound(&domain, &limited, &bound, &span)?;
                        bound_by_range(&mut domain, &limited, *end, &bound);
                    }
                    let constraint = bounded(&limited, *end, &bound);
                    let (expr, bounds) =
                        constraint.map_err(|error| expr_error(error, &span, text))?;
                    domain.constrain(&expr, bounds);
                }
            }
        }
    }
    // In MLIR, division by a number that is not positive is undefined behavior: at such points the map has no value.
    if !map.is_affine_map {
        let mut there = domain.clone();
        for (id, variable) in (0..).map(VariableId).zip(domain.variables()) {
            if let Some((_, value)) = values.iter().find(|(name, _)| *name == &*variable.name) {
                there.constrain(&Expr::variable(id), Interval::new(*value, *value));
            }
        }
        let checked = check_divisors(&there, lowering.sizes.as_ref());
        checked.map_err(|error| for_values(error, values))?;
    }
    Ok(IndexingMap::new(domain, results))
}

/// Adds the given values of variables to the error for a divisor.
fn for_values(mut error: Error, values: &[(&str, i64)]) -> Error {
    let values: Vec<String> =
        values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if !values.is_empty() {
        error.message += &format!(" for {}", values.join(", "));
        if error.message.contains("is not positive") {
            error.hint = None; // another domain would not make it positive
        }
    }
    error
}

/// A part of a result as written: one operation with its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The index of the result.
    pub result: usize,
    /// The span of the part; each leading run of the summands of a sum is a part.
    pub span: Span,
    /// The value of the part.
    pub value: Expr,
}

/// Returns the parts of the results of a map, operands first.
///
/// # Errors
/// The errors of [`map_at`].
pub fn parts<'t>(map: &MapText<'t>, text: &'t str) -> Result<Vec<Part>, Error> {
    let kinds = kinds(map, text)?;
    let mut lowering = Lowering::new(map, &kinds, text);
    let mut parts = Vec::new();
    for (result, term) in map.results.iter().enumerate() {
        if term.nodes().len() > MOST_NODES {
            let message = format!("a result with more than {MOST_NODES} operations and operands");
            return Err(Error::new(ErrorKind::TooLarge, term.span(), message));
        }
        for (id, node) in term.nodes() {
            if let NodeKind::Sum(summands) = &node.kind {
                let mut value = Expr::constant(0);
                let mut first = node.span.start;
                for (place, (sign, id)) in summands.iter().enumerate() {
                    let is_last = place + 1 == summands.len();
                    let summand = lowering.expr(&term.part(*id))?;
                    let sum = match sign {
                        Sign::Plus => value.add(&summand),
                        Sign::Minus => value.sub(&summand),
                    };
                    let own = &term.node(*id).span;
                    if place == 0 {
                        first = own.start;
                    }
                    let span = if is_last { node.span.clone() } else { first..own.end };
                    value = sum.map_err(|_| beyond(span.clone(), "this sum"))?;
                    if place > 0 {
                        parts.push(Part { result, span, value: value.clone() });
                    }
                }
            } else if !is_negated(term, id) {
                let value = lowering.expr(&term.part(id))?;
                parts.push(Part { result, span: node.span.clone(), value });
            }
        }
    }
    Ok(parts)
}

/// Returns whether the node is a number after a minus, which belongs to it.
fn is_negated(term: &Term, id: NodeId) -> bool {
    let is_number = matches!(term.node(id).kind, NodeKind::Integer(_));
    is_number && term.nodes().any(|(_, node)| node.kind == NodeKind::Negate(id))
}

/// Maximum number of operations and operands of a result that is split into parts.
const MOST_NODES: usize = 2000;

/// A map whose terms are being lowered.
struct Lowering<'a> {
    text: &'a str,
    /// For each variable, its position in the text.
    order: Vec<usize>,
    scope: Scope<'a>,
    sizes: Option<Sizes>,
}

impl<'a> Lowering<'a> {
    fn new(map: &MapText<'a>, kinds: &[VariableKind], text: &'a str) -> Lowering<'a> {
        let mut order: Vec<usize> = (0..kinds.len()).collect();
        order.sort_by_key(|index| kinds[*index]); // stable, as the domain sorts them
        let mut lowering = Lowering {
            text,
            order,
            scope: Scope::new([]),
            sizes: Sizes::of_any(map.is_symbolic || kinds.contains(&VariableKind::Parameter)),
        };
        lowering.rename(&map.variables);
        lowering
    }

    /// Renames the variables, in the order of the text.
    fn rename(&mut self, variables: &[VariableText<'a>]) {
        self.scope = Scope::new(self.order.iter().map(|index| variables[*index].name));
    }

    fn expr(&mut self, term: &Term) -> Result<Expr, Error> {
        expr(term, &self.scope, self.text, self.sizes.as_mut())
    }

    fn comparison(&mut self, comparison: &ComparisonText) -> Result<(Expr, Interval), Error> {
        let ComparisonText { lhs, side, rhs } = comparison;
        let (left, right) = (self.expr(lhs)?, self.expr(rhs)?);
        let span = lhs.span().start..rhs.span().end;
        // If one side is a number, it is the bound; otherwise the difference is compared with 0.
        let (compared, side, bound) = match (left.as_constant(), right.as_constant()) {
            (_, Some(bound)) => (left, *side, bound),
            (Some(bound), None) => (right, side.seen_from_the_right(), bound),
            (None, None) if self.sizes.is_some() => {
                let compared = bounded(&left, End::Lower, &right);
                let (compared, bounds) =
                    compared.map_err(|_| beyond(span.clone(), "this comparison"))?;
                (compared, *side, bounds.lo())
            }
            (None, None) => {
                let difference = left.sub(&right);
                let difference = difference.map_err(|_| beyond(span.clone(), "this comparison"))?;
                (difference, *side, 0)
            }
        };
        if bound == MINUS_INFINITY || bound == PLUS_INFINITY {
            return Err(beyond(span, "this bound"));
        }
        let bounds = match side {
            Side::AtLeast => Interval::new(bound, PLUS_INFINITY),
            Side::AtMost => Interval::new(MINUS_INFINITY, bound),
            Side::Equal => Interval::new(bound, bound),
        };
        Ok((compared, bounds))
    }
}

/// Returns the kind of each variable.
fn kinds<'t>(map: &MapText<'t>, text: &'t str) -> Result<Vec<VariableKind>, Error> {
    let symbols = symbols(map, text)?;
    let kind = |(index, variable): (usize, &VariableText)| match symbols.contains(&index) {
        true => VariableKind::Parameter,
        false => variable.kind,
    };
    Ok(map.variables.iter().enumerate().map(kind).collect())
}

/// Returns the indices of the symbols of an `affine_map` that are parameters: those in factors and divisors.
fn symbols<'t>(map: &MapText<'t>, text: &'t str) -> Result<BTreeSet<usize>, Error> {
    let dimensions = map.variables.iter();
    let dimensions = dimensions.filter(|variable| variable.kind == VariableKind::Dimension);
    let dimensions = dimensions.count();
    if !map.is_affine_map || dimensions == map.variables.len() {
        return Ok(BTreeSet::new());
    }
    let kinds: Vec<VariableKind> = map.variables.iter().map(|variable| variable.kind).collect();
    let mut lowering = Lowering::new(map, &kinds, text);
    lowering.sizes = Some(Sizes::of_symbols(dimensions as u32));
    for result in &map.results {
        lowering.expr(result)?;
    }
    if let DomainText::Set(set) = &map.domain {
        check_set(map, set)?;
        lowering.rename(&set.variables);
        for comparison in &set.constraints {
            lowering.comparison(comparison)?;
        }
    }
    let used = lowering.sizes.map(|sizes| sizes.used).unwrap_or_default();
    Ok(used.into_iter().map(VariableId::index).collect())
}

/// Checks that the variables of a set, which has its own names for them, match those of the map.
fn check_set(map: &MapText, set: &SetText) -> Result<(), Error> {
    let kinds = |variables: &[VariableText]| -> Vec<_> {
        variables.iter().map(|variable| variable.kind).collect()
    };
    if kinds(&map.variables) != kinds(&set.variables) {
        let message = "the set and the map have different variable lists";
        let error = Error::new(ErrorKind::Domain, set.span.clone(), message);
        return Err(error.hint("write `affine_map<(d0) -> ...>, affine_set<(d0) : ...>`"));
    }
    check_names(&set.variables)
}

/// Checks that a bound of a variable uses only parameters and earlier variables, and a bound of a parameter only earlier
/// parameters.
fn check_bound(domain: &Domain, bounded: &Expr, bound: &Expr, span: &Span) -> Result<(), Error> {
    let Some(own) = bounded.as_variable() else {
        return Ok(());
    };
    let is_allowed = |id: &VariableId| match domain.is_parameter(own) {
        true => domain.is_parameter(*id) && id.0 < own.0,
        false => domain.is_parameter(*id) || id.0 < own.0,
    };
    let Some(other) = bound.variables().into_iter().find(|id| !is_allowed(id)) else {
        return Ok(());
    };
    let name = |id: VariableId| {
        let variable = domain.variables().get(id.index());
        variable.map_or(String::new(), |variable| excerpt(&variable.name))
    };
    let kind = if domain.is_parameter(other) { "the parameter " } else { "" };
    let message = match domain.is_parameter(own) && !domain.is_parameter(other) {
        true => {
            format!("the bound of `{}` is not over parameters: it has `{}`", name(own), name(other))
        }
        false => format!("{kind}`{}` is not declared before `{}`", name(other), name(own)),
    };
    let error = Error::new(ErrorKind::Domain, span.clone(), message);
    Err(error.hint("write it as a constraint after the bounds, such as `d0 - d1 in [-inf, 0]`"))
}

/// Bounds a variable by the range of a bound over other variables, so that it is finite if these are.
fn bound_by_range(domain: &mut Domain, bounded: &Expr, end: End, bound: &Expr) {
    if bound.variables().into_iter().all(|id| domain.is_parameter(id)) {
        return;
    }
    let range = domain.range_of(bound);
    let bounds = match end {
        End::Lower => Interval::new(range.lo(), PLUS_INFINITY),
        End::Upper => Interval::new(MINUS_INFINITY, range.hi()),
    };
    domain.constrain(bounded, bounds);
}

/// Checks that all divisors are known to be positive.
///
/// # Errors
/// [`ErrorKind::Division`] at the first divisor that is not known to be positive.
pub(super) fn check_divisors(domain: &Domain, sizes: Option<&Sizes>) -> Result<(), Error> {
    let divisors = sizes.map_or(&[][..], |sizes| &sizes.divisors);
    let Some((divisor, span)) = divisors.iter().find(|(x, _)| !domain.is_positive(x)) else {
        return Ok(());
    };
    let names = variable_names(domain);
    let shown = |expr: &Expr| excerpt(&print_expr(expr, &names, Style::Plain));
    let message = match domain.range_of(divisor).hi() < 1 {
        true => format!("the divisor `{}` is not positive", shown(divisor)),
        false => format!("the divisor `{}` is not known to be positive", shown(divisor)),
    };
    let fact =
        format!("state `{} in [1, inf]` in the domain", shown(&domain.unknown_factor(divisor)));
    Err(Error::new(ErrorKind::Division, span.clone(), message).hint(fact))
}

impl Side {
    fn seen_from_the_right(self) -> Side {
        match self {
            Side::AtLeast => Side::AtMost,
            Side::AtMost => Side::AtLeast,
            Side::Equal => Side::Equal,
        }
    }
}

fn beyond(span: Span, what: &str) -> Error {
    let message = format!("{what} does not fit in an interval");
    Error::new(ErrorKind::Overflow, span, message)
        .hint("bounds lie between -2^63 + 1 and 2^63 - 2; or leave it out")
}

/// Checks that names are declared once.
///
/// # Errors
/// [`ErrorKind::Name`] at the second declaration of a name.
fn check_names(variables: &[VariableText]) -> Result<(), Error> {
    let mut seen = FxHashSet::default();
    for variable in variables {
        if !seen.insert(variable.name) {
            let message = format!("the variable `{}` is declared twice", excerpt(variable.name));
            let error = Error::new(ErrorKind::Name, variable.span.clone(), message);
            return Err(error.hint("choose another name"));
        }
    }
    Ok(())
}

/// Returns the bounds of each variable: the first items of the domain, in the order of the variables.
fn bounds(map: &MapText) -> Result<Vec<Interval>, Error> {
    let items = match &map.domain {
        DomainText::Absent if map.is_affine_map || map.variables.is_empty() => {
            return Ok(vec![Interval::ALL; map.variables.len()]);
        }
        DomainText::Absent => {
            let message = "expected `, domain:` with the bounds of the variables";
            let error = Error::new(ErrorKind::Domain, map.end..map.end, message);
            return Err(error.hint(format!(
                "add `, domain: {}`, or write `affine_map<...>` for a map without bounds",
                example_bounds(&map.variables)
            )));
        }
        DomainText::Set(_) => return Ok(vec![Interval::ALL; map.variables.len()]),
        DomainText::Empty => return Ok(vec![Interval::EMPTY; map.variables.len()]),
        DomainText::Items(items) => items,
    };
    let mut bounds = Vec::with_capacity(map.variables.len());
    for (index, variable) in map.variables.iter().enumerate() {
        let name = excerpt(variable.name);
        let Some(item) = items.get(index) else {
            let message = format!("the domain has no bounds for `{name}`");
            let error = Error::new(ErrorKind::Domain, map.end..map.end, message);
            let hint = format!("add `{}`", example_bounds(&map.variables[index..]));
            return Err(error.hint(hint));
        };
        let root = item.term.node(item.term.root());
        if root.kind != NodeKind::Name(variable.name) {
            let message = format!("expected the bounds of the variable `{name}` here");
            let error = Error::new(ErrorKind::Domain, root.span.clone(), message);
            return Err(error.hint("a domain has the bounds of each variable, and constraints"));
        }
        bounds.push(item.bounds);
    }
    Ok(bounds)
}

/// Returns example bounds for a hint, such as `d0 in [0, 9], d1 in [0, 9]`.
fn example_bounds(variables: &[VariableText]) -> String {
    let shown = variables.iter().take(4);
    let mut items: Vec<String> =
        shown.map(|variable| format!("{} in [0, 9]", excerpt(variable.name))).collect();
    if items.len() < variables.len() {
        items.push("...".to_owned());
    }
    items.join(", ")
}
