//! Support shared by tests, which those of other crates also use.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

#[path = "../../../../tests/support/random.rs"]
pub mod random;
#[path = "../../../../tests/support/symbolic.rs"]
pub mod symbolic;
