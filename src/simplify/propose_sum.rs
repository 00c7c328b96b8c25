//! Smaller forms of a sum: remainders peeled off, terms absorbed under a quotient, reflection.

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use super::search::Target;
use super::terms::Bindings;
use crate::num;
use crate::rule::matching::nearest;
use crate::saturate::FormRef;
use smallvec::SmallVec;

/// How often the terms of a sum are gone through to see what can be proposed for one quotient of it.
const TERMS_LOOKED_AT: usize = 16;

/// A quotient in a sum: `coefficient * (numerator floordiv divisor)`.
struct Occurrence {
    atom: AtomId,
    coefficient: i64,
    numerator: Linear,
    divisor: i64,
}

impl Engine<'_> {
    /// Proposes every smaller form of `sum` that the rules of `forms.rules` give.
    pub(super) fn propose_for_sum(&mut self, sum: &Linear, depth: u32, best: &mut FormRef) {
        let occurrences: Vec<Occurrence> = self
            .store
            .quotients_of(sum)
            .filter_map(|(atom, coefficient)| {
                let (numerator, divisor) = self.store.quotient(atom)?;
                Some(Occurrence {
                    atom,
                    coefficient,
                    numerator: numerator.clone(),
                    divisor,
                })
            })
            .collect();
        let least = self.least_operations(sum);
        for occurrence in &occurrences {
            if best.ops <= least || !self.spend_terms(TERMS_LOOKED_AT * sum.terms().len()) {
                return;
            }
            // A coefficient that cannot be held makes a proposal impossible, not wrong: it is skipped.
            let _ = self.propose_peels(sum, occurrence, depth, best);
            let _ = self.propose_absorptions(sum, occurrence, depth, best);
            let _ = self.propose_reflections(sum, occurrence, depth, best);
            let _ = self.propose_moves(sum, occurrence, depth, best);
        }
    }

    /// `m*y - m*k*q + z => m*(y mod k) + z`, where `y floordiv k` is shown to be `q`.
    fn propose_peels(
        &mut self,
        sum: &Linear,
        quotient: &Occurrence,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        if sum.terms().len() < 2 {
            return None;
        }
        let known = self.rules.known();
        let sign = if quotient.coefficient < 0 { 1 } else { -1 };
        let signed = sum.scaled(sign)?;
        let size = quotient.coefficient.checked_abs()?;
        let mut multipliers: SmallVec<[i64; 8]> = SmallVec::from_slice(&[1]);
        let others = signed
            .terms()
            .iter()
            .filter(|(atom, _)| *atom != quotient.atom);
        let common = others.filter_map(|(_, c)| num::gcd(*c, size));
        let exact = (size % quotient.divisor == 0).then(|| size / quotient.divisor);
        for multiplier in common.chain(exact) {
            if !multipliers.contains(&multiplier) {
                multipliers.push(multiplier);
            }
        }
        let target = Target::Sum(self.store.intern(sum));
        for &multiplier in &multipliers {
            let modulus = size / multiplier;
            if modulus < 2 {
                continue;
            }
            for y in self.peel_candidates(&signed, quotient, multiplier, modulus) {
                if !self.spend_terms(y.terms().len()) {
                    return None;
                }
                let q = self.divide(&y, modulus);
                if q.coefficient(quotient.atom) != 1 {
                    continue;
                }
                let m = multiplier.checked_mul(sign)?;
                let without = sum.plus(m.checked_neg()?, &y)?;
                let Some(rest) = m.checked_mul(modulus).and_then(|mk| without.plus(mk, &q)) else {
                    continue;
                };
                if rest.coefficient(quotient.atom) != 0 || rest.terms().len() >= sum.terms().len() {
                    continue;
                }
                let bindings = Bindings::of(&[m, modulus], [y, q, rest.clone()]);
                self.propose(&target, known.mod_peel, bindings.clone(), depth, best);
                if sign < 0 || rest.constant != 0 {
                    self.propose(&target, known.mod_peel_neg, bindings, depth, best);
                }
            }
        }
        Some(())
    }

    /// The sums `y` of which a remainder may be hidden in `signed`, where `multiplier * y` is part
    /// of it: the numerator itself, or the terms that go with it.
    fn peel_candidates(
        &self,
        signed: &Linear,
        quotient: &Occurrence,
        multiplier: i64,
        modulus: i64,
    ) -> Vec<Linear> {
        let support = self.store.support(&quotient.numerator);
        let mut parts: Vec<Linear> = Vec::new();
        if modulus == quotient.divisor {
            parts.push(quotient.numerator.with_constant(0));
        }
        type Choice = fn(shared: bool, inside: bool, exact: bool) -> bool;
        let choices: [Choice; 4] = [
            |_, _, _| true,
            |shared, _, _| shared,
            |_, inside, _| inside,
            |shared, _, exact| shared && exact,
        ];
        for choice in choices {
            let terms = signed
                .terms()
                .iter()
                .filter(|(atom, coefficient)| {
                    let bits = self.store.atom(*atom).support;
                    let exact = coefficient.checked_abs() == Some(multiplier);
                    *atom != quotient.atom
                        && coefficient % multiplier == 0
                        && choice(bits & support != 0, bits & !support == 0, exact)
                })
                .map(|(atom, coefficient)| (*atom, coefficient / multiplier));
            let part = Linear::of_sorted(0, terms);
            if !part.terms().is_empty() && !parts.contains(&part) {
                parts.push(part);
            }
        }
        let floor = num::floordiv(signed.constant, multiplier);
        let mut candidates = Vec::with_capacity(parts.len() * 2);
        for part in parts {
            let mut constants: SmallVec<[i64; 4]> = SmallVec::from_slice(&[floor]);
            let own = (modulus == quotient.divisor).then_some(quotient.numerator.constant);
            for constant in [Some(0), own].into_iter().flatten() {
                if !constants.contains(&constant) {
                    constants.push(constant);
                }
            }
            candidates.extend(
                constants
                    .into_iter()
                    .map(|constant| part.with_constant(constant)),
            );
        }
        candidates
    }

    /// `m*(x floordiv c) + m*w + z => m*((x + c*w) floordiv c) + z`
    fn propose_absorptions(
        &mut self,
        sum: &Linear,
        quotient: &Occurrence,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        let known = self.rules.known();
        let target = Target::Sum(self.store.intern(sum));
        let (m, c, x) = (quotient.coefficient, quotient.divisor, &quotient.numerator);
        let constant_fits = sum.constant != 0 && sum.constant.checked_rem(m) == Some(0);
        if constant_fits && (x.constant != 0 || x.terms().iter().all(|(_, k)| *k < 0)) {
            let w = Linear::constant(sum.constant / m);
            let rest = sum.without(quotient.atom).with_constant(0);
            let bindings = Bindings::of(&[m, c], [x.clone(), w, rest]);
            self.propose(&target, known.absorb, bindings, depth, best);
        }
        if sum.terms().len() < 2 || depth >= self.reach.absorption {
            return None;
        }
        let support = self.store.support(x);
        let mut seen: Vec<Linear> = Vec::new();
        for (only_quotients, with_constant) in [(false, true), (true, true), (false, false)] {
            let mut w = Linear::constant(if with_constant {
                sum.constant.checked_div_euclid(m)?
            } else {
                0
            });
            let mut rest = sum.without(quotient.atom);
            rest.constant = sum.constant.checked_sub(m.checked_mul(w.constant)?)?;
            for &(atom, coefficient) in sum.terms() {
                let related = self.store.atom(atom).support & support != 0;
                let takes = atom != quotient.atom
                    && coefficient.checked_rem(m) == Some(0)
                    && related
                    && (!only_quotients || self.store.quotient(atom).is_some());
                if takes {
                    w = w.plus_atom(coefficient / m, atom)?;
                    rest = rest.without(atom);
                }
            }
            if w.terms().is_empty() || w.terms().len() > 8 || seen.contains(&w) {
                continue;
            }
            seen.push(w.clone());
            let bindings = Bindings::of(&[m, c], [x.clone(), w, rest]);
            self.propose_absorbed_normal(sum, &bindings, depth, best);
            self.propose(&target, known.absorb, bindings, depth + 1, best);
        }
        Some(())
    }

    /// Absorption, where the new quotient is then rewritten by some division rule: the one way in
    /// which quotients of one numerator cancel that no term of the sum shows.
    fn propose_absorbed_normal(
        &mut self,
        sum: &Linear,
        bindings: &Bindings,
        depth: u32,
        best: &mut FormRef,
    ) {
        let (Some(Some(m)), Some(Some(c))) =
            (bindings.constants.first(), bindings.constants.get(1))
        else {
            return;
        };
        let [Some(x), Some(w), Some(z)] = bindings.expressions.as_slice() else {
            return;
        };
        let Some(numerator) = x.plus(*c, w) else {
            return;
        };
        let weight = self.store.weight(sum);
        let rules = self.rules;
        if rules.is_left_out(rules.known().absorb) {
            return;
        }
        for rule in rules.division_rules() {
            if !self.spend() {
                return;
            }
            let Some(quotient) = self.fire_division(rule, &numerator, *c) else {
                continue;
            };
            let Some(normal) = z.plus(*m, &quotient) else {
                continue;
            };
            if self.store.weight(&normal) >= weight {
                continue;
            }
            if let Some(form) = self.sum_form(&normal, depth + 1)
                && form.is_smaller_than(best)
            {
                self.note(rules.known().absorb, bindings);
                *best = form;
            }
        }
    }

    /// `m*((c*w + x) floordiv c) + z => m*w + m*(x floordiv c) + z`, for terms that also stand outside.
    fn propose_moves(
        &mut self,
        sum: &Linear,
        quotient: &Occurrence,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        let (m, c) = (quotient.coefficient, quotient.divisor);
        let (w, mut x) = quotient.numerator.split_by(c, |atom, k| {
            if sum.coefficient(atom) == 0 {
                0
            } else {
                nearest(k, c)
            }
        })?;
        x.constant = quotient.numerator.constant;
        let w = w.with_constant(0);
        if w.is_zero() {
            return None;
        }
        let bindings = Bindings::of(&[m, c], [w, x, sum.without(quotient.atom)]);
        let target = Target::Sum(self.store.intern(sum));
        self.propose(&target, self.rules.known().div_move, bindings, depth, best);
        Some(())
    }

    /// `m*(x floordiv c) + m*k + z => -m*((c - 1 - x - c*k) floordiv c) + z`
    fn propose_reflections(
        &mut self,
        sum: &Linear,
        quotient: &Occurrence,
        depth: u32,
        best: &mut FormRef,
    ) -> Option<()> {
        let (m, c, x) = (quotient.coefficient, quotient.divisor, &quotient.numerator);
        if m > 0 && x.terms().iter().all(|(_, k)| *k > 0) {
            return None;
        }
        let known = self.rules.known();
        let target = Target::Sum(self.store.intern(sum));
        let rest = sum.without(quotient.atom);
        // A sum that has no positive summand needs one operation more, and so does a constant.
        let signs = |sum: &Linear| sum.constant <= 0 && sum.terms().iter().all(|(_, k)| *k < 0);
        let drops =
            |k: i64| c.checked_mul(k).and_then(|ck| ck.checked_add(x.constant)) == Some(c - 1);
        let affine = self.store.is_affine(x) && self.store.is_affine(&rest);
        if !affine || signs(sum) || signs(x) || drops(0) {
            let bindings = Bindings::of(&[m, c, 0], [x.clone(), rest.clone()]);
            self.propose(&target, known.div_reflect, bindings, depth, best);
        }
        if sum.constant != 0 && sum.constant.checked_rem(m) == Some(0) {
            let bindings = Bindings::of(
                &[m, c, sum.constant / m],
                [x.clone(), rest.with_constant(0)],
            );
            self.propose(&target, known.div_reflect, bindings, depth, best);
        }
        Some(())
    }
}
