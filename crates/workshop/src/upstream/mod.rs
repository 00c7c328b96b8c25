//! Rules of other systems: parsed from their lists, stated in the grammar of rules, and judged.
//!
//! ```text
//! rewrite((x / c0) / c2, x / fold(c0 * c2), c0 > 0 && c2 > 0)                                       Halide
//! TVM_TRY_REWRITE_IF(floordiv(floordiv(x, c1), c2), floordiv(x, c1 * c2), c1.Eval()->value > 0 ..)  TVM
//! (x mod a) floordiv a -> 0 if a > 0                                                                plain, as MLIR's
//! ```
//!
//! In order: `division` defines the systems' divisions, `lines` finds the lines of a text, `arithmetic` and `formula` read their
//! sides and conditions, `claims` states them, `divisors` adds the conditions that the grammar requires of divisors, `judgement`
//! judges, with `hints`.
//!
//! Law: a line is true of all integers, as its system reads it, if and only if all its statements are, at positive divisors; the
//! system's definition for other divisors is stated separately. A line that cannot be stated this way is an error, at the word
//! that prevents it.

mod arithmetic;
mod claims;
mod division;
mod divisors;
mod formula;
mod hints;
mod judgement;
mod lines;
mod stated;

pub use division::Division;
pub use judgement::{Below, Judgement};
pub use lines::System;
pub use stated::Stated;

use affinor::prove::Budget;
use affinor::text::{Error, Span};

/// A line of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The system whose notation the line uses.
    pub system: System,
    /// The line on one line, with single spaces.
    pub text: String,
    /// The line's position in the text that was read.
    pub span: Span,
    /// The line's statements, one rule for each case; or the reason why it cannot be stated, at a position of the text that was
    /// read.
    pub says: Result<Vec<Stated>, Error>,
}

/// The lines of a list, before they are read.
pub struct List<'t> {
    text: &'t str,
    /// The text without comments, at the same positions.
    cleaned: String,
    found: Vec<lines::Found>,
}

impl<'t> List<'t> {
    /// Finds the lines of a text. Skips comments, and code between the lines.
    #[must_use]
    pub fn of(text: &'t str) -> List<'t> {
        let (cleaned, found) = lines::find(text);
        List { text, cleaned, found }
    }

    /// Returns the number of lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns whether the list has no lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Reads the line with this number, from 0. Proves within the budget that its divisors are positive, and assumes it for the
    /// others.
    #[must_use]
    pub fn line(&self, number: usize, budget: &Budget) -> Option<Line> {
        let found = self.found.get(number)?;
        let claims = claims::claims(&self.cleaned, found);
        let stated = |claim| divisors::with_assumed(claim, budget);
        Some(Line {
            system: found.system,
            text: flat(&self.text[found.span.clone()]),
            span: found.span.clone(),
            says: claims.map(|claims| claims.into_iter().map(stated).collect()),
        })
    }
}

/// Reads all lines of a text.
#[must_use]
pub fn read(text: &str, budget: &Budget) -> Vec<Line> {
    let list = List::of(text);
    let lines = (0..list.len()).filter_map(|number| list.line(number, budget));
    lines.collect()
}

/// Joins the text into one line, without comments.
fn flat(text: &str) -> String {
    let lines = text.lines().enumerate();
    let lines = lines.map(|(number, line)| match number {
        0 => line, // here `//` may be a division
        _ => line.split("//").next().unwrap_or(""),
    });
    let words = lines.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}
