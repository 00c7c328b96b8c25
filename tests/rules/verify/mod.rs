//! Proofs of rules: proved and refuted rules, the lock, and mutated rules.

mod judged;
mod laws;
mod lock;
pub mod mutants;
mod mutations;
