//! Reads the expressions of a line as terms of rules.
//!
//! Each remainder or quotient is written with rounding down, and the line's own kind of division is recorded. A negative literal
//! divisor is made positive according to the system's division.

use super::division::{Division, Kind, Sign, divided, negated, pair, toward_zero};
use super::lines::System;
use affinor::rule::terms::Variables;
use affinor::rule::{Slot, Term};
use affinor::text::ast::{self, NodeId, NodeKind};
use affinor::text::{Error, ErrorKind, Span, is_name};

/// Maximum nesting of a term, the same as for rules.
const MAX_DEPTH: u32 = 60;

/// The meaning of a call.
#[derive(Clone, Copy)]
enum Operation {
    Sum,
    Difference,
    Product,
    Min,
    Max,
    Divide(Kind, Division),
    CeilDiv,
    /// The call returns its one operand.
    Same,
    /// An integer literal, written as a call.
    Integer(i64),
}

/// Calls of the systems, with the number of operands; MLIR's calls may also be written `arith.addi`.
const OPERATIONS: [(&str, usize, Operation); 22] = [
    ("min", 2, Operation::Min),
    ("max", 2, Operation::Max),
    ("fold", 1, Operation::Same),
    ("floordiv", 2, Operation::Divide(Kind::Quotient, Division::Floor)),
    ("floormod", 2, Operation::Divide(Kind::Remainder, Division::Floor)),
    ("indexdiv", 2, Operation::Divide(Kind::Quotient, Division::Floor)),
    ("indexmod", 2, Operation::Divide(Kind::Remainder, Division::Floor)),
    ("truncdiv", 2, Operation::Divide(Kind::Quotient, Division::TowardZero)),
    ("truncmod", 2, Operation::Divide(Kind::Remainder, Division::TowardZero)),
    ("ceildiv", 2, Operation::CeilDiv),
    ("mod", 2, Operation::Divide(Kind::Remainder, Division::Floor)),
    ("ZeroWithTypeLike", 1, Operation::Integer(0)),
    ("OneWithTypeLike", 1, Operation::Integer(1)),
    ("addi", 2, Operation::Sum),
    ("subi", 2, Operation::Difference),
    ("muli", 2, Operation::Product),
    ("minsi", 2, Operation::Min),
    ("maxsi", 2, Operation::Max),
    ("floordivsi", 2, Operation::Divide(Kind::Quotient, Division::Floor)),
    ("ceildivsi", 2, Operation::CeilDiv),
    ("divsi", 2, Operation::Divide(Kind::Quotient, Division::TowardZero)),
    ("remsi", 2, Operation::Divide(Kind::Remainder, Division::TowardZero)),
];

/// Reads the expressions of one line.
pub(super) struct Reader {
    pub(super) system: System,
    writes_out: bool,
    pub(super) variables: Variables,
    pub(super) division: Option<Division>,
    pub(super) has_ceildiv: bool,
    /// The operands of the left side, which the right side may call `a` and `b`; `None` while the left side is being read.
    operands: Option<Vec<Term>>,
    /// Whether `/` and `%` are those of C++, applied to literals during matching.
    pub(super) in_condition: bool,
}

impl Reader {
    /// Creates a reader of a line in this notation. If it `writes_out`, divisions toward zero are expanded to divisions that
    /// round down.
    pub(super) fn new(system: System, writes_out: bool) -> Reader {
        Reader {
            system,
            writes_out,
            variables: Variables::default(),
            division: None,
            has_ceildiv: false,
            operands: None,
            in_condition: false,
        }
    }

    /// Ends the left side `lhs`, if it is a term: from here on all names must be known.
    pub(super) fn left_is_read(&mut self, lhs: Option<&Term>) {
        let operands = lhs.map(|lhs| lhs.operands().cloned().collect());
        self.operands = Some(operands.unwrap_or_default());
    }

    /// Reads a term. Spans of errors are relative to `text`.
    pub(super) fn term(&mut self, text: &ast::Term<'_>, id: NodeId) -> Result<Term, Error> {
        self.nested(text, id, 0)
    }

