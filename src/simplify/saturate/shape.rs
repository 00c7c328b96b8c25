//! The way to write a sum with the fewest operations.
//!
//! Equal coefficients share a multiplication, and a sign next to a positive term is free. A sum of negative terms only is
//! rewritten if that saves the negation.

use crate::expr::{Expr, ExprError, ExprKind};
use smallvec::SmallVec;

/// The distinct magnitudes of coefficients, other than 1.
type Factors = SmallVec<[u64; 8]>;

/// The way to avoid the negation of a sum without a positive term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Negative {
    /// `-18*x - 6*y` is `(3*x + y) * -6`.
    Common(u64),
    /// `-12*x - 11*y` is `y - 12*(x + y)`, for a variable `y`, which is written twice.
    Near(u64),
}

/// Counts the operations of a flat sum, excluding those of its parts: each part has a coefficient, and is a variable or not.
pub fn sum_operations(constant: i64, terms: impl Iterator<Item = (i64, bool)> + Clone) -> u32 {
    let mut summands = u32::from(constant != 0);
    let mut positive = constant > 0;
    let mut factors = Factors::new();
    let mut groups = u32::from(constant != 0);
    for (coefficient, _) in terms.clone() {
        summands += 1;
        positive |= coefficient > 0;
        let factor = coefficient.unsigned_abs();
        if factor == 1 {
            groups += 1;
        } else if !factors.contains(&factor) {
            factors.push(factor);
            groups += 1;
        }
    }
    if summands == 0 {
        return 0;
    }
    let is_free = positive
        || groups == 1 && factors.len() == 1
        || factors.len() > 1 && negative(constant, terms, &factors).is_some();
    summands - 1 + factors.len() as u32 + u32::from(!is_free)
}

/// Returns how to write a sum of negative terms with two or more factors without a negation.
fn negative(
    constant: i64,
    terms: impl Iterator<Item = (i64, bool)> + Clone,
    factors: &[u64],
) -> Option<Negative> {
    let least = *factors.iter().min()?;
    let mut numbers = terms.clone().map(|(c, _)| c).chain([constant]);
    if numbers.all(|number| number.unsigned_abs() % least == 0) {
        return Some(Negative::Common(least));
    }
    let is_single = |factor: u64| {
        let mut same = terms.clone().filter(|(c, _)| c.unsigned_abs() == factor);
        same.next().is_some_and(|(_, is_variable)| is_variable) && same.next().is_none()
    };
    let mut near = factors.iter().filter(|factor| **factor > 2 && is_single(**factor - 1));
    near.next().map(|factor| Negative::Near(*factor))
}

fn measured((coefficient, part): &(i64, Expr)) -> (i64, bool) {
    (*coefficient, matches!(part.kind(), ExprKind::Variable(_)))
}

/// Builds a sum as [`sum_operations`] counts it.
///
/// # Errors
/// If a coefficient overflows or the sum is too large.
pub fn written_sum(constant: i64, mut terms: Vec<(i64, Expr)>) -> Result<Expr, ExprError> {
    let mut factors: Factors = terms.iter().map(|(c, _)| c.unsigned_abs()).collect();
    factors.sort_unstable();
    factors.dedup();
    let many: Factors = factors.iter().copied().filter(|factor| *factor > 1).collect();
    let is_negative = constant <= 0 && terms.iter().all(|(c, _)| *c < 0);
    if is_negative && many.len() > 1 {
        match negative(constant, terms.iter().map(measured), &many) {
            Some(Negative::Common(factor)) => {
                // A factor of 2^63 is the only one of its sum, so this factor fits.
                let factor = i64::try_from(factor).map_err(|_| ExprError::Overflow)?;
                let inner = terms.into_iter().map(|(c, part)| (-(c / factor), part));
                let inner = written_sum(-(constant / factor), inner.collect())?;
                return Expr::sum(0, [(-factor, inner)]);
            }
            Some(Negative::Near(factor)) => {
                let place = terms.iter().position(|(c, _)| c.unsigned_abs() == factor - 1);
                if let Some((c, part)) = place.map(|place| &mut terms[place]) {
                    *c -= 1;
                    let alone = part.clone();
                    terms.push((1, alone));
                }
                factors.retain(|known| *known != factor - 1);
                if !factors.contains(&1) {
                    factors.insert(0, 1);
                }
            }
            None => {}
        }
    }
    let mut grouped = Vec::new();
    for factor in factors {
        let mut group: Vec<(i64, Expr)> = Vec::new();
        for (c, part) in &terms {
            if c.unsigned_abs() == factor {
                group.push((*c, part.clone()));
            }
        }
        match group.as_slice() {
            [_] => grouped.append(&mut group),
            _ if factor == 1 => grouped.append(&mut group),
            _ => {
                // factor * (x - y): the factor is negative if every sign is.
                let sign = if group.iter().all(|(c, _)| *c < 0) { -1 } else { 1 };
                let inner = group.into_iter().map(|(c, part)| (c.signum() * sign, part));
                // 2^63 is the magnitude of a negative coefficient only, so all signs are negative.
                let factor = i128::from(factor) * i128::from(sign);
                let factor = i64::try_from(factor).map_err(|_| ExprError::Overflow)?;
                grouped.push((factor, Expr::sum(0, inner.collect::<Vec<_>>())?));
            }
        }
    }
    Expr::sum(constant, grouped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::VariableId;

    /// The counted number of operations is that of the written sum.
    #[test]
    fn operations_are_those_of_the_written_sum() {
        let mut state = 0x5EED_u64;
        let mut number = |count: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % count
        };
        for _ in 0..20_000 {
            let (most, is_negative) = ([3, 7, 13, 40][number(4) as usize], number(2) == 0);
            let mut coefficient = || match number(2 * most + 1) as i64 - most as i64 {
                c if is_negative => -c.abs(),
                c => c,
            };
            let constant = coefficient();
            let mut terms: Vec<(i64, Expr)> =
                (0..5).map(|at| (coefficient(), Expr::variable(VariableId(at)))).collect();
            for (_, part) in terms.iter_mut().filter(|_| number(2) == 0) {
                *part = part.modulo(6).expect("a positive divisor");
            }
            terms.retain(|(c, _)| *c != 0);
            let parts: u64 = terms.iter().map(|(_, part)| part.cost().ops).sum();
            let given = format!("{constant} {terms:?}");
            let operations = sum_operations(constant, terms.iter().map(measured));
            let points = [[1, 0, 0, 0, 0], [3, -7, 11, 19, -2], [101, 57, -13, 7, 29]];
            let value = |point: &[i64]| {
                let terms = terms.iter().map(|(c, x)| c * x.eval(point).expect("a variable"));
                constant + terms.sum::<i64>()
            };
            let values = points.map(|point| value(&point));
            let written = written_sum(constant, terms).expect("small numbers");
            assert_eq!(written.cost().ops, parts + u64::from(operations), "{given}");
            assert_eq!(
                points.map(|point| written.eval(&point).expect("small numbers")),
                values,
                "{given}"
            );
        }
    }
}
