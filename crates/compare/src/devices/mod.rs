//! A module that is compiled for several devices, as one program on whole arrays.
//!
//! Law: the returned programs have the parameters of the old module, which are whole arrays, and compute its results. The new
//! program does the work of all devices: each begins with its parts of the parameters, as the shardings state, and the results are
//! put together from the parts of all devices. Copies of a result on several devices are results of their own, so that all of
//! them are compared.
//!
//! Only arrays that are divided evenly are parameters of such a program, and only modules of one replica are rewritten. A sum over
//! devices is one fold over the elements of all devices, in some order, as in XLA.
//!
//! Modules in dependency order: `sharding` (which part a device holds), `mesh` (the same, as Shardy writes it), `lines` (the text
//! of a program), `parts` (parts of arrays, and arrays of parts), `sums` (over devices), `collectives`, `program` (the
//! instructions of all devices), `loops` and `results`.

mod collectives;
mod lines;
mod loops;
mod mesh;
mod parts;
mod program;
mod results;
mod sharding;
mod sums;

pub use results::{Whole, on_whole_arrays};
