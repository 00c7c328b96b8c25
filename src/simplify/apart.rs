//! Takes a sum apart into summands that share no variable: each is simplified on its own, in a fraction of the time.
//!
//! Law: the parts add up to the sum. Nothing is taken apart that a constraint, a stated remainder, or a size with a name could
//! relate, nor under rules of a session, whose left sides may need the whole.

use super::engine::Engine;
use super::linear::Linear;
use super::store::Store;
use crate::expr::{Expr, ExprKind};
use smallvec::SmallVec;

/// The variables of the parts, one bit each (modulo 64).
struct Parts {
    /// Those of each part with an operation.
    operating: SmallVec<[u64; 4]>,
    /// Those that occur in no operation.
    rest: u64,
}

impl Parts {
    /// Groups the terms of a sum, each given by its variables and whether it is an operation; `None` if there is only one group.
    /// The constant can go with one part only.
    fn of(terms: impl Iterator<Item = (u64, bool)>, has_constant: bool) -> Option<Parts> {
        let mut groups: SmallVec<[(u64, bool); 8]> = SmallVec::new();
        for (mut support, mut operates) in terms {
            groups.retain(|(known, known_operates)| {
                let is_joined = *known & support != 0;
                if is_joined {
                    support |= *known;
                    operates |= *known_operates;
                }
                !is_joined
            });
            groups.push((support, operates));
        }
        let all = |wanted| groups.iter().filter(move |(_, operates)| *operates == wanted);
        let operating: SmallVec<[u64; 4]> = all(true).map(|(support, _)| *support).collect();
        let rest = all(false).fold(0, |rest, (support, _)| rest | support);
        let most = if has_constant { 1 } else { groups.len() };
        let is_apart = groups.len() > 1 && (1..=most).contains(&operating.len());
        is_apart.then_some(Parts { operating, rest })
    }
}

impl Store {
    fn is_related(&self) -> bool {
        self.has_constraints() || self.names.is_some() || !self.strides.is_empty()
    }

    /// Returns the parts of a sum that share no variable; `None` if there is only one. The constant is in the first.
    pub(super) fn apart(&self, sum: &Linear) -> Option<SmallVec<[Linear; 4]>> {
        if self.is_related() {
            return None;
        }
        let terms = sum.terms().iter().map(|(atom, _)| self.atom(*atom));
        let terms = terms.map(|atom| (atom.support, atom.definition.operator().is_some()));
        let Parts { operating, rest } = Parts::of(terms, sum.constant != 0)?;
        let mut constant = sum.constant;
        let parts = operating.into_iter().chain((rest != 0).then_some(rest)).map(|part| {
            let terms = sum.terms().iter().copied();
            let own = terms.filter(|(atom, _)| self.atom(*atom).support & part != 0);
            Linear::of_sorted(std::mem::take(&mut constant), own)
        });
        Some(parts.collect())
    }
}

impl Engine<'_> {
    /// Returns the parts of an expression that share no variable; `None` if there is only one.
    pub(super) fn parts_of(&self, expr: &Expr) -> Option<Vec<Expr>> {
        let ExprKind::Sum(sum) = expr.kind() else { return None };
        if self.rules.has_own() || self.store.is_related() {
            return None;
        }
        let support = |x: &Expr| x.variables().iter().fold(0, |all, id| all | 1 << (id.0 % 64));
        let supports: Vec<u64> = sum.terms().iter().map(|(_, x)| support(x)).collect();
        let operates = sum.terms().iter().map(|(_, x)| x.as_variable().is_none());
        let terms = supports.iter().copied().zip(operates);
        let Parts { operating, rest } = Parts::of(terms, sum.constant() != 0)?;
        let mut constant = sum.constant();
        let parts = operating.into_iter().chain((rest != 0).then_some(rest)).map(|part| {
            let terms = sum.terms().iter().zip(&supports);
            let own = terms.filter(|(_, support)| **support & part != 0);
            Expr::sum(std::mem::take(&mut constant), own.map(|((c, x), _)| (*c, x.clone()))).ok()
        });
        parts.collect()
    }
}

/// A sum that is put together again from its parts.
#[derive(Default)]
pub struct Whole {
    constant: i64,
    terms: Vec<(i64, Expr)>,
}

impl Whole {
    /// Adds `factor * expr`, without sums inside of the sum, so that factors of all parts are shared; `None` on overflow.
    pub fn plus(mut self, factor: i64, expr: &Expr) -> Option<Whole> {
        self.add(factor, expr).map(|()| self)
    }

    fn add(&mut self, factor: i64, expr: &Expr) -> Option<()> {
        let times = |value: i64| factor.checked_mul(value);
        match expr.kind() {
            ExprKind::Constant(value) => {
                self.constant = self.constant.checked_add(times(*value)?)?;
            }
            ExprKind::Sum(sum) => {
                self.constant = self.constant.checked_add(times(sum.constant())?)?;
                for (c, x) in sum.terms() {
                    self.add(times(*c)?, x)?;
                }
            }
            _ => self.terms.push((factor, expr.clone())),
        }
        Some(())
    }

    /// Returns the sum, written with the fewest operations; `None` on overflow.
    pub fn written(self) -> Option<Expr> {
        crate::simplify::saturate::written_sum(self.constant, self.terms).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(terms: &[(u64, bool)], has_constant: bool, expected: Option<(&[u64], u64)>) {
        let parts = Parts::of(terms.iter().copied(), has_constant);
        let parts = parts.as_ref().map(|parts| (parts.operating.as_slice(), parts.rest));
        assert_eq!(parts, expected, "{terms:?}");
    }

    #[test]
    fn terms_without_a_common_variable_are_apart() {
        check(&[(1, false), (2, true)], true, Some((&[2], 1)));
        check(&[(1, true), (2, true), (4, false)], false, Some((&[1, 2], 4)));
        check(&[(1, true), (2, true), (1, false)], false, Some((&[2, 1], 0)));
        check(&[(1, true), (4, true), (6, false), (8, false)], false, Some((&[1, 6], 8)));
    }

    #[test]
    fn other_terms_stay_together() {
        check(&[(1, true), (2, true)], true, None);
        check(&[(1, false), (2, false)], false, None);
        check(&[(1, true), (1, false)], false, None);
        check(&[(1, true), (2, true), (3, false)], false, None);
        check(&[(3, true)], false, None);
        check(&[], true, None);
    }
}
