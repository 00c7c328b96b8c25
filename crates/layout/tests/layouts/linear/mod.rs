//! Linear layouts over bits, and Triton's attributes.

mod attributes;
mod conversions;
mod laws;
mod pictures;
mod plans;
mod refused;
