//! Proofs of rules: what is proved, what is refuted, what the lock says, and what happens to false rules.

mod judged;
mod laws;
mod lock;
pub mod mutants;
mod mutations;
