//! Judges rules: is a named equation true for all integers inside its conditions?
//!
//! The sizes, divisors and bounds of a rule are variables like any other, so one proof covers all of
//! them. A [`Verdict`] is *proved*, *refuted* by a point that anybody can evaluate, or *unknown* with the
//! reason; the three are never folded into each other.
//!
//! A rule becomes an `obligation` over polynomials, `lemmas` make it a problem of linear
//! integer arithmetic, `smtlib` writes that as the text which a solver decides. `unsat` is a proof. A model
//! is no refutation: those come from [`search`](counterexample) and from a solver asked about the rule
//! as it is written, and are evaluated by [`Rule::truth`](crate::rule::Rule::truth) before they are shown.
//!
//! To be trusted for a proof: `polynomial`, `obligation`, `lemmas`, `smtlib`, and one of the solvers.

mod judge;
mod lemmas;
mod lock;
mod lock_changes;
mod machine;
mod native;
mod obligation;
mod order;
mod points;
mod polynomial;
mod search;
mod smtlib;
mod subsume;
#[cfg(test)]
mod tests;

pub use judge::{BUDGET, Condition, Report, Verdict, check, judge, obligations};
pub use lock::{Entry, Lock, entry, hashed_text, proved_rules, rule_hash, scripts_hash, sha256};
pub use lock_changes::Change;
pub use machine::truncating;
pub use native::script as native_script;
pub use order::{Descent, descent};
pub(crate) use points::Draw;
pub use search::{counterexample, inside};
pub use subsume::{subsumed_by, subsumes};
