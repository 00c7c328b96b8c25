//! The digit view of a sum: remainders recombined from its quotients.
//!
//! Laws (`digit`, `digit-chain`): `x == c * (x floordiv c) + x mod c`. For the quotients of a sum
//! that share a numerator `x`, with divisors `b | c | ..`, the terms `k * x` (or `k * (x floordiv b)`)
//! are rewritten from the smallest divisor up, so that what remains is a shorter sum and a list of
//! remainders whose ranges are known. The interval of the view is tighter than the interval of
//! the sum, because a quotient and its numerator are no longer ranged apart. The replayer and the prover, which judge what
//! comes of it, gather remainders in their own ways.

use super::linear::{AtomId, Linear};
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
    /// no quotient of the sum recombines.
    pub fn of<'a>(
        sum: &Linear,
        quotient: impl Fn(AtomId) -> Option<(&'a Linear, i64)>,
    ) -> DigitView {
        let mut view = DigitView {
            rest: sum.clone(),
            digits: SmallVec::new(),
        };
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
            let finer = quotients[..position]
                .iter()
                .rev()
                .find(|(finer, candidate)| {
                    divisor % finer == 0
                        && *finer < divisor
                        && quotient(*candidate).is_some_and(|(other, _)| other == numerator)
                });
            // The dividend, the modulus, and the coefficient in the sum.
            let (of, modulus, coefficient) = match finer {
                Some((finer, parent)) => (
                    Linear::atom(*parent),
                    divisor / finer,
                    view.rest.coefficient(*parent),
                ),
                None => (
                    numerator.clone(),
                    divisor,
                    multiplicity(&view.rest, numerator),
                ),
            };
            if coefficient == 0 {
                continue;
            }
            let peeled = coefficient
                .checked_neg()
                .and_then(|minus| view.rest.plus(minus, &of));
            let peeled =
                peeled.and_then(|rest| rest.plus_atom(coefficient.checked_mul(modulus)?, atom));
            if let Some(rest) = peeled {
                view.rest = rest;
                view.digits.push(Digit {
                    coefficient,
                    of,
                    modulus,
                });
            }
        }
        view
    }
}

/// The k such that every term of `part` occurs k times in `sum`; 0 if there is none.
fn multiplicity(sum: &Linear, part: &Linear) -> i64 {
    let Some((first, coefficient)) = part.terms().first() else {
        return 0;
    };
    let in_sum = sum.coefficient(*first);
    if in_sum == 0 || in_sum % coefficient != 0 {
        return 0;
    }
    let times = in_sum / coefficient;
    let all = part
        .terms()
        .iter()
        .all(|(atom, c)| c.checked_mul(times) == Some(sum.coefficient(*atom)));
    if all { times } else { 0 }
}
