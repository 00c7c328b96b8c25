//! The total cost of all accesses.

use super::classes::Accesses;
use super::measure::Memory;
use super::sums::{Coverage, Sums};
use super::warp::{self, Grid, Warps};
use affinor::expr::IndexingMap;
use affinor::num::Interrupt;
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Error, ErrorKind};
use std::sync::Arc;

/// The cost of all accesses.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// The basis of the numbers. Those of a sample are about the sampled accesses only.
    pub basis: Coverage,
    /// Accesses with at least one active lane.
    pub accesses: u128,
    /// Number of accesses evaluated, with or without an active lane.
    pub looked_at: u128,
    /// Number of all accesses of the grid, with or without an active lane.
    pub all: u128,
    /// Number of elements accessed by active lanes.
    pub elements: u128,
    /// Total cost.
    pub total: u128,
    /// Sum of the ideal costs of the accesses.
    pub ideal: u128,
    /// Histogram: `(cost, number of accesses)`, by increasing cost.
    pub spread: Vec<(u64, u128)>,
    /// The access with the largest excess over its ideal cost, the first in a tie; `None` if there is no access.
    pub worst: Option<Worst>,
    /// The position by warp and lane, simplified.
    pub position: IndexingMap,
    /// The position by warp and lane, before simplification.
    pub given: IndexingMap,
}

impl Cost {
    /// Returns the ratio of total to ideal cost; 1 if there is no access.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        match self.ideal {
            0 => 1.0,
            ideal => self.total as f64 / ideal as f64,
        }
    }
}

/// An access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Worst {
    /// The variables that identify accesses, in order, with their values, including the warp if a block has several.
    pub at: Vec<(Arc<str>, i64)>,
    /// The cost of the access.
    pub cost: u64,
    /// The ideal cost for its bytes or words.
    pub ideal: u64,
}

/// Computes the cost of accesses at `position`: a map with one result, from threads to positions in elements.
///
/// # Errors
/// Without a span: kind `arity` if the map does not have one result, `domain` for runtime variables and for variables without
/// bounds, `usage` for invalid sizes, `too-large` if one access has more than [`super::MOST_ELEMENTS`] elements,
/// `overflow` for positions beyond 64 bits, `interrupted`.
pub fn cost(
    position: &IndexingMap,
    grid: &Grid,
    memory: Memory,
    simplifier: &Simplifier,
    interrupt: Option<&Interrupt>,
) -> Result<Cost, Error> {
    check(position, memory)?;
    warp::check(position, grid)?;
    let warps = Warps::new(position, grid)?;
    let given = warps.map;
    let options =
        Options { interrupt: interrupt.cloned().unwrap_or_default(), ..Options::default() };
    // Periods are derived from the syntactic form, which must not contain variables that simplification found.
    let simple = simplifier.without_found()?.simplify(&given, &options).map;
    let mut sums = Sums::default();
    if !simple.domain().is_known_empty() {
        let accesses = Accesses::new(&simple, warps.outer, memory)?;
        accesses.run(&mut sums, interrupt)?;
    }
    let names = simple.domain().variables().iter().take(warps.outer);
    let worst = sums.worst.take().map(|(at, cost, ideal)| Worst {
        at: names.map(|v| v.name.clone()).zip(at).collect(),
        cost,
        ideal,
    });
    Ok(Cost {
        basis: sums.basis,
        accesses: sums.spread.values().sum(),
        looked_at: sums.looked_at,
        all: sums.all,
        elements: sums.elements,
        total: sums.total,
        ideal: sums.ideal,
        spread: sums.spread.into_iter().collect(),
        worst,
        position: simple,
        given,
    })
}

fn check(position: &IndexingMap, memory: Memory) -> Result<(), Error> {
    memory.check()?;
    let results = position.results().len();
    if results != 1 {
        let message = format!("expected a map to one position, found {results} results");
        return Err(Error::without_span(ErrorKind::Arity, message));
    }
    Ok(())
}
