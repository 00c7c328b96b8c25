//! Rules that are learned, discovered, and read from other systems.

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod discovered;
mod learnt;
mod theorems;
mod upstream;
