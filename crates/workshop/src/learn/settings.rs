//! The limits of a run of discovery.

use affinor::num::Fuel;
use affinor::prove::Budget;

/// The limits of a run.
#[derive(Clone, Debug)]
pub struct Settings<'s> {
    /// Operations of the longest left side that is enumerated.
    pub size: usize,
    /// Rounds over the corpora.
    pub rounds: usize,
    /// Threads.
    pub threads: usize,
    /// Begins the pseudorandom points at which terms are told apart.
    pub seed: u64,
    /// Bounds of a proof.
    pub budget: &'s Budget,
    /// Bounds of the whole.
    pub fuel: &'s Fuel,
}
