//! Which values of two modules read the same of their parameters, found and proved step by step.
//!
//! Law: arrays of one *class* have equally many elements, and each one reads the same elements of the parameters as the one at the
//! same place in row-major order of the others, whatever the values of the parameters. Parameters with one number are of one
//! class. Two arrays read the same if they read the same elements of
//! arrays of the same classes, through instructions between that have exact maps; that is a question about few maps, however
//! large the modules are. Arrays that loops make are of one class by induction (`loops`).
//!
//! Candidates for a class are arrays with equally many elements that depend on the same classes. A pair that is not proved stays apart:
//! what reads it is compared through it. Nothing is refuted here.

mod classes;
mod level;
mod loops;
mod matching;

mod values;

pub use classes::Pairing;
