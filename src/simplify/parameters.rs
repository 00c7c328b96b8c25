//! A domain's facts about parameters, in terms of atoms.

use super::linear::{AtomId, Linear, SumId};
use crate::num::polynomial::{Monomial, Polynomial};
use crate::num::sign::Bounded;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// A parameter that is a multiple of an integer or of a product of others: `factor * product`.
#[derive(Clone)]
pub struct Multiple {
    pub(super) parameter: AtomId,
    /// Its quotient by the divisor; one factor of the product.
    pub(super) quotient: AtomId,
    pub(super) factor: i64,
    pub(super) product: Monomial<AtomId>,
    /// The product as a sum.
    pub(super) value: Linear,
}

/// The parameters of a map, and the facts of its domain in terms of them.
#[derive(Clone, Default)]
pub struct Names {
    /// The number of the first parameter, and the number after the last.
    pub(super) parameters: std::ops::Range<u32>,
    /// Lower and upper bounds of variables.
    pub(super) ends: FxHashMap<AtomId, [Option<Polynomial<AtomId>>; 2]>,
    /// Parameters that are multiples.
    pub(super) multiples: Vec<Multiple>,
    /// Nonnegative polynomials in parameters.
    pub(super) facts: Vec<Polynomial<AtomId>>,
    /// Bounds of atoms, cached until more is learned.
    pub(super) bounded: RefCell<FxHashMap<AtomId, Rc<Bounded<AtomId>>>>,
    /// Lower (or upper) bounds of sums in parameters, cached until more is learned.
    pub(super) named_ends: FxHashMap<(SumId, bool), Option<Linear>>,
}
