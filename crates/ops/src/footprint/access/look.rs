//! Evaluates accesses one by one, element by element.

use super::measure::{Memory, Meter};
use affinor::expr::IndexingMap;
use affinor::num::{Interrupt, Interval};
use affinor::prove::{Runner, Tape};
use affinor::text::{Error, ErrorKind};

/// Number of accesses between two checks of the interrupt.
const LOOK_EVERY: u64 = 64;

/// Evaluates accesses one by one.
pub(super) struct Looker<'a> {
    kept: &'a [usize],
    constraints: Vec<Interval>,
    inner: Vec<Interval>,
    outer: usize,
    point: Vec<i64>,
    positions: Vec<i64>,
    meter: Meter,
    looks: u64,
}

impl<'a> Looker<'a> {
    /// Creates a looker for the constraints with indices `kept`; the first `outer` variables identify accesses.
    pub(super) fn new(
        map: &IndexingMap,
        outer: usize,
        memory: Memory,
        kept: &'a [usize],
    ) -> Looker<'a> {
        let domain = map.domain();
        let bounds = domain.intervals();
        let constraints = kept.iter().map(|k| domain.constraints()[*k].bounds);
        Looker {
            kept,
            constraints: constraints.collect(),
            inner: bounds.skip(outer).collect(),
            outer,
            point: vec![0; domain.variables().len()],
            positions: Vec::new(),
            meter: Meter::new(memory.measure, memory.element_bits, 8 * memory.offset),
            looks: 0,
        }
    }

    /// Returns a tape of the position, then the kept constraints.
    pub(super) fn tape(&self, map: &IndexingMap) -> Tape {
        let constraints = map.domain().constraints();
        let kept = self.kept.iter().map(|number| &constraints[*number].expr);
        Tape::new(map.results().iter().chain(kept))
    }

    /// Moves to another access.
    pub(super) fn go(&mut self, at: impl Iterator<Item = i64>) {
        for (place, value) in self.point.iter_mut().zip(at) {
            *place = value;
        }
    }

    /// Returns the values of the variables that identify this access.
    pub(super) fn at(&self) -> &[i64] {
        &self.point[..self.outer]
    }

    /// Counts the elements that the active lanes of this access touch, and computes their cost.
    pub(super) fn look(
        &mut self,
        runner: &mut Runner<'_>,
        changed: usize,
        interrupt: Option<&Interrupt>,
    ) -> Result<(u64, (u64, u64)), Error> {
        let looks_up = self.looks.is_multiple_of(LOOK_EVERY);
        if looks_up && interrupt.is_some_and(Interrupt::is_triggered) {
            return Err(Error::without_span(ErrorKind::Interrupted, "stopped"));
        }
        self.looks += 1;
        self.positions.clear();
        let mut elements = 0;
        let mut changed = changed;
        for (place, bounds) in self.point[self.outer..].iter_mut().zip(&self.inner) {
            *place = bounds.lo();
        }
        loop {
            runner.move_to(&self.point, changed).map_err(|_| {
                let message = "a position does not fit in 64 bits";
                Error::without_span(ErrorKind::Overflow, message)
            })?;
            let mut conditions = self.constraints.iter().enumerate();
            if conditions.all(|(number, bounds)| bounds.contains(runner.root(number + 1))) {
                self.positions.push(runner.root(0));
                elements += 1;
            }
            let inner = &mut self.point[self.outer..];
            let movable =
                (0..inner.len()).rev().find(|index| inner[*index] < self.inner[*index].hi());
            let Some(index) = movable else { break };
            inner[index] += 1;
            for (place, bounds) in inner.iter_mut().zip(&self.inner).skip(index + 1) {
                *place = bounds.lo();
            }
            changed = self.outer + index;
        }
        Ok((elements, self.meter.cost(&mut self.positions)))
    }
}
