//! Lemmas for a single comparison, chosen backward from its goal: each monomial of the negated goal must cancel, so only those
//! products of facts are stated that have it with the opposite sign.
//!
//! Law: where all factors of a monomial `m` are natural numbers, `f >= 0` implies `m*f >= 0`, and `f = 0` implies
//! `m*f = 0`; `f >= 0` and `g >= 0` imply `f*g >= 0`.

use super::lemmas::{LinearProblem, MAX_DEGREE, TooLarge, axioms, solve_equations};
use super::obligation::{Atom, Goal, Implication, Obligation, Sign};
use crate::num::wide::{Monomial, Polynomial, Unknown};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of lemmas.
const MAX_LEMMAS: usize = 600;

/// Maximum number of monomials to cancel.
const MAX_OPEN: usize = 1_500;

/// Maximum number of facts that are multiplied, and of terms of a fact.
const MAX_FACTS: usize = 200;
const MAX_TERMS: usize = 40;

/// Maximum number of facts that are multiplied with each other.
const MAX_PAIRED: usize = 24;

/// Creates the linear problem of an obligation with one comparison as its goal; `pairs` of facts are multiplied, too.
///
/// # Errors
/// [`TooLarge`], if a polynomial is.
pub fn directed(mut obligation: Obligation, pairs: bool) -> Result<LinearProblem, TooLarge> {
    solve_equations(&mut obligation).ok_or(TooLarge::Polynomial)?;
    let axioms = axioms(&obligation).ok_or(TooLarge::Polynomial)?;
    let search = Search::new(&obligation, &axioms);
    let lemmas = search.and_then(|search| search.lemmas(pairs));
    Ok(LinearProblem { lemmas: lemmas.ok_or(TooLarge::Polynomial)?, obligation, axioms })
}

struct Search<'o> {
    obligation: &'o Obligation,
    /// Comparisons that hold under their premises.
    facts: Vec<(Vec<Atom>, Atom)>,
    /// Unknowns with a fact that bounds them below by a natural number.
    natural: BTreeMap<Unknown, Atom>,
    lemmas: Vec<Implication>,
    /// Monomials to cancel, and whether the coefficient is positive.
    seen: BTreeSet<(Monomial, bool)>,
    open: Vec<(Monomial, bool)>,
}

