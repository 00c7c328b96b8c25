//! Limits on the work of a simplification.

use super::engine::TERMS_PER_STEP;
use crate::num::{Fuel, Interrupt};

/// Limits on the work of a simplification, in machine-independent units.
#[derive(Clone, Debug)]
pub struct Options {
    /// Steps that may be taken for each result, and twice as many for each constraint, which is looked at again
    /// after others have changed. A step is a rule instance proposed, a quotient of four terms normalised, or as
    /// much other work as that: nothing that the input can make longer is free.
    pub steps: u64,
    /// Ends the work from another thread; the best result so far is returned.
    pub interrupt: Interrupt,
    /// The work beyond the strategy.
    pub effort: Effort,
    /// Only the results are wanted: constraints of the domain may stay as they are written.
    pub results_only: bool,
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

impl Options {
    /// The fuel for so many results or constraints; without any there is still enough to find that out.
    pub(super) fn fuel(&self, count: usize) -> Fuel {
        let terms = self.steps.saturating_mul(TERMS_PER_STEP as u64);
        Fuel::new(terms.saturating_mul(count.max(1) as u64), &self.interrupt)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            steps: 600,
            interrupt: Interrupt::new(),
            effort: Effort::default(),
            results_only: false,
        }
    }
}
