//! Proofs, by values at some points, that a form of one variable needs both of its operations.
//!
//! With one operation, a value of one variable is affine, a floordiv, a ceildiv, a mod, or a min or max with an integer. Points
//! of the domain whose values no operation of one kind can produce rule this kind out; if all kinds are ruled out, no form has
//! fewer than two operations, and no search is needed.

use super::engine::Engine;
use super::linear::AtomId;
use crate::expr::VariableId;
use crate::num;
use crate::num::Interval;
use crate::simplify::saturate::{Form, FormNode};

/// Number of points tried at each end of the range, and between them.
const POINTS: i64 = 8;

impl Engine<'_> {
    /// Returns whether a form is proved to have the fewest operations: `false` if unknown.
    pub(super) fn is_least(&self, form: &Form) -> bool {
        if form.ops != 2 || form.support().count_ones() != 1 || self.store.has_constraints() {
            return false;
        }
        let Some(variable) = only_variable(form) else {
            return false;
        };
        let range = self.store.atom(AtomId(variable.0)).range;
        if !range.is_bounded() || range.is_empty() {
            return false;
        }
        let width = range.hi().saturating_sub(range.lo());
        let step = (width / POINTS).max(1);
        let near = (0..POINTS).flat_map(|i| [i, width.saturating_sub(i)]);
        let between = (1..POINTS).map(|i| i.saturating_mul(step));
        let mut open = Open::default();
        near.chain(between).filter(|shift| (0..=width).contains(shift)).any(|shift| {
            let x = range.lo().saturating_add(shift);
            value(form, x).is_some_and(|value| open.rules_out(x, value))
        })
    }
}

/// Returns the variable of a form that has only one.
fn only_variable(form: &Form) -> Option<VariableId> {
    let same = |known: Option<VariableId>, part: &Form| -> Option<Option<VariableId>> {
        if part.support() == 0 {
            return Some(known);
        }
        let own = only_variable(part)?;
        known.is_none_or(|known| known == own).then_some(Some(own))
    };
    match &form.node {
        FormNode::Constant(_) => None,
        FormNode::Variable(id) => Some(*id),
        FormNode::FloorDiv(part, _) | FormNode::Mod(part, _) => only_variable(part),
        FormNode::Sum(_, parts) => parts.iter().try_fold(None, |id, (_, x)| same(id, x))?,
        FormNode::Product(_) | FormNode::Divided(..) => None,
        FormNode::Min(parts) | FormNode::Max(parts) => {
            parts.iter().try_fold(None, |id, part| same(id, part))?
        }
    }
}

/// Returns the value of a form with one variable; `None` on overflow.
fn value(form: &Form, x: i64) -> Option<i64> {
    match &form.node {
        FormNode::Constant(value) => Some(*value),
        FormNode::Variable(_) => Some(x),
        FormNode::Sum(constant, parts) => parts.iter().try_fold(*constant, |total, (c, part)| {
            total.checked_add(c.checked_mul(value(part, x)?)?)
        }),
        FormNode::FloorDiv(part, c) => Some(num::floordiv(value(part, x)?, *c)),
        FormNode::Mod(part, c) => Some(num::modulo(value(part, x)?, *c)),
        FormNode::Product(_) | FormNode::Divided(..) => None,
        FormNode::Min(parts) | FormNode::Max(parts) => {
            let least = matches!(form.node, FormNode::Min(_));
            let mut values = parts.iter().map(|part| value(part, x));
            let first = values.next()??;
            values.try_fold(first, |best, value| {
                Some(if least { best.min(value?) } else { best.max(value?) })
            })
        }
    }
}

/// The kinds of single operations that the values at the points so far do not rule out.
pub struct Open {
    first: Option<(i64, i64)>,
    second: Option<(i64, i64)>,
    is_affine: bool,
    /// The possible divisors of a floordiv, and of a ceildiv: an interval of integers each.
    divisors: [(i128, i128); 2],
    /// The greatest common divisor of all differences between argument and value, which a modulus divides, and the greatest
    /// value, which a modulus exceeds.
    modulus: Option<(u128, i64)>,
    /// The integer operand of a min or max: the value at points at which it differs from the argument.
    end: Option<i64>,
    has_end: bool,
}

impl Default for Open {
    fn default() -> Open {
        Open {
            first: None,
            second: None,
            is_affine: true,
            divisors: [(1, i128::MAX); 2],
            modulus: Some((0, 0)),
            end: None,
            has_end: true,
        }
    }
}

