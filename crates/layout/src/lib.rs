//! Layouts as maps: the positions of array elements in memory, in XLA's and in CuTe's notation.

pub mod cute;
pub mod memory;
