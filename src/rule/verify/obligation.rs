//! The proof obligation of a rule, over polynomials: conditions imply the statement.
//!
//! One translation of terms serves every encoding. `t floordiv d` becomes an unknown `q`, shared by all quotients with
//! the same numerator and divisor; `t mod d` is the polynomial `t - d*q`; `min` and `max` become an unknown that is one
//! operand or the other.

use super::polynomial::{Polynomial, Unknown};
use crate::rule::{Condition, Relation, Rule, Statement, Term};

/// A comparison of a polynomial with 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Atom {
    /// Whether the polynomial is 0, or at least 0.
    pub is: Sign,
    /// The polynomial.
    pub polynomial: Polynomial,
}

/// The sign of a polynomial.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sign {
    /// `f = 0`
    Zero,
    /// `f >= 0`
    NotNegative,
}

impl Atom {
    /// `polynomial = 0`
    pub fn zero(polynomial: Polynomial) -> Atom {
        Atom {
            is: Sign::Zero,
            polynomial,
        }
    }

    /// `polynomial >= 0`
    pub fn not_negative(polynomial: Polynomial) -> Atom {
        Atom {
            is: Sign::NotNegative,
            polynomial,
        }
    }
}

/// Premises that imply a conclusion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Implication {
    /// The premises, all of which must hold,
    pub premises: Vec<Atom>,
    /// for all conclusions to hold.
    pub conclusions: Vec<Atom>,
}

/// `quotient = numerator floordiv divisor`, where the divisor is at least 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quotient {
    /// The unknown that represents it.
    pub quotient: Unknown,
    /// Numerator.
    pub numerator: Polynomial,
    /// Divisor.
    pub divisor: Polynomial,
}

/// `result = if condition then one else other`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The unknown that represents it.
    pub result: Unknown,
    /// A condition of the form `f >= 0`.
    pub condition: Atom,
    /// Value where the condition holds.
    pub one: Polynomial,
    /// Value elsewhere.
    pub other: Polynomial,
}

/// The goal of an obligation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// All atoms hold.
    All(Vec<Atom>),
    /// Two conjunctions are equivalent.
    Same(Vec<Atom>, Vec<Atom>),
}

/// Hypotheses imply a goal, for all integers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// Names of the unknowns: the rule's variables, then quotients and choices.
    pub names: Vec<String>,
    /// The side conditions.
    pub hypotheses: Vec<Atom>,
    /// Side conditions that hold wherever their divisors are at least 1.
    pub guarded: Vec<Implication>,
    /// Definitions of quotients.
    pub quotients: Vec<Quotient>,
    /// Definitions of minima and maxima.
    pub choices: Vec<Choice>,
    /// The goal.
    pub goal: Goal,
    /// Proof hints: see [`Rule::multipliers`].
    pub multipliers: Vec<Polynomial>,
    /// Proof hints: see [`Rule::cases`].
    pub cases: Vec<Atom>,
}

impl Obligation {
    /// States the claim of a rule; `None` if a coefficient overflows.
    pub fn of_statement(rule: &Rule) -> Option<Obligation> {
        let mut builder = Builder::new(rule);
        let hypotheses = builder.atoms(&rule.conditions)?;
        let goal = match &rule.statement {
            Statement::Rewrite(lhs, rhs) => {
                let (lhs, rhs) = (builder.term(lhs)?, builder.term(rhs)?);
                Goal::All(vec![Atom::zero(lhs.plus(-1, &rhs)?)])
            }
            Statement::Equivalence(lhs, rhs) => {
                Goal::Same(builder.atoms(lhs)?, builder.atoms(rhs)?)
            }
            Statement::Fact(facts) => Goal::All(builder.atoms(facts)?),
        };
        builder.finish(Some(rule), hypotheses, goal)
    }

    /// States that every divisor of a rule is at least 1 where its conditions hold.
    ///
    /// A divisor in a condition must be positive wherever no condition with a value fails: each condition is assumed
    /// only where its own divisors are at least 1, regardless of order.
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
            obligations.push(Obligation {
                guarded,
                ..obligation
            });
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
}

/// Translates the terms of one rule.
struct Builder {
    names: Vec<String>,
    expressions_from: usize,
    quotients: Vec<Quotient>,
    choices: Vec<Choice>,
}

impl Builder {
    fn new(rule: &Rule) -> Builder {
        let names = rule.variables();
        Builder {
            names: names.cloned().collect(),
            expressions_from: rule.constants.len(),
            quotients: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// Builds the obligation, with those hints of a rule that apply to it.
    fn finish(
        mut self,
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
            names: self.names,
            hypotheses,
            guarded: Vec::new(),
            quotients: self.quotients,
            choices: self.choices,
            goal,
            multipliers,
            cases,
        })
    }

    fn fresh(&mut self, prefix: &str, number: usize) -> Option<Unknown> {
        let unknown = Unknown::try_from(self.names.len()).ok()?;
        self.names.push(format!("{prefix}!{number}")); // no name of a rule has a `!`
        Some(unknown)
    }

    fn atoms(&mut self, conditions: &[Condition]) -> Option<Vec<Atom>> {
        conditions
            .iter()
            .map(|condition| self.atom(condition))
            .collect()
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
            Term::FloorDiv(x, divisor) => {
                let (x, divisor) = (self.term(x)?, self.term(divisor)?);
                self.quotient(x, divisor)
            }
            Term::Mod(x, divisor) => {
                let (x, divisor) = (self.term(x)?, self.term(divisor)?);
                let quotient = self.quotient(x.clone(), divisor.clone())?;
                x.plus(-1, &divisor.times(&quotient)?)
            }
            Term::Min(x, y) => {
                let (x, y) = (self.term(x)?, self.term(y)?);
                let condition = Atom::not_negative(y.plus(-1, &x)?);
                self.choice(condition, x, y)
            }
            Term::Max(x, y) => {
                let (x, y) = (self.term(x)?, self.term(y)?);
                let condition = Atom::not_negative(x.plus(-1, &y)?);
                self.choice(condition, x, y)
            }
            Term::Lo(_) | Term::Hi(_) => None, // only in hints for the matcher
        }
    }

    fn quotient(&mut self, numerator: Polynomial, divisor: Polynomial) -> Option<Polynomial> {
        let same = |known: &&Quotient| known.numerator == numerator && known.divisor == divisor;
        let quotient = match self.quotients.iter().find(same) {
            Some(known) => known.quotient,
            None => {
                let quotient = self.fresh("q", self.quotients.len() + 1)?;
                self.quotients.push(Quotient {
                    quotient,
                    numerator,
                    divisor,
                });
                quotient
            }
        };
        Some(Polynomial::unknown(quotient))
    }

    fn choice(
        &mut self,
        condition: Atom,
        one: Polynomial,
        other: Polynomial,
    ) -> Option<Polynomial> {
        let same = |known: &&Choice| {
            known.condition == condition && known.one == one && known.other == other
        };
        let result = match self.choices.iter().find(same) {
            Some(known) => known.result,
            None => {
                let result = self.fresh("m", self.choices.len() + 1)?;
                self.choices.push(Choice {
                    result,
                    condition,
                    one,
                    other,
                });
                result
            }
        };
        Some(Polynomial::unknown(result))
    }
}
