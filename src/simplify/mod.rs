//! The simplifier: turns an index map into a map that is equal to it on its domain, as small as the rules and the options allow.
//!
//! A *strategy* fires the rules that usually win: the import cancels, the division rules normalize, the search proposes
//! forms. Then an e-graph is seeded with its result, and the rules fire in it (`saturate`). Passes repeat to a
//! fixpoint.
//!
//! Laws, tested on random maps: the result has the same value at every point of the domain, and the same domain;
//! simplifying a result again changes nothing, unless a limit stopped the search; nothing depends on ids, hashes, time
//! or on earlier simplifications.
//!
//! Not done here: proofs of rules and of results (`prove`), and anything that needs a solver.
//!
//! In order: `linear`, `digits`, `table`, `parameters`, `stride`, `store` with `tables`, `min_max_facts`, `names`,
//! `stated_strides`, `ends` (sums, and facts about them); `division_rule`, `program` (the rules); `journal`, `engine`, `options`
//! (the state of one simplification), `terms`, `question` (the rules' view of the state); `import`, `divide`, `min_max`,
//! `min_max_sums` (normal forms); `apart`, `least`, `propose`, `search`, `stride_forms` (small forms); `smaller`, `polish`
//! (saturation of the results); `constant`, `single`, `reduced`, `result`, `constraint`, `replace`, `narrow`, `domains`; `tally`,
//! `simplifier`, the entry point; `shipped` (the simplifier of the shipped rules); `memo`, `certify`, `near` and `egraph`, which
//! use it.

mod apart;
mod certify;
mod constant;
mod constraint;
mod digit_forms;
mod digits;
mod divide;
mod division_rule;
mod domains;
mod egraph;
mod ends;
mod engine;
mod import;
mod journal;
#[cfg(test)]
mod laws;
mod least;
mod linear;
mod memo;
mod min_max;
mod min_max_facts;
mod min_max_sums;
mod named;
mod names;
mod narrow;
mod near;
mod options;
mod parameters;
mod polish;
mod program;
mod propose;
mod question;
mod recombined;
mod reduced;
mod replace;
mod result;
mod samples;
mod saturate;
mod search;
mod shipped;
mod simplifier;
mod single;
mod smaller;
mod stated_strides;
mod store;
mod stride;
mod stride_forms;
mod table;
mod tables;
mod tally;
mod terms;

pub use certify::Certified;
pub use egraph::EGraph;
pub use memo::Memo;
pub use near::{Left, Near, Open};
pub use options::{Effort, Options};
pub use program::{Program, REMAINDER};
pub use saturate::{Class, Picture, Reason, Shown, Union};
pub use simplifier::{Outcome, Simplifier};
pub use tally::Tally;
