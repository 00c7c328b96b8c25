//! Finds the places at which two trees differ.

use super::tree::{Atom, Sum};
use affinor::num::gcd;

/// Returns the nested pairs of differing parts around which the trees are the same, the innermost first.
pub fn differences(left: &Sum, right: &Sum) -> Vec<(Sum, Sum)> {
    let mut found = vec![(left.clone(), right.clone())];
    while let Some((left, right)) = found.last()
        && let Some(inner) = inner(left, right)
    {
        found.push(inner);
    }
    found.reverse();
    found
}

/// Cancels the common part of the constants on both sides. The remainder stays on the left if the left constant is larger in
/// magnitude, otherwise on the right.
fn numbers(left: i64, right: i64) -> Option<(i64, i64)> {
    let difference = left.checked_sub(right)?;
    match left.unsigned_abs() > right.unsigned_abs() && left != 0 {
        true => Some((difference, 0)),
        false => Some((0, difference.checked_neg()?)),
    }
}

/// Returns the greatest common divisor of all factors and constants.
fn common_factor(sums: [&Sum; 2]) -> Option<i64> {
    let terms = sums.into_iter().flat_map(|sum| {
        let factors = sum.terms.iter().map(|(factor, _)| *factor);
        factors.chain([sum.constant])
    });
    terms.into_iter().try_fold(0, gcd)
}

/// Returns the single pair of smaller parts in which two trees differ: after cancelling common terms, then inside an operation.
fn inner(left: &Sum, right: &Sum) -> Option<(Sum, Sum)> {
    let without = |sum: &Sum, other: &Sum| Sum {
        constant: 0,
        terms: (sum.terms.iter()).filter(|term| !other.terms.contains(term)).cloned().collect(),
    };
    let (mut less, mut more) = (without(left, right), without(right, left));
    (less.constant, more.constant) = numbers(left.constant, right.constant)?;
    let factor = common_factor([&less, &more])?;
    if factor > 1 {
        return Some((less.divided(factor), more.divided(factor)));
    }
    if (&less, &more) != (left, right) {
        return Some((less, more));
    }
    let ([(c, x)], [(d, y)], 0, 0) =
        (&less.terms[..], &more.terms[..], less.constant, more.constant)
    else {
        return None;
    };
    if (*c, *d) == (-1, -1) {
        return Some((Sum::atom(x.clone()), Sum::atom(y.clone())));
    }
    let (Atom::Operation(first, xs, a), Atom::Operation(second, ys, b)) = (x, y) else {
        return None;
    };
    if (first, a, c) != (second, b, d) {
        return None;
    }
    // Operands of min and max are sorted, so equal ones may be at different positions.
    let alone = |xs: &[Sum], ys: &[Sum]| -> Vec<Sum> {
        xs.iter().filter(|x| !ys.contains(x)).cloned().collect()
    };
    match (alone(xs, ys).as_slice(), alone(ys, xs).as_slice()) {
        ([x], [y]) if xs.len() == ys.len() => Some((x.clone(), y.clone())),
        _ => None,
    }
}
