//! A layout as a function of one number: the first leaf varies fastest, and the last leaf is unbounded, as CuTe evaluates a
//! layout beyond its last element.

use super::answer::Refusal;
use crate::cute::layout::Layout;
use crate::cute::mode::{Mode, Swizzle};

pub(super) struct Flat {
    leaves: Vec<(i64, i64)>,
    base: i64,
    swizzle: Option<Swizzle>,
}

impl Flat {
    pub(super) fn of(layout: &Layout) -> Flat {
        Flat::of_parts(layout.modes(), layout.base(), layout.swizzle())
    }

    pub(super) fn of_parts(modes: &[Mode], base: i64, swizzle: Option<Swizzle>) -> Flat {
        let mut leaves: Vec<(i64, i64)> = modes.iter().flat_map(Mode::leaves).collect();
        // At most a few leaves are left, because the product of the sizes fits in 64 bits.
        let last = leaves.pop();
        leaves.retain(|(size, _)| *size > 1);
        leaves.extend(last);
        Flat { leaves, base, swizzle }
    }

    /// Returns the offset of element `index`, which must be at least 0; `None` on overflow.
    pub(super) fn at(&self, index: i64) -> Option<i64> {
        let mut rest = index;
        let mut offset = self.base;
        for (number, (size, stride)) in self.leaves.iter().enumerate() {
            let digit = match number + 1 == self.leaves.len() {
                true => rest,
                false => rest % size,
            };
            rest /= size;
            offset = offset.checked_add(stride.checked_mul(digit)?)?;
        }
        Some(self.swizzle.map_or(offset, |swizzle| swizzle.of(offset)))
    }

    /// Like [`Flat::at`], with an error on overflow.
    pub(super) fn offset(&self, index: i64) -> Result<i64, Refusal> {
        self.at(index).ok_or(Refusal::Overflow)
    }
}

/// Returns the leaves of all modes, the fastest first.
pub(super) fn leaves(layout: &Layout) -> Vec<(i64, i64)> {
    layout.modes().iter().flat_map(Mode::leaves).collect()
}

/// Returns the number of elements.
pub(super) fn size(layout: &Layout) -> Result<i64, Refusal> {
    let sizes = layout.modes().iter().map(Mode::size);
    let all = sizes.into_iter().try_fold(1_i64, |all, size| all.checked_mul(size?));
    all.ok_or(Refusal::Overflow)
}

/// Merges leaves as far as possible without changing the function.
pub(super) fn merged(leaves: &[(i64, i64)]) -> Result<Vec<(i64, i64)>, Refusal> {
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (size, stride) in leaves {
        match merged.last_mut() {
            _ if *size == 1 => {}
            Some((last, apart)) if last.checked_mul(*apart) == Some(*stride) => {
                *last = last.checked_mul(*size).ok_or(Refusal::Overflow)?;
            }
            _ => merged.push((*size, *stride)),
        }
    }
    Ok(merged)
}

/// Returns one more than the largest offset, for nonnegative strides.
pub(super) fn cosize(layout: &Layout) -> Result<i64, Refusal> {
    let offsets = layout.offsets().ok_or(Refusal::Overflow)?;
    offsets.interval.hi().checked_add(1).ok_or(Refusal::Overflow)
}
