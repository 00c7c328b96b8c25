//! Equality saturation: the rules fire, from their text, in an e-graph of egg, until nothing is new or a bound
//! is met, and the smallest form of each root is read out.
//!
//! A round looks for the instances of every rule in every class that changed, establishes their conditions
//! from what is known of classes (their ranges and residues), and makes each left side one with its right
//! side. Sums are kept as sums of classes that are no sums, so that the laws of sums need no rules.
//!
//! Laws: each union is an instance of a rule whose conditions were established, or is arithmetic; the same
//! seeds and bounds give the same result. A search that is cut short says so.
//!
//! In order: `form`, `order`; `size`, `residue`, `node`, `graph` (the e-graph); `rules`, `noted`, `run` (rounds); `picture`.

mod form;
mod graph;
mod node;
mod noted;
mod order;
mod picture;
mod residue;
mod rules;
mod run;
mod size;

pub use form::{Form, FormRef, sum_operations};
pub use noted::Reason;
pub use picture::{Class, Picture, Shown, Union};
pub use rules::{Family, Rewriting, Rewritings};
pub use run::{Fired, Limits, Saturation};
pub use size::{Sizes, size_of};
