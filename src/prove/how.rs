//! How a comparison of two maps was decided, for readers.

use crate::expr::Expr;
use crate::num::Interval;

/// A step of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// The domains and results are the same as they are written, but for names, or the domains have no points.
    Written,
    /// Each of so many points was tried.
    EveryPoint(u64),
    /// The differences depend on the remainders of the variables only, and each combination of them was tried.
    Residues,
    /// The differences, as sums in which equal parts cancel, are within their intervals at all points.
    Forms,
    /// Points where the maps are likely to differ were tried.
    Samples,
    /// The solver was asked whether an expression can leave its interval in the domain.
    Asked {
        /// Whether the domain is that of the first map.
        in_first: bool,
        /// The expressions, each with the interval that it must not leave; empty if 64 bits do not hold them.
        goals: Vec<(Expr, Interval)>,
        /// Whether it showed that none can.
        is_shown: bool,
    },
    /// Both maps as polynomials in sizes with names, compared by facts about products.
    ForAllSizes,
}
