//! Lowers the syntax tree to expressions: resolves names, checks that numbers fit and divisors are literals.
//!
//! Law: the value of the expression at a point is the value of the text by the meaning of the operators (mathematical
//! integers; floordiv rounds down). A negative divisor is rewritten: `x floordiv -c` is `(-x) floordiv c`, and `x
//! ceildiv -c` is `-(x floordiv c)`.
//!
//! Nested sums, and nested min or max, are built as one: so their cost does not grow with their nesting, and a number
//! is too large only if it is so in the complete sum.

use super::ast::{Node, NodeId, NodeKind, Sign, Term};
use super::scope::Scope;
use super::token::excerpt;
use crate::expr::{Expr, ExprError};
use crate::text::{Error, ErrorKind, Span};

/// Maximum number of operands combined while one term is lowered, to bound the time for any text.
///
/// A written sum counts once; only repeated rewriting, as in `(a + b) * -1 * -1`, counts again.
pub const MAX_WORK: usize = 1 << 22;

/// Lowers a term to an expression. `text` is its source.
///
/// # Errors
/// [`ErrorKind::Name`] for an unknown variable or function, [`ErrorKind::Division`], [`ErrorKind::Overflow`],
/// [`ErrorKind::TooLarge`], [`ErrorKind::Arity`] for a min of one operand; [`ErrorKind::Unsupported`] for a product of
/// variables or a condition.
pub fn expr(term: &Term, scope: &Scope, text: &str) -> Result<Expr, Error> {
    let mut lowering = Lowering {
        term,
        scope,
        text,
        values: Vec::new(),
        merged: merged(term),
    };
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
                    merged[x.index()] = matches!(inner, NodeKind::Call(other, _) if other == name);
                }
            }
            _ => {}
        }
    }
    merged
}

struct Lowering<'a, 't> {
    term: &'a Term<'t>,
    scope: &'a Scope<'a>,
    text: &'a str,
    /// Values of the nodes so far. A merged node has none, nor has 2^63, which is valid only after a minus.
    values: Vec<Option<Expr>>,
    merged: Vec<bool>,
}

/// A literal divisor other than 0.
struct Divisor {
    magnitude: i64,
    negative: bool,
}

impl Lowering<'_, '_> {
    fn node(&self, id: NodeId, node: &Node) -> Result<Option<Expr>, Error> {
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
                let (x, divisor) = (self.value(*x)?, self.divisor(*y)?);
                if divisor.negative {
                    x.scale(-1).and_then(|x| x.floordiv(divisor.magnitude))
                } else {
                    x.floordiv(divisor.magnitude)
                }
            }
            NodeKind::CeilDiv(x, y) => {
                let (x, divisor) = (self.value(*x)?, self.divisor(*y)?);
                if divisor.negative {
                    x.floordiv(divisor.magnitude).and_then(|x| x.scale(-1))
                } else {
                    x.ceildiv(divisor.magnitude)
                }
            }
            NodeKind::Mod(x, y) => {
                let (x, divisor) = (self.value(*x)?, self.divisor(*y)?);
                if divisor.negative {
                    let message = "`mod` by a negative number is not defined";
                    let error = Error::new(ErrorKind::Division, self.span(*y), message);
                    return Err(error.hint("remainders are defined for divisors of at least 1"));
                }
                x.modulo(divisor.magnitude)
            }
            NodeKind::Call(name, operands) => {
                check_call(node, name, operands)?;
                if is_merged {
                    return Ok(None);
                }
                let operands = self.call_operands(id)?;
                if *name == "min" {
                    Expr::min(operands)
                } else {
                    Expr::max(operands)
                }
            }
            NodeKind::Compare(..) | NodeKind::Not(_) | NodeKind::And(_) | NodeKind::Or(_) => {
                let message = "expected a number, found a condition";
                let span = node.span.clone();
                return Err(Error::new(ErrorKind::Unsupported, span, message));
            }
        };
        value
            .map(Some)
            .map_err(|error| expr_error(error, &node.span, self.text))
    }

    fn span(&self, id: NodeId) -> Span {
        self.term.node(id).span.clone()
    }

    /// The value of an operand, which precedes the node being lowered.
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

    fn product(&self, node: &Node, x: NodeId, y: NodeId) -> Result<Result<Expr, ExprError>, Error> {
        let (lhs, rhs) = (self.value(x)?, self.value(y)?);
        if let Some(factor) = rhs.as_constant() {
            Ok(lhs.scale(factor))
        } else if let Some(factor) = lhs.as_constant() {
            Ok(rhs.scale(factor))
        } else {
            let message = "expected an integer as a factor of the product";
            let error = Error::new(ErrorKind::Unsupported, node.span.clone(), message);
            Err(error.hint(
                "index maps are quasi-affine: variables cannot be multiplied with each other",
            ))
        }
    }

    fn divisor(&self, id: NodeId) -> Result<Divisor, Error> {
        let error = |kind, message: &str| Error::new(kind, self.span(id), message);
        let Some(literal) = self.term.literal(id) else {
            let error = error(
                ErrorKind::Division,
                "the divisor must be an integer literal",
            );
            return Err(error.hint("index maps are quasi-affine: divide by a number such as 8"));
        };
        if literal == 0 {
            let error = error(ErrorKind::Division, "division by zero");
            return Err(error.hint("divisors are integers of at least 1"));
        }
        let negative = literal < 0;
        match i64::try_from(literal.unsigned_abs()) {
            Ok(magnitude) => Ok(Divisor {
                magnitude,
                negative,
            }),
            Err(_) => {
                let error = error(ErrorKind::Overflow, "this divisor does not fit in 64 bits");
                Err(error.hint("divisors lie between -2^63 + 1 and 2^63 - 1"))
            }
        }
    }

    /// The operands of a min or max and of those merged into it.
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

fn check_call(node: &Node, name: &str, operands: &[NodeId]) -> Result<(), Error> {
    if name != "min" && name != "max" {
        let message = format!("unknown function `{}`", excerpt(name));
        let error = Error::new(ErrorKind::Name, node.span.clone(), message);
        return Err(error.hint("the functions are `min(a, b)` and `max(a, b)`"));
    }
    if operands.len() < 2 {
        let message = format!("`{name}` needs two or more operands");
        let error = Error::new(ErrorKind::Arity, node.span.clone(), message);
        return Err(error.hint(format!("write `{name}(a, b)`")));
    }
    Ok(())
}

fn expr_error(error: ExprError, span: &Span, text: &str) -> Error {
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
