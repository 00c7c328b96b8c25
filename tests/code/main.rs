//! What is answered about code, judged by running the code: nothing here is shared with what reads it.

#[path = "../support/mod.rs"]
mod support;

mod draw;
mod grow;
mod judge;
mod pieces;
mod questions;
mod tree;
mod truth;
mod typed;
mod users;
