//! CuTe layouts whose sizes have names, `(160,n):(1,160)`: their operations, for all values of the names from 1 on.
//!
//! Sizes and strides are products of a number and names, so that one divides the other for all values or it is not known
//! to. CuTe's rules propose; their proposals are proved with the maps of both sides, which have the names as parameters.

mod algebra;
mod inverse;
mod layout;
mod parse;
mod size;

pub use algebra::{coalesce, complement, compose, divide, flatten, group, product, same_elements};
pub use inverse::{left_inverse, right_inverse};
pub use layout::NamedLayout;
