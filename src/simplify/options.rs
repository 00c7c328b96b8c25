//! Limits on the work of a simplification.

use super::engine::TERMS_PER_STEP;
use crate::num::{Fuel, Interrupt};

/// Limits on the work of a simplification, in machine-independent units.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum number of steps for each result, and twice as many for each constraint, which is visited again after others have
    /// changed. A step is a proposed rule instance, a normalized quotient of four terms, or an equal amount of other work: no
    /// work that grows with the input is free.
    pub steps: u64,
    /// Stops the work from another thread; the best result so far is returned.
    pub interrupt: Interrupt,
    /// The work beyond the strategy.
    pub effort: Effort,
    /// Whether only the results matter: constraints of the domain may stay as written.
    pub results_only: bool,
}

/// The effort of the search for a small result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Effort {
    /// Only the strategy: each rule at the place where it usually helps.
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
    /// Returns the fuel for this many results or constraints, counting at least one.
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
