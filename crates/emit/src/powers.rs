//! Replaces divisors by powers of two, if this takes only a few operations more: machines divide by these with a shift and a
//! mask.
//!
//! Law: a function of integers from 0 on is the sum of its value at 0 and, for each bit of each of them, a weight, if this holds
//! at every point of the box; every point is tried. Adjacent bits whose weights double are a digit.

use affinor_maps::expr::{Divisor, Domain, Expr, ExprKind, IndexingMap, VariableId};
use std::collections::BTreeSet;

/// Number of additional operations that replacing a divisor other than a power of two is worth.
const OPERATIONS_OF_A_DIVISION: u64 = 4;

/// Maximum number of operations of a part that is examined.
const MOST_OPERATIONS: u64 = 200;

/// Maximum number of operation evaluations for all results of a map.
const EVALUATIONS: u64 = 1 << 18;

/// Returns a map with the same results at each point of its domain, and with fewer divisors that are not powers of two.
#[must_use]
pub fn with_powers(map: &IndexingMap) -> IndexingMap {
    let mut search = Search { domain: map.domain(), left: EVALUATIONS };
    let results = map.results().iter().map(|result| {
        let is_small = result.cost().ops <= MOST_OPERATIONS;
        let found = is_small.then(|| search.rewritten(result)).flatten();
        found.unwrap_or_else(|| result.clone())
    });
    IndexingMap::new(map.domain().clone(), results.collect())
}

struct Search<'d> {
    domain: &'d Domain,
    /// The remaining operation evaluations.
    left: u64,
}

impl Search<'_> {
    /// Returns an expression with fewer such divisors, if one is found.
    fn rewritten(&mut self, expr: &Expr) -> Option<Expr> {
        if divisions(expr) == 0 {
            return None;
        }
        if let Some(found) = self.by_bits(expr) {
            return Some(found);
        }
        match expr.kind() {
            ExprKind::Sum(_) => self.sum(expr),
            _ => {
                let mut is_changed = false;
                let found = expr.with_operands(|operand| {
                    Ok(match self.rewritten(operand) {
                        Some(found) => {
                            is_changed = true;
                            found
                        }
                        None => operand.clone(),
                    })
                });
                found.ok().filter(|_| is_changed)
            }
        }
    }

    /// Rewrites a sum by parts: terms with common variables together, then each term by itself.
    fn sum(&mut self, expr: &Expr) -> Option<Expr> {
        let ExprKind::Sum(sum) = expr.kind() else { return None };
        let mut left = sum.terms().to_vec();
        let (mut done, mut is_changed) = (Vec::new(), false);
        while let Some(at) = left.iter().position(|(_, term)| divisions(term) > 0) {
            let (factor, term) = left.remove(at);
            let variables = term.variables();
            let (mut together, others): (Vec<_>, Vec<_>) = left
                .iter()
                .cloned()
                .partition(|(_, other)| other.variables().is_subset(&variables));
            together.push((factor, term.clone()));
            let whole = Expr::sum(0, together).ok().filter(|_| others.len() < left.len());
            if let Some(found) = whole.and_then(|whole| self.by_bits(&whole)) {
                left = others;
                done.push((1, found));
                is_changed = true;
                continue;
            }
            let found = self.rewritten(&term);
            is_changed |= found.is_some();
            done.push((factor, found.unwrap_or(term)));
        }
        done.extend(left);
        Expr::sum(sum.constant(), done).ok().filter(|_| is_changed)
    }

    /// Returns the expression as a sum of weighted bits, if that has at most a few operations more.
    fn by_bits(&mut self, expr: &Expr) -> Option<Expr> {
        let (found, most) = (self.digits(expr)?, expr.cost().ops);
        let saved = OPERATIONS_OF_A_DIVISION.saturating_mul(divisions(expr));
        (found.cost().ops <= most.saturating_add(saved)).then_some(found)
    }

    fn digits(&mut self, expr: &Expr) -> Option<Expr> {
        let mut lasts = Vec::new();
        let mut points = 1_u64;
        for variable in expr.variables() {
            let bounds = self.domain.bounds(variable);
            if bounds.lo() != 0 || bounds.hi() < 0 || !bounds.is_bounded() {
                return None;
            }
            let count = u64::try_from(bounds.hi()).ok()?.checked_add(1)?;
            points = points.checked_mul(count)?;
            lasts.push((variable, bounds.hi()));
        }
        self.left = self.left.checked_sub(points.checked_mul(expr.cost().ops.max(1))?)?;
        let mut point = vec![0_i64; self.domain.variables().len()];
        let zero = expr.eval(&point).ok()?;
        let mut weights = Vec::new();
        for (variable, last) in &lasts {
            for bit in (0..63).take_while(|bit| 1_i64 << bit <= *last) {
                point[variable.index()] = 1 << bit;
                let weight = expr.eval(&point).ok()?.checked_sub(zero)?;
                weights.push((*variable, bit, weight));
            }
            point[variable.index()] = 0;
        }
        loop {
            let bits = weights.iter().filter(|(v, bit, _)| point[v.index()] >> bit & 1 == 1);
            let sum = bits.map(|(_, _, weight)| *weight).try_fold(zero, i64::checked_add)?;
            if expr.eval(&point).ok()? != sum {
                return None;
            }
            // Advances to the next point: the first variable varies fastest.
            let next = lasts.iter().find(|(variable, last)| {
                let place = &mut point[variable.index()];
                *place = if *place == *last { 0 } else { *place + 1 };
                *place != 0
            });
            if next.is_none() {
                return weighted(zero, &weights, &lasts);
            }
        }
    }
}

/// Builds the sum of digits, each a run of bits.
fn weighted(
    zero: i64,
    weights: &[(VariableId, u32, i64)],
    lasts: &[(VariableId, i64)],
) -> Option<Expr> {
    let mut terms = Vec::new();
    let follows = |(v, _, weight): &(VariableId, u32, i64), next: &(VariableId, u32, i64)| {
        *v == next.0 && weight.checked_mul(2) == Some(next.2)
    };
    for run in weights.chunk_by(follows) {
        let [(variable, from, weight), ..] = run else { continue };
        if *weight == 0 {
            continue;
        }
        let end = from + u32::try_from(run.len()).ok()?;
        let last = lasts.iter().find(|(known, _)| known == variable).map_or(0, |(_, last)| *last);
        let mut digit = Expr::variable(*variable).floordiv(1 << from).ok()?;
        if end < 63 && last >> end > 0 {
            digit = digit.modulo(1 << run.len()).ok()?;
        }
        terms.push((*weight, digit));
    }
    Expr::sum(zero, terms).ok()
}

/// Counts the integer divisors in an expression that are not powers of two; counts each shared part once.
fn divisions(expr: &Expr) -> u64 {
    fn collect(expr: &Expr, seen: &mut BTreeSet<usize>) -> u64 {
        if expr.cost().divmods == 0 || !seen.insert(expr.address()) {
            return 0;
        }
        let own = match expr.kind() {
            ExprKind::FloorDiv(_, Divisor::Integer(c))
            | ExprKind::CeilDiv(_, Divisor::Integer(c))
            | ExprKind::Mod(_, Divisor::Integer(c)) => u64::from(c.count_ones() != 1),
            _ => 0,
        };
        expr.operands().fold(own, |all, operand| all + collect(operand, seen))
    }
    collect(expr, &mut BTreeSet::new())
}
