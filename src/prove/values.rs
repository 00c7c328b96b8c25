//! The values of a map at many points.
//!
//! Law, tested: they are those of [`IndexingMap::eval`] at the points of the domain; the law does not cover other points.

use super::tape::{Runner, Tape};
use crate::expr::{EvalError, IndexingMap};
use crate::num::{Fuel, Stopped};

/// The reason why there are no values.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoValues {
    /// The point of this number is not in the domain.
    #[error("point {0} is not in the domain")]
    Outside(usize),
    /// The point of this number has no value.
    #[error("at point {0}, {1}")]
    Eval(usize, EvalError),
    /// Interrupted, or out of fuel.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Evaluates `map` at `count` points, whose coordinates are `columns`, one for each variable; returns a column for each
/// result. A step of fuel is an operation at a point.
///
/// # Errors
/// [`NoValues`], at the first point without a value. A column that is missing or too short is [`EvalError::Missing`].
pub fn values(
    map: &IndexingMap,
    columns: &[&[i64]],
    count: usize,
    fuel: &Fuel,
) -> Result<Vec<Vec<i64>>, NoValues> {
    let (domain, results) = (map.domain(), map.results());
    let constraints = domain.constraints();
    let tape = Tape::new(constraints.iter().map(|c| &c.expr).chain(results));
    let steps = tape.operations().len() as u64 + 1;
    let mut runner = Runner::new(&tape);
    let mut found = vec![Vec::with_capacity(count); results.len()];
    let mut point = vec![0; domain.variables().len()];
    for index in 0..count {
        fuel.spend(steps)?;
        let mut first_changed = if index == 0 { 0 } else { point.len() };
        for (place, own) in point.iter_mut().enumerate() {
            let given = columns.get(place).and_then(|column| column.get(index));
            let missing = || NoValues::Eval(index, EvalError::Missing(place as u32));
            let given = *given.ok_or_else(missing)?;
            if *own != given {
                *own = given;
                first_changed = first_changed.min(place);
            }
        }
        let mut bounds = point.iter().zip(domain.intervals());
        let is_inside = bounds.all(|(value, bounds)| bounds.contains(*value));
        if !is_inside || domain.is_known_empty() {
            return Err(NoValues::Outside(index));
        }
        if runner.move_to(&point, first_changed).is_err() {
            // The evaluator identifies the failing expression; an expression at a point outside the domain needs no value.
            let failed = |error| NoValues::Eval(index, error);
            if !domain.contains(&point).map_err(failed)? {
                return Err(NoValues::Outside(index));
            }
            let values = map.eval(&point).map_err(failed)?;
            found.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
            continue;
        }
        let mut limits = constraints.iter().enumerate();
        if !limits.all(|(root, limit)| limit.bounds.contains(runner.root(root))) {
            return Err(NoValues::Outside(index));
        }
        for (result, column) in found.iter_mut().enumerate() {
            column.push(runner.root(constraints.len() + result));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Interrupt;

    const MAX: i64 = i64::MAX;

    fn at(text: &str, columns: &[&[i64]]) -> Result<Vec<Vec<i64>>, NoValues> {
        let map: IndexingMap = text.parse().expect(text);
        let fuel = Fuel::new(1000, &Interrupt::new());
        values(&map, columns, columns.first().map_or(1, |column| column.len()), &fuel)
    }

    #[test]
    fn columns_of_results() {
        let two = "(d0, d1) -> (d0 floordiv 3 + d1, d0 mod 3, 7), domain: d0 in [-9, 9], d1 in [0, 9], d0 + d1 in [-9, 9]";
        let points: [&[i64]; 2] = [&[-4, -4, 9, 9], &[0, 1, 0, 0]];
        let expected = vec![vec![-2, -1, 3, 3], vec![2, 2, 0, 0], vec![7; 4]];
        assert_eq!(at(two, &points), Ok(expected));
        assert_eq!(at(two, &[&[9, 9], &[0, 1]]), Err(NoValues::Outside(1)));
        assert_eq!(at(two, &[&[0, 10], &[0, 0]]), Err(NoValues::Outside(1)));
        assert_eq!(at(two, &[&[0, 0], &[0]]), Err(NoValues::Eval(1, EvalError::Missing(1))));
        assert_eq!(at("() -> (5)", &[]), Ok(vec![vec![5]]));
        assert_eq!(at("(d0) -> (d0), domain: d0 in [0, 9]", &[&[]]), Ok(vec![vec![]]));
    }

    #[test]
    fn missing_values_are_reported() {
        let twice = "(d0) -> (d0 * 2), domain: d0 in [0, inf]";
        let overflow = at(twice, &[&[1, MAX]]);
        assert!(matches!(overflow, Err(NoValues::Eval(1, EvalError::Overflow(_)))), "{overflow:?}");
        // The previous point has no effect, and a point outside the domain needs no value.
        let limited =
            "(d0, d1) -> (d0 - d1), domain: d0 in [-inf, inf], d1 in [-inf, inf], d1 in [0, 9]";
        assert_eq!(at(limited, &[&[MAX, 1], &[9, 1]]), Ok(vec![vec![MAX - 9, 0]]));
        assert_eq!(at(limited, &[&[MAX], &[-1]]), Err(NoValues::Outside(0)));
        let sizes = "<n>(d0) -> (d0 floordiv n), domain: n in [1, inf], d0 in [0, inf]";
        assert_eq!(at(sizes, &[&[7, 7], &[2, 3]]), Ok(vec![vec![3, 2]]));
        assert_eq!(at(sizes, &[&[7], &[0]]), Err(NoValues::Outside(0)));
    }

    #[test]
    fn work_ends() {
        let map: IndexingMap = "affine_map<(d0) -> (d0 + 1)>".parse().expect("a map");
        let fuel = Fuel::new(5, &Interrupt::new());
        let stopped = values(&map, &[&[1; 9]], 9, &fuel);
        assert!(matches!(stopped, Err(NoValues::Stopped(_))), "{stopped:?}");
    }
}
