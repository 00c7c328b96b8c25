//! The values of two modules that have the same reads from their parameters, found and proved step by step.
//!
//! Law: arrays of one *class* have the same number of elements, and elements at the same row-major position read the same
//! elements of the parameters, whatever the values of the parameters. Parameters with the same number are of one class. Two
//! arrays have the same reads if they read the same elements of arrays of the same classes, through instructions in between
//! that have exact maps; this compares few maps, however large the modules are. Arrays that loops produce are of one class by
//! induction (`loops`), and arrays whose reads depend on values by these values (`chosen`).
//!
//! Candidates for a class are arrays with the same number of elements that depend on the same classes. A pair that is not
//! proved gets no class: its users are compared through it. Nothing is refuted here.

mod chosen;
mod classes;
mod level;
mod loops;
mod matching;
mod values;

pub use classes::Pairing;
