//! Division rules, compiled for matching.

use crate::rule::matching::{Matcher, Operator};
use crate::rule::{Rule, RuleId, Slot, Split, Statement, Term};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DivisionRule {
    pub rule: RuleId,
    /// The form of one of three common left sides: for an integer divisor it is matched by specialized code, in the digit view of
    /// the numerator as well.
    pub(super) known: Option<Known>,
    pub(super) matcher: Matcher,
}

/// A decomposed left side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Known {
    pub(super) rule: RuleId,
    pub(super) numerator: Numerator,
    pub(super) divisor: Divisor,
    pub(super) splits: Vec<Split>,
    /// Whether the remaining part must lie in one block of the factor, or the numerator in one block of the divisor.
    pub(super) one_block: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Numerator {
    /// `x`
    Whole { x: Slot },
    /// `factor * x + y`
    Split { factor: Slot, x: Slot, y: Slot },
    /// `x floordiv a + y`, or `y - x floordiv a`
    Quotient { x: Slot, a: Slot, y: Slot, sign: i64 },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Divisor {
    Literal(i64),
    Constant(Slot),
    /// `factor * other`
    Product {
        other: Slot,
    },
}

impl DivisionRule {
    /// Compiles a rule whose left side is a quotient.
    ///
    /// # Errors
    /// The reason why its left side cannot be matched, as a clause.
    pub fn compile(id: RuleId, rule: &Rule) -> Result<DivisionRule, String> {
        let matcher = Matcher::new(rule)?;
        if matcher.root() != Some(Operator::FloorDiv) {
            return Err("its left-hand side is not a quotient".to_owned());
        }
        Ok(DivisionRule { rule: id, known: Known::compile(id, rule), matcher })
    }
}

impl Numerator {
    fn quotient(quotient: &Term, y: Slot, sign: i64) -> Option<Numerator> {
        match quotient {
            Term::FloorDiv(x, a) => match (x.as_ref(), a.as_ref()) {
                (Term::Expression(x), Term::Constant(a)) => {
                    Some(Numerator::Quotient { x: *x, a: *a, y, sign })
                }
                _ => None,
            },
            _ => None,
        }
    }
}

impl Known {
    fn compile(id: RuleId, rule: &Rule) -> Option<Known> {
        let Statement::Rewrite(Term::FloorDiv(numerator, divisor), _) = &rule.statement else {
            return None;
        };
        let numerator = match numerator.as_ref() {
            Term::Expression(x) => Numerator::Whole { x: *x },
            Term::Sum(terms) => match terms.as_slice() {
                [Term::Product(factor, x), Term::Expression(y)] => {
                    match (factor.as_ref(), x.as_ref()) {
                        (Term::Constant(factor), Term::Expression(x)) => {
                            Numerator::Split { factor: *factor, x: *x, y: *y }
                        }
                        _ => return None,
                    }
                }
                [quotient @ Term::FloorDiv(..), Term::Expression(y)] => {
                    Numerator::quotient(quotient, *y, 1)?
                }
                [Term::Expression(y), Term::Product(sign, quotient)]
                    if **sign == Term::Integer(-1) =>
                {
                    Numerator::quotient(quotient, *y, -1)?
                }
                _ => return None,
            },
            _ => return None,
        };
        let divisor = match divisor.as_ref() {
            Term::Integer(value) => Divisor::Literal(*value),
            Term::Constant(slot) => Divisor::Constant(*slot),
            Term::Product(_, other) => match other.as_ref() {
                Term::Constant(other) => Divisor::Product { other: *other },
                _ => return None,
            },
            _ => return None,
        };
        Some(Known {
            rule: id,
            numerator,
            divisor,
            splits: rule.splits.clone(),
            one_block: rule.witnesses.iter().any(|(_, witness)| {
                matches!(witness, Term::FloorDiv(end, _) if matches!(**end, Term::Lo(_)))
            }),
        })
    }
}
