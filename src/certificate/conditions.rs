//! Decides whether a comparison follows from known facts.
//!
//! An inequality follows if the difference of its sides, reduced or not, has a nonnegative interval, is nonnegative as a
//! polynomial in parameters, or is nonnegative at each point of a small box. An equation follows if its difference reduces
//! to 0, or if both inequalities follow.

use super::known::Steps;
use super::replay::{Reason, Replay};
use super::sign;
use super::sum::Sum;
use super::values::Bindings;
use crate::rule::{Condition, Relation};

/// Maximum number of points of a box at which a comparison is evaluated.
const MAX_POINTS: u64 = 20_000;

impl Replay<'_> {
    /// Returns whether a side condition follows from known facts.
    pub(super) fn establishes(
        &mut self,
        condition: &Condition,
        bindings: &Bindings,
        used: &mut Steps,
    ) -> Result<bool, Reason> {
        let differences = self.comparison(condition, bindings)?;
        Ok(differences.iter().all(|difference| match condition.relation {
            Relation::Equal => {
                self.is_integer(difference, used) == Some(0) || self.is_natural(difference, used)
            }
            Relation::LessEqual | Relation::Less => self.is_natural(difference, used),
        }))
    }

    /// Returns the sums that are nonnegative iff a comparison holds.
    pub(super) fn comparison(
        &mut self,
        condition: &Condition,
        bindings: &Bindings,
    ) -> Result<Vec<Sum>, Reason> {
        let mut value = |term| self.term(term, bindings);
        let (lhs, rhs) = (value(&condition.lhs)?, value(&condition.rhs)?);
        let difference = rhs.plus(-1, &lhs).ok_or_else(Reason::overflow)?;
        Ok(match condition.relation {
            Relation::Equal => {
                let other = difference.scaled(-1).ok_or_else(Reason::overflow)?;
                vec![difference, other]
            }
            Relation::LessEqual => vec![difference],
            Relation::Less => vec![difference.plus_integer(-1).ok_or_else(Reason::overflow)?],
        })
    }

    /// Returns the integer that a sum equals under the equations, if any.
    pub(super) fn is_integer(&mut self, sum: &Sum, used: &mut Steps) -> Option<i128> {
        loop {
            let value = self.known.integer(&self.values, sum, used);
            if value.is_some() || !self.known.close(&mut self.values) {
                return value;
            }
        }
    }

    /// Returns whether a sum is nonnegative everywhere, reduced or not.
    pub(super) fn is_natural(&mut self, sum: &Sum, used: &mut Steps) -> bool {
        if self.values.has_parameters() && self.facts.is_refuted(&self.values, sum, &[]) {
            return false;
        }
        if self.is_above_zero(Some(sum), used) {
            return true;
        }
        let mut tried = Some(sum.clone());
        loop {
            let mut steps = Steps::new();
            let reduced = self.known.reduce(&self.values, sum, &mut steps);
            let reduced = reduced.map(|reduced| reduced.sum);
            if reduced != tried && self.is_above_zero(reduced.as_ref(), &mut steps) {
                used.extend(steps);
                return true;
            }
            tried = reduced;
            if !self.known.close(&mut self.values) {
                return self.facts.is_natural_at_points(&self.values, sum, MAX_POINTS);
            }
        }
    }

    fn is_above_zero(&mut self, sum: Option<&Sum>, used: &mut Steps) -> bool {
        let mut steps = Steps::new();
        let Some(sum) = sum else { return false };
        if let Some(value) = sum.as_integer() {
            return value >= 0;
        }
        let range = self.facts.range(&self.values, &self.known, sum, &mut steps);
        if range.lo() < 0 && self.values.has_parameters() {
            return sign::is_natural(&mut self.values, &mut self.facts, &self.known, sum, used);
        }
        used.extend(steps.iter().filter(|_| range.lo() >= 0));
        range.lo() >= 0
    }
}
