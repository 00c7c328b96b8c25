//! Solves the equations between the variables of a domain.
//!
//! Laws, over intervals of the variables:
//! * `x + e = 0` substitutes `-e` for `x`, which must then satisfy the bounds of `x`;
//! * `g * a + g * k = 0` is `a + k = 0`;
//! * `a + b = 0` is `a = 0` and `b = 0` where every coefficient in `a` is a multiple of `g`, and so is its constant, and `b` lies
//!   between `-g` and `g`: so positions are equal digit by digit.

use crate::expr::{Domain, Expr, ExprError, ExprKind, VariableId, VariableKind};
use crate::num;
use crate::num::Interval;
use std::collections::BTreeMap;

/// A domain whose equations are solved.
pub(super) struct Solved {
    /// The domain over the same variables. Those solved for no longer occur; their bounds are constraints on their images.
    pub(super) domain: Domain,
    /// The expression for each variable.
    pub(super) images: Vec<Expr>,
}

impl Solved {
    /// Solves the equations of a domain; `None` if they are contradictory.
    ///
    /// With `only_ranges`, solves for range variables only.
    pub(super) fn of(from: &Domain, only_ranges: bool) -> Result<Option<Solved>, ExprError> {
        let count = from.variables().len();
        let mut images: Vec<Expr> =
            (0..count).map(|id| Expr::variable(VariableId(id as u32))).collect();
        let mut constraints: Vec<(Expr, Interval)> = from
            .constraints()
            .iter()
            .map(|constraint| (constraint.expr.clone(), constraint.bounds))
            .collect();
        // Each iteration eliminates a variable, or splits one equation into shorter ones, so this terminates.
        loop {
            let (id, image) = match next_solution(from, &mut constraints, only_ranges)? {
                Next::Contradiction => return Ok(None),
                Next::None => break,
                Next::Split => continue,
                Next::Solved(id, image) => (id, image),
            };
            let mut replacements: Vec<Expr> =
                (0..count).map(|other| Expr::variable(VariableId(other as u32))).collect();
            replacements[id.index()] = image.clone();
            for (expr, _) in &mut constraints {
                *expr = expr.substitute(&replacements)?;
            }
            for expr in &mut images {
                *expr = expr.substitute(&replacements)?;
            }
            constraints.push((image, from.bounds(id)));
        }
        let mut domain = Domain::new(from.variables().to_vec());
        if from.is_known_empty() {
            domain.make_empty();
        }
        for (expr, bounds) in &constraints {
            if !bounds.contains_all(domain.range_of(expr)) {
                domain.constrain(expr, *bounds);
            }
        }
        Ok(Some(Solved { domain, images }))
    }
}

enum Next {
    None,
    Contradiction,
    Solved(VariableId, Expr),
    Split,
}

/// An equation `sum of variables + constant = 0`.
#[derive(Clone)]
struct Equation {
    constant: i64,
    terms: Vec<(i64, VariableId)>,
}

/// Removes a solvable equation from `constraints`.
fn next_solution(
    from: &Domain,
    constraints: &mut Vec<(Expr, Interval)>,
    only_ranges: bool,
) -> Result<Next, ExprError> {
    for position in 0..constraints.len() {
        let (expr, bounds) = &constraints[position];
        let Some(value) = bounds.as_point() else {
            continue;
        };
        if let Some(constant) = expr.as_constant() {
            if constant != value {
                return Ok(Next::Contradiction);
            }
            continue;
        }
        let Some(mut equation) = as_linear(expr) else {
            continue;
        };
        let Some(constant) = equation.constant.checked_sub(value) else {
            continue;
        };
        equation.constant = constant;
        let mut pieces = split(equation, from);
        let divides = |piece: &mut Equation| {
            let common = common_factor(&piece.terms).unwrap_or(1).max(1);
            if piece.constant % common != 0 {
                return false;
            }
            piece.constant /= common;
            piece.terms.iter_mut().for_each(|(c, _)| *c /= common);
            true
        };
        if !pieces.iter_mut().all(divides) {
            return Ok(Next::Contradiction);
        }
        let best = pieces
            .iter()
            .enumerate()
            .filter_map(|(number, piece)| Some((best_unit(piece, from, only_ranges)?, number)))
            .min();
        let Some(((_, term), number)) = best else {
            if pieces.len() == 1 {
                continue;
            }
            constraints.remove(position);
            for piece in pieces {
                constraints.push((piece.expr()?, Interval::point(0)));
            }
            return Ok(Next::Split);
        };
        let piece = pieces.remove(number);
        constraints.remove(position);
        for rest in pieces {
            constraints.push((rest.expr()?, Interval::point(0)));
        }
        let (coefficient, id) = piece.terms[term];
        let without = piece.without(term).expr()?;
        return Ok(Next::Solved(id, without.scale(-coefficient)?));
    }
    Ok(Next::None)
}

