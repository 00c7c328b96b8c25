//! Positions of an array's elements in memory: layouts and tilings as index maps.
//!
//! A [`Placement`] is the memory layout of a shape such as `f32[3,5]{1,0:T(2,2)}`: the number of positions, the
//! position of each element ([`Placement::position`]) and the element at each position ([`Placement::element`]), each
//! an [`IndexingMap`]. A position counts elements from the start of the array.
//!
//! Laws: `position` is injective; `element` is its inverse; a position outside the domain of `element` is padding.
//! Sources: XLA, *Shapes and layout* and *Tiled layout*. Here `*` in tiles and repeated tiles always have the meaning that the
//! second page defines.
//!
//! ```
//! use affinor_hlo as hlo;
//! use affinor_layout::memory::Placement;
//!
//! let shape = hlo::read_shape("f32[3,5]{1,0:T(2,2)}")?;
//! let placement = Placement::new(shape.as_array().unwrap())?;
//! assert_eq!(placement.position().eval(&[2, 3]), Ok(vec![17]));
//! assert_eq!(placement.element().eval(&[17]), Ok(vec![2, 3]));
//! assert_eq!(placement.physical_sizes(), [2, 3, 2, 2]);
//! # Ok::<(), affinor::text::Error>(())
//! ```
//!
//! Modules in dependency order: `level` (one tile), `step` (a tile, the order or the line, as maps), [`Placement`], `format` (the
//! common formats), `words`.
//!
//! [`IndexingMap`]: affinor::expr::IndexingMap

mod format;
mod level;
mod placement;
mod step;
mod words;

pub use format::{FORMATS, Format, FormatChoice, choose};
pub use level::{Condition, Group, Level};
pub use placement::{Placement, strides};
pub use step::Step;
pub use words::{dimension_letters, memory_space_name, order_in_words};
