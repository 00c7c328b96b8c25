//! Estimates the size of a right side before it is built.

use crate::num::Sum;
use crate::rule::Term;
use crate::rule::matching::{Bindings, Terms, integer, sum_of};

/// Terms with an estimated number of operations.
pub trait Sizes: Terms {
    /// Estimates the number of operations of a sum.
    fn size(&self, sum: &Sum<Self::Atom>) -> u32;
}

/// Estimates the number of operations of a rule's term under bindings, without cancellation between operations. `None`
/// on overflow.
pub fn size_of<T: Sizes>(term: &Term, bindings: &Bindings<T::Atom>, terms: &mut T) -> Option<u32> {
    match term {
        Term::Expression(_) | Term::Integer(_) | Term::Constant(_) => {
            sum_of(term, bindings, terms).map(|sum| terms.size(&sum))
        }
        Term::Sum(list) => {
            let (mut plain, mut size, mut summands) = (Sum::default(), 0u32, 0u32);
            for term in list {
                if term.has_operation() {
                    size = size.saturating_add(size_of(term, bindings, terms)?);
                    summands += 1;
                } else {
                    plain.add(1, &sum_of(term, bindings, terms)?)?;
                }
            }
            if !plain.is_zero() {
                size = size.saturating_add(terms.size(&plain));
                summands += 1;
            }
            Some(size.saturating_add(summands.saturating_sub(1)))
        }
        Term::Product(..) if !term.has_operation() => {
            sum_of(term, bindings, terms).map(|sum| terms.size(&sum))
        }
        Term::Product(x, y) => {
            let (factor, of) = match integer(x, bindings, terms) {
                Some(factor) => (factor, y),
                None => (integer(y, bindings, terms)?, x),
            };
            let factor = u32::from(factor.unsigned_abs() != 1);
            Some(size_of(of, bindings, terms)?.saturating_add(factor))
        }
        Term::FloorDiv(x, c) | Term::Mod(x, c) => {
            let c = integer(c, bindings, terms).filter(|c| *c >= 1)?;
            let size = match term {
                // Multiples of the modulus disappear.
                Term::Mod(..) if !x.has_operation() => {
                    let (_, rest) = sum_of(x, bindings, terms)?.split_multiples(c);
                    terms.size(&rest)
                }
                _ => size_of(x, bindings, terms)?,
            };
            Some(size.saturating_add(1))
        }
        Term::Min(x, y) | Term::Max(x, y) => {
            let (x, y) = (size_of(x, bindings, terms)?, size_of(y, bindings, terms)?);
            Some(x.saturating_add(y).saturating_add(1))
        }
        _ => Some(0),
    }
}
