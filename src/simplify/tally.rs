//! How often rules were used by several simplifications, by the names of the rules: sums do not depend on the
//! order in which threads come to add to them, and no result depends on them.

use crate::rule::{Firings, RuleSet};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Adds up what the simplifiers that share it fire.
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

    /// How often the rule called `name` was used.
    #[must_use]
    pub fn of(&self, name: &str) -> u64 {
        self.counts().get(name).copied().unwrap_or(0)
    }

    /// Forgets the rule called `name`, which is another one from now on.
    pub fn forget(&self, name: &str) {
        self.counts().remove(name);
    }

    /// A panic elsewhere leaves whole numbers behind.
    fn counts(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
