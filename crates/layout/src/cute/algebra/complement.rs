//! Complement: the ordered layout C such that each number below the target is `A(x) + C(y)`, for one x up to elements of
//! stride 0 and one y.
//!
//! Law: sorted by stride, without sizes 1 and strides 0, each stride of A is a multiple of the extent that the smaller ones
//! cover, `size * stride` of the one before; the gaps between are C. Without that condition some numbers are missed or reached
//! twice, and there is no complement: the refusal names the stride. Strides not below the target may have any value beyond the
//! covered extent: the sums with these leaves are above the target, and no two are equal.

use super::answer::{Basis, Made, Refusal};
use super::flat::{leaves, merged, size};
use super::ordered::covering;
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;

/// Maximum number of sums that are compared with each other.
const MOST_SUMS: i64 = 1 << 16;

/// Returns the complement of `layout` in the numbers below `target`, or slightly beyond if sizes do not divide evenly.
///
/// # Errors
/// [`Refusal::None`] if the strides do not nest, or the layout has a swizzle or an offset.
pub fn complement(layout: &Layout, target: i64) -> Result<Made, Refusal> {
    if layout.swizzle().is_some() || layout.base() != 0 {
        let message = "a layout with a swizzle or an offset has no complement";
        return Err(Refusal::None(message.to_owned()));
    }
    if target < 1 {
        let message = "a complement is within at least 1 element";
        return Err(Refusal::None(message.to_owned()));
    }
    let kept = filtered(&leaves(layout))?;
    let (found, inside) = match gaps(&kept, target) {
        Ok(found) => (found, kept.len()),
        // Leaves with strides of at least the target do not affect the numbers below it.
        Err(refusal) => {
            let inside = kept.partition_point(|(_, stride)| *stride < target);
            let found = gaps(&kept[..inside], target).map_err(|_| refusal.clone())?;
            let beyond = &kept[inside..];
            if !are_apart(beyond, extent(&kept[..inside], &found)?)?
                && !are_distinct(&[&kept[..], &found[..]].concat())?
            {
                return Err(refusal);
            }
            (found, inside)
        }
    };
    if !covers(&kept[..inside], &found, target) {
        return Err(Refusal::Unknown("the complement was not established".to_owned()));
    }
    let complement = Layout::of_mode(Mode::of_leaves(&found))?;
    let claim = covering(&[&kept[..inside], &found[..]].concat())?;
    // No equation states that sums with these leaves are distinct.
    let claim = if inside == kept.len() { claim } else { Vec::new() };
    let mut made = Made::shown_by(complement, Basis::Proved, claim);
    let reached = size(&made.layout)?.checked_mul(kept.iter().map(|(size, _)| size).product());
    if let Some(reached) = reached.filter(|reached| *reached > target) {
        made.notes.push(format!("both together cover {reached} elements, more than {target}"));
    }
    Ok(made)
}

/// Returns the leaves that fill the gaps between those of a layout, and after them up to the target.
fn gaps(kept: &[(i64, i64)], target: i64) -> Result<Vec<(i64, i64)>, Refusal> {
    let mut gaps = Vec::new();
    let mut covered = 1_i64;
    for (size, stride) in kept {
        if *stride < 0 {
            let message = format!("stride {stride} is negative");
            return Err(Refusal::None(message));
        }
        if stride % covered != 0 {
            return Err(Refusal::None(format!(
                "stride {stride} is not a multiple of {covered}, which the smaller strides cover"
            )));
        }
        gaps.push((stride / covered, covered));
        covered = size.checked_mul(*stride).ok_or(Refusal::Overflow)?;
    }
    let rest = target / covered + i64::from(target % covered != 0);
    gaps.push((rest, covered));
    merged(&gaps)
}

/// Returns one more than the largest number that both reach together; no stride is negative.
fn extent(one: &[(i64, i64)], other: &[(i64, i64)]) -> Result<i64, Refusal> {
    one.iter().chain(other).try_fold(1_i64, |extent, (size, stride)| {
        let last = (size - 1).checked_mul(*stride);
        last.and_then(|last| extent.checked_add(last)).ok_or(Refusal::Overflow)
    })
}

/// Checks whether each leaf, in order, starts beyond all numbers that those before it reach from the numbers below `extent`. Then
/// no number is reached twice.
fn are_apart(leaves: &[(i64, i64)], mut extent: i64) -> Result<bool, Refusal> {
    for leaf in leaves {
        if leaf.1 < extent {
            return Ok(false);
        }
        extent = self::extent(&[*leaf], &[(extent, 1)])?;
    }
    Ok(true)
}

/// Checks whether the sums of all leaves are distinct, by enumeration if they are few; otherwise returns `false`.
fn are_distinct(leaves: &[(i64, i64)]) -> Result<bool, Refusal> {
    let count = leaves.iter().try_fold(1_i64, |count, (size, _)| count.checked_mul(*size));
    let Some(count) = count.filter(|count| *count <= MOST_SUMS) else {
        return Ok(false);
    };
    extent(leaves, &[])?;
    let mut sums = vec![0_i64];
    for (size, stride) in leaves {
        let known = sums.clone();
        sums = (0..*size)
            .flat_map(|digit| known.iter().map(move |sum| sum + digit * stride))
            .collect();
    }
    sums.sort_unstable();
    sums.dedup();
    Ok(sums.len() as i64 == count)
}

/// Returns the leaves that reach more than one number, sorted by stride.
pub(super) fn filtered(leaves: &[(i64, i64)]) -> Result<Vec<(i64, i64)>, Refusal> {
    let mut kept: Vec<(i64, i64)> =
        leaves.iter().filter(|(size, stride)| *size > 1 && *stride != 0).copied().collect();
    kept.sort_by_key(|(size, stride)| (*stride, *size));
    Ok(kept)
}

/// Checks whether both together reach each number from 0 up to at least `target` exactly once: sorted, each stride is the product
/// of the sizes before it.
fn covers(one: &[(i64, i64)], other: &[(i64, i64)], target: i64) -> bool {
    let mut all = [one, other].concat();
    all.sort_by_key(|(_, stride)| *stride);
    let mut reached = 1_i64;
    for (size, stride) in all {
        match reached.checked_mul(size) {
            Some(next) if stride == reached => reached = next,
            _ => return false,
        }
    }
    reached >= target
}
