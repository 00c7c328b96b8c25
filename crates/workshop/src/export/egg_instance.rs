//! An instance at which to fire a rule: integers for its constants and ranges for its expressions where all conditions
//! hold.

use super::firing::Firing;
use affinor::rule::verify::Draw;
use affinor::rule::{Condition, Point, Rule, Slot, Term};

/// Number of random points.
const DRAWS: usize = 20_000;
/// Maximum number of points compared.
const MOST: usize = 400;
/// Number of points whose ranges are widened.
const CANDIDATES: usize = 40;
/// Maximum number of values of an expression.
const WIDTH: i64 = 8;
/// Maximum number of points in the product of the ranges.
const POINTS: i64 = 600;

/// Integers by slot of the constants, `[min, max]` by slot of the expressions.
pub(super) struct Instance {
    pub constants: Vec<i64>,
    pub expressions: Vec<(i64, i64)>,
}

/// Picks the most typical instance: constants other than 0 and 1, ranges of more than one value.
pub(super) fn instance(rule: &Rule, firing: &Firing) -> Option<Instance> {
    let mut draw = Draw::new(rule);
    let mut points = Vec::new();
    for _ in 0..DRAWS {
        let mut point = draw.point();
        define(firing, &mut point);
        if points.len() < MOST && holds(rule, &point) && !points.contains(&point) {
            points.push(point);
        }
    }
    points.sort_by_cached_key(dullness);
    points.truncate(CANDIDATES);
    let instances = points.iter().map(|point| widened(rule, firing, point));
    // Ties go to the first.
    instances.min_by_key(|instance| {
        let of = |slot: &&Slot| instance.expressions[usize::from(**slot)];
        let free = free(firing, instance.expressions.len());
        free.iter().filter(|slot| of(slot).0 == of(slot).1).count()
    })
}

/// Evaluates the defined expressions.
fn define(firing: &Firing, point: &mut Point) {
    for (slot, term) in &firing.defined {
        let value = term.eval(point).and_then(|value| i64::try_from(value).ok());
        let known = point.expressions.get_mut(usize::from(*slot));
        if let Some((value, known)) = value.zip(known) {
            *known = value;
        }
    }
}

fn holds(rule: &Rule, point: &Point) -> bool {
    let mut conditions = rule.conditions.iter();
    conditions.all(|condition| condition.holds(point) == Some(true))
}

/// Ranks points: the number of constants that are 0, 1 or repeated, then the magnitude of the constants.
fn dullness(point: &Point) -> (usize, u64) {
    let constants = &point.constants;
    let dull = |(position, value): (usize, &i64)| {
        (0..=1).contains(value) || *value == -1 || constants[..position].contains(value)
    };
    let each = constants.iter().enumerate();
    let count = each.filter(|one| dull(*one)).count();
    let all = constants.iter().chain(&point.expressions);
    (count, all.map(|value| value.unsigned_abs()).sum())
}

/// Returns the expressions without a definition.
fn free(firing: &Firing, expressions: usize) -> Vec<Slot> {
    let defined = |slot: &Slot| firing.defined.iter().any(|(defined, _)| defined == slot);
    let all = 0..Slot::try_from(expressions).unwrap_or(Slot::MAX);
    all.filter(|slot| !defined(slot)).collect()
}

fn widened(rule: &Rule, firing: &Firing, point: &Point) -> Instance {
    let mut ranges: Vec<(i64, i64)> = point.expressions.iter().map(|x| (*x, *x)).collect();
    let free = free(firing, ranges.len());
    for _ in 0..WIDTH {
        for slot in &free {
            for (below, above) in [(1, 0), (0, 1)] {
                let mut wider = ranges.clone();
                let range = &mut wider[usize::from(*slot)];
                *range = (range.0 - below, range.1 + above);
                if range.1 - range.0 < WIDTH && all_hold(rule, firing, point, &wider, &free) {
                    ranges = wider;
                }
            }
        }
    }
    Instance { constants: point.constants.clone(), expressions: ranges }
}

/// Returns whether the conditions hold at every point of the ranges.
fn all_hold(
    rule: &Rule,
    firing: &Firing,
    point: &Point,
    ranges: &[(i64, i64)],
    free: &[Slot],
) -> bool {
    let matters = |slot: &&Slot| {
        let conditions = rule.conditions.iter();
        let conditions = conditions.flat_map(Condition::sides);
        let mut found = false;
        for term in conditions.chain(firing.defined.iter().map(|(_, term)| term)) {
            term.visit(&mut |part| found |= *part == Term::Expression(**slot));
        }
        found
    };
    let moved = free.iter().filter(matters);
    let moved: Vec<usize> = moved.map(|slot| usize::from(*slot)).collect();
    let width = |slot: &usize| ranges[*slot].1 - ranges[*slot].0 + 1;
    let count = moved.iter().map(width).fold(1, i64::saturating_mul);
    let at = |mut number: i64| {
        let mut point = point.clone();
        for slot in &moved {
            let (lo, hi) = ranges[*slot];
            point.expressions[*slot] = lo + number % (hi - lo + 1);
            number /= hi - lo + 1;
        }
        define(firing, &mut point);
        holds(rule, &point)
    };
    count <= POINTS && (0..count).all(at)
}
