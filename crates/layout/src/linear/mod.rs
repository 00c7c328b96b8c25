//! Linear layouts over bits: from registers of lanes of warps to the elements of a tensor that they hold, or from memory to
//! elements.
//!
//! Law: the element of an input is the sum modulo 2 of the bases of its bits, as numbers of elements in row-major order.
//! Modules in dependency order: `elimination`, `span`, `layout`, `algebra`, `shuffle`, `exchange`, `convert`, `map`, `builder`,
//! `attribute` (their texts).

mod algebra;
pub mod attribute;
mod builder;
mod convert;
mod elimination;
mod exchange;
mod layout;
mod map;
mod shuffle;
mod span;

pub use algebra::{Contiguity, Inverse};
pub use convert::{Conversion, Plan, Way};
pub use elimination::Elimination;
pub use exchange::{BANK_BITS, Exchange};
pub use layout::{Input, LinearLayout, MOST_BITS, NotLinear, Output, THREADS};
pub use map::recognised;
pub use shuffle::{Move, Shuffles};
