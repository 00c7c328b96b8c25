//! The semantics of functions, bitwise operations and divisions in code.

use super::arithmetic::{constant, divide, truncate};
use super::bits::{self, Bits};
use super::calls::unknown;
use super::cases::{Case, intersected, negated};
use super::functions::{Division, Meaning, function};
use super::kinds::reachable;
use super::lower::{Lowering, Value};
use super::types::Type;
use affinor_maps::expr::{Expr, ExprError};
use affinor_maps::text::ast::{Node, NodeId, NodeKind};
use affinor_maps::text::token::excerpt;
use affinor_maps::text::{Error, ErrorKind};

/// The largest exponent of a variable.
const MAX_POWER: u32 = 4;

impl<'a> Lowering<'a> {
    pub fn function(
        &mut self,
        node: &'a Node<'a>,
        name: &str,
        operands: &[NodeId],
    ) -> Result<(Value, Type), Error> {
        let Some(found) = function(name) else {
            return Err(unknown(name, node.span.clone()));
        };
        let of = self.common_type(operands);
        let numbers = |lowering: &Self, operands: &[NodeId]| -> Result<Vec<Vec<Case>>, Error> {
            operands.iter().map(|x| lowering.operand(*x, of)).collect()
        };
        let truth = |region| Ok((Value::Truth(region), Type::Plain));
        let cases = match (found.meaning, operands) {
            (Meaning::Min, _) => {
                self.each(node, &numbers(self, operands)?, |list| Expr::min(list.to_vec()))?
            }
            (Meaning::Max, _) => {
                self.each(node, &numbers(self, operands)?, |list| Expr::max(list.to_vec()))?
            }
            (Meaning::Divide(division), [x, y]) => return self.divided(node, *x, *y, division),
            (Meaning::Digit, [x, divisor, modulus]) => {
                let quotient = numbers(self, &[*x])?.swap_remove(0);
                let quotient = self.divide_by(node, quotient, *divisor, Division::Floor)?;
                self.divide_by(node, quotient, *modulus, Division::Mod)?
            }
            (Meaning::Multiple(division), [x, multiple]) => {
                let quotient = numbers(self, &[*x])?.swap_remove(0);
                let quotient = self.divide_by(node, quotient, *multiple, division)?;
                let values = [quotient, self.number(*multiple)?];
                self.each(node, &values, |list| list[0].times(&list[1]))?
            }
            (Meaning::Choose, [condition, x, y]) => return self.chosen(node, *condition, *x, *y),
            (Meaning::Clamp, [x, lo, hi]) | (Meaning::ClampBetween, [lo, x, hi]) => {
                self.each(node, &numbers(self, &[*x, *lo, *hi])?, |list| {
                    let below = Expr::max([list[0].clone(), list[1].clone()])?;
                    Expr::min([below, list[2].clone()])
                })?
            }
            (Meaning::Abs, _) => self.each(node, &numbers(self, operands)?, |list| {
                Expr::max([list[0].clone(), list[0].scale(-1)?])
            })?,
            (Meaning::Round(division), [x]) => return self.rounded_to_integer(node, *x, division),
            (Meaning::And, [x, y]) => {
                let (x_region, y_region) = (self.truth(*x)?, self.truth(*y)?);
                let region = intersected(&x_region, &y_region, &self.within());
                return truth(self.few(region, *x)?);
            }
            (Meaning::Or, [x, y]) => {
                let (x_region, y_region) = (self.truth(*x)?, self.truth(*y)?);
                return truth(self.united(x_region, &y_region, *y)?);
            }
            (Meaning::Not, [x]) => {
                let region = self.truth(*x)?;
                return truth(self.few(negated(&region, &self.within()), *x)?);
            }
            (Meaning::Convert(Type::Bool), [x]) => return truth(self.truth(*x)?),
            (Meaning::Block, _) => {
                let message = format!("the axis of `{}` must be an integer", excerpt(name));
                return Err(self.wrong(node, ErrorKind::Unsupported, message));
            }
            (Meaning::Axis, [_, x]) | (_, [x, ..]) => {
                return Ok((self.value(*x)?, self.types[x.index()]));
            }
            (_, []) => return Err(self.wrong(node, ErrorKind::Arity, "a value is missing")),
        };
        Ok((Value::Number(cases), of))
    }

