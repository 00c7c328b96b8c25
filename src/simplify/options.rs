//! How much work a simplification may do.

use super::engine::TERMS_PER_STEP;
use crate::num::{Fuel, Interrupt};

/// How much work a simplification may do, in units that do not depend on the machine.
#[derive(Clone, Debug)]
pub struct Options {
    /// Steps that may be taken for each result, and twice as many for each constraint, which is looked at again
    /// after others have changed. A step is a rule instance proposed, a quotient of four terms normalised, or as
    /// much other work as that: nothing that the input can make longer is free.
    pub steps: u64,
    /// Ends the work from another thread; what was found until then is the result.
    pub interrupt: Interrupt,
    /// What is done beside the strategy.
    pub effort: Effort,
}

/// How much is done for a small result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Effort {
    /// The strategy alone: the rules that usually win, each where it usually does.
    Strategy,
    /// Then a bounded saturation, where something smaller is likely to exist.
    #[default]
    Bounded,
    /// Then a long one, wherever something smaller may exist.
    Long,
    /// Saturation of what is given, without the strategy: to measure what each of the two brings.
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
        }
    }
}
