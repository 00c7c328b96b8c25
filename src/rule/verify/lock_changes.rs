//! Differences between two locks.

use super::lock::{Entry, Lock, PENDING, entry};
use crate::prove::Budget;
use crate::rule::Rule;
use std::fmt;

/// A rule whose entries differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A new rule.
    Added(String),
    /// A removed rule.
    Gone(String),
    /// The name of a rule with another text, other scripts or another verdict, and `(field, old, new)` for each
    /// difference.
    Changed(String, Vec<(&'static str, String, String)>),
}

impl Change {
    /// Returns the name of the rule.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Change::Added(name) | Change::Gone(name) | Change::Changed(name, _) => name,
        }
    }

    /// Returns `added`, `gone` or `changed`.
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
    /// Prints `div-div: changed (rule text, truncating refuted -> proved)`.
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
    /// Re-proves a rule. Keeps the verdict of cvc5 if its scripts are unchanged, and that of Rocq if its text is.
    #[must_use]
    pub fn renewed(&self, rule: &Rule, budget: &Budget) -> Entry {
        let mut now = entry(rule, budget);
        if let Some(known) = self.entries.get(&rule.name) {
            if known.scripts == now.scripts {
                now.cvc5.clone_from(&known.cvc5);
            }
            if known.rule == now.rule {
                now.rocq.clone_from(&known.rocq);
            }
        }
        now
    }

    /// Returns the differences to a later lock, by rule name.
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

    /// Returns the rules that changed since cvc5, and since Rocq, last decided them.
    #[must_use]
    pub fn pending(&self) -> [Vec<&str>; 2] {
        ["cvc5", "rocq"].map(|judge| {
            let is_open = |entry: &Entry| entry.fields().contains(&(judge, PENDING));
            let entries = self.entries.iter();
            let pending = entries.filter(|(_, entry)| is_open(entry));
            pending.map(|(name, _)| name.as_str()).collect()
        })
    }
}
