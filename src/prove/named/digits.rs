//! Unknowns of equations: variables, and quotients and remainders of expressions with unknowns.
//!
//! `x floordiv c` and `x mod c` are unknowns `q` and `e` with the additional equation `x = c*q + e`. All of this is only for
//! proposals: signs and bounds are judged at points.

use crate::expr::{End, Expr, ExprKind, VariableId};
use std::collections::BTreeMap;

/// Maximum number of quotients and remainders.
const DIGITS: usize = 64;

/// Equations, and the bounds of their unknowns.
pub struct System {
    /// Whether each unknown has no value yet, by number.
    pub open: Vec<bool>,
    pub values: Vec<Expr>,
    /// Bounds of the unknowns that contain no unknowns.
    pub ends: Vec<[Vec<Expr>; 2]>,
    /// Expressions that must be 0.
    pub equations: Vec<Expr>,
    pub digits: BTreeMap<(Expr, Expr), [Expr; 2]>,
    /// For each quotient, an upper bound of its numerator, and its divisor.
    pub numerators: BTreeMap<u32, (Expr, Expr)>,
    /// Points of the domain, with values of all unknowns.
    pub points: Vec<Vec<i64>>,
    pub may_overlap: bool,
}

impl System {
    pub fn is_open(&self, id: VariableId) -> bool {
        self.open.get(id.index()) == Some(&true)
    }

    pub fn has_open(&self, expr: &Expr) -> bool {
        expr.variables().into_iter().any(|id| self.is_open(id))
    }

    /// Replaces quotients and remainders by unknowns.
    pub fn linear(&mut self, expr: &Expr) -> Option<Expr> {
        if !self.has_open(expr) {
            return Some(expr.clone());
        }
        match expr.kind() {
            ExprKind::Sum(sum) => {
                let mut terms = Vec::with_capacity(sum.terms().len());
                for (factor, term) in sum.terms() {
                    terms.push((*factor, self.linear(term)?));
                }
                Expr::sum(sum.constant(), terms).ok()
            }
            ExprKind::Product(list) => Expr::product(self.each_linear(list)?).ok(),
            ExprKind::Min(list) => Expr::min(self.each_linear(list)?).ok(),
            ExprKind::Max(list) => Expr::max(self.each_linear(list)?).ok(),
            ExprKind::FloorDiv(x, c) => self.quotient(x, &c.to_expr()),
            ExprKind::CeilDiv(x, c) => {
                let c = c.to_expr();
                let x = Expr::sum(-1, [(1, x.clone()), (1, c.clone())]).ok()?;
                self.quotient(&x, &c)
            }
            ExprKind::Mod(x, c) => {
                let c = c.to_expr();
                match x.kind() {
                    // Digits that are extracted one after the other are digits of the same number.
                    ExprKind::FloorDiv(..) => {
                        let (all, higher) = (self.linear(x)?, self.quotient(x, &c)?);
                        all.sub(&c.times(&higher).ok()?).ok()
                    }
                    _ => Some(self.digits_of(x, &c)?[1].clone()),
                }
            }
            ExprKind::Constant(_) | ExprKind::Variable(_) => Some(expr.clone()),
        }
    }

    fn each_linear(&mut self, list: &[Expr]) -> Option<Vec<Expr>> {
        list.iter().map(|x| self.linear(x)).collect()
    }

    fn quotient(&mut self, x: &Expr, divisor: &Expr) -> Option<Expr> {
        match x.kind() {
            ExprKind::FloorDiv(y, c) => self.quotient(y, &c.to_expr().times(divisor).ok()?),
            _ => Some(self.digits_of(x, divisor)?[0].clone()),
        }
    }

    /// Returns the quotient and the remainder.
    fn digits_of(&mut self, x: &Expr, divisor: &Expr) -> Option<[Expr; 2]> {
        let (x, divisor) = (self.linear(x)?, self.linear(divisor)?);
        let key = (x.clone(), divisor.clone());
        if let Some(known) = self.digits.get(&key) {
            return Some(known.clone());
        }
        if self.digits.len() >= DIGITS {
            return None;
        }
        let of_quotient = [End::Lower, End::Upper].map(|end| {
            let end = self.end_of(&x, end).filter(|_| !self.has_open(&divisor));
            let end = end.and_then(|end| end.floordiv_by(&divisor).ok());
            end.into_iter().collect::<Vec<Expr>>()
        });
        let beyond = match divisor.kind() {
            ExprKind::Min(list) => list.clone(),
            _ => vec![divisor.clone()],
        };
        let known = beyond.iter().filter(|x| !self.has_open(x));
        let last = known.filter_map(|x| x.sub(&Expr::constant(1)).ok());
        let of_remainder = [vec![Expr::constant(0)], last.collect()];
        if let (Some(greatest), false) = (self.end_of(&x, End::Upper), self.has_open(&divisor)) {
            let quotient = self.values.len() as u32;
            self.numerators.insert(quotient, (greatest, divisor.clone()));
        }
        self.points.retain_mut(|point| {
            let (Ok(x), Ok(c)) = (x.eval(point), divisor.eval(point)) else {
                return false;
            };
            if c >= 1 {
                point.extend([x.div_euclid(c), x.rem_euclid(c)]);
            }
            c >= 1
        });
        let digits = [of_quotient, of_remainder].map(|ends| {
            self.open.push(true);
            self.ends.push(ends);
            let unknown = variable(self.values.len() as u32);
            self.values.push(unknown.clone());
            unknown
        });
        let whole = divisor.times(&digits[0]).and_then(|whole| whole.add(&digits[1]));
        self.equations.push(x.sub(&whole.ok()?).ok()?);
        self.digits.insert(key, digits.clone());
        Some(digits)
    }

