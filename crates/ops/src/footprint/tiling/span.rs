//! Proposes the least and the greatest value of an expression over all values of its range variables, in terms of its other
//! variables and named sizes. The proposals are to be proved.

use affinor::expr::{Domain, End, Expr, ExprKind, VariableId, VariableKind};
use affinor::num::gcd_wide;
use affinor::prove::{ends_of, sized_points};

pub(super) struct Span<'a> {
    domain: &'a Domain,
    points: Vec<Vec<i64>>,
    /// Whether to assume that a remainder does not wrap around if it does not at the sampled points.
    is_hopeful: bool,
    /// Whether to take the extremes of a tile that constraints cut off.
    is_cut: bool,
}

impl Span<'_> {
    pub(super) fn new(domain: &Domain, is_hopeful: bool, is_cut: bool) -> Span<'_> {
        Span { points: sized_points(domain), domain, is_hopeful, is_cut }
    }

    fn is_local(&self, id: VariableId) -> bool {
        self.domain.variables()[id.index()].kind == VariableKind::Range
    }

    fn has_local(&self, expr: &Expr) -> bool {
        expr.variables().into_iter().any(|id| self.is_local(id))
    }

    /// Returns the least or the greatest value.
    pub(super) fn extreme(&self, expr: &Expr, end: End) -> Option<Expr> {
        if !self.has_local(expr) {
            return Some(expr.clone());
        }
        let each = |list: &[Expr]| -> Option<Vec<Expr>> {
            list.iter().map(|x| self.extreme(x, end)).collect()
        };
        match expr.kind() {
            ExprKind::Constant(_) => Some(expr.clone()),
            ExprKind::Variable(id) => self.end_of(*id, end, self.is_cut),
            ExprKind::Sum(sum) => {
                let mut terms = Vec::new();
                for (factor, term) in sum.terms() {
                    let end = if *factor > 0 { end } else { end.other() };
                    terms.push((*factor, self.extreme(term, end)?));
                }
                Expr::sum(sum.constant(), terms).ok()
            }
            ExprKind::Product(list) => {
                let is_natural = |x: &Expr| self.domain.range_of(x).lo() >= 0;
                let (local, outer): (Vec<&Expr>, Vec<&Expr>) =
                    list.iter().partition(|x| self.has_local(x));
                let all_natural = outer.iter().all(|x| is_natural(x));
                if !all_natural || local.len() > 1 && !local.iter().all(|x| is_natural(x)) {
                    return None;
                }
                Expr::product(each(list)?).ok()
            }
            ExprKind::FloorDiv(x, c) => {
                let c = Some(c.to_expr()).filter(|c| !self.has_local(c))?;
                self.extreme(x, end)?.floordiv_by(&c).ok()
            }
            ExprKind::CeilDiv(x, c) => {
                let c = Some(c.to_expr()).filter(|c| !self.has_local(c))?;
                self.extreme(x, end)?.ceildiv_by(&c).ok()
            }
            ExprKind::Mod(x, c) => {
                let c = Some(c.to_expr()).filter(|c| !self.has_local(c))?;
                match (self.without_wrap(x, &c), end) {
                    (Some(sum), _) => self.extreme(&sum, end),
                    (None, End::Lower) => Some(Expr::constant(0)),
                    (None, End::Upper) => c.sub(&Expr::constant(1)).ok(),
                }
            }
            ExprKind::Min(list) => Expr::min(each(list)?).ok(),
            ExprKind::Max(list) => Expr::max(each(list)?).ok(),
        }
    }

    /// Returns the maximum difference between the two extremes, free of the other variables.
    pub(super) fn width(&self, expr: &Expr) -> Option<Expr> {
        if !self.has_local(expr) {
            return Some(Expr::constant(0));
        }
        match expr.kind() {
            ExprKind::Sum(sum) => {
                let mut terms = Vec::new();
                for (factor, term) in sum.terms() {
                    terms.push((factor.checked_abs()?, self.width(term)?));
                }
                Expr::sum(0, terms).ok()
            }
            ExprKind::FloorDiv(x, c) | ExprKind::CeilDiv(x, c) => {
                let c = Some(c.to_expr()).filter(|c| !self.has_local(c))?;
                self.width(x)?.ceildiv_by(&c).ok()
            }
            _ => {
                let loose = Span {
                    domain: self.domain,
                    points: self.points.clone(),
                    is_cut: false,
                    ..*self
                };
                let [upper, lower] = [End::Upper, End::Lower].map(|end| loose.extreme(expr, end));
                upper?.sub(&lower?).ok()
            }
        }
    }

    /// Returns a bound of a range variable in terms of parameters, or, failing that, of all other variables.
    fn end_of(&self, id: VariableId, end: End, is_cut: bool) -> Option<Expr> {
        let place = usize::from(end == End::Upper);
        let of_sizes = ends_of(self.domain, id, &|other| self.domain.is_parameter(other));
        let mut ends = of_sizes[place].clone();
        if ends.is_empty() || is_cut {
            ends = ends_of(self.domain, id, &|other| !self.is_local(other))[place].clone();
        }
        match (ends.is_empty(), end) {
            (true, _) => None,
            (false, End::Lower) => Expr::max(ends).ok(),
            (false, End::Upper) => Expr::min(ends).ok(),
        }
    }

    /// `x mod c` as a remainder without range variables plus a sum, if this holds at the sampled points.
    fn without_wrap(&self, x: &Expr, c: &Expr) -> Option<Expr> {
        let ExprKind::Sum(sum) = x.kind() else {
            return None;
        };
        let (local, outer): (Vec<_>, Vec<_>) =
            sum.terms().iter().cloned().partition(|(_, term)| self.has_local(term));
        let outer = Expr::sum(sum.constant(), outer).ok()?.modulo_by(c).ok()?;
        let apart = Expr::sum(0, local.into_iter().chain([(1, outer)])).ok()?;
        let whole = x.modulo_by(c).ok()?;
        let is_same =
            |point: &Vec<i64>| apart.eval(point).is_ok_and(|value| whole.eval(point) == Ok(value));
        (self.is_hopeful && !self.points.is_empty() && self.points.iter().all(is_same))
            .then_some(apart)
    }

    /// Returns a common divisor of the distances between values.
    pub(super) fn stride(&self, expr: &Expr) -> Expr {
        let one = Expr::constant(1);
        if !self.has_local(expr) {
            return one;
        }
        match expr.kind() {
            ExprKind::Mod(x, c) => {
                let sum = self.without_wrap(x, &c.to_expr());
                sum.map_or(one, |sum| self.stride(&sum))
            }
            _ => self.common_factor(expr).unwrap_or(one),
        }
    }

    fn common_factor(&self, expr: &Expr) -> Option<Expr> {
        let mut factors = Vec::new();
        self.factors(&Expr::constant(1), expr, &mut factors)?;
        let integers: Option<Vec<i64>> = factors.iter().map(Expr::as_constant).collect();
        if let Some(integers) = integers {
            let common = integers
                .iter()
                .fold(0, |common, factor| gcd_wide(common, factor.unsigned_abs().into()));
            return Some(Expr::constant(i64::try_from(common.max(1)).ok()?));
        }
        let at_points = |x: &Expr| -> Option<Vec<i64>> {
            self.points.iter().map(|point| x.eval(point).ok()).collect()
        };
        let values: Option<Vec<Vec<i64>>> = factors.iter().map(at_points).collect();
        let values = values?;
        let divides = |own: &Vec<i64>| {
            values.iter().all(|other| own.iter().zip(other).all(|(x, y)| *x >= 1 && y % x == 0))
        };
        let found = factors.iter().zip(&values).find(|(_, own)| divides(own));
        found.map(|(factor, _)| factor.clone())
    }

    /// Collects the factors of the range variables; returns `None` if a range variable occurs below another operator.
    fn factors(&self, factor: &Expr, expr: &Expr, found: &mut Vec<Expr>) -> Option<()> {
        if !self.has_local(expr) {
            return Some(());
        }
        match expr.kind() {
            ExprKind::Variable(_) => {
                let of_sizes = |id: VariableId| self.domain.is_parameter(id);
                if !factor.variables().into_iter().all(of_sizes) {
                    return None;
                }
                found.push(factor.clone());
            }
            ExprKind::Sum(sum) => {
                for (inner, term) in sum.terms() {
                    self.factors(&factor.scale(*inner).ok()?, term, found)?;
                }
            }
            ExprKind::Product(list) => {
                let (local, outer): (Vec<Expr>, Vec<Expr>) =
                    list.iter().cloned().partition(|x| self.has_local(x));
                let [inner] = local.as_slice() else {
                    return None;
                };
                let factor = Expr::product(outer.into_iter().chain([factor.clone()])).ok()?;
                self.factors(&factor, inner, found)?;
            }
            _ => return None,
        }
        Some(())
    }
}
