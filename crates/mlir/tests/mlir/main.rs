//! Reading of MLIR: the lowering of ops, errors and their positions, and that no text makes the reader panic.

mod forms;
#[path = "../../../../tests/support/golden.rs"]
mod golden;
mod mutated;
mod page;
mod read;
