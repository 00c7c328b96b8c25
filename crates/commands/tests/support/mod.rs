//! What tests of commands share, on top of what tests of maps do.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

#[path = "../../../../tests/support/golden.rs"]
pub mod golden;
#[path = "../../../../tests/support/measured.rs"]
pub mod measured;
pub mod memory;
#[path = "../../../../tests/support/random.rs"]
pub mod random;
pub mod talk;
