//! What a map reads as a whole: how many points and elements, in which box, how often each element.
//!
//! A map is taken as a function from all its points: range and runtime variables take all their values, as its
//! dimensions do. (Give runtime variables a value first where one value is meant.)
//!
//! Every answer names its [`Basis`]. Work is bounded by numbers of points and by the steps of a [`Budget`], never by
//! time, and an answer that would take more says so.
//!
//! Modules in dependency order: `points` (the points of a domain), `parts` (what does not depend on each other),
//! `progression` (evenly spaced numbers), `count` (points and elements), `region` (the box that is read), `injective`,
//! `compare` (what two maps read), `inverse` (who reads an element), `reuse` (how often), `union` (several maps together).
//!
//! [`Budget`]: crate::prove::Budget

mod compare;
mod count;
mod injective;
mod inverse;
mod parts;
mod points;
mod progression;
mod region;
mod reuse;
mod union;

use serde::Serialize;

pub use compare::{Comparison, Containment, Sizes, compare, contains};
pub use count::{Count, elements, points};
pub use injective::{Collision, injective};
pub use inverse::{Inverse, inverse};
pub use points::{MOST_POINTS, Points, Stop};
pub use progression::Progression;
pub use region::{Region, all_read, region};
pub use reuse::{Reuse, reuse};
pub use union::{Member, together, unread};

/// What an answer rests on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// A law, or a proof by the prover: it holds whatever the sizes.
    Proved,
    /// All points were tried.
    Counted,
    /// It holds everything that is read, and perhaps more.
    Cover,
}

impl Basis {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Basis::Proved => "proved",
            Basis::Counted => "counted",
            Basis::Cover => "cover",
        }
    }
}
