//! An index of rules by the operations on both sides, for queries whether one given term equals another.

use super::matching::Sides;
use super::{RuleId, RuleSet, Statement};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The operations on the left and on the right, one bit each, and whether comparisons are replaced.
type Key = ([u8; 2], bool);

/// Rules compiled for two-sided queries, in the order of their keys.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TwoSided(Vec<(Key, Vec<(RuleId, Sides)>)>);

impl TwoSided {
    /// Compiles the rules for which `is_fired` holds and that replace something. Laws of native code replace nothing, whatever
    /// their form.
    pub fn of(rules: &RuleSet, is_fired: impl Fn(RuleId) -> bool) -> TwoSided {
        let mut all: BTreeMap<Key, Vec<(RuleId, Sides)>> = BTreeMap::new();
        for (id, rule) in (0u16..).map(RuleId).zip(rules.rules()) {
            let is_equivalence = matches!(rule.statement, Statement::Equivalence(..));
            if is_fired(id)
                && !(is_equivalence && rule.is_law_of_code())
                && let Some(sides) = Sides::new(rule)
            {
                let key = (sides.operators(), is_equivalence);
                all.entry(key).or_default().push((id, sides));
            }
        }
        TwoSided(all.into_iter().collect())
    }

    /// Returns the rules that may relate terms with these operations, in the order of their files.
    #[must_use]
    pub fn at(&self, operators: [u8; 2], is_equivalence: bool) -> &[(RuleId, Sides)] {
        let key = (operators, is_equivalence);
        let place = self.0.binary_search_by_key(&key, |(key, _)| *key);
        place.map_or(&[], |place| &self.0[place].1)
    }

    /// Returns whether the rule is indexed as an equivalence of comparisons.
    #[must_use]
    pub fn has_equivalence(&self, id: RuleId) -> bool {
        let equivalences = self.0.iter().filter(|((_, is_equivalence), _)| *is_equivalence);
        equivalences.flat_map(|(_, rules)| rules).any(|(rule, _)| *rule == id)
    }
}
