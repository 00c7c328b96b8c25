//! The HLO reader against real modules and broken texts: the maps of a module that was printed and read are the same.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has found a fault")]

mod broken;
mod implied;
mod modules;
mod mutations;
mod written;
