//! Equality saturation: the rules fire, from their text, in an e-graph of egg, until saturation or a limit, and the
//! smallest form of each root is extracted.
//!
//! A round matches every rule against every class that changed, establishes side conditions from the analysis data (ranges and
//! residues), and merges each left side with its right side. A sum is a node over classes none of which is a sum, so the laws of
//! sums need no rules.
//!
//! Laws: each union is an instance of a rule whose conditions were established, or is arithmetic; the same seeds and
//! limits give the same result. A search that is cut short reports it.
//!
//! In order: `shape`, `form`, `order`; `size`, `residue`, `node`, `graph` (the e-graph); `rules`, `noted`, `run` (rounds);
//! `picture`.

mod form;
mod graph;
mod node;
mod noted;
mod order;
mod picture;
mod residue;
mod rules;
mod run;
mod shape;
mod size;

pub use form::{Form, FormNode, FormRef};
pub use noted::Reason;
pub use order::Measures;
pub use picture::{Class, Picture, Shown, Union};
pub use rules::{Family, Rewriting, Rewritings};
pub use run::{Fired, Limits, Saturated, Saturation};
pub use shape::{sum_operations, written_sum};
pub use size::Sizes;
