//! Points that satisfy the conditions of a rule: drawn at random, and moved where they violate a condition.

use affinor::rule::verify::Draw;
use affinor::rule::{Condition, Point, Relation, Rule, Term, Truth};

/// Number of points inside the conditions at which a statement must hold before it is examined closely.
const POINTS: usize = 60;

/// Number of points drawn to find these.
const DRAWS: usize = 4_000;

/// Number of passes over the conditions, since satisfying one may violate another.
const PASSES: usize = 3;

/// Returns points inside the conditions of a rule, complemented by the known points if few are found. Another seed yields other
/// points. `None` if there are still too few.
pub fn points_inside(rule: &Rule, known: &[Point], seed: u64) -> Option<Vec<Point>> {
    let mut draw = Draw::seeded(rule, seed);
    let is_inside = |point: &Point| {
        let mut conditions = rule.conditions.iter();
        conditions.all(|condition| condition.holds(point) == Some(true))
    };
    let mut found: Vec<Point> = Vec::new();
    for _ in 0..DRAWS {
        let mut point = draw.point();
        if !is_inside(&point) {
            for _ in 0..PASSES {
                for condition in &rule.conditions {
                    meet(condition, &mut point);
                }
            }
        }
        if is_inside(&point) && !found.contains(&point) {
            found.push(point);
        }
        if found.len() >= POINTS {
            break;
        }
    }
    if found.len() < POINTS / 3 {
        found.extend(known.iter().filter(|point| is_inside(point)).cloned());
    }
    (found.len() >= POINTS / 6).then_some(found)
}

/// Returns whether the statement of a rule holds at these points.
pub fn holds_at(rule: &Rule, points: &[Point]) -> bool {
    points.iter().all(|point| rule.truth(point) == Truth::Holds)
}

/// Moves a variable so that a condition holds: a summand of one side, or of the operand of a remainder there.
fn meet(condition: &Condition, point: &mut Point) {
    if condition.holds(point) == Some(true) {
        return;
    }
    let (Some(lhs), Some(rhs)) = (condition.lhs.eval(point), condition.rhs.eval(point)) else {
        return;
    };
    let gap = i128::from(condition.relation == Relation::Less);
    let missing = rhs - lhs - gap;
    for (side, missing) in [(&condition.lhs, missing), (&condition.rhs, -missing)] {
        let Some((variable, sign)) = movable(side) else {
            continue;
        };
        let value = match variable {
            Term::Constant(slot) => point.constants.get_mut(usize::from(*slot)),
            Term::Expression(slot) => point.expressions.get_mut(usize::from(*slot)),
            _ => None,
        };
        let moved = |value: i64| i64::try_from(i128::from(value) + i128::from(sign) * missing).ok();
        if let Some(value) = value
            && let Some(moved) = moved(*value)
        {
            *value = moved;
            return;
        }
    }
}

/// Returns the last summand that is a variable, with its sign.
fn movable(term: &Term) -> Option<(&Term, i64)> {
    match term {
        Term::Constant(_) | Term::Expression(_) => Some((term, 1)),
        Term::Sum(terms) => terms.iter().rev().find_map(movable),
        Term::Product(sign, x) if **sign == Term::Integer(-1) => {
            movable(x).map(|(variable, sign)| (variable, -sign))
        }
        Term::Mod(x, _) => movable(x),
        _ => None,
    }
}
