//! Reading of StableHLO: the lowering of ops, errors and their positions, and that no text makes the reader panic.

mod dialects;
mod forms;
mod mutated;
mod ops;
mod page;
mod refused;
