//! The search for a rule: over places, letters, constants and conditions, more general choices first.

use super::definition;
use super::example::Example;
use super::facts::{STAGES, Stage, facts};
use super::fewest::with_fewest;
use super::inside::{holds_at, points_inside};
use super::learned::{Learned, Missed};
use super::letters::{Lettering, letterings};
use super::numbers::{Literals, Reading, readings, rights};
use super::place;
use super::samples;
use super::statement::{self, statement};
use super::tree::{Atom, Number, Sum};
use super::weaken::weakened;
use affinor::expr::{Domain, Expr, IndexingMap};
use affinor::num::{Fuel, Interval};
use affinor::prove::Budget;
use affinor::rule::matching::Operator;
use affinor::rule::{Condition, Point, Relation, Rule, Term};
use affinor::simplify::Program;

/// Number of the example's points that a statement must hold at if few other points are found.
const KNOWN: usize = 20;

/// Maximum number of right sides of one reading that are examined closely.
const MAX_TRIED: usize = 6;

/// Maximum number of right sides of one reading for which residues are considered, and of these, the maximum examined closely.
const RIGHTS_OF_RESIDUES: (usize, usize) = (40, 2);

/// Maximum number of numbers on a side: more would have too many readings.
const MAX_NUMBERS: usize = 12;

/// Maximum growth of the conditions for one number that becomes a constant of its own.
const MAX_LONGER: usize = 8;

/// Steps of fuel for freeing the numbers of one rule.
const FREEING: u64 = 3_000;

/// Steps of fuel for one reading of the numbers.
const READING: u64 = 8;

/// Maximum number of steps for the right sides of a reading.
const MOST: u64 = 9_000;

/// Calls back with each rule by which `left` equals `right` on the domain, most general first, until one is taken.
///
/// # Errors
/// The reason why there are no more rules.
pub fn each_rule(
    domain: &Domain,
    [left, right]: [&Expr; 2],
    (budget, fuel): (&Budget, &Fuel),
    take: &mut dyn FnMut(Learned) -> bool,
) -> Result<(), Missed> {
    let sides = [left, right].map(Sum::of);
    let [Some(left), Some(right)] = sides else {
        return Err(Missed::NotIntegers);
    };
    if left == right {
        return Err(Missed::Same);
    }
    let points = samples::points(domain);
    if points.is_empty() {
        return Err(Missed::NoPoint);
    }
    let right = samples::without_free(&left, &right, domain).ok_or(Missed::NotIntegers)?;
    let bounds = domain.constraints().iter();
    let bounds =
        bounds.filter_map(|constraint| Some((Sum::of(&constraint.expr)?, constraint.bounds)));
    let bounds: Vec<(Sum, Interval)> = bounds.collect();
    let places = place::differences(&left, &right);
    let mut is_stopped = false;
    for (place, (left, right)) in (1..).zip(&places) {
        let mut values = points.iter().map(|point| (left.eval(point), right.eval(point)));
        if !values.all(|(left, right)| left.is_some() && left == right) {
            continue; // equal only within the surrounding expressions
        }
        let sides = [left.clone(), right.clone()];
        let part = |sum: &Sum| {
            let expr = sum.expr().ok_or(Missed::NotIntegers)?;
            Ok(IndexingMap::new(domain.clone(), vec![expr]))
        };
        let parts = [part(&sides[0])?, part(&sides[1])?];
        let letterings = letterings(&sides, &bounds);
        // Half of the fuel is kept for the places further out. Half of the rest goes to readings in which some numbers stay
        // literal, which is a last resort, and half of that to readings in which all of them do.
        let end = if place < places.len() { fuel.left() / 2 } else { 0 };
        let own = fuel.left() - end;
        let passes = [(Literals::None, own / 2), (Literals::Some, own / 4)]
            .map(|(literals, kept)| STAGES.map(|stage| (literals, stage, end + kept)));
        let last = (Literals::All, Stage::Ends, end);
        for (literals, stage, end) in passes.into_iter().flatten().chain([last]) {
            // Signs and multiples seldom suffice: they leave half of the budget to the other stages.
            let end = match stage {
                Stage::Signs | Stage::Multiples => fuel.left().max(end).midpoint(end),
                _ => end,
            };
            for lettering in &letterings {
                let Some(search) = Search::new(domain, &points, lettering, (budget, fuel), end)
                else {
                    continue;
                };
                let is_taken = search.each(stage, literals, &mut |rule| {
                    let parts = parts.clone();
                    take(Learned { rule, parts })
                });
                if is_taken {
                    return Ok(());
                }
                fuel.check().map_err(|_| Missed::Stopped)?;
                is_stopped |= search.is_spent();
            }
        }
    }
    Err(match is_stopped {
        true => Missed::Stopped,
        false => Missed::NotFound,
    })
}

