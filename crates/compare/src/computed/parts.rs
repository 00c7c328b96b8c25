//! Records of the comparison: views and their comparisons, scalars in loops, selections, and pairs of loops.

use super::constant::Constant;
use super::frames::At;
use super::verdict::Verdict;
use affinor::expr::VariableKind;
use affinor_ops::indexing::{OperandMap, TuplePath};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Elements of an array at those points of a space at which the maps are defined. The source of a runtime variable is the number
/// of an array among the sources of its side.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct View {
    pub(super) at: At,
    pub(super) maps: Vec<OperandMap>,
}

/// A comparison of views over a space of these sizes; elements that equal the constant are excluded.
#[derive(Clone)]
pub(super) struct Deep {
    pub(super) sizes: Vec<i64>,
    pub(super) views: [View; 2],
    pub(super) without: Option<Constant>,
}

/// The value of a scalar in the iterations of a loop.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Listed {
    Constant(Constant),
    /// The number of the pair of loops, and the value in each iteration.
    Values(usize, Vec<i64>),
}

/// For the second and the third operand of a `select`, the maps that are defined where it is chosen.
pub(super) type Chosen = Rc<[Vec<OperandMap>; 2]>;

/// The comparison of two loops.
pub(super) struct LoopPair {
    /// The group of each part of the state that has one.
    pub(super) classes: [Rc<BTreeMap<TuplePath, usize>>; 2],
    /// The reason why parts have no group: the difference of the bodies for equal states.
    pub(super) reason: Option<Verdict>,
}

/// Returns whether each side has a single map, each defined at all points of a box, and the boxes are different.
pub(super) fn are_in_other_boxes(sides: [&[OperandMap]; 2]) -> bool {
    let boxes = sides.map(|maps| match maps {
        [only] if only.map.domain().constraints().is_empty() => {
            let variables = only.map.domain().variables().iter();
            let dimensions = variables.filter(|one| one.kind == VariableKind::Dimension);
            Some(dimensions.map(|one| one.bounds).collect::<Vec<_>>())
        }
        _ => None,
    });
    let [old, new] = boxes;
    old.is_some() && new.is_some() && old != new
}
