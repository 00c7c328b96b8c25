//! Records of samples: how arrays are computed, their elements, and the findings about two results.

use super::folded::Folded;
use super::frames::At;
use super::parts::{Deep, View};
use super::reals::Sample;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How an array is computed.
pub(super) enum Way {
    /// Its elements are those of other arrays, where their maps are defined.
    Copied(Vec<View>),
    /// A parameter, by its number among all arrays that are parameters.
    Given(u64),
    Literal(Vec<f64>),
    Iota(usize),
    /// An elementwise operation, and whether each operand is a scalar.
    Applied(Vec<(At, bool)>),
    Folded(Opcode, Vec<Folded>),
    Unknown,
}

/// An array whose elements are computed one by one.
pub(super) struct Array {
    pub(super) sizes: Vec<i64>,
    pub(super) of: ElementType,
    pub(super) way: Way,
}

/// The arrays whose elements are computed, by number.
#[derive(Default)]
pub(super) struct Arrays {
    pub(super) numbers: [BTreeMap<At, usize>; 2],
    pub(super) all: Vec<Option<Rc<Array>>>,
}

/// The elements that were computed for a sample of the parameters, by array and position; `None` for those that are unknown.
#[derive(Default)]
pub(super) struct Values {
    pub(super) elements: Vec<BTreeMap<usize, Option<f64>>>,
    pub(super) steps: u64,
    pub(super) sample: Sample,
    /// Which noise is added to the results of operations on floats: none for 0.
    pub(super) noise: u64,
}

impl Values {
    pub(super) fn new(sample: Sample, noise: u64) -> Values {
        Values { sample, noise, ..Values::default() }
    }
}

/// What the values of two results are known to be.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) enum Compared {
    /// They were not compared.
    #[default]
    Unseen,
    /// All that were compared are unknown.
    Unknown,
    Equal,
    Apart,
}

/// A comparison of two results.
#[derive(Default)]
pub(super) struct Sampled {
    /// The number of comparisons of views since it began.
    pub(super) asked: u64,
    pub(super) results: Option<Deep>,
    pub(super) compared: Compared,
}

impl Sampled {
    /// Begins with a comparison of two results. Returns whether values may have ruled out comparisons for those before.
    pub(super) fn begin(&mut self, results: Deep) -> bool {
        let before =
            std::mem::replace(self, Sampled { results: Some(results), ..Sampled::default() });
        matches!(before.compared, Compared::Equal | Compared::Apart)
    }
}