    /// Lowers `int(x / y)`, `floor(x / y)` or `ceil(x / y)` to the rounded quotient. Any other operand is already an integer.
    fn rounded_to_integer(
        &mut self,
        node: &'a Node<'a>,
        x: NodeId,
        division: Division,
    ) -> Result<(Value, Type), Error> {
        if let NodeKind::Call("/", operands) = &self.term.node(x).kind
            && let [dividend, divisor] = operands[..]
        {
            if self.truncates {
                return Ok((self.value(x)?, Type::Plain));
            }
            // The rounding of this `/` is explicit.
            let span = self.span(x);
            self.slash.take_if(|slash| *slash == span);
            self.rounded.take_if(|rounded| *rounded == span);
            return self.divided(node, dividend, divisor, division);
        }
        let parts = reachable(self.term, std::iter::once(x));
        let mut parts = self.term.nodes().filter(|(id, _)| parts[id.index()]);
        if !self.truncates && parts.any(|(_, node)| matches!(node.kind, NodeKind::Call("/", _))) {
            let message = "only a quotient `x / y` is rounded to an integer here";
            return Err(self.wrong(node, ErrorKind::Unsupported, message));
        }
        Ok((Value::Number(self.number(x)?), Type::Plain))
    }

    pub fn bitwise(
        &self,
        node: &Node,
        name: &str,
        x: NodeId,
        y: NodeId,
    ) -> Result<(Value, Type), Error> {
        if let (Value::Truth(left), Value::Truth(right)) = (self.value(x)?, self.value(y)?) {
            let joint = || self.few(intersected(&left, &right, &self.within()), x);
            let region = match name {
                "&" => joint()?,
                "|" => self.united(left, &right, x)?,
                _ => {
                    let either = self.united(left.clone(), &right, x)?;
                    let not_both = self.few(negated(&joint()?, &self.within()), x)?;
                    self.few(intersected(&either, &not_both, &self.within()), x)?
                }
            };
            return Ok((Value::Truth(region), Type::Plain));
        }
        let operation = match name {
            "&" => bits::and,
            "|" => bits::or,
            _ => bits::xor,
        };
        let of = self.common_type(&[x, y]);
        let values = [self.operand(x, of)?, self.operand(y, of)?];
        let cases = self.each_known(node, &values, &|x, y, range| {
            let bits = |value| Bits { value, range };
            operation(&bits(x), &bits(y))
        })?;
        Ok((Value::Number(cases), of))
    }

    /// Lowers `x << y` or `x >> y`, in the type of `x`.
    pub fn shifted(
        &self,
        node: &Node,
        name: &str,
        x: NodeId,
        y: NodeId,
    ) -> Result<(Value, Type), Error> {
        let of = self.common_type(&[x]);
        let (value, count) = (self.number(x)?, self.number(y)?);
        let count = match &count[..] {
            [only] => only.value.as_constant(),
            _ => None,
        };
        let Some(count) = count.filter(|count| (0..63).contains(count)) else {
            let message = "the number of bits to shift by must be an integer between 0 and 62";
            let error = Error::new(ErrorKind::Unsupported, self.span(y), message);
            return Err(error.hint("`x >> 3` is `x floordiv 8`, `x << 3` is `x * 8`"));
        };
        let factor = 1i64 << count;
        let cases = self.each(node, &[value], |list| match name {
            "<<" => list[0].scale(factor),
            _ => list[0].floordiv(factor),
        })?;
        match name {
            "<<" => self.wrapped(node, cases, of),
            _ => Ok((Value::Number(cases), of)),
        }
    }

