//! Maps as code: compiled, run and read back, and compared with the maps at their points.

#[path = "../support/mod.rs"]
mod support;

mod arith;
mod drawn;
mod running;
mod words;
