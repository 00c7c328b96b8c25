//! Usage counts of rules over several simplifications, by rule name. Addition commutes, so counts do not depend on the
//! order of threads, and no result depends on counts.

use crate::rule::{Firings, RuleSet};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts the firings of all simplifiers that share it.
#[derive(Debug, Default)]
pub struct Tally(Mutex<BTreeMap<String, u64>>);

impl Tally {
    /// Adds the firings of one simplification.
    pub(super) fn add(&self, rules: &RuleSet, firings: &Firings) {
        let mut counts = self.counts();
        for (rule, count) in firings.counts() {
            let name = &rules.rule(rule).name;
            match counts.get_mut(name) {
                Some(known) => *known += count,
                None => {
                    counts.insert(name.clone(), count);
                }
            }
        }
    }

    /// Returns the usage count of the rule `name`.
    #[must_use]
    pub fn of(&self, name: &str) -> u64 {
        self.counts().get(name).copied().unwrap_or(0)
    }

    /// Resets the count of the rule `name`, which is about to be redefined.
    pub fn forget(&self, name: &str) {
        self.counts().remove(name);
    }

    /// Ignores poisoning: a panic elsewhere leaves the counts consistent.
    fn counts(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
