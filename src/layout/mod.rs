//! Layouts as maps: where the elements of an array lie in memory, as XLA and as CuTe write it.

pub mod cute;
pub mod memory;
