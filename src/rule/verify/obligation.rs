//! The proof obligations of a rule, over polynomials: conditions imply the statement, and divisors are positive.

use crate::prove::products::{Atom, Goal, Implication, Obligation, Polynomial, Unknown, Unknowns};
use crate::rule::{Condition, Relation, Rule, Statement, Term};

/// States the claim of a rule; `None` if a coefficient overflows.
pub fn of_statement(rule: &Rule) -> Option<Obligation> {
    Some(with_terms(rule)?.0)
}

/// Like [`of_statement`], with the term of each unknown, unless an unknown represents terms that are written differently.
pub fn with_terms(rule: &Rule) -> Option<(Obligation, Option<Vec<Term>>)> {
    let mut builder = Builder::new(rule);
    let hypotheses = builder.atoms(&rule.conditions)?;
    let goal = match &rule.statement {
        Statement::Rewrite(lhs, rhs) => {
            let (lhs, rhs) = (builder.term(lhs)?, builder.term(rhs)?);
            Goal::All(vec![Atom::zero(lhs.plus(-1, &rhs)?)])
        }
        Statement::Equivalence(lhs, rhs) => Goal::Same(builder.atoms(lhs)?, builder.atoms(rhs)?),
        Statement::Fact(facts) => Goal::All(builder.atoms(facts)?),
    };
    let obligation = builder.finish(Some(rule), hypotheses, goal)?;
    Some((obligation, builder.is_as_written.then_some(builder.terms)))
}

/// States that every divisor of a rule is at least 1 if its conditions hold.
///
/// A divisor in a condition must be positive wherever all conditions that have a value hold: each is assumed only where its
/// own divisors are at least 1, regardless of order.
pub fn of_divisors(rule: &Rule) -> Option<Vec<Obligation>> {
    let mut obligations = Vec::new();
    let mut seen: Vec<Term> = Vec::new();
    let inside = rule.conditions.iter().flat_map(Condition::divisors);
    let inside = inside.map(|divisor| (divisor, true));
    let stated = rule.stated_terms().flat_map(Term::divisors);
    for (divisor, in_condition) in inside.chain(stated.map(|divisor| (divisor, false))) {
        if seen.contains(&divisor) {
            continue;
        }
        let mut builder = Builder::new(rule);
        let (mut hypotheses, mut guarded) = (Vec::new(), Vec::new());
        for condition in &rule.conditions {
            let own = condition.divisors();
            if !in_condition || own.is_empty() {
                hypotheses.push(builder.atom(condition)?);
            } else if !own.contains(&divisor) {
                let premises = own.iter().map(|own| builder.at_least_one(own));
                guarded.push(Implication {
                    premises: premises.collect::<Option<_>>()?,
                    conclusions: vec![builder.atom(condition)?],
                });
            }
        }
        let goal = Goal::All(vec![builder.at_least_one(&divisor)?]);
        let obligation = builder.finish(None, hypotheses, goal)?;
        obligations.push(Obligation { guarded, ..obligation });
        seen.push(divisor);
    }
    Some(obligations)
}

/// States that a condition follows from the others of the rule.
pub fn of_condition(rule: &Rule, position: usize) -> Option<Obligation> {
    let mut builder = Builder::new(rule);
    let mut others = rule.conditions.clone();
    let condition = others.remove(position);
    let hypotheses = builder.atoms(&others)?;
    let goal = Goal::All(builder.atoms(std::slice::from_ref(&condition))?);
    builder.finish(None, hypotheses, goal)
}

/// Translates the terms of one rule.
struct Builder {
    unknowns: Unknowns,
    expressions_from: usize,
    /// The term of each unknown.
    terms: Vec<Term>,
    /// Whether each unknown has a unique term.
    is_as_written: bool,
}

impl Builder {
    fn new(rule: &Rule) -> Builder {
        let names = rule.variables();
        let constants = (0..).map(Term::Constant).take(rule.constants.len());
        let expressions = (0..).map(Term::Expression).take(rule.expressions.len());
        Builder {
            unknowns: Unknowns::new(names.cloned().collect()),
            expressions_from: rule.constants.len(),
            terms: constants.chain(expressions).collect(),
            is_as_written: true,
        }
    }

