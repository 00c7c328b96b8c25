//! A rule that a line states, with its requirements.

use super::division::Division;
use super::lines::System;
use affinor::rule::{Condition, Rule, Term};

/// A case of a line, in the grammar of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// The statement, for positive divisors. Division is written as one that rounds down.
    pub rule: Rule,
    /// How the line divides; `None` if it does not.
    pub division: Option<Division>,
    /// The conditions that say that a divisor is positive, which the line does not say.
    pub assumed: Vec<Condition>,
    /// Whether the line rounds up somewhere, which C does not.
    pub has_ceildiv: bool,
    /// Terms that the line requires to fit in the integers of a program.
    pub(super) fits: Vec<Term>,
    /// What it says of divisors that are not positive, where its system divides by them: a rule for each combination of
    /// signs that its conditions allow.
    pub below: Vec<Rule>,
}

/// A rule that a line states, whose divisors may be anything.
pub(super) struct Claim {
    pub(super) rule: Rule,
    pub(super) fits: Vec<Term>,
    pub(super) system: System,
    pub(super) division: Option<Division>,
    pub(super) has_ceildiv: bool,
}

/// The text of a rule from its parts: equation and conditions.
pub(super) fn text_of(rule: &Rule) -> String {
    let conditions = rule.conditions.iter();
    let conditions: Vec<String> = conditions.map(|one| rule.write_condition(one)).collect();
    let statement = rule.write_statement();
    match conditions.is_empty() {
        true => statement,
        false => format!("{statement} where {}", conditions.join(", ")),
    }
}
