//! Splits a sum among unbound variables, as the rule's `split` specifies.

use super::matcher::Test;
use super::number::{exact, split, splits_by_constraint};
use super::parts::{Part, Parts, around, divided, nearest, ratio, residues};
use super::pattern::{Core, Integer, Summand};
use super::search::{Flow, Goal, Goals, Next, ON, Search, bits};
use super::{Bindings, Number, Operator, Terms, number_of};
use crate::num;
use crate::num::Sum;
use crate::rule::{Slot, Split, Values};
use smallvec::SmallVec;

/// The values of the bindings at a sample point. A named number has no value.
struct At<'b, T: Terms> {
    bindings: &'b Bindings<T::Atom>,
    terms: &'b T,
    point: usize,
}

impl<T: Terms> Values for At<'_, T> {
    fn constant(&self, slot: Slot) -> Option<i64> {
        self.bindings.constant(slot)?.integer()
    }

    fn expression(&self, slot: Slot) -> Option<i64> {
        let sum = self.bindings.expression(slot)?;
        self.terms.value_at(sum, self.point)
    }
}

impl<'m, T: Terms> Search<'_, 'm, T> {
    /// Matches summands without operations.
    pub(super) fn variables(
        &mut self,
        summands: &'m [Summand],
        left: u64,
        sum: &Sum<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        let mut open = left;
        let mut without: Option<Sum<T::Atom>> = None;
        for index in bits(left) {
            if let Some(value) = self.known(&summands[index]) {
                open &= !(1 << index);
                without = without.as_ref().unwrap_or(sum).plus(-1, &value);
                if without.is_none() {
                    return ON;
                }
            }
        }
        if let Some(rest) = without {
            // The atoms of a known part must occur, unless everything is known; the other summands determine their multiples.
            return match open != 0 && rest.terms().len() > sum.terms().len() {
                true => ON,
                false => self.sum(summands, open, &rest, next),
            };
        }
        if let Some(index) = bits(left).find(|index| summands[*index].core == Core::One) {
            let rest = left & !(1 << index);
            let goal = Goal::Sum(summands, rest, sum.with_constant(0));
            let rest = Goals { goal, next };
            let constant = Number::Integer(sum.constant);
            return self.integer(&summands[index].factor, constant, Some(&rest));
        }
        self.split(summands, left, sum, next)
    }

    /// Returns the value of a summand whose factor and variable are bound.
    fn known(&mut self, summand: &Summand) -> Option<Sum<T::Atom>> {
        if summand.factor.constants & self.open != 0 {
            return None;
        }
        let factor = summand.factor.value(&self.bindings, self.terms);
        match &summand.core {
            Core::One => factor?.sum(self.terms),
            Core::Variable(slot) | Core::Defined(slot, _) => {
                factor?.scaled(self.bindings.expression(*slot)?, self.terms)
            }
            Core::Operation(_) => None,
        }
    }

    /// Matches summands whose variable or factor is unbound.
    fn split(
        &mut self,
        summands: &'m [Summand],
        left: u64,
        sum: &Sum<T::Atom>,
        next: Next<'_, 'm, T::Atom>,
    ) -> Flow {
        // The summand without a factor takes the remainder.
        let is_variable = |index: &usize| matches!(summands[*index].core, Core::Variable(_));
        let first = bits(left).filter(is_variable).find(|index| !summands[*index].factor.is_one());
        let first = first.or_else(|| bits(left).find(is_variable));
        let Some((first, Core::Variable(slot))) = first.map(|one| (one, &summands[one].core))
        else {
            return ON;
        };
        let others = left & !(1 << first);
        let of = &summands[first].factor;
        if others == 0 && of.is_one() {
            let mark = self.mark();
            let is_bound = self.bind(*slot, std::slice::from_ref(sum)) && self.may_hold(*slot);
            let flow = if is_bound { self.solve(next) } else { ON };
            self.back(mark);
            return flow;
        }
        let factors = match self.bindings.expression(*slot) {
            Some(known) if others == 0 => {
                let known = known.clone();
                self.ratio(sum, &known).into_iter().collect()
            }
            _ => self.factors(of, sum),
        };
        for factor in factors {
            let mark = self.mark();
            // The factor determines the products that contain it.
            if !self.resolve(of, factor) || !self.settle(Integer::is_product) {
                self.back(mark);
                continue;
            }
            let part = |search: &mut Self, (part, rest): Part<T::Atom>| {
                let mark = search.mark();
                let mut flow = ON;
                if search.bind(*slot, &[part]) && search.may_hold(*slot) {
                    let goal = Goal::Sum(summands, others, rest);
                    flow = search.solve(Some(&Goals { goal, next }));
                }
                search.back(mark);
                flow
            };
            let flow = match others {
                0 => exact(sum, factor, self.terms)
                    .map_or(ON, |whole| part(self, (whole, Sum::default()))),
                _ => {
                    let mut parts = Parts::new();
                    self.parts(sum, factor, &mut parts);
                    parts.drain(..).try_for_each(|one| part(self, one))
                }
            };
            self.back(mark);
            flow?;
        }
        ON
    }

    /// Returns whether no condition on the most recently bound variable is false at a sample point.
    fn may_hold(&self, slot: Slot) -> bool {
        let is_bound = |test: &&Test| {
            let mut needed = bits(test.expressions);
            test.expressions & (1 << slot) != 0
                && test.constants & self.open == 0
                && needed.all(|slot| self.bindings.expressions[slot].is_some())
        };
        let (bindings, terms) = (&self.bindings, &*self.terms);
        let mut tests = self.scheme.tests.iter().filter(is_bound);
        tests.all(|test| {
            (0..terms.points()).all(|point| {
                let at = At { bindings, terms, point };
                test.condition.holds(&at) != Some(false)
            })
        })
    }

    /// Returns the factor by which `known` must be multiplied to give `sum`.
    fn ratio(&mut self, sum: &Sum<T::Atom>, known: &Sum<T::Atom>) -> Option<Number> {
        if let Some(ratio) = ratio(sum, known) {
            return Some(Number::Integer(ratio));
        }
        let by = number_of(known, self.terms)?;
        let multiple = exact(sum, by, self.terms)?;
        number_of(&multiple, self.terms)
    }

    /// Returns candidate values of the factor of a variable: its value if bound, or numbers that coefficients and divisors
    /// suggest.
    fn factors(&mut self, of: &Integer, sum: &Sum<T::Atom>) -> SmallVec<[Number; 8]> {
        let open = of.constants & self.open;
        if open == 0 {
            let known = of.value(&self.bindings, self.terms);
            let known = known.filter(|factor| *factor != Number::Integer(0));
            return known.into_iter().collect();
        }
        let is_positive = open & !self.scheme.positive == 0;
        let divides = self.pending.iter().find(|(pending, _)| pending.constants & open != 0);
        let whole = match divides {
            Some((_, Number::Named(name))) => {
                return self.terms.divisors_of(*name).into_iter().collect();
            }
            Some((_, Number::Integer(whole))) => Some(*whole),
            None => None,
        };
        let numbers = sum.terms().iter().map(|(_, c)| *c).chain([sum.constant]);
        let mut sizes: SmallVec<[i64; 8]> = numbers
            .filter_map(|number| match whole {
                Some(whole) => num::gcd(number, whole),
                None => number.checked_abs(),
            })
            .filter(|number| *number > 1)
            .collect();
        sizes.sort_unstable_by(|x, y| y.cmp(x));
        sizes.dedup();
        sizes.push(1);
        let mut factors = SmallVec::new();
        for size in sizes {
            factors.push(Number::Integer(size));
            if !is_positive {
                factors.push(Number::Integer(-size));
            }
        }
        factors
    }

    /// Adds splits `factor*x + y` with nonzero `x`.
    fn parts(&mut self, sum: &Sum<T::Atom>, factor: Number, parts: &mut Parts<T::Atom>) {
        const ALL: &[Split] = &[Split::Multiples, Split::OneVariable];
        let splits = match self.scheme.splits.as_slice() {
            [] => ALL,
            splits => splits,
        };
        match factor {
            Number::Integer(factor) => self.integer_parts(splits, sum, factor, parts),
            Number::Named(_) => self.named_parts(splits, sum, factor, parts),
        }
        // Splitting off nothing yields no new instance.
        let keeps_nothing = self.scheme.splits.contains(&Split::Nothing);
        for part in std::mem::take(parts) {
            if (keeps_nothing || !part.0.is_zero()) && !parts.contains(&part) {
                parts.push(part);
            }
        }
    }

    /// Like [`Self::parts`], for a named factor: its multiples in the sum, or in the terms that a split selects.
    fn named_parts(
        &mut self,
        splits: &[Split],
        sum: &Sum<T::Atom>,
        factor: Number,
        parts: &mut Parts<T::Atom>,
    ) {
        let mut is_split = false;
        for one in splits {
            match one {
                Split::Nothing => parts.push((Sum::default(), sum.clone())),
                Split::Related | Split::RelatedQuotients | Split::Within => {
                    self.named_related(*one, sum, factor, parts);
                }
                Split::Constrained => parts.extend(splits_by_constraint(sum, factor, self.terms)),
                // The other splits are all the same: a coefficient is either a multiple of a name or not.
                _ if is_split => {}
                _ => {
                    is_split = true;
                    add(parts, split(sum, factor, self.terms));
                }
            }
        }
    }

    /// Like [`Self::parts`], for an integer.
    fn integer_parts(
        &mut self,
        splits: &[Split],
        sum: &Sum<T::Atom>,
        factor: i64,
        parts: &mut Parts<T::Atom>,
    ) {
        for split in splits {
            match split {
                Split::Nothing => parts.push((Sum::default(), sum.clone())),
                // By default, a factor of 1 splits nothing off: that would be the whole sum.
                Split::Multiples if factor.unsigned_abs() > 1 || !self.scheme.splits.is_empty() => {
                    add(parts, sum.split_by(factor, |_, c| divided(c, factor).unwrap_or(0)));
                }
                Split::Nearest => {
                    add(parts, sum.split_by(factor, |_, c| nearest(c, factor)));
                }
                Split::NearestQuotients => {
                    let mut is_quotient = |atom| self.terms.has_operation(atom, Operator::FloorDiv);
                    let quotients: SmallVec<[T::Atom; 4]> = sum
                        .terms()
                        .iter()
                        .map(|(atom, _)| *atom)
                        .filter(|atom| is_quotient(*atom))
                        .collect();
                    let split = sum.split_by(factor, |atom, c| {
                        if quotients.contains(&atom) { nearest(c, factor) } else { 0 }
                    });
                    add(parts, split);
                }
                Split::OneVariable => {
                    for &(atom, coefficient) in sum.terms() {
                        for times in around(coefficient, factor) {
                            let part = Sum::default().plus_atom(times, atom);
                            let rest = times.checked_mul(factor).and_then(i64::checked_neg);
                            let rest = rest.and_then(|rest| sum.plus_atom(rest, atom));
                            add(parts, part.zip(rest));
                        }
                    }
                    if let Some(whole) = divided(sum.constant, factor) {
                        parts.push((Sum::constant(whole), sum.with_constant(0)));
                    }
                }
                Split::Constrained => {
                    parts.extend(splits_by_constraint(sum, Number::Integer(factor), self.terms));
                }
                Split::Multiples | Split::Congruent | Split::Negative => {}
                Split::Outside => add(parts, self.outside(sum, factor)),
                Split::Residues => {
                    let quotient = |atom| {
                        let operations = self.terms.operations(atom, Operator::FloorDiv);
                        let first = operations.first()?;
                        let numerator = first.operands.first()?.first()?.clone();
                        Some((numerator, first.divisor.integer()?))
                    };
                    residues(sum, factor, quotient, parts);
                }
                Split::Related | Split::RelatedQuotients | Split::Within => {
                    self.related(*split, sum, factor, parts);
                }
            }
        }
    }
}

fn add<A: Copy + Ord>(parts: &mut Parts<A>, part: Option<Part<A>>) {
    if let Some(part) = part {
        parts.push(part);
    }
}