    /// Builds the obligation, with the applicable hints of a rule.
    fn finish(
        &mut self,
        hints: Option<&Rule>,
        hypotheses: Vec<Atom>,
        goal: Goal,
    ) -> Option<Obligation> {
        let (multipliers, cases) =
            hints.map_or((&[][..], &[][..]), |rule| (&rule.multipliers, &rule.cases));
        let multipliers = multipliers.iter().map(|term| self.term(term));
        let multipliers = multipliers.collect::<Option<Vec<_>>>()?;
        let cases = self.atoms(cases)?;
        Some(Obligation {
            names: std::mem::take(&mut self.unknowns.names),
            hypotheses,
            guarded: Vec::new(),
            quotients: std::mem::take(&mut self.unknowns.quotients),
            choices: std::mem::take(&mut self.unknowns.choices),
            goal,
            multipliers,
            cases,
        })
    }

    fn atoms(&mut self, conditions: &[Condition]) -> Option<Vec<Atom>> {
        conditions.iter().map(|condition| self.atom(condition)).collect()
    }

    fn at_least_one(&mut self, term: &Term) -> Option<Atom> {
        let least = self.term(term)?.shifted(-1)?;
        Some(Atom::not_negative(least))
    }

    fn atom(&mut self, condition: &Condition) -> Option<Atom> {
        let (lhs, rhs) = (self.term(&condition.lhs)?, self.term(&condition.rhs)?);
        let difference = rhs.plus(-1, &lhs)?;
        Some(match condition.relation {
            Relation::Equal => Atom::zero(difference),
            Relation::LessEqual => Atom::not_negative(difference),
            Relation::Less => Atom::not_negative(difference.shifted(-1)?),
        })
    }

    fn term(&mut self, term: &Term) -> Option<Polynomial> {
        match term {
            Term::Integer(value) => Some(Polynomial::constant(i128::from(*value))),
            Term::Constant(slot) => Some(Polynomial::unknown(Unknown::from(*slot))),
            Term::Expression(slot) => {
                let position = self.expressions_from + *slot as usize;
                Some(Polynomial::unknown(Unknown::try_from(position).ok()?))
            }
            Term::Sum(terms) => {
                let mut sum = Polynomial::default();
                for term in terms {
                    sum = sum.plus(1, &self.term(term)?)?;
                }
                Some(sum)
            }
            Term::Product(x, y) => self.term(x)?.times(&self.term(y)?),
            Term::FloorDiv(x, divisor) => self.quotient(x, divisor).map(|parts| parts.2),
            Term::Mod(x, divisor) => {
                let (x, divisor, quotient) = self.quotient(x, divisor)?;
                x.plus(-1, &divisor.times(&quotient)?)
            }
            Term::Min(x, y) => {
                let (x, y) = (self.term(x)?, self.term(y)?);
                let result = self.unknowns.min(x, y)?;
                self.named(term, result)
            }
            Term::Max(x, y) => {
                let (x, y) = (self.term(x)?, self.term(y)?);
                let result = self.unknowns.max(x, y)?;
                self.named(term, result)
            }
            Term::Lo(_) | Term::Hi(_) => None, // only in hints for the matcher
        }
    }

    /// Records a quotient with its dividend and divisor.
    fn quotient(
        &mut self,
        x: &Term,
        divisor: &Term,
    ) -> Option<(Polynomial, Polynomial, Polynomial)> {
        let term = Term::FloorDiv(Box::new(x.clone()), Box::new(divisor.clone()));
        let (x, divisor) = (self.term(x)?, self.term(divisor)?);
        let quotient = self.unknowns.quotient(x.clone(), divisor.clone())?;
        Some((x, divisor, self.named(&term, quotient)?))
    }

    /// Records the term that an unknown represents.
    fn named(&mut self, term: &Term, unknown: Polynomial) -> Option<Polynomial> {
        let (_, monomial) = unknown.as_monomial()?;
        let [position] = monomial.unknowns() else {
            return None;
        };
        match self.terms.get(*position as usize) {
            None => self.terms.push(term.clone()),
            Some(known) => self.is_as_written &= known == term,
        }
        Some(unknown)
    }
}
