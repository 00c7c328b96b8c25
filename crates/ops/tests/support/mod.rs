//! Support shared by tests of programs, in addition to that of tests of maps.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

pub mod integers;
#[path = "../../../../tests/support/measured.rs"]
pub mod measured;
#[path = "../../../../tests/support/numbers.rs"]
pub mod numbers;
#[path = "../../../../tests/support/random.rs"]
pub mod random;
pub mod reads;
#[path = "../../../../tests/support/symbolic.rs"]
pub mod symbolic;
