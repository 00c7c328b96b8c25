//! Arrays in memory: layouts and tilings, what is left of them in maps, and what accesses of warps cost.

mod access;
mod bitcasts;
mod decompose;
mod memory;
mod pictures;
