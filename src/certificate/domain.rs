//! The replayer's check that one domain equals another.
//!
//! Facts depend only on the *box*, the intervals of the variables; in addition there are *open* bounds, each a nonnegative sum.
//! Law: box and open bounds together hold at the same points after a step as before it. An equivalence replaces open bounds by
//! others that are equivalent on the box. An open bound on a lone variable may move into the box. The box only shrinks, so facts
//! stay true. No open bound is ever used to show another.
//!
//! With parameters, a constraint that both domains state, literally or up to its bounds, is a fact from the beginning: it holds
//! at every point of either domain, and outside it nothing need be shown. If the target is known to be empty, the constraints
//! of the other domain without quotients are facts, from which a contradiction may be derived. A constraint has a value only if
//! its divisors are positive, so it is read once the box and these facts show that they are.

use super::RejectionKind;
use super::known::Steps;
use super::replay::{Reason, Replay};
use super::sum::Sum;
use super::values::{Atom, Bindings};
use crate::expr::{Constraint, Divisor, Domain, Expr, ExprKind, VariableId, VariableKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::rule::Condition;
use std::collections::BTreeSet;

impl<'c> Replay<'c> {
    /// Starts from a domain, with `target` as the goal.
    pub(super) fn open_domain(
        &mut self,
        domain: &'c Domain,
        target: &'c Domain,
    ) -> Result<(), Reason> {
        self.target = target.variables().iter().map(|variable| variable.bounds).collect();
        self.is_empty = domain.is_known_empty();
        self.open_box(domain)?;
        if self.values.has_parameters() {
            let of_both = domain.constraints().iter().filter_map(|constraint| {
                if target.is_known_empty() {
                    let is_plain = constraint.expr.cost().divmods == 0;
                    return is_plain.then_some((&constraint.expr, constraint.bounds));
                }
                let mut others = target.constraints().iter();
                let other = others.find(|other| other.expr == constraint.expr)?;
                Some((&constraint.expr, constraint.bounds.hull(other.bounds)))
            });
            self.state(of_both.collect())?;
        }
        self.unread = domain.constraints().iter().collect();
        self.narrow()
    }

    /// Starts from the intervals of the variables.
    pub(super) fn open_box(&mut self, domain: &Domain) -> Result<(), Reason> {
        self.values.set_parameters(domain.ids(VariableKind::Parameter).next());
        for (index, variable) in (0u32..).zip(domain.variables()) {
            self.facts.variables.push(Interval::ALL);
            self.bound(VariableId(index), variable.bounds)?;
        }
        self.values.set_parameters(domain.ids(VariableKind::Parameter).next());
        Ok(())
    }

    /// Reads the constraints whose divisors are positive in the current box.
    fn read_bounds(&mut self) -> Result<(), Reason> {
        for constraint in std::mem::take(&mut self.unread) {
            match self.expr(&constraint.expr) {
                Ok(sum) => {
                    let stated = half_spaces(&sum, constraint.bounds);
                    self.open.extend(stated.ok_or_else(Reason::overflow)?);
                }
                Err(_) => self.unread.push(constraint),
            }
        }
        Ok(())
    }

    /// Admits constraints as facts if their divisors are shown to be positive; constraints without quotients come first, as
    /// they may show this.
    fn state(&mut self, mut constraints: Vec<(&'c Expr, Interval)>) -> Result<(), Reason> {
        constraints.sort_by_key(|(expr, _)| expr.cost().divmods);
        for (expr, bounds) in constraints {
            if let Ok(sum) = self.expr(expr) {
                let stated = half_spaces(&sum, bounds).ok_or_else(Reason::overflow)?;
                self.facts.constraints.extend(stated);
                self.equate(&sum, bounds)?;
                self.facts.forget();
            }
        }
        Ok(())
    }

    /// Adds an equation if a sum has a single value.
    fn equate(&mut self, sum: &Sum, bounds: Interval) -> Result<(), Reason> {
        if let Some(value) = bounds.as_point() {
            let equation = sum.plus_integer(-i128::from(value));
            let added = equation.and_then(|x| self.known.add(&self.values, x, Steps::new()));
            added.ok_or_else(Reason::overflow)?;
        }
        Ok(())
    }

    /// Replaces the bounds stated by `lhs` by those stated by `rhs`.
    pub(super) fn replace(
        &mut self,
        lhs: &[Condition],
        rhs: &[Condition],
        bindings: &Bindings,
    ) -> Result<(), Reason> {
        let (mut used, mut gone) = (Steps::new(), BTreeSet::new());
        for condition in lhs {
            for bound in self.comparison(condition, bindings)? {
                let mut left = (0..self.open.len()).filter(|index| !gone.contains(index));
                let same = left.find(|index| self.slack(*index, &bound, &mut used) == Some(0));
                if same.is_none() && !self.follows(&bound, &mut used) {
                    let message = "the step replaces a bound that is not in the domain";
                    return Err(Reason(RejectionKind::Bound, message.to_owned()));
                }
                gone.extend(same);
            }
        }
        for index in gone.into_iter().rev() {
            self.open.remove(index);
        }
        for condition in rhs {
            let stated = self.comparison(condition, bindings)?;
            self.open.extend(stated);
        }
        self.claim.extend(used);
        Ok(())
    }

    /// Like [`Replay::narrow`], with the congruence closure.
    pub(super) fn narrow_closed(&mut self) -> Result<(), Reason> {
        self.narrow()?;
        while self.known.close(&mut self.values) {
            self.narrow()?;
        }
        Ok(())
    }

    /// Moves open bounds on a lone variable into the box and drops those that are integers, unless the result would be
    /// tighter than the target. Reads constraints as their divisors turn out to be positive.
    pub(super) fn narrow(&mut self) -> Result<(), Reason> {
        let mut index = 0;
        loop {
            let Some(bound) = self.open.get(index) else {
                let left = self.unread.len();
                self.read_bounds()?;
                if self.unread.len() == left && (self.facts.is_plain || !self.reach()?) {
                    return Ok(());
                }
                index = 0;
                continue;
            };
            let mut used = Steps::new();
            let reduced = self.known.reduce(&self.values, bound, &mut used);
            let Some(reduced) = reduced.map(|reduced| reduced.sum) else {
                index += 1; // beyond 128 bits it stays unchanged
                continue;
            };
            let into_box = self.lone(&reduced).filter(|(id, half_line)| {
                let target = self.target.get(id.index());
                target.is_some_and(|target| half_line.contains_all(*target))
            });
            match (into_box, reduced.as_integer()) {
                (Some((id, half_line)), _) => self.bound(id, half_line)?,
                (None, Some(value)) if value >= 0 || self.target.iter().any(|x| x.is_empty()) => {
                    self.is_empty |= value < 0;
                }
                _ => {
                    index += 1;
                    continue;
                }
            }
            self.claim.extend(used);
            self.open.remove(index);
            index = 0; // a variable that was fixed may leave others as the only variables of their bounds
        }
    }

    /// Intersects the interval of a variable with `bounds`.
    pub(super) fn bound(&mut self, id: VariableId, bounds: Interval) -> Result<(), Reason> {
        let variable = self.values.variable(id);
        let Some(known) = self.facts.variables.get_mut(id.index()) else {
            return Ok(());
        };
        *known = known.intersect(bounds);
        self.is_empty |= known.is_empty();
        let known = *known;
        self.facts.forget();
        self.equate(&variable, known)
    }

    /// Checks that the transformed domain `given` is now `domain`, and admits the constraints as facts from here on.
    pub(super) fn close_domain(
        &mut self,
        given: &'c Domain,
        domain: &'c Domain,
    ) -> Result<(), Reason> {
        self.narrow_closed()?;
        let wrong = |message: &str| Err(Reason(RejectionKind::Domain, message.to_owned()));
        let mut used = Steps::new();
        if domain.is_known_empty() {
            self.is_empty |= self.open.clone().iter().any(|bound| {
                let never = bound.scaled(-1).and_then(|x| x.plus_integer(-1));
                never.is_some_and(|never| self.follows(&never, &mut used))
            });
            self.claim.extend(used);
            return match self.is_empty {
                true => Ok(()),
                false => wrong("the steps do not prove that the domain is empty"),
            };
        }
        if self.is_empty {
            return wrong("the input domain is empty, and the output domain is not known to be");
        }
        if self.target != self.facts.variables {
            return wrong("the steps do not derive the bounds of the variables");
        }
        let is_stated = |constraint: &&Constraint| domain.constraints().contains(constraint);
        if let Some(unread) = self.unread.iter().copied().find(|x| !is_stated(x)) {
            self.expr(&unread.expr)?;
        }
        let stated = self.bounds_of(domain, given)?;
        let reached = std::mem::replace(&mut self.open, stated.clone());
        if !reached.iter().all(|bound| self.follows(bound, &mut used)) {
            return wrong("a bound of the input domain is lost");
        }
        self.open = reached;
        if !stated.iter().all(|bound| self.follows(bound, &mut used)) {
            return wrong("the steps do not derive a bound of the domain");
        }
        self.claim.extend(used);
        match self.values.has_parameters() {
            true => self.admit_constraints(domain),
            false => {
                self.facts.constraints = stated;
                self.facts.forget();
                if self.facts.is_plain {
                    return Ok(());
                }
                self.facts.constraints.extend(self.multiplied_out(&self.facts.constraints));
                self.facts.forget();
                for constraint in domain.constraints() {
                    if let Ok(sum) = self.expr(&constraint.expr) {
                        self.equate(&sum, constraint.bounds)?;
                    }
                }
                self.narrow_by_facts()
            }
        }
    }

    /// Admits the constraints as facts; a parameter that is a multiple of an integer is written as one.
    pub(super) fn admit_constraints(&mut self, domain: &'c Domain) -> Result<(), Reason> {
        for constraint in domain.constraints() {
            if let ExprKind::Mod(x, Divisor::Integer(modulus)) = constraint.expr.kind()
                && let Some(id) = x.as_variable().filter(|id| domain.is_parameter(*id))
                && constraint.bounds.as_point() == Some(0)
                && let Some(quotient) = self.values.make_multiple(id, *modulus)
            {
                let (variable, bounds) = (domain.bounds(id), Sum::atom(quotient));
                let shown = self.facts.show(&bounds, variable.ceildiv(*modulus), Steps::new());
                shown.ok_or_else(Reason::overflow)?;
            }
        }
        self.values.forget();
        self.facts.constraints.clear();
        self.facts.forget();
        let stated = domain.constraints().iter();
        self.state(stated.map(|x| (&x.expr, x.bounds)).collect())?;
        if !self.facts.is_plain {
            self.facts.constraints.extend(self.multiplied_out(&self.facts.constraints));
            self.facts.forget();
        }
        Ok(())
    }

    /// Returns whether `bound >= 0` follows from the box, or from one open bound.
    fn follows(&mut self, bound: &Sum, used: &mut Steps) -> bool {
        self.is_natural(bound, used)
            || (0..self.open.len()).any(|index| self.slack(index, bound, used) >= Some(0))
            || self.is_in_box(bound, used).unwrap_or(false)
    }

    /// Returns whether the box implies a bound on a lone variable, whose interval may exceed 64 bits.
    fn is_in_box(&self, bound: &Sum, used: &mut Steps) -> Option<bool> {
        let reduced = self.known.reduce(&self.values, bound, used)?.sum;
        let (id, half_line) = self.lone(&reduced)?;
        Some(half_line.contains_all(*self.facts.variables.get(id.index())?))
    }

    /// Returns the variable of a bound on a single variable, and the allowed values.
    pub(super) fn lone(&self, bound: &Sum) -> Option<(VariableId, Interval)> {
        match bound.terms() {
            [(atom, coefficient)] => match self.values.atom(*atom) {
                Atom::Variable(id) => Some((*id, half_line(*coefficient, bound.constant())?)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the constant by which `bound` exceeds an open bound, if they differ by a constant.
    fn slack(&mut self, index: usize, bound: &Sum, used: &mut Steps) -> Option<i128> {
        let difference = bound.plus(-1, self.open.get(index)?)?;
        self.is_integer(&difference, used)
    }

    /// Returns the constraints of a domain as nonnegative sums. Drops a constraint beyond 128 bits if the other domain has
    /// exactly the same constraint.
    fn bounds_of(&mut self, domain: &'c Domain, other: &Domain) -> Result<Vec<Sum>, Reason> {
        let mut bounds = Vec::new();
        for constraint in domain.constraints() {
            let sum = match self.expr(&constraint.expr) {
                Err(_) if other.constraints().contains(constraint) => continue,
                sum => sum?,
            };
            bounds.extend(half_spaces(&sum, constraint.bounds).ok_or_else(Reason::overflow)?);
        }
        Ok(bounds)
    }
}

/// Returns the sums that are nonnegative iff a sum lies in an interval.
pub(super) fn half_spaces(sum: &Sum, bounds: Interval) -> Option<Vec<Sum>> {
    let (lo, hi) = (bounds.lo(), bounds.hi());
    let mut both = Vec::new();
    if lo != MINUS_INFINITY {
        both.push(sum.plus_integer(-i128::from(lo))?);
    }
    if hi != PLUS_INFINITY {
        both.push(Sum::integer(i128::from(hi)).plus(-1, sum)?);
    }
    Some(both)
}

/// Returns the integers x with `coefficient * x + constant >= 0`; `None` if the bound does not fit in 64 bits.
fn half_line(coefficient: i128, constant: i128) -> Option<Interval> {
    let quotient = constant.checked_div_euclid(coefficient.checked_abs()?)?;
    let end = if coefficient > 0 { quotient.checked_neg()? } else { quotient };
    let end = i64::try_from(end).ok()?;
    let is_finite = end != MINUS_INFINITY && end != PLUS_INFINITY;
    is_finite.then(|| match coefficient > 0 {
        true => Interval::new(end, PLUS_INFINITY),
        false => Interval::new(MINUS_INFINITY, end),
    })
}
