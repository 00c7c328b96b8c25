//! What functions, bit operations and divisions of code are.

use super::arithmetic::{constant, divide, product, truncate};
use super::bits::{self, Bits};
use super::calls::{Division, Meaning, meaning};
use super::cases::{Case, intersected, negated};
use super::lower::{Lowering, Value};
use crate::expr::Expr;
use crate::text::ast::{Node, NodeId};
use crate::text::token::excerpt;
use crate::text::{Error, ErrorKind};

impl<'a> Lowering<'a> {
    pub fn function(
        &mut self,
        node: &'a Node<'a>,
        name: &str,
        operands: &[NodeId],
    ) -> Result<Value, Error> {
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let Some(meaning) = meaning(last).filter(|_| !is_other(name, last)) else {
            let message = format!("unknown function `{}`", excerpt(name));
            let error = self.wrong(node, ErrorKind::Name, message);
            return Err(error.hint(
                "known are min, max, cdiv, floordiv, mod, ModularIndexing, where, clamp, abs, tl.program_id, and casts to integers",
            ));
        };
        let count = match meaning {
            Meaning::Min | Meaning::Max => operands.len().max(2),
            Meaning::Divide(_) | Meaning::And | Meaning::Or => 2,
            Meaning::Choose | Meaning::Clamp | Meaning::Digit => 3,
            Meaning::Abs | Meaning::Not => 1,
            Meaning::Same => operands.len().max(1),
        };
        if operands.len() != count {
            let message = format!(
                "`{}` takes {count} values, not {}",
                excerpt(name),
                operands.len()
            );
            return Err(self.wrong(node, ErrorKind::Arity, message));
        }
        let numbers = |lowering: &Self| -> Result<Vec<Vec<Case>>, Error> {
            operands.iter().map(|x| lowering.number(*x)).collect()
        };
        let cases = match (meaning, operands) {
            (Meaning::Min, _) => {
                self.each(node, &numbers(self)?, |list| Expr::min(list.to_vec()))?
            }
            (Meaning::Max, _) => {
                self.each(node, &numbers(self)?, |list| Expr::max(list.to_vec()))?
            }
            (Meaning::Divide(division), [x, y]) => self.divided(node, *x, *y, division)?,
            (Meaning::Digit, [x, divisor, modulus]) => {
                let quotient = self.divided(node, *x, *divisor, Division::Floor)?;
                self.code_divided(node, quotient, *modulus, Division::Mod)?
            }
            (Meaning::Choose, [condition, x, y]) => return self.chosen(node, *condition, *x, *y),
            (Meaning::Clamp, _) => self.each(node, &numbers(self)?, |list| {
                let below = Expr::max([list[0].clone(), list[1].clone()])?;
                Expr::min([below, list[2].clone()])
            })?,
            (Meaning::Abs, _) => self.each(node, &numbers(self)?, |list| {
                Expr::max([list[0].clone(), list[0].scale(-1)?])
            })?,
            (Meaning::And, [x, y]) => {
                let (x_region, y_region) = (self.truth(*x)?, self.truth(*y)?);
                let region = intersected(&x_region, &y_region, &self.within());
                return Ok(Value::Truth(self.few(region, *x)?));
            }
            (Meaning::Or, [x, y]) => {
                let (x_region, y_region) = (self.truth(*x)?, self.truth(*y)?);
                return Ok(Value::Truth(self.united(x_region, &y_region, *y)?));
            }
            (Meaning::Not, [x]) => {
                let region = self.truth(*x)?;
                return Ok(Value::Truth(
                    self.few(negated(&region, &self.within()), *x)?,
                ));
            }
            (_, [x, ..]) => return self.value(*x),
            (_, []) => return Err(self.wrong(node, ErrorKind::Arity, "a value is missing")),
        };
        Ok(Value::Number(cases))
    }

    pub fn bitwise(&self, node: &Node, name: &str, x: NodeId, y: NodeId) -> Result<Value, Error> {
        if let (Value::Truth(left), Value::Truth(right)) = (self.value(x)?, self.value(y)?) {
            let joint = || self.few(intersected(&left, &right, &self.within()), x);
            return Ok(Value::Truth(match name {
                "&" => joint()?,
                "|" => self.united(left, &right, x)?,
                _ => {
                    let either = self.united(left.clone(), &right, x)?;
                    let not_both = self.few(negated(&joint()?, &self.within()), x)?;
                    self.few(intersected(&either, &not_both, &self.within()), x)?
                }
            }));
        }
        let operation = match name {
            "&" => bits::and,
            "|" => bits::or,
            _ => bits::xor,
        };
        let values = [self.number(x)?, self.number(y)?];
        let cases = self.each_known(node, &values, &|x, y, range| {
            let bits = |value| Bits {
                value,
                range: range(value),
            };
            operation(&bits(x), &bits(y))
        })?;
        Ok(Value::Number(cases))
    }

