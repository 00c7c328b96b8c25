//! Judges the statement of a line: over all integers, rounding down and toward zero; for divisors that are not positive; in 64
//! bits.

use super::division::Division;
use super::hints::hinted;
use super::stated::Stated;
use affinor::prove::Budget;
use affinor::rule::verify::{Overflow, Verdict, inside, judge, overflow, truncating};
use affinor::rule::{Condition, Point, Relation, Rule, Term};

/// The findings about a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// Whether it is true of all integers, with division that rounds down.
    pub floor: Verdict,
    /// Whether it is true of all integers, with division that rounds toward zero; `None` if the rule has no division, or rounds
    /// up.
    pub toward_zero: Option<Verdict>,
    /// A point at which it fails or overflows in 64 bits; searched for if it is true under its system's division.
    pub overflow: Option<Overflow>,
    /// The verdict for divisors below 1, if the line allows them and its system defines division by them.
    pub below: Option<Below>,
    /// Whether no point was found that satisfies its conditions.
    pub is_vacuous: bool,
}

/// The verdict on a statement for divisors below 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Below {
    /// The statement is true for all of them.
    Proved,
    /// The statement is false at this point of the rule, which states it for divisors of the signs that they have there.
    Refuted(Box<Rule>, Point),
    /// Neither proved nor refuted, for this reason.
    Unknown(String),
}

impl Judgement {
    /// Returns the verdict under the line's own division, for positive divisors.
    #[must_use]
    pub fn own(&self, stated: &Stated) -> &Verdict {
        match (stated.division, &self.toward_zero) {
            (Some(Division::TowardZero), Some(verdict)) => verdict,
            _ => &self.floor,
        }
    }
}

/// Judges a rule; tries a claim that stays open again with hints.
fn judged(rule: &Rule, budget: &Budget) -> Verdict {
    let verdict = judge(rule, budget);
    let is_open = matches!(verdict, Verdict::Unknown(_));
    let is_proved = |rule: &Rule| judge(rule, budget) == Verdict::Proved;
    match is_open && hinted(rule).iter().any(is_proved) {
        true => Verdict::Proved,
        false => verdict,
    }
}

impl Stated {
    /// Judges the statement within a budget.
    #[must_use]
    pub fn judge(&self, budget: &Budget) -> Judgement {
        let floor = judged(&self.rule, budget);
        let code = truncating(&self.rule);
        let is_in_code = code != self.rule && !self.has_ceildiv;
        let mut judgement = Judgement {
            toward_zero: is_in_code.then(|| judged(&code, budget)),
            overflow: None,
            below: self.below(budget),
            is_vacuous: floor == Verdict::Proved && inside(&self.rule).is_none(),
            floor,
        };
        if *judgement.own(self) == Verdict::Proved && !self.has_ceildiv {
            judgement.overflow = overflow(&self.where_conditions_fit());
        }
        judgement
    }

    fn below(&self, budget: &Budget) -> Option<Below> {
        let mut found = None;
        for rule in &self.below {
            let read = match self.division {
                Some(Division::TowardZero) => truncating(rule),
                _ => rule.clone(),
            };
            match judged(&read, budget) {
                Verdict::Proved => found = found.or(Some(Below::Proved)),
                Verdict::Refuted(point) => {
                    return Some(Below::Refuted(Box::new(rule.clone()), point));
                }
                Verdict::Unknown(reason) => found = Some(Below::Unknown(reason)),
            }
        }
        found
    }

    /// Returns the rule under the additional conditions that the terms in `fits` and all parts of its conditions are within 64
    /// bits.
    fn where_conditions_fit(&self) -> Rule {
        let mut parts = self.fits.clone();
        for side in self.rule.conditions.iter().flat_map(Condition::sides) {
            side.visit(&mut |part| {
                if part.operands().next().is_some() {
                    parts.push(part.clone());
                }
            });
        }
        let mut rule = self.rule.clone();
        for part in parts {
            for (lhs, rhs) in
                [(Term::Integer(i64::MIN), part.clone()), (part, Term::Integer(i64::MAX))]
            {
                let relation = Relation::LessEqual;
                rule.conditions.push(Condition { lhs, relation, rhs });
            }
        }
        rule
    }
}
