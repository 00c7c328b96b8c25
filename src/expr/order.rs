//! The one total order of expressions: variables first, then compound expressions by structure.
//!
//! Sums keep their terms in it and printing follows it, so no output depends on addresses,
//! hashes or the order in which nodes were made.

use super::{Expr, ExprKind};
use std::cmp::Ordering;

impl Ord for Expr {
    fn cmp(&self, other: &Expr) -> Ordering {
        if self.same_node(other) {
            return Ordering::Equal;
        }
        rank(self.kind())
            .cmp(&rank(other.kind()))
            .then_with(|| match (self.kind(), other.kind()) {
                (ExprKind::Constant(x), ExprKind::Constant(y)) => x.cmp(y),
                (ExprKind::Variable(x), ExprKind::Variable(y)) => x.cmp(y),
                (ExprKind::Sum(x), ExprKind::Sum(y)) => {
                    let by_terms = x
                        .terms()
                        .iter()
                        .map(|(_, e)| e)
                        .cmp(y.terms().iter().map(|(_, e)| e));
                    let by_coefficients = || {
                        x.terms()
                            .iter()
                            .map(|(c, _)| c)
                            .cmp(y.terms().iter().map(|(c, _)| c))
                    };
                    by_terms
                        .then_with(by_coefficients)
                        .then_with(|| x.constant().cmp(&y.constant()))
                }
                (ExprKind::FloorDiv(x, c), ExprKind::FloorDiv(y, d))
                | (ExprKind::CeilDiv(x, c), ExprKind::CeilDiv(y, d))
                | (ExprKind::Mod(x, c), ExprKind::Mod(y, d)) => x.cmp(y).then_with(|| c.cmp(d)),
                (ExprKind::Min(x), ExprKind::Min(y)) | (ExprKind::Max(x), ExprKind::Max(y)) => {
                    x.cmp(y)
                }
                _ => Ordering::Equal, // unreachable: equal ranks are equal kinds
            })
    }
}

impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Expr) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn rank(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Variable(_) => 0,
        ExprKind::Sum(_) => 1,
        ExprKind::FloorDiv(..) => 2,
        ExprKind::CeilDiv(..) => 3,
        ExprKind::Mod(..) => 4,
        ExprKind::Min(_) => 5,
        ExprKind::Max(_) => 6,
        ExprKind::Constant(_) => 7,
    }
}
