//! Values of a variable at which a result may be extreme, in terms of parameters and of variables that are already placed.
//!
//! Between two places a result is monotonic: the places are the bounds of the variable, the points at which operands of a min or
//! max are equal, and near each of these the nearest value for each residue by a divisor. They are proposals; the proof decides
//! whether they suffice.

use super::samples::Sample;
use crate::expr::{Divisor, Domain, Expr, ExprKind, IndexingMap, VariableId};
use crate::num::{MINUS_INFINITY, PLUS_INFINITY, gcd, lcm};
use std::collections::BTreeSet;

/// Maximum divisor for which all residues are tried; for larger ones, only the residues at which a multiple of the variable
/// wraps.
const RESIDUES: i64 = 24;

/// Maximum number of combined residues by two divisors, for which all are tried.
const TOGETHER: i64 = 96;

/// The greatest divisor whose residues are tried.
const GREATEST: i64 = 4_096;

/// Maximum number of places of a variable.
const MOST: usize = 1_000;

/// Maximum number of sums derived from two others.
const FOLLOWING: usize = 40;

/// The expressions that determine the places of variables.
pub struct Outline {
    /// Sums that are nonnegative in the domain.
    rows: Vec<Expr>,
    /// Differences of operands of a min or max.
    turns: Vec<Expr>,
    /// The dividends and their divisors.
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
                | ExprKind::Mod(x, Divisor::Integer(c)) => outline.divide(x, *c),
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
        outline.follow();
        outline
    }

    /// Adds the dividend `x` by `c`, and the dividends in its terms: their quotients repeat with the period of the whole.
    fn divide(&mut self, x: &Expr, c: i64) {
        let terms = match x.kind() {
            ExprKind::Sum(sum) => sum.terms().to_vec(),
            _ => vec![(1, x.clone())],
        };
        for (factor, term) in terms {
            let ExprKind::FloorDiv(of, Divisor::Integer(by)) = term.kind() else {
                continue;
            };
            let period = gcd(factor, c).and_then(|common| by.checked_mul(c / common));
            self.divided.extend(period.map(|period| (of.clone(), period)));
        }
        self.divided.push((x.clone(), c));
    }

    /// Adds sums of two rows or turns that eliminate a variable. If it has opposite signs in two rows, the sum is a row;
    /// otherwise the variable is at both bounds where the sum is 0.
    fn follow(&mut self) {
        let kinds = [(&self.rows, true), (&self.turns, false)];
        let given: Vec<(&Expr, bool)> =
            kinds.iter().flat_map(|(list, is_row)| list.iter().map(|x| (x, *is_row))).collect();
        let (mut rows, mut turns) = (Vec::new(), Vec::new());
        for (place, (x, x_is_row)) in given.iter().enumerate() {
            for (y, y_is_row) in &given[..place] {
                for id in x.variables() {
                    let (a, b) = (x.coefficient_of(id), y.coefficient_of(id));
                    let has_more = x.variables().len() + y.variables().len() > 2;
                    let Some(sum) = without(x, a, y, b).filter(|_| has_more) else {
                        continue;
                    };
                    let list = match *x_is_row && *y_is_row && (a > 0) != (b > 0) {
                        true => &mut rows,
                        false => &mut turns,
                    };
                    if list.len() < FOLLOWING && !list.contains(&sum) {
                        list.push(sum);
                    }
                }
            }
        }
        self.rows.extend(rows);
        self.turns.extend(turns);
    }

    /// Returns the places of a variable, simple ones first. `known` has the places of the other variables, or the variables
    /// themselves. Operands of mins and maxes that make no difference at the samples are dropped.
    pub fn places(
        &self,
        id: VariableId,
        known: &[Expr],
        is_open: &[bool],
        samples: &[Sample],
        with_residues_of_turns: bool,
    ) -> Vec<Expr> {
        let own = |expr: &Expr| Around::of(expr, id, known, is_open);
        let (mut least, mut most) = (Vec::new(), Vec::new());
        for row in self.rows.iter().filter_map(own) {
            // `factor * x + rest >= 0`
            match row.factor > 0 {
                true => least.extend(row.rest.scale(-1).and_then(|x| x.ceildiv(row.factor)).ok()),
                false => most.extend(row.rest.floordiv(-row.factor).ok()),
            }
        }
        let lower = Chosen::of(least, false, samples);
        let upper = Chosen::of(most, true, samples);
        let clamped = |place: Expr| -> Option<Expr> {
            let below = upper.as_ref().map_or(Some(place.clone()), |end| end.with(place, samples));
            lower.as_ref().map_or(below.clone(), |end| end.with(below?, samples))
        };
        let ends = lower.iter().chain(&upper).map(|end| end.expr.clone());
        let mut all: Vec<Expr> = ends.collect();
        let mut up: Vec<Expr> = lower.iter().map(|end| end.expr.clone()).collect();
        let mut down: Vec<Expr> = upper.iter().map(|end| end.expr.clone()).collect();
        for turn in self.turns.iter().filter_map(own) {
            let Ok(value) = turn.rest.scale(-turn.factor.signum()) else {
                continue;
            };
            let by = turn.factor.abs();
            let before = value.floordiv(by).ok().and_then(clamped);
            let next = value.floordiv(by).and_then(|x| x.add(&Expr::constant(1)));
            let next = next.ok().and_then(clamped);
            all.extend(before.iter().chain(&next).cloned());
            if with_residues_of_turns {
                down.extend(before);
                up.extend(next);
            }
        }
        for Phase { offset, modulus, residues } in self.phases(id, known, is_open) {
            for (anchors, is_down) in [(&up, false), (&down, true)] {
                for anchor in anchors {
                    for &residue in &residues {
                        let moved = moved(anchor, &offset, residue, modulus, is_down);
                        all.extend(moved.and_then(clamped));
                    }
                }
            }
            if all.len() > MOST {
                break;
            }
        }
        all.truncate(MOST);
        all
    }

    /// Returns the offsets that are added to the variable before a division, with the residues of the sum to try.
    fn phases(&self, id: VariableId, known: &[Expr], is_open: &[bool]) -> Vec<Phase> {
        let mut found: Vec<Phase> = Vec::new();
        let mut add = |phase: Phase| {
            if (2..=GREATEST).contains(&phase.modulus) && !found.contains(&phase) {
                found.push(phase);
            }
        };
        for (x, c) in &self.divided {
            let Some(around) = Around::of(x, id, known, is_open) else {
                if x.variables().contains(&id) {
                    add(Phase::new(Expr::constant(0), *c, 1));
                }
                continue;
            };
            let Some(common) = gcd(around.factor, *c) else {
                continue;
            };
            let modulus = c / common;
            if !(2..=GREATEST).contains(&modulus) {
                continue;
            }
            let factor = (around.factor / common).rem_euclid(modulus);
            let inverse = (1..modulus).find(|k| (k * factor).rem_euclid(modulus) == 1);
            // `a * (x + rest / a)`: residues of `x + inverse * rest`.
            let offset = match (common, inverse) {
                (1, Some(inverse)) => around.rest.scale(inverse).ok(),
                _ => around.rest.floordiv(common).ok().and_then(|x| x.scale(inverse?).ok()),
            };
            let offset = offset.and_then(|x| reduced(&x, modulus));
            let offset = offset.unwrap_or_else(|| Expr::constant(0));
            add(Phase::new(offset, modulus, inverse.unwrap_or(1)));
        }
        for (place, one) in found.clone().iter().enumerate() {
            found.extend(found.clone()[..place].iter().filter_map(|other| one.and(other)));
        }
        found.sort_by_key(|phase| phase.modulus);
        found.dedup();
        found
    }
}

