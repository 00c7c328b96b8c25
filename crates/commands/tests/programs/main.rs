//! Answers about programs, compared with runs of these: reads, tiles, utilisation.

#[path = "../../../../tests/support/numbers.rs"]
mod numbers;
#[path = "../support/mod.rs"]
mod support;

mod device_groups;
mod devices;
mod known;
mod loops;
mod pairs;
mod random;
mod spmd;
mod suite;
mod tiling;
mod utilisation;
