//! The HLO reader, compared with snippets, XLA's reading of shapes, and large texts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has found a fault")]

mod access;
mod limits;
mod shapes;
mod snippets;
