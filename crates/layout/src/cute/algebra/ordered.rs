//! Contiguous leaves in order, and the claim that one layout inverts another.

use super::answer::Refusal;
use super::flat::{leaves, merged, size};
use crate::cute::claim::Claim;
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use affinor::expr::IndexingMap;
use affinor::num::Interval;
use std::cmp::Reverse;

/// Returns the map from each number below `size` to itself.
pub(super) fn identity(size: i64) -> Result<IndexingMap, Refusal> {
    Ok(Layout::new(vec![Mode::Leaf { size, stride: 1 }], true, None)?.line()?)
}

/// Returns the contiguous leaves from stride 1 on, with the strides that count elements.
pub(super) fn ordered(layout: &Layout) -> Result<Layout, Refusal> {
    let mut numbered = Vec::new();
    let mut count = 1_i64;
    for (size, stride) in leaves(layout) {
        numbered.push((size, stride, count));
        count = count.checked_mul(size).ok_or(Refusal::Overflow)?;
    }
    // Of several leaves with the same stride, the longest extends furthest.
    numbered.sort_by_key(|(size, stride, count)| (*stride, Reverse(*size), *count));
    let mut reached = 1_i64;
    let mut found = Vec::new();
    for (size, stride, count) in numbered {
        if size > 1 && stride == reached {
            found.push((size, count));
            reached = reached.checked_mul(size).ok_or(Refusal::Overflow)?;
        }
    }
    Ok(Layout::of_mode(Mode::of_leaves(&merged(&found)?))?)
}

/// Returns both sides of `second(first(x)) = x` for each element x of `first`.
pub(super) fn round_trip(
    first: &Layout,
    second: &Layout,
) -> Result<(IndexingMap, IndexingMap), Refusal> {
    let last = size(second)?.checked_sub(1).ok_or(Refusal::Overflow)?;
    let over = second.line_over(Interval::new(0, last))?;
    let there = first.line()?.then(&over).map_err(|_| Refusal::Overflow)?;
    Ok((there, identity(size(first)?)?))
}

/// Returns the claim that the sums of some leaves are the numbers from 0 on, each once: their count equals the size of the
/// reached range. No equation if not all leaves are contiguous.
pub(super) fn covering(leaves: &[(i64, i64)]) -> Result<Claim, Refusal> {
    let all = Layout::of_mode(Mode::of_leaves(leaves))?;
    let back = ordered(&all)?;
    Ok(match size(&all)? == size(&back)? {
        true => vec![round_trip(&back, &all)?],
        false => Vec::new(),
    })
}
