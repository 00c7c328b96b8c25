//! The cost of all accesses, added up.

use super::classes::Accesses;
use super::measure::Measure;
use super::warp::{self, Grid, Warps};
use crate::expr::IndexingMap;
use crate::num::Interrupt;
use crate::simplify::{Budget, Simplifier};
use crate::text::{Error, ErrorKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most elements (of all lanes, active or not) that are looked at one by one.
pub const MOST_ELEMENTS: u64 = 1 << 22;

/// What an answer stands on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub enum Basis {
    /// One access of each class was looked at, and a law says that the others of its class cost the same.
    #[default]
    Exact,
    /// Every access that may have an active lane was looked at.
    Counted,
    /// Some accesses were looked at; nothing is said of the others.
    Sampled,
}

impl Basis {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Basis::Exact => "exact",
            Basis::Counted => "counted",
            Basis::Sampled => "sampled",
        }
    }
}

/// The memory that is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Bits of an element, and from one position to the next.
    pub element_bits: i64,
    /// Bytes from an aligned address to position 0.
    pub offset: i64,
    /// What costs.
    pub measure: Measure,
}

/// What all accesses cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// What the numbers stand on. Those of a sample are about the sample alone.
    pub basis: Basis,
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
/// has more than [`MOST_ELEMENTS`] elements, `overflow` for positions beyond 64 bits, `interrupted`.
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
    let budget = Budget {
        interrupt: interrupt.cloned().unwrap_or_default(),
        ..Budget::default()
    };
    let simple = simplifier.simplify(&given, &budget).map;
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
    memory.measure.check()?;
    let results = position.results().len();
    if results != 1 {
        let message = format!("expected a map to one position, found {results} results");
        return Err(Error::without_span(ErrorKind::Arity, message));
    }
    if !(1..=65_536).contains(&memory.element_bits) {
        let message = format!(
            "an element has from 1 to 65536 bits, not {}",
            memory.element_bits
        );
        return Err(Error::without_span(ErrorKind::Usage, message));
    }
    if memory.offset.checked_mul(8).is_none() {
        let message = "the offset is beyond 64 bits";
        return Err(Error::without_span(ErrorKind::Overflow, message));
    }
    Ok(())
}

pub(super) fn overflow() -> Error {
    Error::without_span(
        ErrorKind::Overflow,
        "a number of the answer is beyond its range",
    )
}

/// What has been added up.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) basis: Basis,
    pub(super) looked_at: u128,
    pub(super) all: u128,
    /// Was there a class of more than one access?
    pub(super) stands_for_others: bool,
    elements: u128,
    total: u128,
    ideal: u128,
    spread: BTreeMap<u64, u128>,
    worst: Option<(Vec<i64>, u64, u64)>,
}

impl Sums {
    /// Adds `times` accesses like the one at `at`, the first of them.
    pub(super) fn add(
        &mut self,
        at: &[i64],
        elements: u64,
        cost: (u64, u64),
        times: u128,
    ) -> Option<()> {
        self.looked_at += 1;
        self.stands_for_others |= times > 1;
        if elements == 0 {
            return Some(());
        }
        let product = |number: u64| times.checked_mul(number.into());
        self.elements = self.elements.checked_add(product(elements)?)?;
        self.total = self.total.checked_add(product(cost.0)?)?;
        self.ideal = self.ideal.checked_add(product(cost.1)?)?;
        let count = self.spread.entry(cost.0).or_default();
        *count = count.checked_add(times)?;
        let above = cost.0 - cost.1.min(cost.0);
        let is_worse = self.worst.as_ref().is_none_or(|(place, cost, ideal)| {
            let most = cost - ideal.min(cost);
            above > most || (above == most && at < place.as_slice())
        });
        if is_worse {
            self.worst = Some((at.to_vec(), cost.0, cost.1));
        }
        Some(())
    }
}
