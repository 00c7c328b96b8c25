//! Maps as code: compiled, run and read back, and compared with the maps at their points.

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod arith;
mod bits;
mod drawn;
mod fits;
mod powers;
mod running;
mod words;
