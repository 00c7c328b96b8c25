//! How much work a question may be.

use crate::num::{Fuel, Interrupt};

/// Bounds on the work of one question.
#[derive(Clone, Debug)]
pub struct Budget {
    /// A box of at most so many points is decided by trying all of them.
    pub points: u64,
    /// Points tried in a larger box, to refute.
    pub samples: u64,
    /// Compare linear forms?
    pub forms: bool,
    /// Steps of Z3 (its `rlimit`) for each goal; 0 for no solver.
    pub solver_steps: u32,
    /// Ends the work from another thread; the verdict is then unknown.
    pub interrupt: Option<Interrupt>,
    /// A step is taken off for each point that [`crate::footprint::image`] tries; when it ends, so does the trying.
    pub fuel: Option<Fuel>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            points: 20_000,
            samples: 1_000,
            forms: true,
            solver_steps: 1_000_000,
            interrupt: None,
            fuel: None,
        }
    }
}

impl Budget {
    /// Fuel of its own for a part of the work, beside [`Budget::fuel`]; the same interrupt ends it.
    #[must_use]
    pub fn own_fuel(&self, steps: u64) -> Fuel {
        Fuel::new(steps, &self.interrupt.clone().unwrap_or_default())
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::is_triggered)
    }
}
