//! The cost of a GPU's memory accesses by warps: transactions of global memory, bank conflicts of shared memory.
//!
//! A map gives the element that each thread accesses, and a layout its position. Composed they map threads to
//! positions; a [`Grid`] specifies which variables number the threads of a block. 32 threads with consecutive numbers
//! are a warp (`lane = thread mod 32`), and the elements that its lanes access together are an *access*: there is
//! one for each warp and for each value of the variables that are neither threads nor vector elements. A [`Measure`] defines
//! its cost and its ideal cost:
//!
//! * transactions: the number of aligned segments (32 bytes each, say) that the bytes of the access touch; ideal is the
//!   number of those bytes in segments, rounded up. Source: NVIDIA, *CUDA C++ Best Practices Guide*, "Coalesced Access
//!   to Global Memory": as many 32-byte transactions as are necessary to serve all threads of the warp.
//! * banks: the maximum number of distinct words in one bank; ideal is an even distribution of the words. Source: the
//!   same, "Shared Memory and Memory Banks": 32 banks, successive 32-bit words lie in successive banks, threads that
//!   access the same word are served together.
//!
//! A lane for which the map has no value is inactive. All elements of a lane's vector belong to one access. Hardware may split
//! wide accesses (16 bytes per lane from shared memory are served eight lanes at a time); model this by a [`Grid`] with warps
//! of eight lanes. Caches, alignment faults and the order of warps are not modelled. The array begins at address 0, or at the
//! given offset.
//!
//! Accesses are classified only as finely as needed: one of each class is evaluated and multiplied by the size of the
//! class, so the answer is exact for a grid of any size if its map is regular. The law is that of `shift`: when a
//! variable grows by its period, all positions move by the same whole number of segments. An answer states its
//! [`Coverage`].
//!
//! Modules in dependency order: `shift` (variables that shift all positions alike), `warp` (from threads to warps and lanes),
//! `pieces` (boxes in which a constraint holds for all lanes, or for some), `measure` (the cost of one access), `look`
//! (evaluates accesses one by one), `sums` (adds up costs), `classes` (chooses the accesses to evaluate), `count` (the answer),
//! `vector` (accesses of several lanes as one), `walk`, `reduction` and `preset` (common maps of threads).

mod classes;
mod count;
mod look;
mod measure;
mod pieces;
mod preset;
mod reduction;
mod shift;
mod sums;
mod vector;
mod walk;
mod warp;

pub use classes::MOST_ELEMENTS;
pub use count::{Cost, Worst, cost};
pub use measure::{Measure, Memory};
pub use preset::{PRESETS, Preset};
pub use sums::Coverage;
pub use vector::{Less, Reason, Vectors, vectors};
pub use walk::Walk;
pub use warp::Grid;
