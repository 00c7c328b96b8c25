//! Compares the values that two modules compute from the elements that they read.
//!
//! Law: for [`Verdict::Same`], each element of one result is computed by the same operations, from the same elements of the
//! parameters and the same constants, as the element at the same index of the other result, whatever the values of the
//! parameters. Operations that only move elements do not count. The operands of commutative operations may be in either order,
//! and sums and other folds take their elements in any order, as in XLA. [`Verdict::Differs`] names two instructions at matching
//! places that are different functions of the same operands, or different constants; the difference may be invisible for values
//! that the operands never take, or because of later operations. Programs in another form are the same by the laws that the
//! modules below state: integers wrap and are compared as polynomials (`x * 2` and `x + x`), maxima take their operands in any
//! grouping; of other forms, neither is found.
//!
//! Modules in dependency order: `verdict`, `constant` (literals as values), `alike` (equality of operations), `runtime` (reads
//! that depend on values known only at run time), `frames` (entered computations), `parts` and `folded` (records), `questions`
//! (the arrays and spaces that were compared), and the steps of the comparison: `values` (the start), `deep` (its continuation
//! at depth), `leaves` (the sources of copied elements), `choices` (selections by known masks), `cells` (box by box), `indices`
//! (the places of reads), `regions`, `called` (functions of elements), `operations`, `truths` (negations), `hoisted`
//! (operations on selections), `extremes`, `polynomials`, `sums`, `counters` (of loops, in sums), `heights` (a filter for
//! these), `folds`, `nested_folds`, `sorts`, `numbers` and `loops`. Samples of values, which rule out comparisons or show a
//! difference, are in `reals`, `sample_parts`, `samples` and `sampled`.

mod alike;
mod called;
mod cells;
mod choices;
mod constant;
mod counters;
mod deep;
mod extremes;
mod folded;
mod folds;
mod frames;
mod heights;
mod hoisted;
mod identities;
mod indices;
mod leaves;
mod loops;
mod nested_folds;
mod numbers;
mod operations;
mod orders;
mod parts;
mod polynomials;
mod questions;
mod reals;
mod regions;
mod runtime;
mod sample_parts;
mod sampled;
mod samples;
mod scatters;
mod sorts;
mod split;
mod sums;
mod truths;
mod values;
mod verdict;
mod worked_out;

pub(crate) use alike::{combiner, is_function};
pub(crate) use nested_folds::may_be_repeated;
pub use runtime::Runtime;
pub(crate) use scatters::ReadAlike;
pub use values::Computed;
pub use verdict::{Difference, Verdict};
