//! A readable account of how a comparison of two maps was decided.

use crate::expr::Expr;
use crate::num::Interval;

/// A step of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// The domains and results are literally the same up to names, or the domains are empty.
    Written,
    /// Each of this many points was tried.
    EveryPoint(u64),
    /// The differences depend only on the residues of the variables, and each combination of them was tried.
    Residues,
    /// The differences, as sums in which equal parts cancel, are within their intervals at all points.
    Forms,
    /// Points at which the maps are likely to differ were tried.
    Samples,
    /// The solver was asked whether an expression can leave its interval on the domain.
    Asked {
        /// Whether the domain is that of the first map.
        in_first: bool,
        /// The expressions, each with its required interval; empty if they exceed 64 bits.
        goals: Vec<(Expr, Interval)>,
        /// Whether the solver showed that none can.
        is_shown: bool,
    },
    /// Both maps as polynomials in named sizes, compared using facts about products.
    ForAllSizes,
}
