//! How often rules were used.

use super::RuleId;

/// How often each rule of a set was used, also where nothing of it is left in the result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Firings(Vec<u64>);

impl Firings {
    fn of(&mut self, rule: RuleId) -> &mut u64 {
        let position = usize::from(rule.0);
        if self.0.len() <= position {
            self.0.resize(position + 1, 0);
        }
        &mut self.0[position]
    }

    /// A rule was used.
    pub fn count(&mut self, rule: RuleId) {
        *self.of(rule) += 1;
    }

    /// Adds up two counts.
    pub fn add(&mut self, others: &Firings) {
        for (rule, count) in others.counts() {
            *self.of(rule) += count;
        }
    }

    /// The rules that were used, in order.
    pub fn counts(&self) -> impl Iterator<Item = (RuleId, u64)> {
        let counts = (0u16..).map(RuleId).zip(self.0.iter().copied());
        counts.filter(|(_, count)| *count > 0)
    }
}
