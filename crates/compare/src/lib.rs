//! Compares the reads of two sides.
//!
//! [`agreement`] compares the maps of an instruction with the definition of its op, or with other maps. [`pairing`]
//! compares the reads of two modules, step by step; [`computed`], the values that they compute; `unrolled` writes their loops out.

pub mod agreement;
pub mod computed;
pub mod pairing;
mod unrolled;

pub use unrolled::unrolled;