/// Residues of the sum of the variable and an offset.
#[derive(Clone, PartialEq, Debug)]
struct Phase {
    offset: Expr,
    modulus: i64,
    residues: Vec<i64>,
}

impl Phase {
    /// Creates all residues of a small modulus; otherwise those next to 0 and to multiples of the modulus by `inverse`, the
    /// inverse of the variable's factor.
    fn new(offset: Expr, modulus: i64, inverse: i64) -> Phase {
        let mut residues: Vec<i64> = match modulus <= RESIDUES {
            true => (0..modulus).collect(),
            false => [0, -1, inverse, -inverse].map(|x| x.rem_euclid(modulus)).to_vec(),
        };
        residues.sort_unstable();
        residues.dedup();
        Phase { offset, modulus, residues }
    }

    /// Returns the offset and the modulus that determine the residues of both, if all of them can be tried.
    fn and(&self, other: &Phase) -> Option<Phase> {
        let (c, d) = (self.modulus, other.modulus);
        let all = lcm(c, d).filter(|all| *all <= TOGETHER && *all > c.max(d))?;
        let together = |offset| Some(Phase { offset, modulus: all, residues: (0..all).collect() });
        if self.offset == other.offset {
            return together(self.offset.clone());
        }
        if all != c * d {
            return None;
        }
        let inverse = |of: i64, modulus: i64| (1..modulus).find(|k| (k * of) % modulus == 1);
        let (own, others) = (d * inverse(d % c, c)?, c * inverse(c % d, d)?);
        let offset = self.offset.scale(own).ok()?.add(&other.offset.scale(others).ok()?).ok()?;
        together(reduced(&offset, all)?)
    }
}

