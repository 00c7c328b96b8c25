//! Arithmetic progressions: the values of linear sums, and intersections.

use affinor::expr::{Domain, Expr, ExprKind};
use affinor::num::Interval;

/// The numbers `first, first + step, .., first + (count - 1) * step`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Progression {
    /// The least number.
    pub first: i64,
    /// The difference of neighbouring numbers, at least 1; 1 for at most one number.
    pub step: i64,
    /// Number of members.
    pub count: u64,
}

impl Progression {
    /// The empty progression.
    pub const NONE: Progression = Progression { first: 0, step: 1, count: 0 };

    /// Returns the members of a bounded interval at multiples of `step`, at least 1, from its lower end.
    #[must_use]
    pub fn within(interval: Interval, step: i64) -> Option<Progression> {
        let width = u64::try_from(i128::from(interval.hi()) - i128::from(interval.lo()));
        if interval.is_empty() {
            return Some(Progression::NONE);
        }
        let steps = width.ok().filter(|_| interval.is_bounded())? / u64::try_from(step).ok()?;
        Some(Progression {
            first: interval.lo(),
            step: if steps == 0 { 1 } else { step },
            count: steps.checked_add(1)?,
        })
    }

    /// Returns the greatest member.
    #[must_use]
    pub fn last(self) -> i64 {
        let steps = i128::from(self.count.saturating_sub(1));
        let last = i128::from(self.first) + steps * i128::from(self.step);
        i64::try_from(last).unwrap_or(i64::MAX)
    }

    /// Returns the smallest interval that contains the progression.
    #[must_use]
    pub fn span(self) -> Interval {
        match self.count {
            0 => Interval::EMPTY,
            _ => Interval::new(self.first, self.last()),
        }
    }

    /// Intersects two progressions.
    #[must_use]
    pub fn meet(self, other: Progression) -> Option<Progression> {
        if self.count == 0 || other.count == 0 {
            return Some(Progression::NONE);
        }
        let [a, b] = [self, other].map(|p| (i128::from(p.first), i128::from(p.step)));
        let (lo, hi) = (a.0.max(b.0), i128::from(self.last().min(other.last())));
        let (gcd, inverse) = gcd_with_inverse(a.1, b.1);
        if (b.0 - a.0) % gcd != 0 {
            return Some(Progression::NONE);
        }
        // a.first + a.step * k = b.first (mod b.step)
        let modulus = b.1 / gcd;
        let k = ((b.0 - a.0) / gcd % modulus * inverse).rem_euclid(modulus);
        let step = a.1.checked_mul(modulus)?;
        let meeting = a.0 + a.1.checked_mul(k)?;
        let first = meeting + (lo - meeting).div_euclid(step) * step;
        let first = if first < lo { first + step } else { first };
        if first > hi {
            return Some(Progression::NONE);
        }
        let count = u64::try_from((hi - first) / step + 1).ok()?;
        Some(Progression {
            first: i64::try_from(first).ok()?,
            step: match count {
                1 => 1,
                _ => i64::try_from(step).ok()?,
            },
            count,
        })
    }
}

/// Returns the greatest common divisor of `x` and `y`, and the factor by which `x` is congruent to it modulo `y`.
fn gcd_with_inverse(x: i128, y: i128) -> (i128, i128) {
    let (mut old, mut new) = ((x, 1_i128), (y, 0_i128));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    (old.0, old.1.rem_euclid(y / old.0))
}

/// The values of a sum of distinct variables over a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SumValues {
    /// A progression.
    Even(Progression),
    /// The number of values: all points have distinct values.
    Distinct(u128),
}

/// Returns the values of `expr` over the box of `domain`, if it is a linear sum of variables in which each coefficient,
/// by increasing size, either continues the progression of the smaller ones or exceeds their span.
///
/// Law: with `step * {0 .. count - 1}` from the smaller coefficients, a multiple `c = step * m` with `m <= count` of a
/// variable with `n` values gives `step * {0 .. count - 1 + m * (n - 1)}`; with `c` beyond the greatest value no two
/// sums are equal.
pub(super) fn sum_values(expr: &Expr, domain: &Domain) -> Option<SumValues> {
    let (constant, mut terms) = linear(expr)?;
    let mut first = i128::from(constant);
    let mut summands: Vec<(i128, u128)> = Vec::new();
    for (coefficient, id) in terms.drain(..) {
        let bounds = domain.bounds(id);
        let count = bounds.count().filter(|_| bounds.is_bounded())?;
        let end = if coefficient > 0 { bounds.lo() } else { bounds.hi() };
        first = first.checked_add(i128::from(coefficient).checked_mul(i128::from(end))?)?;
        if count == 0 {
            return Some(SumValues::Even(Progression::NONE));
        }
        if count > 1 && coefficient != 0 {
            summands.push((i128::from(coefficient.unsigned_abs()), u128::from(count)));
        }
    }
    summands.sort_unstable();
    // Values are `step * {0 .. count - 1}` while `even`; otherwise `count` distinct values up to `span`.
    let (mut step, mut count, mut span, mut even) = (1_i128, 1_u128, 0_i128, true);
    for (coefficient, n) in summands {
        let more = i128::try_from(n - 1).ok()?;
        if count == 1 {
            (step, count) = (coefficient, n);
        } else if even
            && coefficient % step == 0
            && u128::try_from(coefficient / step).ok()? <= count
        {
            let longer = u128::try_from(coefficient / step).ok()?.checked_mul(n - 1)?;
            count = count.checked_add(longer)?;
        } else if coefficient > span {
            count = count.checked_mul(n)?;
            even = false;
        } else {
            return None;
        }
        span = span.checked_add(coefficient.checked_mul(more)?)?;
    }
    if !even {
        return Some(SumValues::Distinct(count));
    }
    Some(SumValues::Even(Progression {
        first: i64::try_from(first).ok()?,
        step: i64::try_from(step).ok()?,
        count: u64::try_from(count).ok()?,
    }))
}

/// Returns the constant and the variables with their coefficients; `None` if `expr` has other terms.
pub(super) fn linear(expr: &Expr) -> Option<(i64, Vec<(i64, affinor::expr::VariableId)>)> {
    if let Some(value) = expr.as_constant() {
        return Some((value, Vec::new()));
    }
    if let Some(id) = expr.as_variable() {
        return Some((0, vec![(1, id)]));
    }
    let ExprKind::Sum(sum) = expr.kind() else {
        return None;
    };
    let terms = sum.terms().iter();
    let terms = terms.map(|(coefficient, term)| Some((*coefficient, term.as_variable()?)));
    Some((sum.constant(), terms.collect::<Option<_>>()?))
}
