//! Random maps and the points at which their code is tested.

use crate::support::random::{box_points, extreme_map, small_map};
use crate::support::symbolic::symbolic_map;
use affinor_maps::expr::{EvalError, IndexingMap};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A map with points in and around its domain, and the expected answers there.
pub struct Case {
    pub map: IndexingMap,
    pub points: Vec<(Vec<i64>, Answer)>,
}

/// The value of a map at a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Outside,
    /// The results; `None` for a result that exceeds 64 bits.
    Values(Vec<Option<i64>>),
}

/// Deterministic pseudorandom numbers.
pub struct Draw(u64);

impl Draw {
    fn next(&mut self, below: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % below) as i64
    }
}

/// Draws 340 maps: 230 with small numbers, at every point of their boxes; 70 with parameters; 40 with numbers of any size.
pub fn cases() -> Vec<Case> {
    let mut runner = TestRunner::deterministic();
    let mut draw = Draw(7);
    let mut cases = Vec::new();
    let small = small_map();
    let symbolic = symbolic_map(None);
    let extreme = extreme_map();
    for _ in 0..230 {
        let map = drawn(&small, &mut runner);
        let sizes = map.domain().intervals();
        let wide: u64 = sizes.map(|bounds| bounds.count().map_or(3, |count| count + 2)).product();
        let points = match map.domain().is_known_empty() || wide > 3000 {
            true => box_points(map.domain()),
            false => around_box(&map),
        };
        cases.push(Case::new(map, points));
    }
    for _ in 0..70 {
        let case = drawn(&symbolic, &mut runner);
        let points =
            (0..300).map(|_| case.point.iter().map(|value| value + draw.next(7) - 3).collect());
        let points = points.collect();
        cases.push(Case::new(case.map, points));
    }
    for _ in 0..40 {
        let map = drawn(&extreme, &mut runner);
        let points = (0..100)
            .map(|_| map.domain().intervals().map(|bounds| inside(bounds, &mut draw)).collect());
        let points = points.collect();
        cases.push(Case::new(map, points));
    }
    cases
}

fn drawn<T: std::fmt::Debug>(strategy: &BoxedStrategy<T>, runner: &mut TestRunner) -> T {
    strategy.new_tree(runner).expect("a value").current()
}

/// Returns every point of the box, and the points one step outside it.
fn around_box(map: &IndexingMap) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for bounds in map.domain().intervals() {
        let values = bounds.lo() - 1..=bounds.hi() + 1;
        let longer = |point: &Vec<i64>| {
            let point = point.clone();
            values.clone().map(move |x| [point.as_slice(), &[x]].concat())
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}

/// Draws a value within the bounds: often an end, or near 0.
fn inside(bounds: Interval, draw: &mut Draw) -> i64 {
    let (lo, hi) = match bounds.is_empty() {
        true => (0, 0),
        false => (bounds.lo().max(MINUS_INFINITY + 1), bounds.hi().min(PLUS_INFINITY - 1)),
    };
    let near = draw.next(12);
    let value = match draw.next(5) {
        0 => lo.saturating_add(near),
        1 => hi.saturating_sub(near),
        2 => (lo / 2).saturating_add(hi / 2).saturating_add(near),
        _ => near - 6,
    };
    value.clamp(lo, hi)
}

impl Case {
    fn new(map: IndexingMap, points: Vec<Vec<i64>>) -> Case {
        let answers = points.into_iter().filter_map(|point| {
            // A constraint that overflows decides nothing.
            let answer = match map.domain().contains(&point).ok()? {
                false => Answer::Outside,
                true => {
                    let values = map.results().iter().map(|result| match result.eval(&point) {
                        Ok(value) => Some(value),
                        Err(EvalError::Overflow(_)) => None,
                        Err(error) => panic!("{map}: {error}"),
                    });
                    Answer::Values(values.collect())
                }
            };
            Some((point, answer))
        });
        let points = answers.collect();
        Case { map, points }
    }
}
