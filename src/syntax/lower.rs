//! From what was typed to expressions and maps: names become variables, numbers must fit, divisors
//! must be literals.
//!
//! Law: the value of the expression at a point is the value of the text by the meaning of the
//! operators (mathematical integers; floordiv rounds down). A negative divisor is rewritten:
//! `x floordiv -c` is `(-x) floordiv c`, and `x ceildiv -c` is `-(x floordiv c)`.

use super::ast::{DomainText, ItemText, MapText, Node, NodeId, NodeKind, Sign, Term, VariableText};
use super::token::excerpt;
use crate::error::{Error, ErrorKind, Span};
use crate::expr::{Expr, ExprError, VariableId};
use crate::interval::Interval;
use crate::map::{Domain, IndexingMap, Variable};
use rustc_hash::FxHashMap;

/// The variables that a text may use, by name.
#[derive(Debug)]
pub struct Scope<'t> {
    ids: FxHashMap<&'t str, VariableId>,
    names: Vec<&'t str>,
}

impl<'t> Scope<'t> {
    /// The variables called `names`, numbered from 0. Of equal names the first counts.
    pub fn new(names: impl IntoIterator<Item = &'t str>) -> Scope<'t> {
        let mut scope = Scope {
            ids: FxHashMap::default(),
            names: Vec::new(),
        };
        for name in names {
            let id = VariableId(scope.names.len() as u32);
            scope.ids.entry(name).or_insert(id);
            scope.names.push(name);
        }
        scope
    }

    fn find(&self, name: &str, span: &Span) -> Result<VariableId, Error> {
        self.ids
            .get(name)
            .copied()
            .ok_or_else(|| self.unknown(name, span))
    }

    fn unknown(&self, name: &str, span: &Span) -> Error {
        let message = format!("there is no variable `{}`", excerpt(name));
        let error = Error::new(ErrorKind::Name, span.clone(), message);
        if let Some(similar) = most_similar(name, &self.names) {
            error.hint(format!("did you mean `{}`?", excerpt(similar)))
        } else if self.names.is_empty() {
            error.hint("declare it in the list before `->`; there are no variables here")
        } else {
            let shown: Vec<String> = self
                .names
                .iter()
                .take(8)
                .map(|name| excerpt(name))
                .collect();
            let more = if self.names.len() > shown.len() {
                ", ..."
            } else {
                ""
            };
            error.hint(format!("the variables are {}{more}", shown.join(", ")))
        }
    }
}

/// The expression that a term means. `text` is what the term was read from.
///
/// # Errors
/// [`ErrorKind::Name`], [`ErrorKind::Division`], [`ErrorKind::Overflow`], [`ErrorKind::TooLarge`];
/// [`ErrorKind::Unsupported`] for a product of variables, a condition or an unknown function.
pub fn expr(term: &Term, scope: &Scope, text: &str) -> Result<Expr, Error> {
    let mut lowering = Lowering {
        term,
        scope,
        text,
        values: Vec::new(),
    };
    for (_, node) in term.nodes() {
        let value = lowering.node(node)?;
        lowering.values.push(value);
    }
    lowering.value(term.root())
}

struct Lowering<'a, 't> {
    term: &'a Term<'t>,
    scope: &'a Scope<'a>,
    text: &'a str,
    /// The value of each node so far; `None` for 2^63, which means something only after a minus.
    values: Vec<Option<Expr>>,
}

impl Lowering<'_, '_> {
    fn node(&self, node: &Node) -> Result<Option<Expr>, Error> {
        let build = |result: Result<Expr, ExprError>| {
            result.map_err(|error| expr_error(error, &node.span, self.text))
        };
        let value = match &node.kind {
            NodeKind::Integer(value) => {
                return Ok(i64::try_from(*value).ok().map(Expr::constant));
            }
            NodeKind::Name(name) => Expr::variable(self.scope.find(name, &node.span)?),
            NodeKind::Negate(x) => build(self.sum(&[(Sign::Minus, *x)])?)?,
            NodeKind::Sum(summands) => build(self.sum(summands)?)?,
            NodeKind::Multiply(x, y) => build(self.product(node, *x, *y)?)?,
            NodeKind::FloorDiv(x, y) => {
                let (x, divisor) = (self.value(*x)?, self.divisor(*y)?);
                let (dividend, divisor) = self.positive(x, divisor, *y)?;
                build(dividend.and_then(|dividend| dividend.floordiv(divisor)))?
            }
            NodeKind::CeilDiv(x, y) => {
                let (x, divisor) = (self.value(*x)?, self.divisor(*y)?);
                build(if divisor > 0 {
                    let (dividend, divisor) = self.positive(x, divisor, *y)?;
                    dividend.and_then(|dividend| dividend.ceildiv(divisor))
                } else {
                    let (_, divisor) = self.positive(x.clone(), divisor, *y)?;
                    x.floordiv(divisor).and_then(|quotient| quotient.scale(-1))
                })?
            }
            NodeKind::Mod(x, y) => {
                let (x, divisor) = (self.value(*x)?, self.divisor(*y)?);
                if divisor < 0 {
                    let message = "`mod` by a negative number has no meaning here";
                    let error = Error::new(ErrorKind::Division, self.span(*y), message);
                    return Err(error.hint("remainders are defined for divisors of at least 1"));
                }
                let (dividend, divisor) = self.positive(x, divisor, *y)?;
                build(dividend.and_then(|dividend| dividend.modulo(divisor)))?
            }
            NodeKind::Call(name, operands) => build(self.call(node, name, operands)?)?,
            NodeKind::Compare(..) | NodeKind::Not(_) | NodeKind::And(_) | NodeKind::Or(_) => {
                let message = "expected a number here, not a condition";
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    node.span.clone(),
                    message,
                ));
            }
        };
        Ok(Some(value))
    }

    fn span(&self, id: NodeId) -> Span {
        self.term.node(id).span.clone()
    }

    /// The value of an operand, which comes before the node that is being lowered.
    fn value(&self, id: NodeId) -> Result<Expr, Error> {
        let value = self.values.get(id.index()).cloned().flatten();
        value.ok_or_else(|| {
            let message = "this integer is beyond 64 bits";
            let error = Error::new(ErrorKind::Overflow, self.span(id), message);
            error.hint("integers lie between -2^63 and 2^63 - 1")
        })
    }

    /// Adds up. Literals are added in 128 bits, so that `- 9223372036854775808` can be written.
    fn sum(&self, summands: &[(Sign, NodeId)]) -> Result<Result<Expr, ExprError>, Error> {
        let mut constant = 0i128;
        let mut terms = Vec::with_capacity(summands.len());
        for (sign, id) in summands {
            let factor = match sign {
                Sign::Plus => 1,
                Sign::Minus => -1,
            };
            match (sign, &self.term.node(*id).kind) {
                (Sign::Minus, NodeKind::Integer(value)) => constant -= i128::from(*value),
                _ => match self.value(*id)?.as_constant() {
                    Some(value) => constant += i128::from(factor) * i128::from(value),
                    None => terms.push((factor, self.value(*id)?)),
                },
            }
        }
        Ok(i64::try_from(constant)
            .map_err(|_| ExprError::Overflow)
            .and_then(|constant| Expr::sum(constant, terms)))
    }

    fn product(&self, node: &Node, x: NodeId, y: NodeId) -> Result<Result<Expr, ExprError>, Error> {
        let (lhs, rhs) = (self.value(x)?, self.value(y)?);
        if let Some(factor) = rhs.as_constant() {
            Ok(lhs.scale(factor))
        } else if let Some(factor) = lhs.as_constant() {
            Ok(rhs.scale(factor))
        } else {
            let message = "a product needs an integer as one of its factors";
            let error = Error::new(ErrorKind::Unsupported, node.span.clone(), message);
            Err(error.hint("index maps are quasi-affine: variables cannot be multiplied"))
        }
    }

    /// The literal divisor at `id`, which may be negative.
    fn divisor(&self, id: NodeId) -> Result<i128, Error> {
        let error = |message: &str| Error::new(ErrorKind::Division, self.span(id), message);
        match self.term.literal(id) {
            None => Err(error("the divisor must be an integer literal")
                .hint("index maps are quasi-affine: divide by a number such as 8")),
            Some(0) => Err(error("division by zero").hint("divisors are integers of at least 1")),
            Some(divisor) => Ok(divisor),
        }
    }

    /// `(-x, -divisor)` for a negative divisor, so that the divisor is positive.
    fn positive(
        &self,
        x: Expr,
        divisor: i128,
        at: NodeId,
    ) -> Result<(Result<Expr, ExprError>, i64), Error> {
        let magnitude = i64::try_from(divisor.unsigned_abs()).map_err(|_| {
            let message = "this divisor is beyond 64 bits";
            Error::new(ErrorKind::Overflow, self.span(at), message)
                .hint("divisors lie between -2^63 + 1 and 2^63 - 1")
        })?;
        Ok(if divisor > 0 {
            (Ok(x), magnitude)
        } else {
            (x.scale(-1), magnitude)
        })
    }

    fn call(
        &self,
        node: &Node,
        name: &str,
        operands: &[NodeId],
    ) -> Result<Result<Expr, ExprError>, Error> {
        if name != "min" && name != "max" {
            let message = format!("there is no function `{}`", excerpt(name));
            let error = Error::new(ErrorKind::Name, node.span.clone(), message);
            return Err(error.hint("the functions are `min(a, b)` and `max(a, b)`"));
        }
        if operands.len() < 2 {
            let message = format!("`{name}` needs two or more operands");
            let error = Error::new(ErrorKind::Arity, node.span.clone(), message);
            return Err(error.hint(format!("write `{name}(a, b)`")));
        }
        let operands: Vec<Expr> = operands
            .iter()
            .map(|operand| self.value(*operand))
            .collect::<Result<_, _>>()?;
        Ok(if name == "min" {
            Expr::min(operands)
        } else {
            Expr::max(operands)
        })
    }
}

