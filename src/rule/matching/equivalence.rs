//! Fires an equivalence from its text: finds bounds of a domain that match its left side, and builds its right side.
//!
//! A bound is offered as given, and for each of its ends alone; if the rule has an integer as an end, it is also offered shifted
//! so that the ends agree, and mirrored.
//!
//! Law: under the bindings, each clause of the left side is a bound that was offered.

use super::Terms;
use super::bindings::Bindings;
use super::clause::{Clause, Stated};
use super::evaluate::{integer, sum_of};
use super::search::Found;
use super::sides::Sides;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum};
use crate::rule::{Condition, Relation, Rule, Statement};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// An equivalence, compiled for matching its left side and evaluating its right side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Equivalence {
    left: Sides,
    right: Vec<Condition>,
}

/// A constraint that may be replaced.
#[derive(Clone, Debug)]
pub struct Given<A: Copy> {
    /// The bounded sum.
    pub sum: Sum<A>,
    /// Its bounds.
    pub bounds: Interval,
    /// The outermost operations of the sum, one bit for each [`super::Operator`].
    pub operators: u8,
}

/// The ends that a left side consumes: the index of the constraint, and which of its ends.
pub type Used = SmallVec<[(usize, [bool; 2]); 2]>;

/// One way to state a given constraint.
struct Offer<A: Copy> {
    stated: Stated<A>,
    of: usize,
    ends: [bool; 2],
}

/// Called with the bindings and the ends that the left side consumes.
pub type Replaces<'f, T> =
    &'f mut dyn FnMut(&mut T, &Bindings<<T as Terms>::Atom>, &Used) -> ControlFlow<()>;

impl Equivalence {
    /// Compiles an equivalence.
    ///
    /// # Errors
    /// The reason why its left side cannot be matched, as a clause in lower case.
    pub fn new(rule: &Rule) -> Result<Equivalence, String> {
        let Statement::Equivalence(left, right) = &rule.statement else {
            return Err("it does not replace comparisons".to_owned());
        };
        Ok(Equivalence { left: Sides::left(rule, left)?, right: right.clone() })
    }

    /// Calls `found` for each match of the left side against the given constraints, until it breaks. `spend` is called
    /// before each is tried; the search ends when it returns false.
    pub fn search<T: Terms>(
        &self,
        terms: &mut T,
        given: &[Given<T::Atom>],
        spend: &mut dyn FnMut(&mut T) -> bool,
        found: Replaces<'_, T>,
    ) {
        let offers = |clause: &Clause| -> Vec<Offer<T::Atom>> {
            let numbered = given.iter().enumerate();
            numbered.flat_map(|(of, given)| clause.offers(of, given)).collect()
        };
        let offers: Vec<Vec<_>> = self.left.clauses().iter().map(offers).collect();
        let _ = self.choose(terms, &offers, &mut Vec::new(), spend, found);
    }

