//! The facts of a domain about parameters, in terms of atoms.

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
    /// The numbers of the first and after the last parameter.
    pub(super) parameters: std::ops::Range<u32>,
    /// Bounds of variables below and above.
    pub(super) ends: FxHashMap<AtomId, [Option<Polynomial<AtomId>>; 2]>,
    /// Parameters that are multiples.
    pub(super) multiples: Vec<Multiple>,
    /// Polynomials in parameters that are not negative.
    pub(super) facts: Vec<Polynomial<AtomId>>,
    /// Bounds of atoms, until more is learned.
    pub(super) bounded: RefCell<FxHashMap<AtomId, Rc<Bounded<AtomId>>>>,
    /// Lower (or upper) ends of sums in parameters, until more is learned.
    pub(super) named_ends: FxHashMap<(SumId, bool), Option<Linear>>,
}
