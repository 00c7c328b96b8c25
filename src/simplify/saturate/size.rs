//! Estimates the size of a right side before it is built.

use crate::num::Sum;
use crate::rule::Term;
use crate::rule::matching::{Bindings, Terms, integer, sum_of};
use serde::{Deserialize, Serialize};

/// Terms whose number of operations can be estimated.
pub trait Sizes: Terms {
    /// Estimates the number of operations of a sum.
    fn size(&mut self, sum: &Sum<Self::Atom>) -> u32;
}

/// A rule's term, prepared for [`Shape::size`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// A term without operations.
    Plain(Term),
    /// The sum of a term without operations and other shapes.
    Sum(Term, Vec<Shape>),
    /// A product, one of whose factors is an integer.
    Product([(Term, Box<Shape>); 2]),
    /// The remainder of a term without operations.
    ModPlain(Term, Term),
    /// A quotient or remainder.
    Division(Box<Shape>, Term),
    MinMax(Box<Shape>, Box<Shape>),
}

impl Shape {
    pub fn of(term: &Term) -> Shape {
        let boxed = |x: &Term| Box::new(Shape::of(x));
        match term {
            Term::Sum(list) => {
                let (others, plain): (Vec<&Term>, Vec<&Term>) =
                    list.iter().partition(|x| x.has_operation());
                let plain = Term::Sum(plain.into_iter().cloned().collect());
                Shape::Sum(plain, others.into_iter().map(Shape::of).collect())
            }
            Term::Product(x, y) if term.has_operation() => {
                Shape::Product([x, y].map(|x| (Term::clone(x), boxed(x))))
            }
            Term::Mod(x, c) if !x.has_operation() => {
                Shape::ModPlain(Term::clone(x), Term::clone(c))
            }
            Term::FloorDiv(x, c) | Term::Mod(x, c) => Shape::Division(boxed(x), Term::clone(c)),
            Term::Min(x, y) | Term::Max(x, y) => Shape::MinMax(boxed(x), boxed(y)),
            _ => Shape::Plain(term.clone()),
        }
    }

    /// Estimates the number of operations under bindings, without cancellation between operations. `None` on overflow.
    pub fn size<T: Sizes>(&self, bindings: &Bindings<T::Atom>, terms: &mut T) -> Option<u32> {
        let divisor = |c: &Term, terms: &mut T| integer(c, bindings, terms).filter(|c| *c >= 1);
        match self {
            Shape::Plain(Term::Lo(_) | Term::Hi(_)) => Some(0),
            Shape::Plain(Term::Expression(slot)) => Some(terms.size(bindings.expression(*slot)?)),
            Shape::Plain(term) => {
                let sum = sum_of(term, bindings, terms)?;
                Some(terms.size(&sum))
            }
            Shape::Sum(plain, others) => {
                let (mut size, mut summands) = (0u32, others.len() as u32);
                for other in others {
                    size = size.saturating_add(other.size(bindings, terms)?);
                }
                let plain = sum_of(plain, bindings, terms)?;
                if !plain.is_zero() {
                    size = size.saturating_add(terms.size(&plain));
                    summands += 1;
                }
                Some(size.saturating_add(summands.saturating_sub(1)))
            }
            Shape::Product([(x, of_x), (y, of_y)]) => {
                let (factor, of) = match integer(x, bindings, terms) {
                    Some(factor) => (factor, of_y),
                    None => (integer(y, bindings, terms)?, of_x),
                };
                let factor = u32::from(factor.unsigned_abs() != 1);
                Some(of.size(bindings, terms)?.saturating_add(factor))
            }
            Shape::ModPlain(x, c) => {
                let c = divisor(c, terms)?;
                // Multiples of the modulus disappear.
                let (_, rest) = sum_of(x, bindings, terms)?.split_multiples(c);
                Some(terms.size(&rest).saturating_add(1))
            }
            Shape::Division(x, c) => {
                divisor(c, terms)?;
                Some(x.size(bindings, terms)?.saturating_add(1))
            }
            Shape::MinMax(x, y) => {
                let (x, y) = (x.size(bindings, terms)?, y.size(bindings, terms)?);
                Some(x.saturating_add(y).saturating_add(1))
            }
        }
    }
}