    fn nested(&mut self, text: &ast::Term<'_>, id: NodeId, depth: u32) -> Result<Term, Error> {
        let node = text.node(id);
        let span = node.span.clone();
        if depth > MAX_DEPTH {
            return Err(Error::new(ErrorKind::TooLarge, span, "the term is nested too deeply"));
        }
        if let Some(value) = text.literal(id) {
            let value = i64::try_from(value).map_err(|_| {
                let message = "the integer does not fit in 64 bits";
                Error::new(ErrorKind::Overflow, span.clone(), message)
            })?;
            return Ok(Term::Integer(value));
        }
        let mut operand = |id: &NodeId| self.nested(text, *id, depth + 1);
        match &node.kind {
            NodeKind::Name(name) => self.variable(name, span),
            NodeKind::Negate(x) => Ok(negated(operand(x)?)),
            NodeKind::Sum(summands) => {
                let mut terms = Vec::new();
                for (sign, x) in summands {
                    let x = operand(x)?;
                    match (sign, x) {
                        // Sums keep their order from left to right, so that they overflow at the same points.
                        (ast::Sign::Plus, Term::Sum(first)) if terms.is_empty() => terms = first,
                        (ast::Sign::Plus, x) => terms.push(x),
                        (ast::Sign::Minus, x) => terms.push(negated(x)),
                    }
                }
                Ok(Term::Sum(terms))
            }
            NodeKind::Multiply(x, y) => Ok(pair(Term::Product, operand(x)?, operand(y)?)),
            NodeKind::FloorDiv(x, y) => {
                let (x, y) = (operand(x)?, operand(y)?);
                self.divide(Kind::Quotient, Division::Floor, x, y, span)
            }
            NodeKind::Mod(x, y) => {
                let (x, y) = (operand(x)?, operand(y)?);
                self.divide(Kind::Remainder, Division::Floor, x, y, span)
            }
            NodeKind::CeilDiv(x, y) => {
                let (x, y) = (operand(x)?, operand(y)?);
                self.rounded_up(x, y, span)
            }
            NodeKind::Call(sign @ ("/" | "%"), operands) => {
                let (Some(x), Some(y)) = (operands.first(), operands.get(1)) else {
                    return Err(not_arithmetic(sign, span));
                };
                let (x, y) = (operand(x)?, operand(y)?);
                let kind = match *sign {
                    "/" => Kind::Quotient,
                    _ => Kind::Remainder,
                };
                let division = match self.system {
                    System::Halide => Division::Euclidean,
                    System::Plain => Division::Floor,
                    // Remainders that are compared with 0 are read by `formula`.
                    System::Tvm => Division::TowardZero,
                };
                self.divide(kind, division, x, y, span)
            }
            NodeKind::Call(name, operands) => self.call(text, name, operands, span, depth),
            NodeKind::Compare(..)
            | NodeKind::Not(_)
            | NodeKind::And(_)
            | NodeKind::Or(_)
            | NodeKind::Exists(..)
            | NodeKind::List(_) => {
                let message = "a truth value is not index arithmetic";
                Err(Error::new(ErrorKind::Unsupported, span, message))
            }
            NodeKind::Integer(_) => Err(not_arithmetic("an integer", span)),
        }
    }

    fn call(
        &mut self,
        text: &ast::Term<'_>,
        name: &str,
        operands: &[NodeId],
        span: Span,
        depth: u32,
    ) -> Result<Term, Error> {
        let at_name = name_at(name, &span);
        let plain = name.strip_prefix("arith.").unwrap_or(name);
        let known =
            OPERATIONS.iter().find(|(known, count, _)| *known == plain && *count == operands.len());
        let Some((_, _, operation)) = known else {
            return Err(not_arithmetic(name, at_name));
        };
        let mut terms = Vec::new();
        for operand in operands {
            terms.push(self.nested(text, *operand, depth + 1)?);
        }
        let mut terms = terms.into_iter();
        let (Some(x), y) = (terms.next(), terms.next().unwrap_or(Term::Integer(0))) else {
            return Err(not_arithmetic(name, at_name));
        };
        match *operation {
            Operation::Same => Ok(x),
            Operation::Integer(value) => Ok(Term::Integer(value)),
            Operation::Sum => Ok(Term::Sum(vec![x, y])),
            Operation::Difference => Ok(Term::Sum(vec![x, negated(y)])),
            Operation::Product => Ok(pair(Term::Product, x, y)),
            Operation::Min => Ok(pair(Term::Min, x, y)),
            Operation::Max => Ok(pair(Term::Max, x, y)),
            Operation::CeilDiv => self.rounded_up(x, y, span),
            Operation::Divide(kind, by) => self.divide(kind, by, x, y, span),
        }
    }