/// The search for the constants and conditions of one choice of letters.
#[derive(Clone)]
struct Search<'s> {
    lettering: &'s Lettering,
    numbers: [Vec<Number>; 2],
    ranges: Vec<Interval>,
    ordered: Vec<(usize, usize, Relation)>,
    /// Values of the letters at sampled points.
    samples: Vec<Vec<i64>>,
    budget: &'s Budget,
    fuel: &'s Fuel,
    /// Fuel that is reserved for other searches: this one stops at this level.
    end: u64,
}

impl<'s> Search<'s> {
    /// `None` if there are too many letters or numbers.
    fn new(
        domain: &Domain,
        points: &[Vec<i64>],
        lettering: &'s Lettering,
        (budget, fuel): (&'s Budget, &'s Fuel),
        end: u64,
    ) -> Option<Search<'s>> {
        let numbers = [0, 1].map(|side: usize| lettering.sides[side].numbers());
        let most = numbers[0].len().max(numbers[1].len());
        if lettering.values.len() > statement::EXPRESSIONS.len() || most > MAX_NUMBERS {
            return None;
        }
        let values = lettering.values.iter();
        let ranges = values.map(|value| Some(domain.range_of(&value.expr()?)));
        let samples = points.iter().map(|point| {
            let values = lettering.values.iter();
            values.map(|value| value.eval(point)).collect::<Option<Vec<i64>>>()
        });
        Some(Search {
            lettering,
            numbers,
            ranges: ranges.collect::<Option<_>>()?,
            ordered: ordered(lettering, domain),
            samples: samples.collect::<Option<_>>()?,
            budget,
            fuel,
            end,
        })
    }

    fn is_spent(&self) -> bool {
        self.fuel.check().is_err() || self.fuel.left() <= self.end
    }

    /// Calls back with the rules of a stage until one is taken; returns whether one was.
    fn each(&self, stage: Stage, literals: Literals, take: &mut dyn FnMut(Rule) -> bool) -> bool {
        if self.is_spent() {
            return false;
        }
        if stage == Stage::Multiples && !has_remainder(&self.lettering.sides[0]) {
            return false;
        }
        for reading in readings(&self.numbers[0], literals) {
            // A perfect square is likely a coincidence of the example; so is a number next to a product when residues are
            // considered.
            if reading.has_square() && stage < Stage::Ends
                || reading.has_sum() && stage == Stage::Multiples
            {
                continue;
            }
            let known = reading.constants.len();
            let mut all = vec![reading];
            if stage > Stage::Signs && literals != Literals::All {
                all.extend(opened(&all[0], &self.numbers[1], 1));
            }
            for reading in all {
                if let Some(rule) = self.rule(&reading, known, (stage, true))
                    && take(self.freed(rule, reading, known))
                {
                    return true;
                }
                if self.is_spent() {
                    return false;
                }
            }
        }
        false
    }

    /// Replaces numbers of the rule that were read as derived from or equal to others by constants of their own, wherever the
    /// rule then still holds.
    fn freed(&self, mut rule: Rule, mut reading: Reading, known: usize) -> Rule {
        if known != reading.constants.len() {
            return rule;
        }
        let own = Search {
            fuel: &self.budget.own_fuel(FREEING.min(self.fuel.left())),
            end: 0,
            ..self.clone()
        };
        for (index, number) in self.numbers[0].iter().enumerate() {
            let Some((freed, before)) = reading.freed(index, number.value) else {
                continue;
            };
            let mut ways = [true, false].into_iter();
            let found = ways
                .find_map(|upward| own.rule(&freed, freed.constants.len(), (Stage::Ends, upward)));
            let is_freer = |found: &Rule| {
                length(found) <= length(&rule) + MAX_LONGER
                    && Program::can_fire(found).is_ok()
                    && before.is_none_or(|before| is_free(found, &freed.numbers[index], &before))
            };
            if let Some(found) = found.filter(is_freer) {
                (rule, reading) = (found, freed);
            }
        }
        // A number of the right side may become a constant, too.
        for open in opened(&reading, &self.numbers[1], 0) {
            let fresh = Term::Constant(reading.constants.len() as u8);
            let value = open.constants[reading.constants.len()];
            let found = own.rule(&open, reading.constants.len(), (Stage::Blocks, true));
            let is_freer = |found: &Rule| {
                length(found) <= length(&rule) + MAX_LONGER
                    && Program::can_fire(found).is_ok()
                    && is_free(found, &fresh, &Term::Integer(value))
            };
            if let Some(found) = found.filter(is_freer) {
                rule = found;
                break;
            }
        }
        let _ = self.fuel.spend(FREEING - own.fuel.left().min(FREEING));
        rule
    }

    /// Returns the rule for a reading of the numbers. Constants from slot `opened` on occur only on the right side.
    fn rule(
        &self,
        reading: &Reading,
        opened: usize,
        (stage, upward): (Stage, bool),
    ) -> Option<Rule> {
        let left = &self.lettering.sides[0];
        self.fuel.spend(READING).ok()?;
        if reading.constants.len() > statement::CONSTANTS.len() {
            return None;
        }
        let of_left = statement::term(left, &reading.numbers);
        let example = Example {
            constants: &reading.constants,
            divides: &reading.divides(&self.numbers[0]),
            ranges: &self.ranges,
            ordered: &self.ordered,
            bounds: &self.lettering.bounds,
            samples: &self.samples,
            left: &of_left,
            opened,
            literal: reading.is_literal(),
            upward,
        };
        let conditions = facts(&example, stage);
        let bare = statement(&reading.constants, self.ranges.len(), conditions);
        let step = self.samples.len().div_ceil(KNOWN).max(1);
        let known = self.samples.iter().step_by(step).map(|letters| Point {
            constants: reading.constants.clone(),
            expressions: letters.clone(),
        });
        let known: Vec<Point> = known.collect();
        let points = points_inside(&bare, &known, 0);
        // Without constants, the example's own points may be all points there are.
        let is_all = |known: &Vec<Point>| reading.constants.is_empty() && !known.is_empty();
        let points = points.or_else(|| Some(known).filter(is_all))?;
        let most = MOST.min(self.fuel.left());
        let own = self.budget.own_fuel(most);
        let found = self.right_side(reading, opened, stage, (bare, &points), &own);
        let _ = self.fuel.spend(most - own.left());
        found
    }

    /// Finds terms for the numbers of the right side, and the conditions that the statement needs.
    fn right_side(
        &self,
        reading: &Reading,
        opened: usize,
        stage: Stage,
        (mut bare, points): (Rule, &[Point]),
        fuel: &Fuel,
    ) -> Option<Rule> {
        let mut tried = 0;
        let fresh = opened..reading.constants.len();
        let (most, most_tried) = match stage {
            Stage::Multiples => RIGHTS_OF_RESIDUES,
            _ => (usize::MAX, MAX_TRIED),
        };
        for terms in rights(&self.numbers[1], reading).into_iter().take(most) {
            fuel.spend(1).ok()?;
            // A constant that occurs only in conditions is a last resort.
            let has = |slot: usize| {
                let constant = Term::Constant(slot as u8);
                terms.iter().any(|term| term.any(|part| *part == constant))
            };
            if stage < Stage::Ends && !fresh.clone().all(has) {
                continue;
            }
            bare.statement = statement::rewrite(
                [&self.lettering.sides[0], &self.lettering.sides[1]],
                &reading.numbers,
                &terms,
            );
            if !holds_at(&bare, points) {
                // The definition of the quotient is a last resort, available if a new constant can name the quotient.
                let is_open = stage == Stage::Ends && !fresh.is_empty() && fresh.clone().all(has);
                let defined = definition::of_quotient(&bare, &reading.constants);
                if let Some(conditions) = defined.filter(|_| is_open) {
                    let mut rule = bare.clone();
                    rule.conditions.splice(0..0, conditions);
                    return weakened(&rule, self.budget, fuel);
                }
                continue;
            }
            let rule = match stage {
                Stage::Multiples => with_fewest(&bare, self.budget, fuel),
                _ => weakened(&bare, self.budget, fuel),
            };
            if let Some(rule) = rule.filter(|rule| !says_equal(rule)) {
                return Some(rule);
            }
            tried += 1;
            if tried >= most_tried {
                break;
            }
        }
        None
    }
}

