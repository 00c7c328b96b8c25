//! The left inverse of any layout as a map, even if no layout is a left inverse: from an offset to the number of its element, or
//! to its indices.
//!
//! Law: the digits of an element are read off its offset, before the swizzle and the base. An element lies at an offset iff the
//! digits that are read are below their sizes and map back to it.

use super::answer::{Basis, Refusal};
use super::check::{Agreement, agree};
use super::digits::{Leaf, overflow, read};
use super::flat::{Flat, leaves, size};
use super::ordered::identity;
use crate::cute::claim::Claim;
use crate::cute::layout::Layout;
use crate::cute::offsets::swizzled;
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::prove::Budget;

/// Returns the map L with `L(layout(x)) = x` over the interval of the offsets, and the claim that this holds. Offsets without an
/// element map to an arbitrary number.
///
/// # Errors
/// [`Refusal::Unknown`] if no digit can be read off the offset without the others.
pub fn left_inverse_map(
    layout: &Layout,
    budget: &Budget,
) -> Result<(IndexingMap, Basis, Claim), Refusal> {
    let (domain, digits) = Digits::of(layout, budget)?;
    let number = digits.number(0..digits.leaves.len())?;
    let map = IndexingMap::new(domain, vec![number]);
    let flat = Flat::of(layout);
    let number = |x: i64| {
        let found = map.eval(&[flat.offset(x)?]).map_err(|_| Refusal::Overflow)?;
        found.first().copied().ok_or(Refusal::Overflow)
    };
    let elements = size(layout)?;
    let maps = || {
        let there = layout.line()?;
        Ok((there.then(&map).map_err(|_| Refusal::Overflow)?, identity(elements)?))
    };
    match agree(elements, number, Ok, maps, budget)? {
        Agreement::Equal(basis, claim) => Ok((map, basis, claim)),
        Agreement::Differ(place) => {
            Err(Refusal::Unknown(format!("the inverse that was tried differs {place}")))
        }
    }
}

/// Returns the inverse of the map of an injective layout: from the offsets of its elements to their indices, or as a `line` to
/// their numbers. The result is a proposal; the caller must prove that each map inverts the other.
///
/// # Errors
/// [`Refusal::Unknown`] if no digit can be read off the offset without the others.
pub fn inverse_map(layout: &Layout, line: bool, budget: &Budget) -> Result<IndexingMap, Refusal> {
    let (mut domain, digits) = Digits::of(layout, budget)?;
    let mut results = Vec::new();
    let mut from = 0;
    let lengths = layout.modes().iter().map(|mode| mode.leaves().len());
    let lengths = if line { vec![digits.leaves.len()] } else { lengths.collect() };
    for length in lengths {
        results.push(digits.number(from..from + length)?);
        from += length;
    }
    let mut rest = vec![(-1, digits.offset.clone())];
    for ((size, stride), digit) in digits.leaves.iter().zip(&digits.digits) {
        domain.constrain(digit, Interval::of_size(*size));
        rest.push((*stride, digit.clone()));
    }
    domain.constrain(&Expr::sum(0, rest).map_err(overflow)?, Interval::point(0));
    Ok(IndexingMap::new(domain, results))
}

/// The digits of an element, as expressions of its offset.
struct Digits {
    /// The offset before the swizzle, counted from the base.
    offset: Expr,
    /// Sizes and strides of the leaves.
    leaves: Vec<(i64, i64)>,
    /// A digit for each leaf.
    digits: Vec<Expr>,
}

impl Digits {
    fn of(layout: &Layout, budget: &Budget) -> Result<(Domain, Digits), Refusal> {
        let offsets = layout.offsets().ok_or(Refusal::Overflow)?.interval;
        let variable = Variable::new("d0", VariableKind::Dimension, offsets);
        let mut offset = Expr::variable(VariableId(0));
        if let Some(swizzle) = layout.swizzle() {
            offset = swizzled(&offset, swizzle).map_err(overflow)?;
        }
        let base = layout.base().checked_neg().ok_or(Refusal::Overflow)?;
        let offset = Expr::sum(base, [(1, offset)]).map_err(overflow)?;
        let leaves = leaves(layout);
        let long = leaves.iter().enumerate().filter(|(_, (size, _))| *size > 1);
        let long: Vec<Leaf> = long
            .map(|(digit, (size, stride))| Leaf { size: *size, stride: *stride, digit })
            .collect();
        let Some(found) = read(&long, &offset, budget)? else {
            let strides: Vec<String> = long.iter().map(|leaf| leaf.stride.to_string()).collect();
            let message = format!(
                "of the strides {} none has a digit that can be read without the others",
                strides.join(", ")
            );
            return Err(Refusal::Unknown(message));
        };
        let mut digits = vec![Expr::constant(0); leaves.len()];
        for (number, digit) in found {
            digits[number] = digit;
        }
        Ok((Domain::new(vec![variable]), Digits { offset, leaves, digits }))
    }

    /// Returns the number that some leaves encode, the first of them varying fastest.
    fn number(&self, range: std::ops::Range<usize>) -> Result<Expr, Refusal> {
        let mut count = 1_i64;
        let mut terms = Vec::new();
        for place in range {
            terms.push((count, self.digits[place].clone()));
            count = count.checked_mul(self.leaves[place].0).ok_or(Refusal::Overflow)?;
        }
        Expr::sum(0, terms).map_err(overflow)
    }
}
