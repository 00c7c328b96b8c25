//! Bounds of sums in terms of named sizes: from bounds of variables in terms of parameters, and facts about these.
//!
//! Each bound is proved only on demand, and only if the sample points leave it open.

use super::linear::{AtomId, Linear, SumId};
use super::store::{Definition, Store};
use crate::num::polynomial::Polynomial;
use crate::num::sign::{self, Atoms, Bounded};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum, floordiv};
use crate::rule::matching::Number;
use std::rc::Rc;

/// A sum with a value beyond this at a sample point is assumed to be unbounded: sizes are larger there.
const FAR: i64 = 1_000;

/// Returns whether a bound of an interval is as tight as possible: it is attained at a sample point, or a sample value exceeds
/// [`FAR`], so that the sum is unbounded for larger sizes.
fn is_near(range: Interval, upper: bool, seen: Option<i64>) -> bool {
    seen.is_some_and(|seen| match upper {
        false => seen == range.lo() || seen < -FAR,
        true => seen == range.hi() || seen > FAR,
    })
}

impl Atoms for Store {
    type Atom = AtomId;

    fn bounded(&self, atom: AtomId) -> Rc<Bounded<AtomId>> {
        let Some(names) = &self.names else {
            return Rc::new(Bounded::Between(None, None));
        };
        if let Some(known) = names.bounded.borrow().get(&atom) {
            return known.clone();
        }
        let bounded = Rc::new(self.bounds_of(atom));
        names.bounded.borrow_mut().insert(atom, bounded.clone());
        bounded
    }

    fn interval(&self, atom: AtomId) -> Interval {
        self.atom(atom).range
    }

    fn is_of_parameters(&self, atom: AtomId) -> bool {
        self.atom(atom).of_parameters
    }

    fn facts(&self) -> &[Polynomial<AtomId>] {
        self.names.as_ref().map_or(&[], |names| &names.facts)
    }

    fn may_be_natural(&self, of: &Polynomial<AtomId>) -> bool {
        let samples = &self.samples;
        let mut values = samples.values(|point| {
            let mut total = i128::from(of.constant);
            for (monomial, c) in of.terms() {
                let product = samples.product(&monomial.0, point)?;
                total += i128::from(*c) * i128::from(product);
            }
            i64::try_from(total).ok()
        });
        values.all(|value| value >= 0)
    }
}

impl Store {
    fn bounds_of(&self, atom: AtomId) -> Bounded<AtomId> {
        let list = |list: &[Linear]| list.iter().map(|x| self.polynomial(x)).collect();
        match &self.atom(atom).definition {
            Definition::Variable(_) => {
                let ends = self.names.as_ref().and_then(|names| names.ends.get(&atom));
                match ends {
                    Some([lo, hi]) => Bounded::Between(lo.clone(), hi.clone()),
                    None if self.atom(atom).of_parameters => Bounded::Parameter,
                    None => Bounded::Between(None, None),
                }
            }
            Definition::Quotient(x, divisor) => {
                let divisor = match divisor {
                    Number::Integer(value) => Sum::constant(*value),
                    Number::Named(name) => self.polynomial(self.sum(SumId(name.0))),
                };
                Bounded::Quotient(self.polynomial(x), divisor)
            }
            Definition::Least(operands) => Bounded::Chosen(true, list(operands)),
            Definition::Greatest(operands) => Bounded::Chosen(false, list(operands)),
            Definition::Product(_) => Bounded::Between(None, None), // never a factor of a monomial
        }
    }

    /// Returns the part of an interval that the bounds of variables in terms of parameters leave for a sum.
    pub(super) fn range_by_names(&mut self, id: SumId, known: Interval) -> Interval {
        let lo = self.end_by_names(id, known, false);
        let hi = self.end_by_names(id, known, true);
        known.intersect(Interval::new(lo, hi))
    }

    /// Returns the lower or the upper bound of a sum. A bound that is attained at a sample point is tight.
    fn end_by_names(&mut self, id: SumId, known: Interval, upper: bool) -> i64 {
        if let Some(end) = self.ends_of(id)[usize::from(upper)] {
            return end;
        }
        let end = self.better_end(&self.sum(id).clone(), known, upper);
        self.ends_of(id)[usize::from(upper)] = Some(end);
        end
    }

    fn better_end(&self, sum: &Linear, known: Interval, upper: bool) -> i64 {
        let end = if upper { known.hi() } else { known.lo() };
        if is_near(known, upper, self.seen(sum, upper)) {
            return end;
        }
        let of = self.polynomial(sum);
        if !upper {
            return end.max(sign::least(&of, self));
        }
        match of.scaled(-1).map(|minus| sign::least(&minus, self)) {
            None | Some(MINUS_INFINITY) => end,
            Some(minus) => end.min(minus.checked_neg().unwrap_or(PLUS_INFINITY)),
        }
    }

