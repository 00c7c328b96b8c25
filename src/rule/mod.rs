//! Rules as data: named equations between terms, with side conditions.
//!
//! A rule is written once, in `rules/*.rules`. The simplifier fires the same [`Rule`] that the prover judges; nothing
//! else in the program restates it.
//!
//! Only its equation and its conditions decide whether a rule is true. The hints `split` and `let` guide matching: a
//! wrong hint loses simplifications, never correctness, because the match is exact and the conditions are checked. The
//! hints `multiply` and `cases` guide the proof: a wrong one can lose a proof, never make one.

mod check;
mod eval;
mod examples;
mod firings;
mod infer;
pub mod matching;
mod parse;
mod read;
mod role;
mod set;
pub mod sources;
pub mod terms;
mod two_sided;
mod types;
pub mod verify;
mod write;

pub use check::rule as check_firing;
pub use eval::{NoValue, Point, Truth, Values};
pub use examples::{example_of, examples};
pub use firings::Firings;
pub use parse::PARTS;
pub use read::{read_rule, read_rules, read_term};
pub use role::{Role, SESSION, SESSION_LAWS};
pub use set::{RuleId, RuleSet};
pub use two_sided::TwoSided;
pub use types::{Condition, Relation, Rule, Slot, Split, Statement, Term};
pub use write::Notation;
