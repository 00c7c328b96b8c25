//! The cost of all accesses, added up.

use super::classes::Accesses;
use super::measure::Memory;
use super::sums::{Coverage, Sums};
use super::warp::{self, Grid, Warps};
use crate::expr::IndexingMap;
use crate::num::Interrupt;
use crate::simplify::{Options, Simplifier};
use crate::text::{Error, ErrorKind};
use std::sync::Arc;

/// What all accesses cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// What the numbers stand on. Those of a sample are about the sample alone.
    pub basis: Coverage,
    /// Accesses with at least one active lane.
    pub accesses: u128,
    /// Accesses that were looked at, with or without an active lane.
    pub looked_at: u128,
    /// All accesses of the grid, with or without an active lane.
    pub all: u128,
    /// Elements accessed by active lanes.
    pub elements: u128,
    /// The cost of all accesses.
    pub total: u128,
    /// What it would be at the least, access by access.
    pub ideal: u128,
    /// How many accesses have which cost, the lowest cost first.
    pub spread: Vec<(u64, u128)>,
    /// The first of the accesses that are farthest above their ideal; `None` if there is no access.
    pub worst: Option<Worst>,
    /// The position by warp and lane, simplified.
    pub position: IndexingMap,
    /// The same, as it was before.
    pub given: IndexingMap,
}

impl Cost {
    /// How many times the least cost; 1 where there is no access.
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
    /// The variables that tell accesses apart, in order, with their values; the warp is among them if a block has several.
    pub at: Vec<(Arc<str>, i64)>,
    /// Its cost.
    pub cost: u64,
    /// The least cost for its bytes or words.
    pub ideal: u64,
}

/// What the accesses cost whose positions `position` says: a map with one result, from threads to positions in elements.
///
/// # Errors
/// Without a span: kind `arity` if the map has not one result, `domain` for runtime variables and for variables without bounds, `usage` for sizes without a meaning, `too-large` if one access
/// has more than [`super::MOST_ELEMENTS`] elements, `overflow` for positions beyond 64 bits, `interrupted`.
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
    let options = Options {
        interrupt: interrupt.cloned().unwrap_or_default(),
        ..Options::default()
    };
    let simple = simplifier.simplify(&given, &options).map;
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