    pub fn shifted(
        &self,
        node: &Node,
        name: &str,
        x: NodeId,
        y: NodeId,
    ) -> Result<Vec<Case>, Error> {
        let (value, count) = (self.number(x)?, self.number(y)?);
        let count = match &count[..] {
            [only] => only.value.as_constant(),
            _ => None,
        };
        if name == "**" {
            let base = match &value[..] {
                [only] => only.value.as_constant(),
                _ => None,
            };
            let power = base
                .zip(count)
                .and_then(|(base, count)| base.checked_pow(u32::try_from(count).ok()?));
            return power.map(constant).ok_or_else(|| {
                self.wrong(
                    node,
                    ErrorKind::Unsupported,
                    "only powers of integers that fit in 64 bits are read",
                )
            });
        }
        let Some(count) = count.filter(|count| (0..63).contains(count)) else {
            let message = "the number of bits to shift by must be an integer between 0 and 62";
            let error = Error::new(ErrorKind::Unsupported, self.span(y), message);
            return Err(error.hint("`x >> 3` is `x floordiv 8`, `x << 3` is `x * 8`"));
        };
        let factor = 1i64 << count;
        self.each(node, &[value], |list| match name {
            "<<" => list[0].scale(factor),
            _ => list[0].floordiv(factor),
        })
    }

    /// `x / y` that rounds as it says.
    pub fn divided(
        &self,
        node: &Node,
        x: NodeId,
        y: NodeId,
        division: Division,
    ) -> Result<Vec<Case>, Error> {
        self.divide_by(node, self.number(x)?, y, division)
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

    /// A division as the code means it, rounded toward zero or down. If it makes a difference, it is noted.
    pub fn code_divided(
        &mut self,
        node: &Node,
        x: Vec<Case>,
        y: NodeId,
        division: Division,
    ) -> Result<Vec<Case>, Error> {
        if self.truncates {
            return self.truncated(node, x, y, division);
        }
        let is_negative = |case: &Case| self.range(&case.value, &case.limits).lo() < 0;
        if x.iter().any(is_negative) {
            self.rounded.get_or_insert(node.span.clone());
        }
        self.divide_by(node, x, y, division)
    }

    /// `x / y` or `x % y` of C.
    fn truncated(
        &self,
        node: &Node,
        x: Vec<Case>,
        y: NodeId,
        division: Division,
    ) -> Result<Vec<Case>, Error> {
        let values = [x, self.number(y)?];
        self.check_divisor(&values[1], y, false)?;
        self.each_known(node, &values, &|x, y, range| {
            let quotient = truncate(x, y, range(x))?;
            match division {
                Division::Mod if range(x).lo() >= 0 => {
                    let magnitude = y.as_constant().and_then(i64::checked_abs);
                    let divisor = magnitude.map_or_else(|| y.clone(), Expr::constant);
                    Ok(divide(x, &divisor, Division::Mod)?)
                }
                Division::Mod => Ok(x.sub(&product(&quotient, y)?)?),
                _ => Ok(quotient),
            }
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
            Some(_) => Err(
                error("a remainder by a negative number is not defined here")
                    .hint("remainders are defined for divisors of at least 1"),
            ),
            None if never => Err(error("this divisor is never positive")
                .hint("a divisor that is a variable must be at least 1")),
            None => Ok(()),
        }
    }
}

/// Is it, with its prefix, another function: a reduction along an axis, or one with operands in another order?
fn is_other(name: &str, last: &str) -> bool {
    let prefix = name
        .strip_suffix(last)
        .unwrap_or("")
        .trim_end_matches(['.', ':']);
    match last {
        "min" | "max" => !matches!(prefix, "" | "std" | "cutlass" | "cute" | "builtins"),
        "clamp" => prefix.ends_with("lax"),
        "remainder" => matches!(prefix, "" | "std" | "math"),
        _ => false,
    }
}
