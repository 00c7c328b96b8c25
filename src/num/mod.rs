//! Integers with the semantics of the whole project: checked arithmetic, closed intervals, sums; steps of work, and threads
//! to share it.

mod fuel;
mod integer;
mod interval;
pub(crate) mod lattice;
pub mod parallel;
pub mod polynomial;
mod product;
pub mod sign;
mod sum;

pub use fuel::{Fuel, Interrupt, Stopped};
pub use integer::{ceildiv, extended_gcd, floordiv, gcd, gcd_wide, lcm, modulo};
pub use interval::{Interval, MINUS_INFINITY, PLUS_INFINITY};
pub use product::product;
pub use sum::{Coefficient, Sum, Summand, Summands};