    fn choose<'o, T: Terms>(
        &self,
        terms: &mut T,
        offers: &'o [Vec<Offer<T::Atom>>],
        chosen: &mut Vec<&'o Offer<T::Atom>>,
        spend: &mut dyn FnMut(&mut T) -> bool,
        found: Replaces<'_, T>,
    ) -> ControlFlow<()> {
        let Some((first, others)) = offers.split_first() else {
            if !spend(terms) {
                return ControlFlow::Break(());
            }
            let stated: Vec<Stated<T::Atom>> =
                chosen.iter().map(|offer| offer.stated.clone()).collect();
            let used: Used = chosen.iter().map(|offer| (offer.of, offer.ends)).collect();
            let mut flow = ControlFlow::Continue(());
            let report: Found<'_, T> = &mut |terms, bindings| {
                flow = found(terms, bindings, &used);
                flow
            };
            self.left.search(terms, [&stated, &[]], report);
            return flow;
        };
        for offer in first {
            if chosen.iter().any(|other| other.of == offer.of) {
                continue;
            }
            chosen.push(offer);
            let flow = self.choose(terms, others, chosen, spend, found);
            chosen.pop();
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Evaluates the right side to sums with their bounds. `None` if it is not an index map, or exceeds 64 bits.
    pub fn right<T: Terms>(
        &self,
        terms: &mut T,
        bindings: &Bindings<T::Atom>,
    ) -> Option<Vec<(Sum<T::Atom>, Interval)>> {
        let bound = |Condition { lhs, relation, rhs }: &Condition| {
            let step = i64::from(*relation == Relation::Less);
            // A value that represents infinity is not a bound.
            let finite = |end: &i64| *end != MINUS_INFINITY && *end != PLUS_INFINITY;
            let (sum, [lo, hi]) = if !rhs.has_expression() {
                let end = integer(rhs, bindings, terms)?.checked_sub(step);
                let end = end.filter(finite)?;
                (sum_of(lhs, bindings, terms)?, [MINUS_INFINITY, end])
            } else if !lhs.has_expression() {
                let end = integer(lhs, bindings, terms)?.checked_add(step);
                let end = end.filter(finite)?;
                (sum_of(rhs, bindings, terms)?, [end, PLUS_INFINITY])
            } else {
                let lhs = sum_of(lhs, bindings, terms)?;
                let difference = sum_of(rhs, bindings, terms)?.plus(-1, &lhs)?;
                (difference, [step, PLUS_INFINITY])
            };
            let bounds = match relation {
                Relation::Equal if lo == MINUS_INFINITY => Interval::point(hi),
                Relation::Equal => Interval::point(lo),
                _ => Interval::new(lo, hi),
            };
            Some((sum, bounds))
        };
        self.right.iter().map(bound).collect()
    }
}

/// Returns the bounds of the negated term; `None` beyond 64 bits.
fn mirrored([lo, hi]: [i64; 2]) -> Option<[i64; 2]> {
    let end = |end, none: i64, other| match end == none {
        true => Some(other),
        false => i64::checked_neg(end),
    };
    Some([end(hi, PLUS_INFINITY, MINUS_INFINITY)?, end(lo, MINUS_INFINITY, PLUS_INFINITY)?])
}

impl Clause {
    /// Returns the ways to state a constraint that fit this clause.
    fn offers<A: Copy + Ord>(&self, of: usize, given: &Given<A>) -> Vec<Offer<A>> {
        let Given { sum, bounds, operators } = given;
        let (lo, hi) = (bounds.lo(), bounds.hi());
        let parts = [
            ([true, true], [lo, hi]),
            ([true, false], [lo, PLUS_INFINITY]),
            ([false, true], [MINUS_INFINITY, hi]),
        ];
        let mut offers = Vec::new();
        let finite = |ends: [bool; 2]| {
            (!ends[0] || lo != MINUS_INFINITY) && (!ends[1] || hi != PLUS_INFINITY)
        };
        for (ends, part) in parts.into_iter().filter(|(ends, _)| finite(*ends)) {
            // A bound by a constant has one direction; `x <= y` bounds `y - x`, in either direction.
            let mirror = || Some((sum.scaled(-1)?, mirrored(part)?));
            let mirror = self.literal_end().and_then(|_| mirror());
            for (sum, part) in [Some((sum.clone(), part)), mirror].into_iter().flatten() {
                if let Some(stated) = self.moved(sum, part)
                    && self.admits(stated.ends, *operators)
                {
                    offers.push(Offer { stated, of, ends });
                }
            }
        }
        offers
    }

    /// Shifts the constraint so that its bound is the integer bound of the clause.
    fn moved<A: Copy + Ord>(&self, sum: Sum<A>, ends: [i64; 2]) -> Option<Stated<A>> {
        let Some(end) = self.literal_end() else {
            return Some(Stated { sum, ends });
        };
        let [lo, hi] = ends;
        let known = if lo == MINUS_INFINITY { hi } else { lo };
        let by = end.checked_sub(known)?;
        let shifted = |end: i64, none: i64| match end == none {
            true => Some(end),
            false => end.checked_add(by),
        };
        Some(Stated {
            sum: sum.shifted(by)?,
            ends: [shifted(lo, MINUS_INFINITY)?, shifted(hi, PLUS_INFINITY)?],
        })
    }
}
