//! Bounded saturation of what the strategy left: the division rules that it did not come to.
//!
//! The strategy stops at the first rule that fires. Here each quotient that the given expressions led to
//! is rewritten by each rule after that one, the new normal forms are searched for smaller forms, and
//! all of it goes into the e-graph. Quotients that only the search met are left alone: firing every rule
//! on those took a quarter of the time and never led to a smaller result.

use super::engine::Engine;

impl Engine<'_> {
    /// Saturates until every rule was tried or no steps are left.
    pub(super) fn saturate(&mut self) {
        let rules = self.rules.division_rules();
        for key in std::mem::take(&mut self.imported) {
            let (sum, divisor) = (self.store.sum(key.0).clone(), key.1);
            let Some(known) = self.quotients.get(&key).cloned() else {
                continue;
            };
            for rule in rules.get(known.tried..).unwrap_or_default() {
                if !self.spend() {
                    return;
                }
                let Some(result) = self.fire_division(rule, &sum, divisor) else {
                    continue;
                };
                if result != known.normal {
                    // The rule recorded its union; what is new is a sum to search.
                    let _ = self.sum_form(&result, 0);
                }
            }
        }
    }
}
