//! Proof obligations over polynomials: conditions imply a statement.
//!
//! One translation of divisions serves every encoding. `t floordiv d` becomes an unknown `q`, shared by all quotients
//! with the same numerator and divisor; `t mod d` is the polynomial `t - d*q`; `min` and `max` become an unknown that is
//! one operand or the other.

use crate::num::wide::{Polynomial, Unknown};

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
        Atom { is: Sign::Zero, polynomial }
    }

    /// `polynomial >= 0`
    pub fn not_negative(polynomial: Polynomial) -> Atom {
        Atom { is: Sign::NotNegative, polynomial }
    }

    /// Returns the same comparison, divided by the common divisor of its coefficients.
    pub fn in_lowest_terms(self) -> Atom {
        let content = self.polynomial.content();
        if content <= 1 || self.is == Sign::Zero {
            return self;
        }
        let terms = self.polynomial.terms().iter();
        let terms = terms.map(|(monomial, c)| (monomial.clone(), c / content));
        let constant = self.polynomial.constant.div_euclid(content);
        Atom::not_negative(Polynomial::of_sorted(constant, terms))
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

impl Quotient {
    /// The remainder is not negative and less than the divisor; `None` if a coefficient overflows.
    pub fn bounds(&self) -> Option<[Atom; 2]> {
        let multiple = self.divisor.times(&Polynomial::unknown(self.quotient))?;
        let remainder = self.numerator.plus(-1, &multiple)?;
        let room = self.divisor.shifted(-1)?.plus(-1, &remainder)?;
        Some([remainder, room].map(Atom::not_negative))
    }
}

/// `result = one` if the condition holds, otherwise `result = other`.
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
    /// Names of the unknowns: variables, then quotients and choices.
    pub names: Vec<String>,
    /// The conditions.
    pub hypotheses: Vec<Atom>,
    /// Conditions that hold wherever their divisors are at least 1.
    pub guarded: Vec<Implication>,
    /// Definitions of quotients.
    pub quotients: Vec<Quotient>,
    /// Definitions of minima and maxima.
    pub choices: Vec<Choice>,
    /// The goal.
    pub goal: Goal,
    /// Proof hints: factors to multiply comparisons with.
    pub multipliers: Vec<Polynomial>,
    /// Proof hints: comparisons to multiply.
    pub cases: Vec<Atom>,
}

impl Obligation {
    /// Substitutes `value` for an unknown; `None` if a coefficient overflows.
    pub fn replace(&mut self, unknown: Unknown, value: &Polynomial) -> Option<()> {
        let mut polynomials: Vec<&mut Polynomial> = Vec::new();
        let atoms = self.hypotheses.iter_mut().chain(&mut self.cases);
        polynomials.extend(atoms.map(|atom| &mut atom.polynomial));
        let guarded = self.guarded.iter_mut();
        let guarded =
            guarded.flat_map(|known| known.premises.iter_mut().chain(&mut known.conclusions));
        polynomials.extend(guarded.map(|atom| &mut atom.polynomial));
        polynomials.extend(&mut self.multipliers);
        for choice in &mut self.choices {
            polynomials.extend([
                &mut choice.condition.polynomial,
                &mut choice.one,
                &mut choice.other,
            ]);
        }
        for quotient in &mut self.quotients {
            polynomials.extend([&mut quotient.numerator, &mut quotient.divisor]);
        }
        match &mut self.goal {
            Goal::All(goals) => {
                polynomials.extend(goals.iter_mut().map(|goal| &mut goal.polynomial))
            }
            Goal::Same(lhs, rhs) => {
                polynomials.extend(lhs.iter_mut().chain(rhs).map(|goal| &mut goal.polynomial));
            }
        }
        for polynomial in polynomials {
            *polynomial = polynomial.replaced(unknown, value)?;
        }
        Some(())
    }

    /// Splits the obligation into the cases of at most `most` minima and maxima, the last ones; `None` if a coefficient
    /// overflows.
    pub fn cases(self, most: usize) -> Option<Vec<Obligation>> {
        let mut cases = vec![self];
        for _ in 0..most {
            if cases.iter().all(|case| case.choices.is_empty()) {
                break;
            }
            let mut split = Vec::with_capacity(2 * cases.len());
            for mut case in cases {
                let Some(choice) = case.choices.pop() else {
                    split.push(case);
                    continue;
                };
                let opposite = choice.condition.polynomial.scaled(-1)?.shifted(-1)?;
                for (condition, value) in [
                    (choice.condition.clone(), &choice.one),
                    (Atom::not_negative(opposite), &choice.other),
                ] {
                    let mut with = case.clone();
                    with.replace(choice.result, value)?;
                    with.hypotheses.push(condition);
                    split.push(with);
                }
            }
            cases = split;
        }
        Some(cases)
    }
}

/// Unknowns with their names and definitions: variables first, then quotients and choices.
#[derive(Clone, Default)]
pub struct Unknowns {
    /// Names, one for each unknown.
    pub names: Vec<String>,
    /// Definitions of quotients.
    pub quotients: Vec<Quotient>,
    /// Definitions of minima and maxima.
    pub choices: Vec<Choice>,
}

impl Unknowns {
    /// Creates the variables.
    pub fn new(names: Vec<String>) -> Unknowns {
        Unknowns { names, ..Unknowns::default() }
    }

    /// Returns whether an unknown represents a quotient or a choice.
    pub fn is_defined(&self, unknown: Unknown) -> bool {
        self.quotients.iter().any(|q| q.quotient == unknown)
            || self.choices.iter().any(|choice| choice.result == unknown)
    }

    fn fresh(&mut self, prefix: &str) -> Option<Unknown> {
        let unknown = Unknown::try_from(self.names.len()).ok()?;
        let prefix = format!("{prefix}!"); // no variable's name has a `!`
        // Counted by names: a definition may have been dropped since, and its unknown keeps its name.
        let same = self.names.iter().filter(|name| name.starts_with(&prefix));
        self.names.push(format!("{prefix}{}", same.count() + 1));
        Some(unknown)
    }

    /// Returns `numerator floordiv divisor`.
    pub fn quotient(&mut self, numerator: Polynomial, divisor: Polynomial) -> Option<Polynomial> {
        let same = |known: &&Quotient| known.numerator == numerator && known.divisor == divisor;
        let quotient = match self.quotients.iter().find(same) {
            Some(known) => known.quotient,
            None => {
                let quotient = self.fresh("q")?;
                self.quotients.push(Quotient { quotient, numerator, divisor });
                quotient
            }
        };
        Some(Polynomial::unknown(quotient))
    }

    /// Returns the smaller of two.
    pub fn min(&mut self, x: Polynomial, y: Polynomial) -> Option<Polynomial> {
        let condition = Atom::not_negative(y.plus(-1, &x)?);
        self.choice(condition, x, y)
    }

    /// Returns the greater of two.
    pub fn max(&mut self, x: Polynomial, y: Polynomial) -> Option<Polynomial> {
        let condition = Atom::not_negative(x.plus(-1, &y)?);
        self.choice(condition, x, y)
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
                let result = self.fresh("m")?;
                self.choices.push(Choice { result, condition, one, other });
                result
            }
        };
        Some(Polynomial::unknown(result))
    }
}
