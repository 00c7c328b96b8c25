//! Limits on the work for a query.

use super::Answers;
use crate::num::{Fuel, Interrupt};

/// Limits on the work for one query.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Maximum number of points of a box that is decided by enumeration.
    pub points: u64,
    /// Number of points sampled in a larger box.
    pub samples: u64,
    /// Whether to compare linear forms.
    pub forms: bool,
    /// Z3 steps (`rlimit`) per goal; 0 disables the solver.
    pub solver_steps: u32,
    /// Stops the work from another thread; the verdict is then unknown.
    pub interrupt: Option<Interrupt>,
    /// The fuel for images of maps, one step per tried point, and for searches for bounds over integer points; both stop when it
    /// is spent.
    pub fuel: Option<Fuel>,
    /// The solver's answers so far to scripts about maps with named sizes, which clones share.
    pub answers: Answers,
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
            answers: Answers::kept(),
        }
    }
}

impl Budget {
    /// Creates separate fuel for a part of the work, with the same interrupt.
    #[must_use]
    pub fn own_fuel(&self, steps: u64) -> Fuel {
        Fuel::new(steps, &self.interrupt.clone().unwrap_or_default())
    }

    /// Returns the same budget, with shared fuel for several queries if it has none.
    pub(super) fn with_fuel(&self, steps: u64) -> Budget {
        let fuel = self.fuel.clone().unwrap_or_else(|| self.own_fuel(steps));
        Budget { fuel: Some(fuel), ..self.clone() }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::is_triggered)
    }
}
