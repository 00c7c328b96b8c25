//! A set of rules with unique names.

use super::{Rule, SESSION_LAWS, read_rule, read_rules};
use crate::text::{Error, ErrorKind};

/// The number of a rule in its set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(pub u16);

/// Rules in the order of their files.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
}

/// The rule files that are part of the program, in the order in which their rules are tried.
const SHIPPED: &[(&str, &str)] = &[
    ("floordiv.rules", include_str!("../../rules/floordiv.rules")),
    (
        "constraints.rules",
        include_str!("../../rules/constraints.rules"),
    ),
    ("forms.rules", include_str!("../../rules/forms.rules")),
    ("ranges.rules", include_str!("../../rules/ranges.rules")),
    ("linear.rules", include_str!("../../rules/linear.rules")),
    ("min_max.rules", include_str!("../../rules/min_max.rules")),
    ("ops.rules", include_str!("../../rules/ops.rules")),
    ("layouts.rules", include_str!("../../rules/layouts.rules")),
];

impl RuleSet {
    /// The rules that are part of the program.
    ///
    /// # Errors
    /// If a shipped file does not load; a test makes sure that they do.
    pub fn shipped() -> Result<RuleSet, Error> {
        let mut set = RuleSet::default();
        for (file, text) in SHIPPED {
            set.extend(read_rules(file, text)?)?;
        }
        Ok(set)
    }

    /// The names of the files that are part of the program, in order.
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

    /// All rules in order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule with this number.
    #[must_use]
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.0 as usize]
    }

    /// The number of the rule called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<RuleId> {
        self.rules
            .iter()
            .position(|rule| rule.name == name)
            .map(|position| RuleId(position as u16))
    }

    /// The first rule that says what `text` does, under no more conditions than it names; the letters may be others.
    ///
    /// # Errors
    /// If `text` is no rule.
    pub fn saying(&self, text: &str) -> Result<Option<RuleId>, Error> {
        let wanted = read_rule(text)?;
        let says = |rule: &Rule| {
            let mut conditions = rule.conditions.iter();
            rule.file != SESSION_LAWS
                && rule.statement == wanted.statement
                && conditions.all(|condition| wanted.conditions.contains(condition))
        };
        let position = self.rules.iter().position(says);
        Ok(position.map(|position| RuleId(position as u16)))
    }
}
