//! Compares what two sides read.
//!
//! [`agreement`] compares the maps of an instruction with the definition of its op, or with other maps. [`pairing`]
//! compares what two modules read, step by step; [`computed`], what they compute of it.

pub mod agreement;
pub mod computed;
pub mod pairing;