/// Returns the index of the best term to solve for: preferably one whose bounds the rest always satisfies, then a dimension, then
/// any other except a runtime variable. The coefficient must be 1 or -1.
fn best_unit(equation: &Equation, from: &Domain, only_ranges: bool) -> Option<(usize, usize)> {
    let terms = equation.terms.iter().enumerate();
    let rated = terms.filter_map(|(term, (coefficient, id))| {
        let kind = from.variables().get(id.index())?.kind;
        let is_fixed =
            kind != VariableKind::Range && (only_ranges || kind == VariableKind::Runtime);
        if coefficient.checked_abs() != Some(1) || is_fixed {
            return None;
        }
        let rest = equation.without(term).range(from).scale(-coefficient);
        let fits = from.bounds(*id).contains_all(rest);
        let rank = match (fits, kind) {
            (true, VariableKind::Range) => 0,
            // A joint solution for a reader's range variables is better than replacing one by a term that may be out of
            // bounds.
            (false, _) if only_ranges => return None,
            (true, _) => 1,
            (false, VariableKind::Dimension) => 2,
            (false, _) => 3,
        };
        Some((rank, term))
    });
    rated.min()
}

impl Equation {
    fn without(&self, term: usize) -> Equation {
        let mut rest = self.clone();
        rest.terms.remove(term);
        rest
    }

    fn expr(&self) -> Result<Expr, ExprError> {
        let terms = self.terms.iter();
        Expr::sum(self.constant, terms.map(|(c, id)| (*c, Expr::variable(*id))))
    }

    fn range(&self, from: &Domain) -> Interval {
        let terms = self.terms.iter();
        Interval::linear(self.constant, terms.map(|(c, id)| (*c, from.bounds(*id))))
    }
}

/// Returns the greatest common divisor of all coefficients.
fn common_factor(terms: &[(i64, VariableId)]) -> Option<i64> {
    let mut coefficients = terms.iter().map(|(coefficient, _)| *coefficient);
    coefficients.try_fold(0, num::gcd)
}

/// Splits an equation by the third law at the head of this file.
fn split(mut equation: Equation, from: &Domain) -> Vec<Equation> {
    let mut pieces = Vec::new();
    equation.terms.sort_by_key(|(coefficient, id)| (coefficient.unsigned_abs(), *id));
    let mut cut = 1;
    while cut < equation.terms.len() {
        let (low, high) = equation.terms.split_at(cut);
        match common_factor(high).and_then(|step| low_part(low, equation.constant, step, from)) {
            Some(low) => {
                let (Some(constant), high) =
                    (equation.constant.checked_sub(low.constant), high.to_vec())
                else {
                    break;
                };
                pieces.push(low);
                equation = Equation { constant, terms: high };
                cut = 1;
            }
            None => cut += 1,
        }
    }
    pieces.push(equation);
    pieces
}

/// Adds to `low` a part of `constant`, if the sum lies between `-step` and `step` and the rest of `constant` is a
/// multiple of `step`.
fn low_part(
    low: &[(i64, VariableId)],
    constant: i64,
    step: i64,
    from: &Domain,
) -> Option<Equation> {
    let alone = Equation { constant: 0, terms: low.to_vec() };
    let range = alone.range(from);
    if step < 1 || !range.is_bounded() || range.is_empty() {
        return None;
    }
    // The least number congruent to `constant` modulo `step` that lifts the range above `-step`.
    let least = (-step).checked_sub(range.lo())?.checked_add(1)?;
    let distance = constant.checked_sub(least)?;
    let own = least.checked_add(num::modulo(distance, step))?;
    let most = range.hi().checked_add(own)?;
    (most < step).then_some(Equation { constant: own, ..alone })
}

/// Returns whether an expression is a sum of variables.
pub(super) fn is_linear(expr: &Expr) -> bool {
    as_linear(expr).is_some()
}

