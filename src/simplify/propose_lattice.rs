//! Smaller forms of a sum with a min or max in it: what is added to it goes inside, or it is counted
//! from the other end.
//!
//! Of `d0 - max(d0, 5)` the normal form keeps the max of `d0` and 5; `min(0, 5 - d0)` and others are
//! proposed here.

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use super::search::Target;
use super::terms::Bindings;
use crate::saturate::FormRef;

/// Deepest search level at which terms go into a min or max, or come out of it.
const MAX_SHIFT_DEPTH: u32 = 2;

/// A min or max of two operands in a sum: `factor * min(x, y) + rest`.
struct Occurrence {
    factor: i64,
    x: Linear,
    y: Linear,
    rest: Linear,
    least: bool,
}

impl Engine<'_> {
    /// Notes that a remainder was read, if its sum has a min or max: the quotient of that may go inside,
    /// and then no term of a sum shows that there was a remainder.
    pub(super) fn note_remainder(&mut self, of: &Linear, modulus: i64) {
        if self.store.has_lattices() && self.store.lattices_of(of).next().is_some() {
            let read = (of.clone(), modulus);
            if !self.remainders_read.contains(&read) {
                self.remainders_read.push(read);
            }
        }
    }

    /// Proposes every smaller form of `sum` that moves terms into or out of a min or max.
    pub(super) fn propose_for_lattices(&mut self, sum: &Linear, depth: u32, best: &mut FormRef) {
        if depth > MAX_SHIFT_DEPTH {
            return;
        }
        let atoms: Vec<(AtomId, i64, bool)> = self.store.lattices_of(sum).collect();
        for (atom, factor, least) in atoms {
            let Some([x, y]) = self.store.lattice_operands(atom) else {
                continue;
            };
            let occurrence = Occurrence {
                factor,
                x: x.clone(),
                y: y.clone(),
                rest: sum.without(atom),
                least,
            };
            // A coefficient that cannot be held makes a proposal impossible, not wrong: it is skipped.
            let _ = self.propose_shifts(sum, &occurrence, depth, best);
            if factor.unsigned_abs() != 1 {
                let _ = self.propose_unscaled(sum, &occurrence, depth, best);
            }
        }
        self.propose_remainders(sum, depth, best);
    }

    /// The same with the factor inside.
    fn propose_unscaled(
        &mut self,
        sum: &Linear,
        occurrence: &Occurrence,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        let size = occurrence.factor.checked_abs()?;
        let inside = Occurrence {
            factor: occurrence.factor.signum(),
            x: occurrence.x.scaled(size)?,
            y: occurrence.y.scaled(size)?,
            rest: occurrence.rest.clone(),
            least: occurrence.least,
        };
        self.propose_shifts(sum, &inside, depth, best)
    }

    fn propose_shifts(
        &mut self,
        sum: &Linear,
        occurrence: &Occurrence,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        let Occurrence {
            factor,
            x,
            y,
            rest,
            least,
        } = occurrence;
        let known = self.rules.known();
        let (shift, mirror) = match least {
            true => (known.min_shift, known.min_mirror),
            false => (known.max_shift, known.max_mirror),
        };
        let target = Target::Sum(self.store.intern(sum));
        let related = self.store.support(x) | self.store.support(y);
        let both = x.plus(1, y)?;
        let mirrored_rest = rest.plus(*factor, &both)?;
        let limit = self.estimate([x, y, rest], *factor);
        let parts = self.parts_of(rest, *factor, related);
        let mirrored_parts = self.parts_of(&mirrored_rest, *factor, related);
        let none = Linear::default();
        for part in std::iter::once(&none).chain(&parts) {
            let (Some(inner_x), Some(inner_y)) = (x.plus(1, part), y.plus(1, part)) else {
                continue;
            };
            let Some(outside) = rest.plus(factor.checked_neg()?, part) else {
                continue;
            };
            if self.estimate([&inner_x, &inner_y, &outside], *factor) <= limit {
                let bindings = Bindings::of(
                    &[*factor],
                    [x.clone(), y.clone(), rest.clone(), part.clone(), outside],
                );
                self.propose(&target, shift, bindings, depth, best);
            }
        }
        let minus = factor.checked_neg()?;
        for part in std::iter::once(&none).chain(&mirrored_parts) {
            let Some(w) = both.plus(-1, part) else {
                continue;
            };
            let (Some(inner_x), Some(inner_y)) = (w.plus(-1, x), w.plus(-1, y)) else {
                continue;
            };
            let Some(outside) = rest.plus(*factor, &w) else {
                continue;
            };
            if self.estimate([&inner_x, &inner_y, &outside], minus) <= limit {
                let bindings =
                    Bindings::of(&[*factor], [x.clone(), y.clone(), rest.clone(), w, outside]);
                self.propose(&target, mirror, bindings, depth, best);
            }
        }
        Some(())
    }

    /// The parts of `rest / factor` that may go inside: all that can, without the constant, the constant,
    /// and the terms that have to do with what is inside.
    fn parts_of(&self, rest: &Linear, factor: i64, related: u64) -> Vec<Linear> {
        let constant = match rest.constant.checked_rem(factor) {
            Some(0) => rest.constant / factor,
            _ => 0,
        };
        let divisible = |only_related: bool| {
            let terms = rest.terms().iter().filter(|(atom, c)| {
                c.checked_rem(factor) == Some(0)
                    && (!only_related || self.store.atom(*atom).support & related != 0)
            });
            Linear::new(0, terms.map(|(atom, c)| (*atom, c / factor))).unwrap_or_default()
        };
        let (all, some) = (divisible(false), divisible(true));
        let mut parts = Vec::with_capacity(5);
        for terms in [all, some, Linear::default()] {
            for constant in [constant, 0] {
                let part = terms.with_constant(constant);
                if !part.is_zero() && !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        parts
    }

    /// About how many operations `factor * min(x, y) + rest` takes.
    fn estimate(&self, [x, y, rest]: [&Linear; 3], factor: i64) -> u32 {
        let joints = u32::from(!rest.is_zero())
            + u32::from(factor.unsigned_abs() != 1)
            + u32::from(factor == -1 && rest.is_zero());
        let sums = [x, y, rest].map(|sum| self.operations(sum));
        sums.into_iter().fold(joints, u32::saturating_add)
    }

    /// About how many operations a sum takes.
    fn operations(&self, sum: &Linear) -> u32 {
        let mut operations = u32::from(sum.constant != 0);
        let mut is_negative = sum.constant <= 0;
        for (atom, coefficient) in sum.terms() {
            is_negative &= *coefficient < 0;
            let inside = self.store.atom(*atom).weight.saturating_sub(1);
            operations = operations
                .saturating_add(1)
                .saturating_add(inside)
                .saturating_add(u32::from(coefficient.unsigned_abs() != 1));
        }
        (operations.saturating_sub(1)).saturating_add(u32::from(is_negative && !sum.is_zero()))
    }

    /// `m*y - m*k*q + z => m*(y mod k) + z` for the remainders that were read: `q` need not be a quotient.
    fn propose_remainders(&mut self, sum: &Linear, depth: u32, best: &mut FormRef) {
        let known = self.rules.known();
        for (y, modulus) in self.remainders_read.clone() {
            let Some((atom, inside, _)) = self.store.lattices_of(&y).last() else {
                continue;
            };
            let multiplier = sum.coefficient(atom) / inside;
            let quotient = self.divide(&y, modulus);
            let rest = multiplier
                .checked_neg()
                .and_then(|minus| sum.plus(minus, &y))
                .and_then(|rest| rest.plus(multiplier.checked_mul(modulus)?, &quotient));
            let Some(rest) = rest else { continue };
            if multiplier == 0 || rest.terms().len() >= sum.terms().len() {
                continue;
            }
            let bindings = Bindings::of(&[multiplier, modulus], [y, quotient, rest]);
            let target = Target::Sum(self.store.intern(sum));
            self.propose(&target, known.mod_peel, bindings, depth, best);
        }
    }
}
