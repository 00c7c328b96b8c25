//! Forms of sums with named sizes: remainders by them, and common factors.

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use crate::expr::VariableId;
use crate::num;
use crate::num::polynomial::Monomial;
use crate::rule::matching::{Number, Operator};
use crate::simplify::saturate::{Form, FormRef};

/// Maximum number of terms among which common factors are searched for.
const MAX_TERMS: usize = 32;

/// A factor of a term.
#[derive(Clone, PartialEq)]
enum Factor {
    Atom(AtomId),
    /// A remainder.
    Form(FormRef),
}

/// A term: an integer times factors.
type Term = (i64, Vec<Factor>);

/// `times * (of mod modulus)`, extracted from a sum.
struct Remainder {
    times: Linear,
    of: Linear,
    modulus: Number,
    rest: Linear,
}

impl Engine<'_> {
    /// Returns a form of a sum with remainders by named sizes, and with common factors extracted.
    pub(super) fn named_form(&mut self, sum: &Linear, depth: u32) -> Option<FormRef> {
        let mut rest = sum.clone();
        let mut terms: Vec<Term> = Vec::new();
        while let Some(found) = self.remainder_in(&rest) {
            let form = self.division_form(Operator::Mod, &found.of, found.modulus, depth)?;
            for (c, mut factors) in self.terms_of(&found.times) {
                factors.push(Factor::Form(form.clone()));
                terms.push((c, factors));
            }
            rest = found.rest;
        }
        terms.extend(self.terms_of(&rest));
        let has_integer = terms.iter().any(|(c, _)| c.unsigned_abs() > 1);
        let other = match has_integer {
            true => self.factored(terms.clone(), Factors::All, depth),
            false => None,
        };
        let form = self.factored(terms, Factors::Named, depth)?;
        Some(match other {
            Some(other) if other.is_smaller_than(&form) => other,
            _ => form,
        })
    }

    /// Returns the terms of a sum; the constant is a term without factors.
    fn terms_of(&self, sum: &Linear) -> Vec<Term> {
        let of = self.store.polynomial(sum);
        let mut terms = Vec::with_capacity(of.terms().len() + 1);
        if of.constant != 0 {
            terms.push((of.constant, Vec::new()));
        }
        for term in of.terms() {
            let (Monomial(atoms), c) = self.store.with_parameters(term.clone());
            terms.push((c, atoms.into_iter().map(Factor::Atom).collect()));
        }
        terms
    }

    /// Finds a remainder that makes a sum shorter: `times * (of - modulus * q)`, where `q` is `of floordiv modulus`.
    fn remainder_in(&mut self, sum: &Linear) -> Option<Remainder> {
        let before = self.store.weight(sum);
        let mut best: Option<(u32, Remainder)> = None;
        for &(term, c) in sum.terms() {
            let (others, quotient) = match self.store.factored(term) {
                Some((others, atom)) => (self.store.sum(others).scaled(c)?, atom),
                None => (Linear::constant(c), term),
            };
            let division = self.store.division(quotient);
            let Some((numerator, divisor)) =
                division.filter(|_| !self.store.is_part_of_parameter(quotient))
            else {
                continue;
            };
            let minus = others.scaled(-1)?;
            let same = self.quotients_with(sum, &numerator, quotient);
            let mut candidates: Vec<(Linear, Linear, Number)> = Vec::new();
            for times in self.times_of(&minus, divisor) {
                candidates.push((times, numerator.clone(), divisor));
            }
            for (atom, by) in same {
                if let Some(modulus) = divisor.exactly(by, self)
                    && let Some(times) = self.multiple_of(&minus, modulus)
                {
                    candidates.push((times, Linear::atom(atom), modulus));
                }
            }
            for (times, of, modulus) in candidates {
                let Some(rest) = self.without_remainder(sum, (&times, &of, modulus), quotient)
                else {
                    continue;
                };
                let parts = [&rest, &of, &times].map(|part| self.store.weight(part));
                let size = parts.into_iter().sum();
                if size < before && best.as_ref().is_none_or(|(least, _)| size < *least) {
                    let found = Remainder { times, of, modulus, rest };
                    best = Some((size, found));
                }
            }
        }
        best.map(|(_, found)| found)
    }

    /// Returns the possible factors of a remainder by `modulus` whose quotient has `coefficient`. If the modulus is a sum,
    /// `coefficient` may be a multiple of any of its terms.
    fn times_of(&mut self, coefficient: &Linear, modulus: Number) -> Vec<Linear> {
        let whole = self.multiple_of(coefficient, modulus);
        if let (None, Number::Named(_)) = (&whole, modulus) {
            let parts = self.store.sum_of_number(modulus);
            let constant = Some(Linear::constant(parts.constant));
            let terms = parts.terms().iter();
            let terms = terms.map(|(atom, c)| Linear::new(0, [(*atom, *c)]));
            let parts: Vec<Linear> = terms.chain([constant]).flatten().collect();
            let quotients = parts.iter().filter(|part| !part.is_zero());
            let quotients = quotients.filter_map(|part| match part.as_constant() {
                Some(by) => self.multiple_of(coefficient, Number::Integer(by)),
                None => {
                    let (multiples, rest) = self.store.split(coefficient, part)?;
                    rest.is_zero().then_some(multiples)
                }
            });
            return quotients.collect();
        }
        whole.into_iter().collect()
    }

    /// Returns `sum - times * (of - modulus * quotient)`.
    fn without_remainder(
        &mut self,
        sum: &Linear,
        (times, of, modulus): (&Linear, &Linear, Number),
        quotient: AtomId,
    ) -> Option<Linear> {
        let product = self.store.product(times, of)?;
        let blocks = modulus.scaled(&Linear::atom(quotient), self)?;
        let blocks = self.store.product(times, &blocks)?;
        sum.plus(-1, &product)?.plus(1, &blocks)
    }

    /// Returns `of / by`, if the division is exact.
    fn multiple_of(&mut self, of: &Linear, by: Number) -> Option<Linear> {
        let (multiples, rest) = match by {
            Number::Integer(by) => {
                let mut exact = of.terms().iter().map(|(_, c)| *c).chain([of.constant]);
                match exact.all(|c| c % by == 0) {
                    true => of.split_multiples(by),
                    false => return None,
                }
            }
            Number::Named(_) => {
                let by = self.store.sum_of_number(by);
                self.store.split(of, &by)?
            }
        };
        rest.is_zero().then_some(multiples)
    }

    /// Returns the other quotients of the same numerator in a sum, with their divisors.
    fn quotients_with(
        &mut self,
        sum: &Linear,
        numerator: &Linear,
        other: AtomId,
    ) -> Vec<(AtomId, Number)> {
        let mut found = Vec::new();
        for (term, _) in sum.terms() {
            let atom = self.store.factored(*term).map_or(*term, |(_, atom)| atom);
            if atom != other
                && let Some((of, by)) = self.store.division(atom)
                && of == *numerator
            {
                found.push((atom, by));
            }
        }
        found
    }

    /// Builds a sum of terms with common factors extracted, the most frequent first.
    fn factored(&mut self, mut terms: Vec<Term>, kinds: Factors, depth: u32) -> Option<FormRef> {
        terms.retain(|(c, _)| *c != 0);
        let mut coefficients = terms.iter().map(|(c, _)| *c);
        let content = coefficients.try_fold(0, num::gcd)?;
        if content > 1 {
            terms.iter_mut().for_each(|(c, _)| *c /= content);
            return Form::sum(0, [(content, self.inner_form(terms, kinds, depth)?)]);
        }
        let common = match terms.len() <= MAX_TERMS {
            true => self.common_factor(&terms, kinds),
            false => None,
        };
        let Some(common) = common else {
            let mut parts = Vec::with_capacity(terms.len());
            let mut constant = 0i64;
            for (c, factors) in terms {
                match factors.is_empty() {
                    true => constant = constant.checked_add(c)?,
                    false => parts.push((c, self.product_form(factors, depth)?)),
                }
            }
            return Form::sum(constant, parts);
        };
        let (mut with, rest): (Vec<Term>, Vec<Term>) =
            terms.into_iter().partition(|term| common.is_in(term));
        with.iter_mut().for_each(|term| common.take_from(term));
        let inner = self.inner_form(with, kinds, depth)?;
        let (times, product) = match common {
            Common::Integer(value) => (value, inner),
            Common::Factor(factor) => {
                let factor = self.product_form(vec![factor], depth)?;
                (1, Form::product([factor, inner])?)
            }
        };
        match rest.is_empty() {
            true => Form::sum(0, [(times, product)]),
            false => Form::sum(0, [(times, product), (1, self.factored(rest, kinds, depth)?)]),
        }
    }

    /// Returns the form of a sum from which a factor was extracted; with a min or max, the smallest form of its value.
    fn inner_form(&mut self, terms: Vec<Term>, kinds: Factors, depth: u32) -> Option<FormRef> {
        let mut factors = terms.iter().flat_map(|(_, factors)| factors);
        let is_choice = |factor: &Factor| match factor {
            Factor::Atom(atom) => self.store.is_choice(*atom),
            Factor::Form(_) => false,
        };
        if !factors.any(is_choice) {
            return self.factored(terms, kinds, depth);
        }
        let mut sum = Linear::default();
        for (c, factors) in &terms {
            let mut product = Linear::constant(*c);
            for factor in factors {
                let Factor::Atom(atom) = factor else {
                    return self.factored(terms, kinds, depth);
                };
                let factor = self.store.multiple_of(VariableId(atom.0));
                let factor = factor.unwrap_or_else(|| Linear::atom(*atom));
                product = self.store.product(&product, &factor)?;
            }
            sum = sum.plus(1, &product)?;
        }
        self.sum_form(&sum, depth + 1)
    }

    /// Returns the factor that most terms have, if several terms share one.
    fn common_factor(&self, terms: &[Term], kinds: Factors) -> Option<Common> {
        let mut best: Option<(usize, (u32, u32), Common)> = None;
        for (c, factors) in terms {
            let factors = factors.iter().map(|factor| {
                let size = match factor {
                    Factor::Atom(atom) => (self.store.atom(*atom).weight, atom.0),
                    Factor::Form(form) => (form.ops.saturating_add(1), 0),
                };
                (size, Common::Factor(factor.clone()))
            });
            let is_factor = kinds == Factors::All && c.unsigned_abs() > 1;
            let integer = is_factor.then_some(Common::Integer(c.saturating_abs()));
            let integer = integer.map(|integer| ((u32::MAX, 0), integer));
            for (size, common) in factors.chain(integer) {
                let count = terms.iter().filter(|term| common.is_in(term)).count();
                let is_better = best.as_ref().is_none_or(|(most, least, _)| {
                    count > *most || count == *most && size < *least
                });
                if count > 1 && is_better {
                    best = Some((count, size, common));
                }
            }
        }
        best.map(|(_, _, common)| common)
    }

    fn product_form(&mut self, factors: Vec<Factor>, depth: u32) -> Option<FormRef> {
        let mut forms = Vec::with_capacity(factors.len());
        for factor in factors {
            forms.push(match factor {
                Factor::Atom(atom) => self.atom_form(atom, depth)?,
                Factor::Form(form) => form,
            });
        }
        Form::product(forms)
    }
}

/// The kinds of common factors that are extracted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Factors {
    Named,
    /// Integers, too.
    All,
}

/// A factor of several terms.
enum Common {
    Factor(Factor),
    /// An integer of at least 2.
    Integer(i64),
}

impl Common {
    fn is_in(&self, (c, factors): &Term) -> bool {
        match self {
            Common::Factor(factor) => factors.contains(factor),
            Common::Integer(value) => c % value == 0,
        }
    }

    fn take_from(&self, (c, factors): &mut Term) {
        match self {
            Common::Factor(factor) => {
                if let Some(place) = factors.iter().position(|other| other == factor) {
                    factors.swap_remove(place);
                }
            }
            Common::Integer(value) => *c /= value,
        }
    }
}
