//! Code shared by tests.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

pub mod cases;
pub mod chains;
pub mod random;
pub mod rule_texts;
pub mod symbolic;
