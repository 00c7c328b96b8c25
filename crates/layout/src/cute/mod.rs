//! CuTe layouts, `(shape):(stride)` with nested modes and swizzles, as maps.
//!
//! A layout maps a coordinate to an offset. The top-level modes are the dimensions; the index of a mode with sub-modes
//! is a number whose digits, the first sub-mode fastest, are the indices of the sub-modes. A swizzle moves offsets by
//! xor of bits; `a xor b` of two bits is `(a + b) mod 2`, so a swizzled layout is quasi-affine too.
//!
//! Source: CUTLASS, *CuTe Layouts* and *Swizzle* (`swizzle.hpp`). Strides are integers; `E<..>` bases, strides of other
//! types and layouts over other layouts are not supported.
//!
//! ```
//! use affinor_layout::cute::Layout;
//!
//! let layout = Layout::read("((2,2),4):((1,8),2)")?;
//! assert_eq!(layout.sizes(), [4, 4]);
//! assert_eq!(layout.map().eval(&[3, 1]), Ok(vec![1 + 8 + 2]));
//! # Ok::<(), affinor::text::Error>(())
//! ```
//!
//! Modules in dependency order: `mode`, `offsets` (the map), `layout`, `token` and `parse` (the text), `tiled` (a tiled array as
//! such a layout), `claim` (the justification of an answer), `algebra` (composition, complement, division, product, inverses; the
//! layout of a map), `named` (the same for sizes with names).

pub mod algebra;
mod claim;
mod layout;
mod mode;
pub mod named;
mod offsets;
mod parse;
mod tiled;
mod token;

pub use claim::{Claim, together};
pub use layout::Layout;
pub use mode::{Mode, Swizzle};
pub use offsets::Offsets;
pub use parse::Tiler;
pub use tiled::of_placement;
