//! Records of the comparison: of views and their comparisons, of scalars in loops, and of pairs of loops.

use super::constant::Constant;
use super::frames::At;
use super::verdict::Verdict;
use affinor_ops::indexing::{OperandMap, TuplePath};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Elements of an array at the points of a space, where the maps are defined. The source of a runtime variable is the number of an
/// array among the sources of its side.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct View {
    pub(super) at: At,
    pub(super) maps: Vec<OperandMap>,
}

/// A comparison of views over a space of these sizes; elements of the constant are left out.
pub(super) struct Deep {
    pub(super) sizes: Vec<i64>,
    pub(super) views: [View; 2],
    pub(super) without: Option<Constant>,
}

/// The value of a scalar in the runs of a loop.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Listed {
    Constant(Constant),
    /// By the number of the pair of loops.
    Values(usize, Vec<i64>),
}

/// The comparison of two loops.
pub(super) struct LoopPair {
    /// The group of each part of the state that has one.
    pub(super) classes: [Rc<BTreeMap<TuplePath, usize>>; 2],
    /// Why parts have none: the difference of the bodies where all states are the same.
    pub(super) reason: Option<Verdict>,
}
