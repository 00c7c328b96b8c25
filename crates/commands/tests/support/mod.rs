//! The shared code of the commands' tests, on top of that of the tests of maps.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

#[path = "../../../../tests/support/golden.rs"]
pub mod golden;
pub mod lines;
#[path = "../../../../tests/support/measured.rs"]
pub mod measured;
pub mod memory;
#[path = "../../../../tests/support/random.rs"]
pub mod random;
pub mod talk;
