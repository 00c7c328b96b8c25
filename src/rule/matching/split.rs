//! How a sum is divided up among variables that have no values: what a rule's `split` means.

use super::choice::constants_of;
use super::pattern::{Core, Summand};
use super::search::{Flow, Goal, Goals, Next, ON, Search, State, without};
use super::{Operator, Terms, integer};
use crate::num;
use crate::rule::{Split, Term};
use crate::sum::Sum;
use smallvec::SmallVec;

impl<'m, T: Terms> Search<'_, 'm, T> {
    /// Only variables are left, none of which has a value.
    pub(super) fn split(
        &mut self,
        summands: &[&'m Summand],
        sum: &Sum<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
        state: &State<'m, T::Atom>,
    ) -> Flow {
        // The one without a factor takes what the others leave.
        let is_plain = |summand: &&Summand| summand.factor == Term::Integer(1);
        let first = summands.iter().position(|one| !is_plain(one)).unwrap_or(0);
        let summand = summands[first];
        let others = without(summands, first);
        let Core::Variable(slot) = &summand.core else {
            return ON;
        };
        for (factor, state) in self.factors(summand, sum, state) {
            let parts = match others.is_empty() {
                true => exact(sum, factor).into_iter().collect(),
                false => self.parts(sum, factor),
            };
            for (part, left) in parts {
                if let Some(state) = self.bound(*slot, &[part], &state) {
                    let goal = Goal::Sum(others.clone(), left);
                    self.solve(Some(&Goals { goal, next }), &state)?;
                }
            }
        }
        ON
    }

    /// Values for the factor of a variable: the one that it has, or what coefficients and divisors suggest.
    fn factors(
        &mut self,
        summand: &'m Summand,
        sum: &Sum<T::Atom>,
        state: &State<'m, T::Atom>,
    ) -> Vec<(i64, State<'m, T::Atom>)> {
        if let Some(factor) = integer(&summand.factor, &state.bindings, self.terms) {
            let is_factor = factor != 0;
            return is_factor
                .then(|| (factor, state.clone()))
                .into_iter()
                .collect();
        }
        let open = constants_of(&summand.factor);
        let is_positive = open.iter().all(|slot| self.matcher.positive.contains(slot));
        let divides = state.pending.iter().find(|(term, _)| {
            let pending = constants_of(term);
            open.iter().any(|slot| pending.contains(slot))
        });
        let numbers = sum.terms().iter().map(|(_, c)| *c).chain([sum.constant]);
        let mut candidates: SmallVec<[i64; 8]> = numbers
            .filter_map(|number| match divides {
                Some((_, whole)) => num::gcd(number, *whole),
                None => number.checked_abs(),
            })
            .filter(|number| *number > 1)
            .collect();
        candidates.sort_unstable_by(|x, y| y.cmp(x));
        candidates.dedup();
        candidates.push(1);
        let mut factors = Vec::new();
        for candidate in candidates {
            for factor in [candidate, -candidate] {
                if factor > 0 || !is_positive {
                    let state = self.resolved(&summand.factor, factor, state);
                    factors.extend(state.map(|state| (factor, state)));
                }
            }
        }
        factors
    }

    /// Ways to write a sum as `factor*x + y`, where `x` is not 0.
    fn parts(
        &mut self,
        sum: &Sum<T::Atom>,
        factor: i64,
    ) -> SmallVec<[(Sum<T::Atom>, Sum<T::Atom>); 4]> {
        const ALL: &[Split] = &[Split::Multiples, Split::OneVariable];
        let splits = match self.matcher.splits.as_slice() {
            [] => ALL,
            splits => splits,
        };
        let mut parts: SmallVec<[(Sum<T::Atom>, Sum<T::Atom>); 4]> = SmallVec::new();
        for split in splits {
            match split {
                Split::Multiples if factor.checked_abs() == Some(1) => {}
                Split::Multiples => parts.extend(
                    sum.split_by(factor, |_, c| if c % factor == 0 { c / factor } else { 0 }),
                ),
                Split::Nearest => {
                    parts.extend(sum.split_by(factor, |_, c| nearest(c, factor)));
                }
                Split::NearestQuotients => {
                    let mut is_quotient = |atom| {
                        let operations = self.terms.operations(atom, Operator::FloorDiv);
                        !operations.is_empty()
                    };
                    let quotients: SmallVec<[T::Atom; 4]> = sum
                        .terms()
                        .iter()
                        .map(|(atom, _)| *atom)
                        .filter(|atom| is_quotient(*atom))
                        .collect();
                    parts.extend(sum.split_by(factor, |atom, c| {
                        if quotients.contains(&atom) {
                            nearest(c, factor)
                        } else {
                            0
                        }
                    }));
                }
                Split::OneVariable => {
                    for &(atom, coefficient) in sum.terms() {
                        let down = num::floordiv(coefficient, factor.abs()) * factor.signum();
                        let exact = coefficient % factor == 0;
                        let ways = if exact { 1 } else { 2 };
                        for times in [Some(down), down.checked_add(factor.signum())]
                            .into_iter()
                            .take(ways)
                            .flatten()
                        {
                            let part = Sum::default().plus_atom(times, atom);
                            let rest = times.checked_mul(factor).and_then(i64::checked_neg);
                            let rest = rest.and_then(|rest| sum.plus_atom(rest, atom));
                            parts.extend(part.zip(rest));
                        }
                    }
                    if sum.constant != 0 && sum.constant % factor == 0 {
                        let part = Sum::constant(sum.constant / factor);
                        parts.push((part, sum.with_constant(0)));
                    }
                }
                Split::Negative => {}
            }
        }
        // Nothing that is split off is no instance.
        parts.retain(|(part, _)| !part.is_zero());
        parts.dedup();
        parts
    }
}

/// `sum / factor`, if that leaves nothing over.
fn exact<A: Copy + Ord>(sum: &Sum<A>, factor: i64) -> Option<(Sum<A>, Sum<A>)> {
    let whole = sum.split_by(factor, |_, c| if c % factor == 0 { c / factor } else { 0 })?;
    whole.1.is_zero().then_some(whole)
}

/// The multiple of `factor` that is nearest to `coefficient`, halves rounded down.
pub fn nearest(coefficient: i64, factor: i64) -> i64 {
    let (coefficient, size) = (i128::from(coefficient), i128::from(factor).abs());
    let rounded = (2 * coefficient + size - 1).div_euclid(2 * size);
    // No larger than the coefficient, so it fits.
    i64::try_from(rounded * i128::from(factor.signum())).unwrap_or(0)
}
