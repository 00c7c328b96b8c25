//! Bounds of a variable that follow from one inequality and the box.
//!
//! Law: where `c*x + rest >= 0` and `rest <= h`, `c*x >= -h`: for a positive factor `x` is at least `-(h floordiv c)`, for a
//! negative one at most `h floordiv -c`. The inequality holds at every point, so the box may shrink to that.

use super::known::Steps;
use super::replay::{Reason, Replay};
use super::sum::{AtomId, Sum};
use super::values::Atom;
use crate::expr::VariableId;
use crate::num::{Interval, PLUS_INFINITY};

/// Maximum number of rounds in which all constraints narrow the box: bounds may imply each other without end.
const MAX_ROUNDS: usize = 4;

impl Replay<'_> {
    /// Moves bounds of the target that open bounds imply into the box; returns whether there were any.
    pub(super) fn reach(&mut self) -> Result<bool, Reason> {
        let mut is_moved = false;
        for (index, target) in (0u32..).zip(self.target.clone()) {
            let id = VariableId(index);
            let known = self.facts.variables.get(id.index()).copied();
            if known.is_none_or(|known| target.is_empty() || target.contains_all(known)) {
                continue;
            }
            for bound in self.open.clone() {
                let mut used = Steps::new();
                let Some(shown) = self.shown_by(&bound, id, &mut used) else {
                    continue;
                };
                // Never tighter than the target.
                is_moved |= shown.contains_all(target) && self.narrow_to(id, shown, used)?;
            }
        }
        Ok(is_moved)
    }

    /// Narrows the box by the constraints once they are facts.
    pub(super) fn narrow_by_facts(&mut self) -> Result<(), Reason> {
        for _ in 0..MAX_ROUNDS {
            let mut is_moved = false;
            for fact in self.facts.constraints.clone() {
                for id in self.variables_of(&fact) {
                    let mut used = Steps::new();
                    if let Some(shown) = self.shown_by(&fact, id, &mut used) {
                        is_moved |= self.narrow_to(id, shown, used)?;
                    }
                }
            }
            if !is_moved {
                break;
            }
        }
        Ok(())
    }

    /// Narrows the interval of a variable; returns whether it changed.
    fn narrow_to(&mut self, id: VariableId, shown: Interval, used: Steps) -> Result<bool, Reason> {
        if shown.contains_all(self.facts.variables[id.index()]) {
            return Ok(false);
        }
        self.bound(id, shown)?;
        self.claim.extend(used);
        Ok(true)
    }

    fn variables_of(&self, sum: &Sum) -> Vec<VariableId> {
        let variable = |(atom, _): &(AtomId, i128)| match self.values.atom(*atom) {
            Atom::Variable(id) => Some(*id).filter(|id| id.index() < self.facts.variables.len()),
            _ => None,
        };
        sum.terms().iter().filter_map(variable).collect()
    }

    /// Returns the half-line of a variable that a nonnegative sum implies, through the variable or a quotient of it.
    fn shown_by(&mut self, natural: &Sum, id: VariableId, used: &mut Steps) -> Option<Interval> {
        let variable = self.values.variable(id);
        let mut places = natural.terms().iter().filter_map(|(atom, factor)| {
            let part = Sum::atom(*atom);
            match self.values.integer_quotient_of(*atom) {
                Some((of, divisor)) if *of == variable => Some((part, *factor, divisor)),
                _ if part == variable => Some((part, *factor, 1)),
                _ => None,
            }
        });
        let (part, factor, divisor) = places.next()?;
        drop(places);
        let rest = natural.plus(factor.checked_neg()?, &part)?;
        let by_terms = self.facts.by_terms(&self.values, &self.known, &rest, used);
        let by_remainders = self.facts.by_remainders(&self.values, &self.known, &rest, used);
        let most = by_terms.intersect(by_remainders).hi();
        if most == PLUS_INFINITY {
            return None;
        }
        let end = i64::try_from(i128::from(most).div_euclid(factor.checked_abs()?)).ok()?;
        Some(match factor > 0 {
            true => Interval::at_least(end.checked_neg()?.checked_mul(divisor)?),
            false => {
                let end = end.checked_mul(divisor)?.checked_add(divisor - 1)?;
                Interval::new(Interval::ALL.lo(), end)
            }
        })
    }

    /// Multiplies out the only quotient of a constraint if that is equivalent: `q + y >= 0` with `q = x floordiv c` is `x + c*y
    /// >= 0`, and `y - q >= 0` is `c*y + c - 1 - x >= 0`.
    pub(super) fn multiplied_out(&self, naturals: &[Sum]) -> Vec<Sum> {
        let out = |natural: &Sum| {
            let quotient = |(atom, factor): &(AtomId, i128)| {
                let (of, divisor) = self.values.integer_quotient_of(*atom)?;
                Some((*atom, *factor, of, i128::from(divisor)))
            };
            let mut quotients = natural.terms().iter().filter_map(quotient);
            let (atom, factor, of, divisor) = quotients.next()?;
            if quotients.next().is_some() || factor.abs() != 1 {
                return None;
            }
            let rest = natural.plus(-factor, &Sum::atom(atom))?.scaled(divisor)?;
            let spare = if factor < 0 { divisor - 1 } else { 0 };
            rest.plus(factor, of)?.plus_integer(spare)
        };
        naturals.iter().filter_map(out).collect()
    }
}
