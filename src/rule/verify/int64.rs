//! Finds points at which a true statement fails in a program: in 64 or fewer bits, with division that rounds toward zero.
//!
//! A search, never a proof: a reported point can be evaluated by anyone, and its absence proves nothing.

use super::machine;
use super::points::Draw;
use crate::rule::{Condition, Point, Relation, Rule, Slot, Statement, Term, Truth};

/// Number of points tried.
const TRIED: usize = 20_000;

/// Maximum number of moves of one coordinate.
const MAX_MOVES: usize = 200;

/// Returns values at which products and sums overflow this many bits, or only just fit.
fn edges(bits: u32) -> [i64; 14] {
    let half = 1i64 << (bits - 2);
    let most = half - 1 + half;
    let root = (most as u64).isqrt() as i64 + 1; // the least number whose square does not fit
    let middle = 1 << (bits / 2);
    [most, half, -most - 1, -half, root, -root, middle, -middle, 1, 0, -1, 2, -2, 3]
}

/// A point at which a value overflows the bits, although the statement holds there over all integers, even with division that
/// rounds toward zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overflow {
    /// The number of bits of the integers.
    pub bits: u32,
    /// The point, whose coordinates fit.
    pub point: Point,
    /// The first part of the statement that overflows.
    pub term: Term,
    /// Its value.
    pub value: i128,
    /// Whether the statement fails there with wrapping arithmetic.
    pub fails: bool,
}

/// Wrapping arithmetic of `int64_t`, or of a type with fewer bits.
struct Machine<'p> {
    bits: u32,
    /// Whether division rounds down instead of toward zero.
    rounds_down: bool,
    point: &'p Point,
    overflow: Option<(Term, i128)>,
}

impl Machine<'_> {
    /// Evaluates a term; `None` if it divides by 0.
    fn value(&mut self, term: &Term) -> Option<i64> {
        let variable = |values: &[i64], slot: u8| values.get(usize::from(slot)).copied();
        Some(match term {
            Term::Integer(value) => self.wrapped((*value).into(), || term.clone()),
            Term::Constant(slot) => variable(&self.point.constants, *slot)?,
            Term::Expression(slot) => variable(&self.point.expressions, *slot)?,
            Term::Sum(terms) => {
                let (first, rest) = terms.split_first()?;
                let mut total = self.value(first)?;
                for (count, term) in (2..).zip(rest) {
                    let sum = || Term::Sum(terms[..count].to_vec());
                    // `x - y` is one operation.
                    let wide = match machine::subtracted(term) {
                        Some(y) => i128::from(total) - i128::from(self.value(y)?),
                        None => i128::from(total) + i128::from(self.value(term)?),
                    };
                    total = self.wrapped(wide, sum);
                }
                total
            }
            Term::Product(x, y) => {
                let (x, y) = self.pair(x, y)?;
                self.wrapped(x * y, || term.clone())
            }
            Term::FloorDiv(x, y) => {
                let (x, y) = self.pair(x, y)?;
                self.wrapped(self.quotient(x, y)?, || term.clone())
            }
            Term::Mod(x, y) => {
                let (x, y) = self.pair(x, y)?;
                self.wrapped(x - y * self.quotient(x, y)?, || term.clone())
            }
            Term::Min(x, y) => self.value(x)?.min(self.value(y)?),
            Term::Max(x, y) => self.value(x)?.max(self.value(y)?),
            Term::Lo(_) | Term::Hi(_) => return None,
        })
    }

    fn quotient(&self, x: i128, y: i128) -> Option<i128> {
        let quotient = x.checked_div(y)?;
        let is_above = x % y != 0 && (x < 0) != (y < 0);
        Some(quotient - i128::from(self.rounds_down && is_above))
    }

    fn pair(&mut self, x: &Term, y: &Term) -> Option<(i128, i128)> {
        Some((self.value(x)?.into(), self.value(y)?.into()))
    }

    /// Returns the low bits; records the first value that overflows.
    fn wrapped(&mut self, wide: i128, term: impl Fn() -> Term) -> i64 {
        let low = wrapped(wide, self.bits);
        if i128::from(low) != wide {
            self.overflow.get_or_insert_with(|| (term(), wide));
        }
        low
    }

    fn all(&mut self, conditions: &[Condition]) -> Option<bool> {
        let mut all = true;
        for condition in conditions {
            let (lhs, rhs) = (self.value(&condition.lhs), self.value(&condition.rhs));
            all &= condition.relation.holds(lhs?, rhs?);
        }
        Some(all)
    }

    /// Evaluates the statement; `None` if something is divided by 0.
    fn truth(&mut self, statement: &Statement) -> Option<bool> {
        match statement {
            Statement::Rewrite(lhs, rhs) => {
                let (lhs, rhs) = (self.value(lhs), self.value(rhs));
                Some(lhs? == rhs?)
            }
            Statement::Equivalence(lhs, rhs) => {
                let (lhs, rhs) = (self.all(lhs), self.all(rhs));
                Some(lhs? == rhs?)
            }
            Statement::Fact(facts) => self.all(facts),
        }
    }
}

