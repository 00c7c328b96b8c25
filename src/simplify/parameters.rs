//! What a domain says of parameters, in terms of atoms.

use super::linear::{AtomId, Linear, SumId};
use crate::num::polynomial::Polynomial;
use crate::num::sign::Bounded;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The parameters of a map, and what its domain says in terms of them.
#[derive(Clone, Default)]
pub struct Names {
    /// The numbers of the first and after the last parameter.
    pub(super) parameters: std::ops::Range<u32>,
    /// Bounds of variables below and above.
    pub(super) ends: FxHashMap<AtomId, [Option<Polynomial<AtomId>>; 2]>,
    /// Parameters that are multiples of an integer, with this and their quotients by it.
    pub(super) multiples: Vec<(AtomId, i64, AtomId)>,
    /// Polynomials in parameters that are not negative.
    pub(super) facts: Vec<Polynomial<AtomId>>,
    /// What is known of atoms, until more is learned.
    pub(super) bounded: RefCell<FxHashMap<AtomId, Rc<Bounded<AtomId>>>>,
    /// Lower (or upper) ends of sums in parameters, until more is learned.
    pub(super) named_ends: FxHashMap<(SumId, bool), Option<Linear>>,
}
