//! Answers about code, judged by running the code: nothing here is shared with the reader of code.

#[path = "../support/mod.rs"]
mod support;

mod accesses;
mod asked;
mod draw;
mod examples;
mod grow;
mod indices;
mod judge;
mod kernels;
mod not_read;
mod notations;
mod pieces;
mod questions;
mod renamed;
mod running;
mod seen;
mod shaped;
mod texts;
mod tree;
mod truth;
mod typed;
mod users;
