//! Limits on the work of a simplification.

use super::engine::TERMS_PER_STEP;
use crate::num::{Fuel, Interrupt};

/// Limits on the work of a simplification, in machine-independent units.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Steps per result, and twice as many per constraint, which is revisited when others change. A step is one
    /// proposed rule instance, the normalization of a quotient of four terms, or an equal amount of other work: all
    /// work that grows with the input is counted.
    pub steps: u64,
    /// Ends the work from another thread; the best result so far is returned.
    pub interrupt: Interrupt,
    /// The work beyond the strategy.
    pub effort: Effort,
}

/// How hard to search for a small result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Effort {
    /// Only the strategy: the rules that usually win, each where it usually does.
    Strategy,
    /// Adds a bounded saturation where a smaller form is likely.
    #[default]
    Bounded,
    /// Adds a long saturation wherever a smaller form is possible.
    Long,
    /// Only saturation of the input, without the strategy: to measure the contribution of each.
    SaturationAlone,
}

impl Budget {
    /// Creates the fuel for `count` results or constraints; for none, still enough to discover that.
    pub(super) fn fuel(&self, count: usize) -> Fuel {
        let terms = self.steps.saturating_mul(TERMS_PER_STEP as u64);
        Fuel::new(terms.saturating_mul(count.max(1) as u64), &self.interrupt)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            steps: 600,
            interrupt: Interrupt::new(),
            effort: Effort::default(),
        }
    }
}
