//! The digit view of a sum: remainders recombined from its quotients.
//!
//! Laws (`digit`, `digit-chain`): `x == c * (x floordiv c) + x mod c`. For the quotients of a sum that share a numerator `x`,
//! with divisors `b | c | ..`, the terms `k * x` (or `k * (x floordiv b)`) are rewritten from the smallest divisor up, so that a
//! shorter sum remains, with a list of remainders whose ranges are known. The interval of the view is tighter than the interval
//! of the sum, because a quotient and its numerator are no longer treated as independent. The replayer and the prover, which
//! judge the results, gather remainders in their own ways.

use super::linear::{AtomId, Linear};
use crate::num;
use smallvec::SmallVec;

/// `coefficient * (of mod modulus)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Digit {
    /// Coefficient of the remainder.
    pub coefficient: i64,
    pub of: Linear,
    /// The modulus, at least 2.
    pub modulus: i64,
}

/// `rest + digits`, equal to the original sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DigitView {
    /// The summands that are not remainders.
    pub rest: Linear,
    pub digits: SmallVec<[Digit; 2]>,
}

impl DigitView {
    /// Builds the digit view of `sum`; `quotient` returns numerator and divisor of an atom. The view has no digits if
    /// no quotient of the sum recombines. By class, the terms of the sum may differ from the numerator by a
    /// multiple of the divisor.
    pub fn of<'a>(
        sum: &Linear,
        quotient: impl Fn(AtomId) -> Option<(&'a Linear, i64)>,
        by_class: bool,
    ) -> DigitView {
        let mut view = DigitView { rest: sum.clone(), digits: SmallVec::new() };
        let mut quotients: SmallVec<[(i64, AtomId); 6]> = sum
            .terms()
            .iter()
            .filter_map(|(atom, _)| quotient(*atom).map(|(_, divisor)| (divisor, *atom)))
            .collect();
        quotients.sort_unstable();
        for (position, &(divisor, atom)) in quotients.iter().enumerate() {
            let Some((numerator, _)) = quotient(atom) else {
                continue;
            };
            let finer = quotients[..position].iter().rev().find(|(finer, candidate)| {
                let other = quotient(*candidate).map(|(other, _)| other);
                divisor % finer == 0
                    && *finer < divisor
                    && other.is_some_and(|other| {
                        numerator == other || by_class && numerator.is_congruent(other, *finer)
                    })
            });
            // The dividend, its quotient by the modulus, and the coefficient in the sum.
            let found = match finer {
                Some((finer, parent)) => quotient(*parent).and_then(|(other, _)| {
                    let apart = numerator.plus(-1, other)?.divided(*finer)?;
                    let of = apart.plus_atom(1, *parent)?;
                    let coefficient = view.rest.coefficient(*parent);
                    Some((of, Linear::atom(atom), divisor / finer, coefficient))
                }),
                None => {
                    let class = of_class(&view.rest, numerator, divisor, by_class);
                    class.and_then(|(coefficient, apart)| {
                        let of = numerator.plus(divisor, &apart)?;
                        Some((of, apart.plus_atom(1, atom)?, divisor, coefficient))
                    })
                }
            };
            let Some((of, by, modulus, coefficient)) = found else {
                continue;
            };
            if coefficient == 0 {
                continue;
            }
            let peeled = coefficient.checked_neg().and_then(|minus| view.rest.plus(minus, &of));
            let peeled = peeled.and_then(|rest| rest.plus(coefficient.checked_mul(modulus)?, &by));
            if let Some(rest) = peeled {
                view.rest = rest;
                view.digits.push(Digit { coefficient, of, modulus });
            }
        }
        view
    }
}

/// Returns the k and the sum x such that every term of `part + modulus*x` with an atom of `part` occurs k times in `sum`; x is 0
/// unless numerators are compared by class.
fn of_class(sum: &Linear, part: &Linear, modulus: i64, by_class: bool) -> Option<(i64, Linear)> {
    let (first, coefficient) = part.terms().first()?;
    let in_sum = sum.coefficient(*first);
    if in_sum == 0 {
        return None;
    }
    let times = |k: i64| -> Option<Linear> {
        let mut apart = Linear::constant(0);
        for &(atom, c) in part.terms() {
            let in_sum = sum.coefficient(atom);
            if in_sum.checked_rem(k)? != 0 {
                return None;
            }
            let left = (in_sum / k).checked_sub(c)?;
            if left % modulus != 0 {
                return None;
            }
            apart = apart.plus_atom(left / modulus, atom)?;
        }
        Some(apart)
    };
    if in_sum.checked_rem(*coefficient) == Some(0)
        && let Some(apart) = times(in_sum / coefficient)
        && apart.is_zero()
    {
        return Some((in_sum / coefficient, apart));
    }
    if !by_class {
        return None;
    }
    let terms = part.terms().iter();
    let common = terms.fold(0, |known, (atom, _)| {
        num::gcd_wide(known, sum.coefficient(*atom).unsigned_abs().into())
    });
    let common = i64::try_from(common).ok();
    let common = common.filter(|k| *k != 0)?;
    [common, -common].into_iter().find_map(|k| Some((k, times(k)?)))
}
