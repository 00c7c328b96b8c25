//! Finds steps by which proof assistants can prove a rule, if the lemmas of linear arithmetic suffice.
//!
//! Law: each step follows from the steps before it by linear arithmetic, with products and quotients as names, and at the end of
//! each case so does a contradiction. Here a solver decides this; a proof assistant checks the steps without a solver, and trusts
//! nothing in this file.

use super::obligation::with_terms;
use crate::prove::products::{
    Atom, Goal, Implication, LinearProblem, Obligation, Polynomial, Quotient, Sign, script,
};
use crate::prove::{Budget, TextAnswer, decide_text};
use crate::rule::{Rule, Statement, Term};
use std::cell::Cell;

/// Maximum number of solver queries for one rule; a rule that needs more has no steps.
const QUESTIONS: u32 = 2_000;

/// Maximum nesting of case distinctions.
const MAX_DEPTH: usize = 4;

/// A fact about two terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fact {
    /// The divisor is at least 1, so the quotient is determined up to the remainder.
    Quotient,
    /// Both are nonnegative, so their product is.
    Nonneg,
    /// The second is zero, so their product is.
    Zero,
    /// The second is negative: otherwise their product, whose first factor is nonnegative, would contradict known facts.
    Never,
}

impl Fact {
    /// All facts.
    pub const ALL: [Fact; 4] = [Fact::Quotient, Fact::Nonneg, Fact::Zero, Fact::Never];

    /// Returns its name, in `rules/proofs.txt` and as a tactic.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Fact::Quotient => "quotient",
            Fact::Nonneg => "nonneg",
            Fact::Zero => "zero",
            Fact::Never => "never",
        }
    }
}

/// The ways to split a claim in two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cases {
    /// An equivalence: each side implies the other.
    Ways,
    /// A conjunction: its first comparison, and the others.
    Parts,
    /// An equation: each side is at most the other.
    Sides,
    /// `x <= y`, or its negation.
    Order(Term, Term),
}

/// A step of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A fact about two terms.
    Known(Fact, Term, Term),
    /// Assumes that the comparison to be shown is false, for a contradiction.
    Otherwise,
    /// Two cases, with a proof of each; the last step.
    Cases(Cases, [Vec<Step>; 2]),
}

/// Searches for steps that prove the statement of a rule; `None` if none are found.
#[must_use]
pub fn steps(rule: &Rule, budget: &Budget) -> Option<Vec<Step>> {
    let (obligation, terms) = with_terms(rule)?;
    let problem = LinearProblem::unsolved(obligation).ok()?;
    let mut laws = laws(&problem.lemmas);
    laws.extend(multiples(&problem.obligation));
    let LinearProblem { obligation, .. } = problem;
    let search = Search {
        hypotheses: &obligation.hypotheses,
        quotients: &obligation.quotients,
        bare: Obligation { hypotheses: Vec::new(), ..obligation.clone() },
        laws: &laws,
        terms: terms?,
        left: Cell::new(QUESTIONS),
        budget,
    };
    match (&obligation.goal, &rule.statement) {
        (Goal::All(goals), Statement::Rewrite(..)) => {
            // An equation of a statement is left minus right, one of a comparison right minus left.
            let goals = goals.iter().map(|goal| Some(Atom::zero(goal.polynomial.scaled(-1)?)));
            search.all(&[], &goals.collect::<Option<Vec<_>>>()?)
        }
        (Goal::All(goals), _) => search.all(&[], goals),
        (Goal::Same(one, other), _) => {
            Some(vec![Step::Cases(Cases::Ways, [search.all(one, other)?, search.all(other, one)?])])
        }
    }
}

/// A law about the product of two polynomials: its sign follows from theirs, or it is zero because the second is.
#[derive(Clone, PartialEq, Eq)]
struct Law {
    is: Sign,
    factors: [Polynomial; 2],
    product: Polynomial,
}

impl Law {
    fn premises(&self) -> Vec<Atom> {
        let [x, y] = &self.factors;
        match self.is {
            Sign::NotNegative => [x, y].map(|factor| Atom::not_negative(factor.clone())).to_vec(),
            Sign::Zero => vec![Atom::zero(y.clone())],
        }
    }

    fn conclusion(&self) -> Atom {
        Atom { is: self.is, polynomial: self.product.clone() }
    }

    fn implication(&self) -> Implication {
        Implication { premises: self.premises(), conclusions: vec![self.conclusion()] }
    }
}

/// Returns the lemmas about a product of two polynomials.
fn laws(lemmas: &[Implication]) -> Vec<Law> {
    let mut laws: Vec<Law> = Vec::new();
    let mut multipliers: Vec<Polynomial> = Vec::new();
    for lemma in lemmas {
        let [conclusion] = lemma.conclusions.as_slice() else {
            continue;
        };
        let law = match lemma.premises.as_slice() {
            [x, y] if x.is == Sign::NotNegative && y.is == Sign::NotNegative => {
                if !multipliers.contains(&x.polynomial) {
                    multipliers.push(x.polynomial.clone());
                }
                Some([x.polynomial.clone(), y.polynomial.clone()])
            }
            // The multiplier of this equation is one of those of comparisons.
            [y] if y.is == Sign::Zero => {
                let is_it = |x: &&Polynomial| {
                    x.times(&y.polynomial).as_ref() == Some(&conclusion.polynomial)
                };
                multipliers.iter().find(is_it).map(|x| [x.clone(), y.polynomial.clone()])
            }
            _ => None,
        };
        let Some(factors) = law else {
            continue;
        };
        let law = Law { is: conclusion.is, product: conclusion.polynomial.clone(), factors };
        let is_product = law.factors[0].times(&law.factors[1]).as_ref() == Some(&law.product);
        if is_product && !laws.contains(&law) {
            laws.push(law);
        }
    }
    laws
}