/// The expression and the interval of `term in [lo, hi]`.
///
/// # Errors
/// As [`expr`].
pub fn item(item: &ItemText, scope: &Scope, text: &str) -> Result<(Expr, Interval), Error> {
    Ok((expr(&item.term, scope, text)?, item.bounds))
}

/// The map that a text means. `text` is what the map was read from.
///
/// # Errors
/// As [`expr`], and [`ErrorKind::Domain`] if the domain does not give each variable its bounds.
pub fn map(map: &MapText, text: &str) -> Result<IndexingMap, Error> {
    let scope = Scope::new(map.variables.iter().map(|variable| variable.name));
    check_names(&map.variables, &scope)?;
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
        DomainText::Items(items) => {
            for constraint in items.iter().skip(map.variables.len()) {
                let (expr, bounds) = item(constraint, &scope, text)?;
                domain.constrain(&expr, bounds);
            }
        }
    }
    Ok(IndexingMap::new(domain, results))
}

fn check_names(variables: &[VariableText], scope: &Scope) -> Result<(), Error> {
    for (index, variable) in variables.iter().enumerate() {
        if scope
            .ids
            .get(variable.name)
            .is_some_and(|id| id.index() != index)
        {
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
        DomainText::Empty => return Ok(vec![Interval::EMPTY; map.variables.len()]),
        DomainText::Items(items) => items,
    };
    let mut bounds = Vec::with_capacity(map.variables.len());
    for (index, variable) in map.variables.iter().enumerate() {
        let name = excerpt(variable.name);
        let Some(item) = items.get(index) else {
            let message = format!("the domain has no bounds for the variable `{name}`");
            let error = Error::new(ErrorKind::Domain, map.end..map.end, message);
            let hint = format!("add `{}`", example_bounds(&map.variables[index..]));
            return Err(error.hint(hint));
        };
        let root = item.term.node(item.term.root());
        if root.kind != NodeKind::Name(variable.name) {
            let message = format!("expected the bounds of the variable `{name}` here");
            let error = Error::new(ErrorKind::Domain, root.span.clone(), message);
            return Err(error.hint(
                "a domain gives bounds to each variable in the order of the list, then constraints",
            ));
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

fn expr_error(error: ExprError, span: &Span, text: &str) -> Error {
    let shown = excerpt(text.get(span.clone()).unwrap_or(""));
    match error {
        ExprError::Overflow => {
            let message = format!("a coefficient or constant of `{shown}` is beyond 64 bits");
            Error::new(ErrorKind::Overflow, span.clone(), message)
        }
        ExprError::TooDeep => Error::new(ErrorKind::TooLarge, span.clone(), error.to_string()),
        ExprError::Divisor(_) => Error::new(ErrorKind::Division, span.clone(), error.to_string()),
    }
}

/// The candidate with the fewest edits from `name`, at most one for every three of its letters.
fn most_similar<'t>(name: &str, candidates: &[&'t str]) -> Option<&'t str> {
    const LONGEST: usize = 64;
    let letters: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if letters.len() > LONGEST {
        return None;
    }
    let allowed = (letters.len() / 3).max(1);
    candidates
        .iter()
        .map(|candidate| (edits(&letters, candidate, LONGEST), *candidate))
        .filter(|(edits, candidate)| *edits <= allowed && *edits < candidate.chars().count())
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance of two words; `usize::MAX` if the second is longer than `longest`.
fn edits(lhs: &[char], rhs: &str, longest: usize) -> usize {
    if rhs.len() > 4 * longest {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=lhs.len()).collect();
    for (line, r) in rhs.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, l) in lhs.iter().enumerate() {
            let replaced = diagonal + usize::from(*l != r);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[lhs.len()]
}