impl Open {
    /// Returns slope and value at 0, if the points are on a line.
    pub(super) fn line(&self) -> Option<(i64, i64)> {
        let ((x0, v0), (x1, v1)) = (self.first?, self.second?);
        let (run, rise) = (x1.checked_sub(x0)?, v1.checked_sub(v0)?);
        let slope = rise.checked_div(run)?;
        let at_zero = v0.checked_sub(slope.checked_mul(x0)?)?;
        self.is_affine.then_some((slope, at_zero))
    }

    /// Returns the possible divisors of a floordiv.
    pub(super) fn divisor(&self) -> Option<Interval> {
        let [(least, most), _] = self.divisors;
        let (least, most) = (least.max(2), most.min(i64::MAX.into()));
        let ends = i64::try_from(least).ok().zip(i64::try_from(most).ok());
        ends.filter(|(least, most)| least <= most).map(|(least, most)| Interval::new(least, most))
    }

    /// Returns a multiple of the modulus, and the greatest value, which is less.
    pub(super) fn modulus(&self) -> Option<(i64, i64)> {
        let (of, most) = self.modulus?;
        let of = i64::try_from(of).ok()?;
        (of > most).then_some((of, most))
    }

    /// Returns the integer operand of a min or max, if the values allow one.
    pub(super) fn end(&self) -> Option<i64> {
        self.end.filter(|_| self.has_end)
    }

    /// Adds a point; returns whether every kind is ruled out then.
    pub(super) fn rules_out(&mut self, x: i64, value: i64) -> bool {
        match (self.first, self.second) {
            (None, _) => self.first = Some((x, value)),
            (Some(first), None) if first.0 != x => self.second = Some((x, value)),
            (Some((x0, v0)), Some((x1, v1))) => {
                let [x0, v0, x1, v1, x, v] = [x0, v0, x1, v1, x, value].map(i128::from);
                let sides = [(v - v0).checked_mul(x1 - x0), (v1 - v0).checked_mul(x - x0)];
                self.is_affine &= sides[0].is_none() || sides[0] == sides[1];
            }
            _ => {}
        }
        for (sign, divisors) in [1, -1].into_iter().zip(&mut self.divisors) {
            narrow(divisors, sign * i128::from(x), sign * i128::from(value));
        }
        self.modulus = self.modulus.filter(|_| value >= 0).map(|(of, most)| {
            let difference = (i128::from(x) - i128::from(value)).unsigned_abs();
            (num::gcd_wide(of, difference), most.max(value))
        });
        if value != x {
            self.has_end &= self.end.is_none_or(|end| end == value);
            self.end = Some(value);
        }
        let is_modulus = |(of, most): (u128, i64)| of == 0 || of > u128::from(most.unsigned_abs());
        !self.is_affine
            && !self.has_end
            && self.divisors.iter().all(|(least, most)| least > most)
            && !self.modulus.is_some_and(is_modulus)
    }
}

/// Keeps the divisors `c` with `x floordiv c = value`, that is, `value*c <= x` and `(value + 1)*c >= x + 1`.
fn narrow((least, most): &mut (i128, i128), x: i128, value: i128) {
    for (factor, bound) in [(value, x), (-(value + 1), -(x + 1))] {
        match factor {
            0 if bound < 0 => *most = 0,
            0 => {}
            1.. => *most = (*most).min(bound.div_euclid(factor)),
            _ => *least = (*least).max(-bound.div_euclid(-factor)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of any single operation is not ruled out by its values at all points of a range.
    #[test]
    fn values_of_one_operation_are_not_ruled_out() {
        let mut values: Vec<Box<dyn Fn(i64) -> i64>> = Vec::new();
        for c in 1..9 {
            values.push(Box::new(move |x| num::floordiv(x, c)));
            values.push(Box::new(move |x| num::ceildiv(x, c)));
            values.push(Box::new(move |x| num::modulo(x, c)));
        }
        for c in -9..9 {
            values.push(Box::new(move |x| x * c));
            values.push(Box::new(move |x| x + c));
            values.push(Box::new(move |x| c - x));
            values.push(Box::new(move |x| x.min(c)));
            values.push(Box::new(move |x| x.max(c)));
        }
        for value in values {
            let mut open = Open::default();
            assert!((-20..20).all(|x| !open.rules_out(x, value(x))));
        }
    }

    #[test]
    fn values_of_two_operations_are_ruled_out() {
        let values: [fn(i64) -> i64; 4] = [
            |x| num::modulo(num::floordiv(x, 7), 2),
            |x| num::modulo(x, 7) + 1,
            |x| num::floordiv(x + 3, 2) * 2,
            |x| num::modulo(x, 3).min(1),
        ];
        for value in values {
            let mut open = Open::default();
            assert!((0..20).any(|x| open.rules_out(x, value(x))));
        }
    }
}
