//! Integers with the semantics of the whole project: checked arithmetic, closed intervals, sums; steps of work, and threads
//! to share it.
//!
//! An [`Interval`]:
//!
//! ```
//! use affinor_maps::num::Interval;
//!
//! let bytes = Interval::of_size(256);
//! assert_eq!(bytes, Interval::new(0, 255));
//! assert_eq!(bytes.scale(-1).floordiv(16), Interval::new(-16, 0));
//! assert_eq!((bytes.count(), Interval::at_least(0).count()), (Some(256), None));
//! assert!(bytes.intersect(Interval::new(300, 400)).is_empty());
//! ```

mod fuel;
mod integer;
mod interval;
pub mod lattice;
pub mod parallel;
pub mod polynomial;
mod product;
pub mod sign;
pub mod sources;
mod sum;
pub mod wide;

pub use fuel::{Fuel, Interrupt, Stopped};
pub use integer::{ceildiv, extended_gcd, floordiv, gcd, gcd_wide, lcm, modulo};
pub use interval::{Interval, MINUS_INFINITY, PLUS_INFINITY};
pub use product::product;
pub use sum::{Coefficient, Sum, Summand, Summands};
