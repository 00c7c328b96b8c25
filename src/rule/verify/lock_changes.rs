//! What renewing a lock changes.

use super::lock::{Entry, Lock, entry};
use crate::prove::Budget;
use crate::rule::Rule;
use std::fmt;

/// One rule for which two locks differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// The rule is new.
    Added(String),
    /// The rule is gone.
    Gone(String),
    /// Another text, other scripts or another verdict: the name of the rule, and each field with both values.
    Changed(String, Vec<(&'static str, String, String)>),
}

impl Change {
    /// The rule.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Change::Added(name) | Change::Gone(name) | Change::Changed(name, _) => name,
        }
    }

    /// `added`, `gone` or `changed`
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Change::Added(_) => "added",
            Change::Gone(_) => "gone",
            Change::Changed(..) => "changed",
        }
    }
}

impl fmt::Display for Change {
    /// `div-div: changed (rule text, truncating refuted -> proved)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.word())?;
        let Change::Changed(_, fields) = self else {
            return Ok(());
        };
        let parts = fields.iter().map(|(field, before, after)| match *field {
            "rule" => "rule text".to_owned(),
            "scripts" => "proof scripts".to_owned(),
            field => format!("{field} {before} -> {after}"),
        });
        write!(f, " ({})", parts.collect::<Vec<_>>().join(", "))
    }
}

impl Lock {
    /// Proves a rule again. What cvc5 said is kept where the scripts are still those that it decided.
    #[must_use]
    pub fn renewed(&self, rule: &Rule, budget: &Budget) -> Entry {
        let mut now = entry(rule, budget);
        if let Some(known) = self.entries.get(&rule.name)
            && known.scripts == now.scripts
        {
            now.cvc5.clone_from(&known.cvc5);
        }
        now
    }

    /// What is different in a later lock, by the names of the rules.
    #[must_use]
    pub fn changes(&self, later: &Lock) -> Vec<Change> {
        let gone = self.entries.keys();
        let gone = gone.filter(|name| !later.entries.contains_key(*name));
        let mut changes: Vec<Change> = gone.cloned().map(Change::Gone).collect();
        for (name, now) in &later.entries {
            match self.entries.get(name) {
                None => changes.push(Change::Added(name.clone())),
                Some(before) if before != now => {
                    let fields = before.fields().into_iter().zip(now.fields());
                    let fields = fields.filter(|((_, before), (_, now))| before != now);
                    let fields = fields.map(|((field, before), (_, now))| {
                        (field, before.to_owned(), now.to_owned())
                    });
                    changes.push(Change::Changed(name.clone(), fields.collect()));
                }
                Some(_) => {}
            }
        }
        changes.sort_by(|one, other| one.name().cmp(other.name()));
        changes
    }

    /// The rules that cvc5 was not asked about since their scripts changed.
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        let entries = self.entries.iter();
        let pending = entries.filter(|(_, entry)| entry.cvc5 == "pending");
        pending.map(|(name, _)| name.as_str())
    }
}

impl Entry {
    fn fields(&self) -> [(&'static str, &str); 6] {
        [
            ("rule", &self.rule),
            ("scripts", &self.scripts),
            ("z3", &self.z3),
            ("cvc5", &self.cvc5),
            ("truncating", &self.truncating),
            ("int64", &self.int64),
        ]
    }
}
