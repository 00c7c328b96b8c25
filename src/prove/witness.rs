//! Proposes witnesses: the values of a map's range variables for which it reads an element that another map reads.
//!
//! The range variables are solved for, result by result, as the digits of a number: the one with the greatest
//! coefficient first. The outcome is only a proposal; the caller must prove that it lies in the domain and gives the
//! same results.

use crate::expr::{Expr, ExprError, ExprKind, IndexingMap, VariableId};
use crate::num::{Interval, MINUS_INFINITY};
use std::collections::BTreeMap;

/// Proposes, for each variable of `reader`, an expression over the variables of the map whose `wanted` results it
/// should read. `places` has the values of the fixed variables.
///
/// # Errors
/// [`ExprError`] if the proposal overflows.
pub(super) fn propose(
    reader: &IndexingMap,
    wanted: &[Expr],
    places: BTreeMap<VariableId, Expr>,
) -> Result<Vec<Expr>, ExprError> {
    let mut proposal = Proposal { reader, places };
    let mut equations: Vec<(&Expr, &Expr)> = reader.results().iter().zip(wanted).collect();
    while !equations.is_empty() {
        // The equation with the fewest open variables comes next: it determines the most.
        let open = |(result, _): &(&Expr, &Expr)| proposal.open_variables(result).len();
        let next = (0..equations.len()).min_by_key(|index| open(&equations[*index]));
        let (result, wanted) = equations.remove(next.unwrap_or(0));
        proposal.solve(result, wanted)?;
    }
    let rest = (0u32..).map(VariableId).take(reader.domain().variables().len());
    Ok(rest
        .map(|id| match proposal.places.get(&id) {
            Some(place) => place.clone(),
            None => Expr::constant(super::sample::nearest_to_zero(reader.domain().bounds(id))),
        })
        .collect())
}

struct Proposal<'a> {
    reader: &'a IndexingMap,
    places: BTreeMap<VariableId, Expr>,
}

impl Proposal<'_> {
    fn open_variables(&self, result: &Expr) -> Vec<VariableId> {
        let mut variables: Vec<VariableId> = result.variables().into_iter().collect();
        variables.retain(|id| !self.places.contains_key(id));
        variables
    }

    /// Solves `result = wanted` for the open variables that are terms of it.
    fn solve(&mut self, result: &Expr, wanted: &Expr) -> Result<(), ExprError> {
        let mut linear: BTreeMap<VariableId, i64> = BTreeMap::new();
        let mut others: Vec<(i64, Expr)> = Vec::new();
        let open = self.open_variables(result);
        let constant = take_apart(result, 1, &open, &mut linear, &mut others)?;
        if others.iter().any(|(_, expr)| !self.open_variables(expr).is_empty()) {
            return Ok(());
        }
        let mut digits: Vec<(i64, VariableId)> =
            linear.into_iter().map(|(id, c)| (c, id)).collect();
        digits.retain(|(coefficient, _)| *coefficient != 0);
        digits.sort_by_key(|(coefficient, _)| std::cmp::Reverse(coefficient.unsigned_abs()));
        let mut known = vec![(1, wanted.clone())];
        for (coefficient, expr) in others {
            let negated = coefficient.checked_neg().ok_or(ExprError::Overflow)?;
            known.push((negated, expr.substitute(&self.replacements())?));
        }
        let constant = constant.checked_neg().ok_or(ExprError::Overflow)?;
        let mut rest = Expr::sum(constant, known)?;
        for (position, (coefficient, id)) in digits.iter().enumerate() {
            let later = digits[position + 1..].iter();
            let least = later.fold(Interval::point(0), |total, (c, id)| {
                total.add(self.reader.domain().bounds(*id).scale(*c))
            });
            if least.lo() == MINUS_INFINITY || *coefficient == i64::MIN {
                return Ok(());
            }
            let above = rest.sub(&Expr::constant(least.lo()))?;
            let digit = above.floordiv(coefficient.abs())?.scale(coefficient.signum())?;
            rest = rest.sub(&digit.scale(*coefficient)?)?;
            self.places.insert(*id, digit);
        }
        Ok(())
    }

    /// Returns the known values as a list for [`Expr::substitute`]; open variables map to themselves.
    fn replacements(&self) -> Vec<Expr> {
        let ids = (0u32..).map(VariableId).take(self.reader.domain().variables().len());
        ids.map(|id| self.places.get(&id).cloned().unwrap_or_else(|| Expr::variable(id))).collect()
    }
}

/// Splits `factor * expr` into plain summands of the `open` variables, other summands, and the
/// constant that is returned.
fn take_apart(
    expr: &Expr,
    factor: i64,
    open: &[VariableId],
    linear: &mut BTreeMap<VariableId, i64>,
    others: &mut Vec<(i64, Expr)>,
) -> Result<i64, ExprError> {
    let times = |c: i64| c.checked_mul(factor).ok_or(ExprError::Overflow);
    match expr.kind() {
        ExprKind::Constant(value) => times(*value),
        ExprKind::Variable(id) if open.contains(id) => {
            let total = linear.entry(*id).or_default();
            *total = total.checked_add(factor).ok_or(ExprError::Overflow)?;
            Ok(0)
        }
        ExprKind::Sum(sum) => {
            let mut constant = times(sum.constant())?;
            for (coefficient, term) in sum.terms() {
                let part = take_apart(term, times(*coefficient)?, open, linear, others)?;
                constant = constant.checked_add(part).ok_or(ExprError::Overflow)?;
            }
            Ok(constant)
        }
        _ => {
            others.push((factor, expr.clone()));
            Ok(0)
        }
    }
}
