//! An index of rules by the operations on both sides, for queries of the form: is this equal to that?

use super::matching::Sides;
use super::{RuleId, RuleSet, Statement};
use rustc_hash::FxHashMap;

/// The operations on the left and on the right, one bit for each, and whether comparisons are replaced.
type Key = ([u8; 2], bool);

/// Rules compiled for two-sided queries.
#[derive(Clone, Debug, Default)]
pub struct TwoSided(FxHashMap<Key, Vec<(RuleId, Sides)>>);

impl TwoSided {
    /// Compiles the rules for which `is_fired` that replace something. Laws of native code replace nothing, however
    /// they are stated.
    pub fn of(rules: &RuleSet, is_fired: impl Fn(RuleId) -> bool) -> TwoSided {
        let mut all = TwoSided::default();
        for (id, rule) in (0u16..).map(RuleId).zip(rules.rules()) {
            let is_equivalence = matches!(rule.statement, Statement::Equivalence(..));
            if is_fired(id)
                && !(is_equivalence && rule.is_law_of_code())
                && let Some(sides) = Sides::new(rule)
            {
                let key = (sides.operators(), is_equivalence);
                all.0.entry(key).or_default().push((id, sides));
            }
        }
        all
    }

    /// Returns the rules that may relate terms with these operations, in the order of their files.
    #[must_use]
    pub fn at(&self, operators: [u8; 2], is_equivalence: bool) -> &[(RuleId, Sides)] {
        let rules = self.0.get(&(operators, is_equivalence));
        rules.map_or(&[], Vec::as_slice)
    }

    /// Whether the rule is indexed as an equivalence of comparisons.
    #[must_use]
    pub fn has_equivalence(&self, id: RuleId) -> bool {
        let equivalences = self
            .0
            .iter()
            .filter(|((_, is_equivalence), _)| *is_equivalence);
        equivalences
            .flat_map(|(_, rules)| rules)
            .any(|(rule, _)| *rule == id)
    }
}
