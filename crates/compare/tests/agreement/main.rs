//! The maps of ops, compared with definitions, laws and XLA's own maps; pairs of modules, compared with each other.

#[path = "../../../ops/tests/support/mod.rs"]
mod support;

mod chosen;
mod custom;
mod judged;
mod known;
mod large_modules;
mod laws_of_ops;
mod loops;
mod loops_stated;
mod named_sizes;
mod ops;
mod pairing;
mod xla;

#[path = "../../../../tests/rules/verify/mutants.rs"]
mod mutants;