/// Returns the lowest bits of a number as a signed integer.
#[must_use]
pub fn wrapped(wide: i128, bits: u32) -> i64 {
    let above = i64::BITS - bits;
    ((wide as i64) << above) >> above
}

/// Evaluates a term at the point of an overflow, with wrapping arithmetic in its bits and division that rounds toward zero, or
/// down; `None` if it divides by 0.
#[must_use]
pub fn wrapped_value(term: &Term, overflow: &Overflow, rounds_down: bool) -> Option<i64> {
    let Overflow { bits, point, .. } = overflow;
    Machine { bits: *bits, rounds_down, point, overflow: None }.value(term)
}

/// Searches for a point at which the statement of a true rule fails in 64 bits, otherwise for one at which a value overflows.
#[must_use]
pub fn overflow(rule: &Rule) -> Option<Overflow> {
    overflow_of(rule, i64::BITS)
}

/// Returns whether the side conditions bound each name by numbers of this many bits.
#[must_use]
pub fn is_bounded(rule: &Rule, bits: u32) -> bool {
    let fits = |term: &Term| matches!(term, Term::Integer(x) if wrapped((*x).into(), bits) == *x);
    let is_above = |name: &Term, above: bool| {
        rule.conditions.iter().any(|Condition { lhs, relation, rhs }| {
            let is_bound = |less: &Term, more: &Term| match above {
                true => less == name && fits(more),
                false => more == name && fits(less),
            };
            match relation {
                Relation::Less | Relation::LessEqual => is_bound(lhs, rhs),
                Relation::Equal => is_bound(lhs, rhs) || is_bound(rhs, lhs),
            }
        })
    };
    let slots = |names: &[String]| (0..=Slot::MAX).take(names.len());
    let names = slots(&rule.constants).map(Term::Constant);
    let mut names = names.chain(slots(&rule.expressions).map(Term::Expression));
    names.all(|name| is_above(&name, true) && is_above(&name, false))
}

/// Like [`overflow`], in this many bits, 2 to 64.
#[must_use]
pub fn overflow_of(rule: &Rule, bits: u32) -> Option<Overflow> {
    let toward_zero = machine::truncating(rule);
    let at = |point: &Point| {
        let coordinates = point.constants.iter().chain(&point.expressions);
        if coordinates.copied().any(|value| wrapped(value.into(), bits) != value) {
            return None;
        }
        let mut machine = Machine { bits, rounds_down: false, point, overflow: None };
        let holds = machine.truth(&rule.statement);
        let (term, value) = machine.overflow?;
        let is_true = |rule: &Rule| rule.truth(point) == Truth::Holds;
        (is_true(rule) && is_true(&toward_zero)).then(|| Overflow {
            bits,
            point: point.clone(),
            term,
            value,
            fails: holds != Some(true),
        })
    };
    let mut found: Option<Overflow> = None;
    for point in points(rule, bits) {
        if let Some(overflow) = at(&point)
            && (found.is_none() || overflow.fails)
        {
            let is_last = overflow.fails;
            found = Some(overflow);
            if is_last {
                break;
            }
        }
    }
    let found = found?;
    let is_as_bad = |point: &Point| at(point).is_some_and(|other| other.fails || !found.fails);
    at(&nearer(found.point.clone(), is_as_bad))
}

/// Moves coordinates toward 0 one after the other while the point stays `wanted`: a point with few large coordinates is easier to
/// read.
fn nearer(mut point: Point, wanted: impl Fn(&Point) -> bool) -> Point {
    let constants = point.constants.len();
    for position in 0..constants + point.expressions.len() {
        for _ in 0..MAX_MOVES {
            let with = |value: i64| {
                let mut other = point.clone();
                *coordinate(&mut other, position) = value;
                other
            };
            let value = *coordinate(&mut point.clone(), position);
            let steps = (0..i64::BITS - 1).map(|bits| value - value / (1 << bits));
            let values = [0, 1, -1, 2, -2].into_iter().chain(steps);
            let mut others =
                values.filter(|other| other.unsigned_abs() < value.unsigned_abs()).map(with);
            match others.find(|other| wanted(other)) {
                Some(other) => point = other,
                None => break,
            }
        }
    }
    point
}

