//! The algebra of CuTe layouts. The head of each file defines its operation (composition, complement, division, product,
//! inverses), and every answer is checked against that definition before it is returned.
//!
//! Source: CUTLASS, *CuTe Layout Algebra* (`layout.hpp`). If CuTe's static conditions do not hold, the answer is searched for by
//! the definition; if none exists, the refusal names the condition or the element.

mod answer;
mod check;
mod closed;
mod common;
mod complement;
mod compose;
mod digits;
mod divide;
mod flat;
mod inverse;
mod ordered;
mod product;
mod recast;
mod recognise;
mod structure;

pub use answer::{Basis, Made, Refusal};
pub use closed::{inverse_map, left_inverse_map};
pub use common::max_common;
pub use complement::complement;
pub use compose::{compose, compose_by, composed_map, same_elements};
pub use divide::{Arrangement, divide};
pub use inverse::{left_inverse, right_inverse};
pub use product::{Interleaving, product};
pub use recast::recast;
pub use recognise::recognise;
pub(in crate::cute) use structure::grouped;
pub use structure::{coalesce, flatten, group};
