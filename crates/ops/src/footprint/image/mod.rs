//! The image of a map: number of points and elements, bounding box, multiplicity.
//!
//! A map is a function of all its variables: range and runtime variables take all their values, as its dimensions do. (To ask
//! about a single value of a runtime variable, fix it first.)
//!
//! Every answer states its [`Basis`]. Work is bounded by numbers of points and by the steps of a [`Budget`], never by time, and
//! an answer that would exceed the bound says so.
//!
//! Modules in dependency order: `points` (the points of a domain), `parts` (independent parts of a map), `progression`
//! (arithmetic progressions), `count` (points and elements), `region` (the box that is read), `multiples` (parameters in terms
//! of quotients), `injective`, `compare` (reads of two maps), `contains_by_size`, `takes_back`, `closed` (inverses of layouts),
//! `inverse`, `inverse_by_size` (of maps with parameters), `reuse` (multiplicity), `sizes` (points in terms of parameters),
//! `union` (several maps together).
//!
//! [`Budget`]: affinor::prove::Budget

mod closed;
mod compare;
mod contains_by_size;
mod count;
mod injective;
mod inverse;
mod inverse_by_size;
mod multiples;
mod parts;
mod points;
mod progression;
mod region;
mod reuse;
mod sizes;
mod takes_back;
mod union;

use serde::Serialize;

pub use compare::{Comparison, Containment, Sizes, compare, contains};
pub use contains_by_size::{Unread, contains_by_size};
pub use count::{Count, elements, points};
pub use injective::{Collision, injective};
pub use inverse::{Inverse, inverse};
pub(crate) use inverse_by_size::stated;
pub use inverse_by_size::{NoInverse, inverse_by_size};
pub(crate) use points::box_points;
pub use points::{MOST_POINTS, Points, Stop};
pub use progression::Progression;
pub use region::{Region, all_read, region};
pub use reuse::{Reuse, reuse};
pub use sizes::points_by_size;
pub use takes_back::takes_back;
pub use union::{Member, together, unread};

/// The basis of an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Established by a law or by the prover, regardless of the sizes.
    Proved,
    /// Enumeration of all points.
    Counted,
    /// A superset of the elements read.
    Cover,
}

impl Basis {
    /// Returns the name of the basis.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Basis::Proved => "proved",
            Basis::Counted => "counted",
            Basis::Cover => "cover",
        }
    }
}