fn coordinate(point: &mut Point, position: usize) -> &mut i64 {
    match position.checked_sub(point.constants.len()) {
        None => &mut point.constants[position],
        Some(position) => &mut point.expressions[position],
    }
}

/// Draws points with coordinates at the edges; half of them are moved to satisfy the side conditions.
fn points(rule: &Rule, bits: u32) -> impl Iterator<Item = Point> {
    let edges = edges(bits);
    let mut draw = Draw::new(rule);
    let (constants, variables) =
        (rule.constants.len(), rule.constants.len() + rule.expressions.len());
    let exponent = u32::try_from(variables).unwrap_or(u32::MAX);
    let all = edges.len().checked_pow(exponent);
    let all = all.filter(|count| *count <= TRIED / 2);
    let count = 2 * all.unwrap_or(TRIED / 2);
    (0..count).map(move |number| {
        let mut rest = number / 2;
        let mut values = (0..variables).map(|_| {
            let index = match all {
                Some(_) => rest,
                None => draw.below(edges.len()),
            };
            rest /= edges.len();
            edges[index % edges.len()]
        });
        let mut point = Point {
            constants: values.by_ref().take(constants).collect(),
            expressions: values.collect(),
        };
        if number % 2 == 1 {
            draw.move_inside(&mut point);
        }
        point
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::read_rule;

    /// Checks the finding about a statement: the point, the overflowing operation, and whether the statement fails.
    #[track_caller]
    fn check(statement: &str, expected: Option<(&str, &str, i128, bool)>) {
        let rule = read_rule(statement).expect(statement);
        let found = overflow(&rule);
        let found = found.map(|found| {
            let values = found.point.constants.iter().chain(&found.point.expressions);
            let values: Vec<String> = values.map(i64::to_string).collect();
            let term = rule.write(&found.term);
            (values.join(" "), term, found.value, found.fails)
        });
        let expected = expected
            .map(|(point, term, value, fails)| (point.to_owned(), term.to_owned(), value, fails));
        assert_eq!(found, expected, "{statement}");
    }

    const EDGE: i128 = 1 << 63;

    #[test]
    fn wrapping_is_found_at_the_nearest_point() {
        let last = i64::MAX.to_string();
        check("x < x + 1", Some((&last, "x + 1", EDGE, true)));
        let half = (1i64 << 62).to_string();
        check("(2*x) floordiv 2 = x", Some((&half, "2*x", EDGE, true)));
        let first = i64::MIN.to_string();
        check("0 <= max(x, -x)", Some((&first, "-x", EDGE, true)));
    }

    #[test]
    fn fewer_bits_are_left_earlier() {
        let in_32 = |statement: &str| {
            let rule = read_rule(statement).expect(statement);
            assert_eq!(overflow(&rule), None, "{statement}");
            let found = overflow_of(&rule, 32);
            (
                is_bounded(&rule, 32),
                found.map(|found| (rule.write(&found.term), found.value, found.fails)),
            )
        };
        let bounded = "0 <= (5*(x - 32)) floordiv 5 where x >= 32, x <= 40";
        assert_eq!(in_32(bounded), (true, None));
        let constant = "67108864*(x - 32) = 67108864*x - 67108864*32 where x >= 32, x <= 40";
        assert_eq!(in_32(constant), (true, Some(("67108864*x".to_owned(), 1 << 31, false))));
        assert!(
            in_32("(4*x) floordiv 4 = x where 0 <= x < 1000000000").1.is_some_and(|found| found.2)
        );
        assert!(!in_32("min(x, y) <= x where x <= 5").0);
    }

    #[test]
    fn harmless_overflow_is_distinguished() {
        let found = overflow(&read_rule("(x + y) - y = x").expect("a statement"));
        let found = found.expect("an overflow");
        assert!(!found.fails);
    }

    #[test]
    fn statements_in_range_pass() {
        check("x mod 64 <= 63", None);
        check("x + 1 > x where 0 <= x <= 100", None);
        check("min(x, y) <= x", None);
        check("2*(x floordiv 2) <= x", None); // a failure caused by rounding alone is not an overflow
    }
}
