//! Decides queries about concrete maps: are two maps equal, is a domain empty, are bounds tight?
//!
//! Every answer is a [`Verdict`]: proved, refuted by a point that anybody can check, or unknown with the reason. No
//! verdict is folded into another. Work is bounded by numbers of points and solver steps (a [`Budget`]), never by time,
//! so verdicts are reproducible.
//!
//! Methods, cheap ones first: structural equality; enumeration of a small box; linear forms; sample points likely to
//! refute; Z3, if the feature `z3` is on. Every counterexample is evaluated by [`crate::expr::Expr::eval`] before it is
//! shown.
//!
//! The trusted base of a proof: `tape` and `enumerate` if all points were tried; `forms`, `bounds` and `quotient`,
//! whose heads state their laws, if forms were equal; these, `encode` and Z3 otherwise. Nothing of the simplifier is
//! used.
//!
//! Maps that multiply or divide by sizes with names have no linear forms: `named` compares them for all sizes, by
//! obligations as those of rules are (`products`).
//!
//! In order: `verdict`, `budget`, `how`; `tape`, `enumerate`, `sample`, `sides`, `values` (points); `linear`, `forms`, `bounds`,
//! `quotient` (forms), `residues`, `boundary`; `problem`, `z3`, `solver`, `answers`, `encode`, `witness`, `obligations` (the solver); `products`, `named`; then the
//! queries: `extremes`, `fits`, `sized`, `emptiness`, `inclusion`, `functions`, `tightness`, `equations` and `cover`, `reads_by_size`, `reads`.
//!
//! ```
//! use affinor::prove::{Budget, Verdict, equal_functions};
//! use affinor::text::parse_map;
//!
//! let left = parse_map("affine_map<(x) -> ((x floordiv 4) floordiv 3)>").unwrap();
//! let right = parse_map("affine_map<(x) -> (x floordiv 12)>").unwrap();
//! assert_eq!(equal_functions(&left, &right, &Budget::default()), Ok(Verdict::Proved));
//! ```

mod answers;
mod blocks;
mod boundary;
mod bounds;
mod budget;
mod cover;
mod digits;
mod emptiness;
mod encode;
mod enumerate;
mod equations;
mod extremes;
mod fits;
mod forms;
mod functions;
mod how;
mod inclusion;
mod linear;
mod named;
mod obligations;
mod problem;
pub mod products;
mod quotient;
mod reads;
mod reads_by_size;
mod residues;
mod sample;
mod sides;
mod sized;
mod solver;
mod tape;
#[cfg(test)]
mod tests;
mod tightness;
mod values;
mod verdict;
mod witness;
#[cfg(feature = "z3")]
mod z3;

pub use answers::Answers;
pub use blocks::covered_by_points;
pub use budget::Budget;
pub use cover::{Reader, covered, disjoint};
pub use digits::split_ranges;
pub use emptiness::is_empty;
pub use extremes::{Extreme, count_points, extremes, list_points, wide_value_at};
pub use fits::{Fit, fits};
pub use functions::{equal_functions, equal_functions_with_steps};
pub use how::How;
pub use named::Draws;
pub use named::{Wanted, ends, ends_of, extends, is_attained, proposal, sized_points};
pub use problem::TextAnswer;
pub use reads::{equal_reads, reads_all};
pub use reads_by_size::{includes, sizes_of, with_sizes};
pub use sample::points as sample_points;
pub use sized::end_by_size;
pub use solver::decide_text;
pub use tape::{Runner, Tape};
pub use tightness::{Tightness, tightness};
pub use values::{NoValues, values};
pub use verdict::{Counterexample, Reason, Verdict};
