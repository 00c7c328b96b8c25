//! Commands run through the library: a host in memory, one session, no process.

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod between;
mod certificates;
mod code_values;
mod corpus;
mod diff;
mod diff_algebra;
mod diff_choices;
mod diff_dump;
mod diff_regrouped;
mod diff_rewrites;
mod diff_samples;
mod diff_sharded;
mod egraph;
mod entry_pairs;
mod exact_for;
mod hlo_values;
mod instruction;
mod layout_certificates;
mod learn;
mod linear;
mod loops;
mod mlir;
mod mlir_chains;
mod mlir_loops;
mod mlir_ops;
mod mlir_views;
mod modules;
mod named_op;
mod numbered_maps;
#[path = "../../../../tests/support/numbers.rs"]
mod numbers;
mod open_sizes;
mod options;
mod own_rules;
mod parallel;
mod pastes;
mod report;
mod rules;
mod sizes;
mod state;
mod swizzles;
mod trees;
mod upstream;
mod upstream_page;
mod vacuous;
mod widths;
