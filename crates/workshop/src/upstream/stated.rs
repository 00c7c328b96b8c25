//! A rule that a line states, with its requirements.

use super::division::Division;
use super::lines::System;
use affinor::rule::{Condition, Rule, Term};

/// A case of a line, in the grammar of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// The statement, for positive divisors. Division is written with rounding down.
    pub rule: Rule,
    /// The line's kind of division; `None` if it has no division.
    pub division: Option<Division>,
    /// The conditions that a divisor is positive which the line itself lacks.
    pub assumed: Vec<Condition>,
    /// Whether the line has a division that rounds up, which C lacks.
    pub has_ceildiv: bool,
    /// Terms that the line requires not to overflow the integers of a program.
    pub(super) fits: Vec<Term>,
    /// The statement for divisors that are not positive, if its system defines division by them: a rule for each combination of
    /// signs that its conditions allow.
    pub below: Vec<Rule>,
}

/// A rule that a line states, before its divisors are known to be positive.
pub(super) struct Claim {
    pub(super) rule: Rule,
    pub(super) fits: Vec<Term>,
    pub(super) system: System,
    pub(super) division: Option<Division>,
    pub(super) has_ceildiv: bool,
}

/// Prints a rule from its parts: equation and conditions.
pub(super) fn text_of(rule: &Rule) -> String {
    let conditions = rule.conditions.iter();
    let conditions: Vec<String> = conditions.map(|one| rule.write_condition(one)).collect();
    let statement = rule.write_statement();
    match conditions.is_empty() {
        true => statement,
        false => format!("{statement} where {}", conditions.join(", ")),
    }
}
