//! Sample points where a division is about to step: maps that rarely differ do so there.
//!
//! From a random point, one numerator is moved to a multiple of its divisor, or to one less, by changing variables with
//! large coefficients first. A heuristic search: each counterexample is evaluated before it counts.

use super::forms::{Definition, Forms};
use super::linear::{Linear, value_of};
use super::sample;
use crate::num;
use crate::num::Interval;

/// Rounds of moving one numerator: a move changes inner quotients, and so the numerator again.
const ROUNDS: usize = 3;

/// Returns up to `count` points of the box, deterministically.
pub(super) fn points<'a>(
    forms: &'a Forms,
    bounds: &'a [Interval],
    count: u64,
) -> impl Iterator<Item = Vec<i64>> + 'a {
    let quotients: Vec<(&Linear, i64)> = forms
        .unknowns()
        .filter_map(|unknown| match forms.definition(unknown) {
            Definition::Quotient { numerator, divisor } => Some((numerator, *divisor)),
            _ => None,
        })
        .collect();
    let count = if quotients.is_empty() { 0 } else { count };
    (0u64..).zip(sample::points(bounds, count)).filter_map(move |(step, mut point)| {
        let turn = usize::try_from(step / 2).ok()? % quotients.len();
        let (numerator, divisor) = quotients[turn];
        let wanted = if step % 2 == 0 { 0 } else { divisor - 1 };
        for _ in 0..ROUNDS {
            let value = value_at(forms, numerator, &point)?;
            let missing = wanted - num::modulo(value, divisor);
            if missing == 0 || !moved(forms, numerator, missing, bounds, &mut point) {
                break;
            }
        }
        Some(point)
    })
}

/// Changes `point` so that `numerator` grows by about `missing`; false if nothing changes.
fn moved(
    forms: &Forms,
    numerator: &Linear,
    mut missing: i64,
    bounds: &[Interval],
    point: &mut [i64],
) -> bool {
    let mut terms: Vec<(usize, i64)> = numerator
        .terms()
        .iter()
        .filter_map(|(unknown, c)| match forms.definition(*unknown) {
            Definition::Variable(variable) => Some((*variable, *c)),
            _ => None,
        })
        .collect();
    terms.sort_by_key(|(_, c)| std::cmp::Reverse(c.unsigned_abs()));
    let mut changed = false;
    for (variable, coefficient) in terms {
        let old = point[variable];
        let new = old
            .saturating_add(missing / coefficient)
            .clamp(bounds[variable].lo(), bounds[variable].hi());
        point[variable] = new;
        missing = missing.saturating_sub(coefficient.saturating_mul(new.saturating_sub(old)));
        changed |= new != old;
    }
    changed
}

/// Evaluates `form` at a point of the variables; `None` if an intermediate value overflows.
fn value_at(forms: &Forms, form: &Linear, point: &[i64]) -> Option<i64> {
    let last = form.terms().last()?.0;
    let mut values = Vec::with_capacity(last.index() + 1);
    for unknown in forms.unknowns().take(last.index() + 1) {
        values.push(match forms.definition(unknown) {
            Definition::Variable(variable) => *point.get(*variable)?,
            _ => forms.derived_value(unknown, &values)?,
        });
    }
    value_of(form, &values)
}
