//! Reshape: the same elements in the same linear order, under other sizes.
//!
//! Law: `output[d] = operand[i]` where `d` in the output's sizes and `i` in the operand's sizes have the
//! same row-major linear position. Source: XLA, *Operation semantics*, `Reshape`.
//! For all sizes: the laws `reshape-*` of `rules/ops.rules`.
//!
//! An index is a number written in digits, with one digit place for each dimension; a reshape writes the same number in other
//! places. [`regroup`] splits both lists of sizes into the smallest groups with equal products, so that equal parts are left
//! unchanged. Inside a group, if the places of one side divide those of the other, digits are moved one by one and no sum of
//! products is ever divided; otherwise (4x6 into 6x4) the group is linearised and delinearised.

use super::builder::MapBuilder;
use super::op::{Entries, NoMap, Op};
use affinor::expr::{Expr, ExprError, IndexingMap};
use std::ops::Range;

/// Returns the reads of a reshape.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    op.single(output_to_operand)
}

/// Returns the map of a reshape.
pub(super) fn output_to_operand(output: &[i64], operand: &[i64]) -> Result<IndexingMap, NoMap> {
    check_same_count("reshape", output, operand)?;
    let builder = MapBuilder::over(output);
    let results = regroup(output, operand, &builder.dimensions())?;
    Ok(builder.finish(results))
}

/// Returns the map from an index of an array of sizes `from` to the index of the same element, in row-major order, of an array
/// of sizes `to`; `None` if the numbers of elements differ.
#[must_use]
pub fn row_major(from: &[i64], to: &[i64]) -> Option<IndexingMap> {
    output_to_operand(from, to).ok()
}

/// Rejects two lists of sizes with different products.
pub(super) fn check_same_count(what: &str, output: &[i64], operand: &[i64]) -> Result<(), NoMap> {
    match (count(output), count(operand)) {
        (Some(x), Some(y)) if x == y => Ok(()),
        (Some(x), Some(y)) => {
            Err(NoMap::invalid(format!("{what} of {y} element(s) gives {x} element(s)")))
        }
        _ => Err(NoMap::Unknown(format!("the number of elements of its {what} is beyond 64 bits"))),
    }
}

fn count(sizes: &[i64]) -> Option<i64> {
    if sizes.contains(&0) {
        return Some(0);
    }
    sizes.iter().copied().try_fold(1, i64::checked_mul)
}

/// Returns the index in `to` of the element whose index in `from` is `indices`: same row-major position.
///
/// `from` and `to` have the same number of elements, which fits into an `i64`, and `indices` lie
/// within `from`. With no element at all, every result is 0.
pub(super) fn regroup(from: &[i64], to: &[i64], indices: &[Expr]) -> Result<Vec<Expr>, ExprError> {
    let mut results = vec![Expr::constant(0); to.len()];
    if from.contains(&0) || to.contains(&0) {
        return Ok(results);
    }
    let (mut i, mut j) = (0, 0);
    // A dimension of size 1 has index 0 and contributes nothing, unless it is paired with another.
    while let (Some(from_size), Some(to_size)) = (from.get(i), to.get(j)) {
        if from_size == to_size {
            results[j] = indices[i].clone();
            (i, j) = (i + 1, j + 1);
        } else if *from_size == 1 {
            i += 1;
        } else if *to_size == 1 {
            j += 1;
        } else {
            let (i_end, j_end) = group_end(from, to, i, j);
            let digits = regroup_one(&from[i..i_end], &to[j..j_end], &indices[i..i_end])?;
            results.splice(j..j_end, digits);
            (i, j) = (i_end, j_end);
        }
    }
    Ok(results)
}

/// Dimensions of two lists of sizes that belong together: equal products, and no smaller groups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Group {
    pub(super) from: Range<usize>,
    pub(super) to: Range<usize>,
}