    /// Returns the values of a sum at the sample points.
    fn sampled(&self, sum: &Linear) -> impl Iterator<Item = i64> {
        let samples = &self.samples;
        samples.values(move |point| samples.sum(sum, point))
    }

    /// Returns the least or the greatest value of a sum at the sample points, if any.
    fn seen(&self, sum: &Linear, greatest: bool) -> Option<i64> {
        let samples = &self.samples;
        let (least, most) = samples.seen(|point| samples.sum(sum, point))?;
        Some(if greatest { most } else { least })
    }

    /// Returns the lower or the upper bound of the values of a sum.
    pub fn end(&mut self, sum: &Linear, upper: bool) -> i64 {
        let (id, known) = self.unnamed_range(sum);
        match id.filter(|_| self.names.is_some()) {
            Some(id) => self.end_by_names(id, known, upper),
            None if upper => known.hi(),
            None => known.lo(),
        }
    }

    /// Returns whether all values of a sum are at least an integer; `false` if unknown.
    pub fn is_at_least(&mut self, sum: &Linear, bound: i64) -> bool {
        self.is_beyond(sum, bound, false)
    }

    /// Returns whether all values of a sum are at most an integer; `false` if unknown.
    pub fn is_at_most(&mut self, sum: &Linear, bound: i64) -> bool {
        self.is_beyond(sum, bound, true)
    }

    fn is_beyond(&mut self, sum: &Linear, bound: i64, upper: bool) -> bool {
        let is_within = |end: i64| match upper {
            false => end != MINUS_INFINITY && end >= bound,
            true => end != PLUS_INFINITY && end <= bound,
        };
        let (id, known) = self.unnamed_range(sum);
        if is_within(if upper { known.hi() } else { known.lo() }) {
            return true;
        }
        if self.names.is_none() {
            return false;
        }
        let id = id.unwrap_or_else(|| self.intern(sum));
        // A bound that fails at a point needs no proof attempt.
        self.sampled(sum).all(is_within) && is_within(self.end_by_names(id, known, upper))
    }

    /// Returns whether all values of a sum are in an interval; `false` if unknown.
    pub fn is_within(&mut self, sum: &Linear, bounds: Interval) -> bool {
        self.sampled(sum).all(|value| bounds.contains(value))
            && bounds.contains_all(self.range(sum))
    }

    /// Returns the value of `sum floordiv divisor`, if it has only one.
    pub(super) fn only_block(&mut self, sum: &Linear, divisor: i64) -> Option<i64> {
        let mut blocks = self.sampled(sum).map(|value| floordiv(value, divisor));
        let first = blocks.next();
        if blocks.any(|block| Some(block) != first) {
            return None;
        }
        drop(blocks);
        self.range(sum).block(divisor)
    }

    /// Returns a lower or upper bound of a sum in terms of parameters.
    pub(super) fn named_end(&mut self, sum: &Linear, upper: bool) -> Option<Linear> {
        let id = self.intern(sum);
        let known = self.names.as_ref()?.named_ends.get(&(id, upper));
        if let Some(known) = known {
            return known.clone();
        }
        let end = sign::end(&self.polynomial(sum), upper, self);
        let end = end.and_then(|end| self.linear(&end));
        let names = self.names.as_mut()?;
        names.named_ends.insert((id, upper), end.clone());
        end
    }

    /// Returns the interval of `x floordiv divisor`, for a named divisor of at least 1.
    pub(super) fn range_of_quotient(&mut self, x: &Linear, divisor: SumId) -> Interval {
        let (_, by) = self.unnamed_range(&self.sum(divisor).clone());
        let by = by.intersect(Interval::new(1, PLUS_INFINITY));
        let (samples, divisor_sum) = (&self.samples, self.sum(divisor));
        let seen = samples.seen(|point| {
            let by = samples.sum(divisor_sum, point).filter(|by| *by >= 1)?;
            Some(floordiv(samples.sum(x, point)?, by))
        });
        let (_, known) = self.unnamed_range(x);
        let mut range = known.floordiv_by(by);
        for upper in [false, true] {
            let seen = seen.map(|(least, most)| if upper { most } else { least });
            if is_near(range, upper, seen) {
                continue;
            }
            let end = self.end(x, upper);
            let within = match upper {
                true => Interval::new(known.lo(), end),
                false => Interval::new(end, known.hi()),
            };
            range = range.intersect(within.floordiv_by(by));
            if is_near(range, upper, seen) {
                continue;
            }
            if let Some(end) = self.end_of_quotient(x, divisor, upper) {
                let end = self.end(&end, upper);
                range = range.intersect(match upper {
                    true => Interval::new(MINUS_INFINITY, end),
                    false => Interval::new(end, PLUS_INFINITY),
                });
            }
        }
        range
    }

    fn end_of_quotient(&mut self, x: &Linear, divisor: SumId, upper: bool) -> Option<Linear> {
        let divisor = self.polynomial(self.sum(divisor));
        let end = sign::end_of_quotient(&self.polynomial(x), &divisor, upper, self)?;
        self.linear(&end)
    }
}
