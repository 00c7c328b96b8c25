//! The search for a rule: places, letters, constants and conditions, what is more general first.

use super::facts::{Example, STAGES, Stage, facts};
use super::learned::{Learned, Missed};
use super::letters::{Lettering, letterings};
use super::numbers::{Reading, readings, rights};
use super::place;
use super::statement::{self, statement};
use super::tree::{Number, Sum};
use super::weaken::{holds_at, points_inside, weakened};
use crate::expr::{Domain, Expr, IndexingMap};
use crate::num::{Fuel, Interval};
use crate::prove::{Budget, sample_points};
use crate::rule::{Relation, Rule};

/// Points of the domain at which parts are compared.
const SAMPLES: u64 = 400;

/// Most numbers of a side: the readings of more would be too many.
const MAX_NUMBERS: usize = 12;

/// Steps of fuel for one reading of the numbers.
const READING: u64 = 20;

/// Learns the rule by which `left` equals `right` on the domain.
///
/// # Errors
/// Why there is none.
pub fn learn(
    domain: &Domain,
    [left, right]: [&Expr; 2],
    budget: &Budget,
    fuel: &Fuel,
) -> Result<Learned, Missed> {
    let sides = [left, right].map(Sum::of);
    let [Some(left), Some(right)] = sides else {
        return Err(Missed::NotIntegers);
    };
    let bounds: Vec<Interval> = domain.intervals().collect();
    let points: Vec<Vec<i64>> = sample_points(&bounds, SAMPLES)
        .filter(|point| domain.contains(point) == Ok(true))
        .collect();
    for (left, right) in place::differences(&left, &right) {
        let mut values = points
            .iter()
            .map(|point| (left.eval(point), right.eval(point)));
        if !values.all(|(left, right)| left.is_some() && left == right) {
            continue; // equal only together with what is around them
        }
        let sides = [left, right];
        // A number that stays a number is the last resort.
        let passes = [false, true].map(|literal| STAGES.map(|stage| (literal, stage)));
        for (literal, stage) in passes.into_iter().flatten() {
            for lettering in letterings(&sides) {
                let search = Search {
                    domain,
                    points: &points,
                    lettering: &lettering,
                    stage,
                    literal,
                    budget,
                    fuel,
                };
                if let Some(rule) = search.rule() {
                    let [left, right] = &sides;
                    let map = |sum: &Sum| {
                        let expr = sum.expr().ok_or(Missed::NotIntegers)?;
                        Ok(IndexingMap::new(domain.clone(), vec![expr]))
                    };
                    return Ok(Learned {
                        rule,
                        parts: [map(left)?, map(right)?],
                    });
                }
                fuel.check().map_err(|_| Missed::Stopped)?;
            }
        }
    }
    Err(Missed::NotFound)
}

/// The search for the constants and conditions of one choice of letters.
struct Search<'s> {
    domain: &'s Domain,
    points: &'s [Vec<i64>],
    lettering: &'s Lettering,
    stage: Stage,
    literal: bool,
    budget: &'s Budget,
    fuel: &'s Fuel,
}

impl Search<'_> {
    fn rule(&self) -> Option<Rule> {
        let [left, right] = &self.lettering.sides;
        let (left_numbers, right_numbers) = (left.numbers(), right.numbers());
        let most = left_numbers.len().max(right_numbers.len());
        if self.lettering.values.len() > statement::EXPRESSIONS.len() || most > MAX_NUMBERS {
            return None;
        }
        let ranges: Vec<Interval> = (self.lettering.values.iter())
            .map(|value| Some(self.domain.range_of(&value.expr()?)))
            .collect::<Option<_>>()?;
        let ordered = self.ordered();
        let plain = readings(&left_numbers, self.literal);
        let open = plain
            .iter()
            .flat_map(|reading| opened(reading, &right_numbers));
        let all: Vec<Reading> = match self.stage {
            Stage::Signs => plain,
            _ => plain.iter().cloned().chain(open).collect(),
        };
        for reading in all {
            self.fuel.spend(READING).ok()?;
            if reading.constants.len() > statement::CONSTANTS.len() {
                continue;
            }
            let example = Example {
                constants: &reading.constants,
                divides: &reading.divides(&left_numbers),
                ranges: &ranges,
                ordered: &ordered,
            };
            let conditions = facts(&example, self.stage);
            let mut bare = statement(&reading.constants, ranges.len(), conditions);
            let Some(points) = points_inside(&bare, 0) else {
                continue;
            };
            for terms in rights(&right_numbers, &reading) {
                self.fuel.spend(1).ok()?;
                bare.statement = statement::rewrite([left, right], &reading.numbers, &terms);
                if holds_at(&bare, &points)
                    && let Some(rule) = weakened(&bare, self.budget, self.fuel)
                {
                    return Some(rule);
                }
            }
        }
        None
    }

    /// The pairs of letters that are in order at each point, as far as their ranges say so.
    fn ordered(&self) -> Vec<(usize, usize, Relation)> {
        let values = &self.lettering.values;
        let mut found = Vec::new();
        for (x, first) in values.iter().enumerate() {
            for (y, second) in values.iter().enumerate() {
                let difference = second.plus(-1, first).and_then(|sum| sum.expr());
                let least = difference.map(|expr| self.domain.range_of(&expr).lo());
                if x == y || least.is_none_or(|least| least < 0) {
                    continue;
                }
                let is_less = least.is_some_and(|least| least > 0);
                found.push((
                    x,
                    y,
                    if is_less {
                        Relation::Less
                    } else {
                        Relation::LessEqual
                    },
                ));
            }
        }
        debug_assert!(self.points.iter().all(|point| {
            found
                .iter()
                .all(|(x, y, _)| values[*x].eval(point) <= values[*y].eval(point))
        }));
        found
    }
}

/// A reading with one more constant, for a number that only the right side has, or a factor of it.
fn opened(reading: &Reading, numbers: &[Number]) -> Vec<Reading> {
    let mut found: Vec<Reading> = Vec::new();
    let mut add = |value: i64| {
        let more = reading.with_constant(value);
        if value.unsigned_abs() > 1 && !reading.constants.contains(&value) && !found.contains(&more)
        {
            found.push(more);
        }
    };
    for number in numbers {
        add(number.value);
        for constant in reading.constants.iter().filter(|constant| **constant > 1) {
            if number.value % constant == 0 {
                add(number.value / constant);
            }
        }
    }
    found
}
