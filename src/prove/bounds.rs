//! Bounds of linear forms that account for the correlation of a quotient and its numerator.
//!
//! Law: every value that the form takes in the domain lies in the interval.
//! The sum of the intervals of the terms is the start; it is exact over independent variables.
//! Then one quotient `q = n floordiv c` after another is replaced, by `c * q = n - r` with `r` in
//! `[0, c - 1]`, and one minimum after another by each of its operands. So `x - 10 * (x floordiv
//! 10)` has the interval `[0, 9]`. The simplifier and the replayer have ranges of their own: the prover does not use
//! code that it judges.

use super::forms::{Definition, Forms};
use super::linear::{Linear, Unknown, quotients};
use crate::num;
use crate::num::Interval;

/// Maximum number of replacements for one form. Any number is sound; more give tighter intervals.
const REPLACEMENTS: u32 = 48;

impl Forms {
    /// Returns an interval that contains every value of `form`; empty only if the domain is.
    pub(super) fn bounds_of(&self, form: &Linear) -> Interval {
        let mut left = REPLACEMENTS;
        self.narrowed(form, &mut left)
    }

    fn narrowed(&self, form: &Linear, left: &mut u32) -> Interval {
        let mut best = form.range(|unknown| self.bounds(unknown));
        if !self.spend(form.terms().len() + self.facts().len()) {
            return best;
        }
        for (fact, interval) in self.facts() {
            best = best.intersect(from_fact(form, fact, *interval));
        }
        let defined = |(unknown, _): &&(Unknown, i64)| {
            !matches!(self.definition(*unknown), Definition::Variable(_))
        };
        // The last unknown first: its definition uses only earlier ones.
        let Some((unknown, coefficient)) = form.terms().iter().rev().find(defined).copied() else {
            return best;
        };
        if *left == 0 || best.is_empty() || best.as_point().is_some() {
            return best;
        }
        *left -= 1;
        let rest = form.without(unknown);
        let replaced = match self.definition(unknown) {
            Definition::Variable(_) => None,
            Definition::Quotient { numerator, divisor } => {
                self.without_quotient(&rest, coefficient, numerator, *divisor, left)
            }
            Definition::Least(operands) => self.without_least(&rest, coefficient, operands, left),
        };
        if let Some(interval) = replaced {
            best = best.intersect(interval);
        }
        let apart = self.narrowed(&rest, left).add(self.bounds(unknown).scale(coefficient));
        best.intersect(apart)
    }

    /// Bounds of `rest + coefficient * (numerator floordiv divisor)`; `None` on overflow.
    ///
    /// With `g = gcd(coefficient, divisor)`, `m = divisor / g` and `t = coefficient / g`, the form
    /// times `m` is `m * rest + t * numerator - t * r` for an `r` in `[0, divisor - 1]`.
    fn without_quotient(
        &self,
        rest: &Linear,
        coefficient: i64,
        numerator: &Linear,
        divisor: i64,
        left: &mut u32,
    ) -> Option<Interval> {
        let g = num::gcd(coefficient, divisor)?;
        let (m, t) = (divisor / g, coefficient / g);
        let scaled = rest.scaled(m)?.plus(t, numerator)?;
        let remainder = Interval::new(0, divisor - 1).scale(t.checked_neg()?);
        Some(quotients(self.narrowed(&scaled, left).add(remainder), m))
    }

    /// Bounds of `rest + coefficient * min(operands)`: the least bound of the forms with one operand substituted, or
    /// the greatest if the coefficient is negative. `None` on overflow.
    fn without_least(
        &self,
        rest: &Linear,
        coefficient: i64,
        operands: &[Linear],
        left: &mut u32,
    ) -> Option<Interval> {
        let mut total: Option<Interval> = None;
        for operand in operands {
            let interval = self.narrowed(&rest.plus(coefficient, operand)?, left);
            total = Some(match total {
                None => interval,
                Some(other) if coefficient > 0 => other.min(interval),
                Some(other) => other.max(interval),
            });
        }
        total
    }
}

/// Returns the bounds that `fact in interval` puts on `form`, if `m * form = t * fact + offset` for integers with `m >= 1`.
fn from_fact(form: &Linear, fact: &Linear, interval: Interval) -> Interval {
    let implied = || {
        let ((unknown, c), (other, d)) = (form.terms().first()?, fact.terms().first()?);
        if unknown != other || form.terms().len() != fact.terms().len() {
            return None;
        }
        let (m, t) = (d.checked_abs()?, c.checked_mul(d.signum())?);
        let offset = form.scaled(m)?.plus(t.checked_neg()?, fact)?.as_constant()?;
        Some(quotients(interval.scale(t).add(Interval::point(offset)), m))
    };
    implied().unwrap_or(Interval::ALL)
}
