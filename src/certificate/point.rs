//! Evaluates a sum at a point by the definitions of its atoms.

use super::sum::{AtomId, Sum};
use super::values::{Atom, Values};
use crate::expr::VariableId;
use rustc_hash::FxHashMap;

/// Maximum nesting of quotients, mins and maxes that is evaluated.
pub(super) const MAX_DEPTH: u32 = 200;

/// Values of variables.
#[derive(Clone, Default)]
pub(super) struct Point {
    pub variables: FxHashMap<VariableId, i64>,
    /// Values of atoms; must be cleared when variables change.
    pub known: FxHashMap<AtomId, i128>,
}

impl Point {
    /// Returns the value of a sum; `None` if it is undefined, a number overflows, or the fuel is spent.
    pub fn value(&mut self, values: &Values<'_>, sum: &Sum) -> Option<i128> {
        self.sum(values, sum, MAX_DEPTH)
    }

    fn sum(&mut self, values: &Values<'_>, sum: &Sum, depth: u32) -> Option<i128> {
        let mut total = sum.constant();
        for (atom, factor) in sum.terms() {
            total = total.checked_add(factor.checked_mul(self.atom(values, *atom, depth)?)?)?;
        }
        Some(total)
    }

    fn atom(&mut self, values: &Values<'_>, atom: AtomId, depth: u32) -> Option<i128> {
        if let Some(known) = self.known.get(&atom) {
            return Some(*known);
        }
        values.spend(1)?;
        let deeper = depth.checked_sub(1)?;
        let value = match values.atom(atom) {
            Atom::Variable(id) => i128::from(*self.variables.get(id)?),
            Atom::Quotient(of, divisor) => {
                let divisor = match divisor.as_integer() {
                    Some(divisor) => divisor,
                    // Outside the domain the divisor need not be positive: then the quotient has no value.
                    None => self.sum(values, divisor, deeper).filter(|divisor| *divisor >= 1)?,
                };
                floordiv(self.sum(values, of, deeper)?, divisor)
            }
            Atom::Product(factors) => {
                let mut product = 1i128;
                for factor in factors {
                    product = product.checked_mul(self.atom(values, *factor, deeper)?)?;
                }
                product
            }
            Atom::Extreme(is_least, list) => {
                let all = list.iter().map(|x| self.sum(values, x, deeper));
                let all: Option<Vec<i128>> = all.collect();
                let all = all?.into_iter();
                if *is_least { all.min()? } else { all.max()? }
            }
        };
        self.known.insert(atom, value);
        Some(value)
    }
}

/// Returns `x floordiv divisor` for a positive divisor; uses 64 bits if both fit, which is faster.
fn floordiv(x: i128, divisor: i128) -> i128 {
    match (i64::try_from(x), i64::try_from(divisor)) {
        (Ok(x), Ok(divisor)) => i128::from(x.div_euclid(divisor)),
        _ => x.div_euclid(divisor),
    }
}
