//! Eliminates an existentially quantified integer from a condition.
//!
//! Law: the new condition holds exactly if the old one holds for some value of the variable. An equation `a*v = x` means that v
//! is `x floordiv a`, and that a divides x. Without an equation, there is a v between `-f/a` and `h/b` if the rounded bounds
//! allow one: `h floordiv b + f floordiv a >= 0` for each pair of `a*v + f >= 0` and `h - b*v >= 0`. Each case of an `or` has its
//! own value.

use super::formula::{Comparison, Formula};
use crate::expr::{Divisor, Expr, ExprKind, VariableId};

/// Maximum number of parts of conditions examined for one variable.
const MAX_PARTS: usize = 4_096;

/// Returns the condition that the variable has a value; `None` if it cannot be determined, for example if the variable is in a
/// quotient.
pub(super) fn without(id: VariableId, formula: &Formula) -> Option<Formula> {
    Elimination { id, parts: MAX_PARTS }.formula(formula)
}

/// The value of a variable according to an equation, and the condition that this value is an integer.
pub(super) struct Solution {
    pub value: Expr,
    /// The factor of the variable in the equation, at least 1.
    pub factor: i64,
    /// The additional equation that must hold.
    pub whole: Option<Formula>,
}

/// Solves an equation for a variable; `None` unless the variable occurs only as a term by itself.
pub(super) fn solution(id: VariableId, equation: &Comparison) -> Option<Solution> {
    let factor = factor_of(id, &equation.difference).filter(|factor| *factor != 0)?;
    let rest = equation.difference.sub(&Expr::variable(id).scale(factor).ok()?).ok()?;
    // `factor*v + rest = 0`
    let rest = if factor > 0 { rest.scale(-1).ok()? } else { rest };
    let factor = factor.checked_abs()?;
    if factor == 1 {
        return Some(Solution { value: rest, factor, whole: None });
    }
    let difference = rest.modulo(factor).ok()?;
    let whole = Comparison { difference, ..equation.clone() };
    Some(Solution { value: rest.floordiv(factor).ok()?, factor, whole: Some(Formula::Is(whole)) })
}

/// Returns the equation with the smallest factor of a variable, with its index and solution.
pub(super) fn solving(id: VariableId, parts: &[Formula]) -> Option<(usize, Solution)> {
    let solutions = parts.iter().enumerate().filter_map(|(place, part)| match part {
        Formula::Is(comparison) if comparison.is_equation => {
            Some((place, solution(id, comparison)?))
        }
        _ => None,
    });
    solutions.min_by_key(|(_, solution)| solution.factor)
}

/// Returns the substitution that replaces one variable by a value.
pub(super) fn values(id: VariableId, value: Expr) -> Vec<Expr> {
    let mut values: Vec<Expr> = (0..id.0).map(|id| Expr::variable(VariableId(id))).collect();
    values.push(value);
    values
}

/// Returns the only value that these parts allow for a variable, if it is unique: `h floordiv b` for `h - w <= b*v <= h` with `w
/// < b`, or, if v is also congruent to t modulo m, the greatest such value that is not above it, with `w < b*m`.
pub(super) fn only_value(id: VariableId, parts: &[Formula]) -> Option<Expr> {
    let (mut lower, mut upper, mut residues) = (Vec::new(), Vec::new(), vec![(1, None)]);
    for part in parts {
        let Formula::Is(comparison) = part else { continue };
        if comparison.is_equation {
            residues.extend(residue(id, &comparison.difference));
            continue;
        }
        let bound = comparison.value().ok()?;
        let Some(factor) = factor_of(id, &bound) else { continue };
        let rest = bound.sub(&Expr::variable(id).scale(factor).ok()?).ok()?;
        match factor {
            0 => {}
            1.. => lower.push((factor, rest)),
            _ => upper.push((factor.checked_neg()?, rest)),
        }
    }
    for (a, f) in &lower {
        for (b, h) in upper.iter().filter(|(b, _)| b == a) {
            let Some(width) = h.add(f).ok().and_then(|width| width.as_constant()) else { continue };
            let greatest = if *b == 1 { h.clone() } else { h.floordiv(*b).ok()? };
            let of = |(modulus, residue): &(i64, Option<Expr>)| match residue {
                None => Some(greatest.clone()),
                Some(residue) => {
                    let above = greatest.sub(residue).ok()?.modulo(*modulus).ok()?;
                    greatest.sub(&above).ok()
                }
            };
            let found = residues.iter().find(|(modulus, _)| width.div_euclid(*b) < *modulus);
            if let Some(found) = found {
                return of(found);
            }
        }
    }
    None
}

