//! Rules of other systems, as their lists have them: read, stated in the grammar of rules here, judged.
//!
//! ```text
//! rewrite((x / c0) / c2, x / fold(c0 * c2), c0 > 0 && c2 > 0)                                       Halide
//! TVM_TRY_REWRITE_IF(floordiv(floordiv(x, c1), c2), floordiv(x, c1 * c2), c1.Eval()->value > 0 ..)  TVM
//! (x mod a) floordiv a -> 0 if a > 0                                                                plain, as MLIR's
//! ```
//!
//! In order: `lines` finds the lines of a text, `arithmetic` and `formula` read their sides and conditions, `claims` states
//! them, `divisors` adds what the grammar asks of divisors, `judgement` judges.
//!
//! Law: a line is true of all integers, as its system reads it, if and only if all its statements are, at positive divisors;
//! what the system says of others is stated beside them. What cannot be said so is an error, at the word that it fails at.

mod arithmetic;
mod claims;
mod divisors;
mod formula;
mod judgement;
mod lines;

pub use judgement::{Below, Judgement};
pub use lines::System;

use super::{Condition, Rule, Term};
use crate::prove::Budget;
use crate::text::{Error, Span};

/// How a system divides by integers that may be negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    /// Rounds down.
    Floor,
    /// The remainder is in `[0, |divisor|)`; by 0, both are 0. As Halide divides.
    Euclidean,
    /// Rounds toward zero, as C divides.
    TowardZero,
}

/// A line of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The system whose notation it has.
    pub system: System,
    /// The line on one line, with single spaces.
    pub text: String,
    /// Where it stands in the text that was read.
    pub span: Span,
    /// What it says, one rule for each case; or why it cannot be said, at a position of the text that was read.
    pub says: Result<Vec<Stated>, Error>,
}

/// A case of a line, in the grammar of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// The statement, for positive divisors. Division is written as one that rounds down.
    pub rule: Rule,
    /// How the line divides; `None` if it does not.
    pub division: Option<Division>,
    /// The conditions that say that a divisor is positive, which the line does not say.
    pub assumed: Vec<Condition>,
    /// Whether the line rounds up somewhere, which C does not.
    pub has_ceildiv: bool,
    /// What the line requires to fit in the integers of a program.
    fits: Vec<Term>,
    /// What it says of divisors that are not positive, where its system divides by them: a rule for each combination of
    /// signs that its conditions allow.
    pub below: Vec<Rule>,
}

/// Reads the lines of a text. Comments, and code between the lines, are passed over.
///
/// What divisors are positive is proved within the budget; what is not proved is assumed.
#[must_use]
pub fn read(text: &str, budget: &Budget) -> Vec<Line> {
    let (cleaned, found) = lines::find(text);
    let stated = |found: &lines::Found| {
        let claims = claims::claims(&cleaned, found)?;
        Ok(claims
            .into_iter()
            .map(|claim| divisors::with_assumed(claim, budget))
            .collect())
    };
    let line = |found: lines::Found| Line {
        system: found.system,
        text: flat(&text[found.span.clone()]),
        says: stated(&found),
        span: found.span,
    };
    found.into_iter().map(line).collect()
}

/// On one line, without comments.
fn flat(text: &str) -> String {
    let lines = text.lines().enumerate();
    let lines = lines.map(|(number, line)| match number {
        0 => line, // `//` may divide
        _ => line.split("//").next().unwrap_or(""),
    });
    let words = lines.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}
