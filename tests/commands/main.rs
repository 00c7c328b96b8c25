//! Commands through the library: a host in memory, one session, no process.

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod corpus;
mod egraph;
mod instruction;
mod modules;
mod own_rules;
mod rules;
mod sizes;
mod state;
mod trees;
