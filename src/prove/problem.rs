//! Queries to a solver and its answers: linear integer facts and goals, as plain data.

use super::Reason;
use super::linear::Linear;
use crate::num::{Interrupt, Interval, MINUS_INFINITY, PLUS_INFINITY};

/// A formula over linear forms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Formula {
    /// The form lies in the interval.
    In(Linear, Interval),
    /// All of them hold.
    All(Vec<Formula>),
    /// At least one of them holds.
    Any(Vec<Formula>),
    /// The formula does not hold.
    Not(Box<Formula>),
    /// Universally quantifies over the unknowns with this number or a greater one.
    ForAll(usize, Box<Formula>),
}

impl Formula {
    /// `form` lies outside `interval`.
    pub(super) fn outside(form: &Linear, interval: Interval) -> Formula {
        if interval.is_empty() {
            return Formula::All(Vec::new());
        }
        let mut parts = Vec::with_capacity(2);
        if interval.lo() != MINUS_INFINITY {
            parts.push(Interval::new(MINUS_INFINITY, interval.lo() - 1));
        }
        if interval.hi() != PLUS_INFINITY {
            parts.push(Interval::new(interval.hi() + 1, PLUS_INFINITY));
        }
        let is_in = |part| Formula::In(form.clone(), part);
        Formula::Any(parts.into_iter().map(is_in).collect())
    }
}

/// A query: are there integers that satisfy all facts, and a goal?
pub(super) struct Problem {
    pub(super) unknowns: usize,
    /// The maximum nesting depth of definitions.
    #[cfg_attr(
        not(feature = "z3"),
        expect(dead_code, reason = "only the solver divides its steps by it")
    )]
    pub(super) depth: usize,
    /// The facts, common to all goals.
    pub(super) facts: Vec<Formula>,
}

/// Limits on the work for one query.
pub(super) struct Limits<'a> {
    /// Solver steps per goal.
    pub(super) steps: u32,
    pub(super) interrupt: Option<&'a Interrupt>,
}

/// The answer to one goal.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "z3"), expect(dead_code, reason = "only the solver constructs it"))]
pub(super) enum Answer {
    /// No integers satisfy facts and goal.
    Unsatisfiable,
    /// A model; `None` for a value beyond 64 bits.
    Satisfiable(Vec<Option<i64>>),
    /// Undecided.
    Unknown(Reason),
}

/// The answer to an SMT-LIB script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextAnswer {
    /// `unsat`
    Unsatisfiable,
    /// `sat`, with the requested values, unless one exceeds 64 bits.
    Satisfiable(Option<Vec<i64>>),
    /// Undecided.
    Unknown(Reason),
}
