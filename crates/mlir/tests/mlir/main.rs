//! Reading of StableHLO: what ops become, what is refused and where, and that no text makes the reader panic.

mod dialects;
mod forms;
mod mutated;
mod ops;
mod page;
mod refused;