    /// Returns a bound of an expression, from the bounds of its unknowns.
    pub fn end_of(&self, expr: &Expr, end: End) -> Option<Expr> {
        if !self.has_open(expr) {
            return Some(expr.clone());
        }
        let each = |list: &[Expr]| -> Vec<Option<Expr>> {
            list.iter().map(|x| self.end_of(x, end)).collect()
        };
        match expr.kind() {
            ExprKind::Constant(_) => Some(expr.clone()),
            ExprKind::Variable(id) => {
                self.ends[id.index()][usize::from(end == End::Upper)].first().cloned()
            }
            ExprKind::Sum(sum) => {
                let mut terms = Vec::with_capacity(sum.terms().len());
                for (factor, term) in sum.terms() {
                    let end = if *factor > 0 { end } else { end.other() };
                    terms.push((*factor, self.end_of(term, end)?));
                }
                Expr::sum(sum.constant(), terms).ok()
            }
            ExprKind::Product(list) => {
                let is_natural = |x: &Expr| {
                    let values = self.at_points(x);
                    values.is_some_and(|values| values.iter().all(|value| *value >= 0))
                };
                let ends = each(list).into_iter().collect::<Option<Vec<Expr>>>()?;
                list.iter().all(is_natural).then(|| Expr::product(ends).ok())?
            }
            ExprKind::FloorDiv(x, c) => {
                let c = Some(c.to_expr()).filter(|c| !self.has_open(c))?;
                self.end_of(x, end)?.floordiv_by(&c).ok()
            }
            ExprKind::CeilDiv(x, c) => {
                let c = Some(c.to_expr()).filter(|c| !self.has_open(c))?;
                self.end_of(x, end)?.ceildiv_by(&c).ok()
            }
            ExprKind::Mod(_, c) => match end {
                End::Lower => Some(Expr::constant(0)),
                End::Upper => self.end_of(&c.to_expr(), end)?.sub(&Expr::constant(1)).ok(),
            },
            ExprKind::Min(list) if end == End::Upper => {
                let known: Vec<Expr> = each(list).into_iter().flatten().collect();
                (!known.is_empty()).then(|| Expr::min(known).ok())?
            }
            ExprKind::Max(list) if end == End::Lower => {
                let known: Vec<Expr> = each(list).into_iter().flatten().collect();
                (!known.is_empty()).then(|| Expr::max(known).ok())?
            }
            ExprKind::Min(list) => {
                Expr::min(each(list).into_iter().collect::<Option<Vec<_>>>()?).ok()
            }
            ExprKind::Max(list) => {
                Expr::max(each(list).into_iter().collect::<Option<Vec<_>>>()?).ok()
            }
        }
    }

    pub fn solve(&mut self, unknown: u32, value: &Expr) -> Option<()> {
        self.open[unknown as usize] = false;
        if let Some((greatest, divisor)) = self.numerators.get(&unknown)
            && !self.has_open(value)
        {
            // The bound that remains for the remainder, which is the next unknown.
            let left = greatest.sub(&divisor.times(value).ok()?).ok()?;
            self.ends[unknown as usize + 1][1].push(left);
        }
        let mut places: Vec<Expr> = (0..unknown).map(variable).collect();
        places.push(value.clone());
        for expr in self.values.iter_mut().chain(&mut self.equations) {
            *expr = expr.substitute(&places).ok()?;
        }
        Some(())
    }

    /// Returns the sign of an expression, 1 or -1, if it is the same at all points.
    pub fn sign(&self, expr: &Expr) -> Option<i64> {
        let values = self.at_points(expr)?;
        let first = values.first()?.signum();
        (first != 0 && values.iter().all(|value| value.signum() == first)).then_some(first)
    }

    pub fn at_points(&self, expr: &Expr) -> Option<Vec<i64>> {
        let values = self.points.iter().map(|point| expr.eval(point).ok());
        values.collect()
    }
}

pub fn variable(id: u32) -> Expr {
    Expr::variable(VariableId(id))
}
