//! The solver, if compiled in and found.
//!
//! Only the sibling `z3` uses the solver's own types, and only with the feature `z3`.

use super::Reason;
use super::problem::{Answer, Formula, Limits, Problem, TextAnswer};
use crate::num::Interrupt;

#[cfg(not(feature = "z3"))]
const NONE: Reason = Reason::NoSolver("this build has none");

/// Decides an SMT-LIB script of assertions over integer constants; returns the values of the constants `names` if it is
/// satisfiable. `steps` is Z3's `rlimit`.
#[must_use]
pub fn decide_text(
    script: &str,
    names: &[String],
    steps: u32,
    interrupt: Option<&Interrupt>,
) -> TextAnswer {
    if interrupt.is_some_and(Interrupt::is_triggered) {
        return TextAnswer::Unknown(Reason::Interrupted);
    }
    #[cfg(feature = "z3")]
    let answer = super::z3::ask_text(script, names, steps, interrupt);
    #[cfg(not(feature = "z3"))]
    let answer = {
        let _ = (script, names, steps);
        Err(NONE)
    };
    answer.unwrap_or_else(TextAnswer::Unknown)
}

/// Decides the goals in order, up to the first that is satisfiable.
///
/// # Errors
/// The [`Reason`] why no goal could be decided.
pub(super) fn ask(
    problem: &Problem,
    goals: &[Formula],
    limits: &Limits,
) -> Result<Vec<Answer>, Reason> {
    if limits.steps == 0 {
        return Err(Reason::SolverOff);
    }
    if limits.interrupt.is_some_and(Interrupt::is_triggered) {
        return Err(Reason::Interrupted);
    }
    #[cfg(feature = "z3")]
    return super::z3::ask(problem, goals, limits);
    #[cfg(not(feature = "z3"))]
    {
        let _ = (problem.unknowns, &problem.facts, goals);
        Err(NONE)
    }
}
