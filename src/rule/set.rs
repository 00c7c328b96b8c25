//! Sets of rules with unique names.

use super::{Role, Rule, read_rule, read_rules};
use crate::text::{Error, ErrorKind};
use serde::{Deserialize, Serialize};

/// The index of a rule in its set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct RuleId(pub u16);

/// Rules in the order of their files.
///
/// ```
/// use affinor::rule::verify::{BUDGET, Verdict, judge};
/// use affinor::rule::{RuleSet, SESSION, read_rule};
///
/// let mut rules = RuleSet::shipped()?;
/// let rule = read_rule("own: (x + c) floordiv c => x floordiv c + 1 where c >= 1")?;
/// assert_eq!(judge(&rule, &BUDGET), Verdict::Proved);
/// rules.extend(vec![rule.in_file(SESSION, 1)])?; // a simplifier made of these rules fires it
/// assert!(rules.find("own").is_some());
/// let wrong = read_rule("wrong: (x + c) floordiv c => x floordiv c where c >= 1")?;
/// assert!(matches!(judge(&wrong, &BUDGET), Verdict::Refuted(_)));
/// # Ok::<(), affinor::text::Error>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RuleSet {
    rules: Vec<Rule>,
}

/// The built-in rule files with their texts, in the order in which their rules are tried.
pub(super) const SHIPPED: &[(&str, &str)] = &[
    ("floordiv.rules", include_str!("../../rules/floordiv.rules")),
    ("constraints.rules", include_str!("../../rules/constraints.rules")),
    ("forms.rules", include_str!("../../rules/forms.rules")),
    ("mined.rules", include_str!("../../rules/mined.rules")),
    ("ranges.rules", include_str!("../../rules/ranges.rules")),
    ("linear.rules", include_str!("../../rules/linear.rules")),
    ("min_max.rules", include_str!("../../rules/min_max.rules")),
    ("ops.rules", include_str!("../../rules/ops.rules")),
    ("layouts.rules", include_str!("../../rules/layouts.rules")),
];

impl RuleSet {
    /// Loads the built-in rules.
    ///
    /// # Errors
    /// If a built-in file does not parse; a test excludes this.
    pub fn shipped() -> Result<RuleSet, Error> {
        RuleSet::of_files(SHIPPED)
    }

    /// Parses rule files, given by name and text.
    ///
    /// # Errors
    /// If a file does not parse, or two rules have the same name.
    pub fn of_files(files: &[(&str, &str)]) -> Result<RuleSet, Error> {
        let mut set = RuleSet::default();
        for (file, text) in files {
            set.extend(read_rules(file, text)?)?;
        }
        Ok(set)
    }

    /// Iterates over the names of the built-in files, in order.
    pub fn files() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(file, _)| *file)
    }

    /// Adds rules.
    ///
    /// # Errors
    /// [`ErrorKind::Rule`] if a name is taken.
    pub fn extend(&mut self, rules: Vec<Rule>) -> Result<(), Error> {
        for rule in rules {
            if let Some(known) = self.find(&rule.name) {
                let known = self.rule(known);
                let message = format!(
                    "the rule '{}' is already defined in {}:{}",
                    rule.name, known.file, known.line
                );
                return Err(Error::without_span(ErrorKind::Rule, message));
            }
            self.rules.push(rule);
        }
        Ok(())
    }

    /// Returns all rules, in order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns the rule with this index.
    #[must_use]
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.0 as usize]
    }

    /// Looks up a rule by name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<RuleId> {
        self.rules.iter().position(|rule| rule.name == name).map(|position| RuleId(position as u16))
    }

    /// Finds the first rule that states `text` up to renaming, with no conditions beyond those of `text`.
    ///
    /// # Errors
    /// If `text` is not a rule.
    pub fn saying(&self, text: &str) -> Result<Option<RuleId>, Error> {
        let wanted = read_rule(text)?;
        let says = |rule: &Rule| {
            let mut conditions = rule.conditions.iter();
            rule.role != Role::SessionLaw
                && rule.statement == wanted.statement
                && conditions.all(|condition| wanted.conditions.contains(condition))
        };
        let position = self.rules.iter().position(says);
        Ok(position.map(|position| RuleId(position as u16)))
    }
}
