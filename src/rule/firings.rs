//! Usage counts of rules, with the work spent.

use super::RuleId;

/// Usage count of each rule of a set, including uses that left no trace in the result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Firings {
    counts: Vec<u64>,
    /// Steps of fuel that were spent: a machine-independent measure of time.
    pub steps: u64,
}

impl Firings {
    fn of(&mut self, rule: RuleId) -> &mut u64 {
        let position = usize::from(rule.0);
        if self.counts.len() <= position {
            self.counts.resize(position + 1, 0);
        }
        &mut self.counts[position]
    }

    /// Counts one use of a rule.
    pub fn count(&mut self, rule: RuleId) {
        *self.of(rule) += 1;
    }

    /// Adds the counts and steps of `others`.
    pub fn add(&mut self, others: &Firings) {
        self.steps = self.steps.saturating_add(others.steps);
        for (rule, count) in others.counts() {
            *self.of(rule) += count;
        }
    }

    /// Iterates over the rules with a nonzero count, in order.
    pub fn counts(&self) -> impl Iterator<Item = (RuleId, u64)> {
        let counts = (0u16..).map(RuleId).zip(self.counts.iter().copied());
        counts.filter(|(_, count)| *count > 0)
    }
}
