//! A pair of computations whose values are compared: the entries, or the bodies of two loops.

use super::values::Values;
use affinor_hlo::module::{ComputationId, InstructionId};
use affinor_ops::indexing::{LoopCourse, OperandMap, Place, TuplePath};
use std::collections::{BTreeMap, BTreeSet};

/// A class of arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Class {
    pub(super) number: usize,
    /// The sizes over which maps to it are written.
    pub(super) sizes: Vec<i64>,
}

/// The reads of an array from the arrays of each class.
pub(super) type Found = BTreeMap<usize, Vec<OperandMap>>;

/// Two computations.
pub(super) struct Level {
    pub(super) computations: [ComputationId; 2],
    /// The loops whose bodies they are.
    pub(super) around: Option<Around>,
    pub(super) values: [Values; 2],
    /// The classes of arrays.
    pub(super) classes: [BTreeMap<Place, Class>; 2],
    /// Loops inside, and the parts that they pass on.
    pub(super) loops: [BTreeMap<InstructionId, BTreeSet<TuplePath>>; 2],
}

/// Two loops in the computations of a level, whose bodies run equally often.
pub(super) struct Around {
    pub(super) level: usize,
    pub(super) courses: [LoopCourse; 2],
}
