//! Footprints of maps: image, utilisation of operands, tiles, memory accesses of warps.

pub mod access;
pub mod image;
pub mod operands;
pub mod tiling;
pub mod utilisation;