/// Returns the groups of two lists of sizes without 0 and with equal products, which together hold every dimension. Those of
/// size 1 without a partner go with the group before them, or with the first.
pub(super) fn groups(from: &[i64], to: &[i64]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut i, mut j) = (0, 0);
    while let (Some(from_size), Some(to_size)) = (from.get(i), to.get(j)) {
        let (i_start, j_start) = match groups.last() {
            Some(before) => (before.from.end, before.to.end),
            None => (0, 0),
        };
        if from_size != to_size && (*from_size == 1 || *to_size == 1) {
            if *from_size == 1 {
                i += 1;
            } else {
                j += 1;
            }
            if let Some(before) = groups.last_mut() {
                (before.from.end, before.to.end) = (i, j);
            }
            continue;
        }
        (i, j) = match from_size == to_size {
            true => (i + 1, j + 1),
            false => group_end(from, to, i, j),
        };
        groups.push(Group { from: i_start..i, to: j_start..j });
    }
    match groups.last_mut() {
        Some(last) => (last.from.end, last.to.end) = (from.len(), to.len()),
        None => groups.push(Group { from: 0..from.len(), to: 0..to.len() }),
    }
    groups
}

/// Ends of the smallest groups from `i` and `j` on whose products are equal.
fn group_end(from: &[i64], to: &[i64], i: usize, j: usize) -> (usize, usize) {
    let (mut i_end, mut j_end) = (i + 1, j + 1);
    let (mut from_product, mut to_product) = (from[i], to[j]);
    while from_product != to_product {
        // Both products divide the number of elements, so neither can overflow or run out first.
        if from_product < to_product && i_end < from.len() {
            from_product *= from[i_end];
            i_end += 1;
        } else if j_end < to.len() {
            to_product *= to[j_end];
            j_end += 1;
        } else {
            break;
        }
    }
    (i_end, j_end)
}

/// [`regroup`] within one group: all sizes of one side against all sizes of the other.
fn regroup_one(from: &[i64], to: &[i64], indices: &[Expr]) -> Result<Vec<Expr>, ExprError> {
    let (from_places, to_places) = (places(from), places(to));
    if is_divisibility_chain(&from_places, &to_places) {
        to_places.iter().map(|place| move_digits(place, &from_places, indices)).collect()
    } else {
        let terms = from_places
            .iter()
            .zip(indices)
            .filter(|(place, _)| place.size != 1)
            .map(|(place, index)| (place.unit, index.clone()));
        let linear = Expr::sum(0, terms)?;
        let whole = to_places.first().map_or(1, |place| place.unit * place.size);
        to_places
            .iter()
            .map(|place| digit(&linear, whole, place.unit, place.unit * place.size))
            .collect()
    }
}

/// The digit place of a dimension: its index counts in `unit`s, and has `size` values.
struct Place {
    unit: i64,
    size: i64,
}

fn places(sizes: &[i64]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(sizes.len());
    let mut unit = 1;
    for size in sizes.iter().rev() {
        places.push(Place { unit, size: *size });
        unit *= size;
    }
    places.reverse();
    places
}

/// Returns whether the unit of each place, of both sides together, divides the next larger unit.
fn is_divisibility_chain(from: &[Place], to: &[Place]) -> bool {
    let mut units: Vec<i64> = from.iter().chain(to).map(|place| place.unit).collect();
    units.sort_unstable();
    units.windows(2).all(|pair| pair[1] % pair[0] == 0)
}

/// Returns the digit at `target`, as the sum of the parts of the digits of `from` that fall into it.
fn move_digits(target: &Place, from: &[Place], indices: &[Expr]) -> Result<Expr, ExprError> {
    let mut terms = Vec::new();
    for (place, index) in from.iter().zip(indices) {
        let (end, target_end) = (place.unit * place.size, target.unit * target.size);
        let (lo, hi) = (place.unit.max(target.unit), end.min(target_end));
        if lo < hi {
            let part = digit(index, place.size, lo / place.unit, hi / place.unit)?;
            terms.push((lo / target.unit, part));
        }
    }
    Expr::sum(0, terms)
}

