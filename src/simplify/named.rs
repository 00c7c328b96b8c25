//! Forms of sums with named sizes: remainders by them, and common factors.

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use crate::num;
use crate::num::polynomial::Monomial;
use crate::rule::matching::Number;
use crate::simplify::saturate::{Form, FormRef};

/// Maximum number of terms among which common factors are looked for.
const MAX_TERMS: usize = 32;

/// A term: an integer times factors.
type Term = (i64, Vec<FormRef>);

/// `times * (of mod modulus)`, taken out of a sum.
struct Remainder {
    times: Linear,
    of: Linear,
    modulus: Number,
    rest: Linear,
}

impl Engine<'_> {
    /// A form of a sum with remainders by named sizes, and with common factors apart.
    pub(super) fn named_form(&mut self, sum: &Linear, depth: u32) -> Option<FormRef> {
        let mut rest = sum.clone();
        let mut terms: Vec<Term> = Vec::new();
        while let Some(found) = self.remainder_in(&rest) {
            let form = self.remainder_form(&found.of, found.modulus, depth)?;
            for (c, mut factors) in self.terms_of(&found.times, depth)? {
                factors.push(form.clone());
                terms.push((c, factors));
            }
            rest = found.rest;
        }
        terms.extend(self.terms_of(&rest, depth)?);
        factored(terms)
    }

    /// The terms of a sum with the forms of their factors; the constant is a term without factors.
    fn terms_of(&mut self, sum: &Linear, depth: u32) -> Option<Vec<Term>> {
        let of = self.store.polynomial(sum);
        let mut terms = Vec::with_capacity(of.terms().len() + 1);
        if of.constant != 0 {
            terms.push((of.constant, Vec::new()));
        }
        for term in of.terms() {
            let (Monomial(atoms), c) = self.store.with_parameters(term.clone());
            let mut factors = Vec::with_capacity(atoms.len());
            for atom in atoms {
                factors.push(self.atom_form(atom, depth)?);
            }
            terms.push((c, factors));
        }
        Some(terms)
    }

    /// A remainder that makes a sum shorter: `times * (of - modulus * q)`, where `q` is `of floordiv modulus`.
    fn remainder_in(&mut self, sum: &Linear) -> Option<Remainder> {
        let before = self.store.weight(sum);
        let mut best: Option<(u32, Remainder)> = None;
        for &(term, c) in sum.terms() {
            let (others, quotient) = match self.store.factored(term) {
                Some((others, atom)) => (self.store.sum(others).scaled(c)?, atom),
                None => (Linear::constant(c), term),
            };
            let Some((numerator, divisor)) = self.store.division(quotient) else {
                continue;
            };
            let minus = others.scaled(-1)?;
            let same = self.quotients_with(sum, &numerator, quotient);
            let whole = std::iter::once((numerator.clone(), divisor));
            let digits = same.into_iter().filter_map(|(atom, by)| {
                let modulus = divisor.exactly(by, self)?;
                Some((Linear::atom(atom), modulus))
            });
            let digits: Vec<(Linear, Number)> = digits.collect();
            for (of, modulus) in whole.chain(digits) {
                let Some(times) = self.multiple_of(&minus, modulus) else {
                    continue;
                };
                let Some(product) = self.store.product(&times, &of) else {
                    continue;
                };
                let peeled = sum.plus(-1, &product)?;
                let rest = peeled.plus(-1, &Linear::new(0, [(term, c)])?)?;
                let size =
                    self.store.weight(&rest) + self.store.weight(&of) + self.store.weight(&times);
                if size < before && best.as_ref().is_none_or(|(least, _)| size < *least) {
                    let found = Remainder {
                        times,
                        of,
                        modulus,
                        rest,
                    };
                    best = Some((size, found));
                }
            }
        }
        best.map(|(_, found)| found)
    }

    /// `of / by`, if the division is exact.
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

    /// The other quotients of the same numerator in a sum, with their divisors.
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
}

/// A sum of terms with common factors apart, those first that most terms have.
fn factored(mut terms: Vec<Term>) -> Option<FormRef> {
    terms.retain(|(c, _)| *c != 0);
    let content = terms
        .iter()
        .try_fold(0, |common, (c, _)| num::gcd(common, *c))?;
    if content > 1 {
        terms.iter_mut().for_each(|(c, _)| *c /= content);
        return Form::sum(0, [(content, factored(terms)?)]);
    }
    let mut best: Option<(usize, FormRef)> = None;
    if terms.len() <= MAX_TERMS {
        for (_, factors) in &terms {
            for factor in factors {
                let has = |(_, factors): &&Term| factors.contains(factor);
                let count = terms.iter().filter(has).count();
                let is_better = best.as_ref().is_none_or(|(most, known)| {
                    count > *most || count == *most && factor.is_smaller_than(known)
                });
                if count > 1 && is_better {
                    best = Some((count, factor.clone()));
                }
            }
        }
    }
    let Some((_, common)) = best else {
        let mut parts = Vec::with_capacity(terms.len());
        let mut constant = 0i64;
        for (c, factors) in terms {
            match factors.is_empty() {
                true => constant = constant.checked_add(c)?,
                false => parts.push((c, Form::product(factors)?)),
            }
        }
        return Form::sum(constant, parts);
    };
    let (with, rest): (Vec<Term>, Vec<Term>) = terms
        .into_iter()
        .partition(|(_, factors)| factors.contains(&common));
    let inner = with.into_iter().map(|(c, mut factors)| {
        if let Some(place) = factors.iter().position(|factor| *factor == common) {
            factors.swap_remove(place);
        }
        (c, factors)
    });
    let inner = factored(inner.collect())?;
    let product = Form::product([common, inner])?;
    match rest.is_empty() {
        true => Some(product),
        false => Form::sum(0, [(1, product), (1, factored(rest)?)]),
    }
}
