//! Rules: their files, what is proved and refuted of them, and what they match.

#[path = "../support/mod.rs"]
mod support;

mod bad;
mod compiled;
mod discovered;
mod files;
mod learnt;
mod matching;
mod needed;
mod ops;
mod refuted;
mod taken_out;
mod upstream;
mod verify;
