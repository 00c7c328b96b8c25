//! The HLO reader on real modules and broken texts: a module that is printed and read again has the same maps.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has found a fault")]

mod broken;
mod implied;
mod modules;
mod mutations;
mod written;
