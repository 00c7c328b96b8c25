//! The total order of expressions: variables first, then compound expressions by structure. A product is ordered by its first
//! factor, so that `d0 * n` comes before `d1`.
//!
//! Sums keep their terms in this order and printing follows it, so no output depends on addresses, hashes or the order
//! of construction.

use super::{Expr, ExprKind};
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

/// Maximum size of a tree that is compared without memoization.
const FEW_NODES: u32 = 64;

impl PartialEq for Expr {
    /// Structural equality, in as many steps as there are nodes; the tree, in which a shared subterm counts at each use, may be
    /// much larger.
    fn eq(&self, other: &Expr) -> bool {
        let mut compared = (self.size() > FEW_NODES).then(FxHashSet::default);
        same(self, other, &mut compared)
    }
}

impl Eq for Expr {}

fn same(x: &Expr, y: &Expr, compared: &mut Option<FxHashSet<(usize, usize)>>) -> bool {
    if x.same_node(y) {
        return true;
    }
    if x.hash_of_tree() != y.hash_of_tree()
        || x.size() != y.size()
        || !same_operation(x.kind(), y.kind())
    {
        return false;
    }
    // A pair that was compared before was equal: otherwise the comparison would have ended.
    let is_new = match compared {
        Some(compared) => compared.insert((x.address(), y.address())),
        None => true,
    };
    !is_new || x.operands().zip(y.operands()).all(|(a, b)| same(a, b, compared))
}

/// Returns whether two kinds are equal except for their operands, and have the same number of them.
fn same_operation(x: &ExprKind, y: &ExprKind) -> bool {
    match (x, y) {
        (ExprKind::Constant(x), ExprKind::Constant(y)) => x == y,
        (ExprKind::Variable(x), ExprKind::Variable(y)) => x == y,
        (ExprKind::Sum(x), ExprKind::Sum(y)) => {
            let mut pairs = x.terms().iter().zip(y.terms());
            x.constant() == y.constant()
                && x.terms().len() == y.terms().len()
                && pairs.all(|((c, _), (d, _))| c == d)
        }
        (ExprKind::FloorDiv(_, c), ExprKind::FloorDiv(_, d))
        | (ExprKind::CeilDiv(_, c), ExprKind::CeilDiv(_, d))
        | (ExprKind::Mod(_, c), ExprKind::Mod(_, d)) => c.as_integer() == d.as_integer(),
        (ExprKind::Product(x), ExprKind::Product(y))
        | (ExprKind::Min(x), ExprKind::Min(y))
        | (ExprKind::Max(x), ExprKind::Max(y)) => x.len() == y.len(),
        _ => false,
    }
}

impl Ord for Expr {
    fn cmp(&self, other: &Expr) -> Ordering {
        if self == other {
            return Ordering::Equal; // so that the comparison below descends into a single pair of operands
        }
        rank(self.kind()).cmp(&rank(other.kind())).then_with(|| match (self.kind(), other.kind()) {
            (ExprKind::Product(_), _) | (_, ExprKind::Product(_)) => {
                factors(self).cmp(factors(other))
            }
            (ExprKind::Constant(x), ExprKind::Constant(y)) => x.cmp(y),
            (ExprKind::Variable(x), ExprKind::Variable(y)) => x.cmp(y),
            (ExprKind::Sum(x), ExprKind::Sum(y)) => {
                let by_terms =
                    x.terms().iter().map(|(_, e)| e).cmp(y.terms().iter().map(|(_, e)| e));
                let by_coefficients =
                    || x.terms().iter().map(|(c, _)| c).cmp(y.terms().iter().map(|(c, _)| c));
                by_terms.then_with(by_coefficients).then_with(|| x.constant().cmp(&y.constant()))
            }
            (ExprKind::FloorDiv(x, c), ExprKind::FloorDiv(y, d))
            | (ExprKind::CeilDiv(x, c), ExprKind::CeilDiv(y, d))
            | (ExprKind::Mod(x, c), ExprKind::Mod(y, d)) => x.cmp(y).then_with(|| c.cmp(d)),
            (ExprKind::Min(x), ExprKind::Min(y)) | (ExprKind::Max(x), ExprKind::Max(y)) => x.cmp(y),
            _ => Ordering::Equal, // unreachable: equal ranks are equal kinds
        })
    }
}

impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Expr) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the factors of a product, or the expression itself.
fn factors(expr: &Expr) -> &[Expr] {
    match expr.kind() {
        ExprKind::Product(list) => list,
        _ => std::slice::from_ref(expr),
    }
}

fn rank(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Product(list) => list.first().map_or(0, |first| rank(first.kind())),
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
