//! The maps of two steps of a walk in sequence, and how many steps these take.
//!
//! Modules repeat themselves: layers read alike, and what arrays of the result read is alike. So compositions are
//! remembered, and count again no more than the comparison that finds them.
//!
//! Law: an answer that is remembered is the one that would be made again.

use super::reads::OperandMap;
use super::sequence::compose;
use super::tidy::Tidy;
use affinor::expr::{Expr, IndexingMap, VariableKind};
use affinor::num::Interval;
use rustc_hash::FxHashMap;

/// Base cost of one composition in steps.
const COMPOSITION: u64 = 16;

/// Cost of one that is remembered.
const FOUND: u64 = 4;

/// Most compositions that are remembered.
const REMEMBERED: usize = 16_384;

/// By the first map, then by the second one: none if nothing is read.
type Remembered = FxHashMap<IndexingMap, FxHashMap<IndexingMap, Option<IndexingMap>>>;

/// Composes maps, and remembers the results for maps without runtime variables.
pub(super) struct Compositions<'a> {
    tidy: Tidy<'a>,
    /// Most operations of a map.
    operations: u64,
    known: Remembered,
    count: usize,
}

impl Compositions<'_> {
    pub(super) fn new(tidy: Tidy<'_>, operations: u64) -> Compositions<'_> {
        Compositions { tidy, operations, known: Remembered::default(), count: 0 }
    }

    /// The steps that it takes to compose two maps, the second one of an array of these sizes.
    pub(super) fn cost(&self, first: &OperandMap, second: &OperandMap, sizes: &[i64]) -> u64 {
        if is_identity(&second.map, sizes) {
            return 1;
        }
        match self.remembered(first, second) {
            Some(_) => FOUND,
            None => COMPOSITION + operations(first) + operations(second),
        }
    }

    /// `second`, a map of an array of these sizes, after `first`, in tidy form; `None` when it is nowhere
    /// defined; else why it cannot be kept.
    pub(super) fn composed(
        &mut self,
        first: &OperandMap,
        second: &OperandMap,
        sizes: &[i64],
    ) -> Result<Option<OperandMap>, String> {
        let exactness = first.exactness.and(&second.exactness);
        if is_identity(&second.map, sizes) {
            // Maps stay within the arrays they lead to, so nothing is left to restrict.
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

/// Operations of a map, those of its constraints included.
fn operations(map: &OperandMap) -> u64 {
    let constraints = map.map.domain().constraints().iter();
    let of_constraints = constraints.map(|constraint| constraint.expr.cost().ops);
    of_constraints.fold(map.map.cost().ops, u64::saturating_add)
}

/// Does it say `(d0, ..) -> (d0, ..)` of every element of an array of these sizes?
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
