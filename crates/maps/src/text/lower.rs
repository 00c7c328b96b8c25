//! Lowers the syntax tree to expressions: resolves names, checks that numbers fit, and that factors and divisors are
//! literals, or sizes where the map allows them ([`Sizes`]).
//!
//! Law: the value of the expression at a point is the value of the text under the usual meaning of the operators (mathematical
//! integers; floordiv rounds down). A negative divisor is rewritten: `x floordiv -c` is `(-x) floordiv c`, and `x ceildiv -c` is
//! `-(x floordiv c)`.
//!
//! Nested sums, and nested min or max, are flattened: so their cost does not grow with their nesting, and a number is rejected as
//! too large only if the complete sum exceeds the limit.

use super::ast::{Node, NodeId, NodeKind, Sign, Term};
use super::scope::Scope;
use super::token::excerpt;
use crate::expr::{Expr, ExprError, VariableId};
use crate::text::{Error, ErrorKind, Span};
use std::collections::BTreeSet;

/// Maximum number of operands combined while one term is lowered, to bound the time for any text.
///
/// A written sum counts once; only repeated rewriting, as in `(a + b) * -1 * -1`, counts again.
pub const MAX_WORK: usize = 1 << 22;

/// Lowers a term to an expression. `text` is its source.
///
/// # Errors
/// [`ErrorKind::Name`] for an unknown variable or function, [`ErrorKind::Division`], [`ErrorKind::Overflow`],
/// [`ErrorKind::TooLarge`], [`ErrorKind::Arity`] for a min of one operand; [`ErrorKind::Unsupported`] for a product of
/// variables or a condition. Without `sizes` it is quasi-affine.
pub fn expr(
    term: &Term,
    scope: &Scope,
    text: &str,
    sizes: Option<&mut Sizes>,
) -> Result<Expr, Error> {
    let mut lowering =
        Lowering { term, scope, text, sizes, values: Vec::new(), merged: merged(term) };
    let mut work = 0;
    for (id, node) in term.nodes() {
        let value = lowering.node(id, node)?;
        work += value.as_ref().map_or(0, |value| value.operands().count());
        if work > MAX_WORK {
            let message = format!("the text expands to more than {MAX_WORK} operands");
            return Err(Error::new(ErrorKind::TooLarge, node.span.clone(), message));
        }
        lowering.values.push(value);
    }
    lowering.value(term.root())
}

/// For each node, whether it is merged into the sum, min or max directly above it.
fn merged(term: &Term) -> Vec<bool> {
    let mut merged = vec![false; term.nodes().len()];
    let is_sum = |id| matches!(term.node(id).kind, NodeKind::Sum(_) | NodeKind::Negate(_));
    for (_, node) in term.nodes() {
        match &node.kind {
            NodeKind::Negate(x) => merged[x.index()] = is_sum(*x),
            NodeKind::Sum(summands) => {
                for (_, x) in summands {
                    merged[x.index()] = is_sum(*x);
                }
            }
            NodeKind::Call(name, operands) => {
                for x in operands {
                    let inner = &term.node(*x).kind;
                    let is_same = matches!(inner, NodeKind::Call(other, _) if other == name);
                    merged[x.index()] = is_same && *name != CDIV;
                }
            }
            _ => {}
        }
    }
    merged
}

/// The expressions that may be factors and divisors, and the ones that are.
#[derive(Debug)]
pub struct Sizes {
    /// Only variables from this number on may occur in them; the occurring ones are recorded in `used`.
    first: Option<u32>,
    /// The variables in divisors and in one of two factors, if not all variables may occur in them.
    pub used: BTreeSet<VariableId>,
    /// The divisors, with their spans; nested ones come before those that contain them.
    pub divisors: Vec<(Expr, Span)>,
}

impl Sizes {
    /// Creates the sizes of a map whose variables from this number on are symbols, or, if `None`, of a map in which all are
    /// allowed.
    fn from(first: Option<u32>) -> Sizes {
        Sizes { first, used: BTreeSet::new(), divisors: Vec::new() }
    }

    /// Creates the sizes of a map in which all expressions are allowed, if it `is_symbolic`.
    pub fn of_any(is_symbolic: bool) -> Option<Sizes> {
        is_symbolic.then(|| Sizes::from(None))
    }

    /// Creates the sizes of a map whose variables from this number on are symbols.
    pub fn of_symbols(first: u32) -> Sizes {
        Sizes::from(Some(first))
    }

    /// Records an expression as a factor or divisor; returns whether it may be one.
    fn take(&mut self, expr: &Expr) -> bool {
        let Some(first) = self.first else {
            return true;
        };
        let variables = expr.variables();
        let is_allowed = variables.first().is_none_or(|id| id.0 >= first);
        if is_allowed {
            self.used.extend(variables);
        }
        is_allowed
    }
}

struct Lowering<'a, 't> {
    term: &'a Term<'t>,
    scope: &'a Scope<'a>,
    text: &'a str,
    sizes: Option<&'a mut Sizes>,
    /// Values of the nodes so far. A merged node has no value; neither does 2^63, which is valid only after a minus.
    values: Vec<Option<Expr>>,
    merged: Vec<bool>,
}

