//! The JSON that programs rely on.

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod arrays;
mod memory_order;
mod questions;
mod rules;
