//! Splits of a sum by relation to the terms matched so far.

use super::parts::{Part, Parts, divided, nearest};
use super::search::{Search, bits};
use super::{Number, Operator, Terms, number};
use crate::num::Sum;
use crate::rule::Split;
use smallvec::SmallVec;

/// Maximum number of related terms that are split off together.
const MAX_RELATED: usize = 8;

impl<T: Terms> Search<'_, '_, T> {
    /// Adds splits `factor*x + y` where `x` is related to the parts matched already.
    pub(super) fn related(
        &mut self,
        split: Split,
        sum: &Sum<T::Atom>,
        factor: i64,
        parts: &mut Parts<T::Atom>,
    ) {
        let matched = self.matched();
        let mut goes: SmallVec<[bool; 8]> = SmallVec::new();
        for &(atom, coefficient) in sum.terms() {
            let fits = self.is_related(split, matched, atom);
            goes.push(fits && divided(coefficient, factor).is_some());
        }
        let count = goes.iter().filter(|goes| **goes).count();
        if count > MAX_RELATED {
            return;
        }
        let mut goes = goes.into_iter();
        let with_constant = sum.split_by(factor, |_, c| match goes.next() {
            Some(true) => divided(c, factor).unwrap_or(0),
            _ => 0,
        });
        if let Some((x, y)) = with_constant {
            let without =
                (x.constant != 0).then(|| (x.with_constant(0), y.with_constant(sum.constant)));
            parts.push((x, y));
            if let Some(without) = without {
                parts.push(without);
            }
        }
    }

    /// Like [`Self::related`], for a named factor.
    pub(super) fn named_related(
        &mut self,
        split: Split,
        sum: &Sum<T::Atom>,
        factor: Number,
        parts: &mut Parts<T::Atom>,
    ) {
        let matched = self.matched();
        let mut goes = sum.terms().to_vec();
        goes.retain(|(atom, _)| self.is_related(split, matched, *atom));
        let related = Sum::of_sorted(0, goes.into_iter());
        let Some((x, y)) = number::split(&related, factor, self.terms) else {
            return;
        };
        let rest = sum.plus(-1, &related).and_then(|rest| rest.plus(1, &y));
        parts.extend(rest.map(|rest| (x, rest)));
    }

    /// Returns whether a split takes an atom, depending on the variables of the parts matched already.
    fn is_related(&mut self, split: Split, matched: u64, atom: T::Atom) -> bool {
        let support = self.terms.support(atom);
        match split {
            Split::Within => support & !matched == 0,
            Split::RelatedQuotients => {
                support & matched != 0 && self.terms.has_operation(atom, Operator::FloorDiv)
            }
            _ => support & matched != 0,
        }
    }

    /// Returns the variables inside matched operations, one bit each.
    fn matched(&mut self) -> u64 {
        let mut matched = 0;
        for slot in bits(self.scheme.inside) {
            let known = self.bindings.expressions.get(slot).and_then(Option::as_ref);
            for (atom, _) in known.map_or(&[][..], Sum::terms) {
                matched |= self.terms.support(*atom);
            }
        }
        matched
    }

    /// Splits off `x` with terms that also occur in the whole sum.
    pub(super) fn outside(&self, sum: &Sum<T::Atom>, factor: i64) -> Option<Part<T::Atom>> {
        let whole = self.whole.as_ref()?;
        let (x, y) = sum.split_by(factor, |atom, c| match whole.coefficient(atom) {
            0 => 0,
            _ => nearest(c, factor),
        })?;
        let is_some = !x.terms().is_empty();
        is_some.then(|| (x.with_constant(0), y.with_constant(sum.constant)))
    }
}
