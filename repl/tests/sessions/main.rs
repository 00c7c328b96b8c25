//! Sessions recorded in files and on pages are run, and compared with the record.

#[path = "../support/mod.rs"]
mod support;

mod link;
mod readme;
mod tasks;
mod transcripts;