    fn divide(
        &mut self,
        kind: Kind,
        by: Division,
        x: Term,
        divisor: Term,
        span: Span,
    ) -> Result<Term, Error> {
        // A line with mixed divisions is read again, with divisions toward zero expanded.
        self.division = match self.division {
            Some(known) if known != by => Some(Division::Mixed),
            _ => Some(by),
        };
        let sign = match divisor {
            Term::Integer(0) => Sign::Zero,
            Term::Integer(..0) => Sign::Negative,
            _ => Sign::Known,
        };
        if self.writes_out && by == Division::TowardZero && sign != Sign::Zero {
            let positive = match sign {
                Sign::Negative => negated(divisor),
                _ => divisor,
            };
            let result = toward_zero(kind, &x, &positive);
            return Ok(match (sign, kind) {
                (Sign::Negative, Kind::Quotient) => negated(result),
                _ => result,
            });
        }
        divided(kind, &x, &divisor, sign, by).ok_or_else(|| {
            let message = "division by zero has no value here";
            Error::new(ErrorKind::Division, span, message)
        })
    }

    /// Rewrites `x ceildiv c` as `-((-x) floordiv c)`.
    fn rounded_up(&mut self, x: Term, divisor: Term, span: Span) -> Result<Term, Error> {
        self.has_ceildiv = true;
        let x = negated(x);
        let quotient = self.divide(Kind::Quotient, Division::Floor, x, divisor, span)?;
        Ok(negated(quotient))
    }

    fn variable(&mut self, name: &str, span: Span) -> Result<Term, Error> {
        if !is_name(name) {
            return Err(not_arithmetic(name, span));
        }
        let names = match is_constant(self.system, name) {
            true => &mut self.variables.constants,
            false => &mut self.variables.expressions,
        };
        let known = names.iter().position(|known| known == name);
        let position = known.unwrap_or(names.len());
        if let (None, Some(operands)) = (known, &self.operands) {
            let number = ["a", "b"].iter().position(|operand| *operand == name);
            let operand = number.and_then(|number| operands.get(number));
            let missing = || {
                let message = format!("`{name}` is not on the left-hand side");
                Error::new(ErrorKind::Unsupported, span.clone(), message)
            };
            return operand.cloned().ok_or_else(missing);
        }
        let slot = Slot::try_from(position).map_err(|_| {
            let message = "a rule can have at most 256 variables of each sort";
            Error::new(ErrorKind::TooLarge, span.clone(), message)
        })?;
        if known.is_none() {
            names.push(name.to_owned());
        }
        Ok(match is_constant(self.system, name) {
            true => Term::Constant(slot),
            false => Term::Expression(slot),
        })
    }
}

/// Returns whether a name denotes a literal: `c0`, `c1` in Halide and TVM. In plain lines this is inferred, as in rules.
fn is_constant(system: System, name: &str) -> bool {
    let number = name.strip_prefix('c');
    let is_number = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    system != System::Plain && is_number
}

/// Returns the span of a call's name; for an operator, the span of the whole operation.
pub(super) fn name_at(name: &str, span: &Span) -> Span {
    match name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        true => span.start..span.start + name.len(),
        false => span.clone(),
    }
}

/// Returns the error for a word that denotes no operation on integers.
pub(super) fn not_arithmetic(word: &str, span: Span) -> Error {
    let message = format!("`{word}` is not index arithmetic");
    let error = Error::new(ErrorKind::Unsupported, span, message);
    error.hint("rules are about + - * floordiv mod min max and comparisons of integers")
}
