//! Maps on their own: their text, values and inverses.

#[path = "../support/mod.rs"]
mod support;

mod bits;
mod inverse;
mod isl_conditions;
mod large;
mod render;
mod symbolic;
mod term_text;
mod text;
mod text_errors;
mod text_isl;
mod text_laws;
mod trees;