/// The divisor of a quotient.
enum Divisor {
    /// A literal other than 0.
    Literal { magnitude: i64, negative: bool },
    /// An expression.
    Size(Expr),
}

impl Lowering<'_, '_> {
    fn node(&mut self, id: NodeId, node: &Node) -> Result<Option<Expr>, Error> {
        let is_merged = self.merged[id.index()];
        let value = match &node.kind {
            NodeKind::Integer(value) => {
                return Ok(i64::try_from(*value).ok().map(Expr::constant));
            }
            NodeKind::Name(name) => Ok(Expr::variable(self.scope.find(name, &node.span)?)),
            NodeKind::Negate(_) | NodeKind::Sum(_) if is_merged => return Ok(None),
            NodeKind::Negate(_) | NodeKind::Sum(_) => self.sum(id)?,
            NodeKind::Multiply(x, y) => self.product(node, *x, *y)?,
            NodeKind::FloorDiv(x, y) => {
                let x = self.value(*x)?;
                match self.divisor(*y)? {
                    Divisor::Literal { magnitude, negative } => match negative {
                        true => x.scale(-1).and_then(|x| x.floordiv(magnitude)),
                        false => x.floordiv(magnitude),
                    },
                    Divisor::Size(size) => x.floordiv_by(&size),
                }
            }
            NodeKind::CeilDiv(x, y) => self.ceildiv(*x, *y)?,
            NodeKind::Call(CDIV, operands) => match operands.as_slice() {
                [x, y] => self.ceildiv(*x, *y)?,
                _ => {
                    let message = "`cdiv` needs two operands";
                    let error = Error::new(ErrorKind::Arity, node.span.clone(), message);
                    return Err(error.hint("write `cdiv(a, b)`, which is `a ceildiv b`"));
                }
            },
            NodeKind::Mod(x, y) => {
                let x = self.value(*x)?;
                match self.divisor(*y)? {
                    Divisor::Literal { negative: true, .. } => {
                        let message = "`mod` by a negative number is not defined";
                        let error = Error::new(ErrorKind::Division, self.span(*y), message);
                        return Err(error.hint("remainders are defined for divisors of at least 1"));
                    }
                    Divisor::Literal { magnitude, .. } => x.modulo(magnitude),
                    Divisor::Size(size) => x.modulo_by(&size),
                }
            }
            NodeKind::Call(name, operands) => {
                check_call(node, name, operands)?;
                if is_merged {
                    return Ok(None);
                }
                let operands = self.call_operands(id)?;
                if *name == "min" { Expr::min(operands) } else { Expr::max(operands) }
            }
            NodeKind::Compare(..)
            | NodeKind::Not(_)
            | NodeKind::And(_)
            | NodeKind::Or(_)
            | NodeKind::Exists(..)
            | NodeKind::List(_) => {
                let message = "expected a number, found a condition";
                let span = node.span.clone();
                return Err(Error::new(ErrorKind::Unsupported, span, message));
            }
        };
        value.map(Some).map_err(|error| expr_error(error, &node.span, self.text))
    }

    fn ceildiv(&mut self, x: NodeId, y: NodeId) -> Result<Result<Expr, ExprError>, Error> {
        let x = self.value(x)?;
        Ok(match self.divisor(y)? {
            Divisor::Literal { magnitude, negative: true } => {
                x.floordiv(magnitude).and_then(|x| x.scale(-1))
            }
            Divisor::Literal { magnitude, .. } => x.ceildiv(magnitude),
            Divisor::Size(size) => x.ceildiv_by(&size),
        })
    }

    fn span(&self, id: NodeId) -> Span {
        self.term.node(id).span.clone()
    }

    /// Returns the value of an operand, which precedes the node being lowered.
    fn value(&self, id: NodeId) -> Result<Expr, Error> {
        let value = self.values.get(id.index()).cloned().flatten();
        value.ok_or_else(|| {
            let message = "this integer does not fit in 64 bits";
            let error = Error::new(ErrorKind::Overflow, self.span(id), message);
            error.hint("integers lie between -2^63 and 2^63 - 1")
        })
    }

    /// Adds up a sum or negation and the nodes merged into it, in 128 bits, so that `d0 - 9223372036854775808` can be
    /// written.
    fn sum(&self, id: NodeId) -> Result<Result<Expr, ExprError>, Error> {
        let (mut constant, mut terms) = (0i128, Vec::new());
        let mut waiting = vec![(1i64, id)];
        while let Some((sign, summand)) = waiting.pop() {
            match &self.term.node(summand).kind {
                NodeKind::Negate(x) if summand == id || self.merged[summand.index()] => {
                    waiting.push((-sign, *x));
                }
                NodeKind::Sum(summands) if summand == id || self.merged[summand.index()] => {
                    waiting.extend(summands.iter().map(|(operator, x)| match operator {
                        Sign::Plus => (sign, *x),
                        Sign::Minus => (-sign, *x),
                    }));
                }
                NodeKind::Integer(value) if sign < 0 => constant -= i128::from(*value),
                _ => {
                    let value = self.value(summand)?;
                    match value.as_constant() {
                        Some(value) => constant += i128::from(sign) * i128::from(value),
                        None => terms.push((sign, value)),
                    }
                }
            }
        }
        Ok(i64::try_from(constant)
            .map_err(|_| ExprError::Overflow)
            .and_then(|constant| Expr::sum(constant, terms)))
    }

