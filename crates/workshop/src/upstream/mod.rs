//! Rules of other systems, as their lists have them: read, stated in the grammar of rules here, judged.
//!
//! ```text
//! rewrite((x / c0) / c2, x / fold(c0 * c2), c0 > 0 && c2 > 0)                                       Halide
//! TVM_TRY_REWRITE_IF(floordiv(floordiv(x, c1), c2), floordiv(x, c1 * c2), c1.Eval()->value > 0 ..)  TVM
//! (x mod a) floordiv a -> 0 if a > 0                                                                plain, as MLIR's
//! ```
//!
//! In order: `division` says how systems divide, `lines` finds the lines of a text, `arithmetic` and `formula` read their sides
//! and conditions, `claims` states them, `divisors` adds what the grammar asks of divisors, `judgement` judges, with
//! `hints`.
//!
//! Law: a line is true of all integers, as its system reads it, if and only if all its statements are, at positive divisors;
//! what the system says of others is stated beside them. What cannot be said so is an error, at the word that it fails at.

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
    /// The system whose notation it has.
    pub system: System,
    /// The line on one line, with single spaces.
    pub text: String,
    /// Where it stands in the text that was read.
    pub span: Span,
    /// What it says, one rule for each case; or why it cannot be said, at a position of the text that was read.
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
    /// Finds the lines of a text. Comments, and code between the lines, are passed over.
    #[must_use]
    pub fn of(text: &'t str) -> List<'t> {
        let (cleaned, found) = lines::find(text);
        List { text, cleaned, found }
    }

    /// How many lines there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Reads the line with this number, from 0. What divisors are positive is proved within the budget; what is not proved
    /// is assumed.
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