/// Returns whether a remainder occurs anywhere in the sum.
fn has_remainder(sum: &Sum) -> bool {
    sum.any(&|atom| matches!(atom, Atom::Operation(Operator::Mod, ..)))
}

/// Returns the number of subterms of the conditions.
fn length(rule: &Rule) -> usize {
    let mut parts = 0;
    for side in rule.conditions.iter().flat_map(Condition::sides) {
        side.visit(&mut |_| parts += 1);
    }
    parts
}

/// Returns whether the conditions of a rule allow `number` to differ from `before`.
fn is_free(rule: &Rule, number: &Term, before: &Term) -> bool {
    let differs = |point: &Point| number.eval(point) != before.eval(point);
    points_inside(rule, &[], 0).is_some_and(|points| points.iter().any(differs))
}

/// Returns whether the conditions imply that two constants divide each other, or that two letters are at most each other, so that
/// they are equal.
fn says_equal(rule: &Rule) -> bool {
    let divided = |condition: &Condition| match (&condition.lhs, &condition.rhs) {
        (Term::Mod(x, c), Term::Integer(0)) if condition.relation == Relation::Equal => {
            Some((x.clone(), c.clone()))
        }
        _ => None,
    };
    let all: Vec<_> = rule.conditions.iter().filter_map(divided).collect();
    let ordered = |condition: &Condition| match (&condition.lhs, &condition.rhs) {
        (x @ Term::Expression(_), y @ Term::Expression(_)) => Some((x.clone(), y.clone())),
        _ => None,
    };
    let letters: Vec<_> = rule.conditions.iter().filter_map(ordered).collect();
    let is_mutual = |(x, y): &(Term, Term)| letters.contains(&(y.clone(), x.clone()));
    letters.iter().any(is_mutual)
        || (all.iter()).any(|(x, c)| all.contains(&(c.clone(), x.clone())))
}

