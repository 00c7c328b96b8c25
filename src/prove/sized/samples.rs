//! Sizes for which the true bound of a result is known, with the points that attain it.
//!
//! Samples only guide the search: its results are proved.

use crate::expr::{Domain, End, Expr, IndexingMap, VariableId};
use crate::num::{Interval, MINUS_INFINITY};
use crate::prove::Budget;
use crate::prove::extremes::{Extreme, extremes, list_points};
use crate::prove::sample::nearest_to_zero;

/// Numbers of first samples, each with the limit of the excess of their sizes over the least.
const FIRST: [(i64, i64); 2] = [(18, 7), (18, 24)];

/// Maximum number of points attaining the bound that are listed for a sample.
const LISTED: u64 = 3_000;

/// A value of each parameter, with the bound there.
pub struct Sample {
    /// A point of the domain that attains the bound.
    pub point: Vec<i64>,
    /// The bound.
    pub value: i64,
    /// All points that attain it, if they are few.
    pub all: Option<Vec<Vec<i64>>>,
}

/// Samples of one result.
pub struct Samples<'a> {
    map: &'a IndexingMap,
    pub end: End,
    budget: &'a Budget,
    pub list: Vec<Sample>,
}

impl<'a> Samples<'a> {
    /// Creates samples of small and some larger sizes; `None` if the result is unbounded for one of them.
    pub fn of(map: &'a IndexingMap, end: End, budget: &'a Budget) -> Option<Samples<'a>> {
        let mut samples = Samples { map, end, budget, list: Vec::new() };
        let sizes: Vec<VariableId> = parameters(map.domain()).collect();
        // Multiples of pairwise coprime numbers: spread sizes.
        let spread = [7, 11, 5, 17, 19, 23];
        let numbers =
            FIRST.into_iter().flat_map(|(count, width)| (0..count).map(move |n| (n, width)));
        for (number, width) in numbers {
            let mut values = vec![0; map.domain().variables().len()];
            for (place, id) in sizes.iter().enumerate() {
                let step = if place == 0 { 1 } else { spread[place % spread.len()] };
                let own = (number * step + number / 5 * place as i64) % width;
                values[id.index()] = nth(map.domain().bounds(*id), own);
            }
            samples.add_known(&values)?;
        }
        (!samples.list.is_empty()).then_some(samples)
    }

    /// Adds the sizes of a point, which must be new.
    pub fn add(&mut self, point: &[i64]) -> Option<()> {
        let before = self.list.len();
        self.add_known(point)?;
        (self.list.len() > before).then_some(())
    }

    /// Adds sizes if they are new and the domain has a point with them; `None` if this is unknown, or the result is unbounded.
    fn add_known(&mut self, sizes: &[i64]) -> Option<()> {
        let own: Vec<VariableId> = parameters(self.map.domain()).collect();
        let is_same =
            |sample: &Sample| own.iter().all(|id| sample.point[id.index()] == sizes[id.index()]);
        if self.list.iter().any(is_same) {
            return Some(());
        }
        let mut there = self.map.clone();
        for id in own {
            there = there.restricted(&Expr::variable(id), Interval::point(sizes[id.index()]));
        }
        let [lowest, greatest] = extremes(&there, self.budget).into_iter().next()?;
        let found = if self.end == End::Lower { lowest } else { greatest };
        match found? {
            Extreme::Empty => Some(()),
            Extreme::Endless => None,
            Extreme::At(value, point) => {
                let with_end = there.restricted(&self.map.results()[0], Interval::point(value));
                let all = list_points(with_end.domain(), LISTED, self.budget);
                self.list.push(Sample { point, value, all });
                Some(())
            }
        }
    }
}

fn parameters(domain: &Domain) -> impl Iterator<Item = VariableId> + '_ {
    let ids = (0u32..).map(VariableId).take(domain.variables().len());
    ids.filter(|id| domain.is_parameter(*id))
}

/// Returns the value of an interval at this distance from its lower bound, or else from its value nearest to 0.
fn nth(bounds: Interval, number: i64) -> i64 {
    let first = match bounds.lo() {
        MINUS_INFINITY => nearest_to_zero(bounds),
        lo => lo,
    };
    first.saturating_add(number).clamp(bounds.lo(), bounds.hi())
}
