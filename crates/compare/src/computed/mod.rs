//! Whether two modules compute the same from the elements that they read.
//!
//! Law: of [`Verdict::Same`], each element of one result is made by the same operations, of the same elements of the parameters
//! and the same constants, as the element at its index of the other, whatever the values of the parameters. Operations that only
//! move elements do not count. Operands that commute may stand in either order, and sums and other folds take their elements in any
//! order, as XLA does. [`Verdict::Differs`] names two instructions at matching places that are different functions of the same
//! operands, or different constants; values that operands never take, and what follows, may hide it. Neither is found where
//! programs are written otherwise (`x * 2` for `x + x`): nothing is simplified here.
//!
//! Modules in dependency order: `verdict`, `constant` (literals as values), `alike` (one operation or another), `runtime` (reads
//! that depend on values known only at run time), `frames` (computations that are entered), `parts` and `folded` (records), and the
//! steps of the comparison: `values` (where it starts), `deep` (where it goes on), `leaves` (the sources of copied elements),
//! `indices` (at which places), `regions`, `called` (functions of elements), `operations`, `sums`, `heights` (which of these are worth it), `folds`,
//! `nested_folds` and `loops`.

mod alike;
mod called;
mod constant;
mod deep;
mod folded;
mod folds;
mod frames;
mod heights;
mod identities;
mod indices;
mod leaves;
mod loops;
mod nested_folds;
mod operations;
mod orders;
mod parts;
mod regions;
mod runtime;
mod scatters;
mod split;
mod sums;
mod values;
mod verdict;
mod worked_out;

pub use runtime::Runtime;
pub use values::Computed;
pub use verdict::{Difference, Verdict};
