//! Points of the domain of an example.

use super::tree::{Atom, Sum};
use affinor::expr::Domain;
use affinor::num::Interval;
use affinor::prove::sample_points;

/// Maximum number of points at which parts are compared.
const SAMPLES: usize = 400;

/// Number of points drawn or enumerated to find these.
const DRAWN: u64 = 6_000;

/// Returns points of a domain: all of them if they are few, otherwise corners and random points.
pub fn points(domain: &Domain) -> Vec<Vec<i64>> {
    let bounds: Vec<Interval> = domain.intervals().collect();
    let mut sizes = bounds.iter().map(|bounds| {
        let width = i128::from(bounds.hi()) - i128::from(bounds.lo()) + 1;
        u64::try_from(width).ok().filter(|_| bounds.lo() > i64::MIN && bounds.hi() < i64::MAX)
    });
    let size = sizes.try_fold(1_u64, |all, size| all.checked_mul(size?));
    let is_inside = |point: &Vec<i64>| domain.contains(point) == Ok(true);
    match size.filter(|size| *size <= DRAWN) {
        Some(size) => {
            let all: Vec<Vec<i64>> =
                (0..size).map(|number| member(&bounds, number)).filter(is_inside).collect();
            thinned(all)
        }
        None => sample_points(&bounds, DRAWN).filter(is_inside).take(SAMPLES).collect(),
    }
}

/// Returns the point of a box with a given number in mixed radix.
fn member(bounds: &[Interval], mut number: u64) -> Vec<i64> {
    let digits = bounds.iter().map(|bounds| {
        let width = bounds.hi().abs_diff(bounds.lo()) + 1;
        let digit = number % width;
        number /= width;
        bounds.lo().wrapping_add_unsigned(digit)
    });
    digits.collect()
}

/// Keeps at most [`SAMPLES`] points, evenly spaced, with the first and the last among them.
fn thinned(all: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    let step = all.len().div_ceil(SAMPLES).max(1);
    let last = all.len().saturating_sub(1);
    let kept = all.into_iter().enumerate();
    kept.filter(|(position, _)| position % step == 0 || *position == last)
        .map(|(_, point)| point)
        .collect()
}

/// Substitutes 0, or the nearest value in its bounds, for each variable that only the right side has: both sides are equal, so
/// its value does not matter.
pub fn without_free(left: &Sum, right: &Sum, domain: &Domain) -> Option<Sum> {
    let mut right = right.clone();
    for (letter, bounds) in domain.intervals().enumerate() {
        if right.has(letter) && !left.has(letter) {
            right = with(&right, letter, 0_i64.clamp(bounds.lo(), bounds.hi()))?;
        }
    }
    Some(right)
}

fn with(sum: &Sum, letter: usize, value: i64) -> Option<Sum> {
    let mut all = Sum { constant: sum.constant, terms: Vec::new() };
    for (factor, atom) in &sum.terms {
        let atom = match atom {
            Atom::Letter(known) if *known == letter => Sum { constant: value, terms: Vec::new() },
            Atom::Letter(_) => Sum::atom(atom.clone()),
            Atom::Operation(operator, operands, divisor) => {
                let operands = operands.iter().map(|operand| with(operand, letter, value));
                let operands = operands.collect::<Option<Vec<_>>>()?;
                Sum::atom(Atom::Operation(*operator, operands, *divisor))
            }
        };
        all = all.plus(*factor, &atom)?;
    }
    Some(all)
}
