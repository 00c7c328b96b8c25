//! Sessions as they are written down, in files and on pages: run, and compared.

#[path = "../support/mod.rs"]
mod support;

mod link;
mod readme;
mod tasks;
mod transcripts;
