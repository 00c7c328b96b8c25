//! Integer points of linear constraints: the bounds of a sum, the points that attain them, and the number of points.
//!
//! Branch and bound over fractions (`simplex`), after the equations are solved and coordinates are chosen such that few integers
//! lie in most directions (`coordinates`). Every answer is exact, or `None` if a number did not fit in 128 bits or the fuel was
//! spent.
//!
//! Files in dependency order: `ratio`, `system`, `simplex`, `coordinates`, `number`, `polytope` (rows alone), `optimum` (with
//! choices).

mod coordinates;
mod number;
mod optimum;
mod polytope;
mod ratio;
mod simplex;
mod system;

pub use optimum::Optimum;
pub use system::{Row, System};
