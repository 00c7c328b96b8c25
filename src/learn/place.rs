//! Where two trees differ.

use super::tree::{Atom, Sum};

/// The pairs of parts such that the trees are the same around them, the innermost first.
pub fn differences(left: &Sum, right: &Sum) -> Vec<(Sum, Sum)> {
    let mut found = vec![(left.clone(), right.clone())];
    while let Some((left, right)) = found.last()
        && let Some(inner) = inner(left, right)
        && inner != (left.clone(), right.clone())
    {
        found.push(inner);
    }
    found.reverse();
    found
}

/// The numbers that are left of those that are added on both sides, as one of them: it stays on the left if the right has
/// none, or the smaller one.
fn numbers(left: i64, right: i64) -> Option<(i64, i64)> {
    let difference = left.checked_sub(right)?;
    match left.unsigned_abs() > right.unsigned_abs() && left != 0 {
        true => Some((difference, 0)),
        false => Some((0, difference.checked_neg()?)),
    }
}

/// The one pair of parts in which two trees differ.
fn inner(left: &Sum, right: &Sum) -> Option<(Sum, Sum)> {
    let without = |sum: &Sum, other: &Sum| Sum {
        constant: 0,
        terms: (sum.terms.iter())
            .filter(|term| !other.terms.contains(term))
            .cloned()
            .collect(),
    };
    let (mut less, mut more) = (without(left, right), without(right, left));
    (less.constant, more.constant) = numbers(left.constant, right.constant)?;
    let ([(c, x)], [(d, y)], 0, 0) = (
        &less.terms[..],
        &more.terms[..],
        less.constant,
        more.constant,
    ) else {
        return Some((less, more));
    };
    let (Atom::Operation(first, xs, a), Atom::Operation(second, ys, b)) = (x, y) else {
        return Some((less, more));
    };
    if (first, a, c) != (second, b, d) {
        return Some((less, more));
    }
    // Operands of min and max are sorted, so equal ones may stand at other places.
    let alone = |xs: &[Sum], ys: &[Sum]| -> Vec<Sum> {
        xs.iter().filter(|x| !ys.contains(x)).cloned().collect()
    };
    match (alone(xs, ys).as_slice(), alone(ys, xs).as_slice()) {
        ([x], [y]) if xs.len() == ys.len() => Some((x.clone(), y.clone())),
        _ => Some((Sum::atom(x.clone()), Sum::atom(y.clone()))),
    }
}
