//! Composition of the maps of two consecutive steps of a walk, and its cost in steps.
//!
//! Modules are repetitive: layers have the same maps, and so have arrays of the result. So compositions are cached, and a cache
//! hit costs only the comparison that finds it.
//!
//! Law: a cached composition is equal to the one that would be computed.

use super::reads::OperandMap;
use super::sequence::compose;
use super::tidy::Tidy;
use affinor::expr::{Expr, IndexingMap, VariableKind};
use affinor::num::Interval;
use rustc_hash::FxHashMap;

/// Base cost of one composition in steps.
const COMPOSITION: u64 = 16;

/// Cost of a cached composition.
const FOUND: u64 = 4;

/// Maximum number of cached compositions.
const REMEMBERED: usize = 16_384;

/// Compositions by the first map, then by the second; `None` if nothing is read.
type Remembered = FxHashMap<IndexingMap, FxHashMap<IndexingMap, Option<IndexingMap>>>;

/// Composes maps, and caches the results for maps without runtime variables.
pub(super) struct Compositions<'a> {
    tidy: Tidy<'a>,
    /// Maximum number of operations of a map.
    operations: u64,
    known: Remembered,
    count: usize,
}

impl Compositions<'_> {
    pub(super) fn new(tidy: Tidy<'_>, operations: u64) -> Compositions<'_> {
        Compositions { tidy, operations, known: Remembered::default(), count: 0 }
    }

    /// Returns the cost of composing two maps, the second one of an array of these sizes.
    pub(super) fn cost(&self, first: &OperandMap, second: &OperandMap, sizes: &[i64]) -> u64 {
        if is_identity(&second.map, sizes) {
            return 1;
        }
        match self.remembered(first, second) {
            Some(_) => FOUND,
            None => COMPOSITION + operations(first) + operations(second),
        }
    }

    /// Composes `second`, a map of an array of these sizes, after `first`, in tidy form; `None` if the domain is empty. The
    /// error is the reason why the composition cannot be kept.
    pub(super) fn composed(
        &mut self,
        first: &OperandMap,
        second: &OperandMap,
        sizes: &[i64],
    ) -> Result<Option<OperandMap>, String> {
        let exactness = first.exactness.and(&second.exactness);
        if is_identity(&second.map, sizes) {
            // Results of maps stay within the array, so the identity restricts nothing.
            return Ok(Some(OperandMap { exactness, ..first.clone() }));
        }
        if let Some(known) = self.remembered(first, second) {
            let map = known.clone();
            return Ok(map.map(|map| OperandMap { map, exactness, runtime: Vec::new() }));
        }
        let composed = compose(first, second).map_err(|error| error.to_string())?;
        let tidied = self.tidy.apply(&composed).map_err(|error| error.to_string())?;
        if tidied.as_ref().is_some_and(|map| operations(map) > self.operations) {
            return Err(format!("a map has more than {} operations", self.operations));
        }
        self.remember(first, second, tidied.as_ref());
        Ok(tidied)
    }

    fn remembered(&self, first: &OperandMap, second: &OperandMap) -> Option<&Option<IndexingMap>> {
        let is_plain = first.runtime.is_empty() && second.runtime.is_empty();
        is_plain.then(|| self.known.get(&first.map)?.get(&second.map)).flatten()
    }

    fn remember(&mut self, first: &OperandMap, second: &OperandMap, made: Option<&OperandMap>) {
        let is_plain = first.runtime.is_empty() && second.runtime.is_empty();
        if is_plain && self.count < REMEMBERED {
            let after = self.known.entry(first.map.clone()).or_default();
            after.insert(second.map.clone(), made.map(|made| made.map.clone()));
            self.count += 1;
        }
    }
}

/// Returns the number of operations of a map, including its constraints.
fn operations(map: &OperandMap) -> u64 {
    let constraints = map.map.domain().constraints().iter();
    let of_constraints = constraints.map(|constraint| constraint.expr.cost().ops);
    of_constraints.fold(map.map.cost().ops, u64::saturating_add)
}

/// Returns whether the map is `(d0, ..) -> (d0, ..)` on all elements of an array of these sizes.
fn is_identity(map: &IndexingMap, sizes: &[i64]) -> bool {
    let domain = map.domain();
    let bounds = domain.variables().iter().map(|variable| variable.bounds);
    domain.constraints().is_empty()
        && bounds.eq(sizes.iter().map(|size| Interval::of_size(*size)))
        && domain.variables().len() == map.results().len()
        && domain
            .ids(VariableKind::Dimension)
            .eq(map.results().iter().filter_map(Expr::as_variable))
}
