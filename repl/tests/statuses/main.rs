//! How the program ends, and what it says of bad input.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod shell;
mod statuses;
mod whole_files;
