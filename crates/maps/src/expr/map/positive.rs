//! Whether divisors are positive in a domain.
//!
//! Invariant of maps: each divisor that is not an integer is at least 1 at every point of the domain, as established by
//! [`Domain::is_positive`].

use super::{Domain, IndexingMap, signs};
use crate::expr::{Divisor, Expr, ExprKind, VariableId, interval_by_operands};
use crate::num::Interval;
use rustc_hash::FxHashSet;

/// The positive integers.
pub(super) const POSITIVE: Interval = Interval::at_least(1);

impl Domain {
    /// Returns whether `expr` is known to be at least 1 at every point.
    ///
    /// This is decided by intervals, each intersected with the constraint on the same expression, and then by the signs of
    /// polynomials. The divisors inside `expr` are assumed to be positive: each is checked on its own.
    #[must_use]
    pub fn is_positive(&self, expr: &Expr) -> bool {
        let range = match self.is_known_empty() {
            true => Interval::EMPTY,
            false => self.interval(expr),
        };
        POSITIVE.contains_all(range)
            || range.hi() >= 1 && (self.has_positive_parts(expr) || signs::least(expr, self) >= 1)
    }

    /// Returns a divisor in `expr` that is not known to be at least 1 at every point.
    ///
    /// ```
    /// use affinor_maps::expr::{Domain, Expr, Variable, VariableId, VariableKind};
    /// use affinor_maps::num::Interval;
    ///
    /// let n = Expr::variable(VariableId(0));
    /// let of = |lo| Domain::new(vec![Variable::new("n", VariableKind::Parameter, Interval::new(lo, 8))]);
    /// let quotient = Expr::constant(9).floordiv_by(&n)?;
    /// assert_eq!(of(1).unknown_divisor(&quotient), None);
    /// assert_eq!(of(0).unknown_divisor(&quotient.add(&n)?), Some(n));
    /// # Ok::<(), affinor_maps::expr::ExprError>(())
    /// ```
    #[must_use]
    pub fn unknown_divisor(&self, expr: &Expr) -> Option<Expr> {
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            if let ExprKind::FloorDiv(_, Divisor::Named(divisor))
            | ExprKind::CeilDiv(_, Divisor::Named(divisor))
            | ExprKind::Mod(_, Divisor::Named(divisor)) = expr.kind()
                && !self.is_positive(divisor)
            {
                return Some(divisor.clone());
            }
            pending.extend(expr.operands());
        }
        None
    }

    /// Returns whether the expression is a minimum or a product of positive expressions.
    fn has_positive_parts(&self, expr: &Expr) -> bool {
        match expr.kind() {
            ExprKind::Min(parts) | ExprKind::Product(parts) => {
                parts.iter().all(|part| self.is_positive(part))
            }
            _ => false,
        }
    }

    /// Returns an interval for `expr`, from the intervals of its parts and the constraints on them.
    pub(super) fn interval(&self, expr: &Expr) -> Interval {
        let bounds = |id| self.bounds(id);
        let plain = interval_by_operands(expr, &bounds, |part| self.interval(part));
        self.constrained(expr, plain)
    }

    /// Returns the part of a divisor that remains to be shown positive: the only factor, or operand of a minimum, that is not
    /// known to be positive, or else the whole divisor.
    #[must_use]
    pub fn unknown_factor(&self, divisor: &Expr) -> Expr {
        if let ExprKind::Product(parts) | ExprKind::Min(parts) = divisor.kind() {
            let mut unknown = parts.iter().filter(|part| !self.is_positive(part));
            if let (Some(part), None) = (unknown.next(), unknown.next()) {
                return self.unknown_factor(part);
            }
        }
        divisor.clone()
    }
}

impl IndexingMap {
    /// Returns a divisor that is not positive at any point at which the variables have these values.
    #[must_use]
    pub fn unmet_divisor(&self, values: &[(VariableId, i64)]) -> Option<Expr> {
        let mut variables = self.domain.variables().to_vec();
        for (id, value) in values {
            variables[id.index()].bounds = Interval::new(*value, *value);
        }
        let at = Domain::new(variables); // without constraints, which would assume that the divisor is positive
        let mut divisors = self.divisors().into_iter();
        divisors.find(|divisor| !at.is_known_empty() && at.interval(divisor).hi() < 1)
    }

    /// Returns the divisors in the map that are not integers; nested ones come before those that contain them.
    fn divisors(&self) -> Vec<Expr> {
        let exprs = self.domain.constraints().iter().map(|c| &c.expr);
        let exprs = exprs.chain(&self.results);
        let mut divisors = Divisors::default();
        exprs.for_each(|expr| divisors.collect(expr));
        divisors.found
    }

    /// Adds `divisor in [1, inf]` for each divisor that is not known to be positive.
    pub(super) fn with_positive_divisors(mut self) -> IndexingMap {
        for divisor in self.divisors() {
            if !self.domain.is_positive(&divisor) {
                self.domain.constrain(&divisor, POSITIVE);
            }
        }
        self
    }
}

/// Collects the divisors that are not integers; nested ones come before those that contain them.
#[derive(Default)]
struct Divisors {
    found: Vec<Expr>,
    seen: FxHashSet<Expr>,
}

impl Divisors {
    fn collect(&mut self, expr: &Expr) {
        if !expr.is_symbolic() || !self.seen.insert(expr.clone()) {
            return;
        }
        expr.operands().for_each(|operand| self.collect(operand));
        if let ExprKind::FloorDiv(_, Divisor::Named(divisor))
        | ExprKind::CeilDiv(_, Divisor::Named(divisor))
        | ExprKind::Mod(_, Divisor::Named(divisor)) = expr.kind()
        {
            self.found.push(divisor.clone());
        }
    }
}
