//! Judges rules: is a named equation true for all integers inside its conditions?
//!
//! The sizes, divisors and bounds of a rule are variables like any other, so one proof covers all of them. A
//! [`Verdict`] is *proved*, *refuted* by a point that anybody can evaluate, or *unknown* with the reason; no verdict is
//! folded into another.
//!
//! A rule becomes an `obligation` over polynomials; [`products`](crate::prove) reduces it to linear integer arithmetic,
//! and prints that as the script that a solver decides. `unsat` is a proof. A model is not a counterexample: those come from
//! [`search`](counterexample) and from a solver asked about the rule as stated, and are re-evaluated by
//! [`Rule::truth`](crate::rule::Rule::truth) before they are shown.
//!
//! The trusted base of a proof: `obligation`, the functions of `prove::products` that it uses, and one of the solvers.

mod int64;
mod judge;
mod lock;
mod lock_changes;
mod machine;
mod native;
mod obligation;
mod order;
mod points;
mod search;
mod source;
mod steps;
mod subsume;
#[cfg(test)]
mod tests;

pub use int64::{Overflow, is_bounded, overflow, overflow_of, wrapped, wrapped_value};
pub use judge::{BUDGET, Condition, Report, Verdict, check, is_vacuous, judge, obligations};
pub use lock::{Entry, Lock, entry, hashed_text, rule_hash, scripts_hash, sha256};
pub use lock_changes::Change;
pub use machine::{truncated, truncating};
pub use native::script as native_script;
pub use order::{Descent, descent};
pub use points::Draw;
pub use search::{counterexample, inside, soon_found};
pub use source::Source;
pub use steps::{Cases, Fact, Step, steps};
pub use subsume::{subsumed_by, subsumes};
