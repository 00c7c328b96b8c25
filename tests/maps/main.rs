//! Maps on their own: their text, reads, inverses, and verdicts about them.

#[path = "../support/mod.rs"]
mod support;

mod bits;
mod extremes;
mod inverse;
mod isl_conditions;
mod prove;
mod render;
mod symbolic;
mod term_text;
mod text;
mod text_errors;
mod text_isl;
mod text_laws;
mod trees;
