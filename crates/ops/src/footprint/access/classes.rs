//! Classes of accesses of equal cost.
//!
//! Law: when a variable grows by its period, all positions of an access move by the same multiple of [`Measure::bits`], and the
//! same lanes are active. So the cost of the access is unchanged; it is computed once for each class of accesses whose
//! variables are equal modulo their periods.
//!
//! [`Measure::bits`]: super::Measure

use super::look::Looker;
use super::measure::Memory;
use super::pieces::{Piece, pieces};
use super::shift::shift;
use super::sums::{Coverage, Sums, overflow};
use crate::footprint::image::box_points;
use affinor::expr::{IndexingMap, VariableId};
use affinor::num;
use affinor::num::{Interrupt, Interval};
use affinor::prove::Runner;
use affinor::text::{Error, ErrorKind};

/// Maximum number of elements (of all lanes, active or not) that are evaluated one by one.
pub const MOST_ELEMENTS: u64 = 1 << 22;

/// Number of elements in a sample.
const MOST_SAMPLED: u64 = 1 << 18;

/// The accesses of a map.
pub(super) struct Accesses<'m> {
    map: &'m IndexingMap,
    /// Number of variables that identify an access.
    outer: usize,
    memory: Memory,
    /// Number of elements of an access, including inactive lanes.
    elements: u64,
    /// For each variable that identifies an access, a period by which all positions move by a multiple of the unit;
    /// `None` if all values differ.
    periods: Vec<Option<i64>>,
}

impl<'m> Accesses<'m> {
    pub(super) fn new(
        map: &'m IndexingMap,
        outer: usize,
        memory: Memory,
    ) -> Result<Accesses<'m>, Error> {
        let inner = map.domain().variables().iter().skip(outer);
        let elements = box_points(inner.map(|variable| variable.bounds));
        let elements = elements
            .and_then(|elements| u64::try_from(elements).ok())
            .filter(|elements| *elements <= MOST_ELEMENTS);
        let elements = elements.ok_or_else(|| {
            let message = format!("one access has more than {MOST_ELEMENTS} elements");
            Error::without_span(ErrorKind::TooLarge, message)
        })?;
        let unit = memory.measure.bits();
        let period = |index: usize| {
            // Positions move by a multiple of this many elements.
            let unit = unit / num::gcd(unit, memory.element_bits)?;
            let shift = shift(map.results().first()?, VariableId(index as u32))?;
            Some(shift.by_multiple_of(unit)?.period)
        };
        Ok(Accesses { map, outer, memory, elements, periods: (0..outer).map(period).collect() })
    }

    pub(super) fn run(&self, sums: &mut Sums, interrupt: Option<&Interrupt>) -> Result<(), Error> {
        let domain = self.map.domain();
        let bounds: Vec<Interval> = domain.intervals().collect();
        let all = box_points(bounds[..self.outer].iter().copied()).ok_or_else(overflow)?;
        sums.all = all;
        let pieces = pieces(domain, self.outer);
        let classes: Vec<Vec<Steps>> = pieces.iter().map(|piece| self.steps(piece)).collect();
        let looks = classes.iter().try_fold(0_u128, |sum, steps| {
            let of_piece =
                steps.iter().try_fold(1_u128, |n, steps| n.checked_mul(steps.classes.into()))?;
            sum.checked_add(of_piece)
        });
        let work = looks.and_then(|looks| looks.checked_mul(self.elements.into()));
        if work.is_none_or(|work| work > MOST_ELEMENTS.into()) {
            sums.basis = Coverage::Sampled;
            return self.sample(&bounds[..self.outer], all, sums, interrupt);
        }
        for (piece, steps) in pieces.iter().zip(&classes) {
            self.piece(&piece.kept, steps, sums, interrupt)?;
        }
        sums.basis = match sums.stands_for_others || sums.looked_at == 0 {
            true => Coverage::Exact,
            false => Coverage::Counted,
        };
        Ok(())
    }

    /// Returns the iteration of each variable of a piece over its classes.
    fn steps(&self, piece: &Piece) -> Vec<Steps> {
        let periods = self.periods.iter().zip(&piece.periods);
        let both = periods.map(|(one, other)| num::lcm((*one)?, (*other)?));
        let steps = piece.bounds.iter().zip(both).map(|(bounds, period)| {
            let count = bounds.count().unwrap_or(u64::MAX);
            let period = period.and_then(|period| u64::try_from(period).ok());
            Steps {
                first: bounds.lo(),
                count,
                classes: period.map_or(count, |period| period.min(count)),
            }
        });
        steps.collect()
    }

    fn piece(
        &self,
        kept: &[usize],
        steps: &[Steps],
        sums: &mut Sums,
        interrupt: Option<&Interrupt>,
    ) -> Result<(), Error> {
        let mut looker = Looker::new(self.map, self.outer, self.memory, kept);
        let tape = looker.tape(self.map);
        let mut runner = Runner::new(&tape);
        let mut place = vec![0_u64; steps.len()];
        let mut changed = 0;
        loop {
            let times = steps
                .iter()
                .zip(&place)
                .try_fold(1_u128, |n, (steps, k)| n.checked_mul(steps.members(*k).into()));
            let at = steps.iter().zip(&place).map(|(steps, k)| steps.value(*k));
            looker.go(at);
            let (elements, cost) = looker.look(&mut runner, changed, interrupt)?;
            let times = times.ok_or_else(overflow)?;
            sums.add(looker.at(), elements, cost, times).ok_or_else(overflow)?;
            let movable =
                (0..place.len()).rev().find(|index| place[*index] + 1 < steps[*index].classes);
            let Some(index) = movable else {
                return Ok(());
            };
            place[index] += 1;
            place[index + 1..].fill(0);
            changed = index;
        }
    }

    /// Returns a sample of accesses, evenly spread over all of them.
    fn sample(
        &self,
        bounds: &[Interval],
        all: u128,
        sums: &mut Sums,
        interrupt: Option<&Interrupt>,
    ) -> Result<(), Error> {
        let kept: Vec<usize> = (0..self.map.domain().constraints().len()).collect();
        let mut looker = Looker::new(self.map, self.outer, self.memory, &kept);
        let tape = looker.tape(self.map);
        let mut runner = Runner::new(&tape);
        let looks = u128::from((MOST_SAMPLED / self.elements.max(1)).max(1)).min(all);
        for number in 0..looks {
            // `number * all / looks` without overflow.
            let mut rank = number * (all / looks) + number * (all % looks) / looks;
            let mut at: Vec<i64> = bounds.iter().map(|bounds| bounds.lo()).collect();
            for (value, bounds) in at.iter_mut().zip(bounds).rev() {
                let count = u128::from(bounds.count().unwrap_or(u64::MAX));
                let steps = i64::try_from(rank % count).unwrap_or(0);
                *value = value.saturating_add(steps);
                rank /= count;
            }
            looker.go(at.into_iter());
            let (elements, cost) = looker.look(&mut runner, 0, interrupt)?;
            sums.add(looker.at(), elements, cost, 1).ok_or_else(overflow)?;
        }
        Ok(())
    }
}

/// The values of a variable, in residue classes modulo the number of classes.
struct Steps {
    first: i64,
    count: u64,
    classes: u64,
}

impl Steps {
    /// Returns the first value of class `class`.
    fn value(&self, class: u64) -> i64 {
        self.first.saturating_add_unsigned(class)
    }

    /// Returns the number of values of the class.
    fn members(&self, class: u64) -> u64 {
        (self.count - class).div_ceil(self.classes)
    }
}
