//! Laws of native code, checked against the code: for each rule that is stated but never fired, the result of the code
//! is compared with the law's own terms, at random integers.
//!
//! The tables `CHECKS` are complete: a test compares their names with the rules that never fire. The laws in `ops.rules` are
//! about index maps of ops, and are compared with programs by `crates/compare/tests/agreement/laws_of_ops`; `layouts.rules` are
//! compared with placements by `crates/layout/tests/layouts`.

mod bounds;
mod order;
mod ranges;
mod sums;

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use super::program::Program;
use crate::expr::{Expr, VariableId};
use crate::num::{Fuel, Interrupt, Interval};
use crate::rule::{
    Condition, Point, Relation, Rule, RuleId, RuleSet, Statement, Term, Truth as At,
};
use std::sync::LazyLock;

static PROGRAM: LazyLock<Program> = LazyLock::new(|| {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    Program::compile(rules).unwrap_or_else(|error| panic!("{error:?}"))
});

/// Number of points inside the conditions at which each law is compared with the code.
const POINTS: usize = 300;

/// A law at a point inside its conditions.
struct Law<'r> {
    rule: &'r Rule,
    point: Point,
}

impl Law<'_> {
    /// Returns the value of a variable of the law.
    #[track_caller]
    fn at(&self, name: &str) -> i64 {
        let slot = |names: &[String]| names.iter().position(|known| known == name);
        match (slot(&self.rule.constants), slot(&self.rule.expressions)) {
            (Some(slot), _) => self.point.constants[slot],
            (None, Some(slot)) => self.point.expressions[slot],
            (None, None) => panic!("{} has no variable {name}", self.rule),
        }
    }

    fn interval(&self, lo: &str, hi: &str) -> Interval {
        Interval::new(self.at(lo), self.at(hi))
    }

    /// Returns the bounds that a conjunction of comparisons imposes on its single expression term.
    fn bounds(&self, conditions: &[Condition]) -> Interval {
        let mut bounds = Interval::ALL;
        for condition in conditions {
            let value = |term: &Term| {
                let value = term.eval(&self.point).expect("divisors are positive");
                i64::try_from(value).expect("small numbers")
            };
            let constant = |term: &Term| !term.has_expression();
            bounds = bounds.intersect(match (constant(&condition.lhs), condition.relation) {
                (true, Relation::LessEqual) => Interval::new(value(&condition.lhs), i64::MAX),
                (false, Relation::LessEqual) => Interval::new(i64::MIN, value(&condition.rhs)),
                (false, Relation::Equal) => Interval::point(value(&condition.rhs)),
                _ => panic!("{}: not a bound", self.rule),
            });
        }
        bounds
    }

    fn fact(&self) -> Interval {
        match &self.rule.statement {
            Statement::Fact(facts) => self.bounds(facts),
            _ => panic!("{} is not a fact", self.rule),
        }
    }

    fn sides(&self) -> (&[Condition], &[Condition]) {
        match &self.rule.statement {
            Statement::Equivalence(lhs, rhs) => (lhs, rhs),
            _ => panic!("{} is not an equivalence", self.rule),
        }
    }

    /// Returns both sides of a law `x = y`.
    fn equation(&self) -> (&Term, &Term) {
        match &self.rule.statement {
            Statement::Fact(facts) => (&facts[0].lhs, &facts[0].rhs),
            _ => panic!("{} is not an equation", self.rule),
        }
    }

    #[track_caller]
    fn says(&self, computed: Interval) {
        assert_eq!(computed, self.fact(), "{} at {:?}", self.rule, self.point);
    }

    #[track_caller]
    fn same<T: PartialEq + std::fmt::Debug>(&self, computed: T, stated: T) {
        assert_eq!(computed, stated, "{} at {:?}", self.rule, self.point);
    }
}

/// More fuel than any check needs.
fn ample_fuel() -> Fuel {
    Fuel::new(1 << 24, &Interrupt::new())
}

fn engine(bounds: &[Interval]) -> Engine<'static> {
    Engine::new(&PROGRAM, bounds, &ample_fuel())
}

fn atom(index: u32, coefficient: i64) -> Linear {
    Linear::default().plus_atom(coefficient, AtomId(index)).expect("small numbers")
}

fn sum(parts: &[&Linear]) -> Linear {
    let plus = |total: Linear, part: &&Linear| total.plus(1, part).expect("small numbers");
    parts.iter().fold(Linear::default(), plus)
}

fn v(index: u32) -> Expr {
    Expr::variable(VariableId(index))
}

type Check = fn(&Law<'_>);

fn checks() -> impl Iterator<Item = &'static (&'static str, Check)> {
    [ranges::CHECKS, sums::CHECKS, bounds::CHECKS].into_iter().flatten()
}

/// Points inside the conditions of a rule, the same in every run.
fn points(rule: &Rule) -> Vec<Point> {
    let mut state = 0x5EED_u64;
    let mut number = |bound: i64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33).rem_euclid(2 * bound as u64 + 1) as i64 - bound
    };
    let mut points = Vec::new();
    for round in 0..2_000_000 {
        let bound = [3, 6, 12][round % 3];
        let mut point = Point {
            constants: rule.constants.iter().map(|_| number(bound)).collect(),
            expressions: rule.expressions.iter().map(|_| number(bound)).collect(),
        };
        for condition in &rule.conditions {
            let sides = [(&condition.lhs, &condition.rhs), (&condition.rhs, &condition.lhs)];
            for (name, term) in sides {
                let value = term.eval(&point).and_then(|value| i64::try_from(value).ok());
                if let (Relation::Equal, Term::Constant(slot), Some(value)) =
                    (condition.relation, name, value)
                {
                    point.constants[*slot as usize] = value;
                }
            }
        }
        match rule.truth(&point) {
            At::Holds => points.push(point),
            At::Outside => {}
            wrong => panic!("{rule} is {wrong:?} at {point:?}"),
        }
        if points.len() == POINTS {
            return points;
        }
    }
    panic!("{rule}: only {} points lie inside its conditions", points.len());
}

#[test]
fn the_code_does_what_its_laws_say() {
    for (name, check) in checks() {
        let id = PROGRAM.rules().find(name).unwrap_or_else(|| panic!("no law is called {name}"));
        let rule = PROGRAM.rules().rule(id);
        for point in points(rule) {
            check(&Law { rule, point });
        }
    }
}

#[test]
fn every_law_that_is_not_fired_has_a_check() {
    let stated: Vec<&str> = (0u16..)
        .zip(PROGRAM.rules().rules())
        .filter(|(id, rule)| {
            !PROGRAM.fires(RuleId(*id))
                && !["ops.rules", "layouts.rules"].contains(&rule.file.as_str())
        })
        .map(|(_, rule)| rule.name.as_str())
        .collect();
    let mut checked: Vec<&str> = checks().map(|(name, _)| *name).collect();
    let mut sorted = stated.clone();
    checked.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(checked, sorted);
}
