//! Deciding questions about concrete maps: are two maps equal, is a domain empty, is an interval
//! the smallest?
//!
//! Every answer is a [`Verdict`]: proved, refuted by a point that anybody can check, or unknown
//! with the reason. The three are never folded into each other. Work is bounded by numbers of
//! points and solver steps (a [`Budget`]), never by time, so verdicts repeat.
//!
//! Means, cheap ones first: the same text; every point of a small box; linear forms in which the
//! equal become the same; points likely to refute; Z3, when the feature `z3` is on. A
//! counterexample is evaluated by [`crate::expr::Expr::eval`] before it is shown, whatever found
//! it.
//!
//! What a proof rests on: `tape` and `enumerate` where all points were tried; `forms`, `bounds`
//! and `quotient`, whose laws stand at their heads, where forms were equal; these, `encode` and Z3
//! otherwise. Nothing of the simplifier is used.
//!
//! ```
//! use affinor::prove::{Budget, Verdict, equal_functions};
//! use affinor::text::parse_map;
//!
//! let left = parse_map("affine_map<(x) -> ((x floordiv 4) floordiv 3)>").unwrap();
//! let right = parse_map("affine_map<(x) -> (x floordiv 12)>").unwrap();
//! assert_eq!(equal_functions(&left, &right, &Budget::default()), Ok(Verdict::Proved));
//! ```

mod boundary;
mod bounds;
mod cover;
mod emptiness;
mod encode;
mod enumerate;
mod equations;
mod forms;
mod functions;
mod inclusion;
mod linear;
mod obligations;
mod quotient;
mod reads;
mod sample;
mod sides;
mod solver;
mod tape;
#[cfg(test)]
mod tests;
mod tightness;
mod witness;
#[cfg(feature = "z3")]
mod z3;

pub use cover::{Reader, covered, disjoint};
pub use emptiness::is_empty;
pub use functions::equal_functions;
pub use reads::{equal_reads, reads_all};
pub(crate) use sample::points as sample_points;
pub use solver::{TextAnswer, decide_text};
pub(crate) use tape::{Runner, Tape};
pub use tightness::{Tightness, tightness};

use crate::num::{Fuel, Interrupt};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt::Display;

/// The answer to a question: `W` says where it is no, `R` why there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<W = Counterexample, R = Reason> {
    /// It holds everywhere, over the mathematical integers.
    Proved,
    /// It does not hold, and here is where.
    Refuted(W),
    /// Neither was established.
    Unknown(R),
}

impl<W, R> Verdict<W, R> {
    /// `proved`, `refuted` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Refuted(_) => "refuted",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

impl<W: Serialize, R: Display> Serialize for Verdict<W, R> {
    /// `verdict` (`proved`, `refuted` or `unknown`), and `counterexample` or `reason`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut written = serializer.serialize_map(None)?;
        written.serialize_entry("verdict", self.word())?;
        match self {
            Verdict::Proved => {}
            Verdict::Refuted(found) => written.serialize_entry("counterexample", found)?,
            Verdict::Unknown(reason) => written.serialize_entry("reason", &reason.to_string())?,
        }
        written.end()
    }
}

/// A point at which two maps differ. `left` and `right` are the maps' values there, or `None`
/// where the point is outside the map's domain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counterexample {
    /// One coordinate for each variable: dimensions, range variables, runtime variables.
    pub point: Vec<i64>,
    /// The results of the first map.
    pub left: Option<Vec<i64>>,
    /// The results of the second map.
    pub right: Option<Vec<i64>>,
}

/// Why a question stayed open.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// Ended by an [`Interrupt`].
    #[error("interrupted")]
    Interrupted,
    /// Z3 stopped at the limit of the budget.
    #[error("the solver stopped at its limit of {0} steps")]
    SolverSteps(u32),
    /// Z3 said so itself.
    #[error("the solver gave up: {0}")]
    SolverGaveUp(String),
    /// Only a solver could decide.
    #[error("only a solver could decide it, and this build has none")]
    NoSolver,
    /// Only a solver could decide, and the budget gives it no steps.
    #[error("only a solver could decide it, and the budget allows it no steps")]
    SolverOff,
    /// Z3 has a counterexample, and checking it takes too many points.
    #[error("the solver has a counterexample, but there are too many range values to check it")]
    TooManyRanges,
    /// No values for range variables are known with which everything is read.
    #[error("no range values were found with which everything is read")]
    NoProposal,
    /// The only differences found cannot be shown, or numbers became too large to decide.
    #[error("the values are beyond 64 bits where it would have to be decided")]
    Overflow,
}

/// Bounds on the work of one question.
#[derive(Clone, Debug)]
pub struct Budget {
    /// A box of at most so many points is decided by trying all of them.
    pub points: u64,
    /// Points tried in a larger box, to refute.
    pub samples: u64,
    /// Compare linear forms?
    pub forms: bool,
    /// Steps of Z3 (its `rlimit`) for each goal; 0 for no solver.
    pub solver_steps: u32,
    /// Ends the work from another thread; the verdict is then unknown.
    pub interrupt: Option<Interrupt>,
    /// A step is taken off for each point that [`crate::footprint::image`] tries; when it ends, so does the trying.
    pub fuel: Option<Fuel>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            points: 20_000,
            samples: 1_000,
            forms: true,
            solver_steps: 1_000_000,
            interrupt: None,
            fuel: None,
        }
    }
}

impl Budget {
    fn style(&self) -> forms::Style {
        if self.forms {
            forms::Style::Normal
        } else {
            forms::Style::Written
        }
    }

    /// Fuel of its own for a part of the work, beside [`Budget::fuel`]; the same interrupt ends it.
    #[must_use]
    pub fn own_fuel(&self, steps: u64) -> Fuel {
        Fuel::new(steps, &self.interrupt.clone().unwrap_or_default())
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::is_triggered)
    }
}
