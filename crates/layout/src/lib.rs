//! Layouts as maps: the positions of array elements in memory, in XLA's and in CuTe's notation, and Triton's layouts over bits.

mod cursor;
pub mod cute;
pub mod linear;
pub mod memory;
