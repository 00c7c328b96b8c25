//! Chooses values for constants that a left side leaves open, by `let` or from a condition.
//!
//! Law: a choice is a hint. Every condition is checked with the value it gives.

use super::pattern::{Core, Integer, Pattern, Summand, pattern};
use super::{Bindings, Number, Terms, integer, number, number_of, sum_of};
use crate::num;
use crate::rule::{Condition, Relation, Rule, Slot, Term};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How to compute a value to try.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Choice {
    /// The term given by `let`.
    Value(Term),
    /// The quotient, if exact.
    Exactly {
        /// Dividend.
        value: Term,
        /// Divisor.
        divisor: Term,
    },
    /// The greatest `u` with `factor*u <= bound`.
    Greatest {
        /// The bound; the lower bound of its range is used.
        bound: Term,
        /// The factor.
        factor: Term,
    },
    /// The nonzero `u` of least magnitude such that `modulus` divides `factor*u + rest`.
    Solution {
        /// The factor.
        factor: Term,
        /// The addend.
        rest: Term,
        /// The modulus, up to sign.
        modulus: Term,
    },
    /// The greatest common divisor.
    CommonDivisor(Vec<Term>),
}

impl Choice {
    /// Evaluates the choice.
    pub fn value<T: Terms>(&self, bindings: &Bindings<T::Atom>, terms: &mut T) -> Option<Number> {
        match self {
            Choice::Value(term) => number(term, bindings, terms),
            Choice::Exactly { value, divisor } => {
                let divisor = number(divisor, bindings, terms)?;
                let value = sum_of(value, bindings, terms)?;
                number_of(&value, terms)?.exactly(divisor, terms)
            }
            Choice::Greatest { bound, factor } => {
                let factor = number(factor, bindings, terms)?;
                let bound = sum_of(bound, bindings, terms)?;
                terms.end(&bound, true)?;
                terms.end(&bound, false)?.floordiv(factor, terms)
            }
            Choice::Solution { factor, rest, modulus } => {
                let factor = integer(factor, bindings, terms)?;
                let rest = integer(rest, bindings, terms)?;
                let modulus = integer(modulus, bindings, terms)?.checked_abs()?;
                solution(factor, rest, modulus).map(Number::Integer)
            }
            Choice::CommonDivisor(of) => {
                let mut of = of.iter();
                let common = of
                    .try_fold(0, |common, term| num::gcd(common, integer(term, bindings, terms)?));
                common.map(Number::Integer)
            }
        }
    }
}

/// Returns the nonzero `u` of least magnitude, positive in a tie, such that `modulus` divides `factor*u + rest`.
fn solution(factor: i64, rest: i64, modulus: i64) -> Option<i64> {
    if modulus < 1 {
        return None;
    }
    let (common, inverse, _) = num::extended_gcd(num::modulo(factor, modulus), modulus);
    let rest = num::modulo(rest, modulus);
    if rest % common != 0 {
        return None;
    }
    // Solutions are congruent modulo the period.
    let period = modulus / common;
    let one = i128::from(rest / common) * -i128::from(inverse);
    let least = i64::try_from(one.rem_euclid(i128::from(period))).ok()?;
    Some(match least {
        0 => period,
        _ if least <= period - least => least,
        _ => least - period,
    })
}

/// The choices for constants that matching the left side does not bind.
pub struct Plan {
    /// Choices in order of computation.
    pub choices: Vec<(Slot, Choice)>,
    /// Bound variables.
    constants: BTreeSet<Slot>,
    expressions: BTreeSet<Slot>,
    /// Sums of variables that the left side leaves open, each with the term that it equals.
    pub equations: Vec<(Vec<Summand>, Term)>,
}

impl Plan {
    /// Plans a rule, given the slots that matching binds.
    pub fn of(rule: &Rule, mut bound: BoundSlots) -> Plan {
        let equations = bound.open_sums(rule);
        let mut plan = Plan {
            equations,
            choices: Vec::new(),
            constants: bound.constants,
            expressions: bound.expressions,
        };
        for (slot, term) in &rule.witnesses {
            if plan.constants.insert(*slot) {
                plan.choices.push((*slot, Choice::Value(term.clone())));
            }
        }
        let all = 0..Slot::try_from(rule.constants.len()).unwrap_or(Slot::MAX);
        while let Some((slot, choice)) = next_choice(rule, &plan.constants, all.clone()) {
            plan.constants.insert(slot);
            plan.choices.push((slot, choice));
        }
        plan
    }

