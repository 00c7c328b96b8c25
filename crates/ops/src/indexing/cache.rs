//! The cache of answers, shared by the threads that analyse one module.
//!
//! Law: each entry is a function of the module, so it does not matter which thread computes it. Threads that need the same
//! entry wait for the first of them. References between computations are acyclic, so there is no deadlock.

use super::reads::{InstructionPlace, OperandReads};
use affinor::text::Error;
use affinor_hlo::module::{ComputationId, Module};
use std::sync::{Arc, OnceLock};

/// The reads of an instruction or a computation.
pub(super) type Found = Result<Arc<[OperandReads]>, Error>;

/// A lazily computed answer.
type Once = OnceLock<Result<Arc<[OperandReads]>, Box<Error>>>;

/// The answers about a module.
pub(super) struct Cache {
    computations: Vec<OfComputation>,
}

#[derive(Default)]
struct OfComputation {
    reads: Once,
    /// The reads of the computation's instructions, by number; allocated on the first query.
    operations: OnceLock<Vec<Once>>,
}

impl Cache {
    pub(super) fn new(module: &Module) -> Cache {
        let computations = module.computations();
        Cache { computations: computations.map(|_| OfComputation::default()).collect() }
    }

    /// Returns the reads of a computation, computing them by `work` if they are not cached.
    pub(super) fn computation(&self, id: ComputationId, work: impl FnOnce() -> Found) -> Found {
        known_or(self.computations.get(id.index()).map(|of| &of.reads), work)
    }

    /// Returns the reads of an instruction of a computation with `count` instructions, computing them by `work` if not cached.
    pub(super) fn operation(
        &self,
        place: InstructionPlace,
        count: usize,
        work: impl FnOnce() -> Found,
    ) -> Found {
        let of = self.computations.get(place.computation.index());
        let of =
            of.map(|of| of.operations.get_or_init(|| (0..count).map(|_| Once::new()).collect()));
        known_or(of.and_then(|of| of.get(place.instruction.index())), work)
    }

    /// Returns the reads of an instruction, if they are cached.
    pub(super) fn known_operation(&self, place: InstructionPlace) -> Option<Found> {
        let of = self.computations.get(place.computation.index())?;
        let once = of.operations.get()?.get(place.instruction.index())?;
        once.get().map(|found| found.clone().map_err(|error| *error))
    }
}

fn known_or(once: Option<&Once>, work: impl FnOnce() -> Found) -> Found {
    match once {
        Some(once) => {
            let found = once.get_or_init(|| work().map_err(Box::new));
            found.clone().map_err(|error| *error)
        }
        None => work(),
    }
}
