//! The HLO reader against real modules, XLA's reading of shapes, snippets, and broken texts; and XLA's own maps.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has found a fault")]

mod access;
mod broken;
mod implied;
mod limits;
mod modules;
mod mutations;
mod shapes;
mod snippets;
mod written;
mod xla;