/// Returns each equation among the hypotheses, multiplied by each unknown.
fn multiples(obligation: &Obligation) -> impl Iterator<Item = Law> {
    let equations = obligation.hypotheses.iter().filter(|atom| atom.is == Sign::Zero);
    equations.flat_map(|equation| {
        (0..).zip(&obligation.names).filter_map(|(unknown, _)| {
            let factors = [Polynomial::unknown(unknown), equation.polynomial.clone()];
            let product = factors[0].times(&factors[1])?;
            Some(Law { is: Sign::Zero, factors, product })
        })
    })
}

struct Search<'r> {
    hypotheses: &'r [Atom],
    quotients: &'r [Quotient],
    /// The obligation without hypotheses.
    bare: Obligation,
    laws: &'r [Law],
    /// The term of each unknown.
    terms: Vec<Term>,
    left: Cell<u32>,
    budget: &'r Budget,
}

/// A part of a contradiction, in addition to the hypotheses.
#[derive(Clone)]
enum Part<'r> {
    Quotient(&'r Quotient),
    Law(&'r Law),
}

impl<'r> Search<'r> {
    /// Proves a conjunction of comparisons.
    fn all(&self, more: &[Atom], goals: &[Atom]) -> Option<Vec<Step>> {
        let (first, others) = goals.split_first()?;
        if !others.is_empty() {
            let both = [self.all(more, std::slice::from_ref(first))?, self.all(more, others)?];
            return Some(vec![Step::Cases(Cases::Parts, both)]);
        }
        let below = opposite(&first.polynomial)?;
        let against = |atom: Atom| {
            let known = self.hypotheses.iter().chain(more).cloned().chain([atom]);
            self.contradiction(known.collect())
        };
        match first.is {
            Sign::NotNegative => {
                let mut steps = vec![Step::Otherwise];
                steps.extend(against(below)?);
                Some(steps)
            }
            Sign::Zero => {
                let above = Atom::not_negative(first.polynomial.shifted(-1)?);
                Some(vec![Step::Cases(Cases::Sides, [against(below)?, against(above)?])])
            }
        }
    }

    fn contradiction(&self, known: Vec<Atom>) -> Option<Vec<Step>> {
        let quotients = self.quotients.iter().map(Part::Quotient);
        let parts = quotients.chain(self.laws.iter().map(Part::Law));
        let mut parts: Vec<Part<'r>> = parts.collect();
        if !self.contradicts(&known, &parts) {
            return None;
        }
        // Removes unneeded parts, in halves, quarters and so on.
        let mut length = parts.len().div_ceil(2);
        while length > 0 && !parts.is_empty() {
            let mut end = parts.len();
            while end > 0 {
                let start = end.saturating_sub(length);
                let mut fewer = parts.clone();
                fewer.drain(start..end);
                if self.contradicts(&known, &fewer) {
                    parts = fewer;
                }
                end = start;
            }
            length = if length == 1 { 0 } else { length.div_ceil(2) };
        }
        self.closed(known, parts, 0)
    }

    /// Returns steps from the known atoms to a contradiction, using these parts.
    fn closed(
        &self,
        mut known: Vec<Atom>,
        mut parts: Vec<Part<'r>>,
        depth: usize,
    ) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        while !self.contradicts(&known, &[]) {
            if let Some(position) = parts.iter().position(|part| self.is_open(part, &known)) {
                let (step, facts) = self.stated(&parts.remove(position))?;
                steps.push(step);
                known.extend(facts);
                continue;
            }
            if let Some((position, [x, y])) = self.impossible(&known, &parts) {
                parts.remove(position);
                steps.push(Step::Known(Fact::Never, self.term(&x)?, self.term(&y)?));
                known.push(opposite(&y)?);
                continue;
            }
            if depth == MAX_DEPTH || self.left.get() == 0 {
                return None;
            }
            let factor = self.undecided(&known, &parts)?;
            let cases = Cases::Order(Term::Integer(0), self.term(&factor)?);
            let case = |atom: Atom| {
                let known = known.iter().cloned().chain([atom]).collect();
                self.closed(known, parts.clone(), depth + 1)
            };
            let below = opposite(&factor)?;
            steps.push(Step::Cases(cases, [case(Atom::not_negative(factor))?, case(below)?]));
            break;
        }
        Some(steps)
    }

    /// Returns whether the premises of a part are known.
    fn is_open(&self, part: &Part<'_>, known: &[Atom]) -> bool {
        match part {
            Part::Quotient(quotient) => (quotient.divisor.shifted(-1))
                .is_some_and(|least| self.follows(known, &Atom::not_negative(least))),
            Part::Law(law) => law.premises().iter().all(|premise| self.follows(known, premise)),
        }
    }

    fn stated(&self, part: &Part<'_>) -> Option<(Step, Vec<Atom>)> {
        Some(match part {
            Part::Quotient(quotient) => {
                let Term::FloorDiv(x, divisor) = self.terms.get(quotient.quotient as usize)? else {
                    return None;
                };
                let step = Step::Known(Fact::Quotient, (**x).clone(), (**divisor).clone());
                (step, quotient.bounds()?.to_vec())
            }
            Part::Law(law) => {
                let fact = match law.is {
                    Sign::Zero => Fact::Zero,
                    Sign::NotNegative => Fact::Nonneg,
                };
                let [x, y] = &law.factors;
                (Step::Known(fact, self.term(x)?, self.term(y)?), vec![law.conclusion()])
            }
        })
    }

    /// Returns a law with one factor that is nonnegative and one that then cannot be.
    fn impossible(&self, known: &[Atom], parts: &[Part<'_>]) -> Option<(usize, [Polynomial; 2])> {
        for (position, part) in parts.iter().enumerate() {
            let Part::Law(law @ Law { is: Sign::NotNegative, factors: [x, y], .. }) = part else {
                continue;
            };
            for [x, y] in [[x, y], [y, x]] {
                let both = [Atom::not_negative(y.clone()), law.conclusion()];
                let with: Vec<Atom> = known.iter().cloned().chain(both).collect();
                if self.follows(known, &Atom::not_negative(x.clone()))
                    && self.contradicts(&with, &[])
                {
                    return Some((position, [x.clone(), y.clone()]));
                }
            }
        }
        None
    }

    /// Returns a polynomial whose sign a part requires, but which is unknown.
    fn undecided(&self, known: &[Atom], parts: &[Part<'_>]) -> Option<Polynomial> {
        let mut factors = parts.iter().flat_map(|part| match part {
            Part::Law(Law { is: Sign::NotNegative, factors, .. }) => factors.to_vec(),
            Part::Law(Law { factors: [_, y], .. }) => {
                [Some(y.clone()), y.scaled(-1)].into_iter().flatten().collect()
            }
            Part::Quotient(_) => Vec::new(),
        });
        let is_open = |factor: &Polynomial| {
            let below = opposite(factor);
            !self.follows(known, &Atom::not_negative(factor.clone()))
                && below.is_some_and(|below| !self.follows(known, &below))
        };
        factors.find(is_open)
    }

    fn contradicts(&self, known: &[Atom], parts: &[Part<'_>]) -> bool {
        self.holds(known, parts, &Atom::zero(Polynomial::constant(1)))
    }

    fn follows(&self, known: &[Atom], atom: &Atom) -> bool {
        self.holds(known, &[], atom)
    }

    /// Returns whether a comparison follows by linear arithmetic, with case distinctions for minima and maxima.
    fn holds(&self, known: &[Atom], parts: &[Part<'_>], atom: &Atom) -> bool {
        let Some(left) = self.left.get().checked_sub(1) else {
            return false;
        };
        self.left.set(left);
        let mut obligation = self.bare.clone();
        obligation.hypotheses = known.to_vec();
        obligation.goal = Goal::All(vec![atom.clone()]);
        obligation.quotients = Vec::new();
        let mut lemmas = Vec::new();
        for part in parts {
            match part {
                Part::Quotient(quotient) => obligation.quotients.push((*quotient).clone()),
                Part::Law(law) => lemmas.push(law.implication()),
            }
        }
        let Some(problem) = LinearProblem::with(obligation, lemmas) else {
            return false;
        };
        let interrupt = self.budget.interrupt.as_ref();
        let answer = decide_text(&script(&problem), &[], self.budget.solver_steps, interrupt);
        answer == TextAnswer::Unsatisfiable
    }

    /// Returns a polynomial as a term of the rule.
    fn term(&self, polynomial: &Polynomial) -> Option<Term> {
        let mut summands = Vec::new();
        for (monomial, coefficient) in polynomial.terms() {
            let mut factors = Vec::new();
            for unknown in monomial.unknowns() {
                factors.push(self.terms.get(*unknown as usize)?.clone());
            }
            let product = |x: Term, y: Term| Term::Product(Box::new(x), Box::new(y));
            let factors = factors.into_iter().reduce(product)?;
            summands.push(match *coefficient {
                1 => factors,
                coefficient => product(Term::Integer(i64::try_from(coefficient).ok()?), factors),
            });
        }
        if polynomial.constant != 0 || summands.is_empty() {
            summands.push(Term::Integer(i64::try_from(polynomial.constant).ok()?));
        }
        Some(match summands.len() {
            1 => summands.pop()?,
            _ => Term::Sum(summands),
        })
    }
}

/// Returns `f < 0`.
fn opposite(f: &Polynomial) -> Option<Atom> {
    Some(Atom::not_negative(f.scaled(-1)?.shifted(-1)?))
}
