//! Rules: their files, what is proved and refuted of them, and what they match.

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