impl<'o> Search<'o> {
    fn new(obligation: &'o Obligation, axioms: &[Implication]) -> Option<Search<'o>> {
        let mut search = Search {
            obligation,
            facts: Vec::new(),
            natural: BTreeMap::new(),
            lemmas: Vec::new(),
            seen: BTreeSet::new(),
            open: Vec::new(),
        };
        for atom in &obligation.hypotheses {
            search.facts.push((Vec::new(), atom.clone()));
            if let (Sign::NotNegative, [(monomial, 1)]) = (atom.is, atom.polynomial.terms())
                && let [unknown] = monomial.unknowns()
                && atom.polynomial.constant <= 0
            {
                let natural = Atom::not_negative(Polynomial::unknown(*unknown));
                search.natural.insert(*unknown, natural);
            }
        }
        for axiom in axioms {
            for conclusion in &axiom.conclusions {
                let fact = (axiom.premises.clone(), conclusion.clone());
                search.facts.push(fact);
            }
        }
        Some(search)
    }

    fn lemmas(mut self, pairs: bool) -> Option<Vec<Implication>> {
        let Goal::All(goals) = &self.obligation.goal else {
            return Some(Vec::new());
        };
        if goals.iter().all(|goal| goal.polynomial.as_constant().is_some()) {
            for hypothesis in &self.obligation.hypotheses {
                self.cancel(&hypothesis.polynomial);
            }
        }
        for goal in goals {
            self.cancel(&goal.polynomial.scaled(-1)?);
            if goal.is == Sign::Zero {
                self.cancel(&goal.polynomial);
            }
            self.multiplied_by_divisors(goal)?;
        }
        let is_short = |(_, atom): &(Vec<Atom>, Atom)| atom.polynomial.terms().len() <= MAX_TERMS;
        self.facts.retain(is_short);
        self.facts.truncate(MAX_FACTS);
        if pairs {
            self.pairs()?;
        }
        let mut next = 0;
        while next < self.open.len().min(MAX_OPEN) && self.lemmas.len() < MAX_LEMMAS {
            let (monomial, is_positive) = self.open[next].clone();
            next += 1;
            for position in 0..self.facts.len() {
                self.canceling(position, &monomial, is_positive)?;
            }
        }
        Some(self.lemmas)
    }

    /// Adds the monomials of `f`, where `f >= 0` is the negated goal, or a fact used against it.
    fn cancel(&mut self, f: &Polynomial) {
        for (monomial, coefficient) in f.terms() {
            let item = (monomial.clone(), *coefficient > 0);
            if self.seen.insert(item.clone()) {
                self.open.push(item);
            }
        }
    }

    /// States `d*f <= -d` for a violated goal `f >= 0` and divisors `d` of quotients in it.
    fn multiplied_by_divisors(&mut self, goal: &Atom) -> Option<()> {
        let signs: &[i128] = match goal.is {
            Sign::Zero => &[1, -1],
            Sign::NotNegative => &[1],
        };
        for sign in signs {
            let mut multiplied = vec![goal.polynomial.scaled(*sign)?];
            for quotient in &self.obligation.quotients {
                if quotient.divisor.as_constant().is_some() {
                    continue;
                }
                for position in 0..multiplied.len().min(4) {
                    let f = multiplied[position].clone();
                    let has = |(monomial, _): &(Monomial, i128)| {
                        monomial.unknowns().contains(&quotient.quotient)
                    };
                    let product = quotient.divisor.times(&f)?;
                    if !f.terms().iter().any(has) || product.degree() > MAX_DEGREE {
                        continue;
                    }
                    let wrong = f.scaled(-1)?.shifted(-1)?;
                    let conclusion = quotient.divisor.times(&wrong)?;
                    self.cancel(&conclusion);
                    self.lemmas.push(Implication {
                        premises: vec![
                            Atom::not_negative(quotient.divisor.clone()),
                            Atom::not_negative(wrong),
                        ],
                        conclusions: vec![Atom::not_negative(conclusion)],
                    });
                    multiplied.push(product);
                }
            }
        }
        Some(())
    }

    /// States the products of two facts without premises.
    fn pairs(&mut self) -> Option<()> {
        let facts = self.facts.iter().map(|(_, atom)| atom);
        let facts =
            facts.filter(|atom| atom.is == Sign::NotNegative && atom.polynomial.terms().len() > 1);
        let facts: Vec<Atom> = facts.take(MAX_PAIRED).cloned().collect();
        for (position, x) in facts.iter().enumerate() {
            for y in &facts[..position] {
                let product = x.polynomial.times(&y.polynomial)?;
                if product.degree() <= MAX_DEGREE {
                    self.lemmas.push(Implication {
                        premises: vec![x.clone(), y.clone()],
                        conclusions: vec![Atom::not_negative(product)],
                    });
                }
            }
        }
        Some(())
    }

    /// States the products of a fact that have this monomial with the opposite sign.
    fn canceling(&mut self, fact: usize, monomial: &Monomial, is_positive: bool) -> Option<()> {
        let terms = self.facts[fact].1.polynomial.terms().to_vec();
        for (own, coefficient) in &terms {
            let (premises, atom) = &self.facts[fact];
            if (*coefficient > 0) == is_positive && atom.is == Sign::NotNegative {
                continue;
            }
            let Some(factor) = monomial.without(own) else {
                continue;
            };
            let natural = factor.unknowns().iter();
            let natural: Option<Vec<Atom>> =
                natural.map(|unknown| self.natural.get(unknown).cloned()).collect();
            let Some(natural) = natural else {
                continue;
            };
            let product = Polynomial::monomial(factor.clone()).times(&atom.polynomial)?;
            if product.degree() > MAX_DEGREE {
                continue;
            }
            let is = atom.is;
            if !factor.unknowns().is_empty() {
                let mut premises: Vec<Atom> = premises.iter().cloned().chain(natural).collect();
                premises.push(atom.clone());
                premises.dedup();
                let conclusions = vec![Atom { is, polynomial: product.clone() }];
                let lemma = Implication { premises, conclusions };
                if !self.lemmas.contains(&lemma) {
                    self.lemmas.push(lemma);
                }
            }
            self.cancel(&product);
            if is == Sign::Zero {
                self.cancel(&product.scaled(-1)?);
            }
        }
        Some(())
    }
}
