//! The maps of ops and of whole computations: their texts, against definitions, and against what running programs shows.

#[path = "../support/mod.rs"]
mod support;

mod agreement;
mod custom;
mod definitions;
mod fusions;
mod inverse;
mod known;
mod measured;
mod ops;
mod pairing;
mod refused;
mod stages;
mod state;
