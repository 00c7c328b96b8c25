//! Bindings for the few functions of [Z3](https://github.com/Z3Prover/z3) that `affinor` uses: linear integer arithmetic as
//! terms, and SMT-LIB scripts.
//!
//! The library is not part of the program. It is searched for when the first query is made (see `find.rs`), so a program builds,
//! starts and does everything else without it. All `unsafe` code of the project is in this crate: the types of some fifty C
//! functions in `functions.rs`, and their calls.
//!
//! ```
//! use affinor_z3::{Check, Context, Solver};
//!
//! let context = Context::new()?;
//! let solver = Solver::new(&context, None);
//! let x = context.unknown(0);
//! solver.assert(x.times(context.integer(3)).equal(context.integer(21)));
//! assert_eq!(solver.check(), Check::Satisfiable);
//! assert_eq!(solver.model().and_then(|model| model.value(x)), Some(7));
//! # Ok::<(), &affinor_z3::Missing>(())
//! ```

mod context;
mod find;
mod folders;
mod functions;
mod solver;
#[cfg(test)]
mod tests;

pub use context::{Context, Interrupter, Term};
pub use find::{Missing, look_in, version};
pub use solver::{Check, Model, Solver};

pub(crate) use find::library;