/// Returns the pairs of letters that are ordered at each point, as far as their ranges imply it.
fn ordered(lettering: &Lettering, domain: &Domain) -> Vec<(usize, usize, Relation)> {
    let values = &lettering.values;
    let mut found = Vec::new();
    for (x, first) in values.iter().enumerate() {
        for (y, second) in values.iter().enumerate() {
            let difference = second.plus(-1, first).and_then(|sum| sum.expr());
            let least = difference.map(|expr| domain.range_of(&expr).lo());
            if x == y || least.is_none_or(|least| least < 0) {
                continue;
            }
            let relation = match least.is_some_and(|least| least > 0) {
                true => Relation::Less,
                false => Relation::LessEqual,
            };
            found.push((x, y, relation));
        }
    }
    found
}

/// Extends the reading by one more constant greater than `above` in magnitude: a number that only the right side has, or a
/// factor of it; or by one for each of two such numbers.
fn opened(
    reading: &Reading,
    numbers: &[Number],
    above: u64,
) -> impl Iterator<Item = Reading> + use<> {
    let mut found: Vec<Reading> = Vec::new();
    let mut add = |value: i64| {
        let more = reading.with_constant(value);
        if value.unsigned_abs() > above
            && !reading.constants.contains(&value)
            && !found.contains(&more)
        {
            found.push(more);
        }
    };
    for number in numbers {
        // The sign may belong to the statement instead of the constant.
        for value in [number.value.saturating_abs(), number.value] {
            add(value);
            for constant in reading.constants.iter().filter(|constant| **constant > 1) {
                if value % constant == 0 {
                    add(value / constant);
                }
            }
        }
    }
    // Two numbers may each need a constant.
    let mut pair = reading.clone();
    for number in numbers {
        let size = number.value.abs();
        if size > 1 && !pair.constants.contains(&size) && found.len() > 1 {
            pair = pair.with_constant(size);
        }
    }
    if pair.constants.len() == reading.constants.len() + 2 {
        found.push(pair);
    }
    found.into_iter()
}