    /// Lowers `x ** y` for integers.
    pub fn power(&self, node: &Node, x: NodeId, y: NodeId) -> Result<(Value, Type), Error> {
        let constant_of = |id: NodeId| -> Result<Option<i64>, Error> {
            Ok(match &self.number(id)?[..] {
                [only] => only.value.as_constant(),
                _ => None,
            })
        };
        let (base, exponent) = (constant_of(x)?, constant_of(y)?);
        let exponent = exponent.and_then(|exponent| u32::try_from(exponent).ok());
        if let (Some(base), Some(exponent)) = (base, exponent) {
            let power = base.checked_pow(exponent).map(constant);
            let power = power.ok_or_else(|| self.not_built(ExprError::Overflow, node))?;
            return Ok((Value::Number(power), Type::Plain));
        }
        // `i ** 2`
        if let Some(exponent @ 1..=MAX_POWER) = exponent {
            let cases = self.each(node, &[self.number(x)?], |list| {
                (1..exponent).try_fold(list[0].clone(), |all, _| all.times(&list[0]))
            })?;
            return Ok((Value::Number(cases), Type::Plain));
        }
        let message = format!("only powers with an exponent between 1 and {MAX_POWER} are read");
        Err(self.wrong(node, ErrorKind::Unsupported, message))
    }

    /// Lowers `x / y` with the given rounding.
    pub fn divided(
        &self,
        node: &Node,
        x: NodeId,
        y: NodeId,
        division: Division,
    ) -> Result<(Value, Type), Error> {
        let of = self.common_type(&[x, y]);
        let dividend = self.operand(x, of)?;
        let cases = match division {
            Division::Truncate | Division::Rest => self.truncated(node, dividend, y, division)?,
            _ => self.divide_by(node, dividend, y, division)?,
        };
        Ok((Value::Number(cases), of))
    }

    fn divide_by(
        &self,
        node: &Node,
        x: Vec<Case>,
        y: NodeId,
        division: Division,
    ) -> Result<Vec<Case>, Error> {
        let values = [x, self.number(y)?];
        self.check_divisor(&values[1], y, division == Division::Mod)?;
        self.each(node, &values, |list| divide(&list[0], &list[1], division))
    }

    /// Lowers a division with the rounding of the code, toward zero or down, and records it if the rounding matters.
    pub fn code_divided(
        &mut self,
        node: &Node,
        x: NodeId,
        y: NodeId,
        division: Division,
    ) -> Result<(Value, Type), Error> {
        let of = self.common_type(&[x, y]);
        let dividend = self.operand(x, of)?;
        let is_negative = |case: &Case| self.range(&case.value, &case.limits).lo() < 0;
        if dividend.iter().any(is_negative) {
            self.rounded.get_or_insert(node.span.clone());
        }
        let cases = match self.truncates {
            true => self.truncated(node, dividend, y, division)?,
            false => self.divide_by(node, dividend, y, division)?,
        };
        Ok((Value::Number(cases), of))
    }

    /// Lowers C's `x / y` or `x % y`.
    fn truncated(
        &self,
        node: &Node,
        x: Vec<Case>,
        y: NodeId,
        division: Division,
    ) -> Result<Vec<Case>, Error> {
        let values = [x, self.number(y)?];
        self.check_divisor(&values[1], y, false)?;
        let is_rest = matches!(division, Division::Mod | Division::Rest);
        self.each_known(node, &values, &|x, y, range| {
            let quotient = truncate(x, y, range(x))?;
            if !is_rest {
                return Ok(quotient);
            }
            if range(x).lo() >= 0 {
                let magnitude = y.as_constant().and_then(i64::checked_abs);
                let divisor = magnitude.map_or_else(|| y.clone(), Expr::constant);
                return Ok(divide(x, &divisor, Division::Mod)?);
            }
            Ok(x.sub(&quotient.times(y)?)?)
        })
    }

    pub fn check_divisor(&self, divisors: &[Case], id: NodeId, is_mod: bool) -> Result<(), Error> {
        let error = |message: &str| Error::new(ErrorKind::Division, self.span(id), message);
        let mut constants = divisors.iter().filter_map(|case| case.value.as_constant());
        let never = divisors.iter().any(|case| {
            case.value.as_constant().is_none() && self.range(&case.value, &case.limits).hi() < 1
        });
        match constants.find(|c| *c == 0 || *c == i64::MIN || (is_mod && *c < 0)) {
            Some(0) => Err(error("division by zero").hint("divisors are integers of at least 1")),
            Some(_) => Err(error("a remainder by a negative number is not supported")
                .hint("remainders are defined for divisors of at least 1")),
            None if never => Err(error("this divisor is never positive")
                .hint("a divisor that is a variable must be at least 1")),
            None => Ok(()),
        }
    }
}
