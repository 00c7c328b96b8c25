//! The cost order, which decides between two forms or expressions of one value; the total order of forms, and structural
//! equality.

use super::form::{Form, FormNode, FormRef};
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

/// Maximum number of operations of forms that are compared without memoization.
const FEW_OPERATIONS: u32 = 32;

/// The measures that the cost order compares.
pub struct Measures {
    /// The number of operations.
    pub ops: u64,
    /// The number of floordiv and mod operations.
    pub divmods: u64,
    /// The largest absolute value of a number in it.
    pub reach: u64,
    /// The sum of the absolute values of the written integers.
    pub magnitude: u64,
}

impl Measures {
    /// Returns the cost order, as a value that is less for smaller forms. Operations come first, plus one if a number exceeds
    /// 32 bits: avoiding that is worth one operation. Then the number of floordiv and mod, then the magnitude of integers.
    pub fn rank(&self) -> impl Ord + use<> {
        (self.operations(), self.magnitude)
    }

    fn operations(&self) -> (u64, u64) {
        let wide = u64::from(self.reach > i32::MAX as u64);
        (self.ops.saturating_add(wide), self.divmods)
    }
}

impl Form {
    /// Compares in the cost order, then by structure. The order is total, so the smallest of a set of forms does not depend on how
    /// the set was built.
    pub fn order(&self, other: &Form) -> Ordering {
        if self == other {
            return Ordering::Equal; // so that the comparison below descends into a single pair of parts
        }
        let ranks = self.measures().rank().cmp(&other.measures().rank());
        ranks.then_with(|| self.node.structural_order(&other.node))
    }

    fn measures(&self) -> Measures {
        let (ops, divmods) = (self.ops.into(), self.divmods.into());
        Measures { ops, divmods, reach: self.reach, magnitude: self.magnitude }
    }

    /// Returns whether this form is smaller in the cost order by its operations alone, whatever its integers and structure.
    pub fn saves_operations(&self, other: &Form) -> bool {
        self.measures().operations() < other.measures().operations()
    }

    /// Returns whether this form is smaller in the cost order.
    pub fn is_smaller_than(&self, other: &Form) -> bool {
        self.order(other) == Ordering::Less
    }
}

impl FormNode {
    /// Returns a total order of trees of equal cost.
    fn structural_order(&self, other: &FormNode) -> Ordering {
        let lists = |x: &[FormRef], y: &[FormRef]| {
            let pairs = || x.iter().zip(y).map(|(a, b)| a.order(b));
            x.len().cmp(&y.len()).then_with(|| first_difference(pairs()))
        };
        self.rank().cmp(&other.rank()).then_with(|| match (self, other) {
            (FormNode::Constant(x), FormNode::Constant(y)) => {
                x.unsigned_abs().cmp(&y.unsigned_abs()).then(y.cmp(x))
            }
            (FormNode::Variable(x), FormNode::Variable(y)) => x.cmp(y),
            (FormNode::FloorDiv(x, c), FormNode::FloorDiv(y, d))
            | (FormNode::Mod(x, c), FormNode::Mod(y, d)) => c.cmp(d).then_with(|| x.order(y)),
            (FormNode::Min(x), FormNode::Min(y))
            | (FormNode::Max(x), FormNode::Max(y))
            | (FormNode::Product(x), FormNode::Product(y)) => lists(x, y),
            (FormNode::Divided(x, parts), FormNode::Divided(y, others)) => {
                x.cmp(y).then_with(|| lists(parts, others))
            }
            (FormNode::Sum(k, x), FormNode::Sum(l, y)) => {
                let mut parts =
                    x.iter().zip(y).map(|((c, a), (d, b))| c.cmp(d).then_with(|| a.order(b)));
                x.len()
                    .cmp(&y.len())
                    .then_with(|| first_difference(&mut parts))
                    .then_with(|| k.cmp(l))
            }
            _ => Ordering::Equal,
        })
    }
}

/// Returns the first comparison that is not equal, without evaluating later ones.
fn first_difference(mut comparisons: impl Iterator<Item = Ordering>) -> Ordering {
    let first = comparisons.find(|order| order.is_ne());
    first.unwrap_or(Ordering::Equal)
}

impl PartialEq for Form {
    /// Compares structure. Hashes usually differ, so they are compared first; the rest takes as many steps as there are nodes.
    fn eq(&self, other: &Form) -> bool {
        let mut compared = (self.ops > FEW_OPERATIONS).then(FxHashSet::default);
        same(self, other, &mut compared)
    }
}

fn same(x: &Form, y: &Form, compared: &mut Option<FxHashSet<(usize, usize)>>) -> bool {
    if std::ptr::eq(x, y) {
        return true;
    }
    if x.hash != y.hash || (x.ops, x.divmods) != (y.ops, y.divmods) {
        return false;
    }
    let address = |form: &Form| std::ptr::from_ref(form) as usize;
    // A pair that was compared before was equal: otherwise the comparison would have ended.
    let is_new = match compared {
        Some(compared) => compared.insert((address(x), address(y))),
        None => true,
    };
    let mut all = |x: &[FormRef], y: &[FormRef]| {
        x.len() == y.len() && x.iter().zip(y).all(|(a, b)| same(a, b, compared))
    };
    !is_new
        || match (&x.node, &y.node) {
            (FormNode::Constant(x), FormNode::Constant(y)) => x == y,
            (FormNode::Variable(x), FormNode::Variable(y)) => x == y,
            (FormNode::Sum(k, x), FormNode::Sum(l, y)) => {
                let mut pairs = x.iter().zip(y);
                k == l
                    && x.len() == y.len()
                    && pairs.all(|((c, a), (d, b))| c == d && same(a, b, compared))
            }
            (FormNode::FloorDiv(x, c), FormNode::FloorDiv(y, d))
            | (FormNode::Mod(x, c), FormNode::Mod(y, d)) => c == d && same(x, y, compared),
            (FormNode::Min(x), FormNode::Min(y))
            | (FormNode::Max(x), FormNode::Max(y))
            | (FormNode::Product(x), FormNode::Product(y)) => all(x, y),
            (FormNode::Divided(x, parts), FormNode::Divided(y, others)) => {
                x == y && all(parts, others)
            }
            _ => false,
        }
}
