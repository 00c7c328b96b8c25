//! Searches for points: inside the conditions of a rule, and among those for counterexamples.
//!
//! Small boxes are searched exhaustively, by increasing size; then points are drawn from a fixed pseudorandom sequence, with
//! variables solved from equational conditions, so that narrow conditions are satisfied. A result is shrunk while it keeps its
//! property.

use super::points::Draw;
use crate::rule::{Point, Rule, Truth};

/// Maximum number of points of a box `[-n, n]^k` that is searched exhaustively.
const MAX_BOX_POINTS: u64 = 30_000;

/// Number of pseudorandom points.
const DRAWS: usize = 60_000;

/// Maximum number of shrinking steps: two large coordinates could be traded one by one forever.
const MAX_SHRINKING: usize = 500;

/// A short search tries this fraction of the points.
const SHORT: usize = 20;

/// Finds a counterexample, the smallest found: the rule fails there, or a divisor is below 1.
pub fn counterexample(rule: &Rule) -> Option<Point> {
    find(rule, DRAWS, is_wrong)
}

/// Like [`counterexample`], with few points.
pub fn soon_found(rule: &Rule) -> Option<Point> {
    find(rule, DRAWS / SHORT, is_wrong)
}

/// Returns whether this truth means that the conditions hold.
pub fn is_inside(truth: Truth) -> bool {
    matches!(truth, Truth::Holds | Truth::Fails | Truth::Undefined)
}

/// Returns whether this truth refutes the rule.
pub fn is_wrong(truth: Truth) -> bool {
    matches!(truth, Truth::Fails | Truth::Undefined)
}

/// Finds a point inside the side conditions, the smallest found.
pub fn inside(rule: &Rule) -> Option<Point> {
    find(rule, DRAWS, is_inside)
}

/// Like [`inside`], with few points.
pub fn soon_inside(rule: &Rule) -> Option<Point> {
    find(rule, DRAWS / SHORT, is_inside)
}

/// Shrinks a point while `wanted` holds for the truth of the rule there.
pub fn smaller(rule: &Rule, mut point: Point, wanted: impl Fn(Truth) -> bool) -> Point {
    for _ in 0..MAX_SHRINKING {
        let found = neighbours(&point)
            .find(|other| size(other) < size(&point) && wanted(rule.truth(other)));
        match found {
            Some(other) => point = other,
            None => break,
        }
    }
    point
}

fn find(rule: &Rule, draws: usize, wanted: impl Fn(Truth) -> bool) -> Option<Point> {
    let variables = rule.constants.len() + rule.expressions.len();
    for bound in 1..=3i64 {
        let width = 2 * bound as u64 + 1;
        let points = u32::try_from(variables).ok().and_then(|n| width.checked_pow(n));
        if points.is_none_or(|points| points > MAX_BOX_POINTS * draws as u64 / DRAWS as u64) {
            break;
        }
        let found = box_points(rule, bound).filter(|point| wanted(rule.truth(point)));
        if let Some(point) = found.min_by_key(size) {
            return Some(point);
        }
    }
    let mut draw = Draw::new(rule);
    for _ in 0..draws {
        let point = draw.point();
        if wanted(rule.truth(&point)) {
            return Some(smaller(rule, point, wanted));
        }
    }
    None
}

/// Iterates over the points with coordinates in `[-bound, bound]`.
fn box_points(rule: &Rule, bound: i64) -> impl Iterator<Item = Point> {
    let (constants, expressions) = (rule.constants.len(), rule.expressions.len());
    let width = 2 * bound + 1;
    let count = width.pow((constants + expressions) as u32); // the caller bounds it
    (0..count).map(move |mut number| {
        let mut coordinate = || {
            let value = number % width - bound;
            number /= width;
            value
        };
        Point {
            constants: (0..constants).map(|_| coordinate()).collect(),
            expressions: (0..expressions).map(|_| coordinate()).collect(),
        }
    })
}

/// Orders points by the largest magnitude, then the sum of magnitudes, then a fixed order.
fn size(point: &Point) -> (u64, u128, Vec<i64>) {
    let values = || point.constants.iter().chain(&point.expressions);
    (
        values().map(|value| value.unsigned_abs()).max().unwrap_or(0),
        values().map(|value| u128::from(value.unsigned_abs())).sum(),
        values().copied().collect(),
    )
}

/// Returns points with one coordinate nearer to 0, or two moved together.
fn neighbours(point: &Point) -> impl Iterator<Item = Point> {
    let constants = point.constants.len();
    let count = constants + point.expressions.len();
    let coordinate = move |point: &Point, position: usize| match position.checked_sub(constants) {
        None => point.constants[position],
        Some(position) => point.expressions[position],
    };
    let set = move |point: &mut Point, position: usize, value: i64| match position
        .checked_sub(constants)
    {
        None => point.constants[position] = value,
        Some(position) => point.expressions[position] = value,
    };
    // Halving steps reach the boundary of an interval in as many steps as the boundary has bits.
    let nearer = |value: i64| {
        let steps = (0..i64::BITS - 1).map(move |bits| value / (1 << bits));
        let steps = steps.take_while(|step| *step != 0);
        steps.map(move |step| value - step).chain(value.checked_neg())
    };
    let base = point.clone();
    let single = (0..count).flat_map(move |position| {
        let base = base.clone();
        nearer(coordinate(&base, position)).map(move |value| {
            let mut other = base.clone();
            set(&mut other, position, value);
            other
        })
    });
    let base = point.clone();
    let double = (0..count).flat_map(move |first| {
        let base = base.clone();
        (first + 1..count).flat_map(move |second| {
            let base = base.clone();
            let pair = (coordinate(&base, first), coordinate(&base, second));
            [(1, 1), (1, -1), (-1, 1), (-1, -1)].into_iter().filter_map(move |(one, other)| {
                let mut moved = base.clone();
                set(&mut moved, first, pair.0.checked_add(one)?);
                set(&mut moved, second, pair.1.checked_add(other)?);
                Some(moved)
            })
        })
    });
    single.chain(double)
}