/// `factor * x + rest`
struct Around {
    factor: i64,
    rest: Expr,
}

impl Around {
    /// Decomposes an expression; `None` if the variable is not a term, or if another term contains it or an open variable.
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

/// The bound of a variable: the least of upper bounds, or the greatest of lower ones.
struct Chosen {
    is_least: bool,
    list: Vec<Expr>,
    expr: Expr,
    values: Vec<Option<i64>>,
}

impl Chosen {
    /// Keeps the bounds that make a difference at the samples.
    fn of(mut ends: Vec<Expr>, is_least: bool, samples: &[Sample]) -> Option<Chosen> {
        ends.sort_by_key(|end| (end.cost(), end.clone()));
        ends.dedup();
        let values = |end: &Expr| samples.iter().map(|s| end.eval(&s.point).ok()).collect();
        let all: Vec<Vec<Option<i64>>> = ends.iter().map(values).collect();
        let sign = if is_least { 1 } else { -1 };
        let best = |place: usize| {
            all.iter().filter_map(|values| values[place].map(|x| x.saturating_mul(sign))).min()
        };
        let best: Vec<Option<i64>> =
            (0..samples.len()).map(|place| Some(best(place)?.saturating_mul(sign))).collect();
        let mut left: Vec<usize> = (0..samples.len()).collect();
        let mut list = Vec::new();
        loop {
            let hits =
                |end: usize| left.iter().filter(|place| all[end][**place] == best[**place]).count();
            let next = (0..ends.len()).rev().max_by_key(|end| hits(*end))?;
            if hits(next) == 0 && !list.is_empty() {
                break;
            }
            left.retain(|place| all[next][*place] != best[*place]);
            list.push(ends[next].clone());
        }
        let expr = chosen(is_least, list.clone())?;
        Some(Chosen { is_least, list, expr, values: best })
    }

    /// Returns the place, or the bound if the place is beyond it.
    fn with(&self, place: Expr, samples: &[Sample]) -> Option<Expr> {
        let is_beyond = |(end, sample): (&Option<i64>, &Sample)| {
            let (Some(end), Ok(value)) = (end, place.eval(&sample.point)) else {
                return false;
            };
            if self.is_least { value > *end } else { value < *end }
        };
        if !self.values.iter().zip(samples).any(is_beyond) {
            return Some(place);
        }
        chosen(self.is_least, self.list.iter().cloned().chain([place]).collect())
    }
}

fn chosen(is_least: bool, list: Vec<Expr>) -> Option<Expr> {
    if is_least { Expr::min(list).ok() } else { Expr::max(list).ok() }
}

/// Returns the place nearest to `anchor`, on one side, whose sum with `offset` has the residue.
fn moved(anchor: &Expr, offset: &Expr, residue: i64, modulus: i64, is_down: bool) -> Option<Expr> {
    let at = anchor.add(offset).ok()?;
    let by = |value: Expr| value.modulo(modulus).ok();
    match is_down {
        true => anchor.sub(&by(at.sub(&Expr::constant(residue)).ok()?)?).ok(),
        false => anchor.add(&by(Expr::constant(residue).sub(&at).ok()?)?).ok(),
    }
}

/// Reduces the coefficients of a sum modulo a number.
fn reduced(expr: &Expr, modulus: i64) -> Option<Expr> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return Some(expr.clone());
    };
    let terms = sum.terms().iter().map(|(c, x)| (c.rem_euclid(modulus), x.clone()));
    Expr::sum(0, terms).ok()
}

/// Returns the bounds of variables and of sums as nonnegative sums.
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
    found
}

/// Returns the combination of two rows that eliminates a variable with the factors `a` and `b`.
fn without(x: &Expr, a: i64, y: &Expr, b: i64) -> Option<Expr> {
    if a == 0 || b == 0 {
        return None;
    }
    let common = gcd(a, b)?;
    let (a, b) = (a / common, b / common);
    // The factor of `x` is positive: if the signs differ, so is that of `y`.
    let sum = x.scale(b.checked_abs()?).ok()?;
    let other = y.scale(a.checked_abs()?.checked_mul(if (a > 0) == (b > 0) { -1 } else { 1 })?);
    let sum = sum.add(&other.ok()?).ok()?;
    sum.as_constant().is_none().then_some(sum)
}
