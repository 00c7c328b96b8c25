//! Maps on their own: their text, reads, inverses, and verdicts about them.

#[path = "../support/mod.rs"]
mod support;

mod extremes;
mod prove;
