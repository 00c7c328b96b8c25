//! Compares the reads of two sides.
//!
//! [`agreement`] compares the maps of an instruction with the definition of its op, or with other maps. [`pairing`] compares the
//! reads of two modules, step by step, and [`computed`] the values that they compute. `unrolled` unrolls their loops,
//! `expanded` expands operations as compilers do, and `devices` writes the work of several devices as one program.

pub mod agreement;
pub mod computed;
mod devices;
mod expanded;
pub mod pairing;
mod unrolled;

pub use devices::{Whole, on_whole_arrays};
pub use expanded::expanded;
pub use unrolled::unrolled;
