//! What a map touches as a whole: its image, how much of an operand is read and how often, tiles of operands, accesses of warps.

pub mod access;
pub mod image;
pub mod tiling;
pub mod utilisation;
