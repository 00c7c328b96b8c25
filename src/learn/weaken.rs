//! From a statement that holds under all facts of an example to the conditions that it needs.

use super::tree::product;
use crate::num::Fuel;
use crate::prove::Budget;
use crate::rule::verify::{Draw, Verdict, judge, soon_found};
use crate::rule::{Point, Rule, Term, Truth};

/// Steps of fuel for one proof.
const PROOF: u64 = 500;

/// Points inside the conditions that a statement must hold at before it is looked at closely.
const POINTS: usize = 60;

/// Points drawn for them.
const DRAWS: usize = 6_000;

/// Most counterexamples that are learnt from.
const ROUNDS: usize = 12;

/// Points inside the conditions of a rule, other ones for another seed; `None` if there are few.
pub fn points_inside(rule: &Rule, seed: u64) -> Option<Vec<Point>> {
    let mut draw = Draw::seeded(rule, seed);
    let points = (0..DRAWS).map(|_| draw.next());
    let is_inside = |point: &Point| {
        let mut conditions = rule.conditions.iter();
        conditions.all(|condition| condition.holds(point) == Some(true))
    };
    let mut found: Vec<Point> = points.filter(is_inside).take(POINTS).collect();
    found.dedup();
    (found.len() >= POINTS / 3).then_some(found)
}

/// Whether the statement of a rule holds at these points.
pub fn holds_at(rule: &Rule, points: &[Point]) -> bool {
    points.iter().all(|point| rule.truth(point) == Truth::Holds)
}

/// A rule with only the conditions that it needs, dropped in their order, if it is proved then.
pub fn weakened(rule: &Rule, budget: &Budget, fuel: &Fuel) -> Option<Rule> {
    let mut against: Vec<Point> = Vec::new();
    for _ in 0..ROUNDS {
        let weaker = dropped(rule, &mut against, fuel)?;
        fuel.spend(PROOF).ok()?;
        match judge(&weaker, budget) {
            Verdict::Proved => return Some(weaker),
            Verdict::Unknown(_) => return with_products(weaker, budget, fuel),
            Verdict::Refuted(point) => {
                if against.contains(&point) {
                    return None;
                }
                against.push(point);
            }
        }
    }
    None
}

/// Tries products with each constant, and with its negative, as a hint for the proof.
fn with_products(mut rule: Rule, budget: &Budget, fuel: &Fuel) -> Option<Rule> {
    for slot in 0..rule.constants.len() {
        let constant = Term::Constant(slot as u8);
        for factor in [constant.clone(), product(Term::Integer(-1), constant)] {
            fuel.spend(PROOF).ok()?;
            rule.multipliers = vec![factor];
            if judge(&rule, budget) == Verdict::Proved {
                return Some(rule);
            }
        }
    }
    None
}

/// Drops conditions as long as no counterexample is found.
fn dropped(rule: &Rule, against: &mut Vec<Point>, fuel: &Fuel) -> Option<Rule> {
    let mut kept = rule.clone();
    let mut position = 0;
    while position < kept.conditions.len() {
        fuel.spend(1).ok()?;
        let mut without = kept.clone();
        without.conditions.remove(position);
        let is_wrong =
            |point: &Point| matches!(without.truth(point), Truth::Fails | Truth::Undefined);
        if against.iter().any(is_wrong) {
            position += 1;
            continue;
        }
        match soon_found(&without) {
            Some(point) => {
                against.push(point);
                position += 1;
            }
            None => kept = without,
        }
    }
    Some(kept)
}