    /// Returns a variable of the rule that nothing binds, if any.
    pub fn without_value<'r>(&self, rule: &'r Rule) -> Option<&'r str> {
        let constant = rule.constants.iter().zip(0..);
        let mut constant = constant.filter(|(_, slot)| !self.constants.contains(slot));
        let expression = rule.expressions.iter().zip(0..);
        let mut expression = expression.filter(|(_, slot)| !self.expressions.contains(slot));
        let name = constant.next().or_else(|| expression.next())?.0;
        Some(name)
    }
}

/// The variables that matching binds.
#[derive(Clone, Default)]
pub struct BoundSlots {
    constants: BTreeSet<Slot>,
    expressions: BTreeSet<Slot>,
    /// Constants in equations: these are solved, not guessed.
    equated: BTreeSet<Slot>,
}

impl BoundSlots {
    /// Returns the slots that are bound before matching starts.
    pub fn of(rule: &Rule) -> BoundSlots {
        let mut bound = BoundSlots::default();
        for equation in equations(rule) {
            for side in equation.sides() {
                bound.equated.extend(constants_of(side));
            }
        }
        bound
    }

    /// Estimates the number of guesses to match `pattern` with these bindings: splits of sums weigh most, then the
    /// order of operands.
    pub fn guesses(&self, pattern: &Pattern) -> usize {
        const OF_A_SUM: usize = 16;
        match pattern {
            Pattern::Sum(summands) => {
                let (mut variables, mut guesses) = (0, 0);
                for summand in summands {
                    match &summand.core {
                        Core::Variable(slot) if !self.expressions.contains(slot) => {
                            variables += 1;
                            let factor = constants_of(&summand.factor.term);
                            let is_known = factor.is_subset(&self.constants);
                            guesses += if is_known { 0 } else { OF_A_SUM };
                        }
                        Core::Operation(of) | Core::Defined(_, of) => guesses += self.guesses(of),
                        Core::One | Core::Variable(_) => {}
                    }
                }
                // One variable takes the remainder.
                guesses + OF_A_SUM * usize::saturating_sub(variables, 1)
            }
            Pattern::Division(_, of, _) => self.guesses(of),
            Pattern::MinMax(_, operands) => {
                let inside = operands.iter().map(|x| self.guesses(x));
                operands.len() - 1 + inside.sum::<usize>()
            }
        }
    }

    /// Records the slots that matching a pattern binds.
    pub fn read(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Sum(summands) => summands.iter().for_each(|summand| self.summand(summand)),
            Pattern::Division(_, of, divisor) => {
                // A product of two is split into its factors.
                let is_product = matches!(&divisor.term, Term::Product(x, y)
                    if matches!((&**x, &**y), (Term::Constant(_), Term::Constant(_))));
                self.integer(divisor, if is_product { 2 } else { 1 });
                self.read(of);
            }
            Pattern::MinMax(_, operands) => operands.iter().for_each(|x| self.read(x)),
        }
    }

    /// Collects equations with one side known, the other a sum with open variables.
    fn open_sums(&mut self, rule: &Rule) -> Vec<(Vec<Summand>, Term)> {
        let mut found = Vec::new();
        for equation in equations(rule) {
            let sides = [(&equation.lhs, &equation.rhs), (&equation.rhs, &equation.lhs)];
            for (value, open) in sides {
                let is_known = expressions_of(value).is_subset(&self.expressions);
                if is_known
                    && !expressions_of(open).is_subset(&self.expressions)
                    && let Some(Pattern::Sum(summands)) = pattern(open, &[])
                {
                    summands.iter().for_each(|summand| self.summand(summand));
                    found.push((summands, value.clone()));
                }
            }
        }
        found
    }

    fn summand(&mut self, summand: &Summand) {
        let guessed = match &summand.core {
            Core::One => true,
            Core::Variable(slot) => {
                self.expressions.insert(*slot);
                constants_of(&summand.factor.term).is_disjoint(&self.equated)
            }
            Core::Defined(slot, pattern) => {
                self.expressions.insert(*slot);
                self.read(pattern);
                true
            }
            Core::Operation(pattern) => {
                self.read(pattern);
                true
            }
        };
        if guessed {
            self.integer(&summand.factor, 1);
        }
    }

    /// Binds the constants of an integer's term, if at most `most` of them are open.
    pub fn integer(&mut self, integer: &Integer, most: usize) {
        let mut open = constants_of(&integer.term);
        open.retain(|slot| !self.constants.contains(slot));
        if open.len() <= most {
            self.constants.extend(open);
        }
    }
}

fn equations(rule: &Rule) -> impl Iterator<Item = &Condition> {
    let all = rule.conditions.iter();
    all.filter(|condition| condition.relation == Relation::Equal)
}

/// Returns the expressions in a term.
fn expressions_of(term: &Term) -> BTreeSet<Slot> {
    let mut slots = BTreeSet::new();
    term.visit(&mut |part| {
        if let Term::Expression(slot) = part {
            slots.insert(*slot);
        }
    });
    slots
}

