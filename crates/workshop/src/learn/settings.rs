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
    /// The number of threads.
    pub threads: usize,
    /// The seed of the pseudorandom points at which terms are compared.
    pub seed: u64,
    /// The budget of one proof.
    pub budget: &'s Budget,
    /// The fuel of the whole run.
    pub fuel: &'s Fuel,
}
