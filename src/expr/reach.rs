//! The largest number that evaluating an expression meets: whether it fits in 32 bits, and which of two expressions
//! needs fewer.

use super::{Divisor, Expr, ExprKind, VariableId, interval_by_operands};
use crate::num::Interval;
use rustc_hash::FxHashMap;

/// Returns the [`Interval::reach`] of all numbers of some expressions: values of every part, products by a coefficient,
/// constants and divisors. Partial sums are left out: wrapping arithmetic of a width that holds the rest gives the same
/// sums.
pub fn reach<'e>(
    exprs: impl IntoIterator<Item = &'e Expr>,
    bounds: &dyn Fn(VariableId) -> Interval,
) -> u64 {
    let mut known = FxHashMap::default();
    let reaches = exprs.into_iter().map(|expr| part(expr, bounds, &mut known).1);
    reaches.fold(0, u64::max)
}

/// The interval of a part and the reach of all numbers in it; parts may be shared.
fn part(
    expr: &Expr,
    bounds: &dyn Fn(VariableId) -> Interval,
    known: &mut FxHashMap<Expr, (Interval, u64)>,
) -> (Interval, u64) {
    if let Some(known) = known.get(expr) {
        return *known;
    }
    let mut widest = 0;
    let interval = interval_by_operands(expr, bounds, |operand| {
        let (interval, reach) = part(operand, bounds, known);
        widest = widest.max(reach);
        interval
    });
    let own = match expr.kind() {
        ExprKind::Sum(sum) => {
            let scaled =
                |(c, x): &(i64, Expr)| part(x, bounds, known).0.scale(*c).reach().max(number(*c));
            sum.terms().iter().map(scaled).fold(number(sum.constant()), u64::max)
        }
        ExprKind::FloorDiv(_, Divisor::Integer(c))
        | ExprKind::CeilDiv(_, Divisor::Integer(c))
        | ExprKind::Mod(_, Divisor::Integer(c)) => number(*c),
        _ => 0,
    };
    let found = (interval, widest.max(own).max(interval.reach()));
    known.insert(expr.clone(), found);
    found
}

fn number(value: i64) -> u64 {
    Interval::point(value).reach()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_number_counts_wherever_it_is() -> Result<(), super::super::ExprError> {
        let x = || Expr::variable(VariableId(0));
        let of = |expr: &Expr| reach([expr], &|_| Interval::new(0, 9));
        assert_eq!(of(&x()), 9);
        assert_eq!(of(&x().floordiv(1_000)?), 1_000); // a divisor
        assert_eq!(of(&x().scale(100)?.floordiv(1_000)?), 1_000);
        assert_eq!(of(&x().scale(-100)?), 899); // -900 fits where 899 does
        assert_eq!(of(&x().scale(100)?.modulo(7)?), 900); // below the root
        let sum = x().scale(50)?.add(&x().floordiv(2)?.scale(-50)?)?;
        assert_eq!(of(&sum), 450);
        assert_eq!(reach([&x()], &|_| Interval::ALL), i64::MAX as u64);
        Ok(())
    }
}
