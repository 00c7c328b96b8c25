//! Iterations that access elements outside of their arrays.
//!
//! Law: an iteration that is named is run, and its index is outside. If none is named, there may still be one: not all are tried.

use affinor_maps::expr::Expr;
use affinor_maps::num::{self, Interval};

/// Maximum number of iterations tried.
const MOST: i64 = 1 << 12;

/// Returns an iteration of loops with these trip counts, under these constraints, whose index is outside of an array of these
/// sizes, and the index.
pub(crate) fn outside(
    counts: &[Option<i64>],
    constraints: &[(Expr, Interval)],
    (index, sizes): (&[Expr], &[Option<i64>]),
) -> Option<(Vec<i64>, Vec<i64>)> {
    let candidates: Vec<Vec<i64>> = candidates(counts)?;
    let count = candidates.iter().map(|list| list.len() as i64);
    let count = num::product(count).filter(|count| *count <= MOST)?;
    let runs = |point: &[i64]| {
        let holds = |(expr, bounds): &(Expr, Interval)| {
            expr.eval(point).is_ok_and(|value| bounds.contains(value))
        };
        constraints.iter().all(holds)
    };
    (0..count).find_map(|mut number| {
        let mut point = vec![0; candidates.len()];
        for (place, list) in point.iter_mut().zip(&candidates).rev() {
            let length = list.len() as i64;
            *place = list[usize::try_from(number % length).ok()?];
            number /= length;
        }
        // A value from outside of the loops has no value here, so neither has an index that needs it.
        let index: Vec<i64> = index.iter().map(|x| x.eval(&point).ok()).collect::<Option<_>>()?;
        let mut within = index.iter().zip(sizes);
        let is_outside = within
            .any(|(at, size)| size.is_some_and(|size| !Interval::of_size(size).contains(*at)));
        (is_outside && runs(&point)).then_some((point, index))
    })
}

/// Returns the iterations of each loop that are tried: all if there are few, otherwise the first and the last ones. `None` if a
/// loop does not run, or the number of its iterations is not known.
fn candidates(counts: &[Option<i64>]) -> Option<Vec<Vec<i64>>> {
    let counts: Vec<i64> = counts.iter().copied().collect::<Option<_>>()?;
    if counts.iter().any(|count| *count < 1) {
        return None;
    }
    let is_small = num::product(counts.iter().copied()).is_some_and(|points| points <= MOST);
    let of = |count: i64| match is_small {
        true => (0..count).collect(),
        false if count == 1 => vec![0],
        false => vec![0, count - 1],
    };
    Some(counts.into_iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exprs::counter;

    #[test]
    fn an_iteration_outside_is_found_and_no_other() {
        let plus = |k: i64| counter(0).add(&Expr::constant(k)).unwrap();
        let from_three = [(plus(-3), Interval::at_least(0))];
        let guarded = [(plus(-98), Interval::new(i64::MIN, 0))];
        type Case<'a> = (&'a [Option<i64>], &'a [(Expr, Interval)], Expr, i64, Option<(i64, i64)>);
        let cases: [Case<'_>; 7] = [
            (&[Some(100)], &[], plus(1), 100, Some((99, 100))),
            (&[Some(100)], &[], plus(0), 100, None),
            (&[Some(1 << 40)], &[], plus(-1), 1 << 50, Some((0, -1))),
            (&[Some(100)], &from_three, plus(-4), 100, Some((3, -1))),
            (&[Some(100)], &guarded, plus(1), 100, None),
            (&[Some(0)], &[], plus(100), 10, None),
            (&[None], &[], plus(100), 10, None),
        ];
        for (counts, constraints, index, size, expected) in cases {
            let found = outside(counts, constraints, (&[index], &[Some(size)]));
            assert_eq!(found.map(|(point, index)| (point[0], index[0])), expected);
        }
    }
}
