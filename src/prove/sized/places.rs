//! Where a variable may stand for a result to be at its end, in terms of parameters and of variables that stand already.
//!
//! Between two places a result goes one way: at the ends of the variable, where operands of a min or max are equal, and for
//! each of these at the nearest place of each residue by a divisor. Proposals, of which the proof says whether they do.

use crate::expr::{Divisor, Domain, Expr, ExprKind, IndexingMap, VariableId};
use crate::num::{MINUS_INFINITY, PLUS_INFINITY, floordiv, gcd};
use std::collections::BTreeSet;

/// The greatest divisor whose residues are all tried.
const RESIDUES: i64 = 16;

/// Most places of a variable.
const MOST: usize = 240;

/// The expressions in which the places of variables are found.
pub struct Outline {
    /// Sums that are not negative in the domain.
    rows: Vec<Expr>,
    /// Differences of operands of a min or max.
    turns: Vec<Expr>,
    /// What is divided, and the divisor.
    divided: Vec<(Expr, i64)>,
}

impl Outline {
    pub fn of(map: &IndexingMap) -> Outline {
        let domain = map.domain();
        let mut outline = Outline { rows: rows(domain), turns: Vec::new(), divided: Vec::new() };
        let constraints = domain.constraints().iter().map(|c| &c.expr);
        let mut todo: Vec<&Expr> = map.results().iter().chain(constraints).collect();
        let mut seen = BTreeSet::new();
        while let Some(expr) = todo.pop() {
            if !seen.insert(expr.address()) {
                continue;
            }
            match expr.kind() {
                ExprKind::FloorDiv(x, Divisor::Integer(c))
                | ExprKind::CeilDiv(x, Divisor::Integer(c))
                | ExprKind::Mod(x, Divisor::Integer(c)) => outline.divided.push((x.clone(), *c)),
                ExprKind::Min(list) | ExprKind::Max(list) => {
                    for (place, x) in list.iter().enumerate() {
                        let differences = list[..place].iter().filter_map(|y| x.sub(y).ok());
                        outline.turns.extend(differences);
                    }
                }
                _ => {}
            }
            todo.extend(expr.operands());
        }
        outline.divided.sort();
        outline.divided.dedup();
        outline
    }

    /// Places of a variable, plain ones first. `known` has the places of the others, themselves if they have none.
    pub fn places(&self, id: VariableId, known: &[Expr], is_open: &[bool]) -> Vec<Expr> {
        let own = |expr: &Expr| Around::of(expr, id, known, is_open);
        let (mut least, mut most) = (Vec::new(), Vec::new());
        for row in self.rows.iter().filter_map(own) {
            // `factor * x + rest >= 0`
            match row.factor > 0 {
                true => least.extend(row.rest.scale(-1).and_then(|x| x.ceildiv(row.factor)).ok()),
                false => most.extend(row.rest.floordiv(-row.factor).ok()),
            }
        }
        let lower = joined(least, Expr::max);
        let upper = joined(most, Expr::min);
        let clamped = |place: Expr| -> Option<Expr> {
            let below = Expr::min([Some(place), upper.clone()].into_iter().flatten()).ok()?;
            Expr::max([Some(below), lower.clone()].into_iter().flatten()).ok()
        };
        let mut all: Vec<Expr> = lower.iter().chain(&upper).cloned().collect();
        let mut up: Vec<Expr> = lower.iter().cloned().collect();
        let mut down: Vec<Expr> = upper.iter().cloned().collect();
        for turn in self.turns.iter().filter_map(own) {
            let Ok(value) = turn.rest.scale(-turn.factor.signum()) else {
                continue;
            };
            let by = turn.factor.abs();
            let before = value.floordiv(by).ok().and_then(clamped);
            let next = value.floordiv(by).and_then(|x| x.add(&Expr::constant(1)));
            let next = next.ok().and_then(clamped);
            all.extend(before.iter().chain(&next).cloned());
            down.extend(before);
            up.extend(next);
        }
        for (offset, modulus) in self.phases(id, known, is_open) {
            for (anchors, is_down) in [(&up, false), (&down, true)] {
                for anchor in anchors {
                    for residue in 0..modulus {
                        let moved = moved(anchor, &offset, residue, modulus, is_down);
                        all.extend(moved.and_then(clamped));
                    }
                }
            }
            if all.len() > MOST {
                break;
            }
        }
        let mut seen = BTreeSet::new();
        all.retain(|place| seen.insert(place.clone()));
        all.truncate(MOST);
        all
    }