/// `(number mod hi) floordiv lo`, for a number in `[0, size)` and `lo` dividing `hi`.
fn digit(number: &Expr, size: i64, lo: i64, hi: i64) -> Result<Expr, ExprError> {
    let quotient = number.floordiv(lo)?;
    if hi == size { Ok(quotient) } else { quotient.modulo(hi / lo) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, points, position, reshaped_sizes};
    use affinor::expr::VariableId;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_what_the_loop_reads((output, operand) in reshaped_sizes()) {
            let map = built(output_to_operand(&output, &operand));
            let all = points(&operand);
            check_against(&[map], &output, |d| vec![all[position(&output, d) as usize].clone()]);
        }
    }

    /// Checks the divisions and the results, as text with `v0, v1, ..` for the output's indices.
    #[track_caller]
    fn check(output: &[i64], operand: &[i64], divmods: u64, results: &[&str]) {
        let map = built(output_to_operand(output, operand));
        let text: Vec<String> = map.results().iter().map(|x| format!("{x:?}")).collect();
        assert_eq!(text, results, "{output:?} from {operand:?}");
        assert_eq!(map.cost().divmods, divmods, "{output:?} from {operand:?}");
    }

    #[test]
    fn equal_parts_stay_and_digits_move_one_by_one() {
        check(&[7, 4, 8], &[7, 4, 8], 0, &["v0", "v1", "v2"]);
        check(&[4, 8], &[32], 0, &["(+8*v0 +1*v1 +0)"]);
        check(&[32], &[4, 8], 2, &["(v0 floordiv 8)", "(v0 mod 8)"]);
        check(
            &[2, 4, 4],
            &[4, 8],
            2,
            &["(+2*v0 +1*(v1 floordiv 2) +0)", "(+1*v2 +4*(v1 mod 2) +0)"],
        );
        check(&[32, 3, 4], &[4, 8, 12], 2, &["(v0 floordiv 8)", "(v0 mod 8)", "(+4*v1 +1*v2 +0)"]);
        check(
            &[50, 20],
            &[10, 10, 10],
            4,
            &["(v0 floordiv 5)", "(+1*(v1 floordiv 10) +2*(v0 mod 5) +0)", "(v1 mod 10)"],
        );
        // 6 and 4 do not divide each other: the whole group is linearised; the dimensions after it are unchanged.
        check(
            &[6, 4, 5],
            &[4, 6, 5],
            2,
            &["((+4*v0 +1*v1 +0) floordiv 6)", "((+4*v0 +1*v1 +0) mod 6)", "v2"],
        );
    }

    #[test]
    fn dimensions_of_size_one_cost_nothing() {
        check(&[4, 1, 8], &[4, 8], 0, &["v0", "v2"]);
        check(&[4, 8], &[1, 4, 1, 8, 1], 0, &["0", "v0", "0", "v1", "0"]);
        check(&[1, 5], &[5, 1], 0, &["v1", "0"]);
        check(&[], &[1, 1], 0, &["0", "0"]);
        check(&[1, 1], &[], 0, &[]);
    }

    #[test]
    fn nothing_reads_nothing() {
        assert!(built(output_to_operand(&[0, 3], &[2, 0])).domain().is_known_empty());
    }

    #[test]
    fn refuses_other_counts() {
        for (output, operand) in [(&[2, 3][..], [5]), (&[0], [1])] {
            let refused = output_to_operand(output, &operand);
            assert!(matches!(refused, Err(NoMap::Invalid(_))), "{output:?}");
        }
        let huge = [i64::MAX, 2];
        assert!(matches!(output_to_operand(&huge, &huge), Err(NoMap::Unknown(_))));
    }

    #[test]
    fn a_coefficient_at_the_end_of_i64_is_held() {
        let half = i64::MAX / 2;
        let indices = [0, 1].map(|index| Expr::variable(VariableId(index)));
        let joined = regroup(&[2, half], &[2 * half], &indices).expect("fits");
        assert_eq!(joined[0].eval(&[1, half - 1]), Ok(i64::MAX - 2));
    }
}
