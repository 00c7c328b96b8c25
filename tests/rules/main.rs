//! Rules: their files, proofs and refutations, and matching.

#[path = "../support/golden.rs"]
mod golden;
#[path = "../support/mod.rs"]
mod support;

mod bad;
mod compiled;
mod files;
mod matching;
mod needed;
mod refuted;
mod taken_out;
mod verify;
