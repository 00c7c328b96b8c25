//! The maps of ops and of whole computations: their texts, compared with definitions, and with measurements of running
//! programs.

#[path = "../support/mod.rs"]
mod support;

mod bounded;
mod choices;
mod fusions;
mod inverse;
mod measured;
mod refused;
mod rooted;
mod scans;
mod stages;
mod state;
mod unrolled;
