//! Verdicts: three values, never folded into each other.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt::Display;

/// The answer to a query, with a witness `W` if refuted and a reason `R` if unknown.
///
/// ```
/// use affinor::prove::{Budget, Verdict, equal_functions};
///
/// let [nested, plain] = ["d0 mod 6 mod 4", "d0 mod 4"]
///     .map(|result| format!("(d0) -> ({result}), domain: d0 in [0, 60]").parse());
/// match equal_functions(&nested?, &plain?, &Budget::default())? {
///     Verdict::Proved => panic!("at 6 they differ"),
///     Verdict::Refuted(found) => assert_ne!(found.left, found.right), // at found.point
///     Verdict::Unknown(reason) => panic!("{reason}"),
/// }
/// # Ok::<(), affinor::text::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<W = Counterexample, R = Reason> {
    /// It holds everywhere, over the mathematical integers.
    Proved,
    /// It does not hold, with a counterexample.
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

/// A point at which two maps differ. `left` and `right` are the maps' values there, or `None` outside the map's domain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counterexample {
    /// One coordinate for each variable: dimensions, range variables, runtime variables.
    pub point: Vec<i64>,
    /// The results of the first map.
    pub left: Option<Vec<i64>>,
    /// The results of the second map.
    pub right: Option<Vec<i64>>,
}

/// The reason why a query is undecided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// Stopped by an [`crate::num::Interrupt`].
    #[error("interrupted")]
    Interrupted,
    /// Z3 reached the limit of the budget.
    #[error("the solver stopped at its limit of {0} steps")]
    SolverSteps(u32),
    /// Z3 gave up, in its own words.
    #[error("the solver gave up: {0}")]
    SolverGaveUp(String),
    /// A solver is needed, but none is available; with the reason and how to get one.
    #[error("only a solver could decide it, and {0}")]
    NoSolver(&'static str),
    /// A solver is needed, but the budget disables it.
    #[error("only a solver could decide it, and the budget allows it no steps")]
    SolverOff,
    /// Z3 has a counterexample, but checking it takes too many points.
    #[error("the solver has a counterexample, but there are too many range values to check it")]
    TooManyRanges,
    /// No proposal for the range variables reads everything.
    #[error("no range values were found with which everything is read")]
    NoProposal,
    /// Overflow: the differences found cannot be shown, or numbers are too large to decide.
    #[error("the values are beyond 64 bits where it would have to be decided")]
    Overflow,
    /// The maps multiply or divide by expressions, and no procedure decides that for all values.
    #[error(
        "the maps multiply or divide by sizes with names, and no point was found where they differ"
    )]
    Symbolic,
}