    fn product(
        &mut self,
        node: &Node,
        x: NodeId,
        y: NodeId,
    ) -> Result<Result<Expr, ExprError>, Error> {
        let (lhs, rhs) = (self.value(x)?, self.value(y)?);
        if let Some(factor) = rhs.as_constant() {
            Ok(lhs.scale(factor))
        } else if let Some(factor) = lhs.as_constant() {
            Ok(rhs.scale(factor))
        } else if self.is_size(&lhs) | self.is_size(&rhs) {
            Ok(lhs.times(&rhs))
        } else {
            let message = "expected an integer as a factor of the product";
            let error = Error::new(ErrorKind::Unsupported, node.span.clone(), message);
            Err(error.hint(
                "index maps are quasi-affine: variables cannot be multiplied with each other",
            ))
        }
    }

    /// Returns whether an expression may be a factor or divisor; if so, it is recorded as one.
    fn is_size(&mut self, expr: &Expr) -> bool {
        self.sizes.as_mut().is_some_and(|sizes| sizes.take(expr))
    }

    fn divisor(&mut self, id: NodeId) -> Result<Divisor, Error> {
        let literal = self.term.literal(id);
        if literal.is_none() && self.sizes.is_some() {
            let (size, span) = (self.value(id)?, self.span(id));
            if let Some(sizes) = self.sizes.as_mut()
                && sizes.take(&size)
            {
                sizes.divisors.push((size.clone(), span));
                return Ok(Divisor::Size(size));
            }
        }
        let error = |kind, message: &str| Error::new(kind, self.span(id), message);
        let Some(literal) = literal else {
            let error = error(ErrorKind::Division, "the divisor must be an integer literal");
            let size = match self.term.node(id).kind {
                NodeKind::Name(name) => excerpt(name),
                _ => "n".to_owned(),
            };
            return Err(error.hint(format!(
                "index maps are quasi-affine: divide by a number such as 8, or by a size, listed in front: <{size}>(..) -> (.. floordiv {size})",
            )));
        };
        if literal == 0 {
            let error = error(ErrorKind::Division, "division by zero");
            return Err(error.hint("divisors are integers of at least 1"));
        }
        let negative = literal < 0;
        match i64::try_from(literal.unsigned_abs()) {
            Ok(magnitude) => Ok(Divisor::Literal { magnitude, negative }),
            Err(_) => {
                let error = error(ErrorKind::Overflow, "this divisor does not fit in 64 bits");
                Err(error.hint("divisors lie between -2^63 + 1 and 2^63 - 1"))
            }
        }
    }

    /// Returns the operands of a min or max and of those merged into it.
    fn call_operands(&self, id: NodeId) -> Result<Vec<Expr>, Error> {
        let (mut values, mut waiting) = (Vec::new(), vec![id]);
        while let Some(operand) = waiting.pop() {
            match &self.term.node(operand).kind {
                NodeKind::Call(_, operands) if operand == id || self.merged[operand.index()] => {
                    waiting.extend(operands);
                }
                _ => values.push(self.value(operand)?),
            }
        }
        Ok(values)
    }
}

/// Triton's name for `ceildiv`.
const CDIV: &str = "cdiv";

fn check_call(node: &Node, name: &str, operands: &[NodeId]) -> Result<(), Error> {
    if name != "min" && name != "max" {
        let message = format!("unknown function `{}`", excerpt(name));
        let error = Error::new(ErrorKind::Name, node.span.clone(), message);
        return Err(error.hint("the functions are `min(a, b)`, `max(a, b)` and `cdiv(a, b)`"));
    }
    if operands.len() < 2 {
        let message = format!("`{name}` needs two or more operands");
        let error = Error::new(ErrorKind::Arity, node.span.clone(), message);
        return Err(error.hint(format!("write `{name}(a, b)`")));
    }
    Ok(())
}

/// Converts an error of building an expression, located at its text.
pub fn expr_error(error: ExprError, span: &Span, text: &str) -> Error {
    let shown = excerpt(text.get(span.clone()).unwrap_or(""));
    match error {
        ExprError::Overflow => {
            let message = format!("a coefficient or constant of `{shown}` does not fit in 64 bits");
            Error::new(ErrorKind::Overflow, span.clone(), message)
        }
        ExprError::TooDeep | ExprError::TooLarge | ExprError::Stopped(_) => {
            Error::new(ErrorKind::TooLarge, span.clone(), error.to_string())
        }
        ExprError::Divisor(_) => Error::new(ErrorKind::Division, span.clone(), error.to_string()),
    }
}
