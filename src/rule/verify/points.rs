//! Draws pseudorandom points for a rule, deterministically.

use crate::rule::{Condition, Point, Relation, Rule, Term};

/// Bounds, used in turn.
const BOUNDS: [i64; 7] = [2, 3, 5, 9, 20, 4, 60];

/// A sequence of points, many of them inside the conditions of a rule.
pub struct Draw<'r> {
    rule: &'r Rule,
    state: u64,
    count: usize,
}

impl<'r> Draw<'r> {
    /// Creates a sequence of points at which a rule may be tried.
    pub fn new(rule: &'r Rule) -> Draw<'r> {
        Draw::seeded(rule, 0)
    }

    /// Creates a sequence that depends on the seed.
    pub fn seeded(rule: &'r Rule, seed: u64) -> Draw<'r> {
        Draw { rule, state: 0x5EED ^ seed, count: 0 }
    }

    /// Returns the next point.
    pub fn point(&mut self) -> Point {
        let bound = BOUNDS[self.count % BOUNDS.len()];
        self.count += 1;
        let mut point = Point {
            constants: (0..self.rule.constants.len()).map(|_| self.within(bound)).collect(),
            expressions: (0..self.rule.expressions.len()).map(|_| self.within(bound)).collect(),
        };
        // Half of the points are not adjusted: mutated rules fail outside the conditions.
        if self.count.is_multiple_of(2) {
            self.move_inside(&mut point);
        }
        point
    }

    /// Sets variables so that conditions hold, if possible for each condition.
    pub(super) fn move_inside(&mut self, point: &mut Point) {
        for _ in 0..3 {
            for condition in &self.rule.conditions {
                self.meet(condition, point);
            }
        }
    }

    /// Draws a number below `count`.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.draw() as usize % count.max(1)
    }

    /// If a variable is alone on one side of a comparison, sets it to satisfy the comparison.
    fn meet(&mut self, condition: &Condition, point: &mut Point) {
        if condition.holds(point) == Some(true) {
            return;
        }
        let gap = i64::from(condition.relation == Relation::Less);
        let sides = [(&condition.lhs, &condition.rhs, -1), (&condition.rhs, &condition.lhs, 1)];
        for (name, term, direction) in sides {
            let slot = match name {
                Term::Constant(slot) => point.constants.get(*slot as usize).copied(),
                Term::Expression(slot) => point.expressions.get(*slot as usize).copied(),
                _ => None,
            };
            let Some(value) = term.eval(point).and_then(|value| i64::try_from(value).ok()) else {
                continue;
            };
            if slot.is_none() {
                continue;
            }
            let room = match condition.relation {
                Relation::Equal => 0,
                // Mostly at the boundary, where rules break.
                _ => [0, 0, 1, 2, 5][(self.draw() % 5) as usize],
            };
            let Some(value) = value.checked_add(direction * (gap + room)) else {
                continue;
            };
            match name {
                Term::Constant(slot) => point.constants[*slot as usize] = value,
                Term::Expression(slot) => point.expressions[*slot as usize] = value,
                _ => {}
            }
            return;
        }
    }

    fn draw(&mut self) -> u64 {
        // Knuth's linear congruential generator; the low bits are the weak ones.
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.state >> 33
    }

    fn within(&mut self, bound: i64) -> i64 {
        let width = 2 * bound as u64 + 1;
        (self.draw() % width) as i64 - bound
    }
}
