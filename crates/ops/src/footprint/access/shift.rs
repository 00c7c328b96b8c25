//! When a variable shifts the value of an expression uniformly.
//!
//! Law: `e(v + period) = e(v) + by` at all integer points. By induction: for a sum the shifts add up; for `x floordiv
//! c` and `x mod c`, where `x` shifts by a multiple of `c`, the quotient shifts by that multiple divided by `c` and the
//! remainder is unchanged; min and max shift with their operands if these shift alike.

use affinor::expr::{Divisor, Expr, ExprKind, VariableId};
use affinor::num;
use rustc_hash::FxHashMap;

/// `e(v + period) = e(v) + by`; the period is at least 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shift {
    pub(super) period: i64,
    pub(super) by: i64,
}

impl Shift {
    /// Returns the shift after this many periods.
    fn times(self, count: i64) -> Option<Shift> {
        Some(Shift { period: self.period.checked_mul(count)?, by: self.by.checked_mul(count)? })
    }

    /// Returns the least shift by a multiple of `unit`, which is at least 1.
    pub(super) fn by_multiple_of(self, unit: i64) -> Option<Shift> {
        self.times(unit / num::gcd(self.by, unit)?)
    }
}

/// Returns the shift of `expr` with the variable `id`; `None` if it is unknown, or beyond 64 bits.
pub(super) fn shift(expr: &Expr, id: VariableId) -> Option<Shift> {
    shift_of(expr, id, &mut FxHashMap::default())
}

fn shift_of(
    expr: &Expr,
    id: VariableId,
    known: &mut FxHashMap<Expr, Option<Shift>>,
) -> Option<Shift> {
    if let Some(found) = known.get(expr) {
        return *found;
    }
    let found = match expr.kind() {
        ExprKind::Constant(_) => Some(Shift { period: 1, by: 0 }),
        ExprKind::Variable(variable) => Some(Shift { period: 1, by: i64::from(*variable == id) }),
        ExprKind::Sum(sum) => sum_of(sum.terms(), id, known),
        ExprKind::FloorDiv(x, Divisor::Integer(c)) | ExprKind::CeilDiv(x, Divisor::Integer(c)) => {
            let whole = shift_of(x, id, known).and_then(|shift| shift.by_multiple_of(*c));
            whole.map(|shift| Shift { by: shift.by / c, ..shift })
        }
        ExprKind::Mod(x, Divisor::Integer(c)) => {
            let whole = shift_of(x, id, known).and_then(|shift| shift.by_multiple_of(*c));
            whole.map(|shift| Shift { by: 0, ..shift })
        }
        ExprKind::Product(_)
        | ExprKind::FloorDiv(..)
        | ExprKind::CeilDiv(..)
        | ExprKind::Mod(..) => None,
        ExprKind::Min(list) | ExprKind::Max(list) => {
            let moved = together(list.iter(), id, known);
            moved.and_then(|shifts| {
                let first = *shifts.first()?;
                shifts.iter().all(|shift| *shift == first).then_some(first)
            })
        }
    };
    known.insert(expr.clone(), found);
    found
}

fn sum_of(
    terms: &[(i64, Expr)],
    id: VariableId,
    known: &mut FxHashMap<Expr, Option<Shift>>,
) -> Option<Shift> {
    let shifts = together(terms.iter().map(|(_, term)| term), id, known)?;
    let mut total = Shift { period: shifts.first().map_or(1, |shift| shift.period), by: 0 };
    for ((coefficient, _), shift) in terms.iter().zip(shifts) {
        total.by = total.by.checked_add(coefficient.checked_mul(shift.by)?)?;
    }
    Some(total)
}

/// Returns the shifts of some expressions, with a common period.
fn together<'e>(
    exprs: impl Iterator<Item = &'e Expr>,
    id: VariableId,
    known: &mut FxHashMap<Expr, Option<Shift>>,
) -> Option<Vec<Shift>> {
    let shifts = exprs.map(|expr| shift_of(expr, id, known));
    let shifts: Vec<Shift> = shifts.collect::<Option<_>>()?;
    let mut periods = shifts.iter().map(|shift| shift.period);
    let period = periods.try_fold(1, num::lcm)?;
    let stretched = shifts.iter().map(|shift| shift.times(period / shift.period));
    stretched.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor::text::parse_map;

    #[track_caller]
    fn check(expr: &str, expected: Option<(i64, i64)>) {
        let map = parse_map(&format!("affine_map<(x, y) -> ({expr})>")).expect("a map");
        let found = shift(&map.results()[0], VariableId(0));
        assert_eq!(found.map(|shift| (shift.period, shift.by)), expected);
        let Some((period, by)) = expected else { return };
        for x in -40..40 {
            for y in -5..5 {
                let value = |x| map.results()[0].eval(&[x, y]).expect("small numbers");
                assert_eq!(value(x + period), value(x) + by, "{expr} at {x}, {y}");
            }
        }
    }

    #[test]
    fn a_shift_moves_the_value_evenly() {
        check("y * 3 + 7", Some((1, 0)));
        check("x * 3 + y", Some((1, 3)));
        check("(x * 6 + y) floordiv 4", Some((2, 3)));
        check("(x * 6 + y) mod 4 + x", Some((2, 2)));
        check("(x * -6 + y) ceildiv 4", Some((2, -3)));
        check("(x + y) floordiv 3 * 5 + (x + y) mod 2", Some((6, 10)));
        check("((x + y) mod 12) floordiv 5", Some((12, 0)));
        check("min(x, x + y)", Some((1, 1)));
        check("max(x mod 3, y)", Some((3, 0)));
    }

    #[test]
    fn what_moves_unevenly_has_none() {
        check("min(x, y)", None);
        check("max(x * 2, x)", None);
        check("x * 9223372036854775807 + (x mod 2) floordiv 3", None);
    }
}
