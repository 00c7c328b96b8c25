//! Lowers parsed maps: every variable gets a unique name and bounds.

use super::ast::{
    ComparisonText, DomainText, ItemText, MapText, NodeKind, SetText, Side, VariableText,
};
use super::lower::expr;
use super::scope::Scope;
use super::token::excerpt;
use crate::expr::{Domain, Expr, IndexingMap, Variable};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::text::{Error, ErrorKind, Span};
use rustc_hash::FxHashSet;

/// Lowers `term in [lo, hi]`.
///
/// # Errors
/// As [`expr`].
pub fn item(item: &ItemText, scope: &Scope, text: &str) -> Result<(Expr, Interval), Error> {
    Ok((expr(&item.term, scope, text)?, item.bounds))
}

/// Lowers a map. `text` is its source.
///
/// # Errors
/// As [`expr`], and [`ErrorKind::Domain`] if the domain does not give each variable its bounds.
pub fn map(map: &MapText, text: &str) -> Result<IndexingMap, Error> {
    let scope = Scope::new(map.variables.iter().map(|variable| variable.name));
    check_names(&map.variables)?;
    let results: Vec<Expr> = map
        .results
        .iter()
        .map(|result| expr(result, &scope, text))
        .collect::<Result<_, _>>()?;
    let bounds = bounds(map)?;
    let variables = map.variables.iter().zip(bounds);
    let mut domain = Domain::new(
        variables
            .map(|(variable, bounds)| Variable::new(variable.name, variable.kind, bounds))
            .collect(),
    );
    match &map.domain {
        DomainText::Absent => {}
        DomainText::Empty => domain.make_empty(),
        DomainText::Set(set) => constrain(&mut domain, map, set, text)?,
        DomainText::Items(items) => {
            for constraint in items.iter().skip(map.variables.len()) {
                let (expr, bounds) = item(constraint, &scope, text)?;
                domain.constrain(&expr, bounds);
            }
        }
    }
    Ok(IndexingMap::new(domain, results))
}

/// Restricts the domain to a set over the map's variables, which the set names itself.
fn constrain(domain: &mut Domain, map: &MapText, set: &SetText, text: &str) -> Result<(), Error> {
    let kinds = |variables: &[VariableText]| -> Vec<_> {
        variables.iter().map(|variable| variable.kind).collect()
    };
    if kinds(&map.variables) != kinds(&set.variables) {
        let message = "the set and the map have different variable lists";
        let error = Error::new(ErrorKind::Domain, set.span.clone(), message);
        return Err(error.hint("write `affine_map<(d0) -> ...>, affine_set<(d0) : ...>`"));
    }
    check_names(&set.variables)?;
    let scope = Scope::new(set.variables.iter().map(|variable| variable.name));
    for ComparisonText { lhs, side, rhs } in &set.constraints {
        let (left, right) = (expr(lhs, &scope, text)?, expr(rhs, &scope, text)?);
        let span = lhs.span().start..rhs.span().end;
        // A side that is a number is the bound; otherwise the difference is compared with 0.
        let (compared, side, bound) = match (left.as_constant(), right.as_constant()) {
            (_, Some(bound)) => (left, *side, bound),
            (Some(bound), None) => (right, side.seen_from_the_right(), bound),
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
        domain.constrain(&compared, bounds);
    }
    Ok(())
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

fn check_names(variables: &[VariableText]) -> Result<(), Error> {
    let mut seen = FxHashSet::default();
    for variable in variables {
        if !seen.insert(variable.name) {
            let message = format!(
                "the variable `{}` is declared twice",
                excerpt(variable.name)
            );
            let error = Error::new(ErrorKind::Name, variable.span.clone(), message);
            return Err(error.hint("choose another name"));
        }
    }
    Ok(())
}

/// The bounds of each variable: the first items of the domain, in the order of the variables.
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
            return Err(
                error.hint("a domain lists the bounds of each variable in order, then constraints")
            );
        }
        bounds.push(item.bounds);
    }
    Ok(bounds)
}

/// `d0 in [0, 9], d1 in [0, 9]`, for a hint.
fn example_bounds(variables: &[VariableText]) -> String {
    let shown = variables.iter().take(4);
    let mut items: Vec<String> = shown
        .map(|variable| format!("{} in [0, 9]", excerpt(variable.name)))
        .collect();
    if items.len() < variables.len() {
        items.push("...".to_owned());
    }
    items.join(", ")
}
