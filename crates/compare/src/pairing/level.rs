//! A pair of computations whose values are compared: the entries, or the bodies of two loops; and the arrays that are paired by
//! their values.

use super::values::Values;
use crate::computed::Computed;
use affinor_hlo::module::{ComputationId, InstructionId};
use affinor_ops::indexing::{LoopCourse, OperandMap, Place, TuplePath};
use std::collections::{BTreeMap, BTreeSet};

/// A class of arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Class {
    pub(super) number: usize,
    /// The sizes over which maps to an array of the class are written.
    pub(super) sizes: Vec<i64>,
}

/// The reads of an array from the arrays of each class.
pub(super) type Found = BTreeMap<usize, Vec<OperandMap>>;

/// Two computations and the state of their comparison.
pub(super) struct Level {
    pub(super) computations: [ComputationId; 2],
    /// The loops that they are the bodies of; `None` for the entries.
    pub(super) around: Option<Around>,
    pub(super) values: [Values; 2],
    /// The classes of the arrays that have one.
    pub(super) classes: [BTreeMap<Place, Class>; 2],
    /// The loops inside, with the parts that they pass on.
    pub(super) loops: [BTreeMap<InstructionId, BTreeSet<TuplePath>>; 2],
}

/// Two loops in the computations of a level, with equal trip counts.
pub(super) struct Around {
    pub(super) level: usize,
    pub(super) courses: [LoopCourse; 2],
}

/// The comparison of values, and the arrays that are compared.
pub(super) struct Chosen<'m> {
    pub(super) computed: Computed<'m>,
    /// For each side, the arrays of the entry that determine reads, known once the entries are opened; whether their
    /// values are needed.
    pub(super) places: [BTreeMap<Place, bool>; 2],
    /// The number of the value of each array that is the same in both modules.
    pub(super) same: [BTreeMap<Place, usize>; 2],
    /// The next such number.
    pub(super) next: usize,
}
