//! The exit statuses of the program, and its diagnostics of bad input.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod shell;
mod statuses;
mod whole_files;
