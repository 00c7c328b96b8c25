//! CuTe layouts whose sizes have names, `(160,n):(1,160)`: their operations, for all values of the names from 1 on, or for those
//! that satisfy conditions stated in the answer.
//!
//! Sizes and strides are products of a number, names, quotients and sums, so that one divides the other for all values, or is not
//! known to. CuTe's rules propose answers; these are proved with the maps of both sides, which have the names as parameters.

mod algebra;
mod by_modes;
mod claims;
mod common;
mod complement;
mod compose;
mod conditional;
mod given;
mod instance;
mod inverse;
mod layout;
mod ordered;
mod parse;
mod proposal;
mod recast;
mod recognise;
mod size;
mod tiler;

pub use algebra::{coalesce, flatten, group, same_elements};
pub use claims::Relation;
pub use common::max_common;
pub use conditional::{Conditional, conditional, unconditional};
pub use given::Condition;
pub use inverse::{left_inverse, right_inverse};
pub use layout::NamedLayout;
pub use proposal::Operation;
pub use recognise::recognise;
pub use tiler::NamedTiler;