/// Returns the modulus and the residue of a variable according to an equation.
fn residue(id: VariableId, difference: &Expr) -> Option<(i64, Option<Expr>)> {
    let own = [(1, difference.clone())];
    let (constant, terms) = match difference.kind() {
        ExprKind::Sum(sum) => (sum.constant(), sum.terms()),
        _ => (0, &own[..]),
    };
    let [(factor @ (1 | -1), remainder)] = terms else {
        return None;
    };
    let ExprKind::Mod(of, Divisor::Integer(modulus)) = remainder.kind() else {
        return None;
    };
    // `of mod m = r`, with `of = s*v + f` and s = 1 or -1.
    let r = Expr::constant(constant.checked_mul(-factor)?);
    let sign = factor_of(id, of).filter(|sign| matches!(sign, 1 | -1))?;
    let f = of.sub(&Expr::variable(id).scale(sign).ok()?).ok()?;
    Some((*modulus, Some(r.sub(&f).ok()?.scale(sign).ok()?)))
}

/// Returns the factor of a variable that occurs, if at all, only as a term by itself.
fn factor_of(id: VariableId, sum: &Expr) -> Option<i64> {
    let variable = Expr::variable(id);
    let factor = match sum.kind() {
        ExprKind::Variable(own) => i64::from(*own == id),
        ExprKind::Sum(sum) => {
            sum.terms().iter().find(|(_, term)| *term == variable).map_or(0, |(c, _)| *c)
        }
        _ => 0,
    };
    let rest = sum.sub(&variable.scale(factor).ok()?).ok()?;
    (!rest.variables().contains(&id)).then_some(factor)
}

struct Elimination {
    id: VariableId,
    parts: usize,
}

impl Elimination {
    fn formula(&mut self, formula: &Formula) -> Option<Formula> {
        match formula {
            other if !other.mentions(self.id) => Some(other.clone()),
            Formula::Any(cases) => {
                let cases = cases.iter().map(|case| self.formula(case));
                Some(Formula::Any(cases.collect::<Option<_>>()?))
            }
            Formula::All(_) | Formula::Is(_) => self.conjunction(vec![formula.clone()]),
        }
    }

    fn conjunction(&mut self, list: Vec<Formula>) -> Option<Formula> {
        let mut parts = Vec::new();
        Formula::All(list).flattened(&mut parts);
        self.parts = self.parts.checked_sub(parts.len())?;
        let (mut own, mut others): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| part.mentions(self.id));
        if let Some((place, solution)) = solving(self.id, &own) {
            own.remove(place);
            others.extend(solution.whole);
            let values = values(self.id, solution.value);
            for part in own {
                others.push(part.placed(&values).ok()?);
            }
            return Some(Formula::All(others));
        }
        let choice = own.iter().position(|part| matches!(part, Formula::Any(_)));
        if let Some(Formula::Any(cases)) = choice.map(|place| own.remove(place)) {
            let cases = cases.into_iter().map(|case| {
                let with = own.iter().cloned().chain([case]);
                self.conjunction(with.collect())
            });
            others.push(Formula::Any(cases.collect::<Option<_>>()?));
            return Some(Formula::All(others));
        }
        self.between(&own, &mut others)?;
        Some(Formula::All(others))
    }

    /// Adds the condition that there is an integer between the bounds of these inequalities.
    fn between(&mut self, own: &[Formula], others: &mut Vec<Formula>) -> Option<()> {
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for part in own {
            let Formula::Is(comparison) = part else {
                return None;
            };
            let value = comparison.value().ok()?;
            let factor = factor_of(self.id, &value)?;
            let rest = value.sub(&Expr::variable(self.id).scale(factor).ok()?).ok()?;
            match comparison.is_equation {
                true => return None,
                false if factor > 0 => lower.push((factor, rest, &comparison.span)),
                false => upper.push((factor.checked_neg()?, rest, &comparison.span)),
            }
        }
        self.parts = self.parts.checked_sub(lower.len().checked_mul(upper.len())?)?;
        for (a, f, span) in &lower {
            for (b, h, _) in &upper {
                let gap = match (a, b) {
                    (1, _) => h.add(&f.scale(*b).ok()?),
                    (_, 1) => f.add(&h.scale(*a).ok()?),
                    _ => h.floordiv(*b).ok()?.add(&f.floordiv(*a).ok()?),
                };
                others.push(Formula::Is(Comparison::at_least_0(gap.ok()?, span)));
            }
        }
        Some(())
    }
}
