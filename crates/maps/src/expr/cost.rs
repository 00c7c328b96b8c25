//! The cost of an expression.

/// Number of operations of an expression, counted as a tree (a shared subterm counts at each use).
///
/// A sum of n summands is n - 1 additions and a multiplication for each coefficient other than 1 and -1. A sign inside
/// a sum is free; a sum without any positive summand pays 1 for its leading minus. floordiv, mod, min and max are one
/// each; a ceildiv counts as `-((-x) floordiv c)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Cost {
    /// All operations.
    pub ops: u64,
    /// floordiv and mod among them.
    pub divmods: u64,
}

impl Cost {
    /// Adds two costs.
    #[must_use]
    pub fn plus(self, other: Cost) -> Cost {
        Cost {
            ops: self.ops.saturating_add(other.ops),
            divmods: self.divmods.saturating_add(other.divmods),
        }
    }

    /// Adds `count` operations, none of them a floordiv or mod.
    #[must_use]
    pub fn more(self, count: u64) -> Cost {
        Cost { ops: self.ops.saturating_add(count), ..self }
    }
}

/// Number of operations of a sum beyond those of its terms.
pub(super) fn sum_overhead(constant: i64, coefficients: impl Iterator<Item = i64>) -> u64 {
    let (mut summands, mut products, mut positive) = (u64::from(constant != 0), 0, constant > 0);
    for coefficient in coefficients {
        summands += 1;
        products += u64::from(coefficient != 1 && coefficient != -1);
        positive |= coefficient > 0;
    }
    // A lone product `x * -2` carries its sign in the constant.
    let lone_product = summands == 1 && products == 1;
    summands.saturating_sub(1) + products + u64::from(!positive && !lone_product && summands > 0)
}
