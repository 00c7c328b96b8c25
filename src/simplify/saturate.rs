//! Bounded saturation of what the strategy left: every division rule on every quotient.
//!
//! The strategy stops at the first rule that fires. Here each quotient that it met is rewritten by
//! each rule that applies, the new normal forms are searched for smaller forms, and all of it goes
//! into the e-graph, until nothing new comes or a bound is met.

use super::engine::Engine;
use super::linear::Linear;
use std::collections::BTreeSet;

/// Most rounds of saturation.
const MAX_ROUNDS: usize = 4;

impl Engine<'_> {
    /// Saturates until nothing new comes or the e-graph has more than `max_nodes` nodes.
    pub fn saturate(&mut self, max_nodes: usize) {
        let rules = self.rules;
        let mut done = BTreeSet::new();
        for _ in 0..MAX_ROUNDS {
            let mut keys: Vec<_> = self
                .quotients
                .keys()
                .copied()
                .filter(|key| !done.contains(key))
                .collect();
            keys.sort_unstable();
            if keys.is_empty() {
                return;
            }
            for key in keys {
                done.insert(key);
                if self.record.egraph.total_size() > max_nodes {
                    self.stop("e-graph nodes");
                    return;
                }
                let sum: Linear = self.store.sum(key.0).clone();
                let known = self.quotients.get(&key).cloned();
                for rule in rules.division_rules() {
                    if !self.spend() {
                        return;
                    }
                    if let Some(result) = self.fire_division(rule, &sum, key.1) {
                        if known.as_ref() == Some(&result) {
                            continue;
                        }
                        // The rule recorded its union; what is new is a sum to search.
                        let _ = self.sum_form(&result, 0);
                    }
                }
            }
            self.record.egraph.rebuild();
        }
    }
}
