//! Conditions of isl: comparisons joined by `and` and `or`. A negation is pushed down to the comparisons.

use crate::expr::{End, Expr, ExprError, ExprKind, VariableId};
use crate::num;
use crate::text::Span;

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    /// All of these hold; an empty list always holds.
    All(Vec<Formula>),
    /// At least one of these holds; an empty list never holds.
    Any(Vec<Formula>),
    Is(Comparison),
}

/// `difference >= 0` or `<= 0`, or `= 0`.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub difference: Expr,
    pub end: End,
    pub is_equation: bool,
    pub span: Span,
}

impl Comparison {
    /// Creates `value >= 0`.
    pub fn at_least_0(value: Expr, span: &Span) -> Comparison {
        let span = span.clone();
        Comparison { difference: value, end: End::Lower, is_equation: false, span }
    }

    /// Returns the expression that the inequality requires to be at least 0.
    pub fn value(&self) -> Result<Expr, ExprError> {
        match self.end {
            End::Lower => Ok(self.difference.clone()),
            End::Upper => self.difference.scale(-1),
        }
    }

    /// Divides by the common factor of the terms and makes the first factor positive; `None` if the comparison never holds.
    pub fn reduced(&self) -> Result<Option<Comparison>, ExprError> {
        let ExprKind::Sum(sum) = self.difference.kind() else {
            return Ok(Some(self.clone()));
        };
        let common = sum.terms().iter().try_fold(0, |common, (c, _)| num::gcd(common, *c));
        let common = common.filter(|common| *common > 0).unwrap_or(1);
        let constant = match (self.is_equation, self.end) {
            (true, _) if sum.constant() % common != 0 => return Ok(None),
            (false, End::Upper) => {
                sum.constant().div_euclid(common) + i64::from(sum.constant() % common != 0)
            }
            _ => sum.constant().div_euclid(common),
        };
        let terms = sum.terms().iter().map(|(c, x)| (*c / common, x.clone()));
        let mut reduced = self.clone();
        reduced.difference = Expr::sum(constant, terms)?;
        if let ([(..0, _), ..], false) = (sum.terms(), self.is_equation) {
            reduced.difference = reduced.difference.scale(-1)?;
            reduced.end = match self.end {
                End::Lower => End::Upper,
                End::Upper => End::Lower,
            };
        }
        Ok(Some(reduced))
    }

    fn negated(&self) -> Result<Formula, ExprError> {
        let minus = self.difference.scale(-1)?;
        let beyond = |x: &Expr| {
            let below = x.add(&Expr::constant(-1))?;
            Ok(Formula::Is(Comparison::at_least_0(below, &self.span)))
        };
        match (self.is_equation, self.end) {
            (true, _) => Ok(Formula::Any(vec![beyond(&self.difference)?, beyond(&minus)?])),
            (false, End::Lower) => beyond(&minus),
            (false, End::Upper) => beyond(&self.difference),
        }
    }
}

impl Formula {
    /// Returns whether the variable occurs in the condition.
    pub fn mentions(&self, id: VariableId) -> bool {
        match self {
            Formula::All(parts) | Formula::Any(parts) => parts.iter().any(|part| part.mentions(id)),
            Formula::Is(comparison) => comparison.difference.variables().contains(&id),
        }
    }

    /// Substitutes these values for the variables.
    pub fn placed(&self, values: &[Expr]) -> Result<Formula, ExprError> {
        let all = |parts: &[Formula]| -> Result<Vec<Formula>, ExprError> {
            parts.iter().map(|part| part.placed(values)).collect()
        };
        Ok(match self {
            Formula::All(parts) => Formula::All(all(parts)?),
            Formula::Any(parts) => Formula::Any(all(parts)?),
            Formula::Is(comparison) => {
                let difference = comparison.difference.substitute(values)?;
                Formula::Is(Comparison { difference, ..comparison.clone() })
            }
        })
    }

    /// Returns an expression that is at least 0 exactly if the condition holds: for `and` the minimum of the parts, for `or` the
    /// maximum.
    pub fn truth(&self) -> Result<Expr, ExprError> {
        let all = |parts: &[Formula]| -> Result<Vec<Expr>, ExprError> {
            parts.iter().map(Formula::truth).collect()
        };
        match self {
            Formula::Any(parts) if parts.is_empty() => Ok(Expr::constant(-1)),
            Formula::All(_) => {
                let mut parts = Vec::new();
                self.clone().flattened(&mut parts);
                if parts.is_empty() { Ok(Expr::constant(0)) } else { Expr::min(all(&parts)?) }
            }
            Formula::Any(parts) => Expr::max(all(parts)?),
            Formula::Is(comparison) if comparison.is_equation => {
                let minus = comparison.difference.scale(-1)?;
                Expr::min(vec![comparison.difference.clone(), minus])
            }
            Formula::Is(comparison) => comparison.value(),
        }
    }

    /// Returns the negation of the condition.
    pub fn negated(&self) -> Result<Formula, ExprError> {
        let all = |parts: &[Formula]| -> Result<Vec<Formula>, ExprError> {
            parts.iter().map(Formula::negated).collect()
        };
        match self {
            Formula::All(parts) => Ok(Formula::Any(all(parts)?)),
            Formula::Any(parts) => Ok(Formula::All(all(parts)?)),
            Formula::Is(comparison) => comparison.negated(),
        }
    }

    /// Collects the parts of nested `and`s.
    pub fn flattened(self, parts: &mut Vec<Formula>) {
        match self {
            Formula::All(list) => list.into_iter().for_each(|part| part.flattened(parts)),
            other => parts.push(other),
        }
    }
}