    /// What is added to the variable before it is divided, and the number that counts.
    fn phases(&self, id: VariableId, known: &[Expr], is_open: &[bool]) -> Vec<(Expr, i64)> {
        let mut found: Vec<(Expr, i64)> = Vec::new();
        let mut add = |offset: Expr, modulus: i64| {
            if (2..=RESIDUES).contains(&modulus) && !found.contains(&(offset.clone(), modulus)) {
                found.push((offset, modulus));
            }
        };
        for (x, c) in &self.divided {
            let Some(around) = Around::of(x, id, known, is_open) else {
                if x.variables().contains(&id) {
                    add(Expr::constant(0), *c);
                }
                continue;
            };
            let Some(common) = gcd(around.factor, *c) else {
                continue;
            };
            let modulus = c / common;
            let inverse =
                (1..modulus).find(|k| (k * (around.factor / common)).rem_euclid(modulus) == 1);
            // `a * (x + rest / a)`: residues of `x + inverse * rest`.
            let offset = match (common, inverse) {
                (1, Some(inverse)) => around.rest.scale(inverse).ok(),
                _ => around.rest.floordiv(common).ok().and_then(|x| x.scale(inverse?).ok()),
            };
            let offset = offset.and_then(|x| reduced(&x, modulus));
            add(offset.unwrap_or_else(|| Expr::constant(0)), modulus);
        }
        found.sort_by_key(|(_, modulus)| *modulus);
        found
    }
}

/// `factor * x + rest`
struct Around {
    factor: i64,
    rest: Expr,
}

impl Around {
    /// `None` if the variable is no term, is in another one, or an open one is.
    fn of(expr: &Expr, id: VariableId, known: &[Expr], is_open: &[bool]) -> Option<Around> {
        let terms = match expr.kind() {
            ExprKind::Sum(sum) => sum.terms().to_vec(),
            ExprKind::Variable(_) => vec![(1, expr.clone())],
            _ => return None,
        };
        let constant = match expr.kind() {
            ExprKind::Sum(sum) => sum.constant(),
            _ => 0,
        };
        let (own, others): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|(_, term)| term.as_variable() == Some(id));
        let [(factor, _)] = own.as_slice() else {
            return None;
        };
        let factor = *factor;
        let rest = Expr::sum(constant, others).ok()?;
        let mut used = rest.variables().into_iter();
        if used.any(|other| other == id || is_open[other.index()]) || factor == i64::MIN {
            return None;
        }
        Some(Around { factor, rest: rest.substitute(known).ok()? })
    }
}

fn joined(
    mut list: Vec<Expr>,
    join: impl Fn(Vec<Expr>) -> Result<Expr, crate::expr::ExprError>,
) -> Option<Expr> {
    list.sort();
    list.dedup();
    if list.is_empty() { None } else { join(list).ok() }
}

/// The nearest place to `anchor`, on one side, whose sum with `offset` has the residue.
fn moved(anchor: &Expr, offset: &Expr, residue: i64, modulus: i64, is_down: bool) -> Option<Expr> {
    let at = anchor.add(offset).ok()?;
    let by = |value: Expr| value.modulo(modulus).ok();
    match is_down {
        true => anchor.sub(&by(at.sub(&Expr::constant(residue)).ok()?)?).ok(),
        false => anchor.add(&by(Expr::constant(residue).sub(&at).ok()?)?).ok(),
    }
}

/// The sum with factors modulo a number.
fn reduced(expr: &Expr, modulus: i64) -> Option<Expr> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return Some(expr.clone());
    };
    let terms = sum.terms().iter().map(|(c, x)| (c.rem_euclid(modulus), x.clone()));
    Expr::sum(0, terms).ok()
}

/// The bounds of variables and of sums as sums that are not negative.
fn rows(domain: &Domain) -> Vec<Expr> {
    let variables = (0u32..).map(|id| Expr::variable(VariableId(id)));
    let variables = variables.zip(domain.intervals());
    let constraints = domain.constraints().iter().map(|c| (c.expr.clone(), c.bounds));
    let mut found = Vec::new();
    for (expr, bounds) in variables.chain(constraints) {
        if bounds.lo() != MINUS_INFINITY {
            found.extend(expr.sub(&Expr::constant(bounds.lo())).ok());
        }
        if bounds.hi() != PLUS_INFINITY {
            found.extend(Expr::constant(bounds.hi()).sub(&expr).ok());
        }
    }
    found.extend(eliminated(&found));
    found
}

/// Sums of two rows in which a variable is no more.
fn eliminated(rows: &[Expr]) -> Vec<Expr> {
    const MOST_ROWS: usize = 24;
    let factor = |row: &Expr, id: VariableId| match row.kind() {
        ExprKind::Sum(sum) => {
            sum.terms().iter().find(|(_, x)| x.as_variable() == Some(id)).map_or(0, |(c, _)| *c)
        }
        _ => i64::from(row.as_variable() == Some(id)),
    };
    let mut found = Vec::new();
    let ids: BTreeSet<VariableId> = rows.iter().flat_map(Expr::variables).collect();
    for id in ids {
        for row in rows.iter().filter(|row| factor(row, id) > 0) {
            for other in rows.iter().filter(|row| factor(row, id) < 0) {
                if row.variables().len() + other.variables().len() < 3 || found.len() > MOST_ROWS {
                    continue;
                }
                let (a, b) = (factor(row, id), factor(other, id));
                let common = gcd(a, b).unwrap_or(1).max(1);
                let sum = row.scale(-floordiv(b, common)).and_then(|row| {
                    other.scale(floordiv(a, common)).and_then(|other| row.add(&other))
                });
                found.extend(sum.ok().filter(|sum| sum.as_constant().is_none()));
            }
        }
    }
    found
}
