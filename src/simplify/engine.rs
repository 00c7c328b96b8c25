//! The state of one simplification: one map, one domain, one e-graph.

use super::constraint::Replacement;
use super::form::FormRef;
use super::journal::Entry;
use super::lattice::NormalLattice;
use super::linear::Linear;
use super::program::Program;
use super::record::Record;
use super::store::{Store, SumId};
use crate::interval::Interval;
use rustc_hash::FxHashMap;

/// Everything that a simplification knows. Nothing in it outlives the map it was made for, so no
/// result depends on what was simplified before.
pub struct Engine<'r> {
    pub(super) rules: &'r Program,
    pub(super) store: Store,
    /// Normal forms of quotients.
    pub(super) quotients: FxHashMap<(SumId, i64), Linear>,
    /// Quotients that are being normalised, outermost first.
    pub(super) dividing: Vec<(SumId, i64)>,
    pub(super) record: Record,
    /// Smallest form found for a sum, a quotient, a remainder.
    pub(super) forms: Forms,
    /// Rule instances that may still be proposed.
    pub(super) fuel: u64,
    pub(super) stopped: Option<&'static str>,
    /// Constraints that rules replaced, in order.
    pub(super) replacements: Vec<Replacement>,
    /// Normal forms of mins and maxes, by kind and operands.
    pub(super) lattices: FxHashMap<(bool, Vec<Linear>), NormalLattice>,
    /// Mins and maxes that are being normalised, one for the sake of the other.
    pub(super) nested_lattices: u32,
    /// Remainders that were read of sums with a min or max in them.
    pub(super) remainders_read: Vec<(Linear, i64)>,
    /// Every rule instance that was used, when a certificate is wanted.
    pub(super) journal: Option<Vec<Entry>>,
}

/// Smallest forms found so far.
#[derive(Default)]
pub struct Forms {
    pub(super) sums: FxHashMap<SumId, FormRef>,
    pub(super) quotients: FxHashMap<(SumId, i64), FormRef>,
    pub(super) remainders: FxHashMap<(SumId, i64), FormRef>,
}

impl<'r> Engine<'r> {
    /// An engine for a domain whose variables have these bounds.
    pub fn new(rules: &'r Program, bounds: &[Interval], fuel: u64) -> Engine<'r> {
        Engine {
            rules,
            store: Store::new(bounds),
            quotients: FxHashMap::default(),
            dividing: Vec::new(),
            record: Record::default(),
            forms: Forms::default(),
            fuel,
            stopped: None,
            replacements: Vec::new(),
            lattices: FxHashMap::default(),
            nested_lattices: 0,
            remainders_read: Vec::new(),
            journal: None,
        }
    }

    /// Takes one proposal off the budget; `false`, and the search counts as stopped, if none is left.
    pub fn spend(&mut self) -> bool {
        if self.fuel == 0 {
            self.stop("proposals of the search");
            return false;
        }
        self.fuel -= 1;
        true
    }

    /// Notes that a bound was met: the result is right, but a smaller one may exist.
    pub fn stop(&mut self, bound: &'static str) {
        self.stopped.get_or_insert(bound);
    }
}