/// Reads `expr` as a sum of variables.
fn as_linear(expr: &Expr) -> Option<Equation> {
    let mut terms: BTreeMap<VariableId, i64> = BTreeMap::new();
    let mut constant = 0;
    collect(expr, 1, &mut terms, &mut constant)?;
    let terms = terms.into_iter().filter(|(_, c)| *c != 0);
    Some(Equation { constant, terms: terms.map(|(id, c)| (c, id)).collect() })
}

fn collect(
    expr: &Expr,
    factor: i64,
    terms: &mut BTreeMap<VariableId, i64>,
    constant: &mut i64,
) -> Option<()> {
    match expr.kind() {
        ExprKind::Constant(value) => {
            *constant = constant.checked_add(value.checked_mul(factor)?)?;
        }
        ExprKind::Variable(id) => {
            let total = terms.entry(*id).or_default();
            *total = total.checked_add(factor)?;
        }
        ExprKind::Sum(sum) => {
            *constant = constant.checked_add(sum.constant().checked_mul(factor)?)?;
            for (coefficient, term) in sum.terms() {
                collect(term, coefficient.checked_mul(factor)?, terms, constant)?;
            }
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::Solved;
    use crate::expr::{Domain, Expr, Variable, VariableId, VariableKind};
    use crate::num::Interval;
    use crate::prove::Budget;
    use crate::prove::enumerate::each_point;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;

    fn points(domain: &Domain) -> Vec<Vec<i64>> {
        let bounds: Vec<Interval> = domain.variables().iter().map(|x| x.bounds).collect();
        let mut found = Vec::new();
        let every = |point: &[i64], _| {
            if domain.contains(point) == Ok(true) {
                found.push(point.to_vec());
            }
            ControlFlow::<()>::Continue(())
        };
        each_point(&bounds, &Budget::default(), every).expect("no interrupt");
        found
    }

    /// A domain and its solved form have the same points.
    fn check(domain: &Domain, only_ranges: bool) {
        let expected: BTreeSet<Vec<i64>> = points(domain).into_iter().collect();
        let solved = Solved::of(domain, only_ranges).expect("small numbers");
        let images = |solved: Solved| -> BTreeSet<Vec<i64>> {
            let image = |point: Vec<i64>| {
                let images = solved.images.iter();
                images.map(|x| x.eval(&point).expect("small")).collect()
            };
            points(&solved.domain).into_iter().map(image).collect()
        };
        assert_eq!(solved.map(images).unwrap_or_default(), expected, "{domain:?}");
    }

    proptest! {
        #[test]
        fn solving_keeps_the_points(
            sizes in prop::collection::vec(1..5_i64, 4),
            equations in prop::collection::vec(
                (prop::collection::vec(-12..=12_i64, 4), -12..=12_i64), 1..3),
            only_ranges in any::<bool>(),
        ) {
            let kinds = [VariableKind::Dimension, VariableKind::Dimension, VariableKind::Range, VariableKind::Range];
            let variables = sizes.iter().zip(kinds).map(|(size, kind)| {
                Variable::new("x", kind, Interval::of_size(*size))
            });
            let mut domain = Domain::new(variables.collect());
            for (coefficients, constant) in &equations {
                let terms = (0..).zip(coefficients).map(|(k, c)| (*c, Expr::variable(VariableId(k))));
                domain.constrain(&Expr::sum(*constant, terms).expect("small"), Interval::point(0));
            }
            check(&domain, only_ranges);
        }
    }

    #[test]
    fn positions_are_equal_digit_by_digit() {
        // 12 d0 + 4 d1 + d2 = 4 s0 + s1: a reshape of 2x3x4 to 6x4.
        let sizes = [
            (2, VariableKind::Dimension),
            (3, VariableKind::Dimension),
            (4, VariableKind::Dimension),
        ];
        let ranges = [(6, VariableKind::Range), (4, VariableKind::Range)];
        let variables = sizes.into_iter().chain(ranges);
        let variables =
            variables.map(|(size, kind)| Variable::new("x", kind, Interval::of_size(size)));
        let mut domain = Domain::new(variables.collect());
        let terms = [(12, 0), (4, 1), (1, 2), (-4, 3), (-1, 4)];
        let terms = terms.map(|(c, k)| (c, Expr::variable(VariableId(k))));
        domain.constrain(&Expr::sum(0, terms).expect("small"), Interval::point(0));
        check(&domain, false);
        let solved = Solved::of(&domain, true).expect("small").expect("no contradiction");
        assert!(solved.domain.constraints().is_empty(), "{:?}", solved.domain);
    }
}