/// Returns the constants in a term.
#[must_use]
pub fn constants_of(term: &Term) -> BTreeSet<Slot> {
    let mut slots = BTreeSet::new();
    term.visit(&mut |part| {
        if let Term::Constant(slot) = part {
            slots.insert(*slot);
        }
    });
    slots
}

fn next_choice(
    rule: &Rule,
    known: &BTreeSet<Slot>,
    all: std::ops::Range<Slot>,
) -> Option<(Slot, Choice)> {
    let open: Vec<Slot> = all.filter(|slot| !known.contains(slot)).collect();
    let open_in = |term: &Term| {
        let slots = constants_of(term);
        open.iter().filter(|slot| slots.contains(slot)).count()
    };
    for slot in &open {
        for equation in equations(rule) {
            let difference = minus(equation.lhs.clone(), equation.rhs.clone());
            if open_in(&difference) == 1
                && let Some((divisor, rest)) = affine(&difference, *slot)
            {
                let value = negative(rest);
                return Some((*slot, Choice::Exactly { value, divisor }));
            }
        }
    }
    for slot in &open {
        for condition in &rule.conditions {
            if condition.relation != Relation::Equal
                && open_in(&condition.lhs) == 1
                && open_in(&condition.rhs) == 0
                && let Some((factor, rest)) = affine(&condition.lhs, *slot)
            {
                let bound = minus(condition.rhs.clone(), rest);
                return Some((*slot, Choice::Greatest { bound, factor }));
            }
        }
    }
    for slot in &open {
        for equation in equations(rule) {
            let difference = minus(equation.lhs.clone(), equation.rhs.clone());
            let is_closed = |term: &Term| open_in(term) == 0;
            let mut others = open.iter().filter(|other| *other != slot);
            if open_in(&difference) == 2
                && let Some((factor, rest)) =
                    affine(&difference, *slot).filter(|(factor, _)| is_closed(factor))
                && let Some((modulus, rest)) = others
                    .find_map(|other| affine(&rest, *other))
                    .filter(|(modulus, _)| is_closed(modulus))
            {
                let solution = Choice::Solution { factor, rest, modulus };
                return Some((*slot, solution));
            }
        }
    }
    for slot in &open {
        let multiple = |equation: &Condition| {
            let (of, product) = match open_in(&equation.lhs) {
                0 => (&equation.lhs, &equation.rhs),
                _ => (&equation.rhs, &equation.lhs),
            };
            let Term::Product(x, y) = product else {
                return None;
            };
            let factors = [&**x, &**y];
            let is_factor = factors.contains(&&Term::Constant(*slot));
            (is_factor && open_in(of) == 0 && !of.has_expression()).then(|| of.clone())
        };
        let multiples: Vec<Term> = equations(rule).filter_map(multiple).collect();
        if multiples.len() > 1 {
            return Some((*slot, Choice::CommonDivisor(multiples)));
        }
    }
    None
}

/// Returns `factor` and `rest` of `factor*slot + rest`; `None` if the term is not of this form, or lacks the constant.
#[must_use]
pub fn affine(term: &Term, slot: Slot) -> Option<(Term, Term)> {
    let has = |term: &Term| constants_of(term).contains(&slot);
    match term {
        Term::Constant(known) if *known == slot => Some((Term::Integer(1), Term::Integer(0))),
        Term::Sum(terms) => {
            let (with, without): (Vec<&Term>, Vec<&Term>) =
                terms.iter().partition(|term| has(term));
            let [with] = with.as_slice() else {
                return None;
            };
            let (factor, rest) = affine(with, slot)?;
            let all = std::iter::once(rest).chain(without.into_iter().cloned());
            Some((factor, sum(all.collect())))
        }
        Term::Product(x, y) if has(x) != has(y) => {
            let (with, other) = if has(x) { (x, y) } else { (y, x) };
            let (factor, rest) = affine(with, slot)?;
            Some((product(other, factor), product(other, rest)))
        }
        _ => None,
    }
}

fn sum(mut terms: Vec<Term>) -> Term {
    terms.retain(|term| *term != Term::Integer(0));
    match terms.as_slice() {
        [] => Term::Integer(0),
        [term] => term.clone(),
        _ => Term::Sum(terms),
    }
}

fn product(x: &Term, y: Term) -> Term {
    match (x, y) {
        (_, Term::Integer(0)) => Term::Integer(0),
        (x, Term::Integer(1)) => x.clone(),
        (x, y) => Term::Product(Box::new(x.clone()), Box::new(y)),
    }
}

fn negative(term: Term) -> Term {
    product(&Term::Integer(-1), term)
}

fn minus(x: Term, y: Term) -> Term {
    sum(vec![x, negative(y)])
}
