//! Whether divisors are positive in a domain.
//!
//! Invariant of maps: each divisor that is no integer is at least 1 at every point of the domain, and that is
//! established by [`Domain::is_positive`].

use super::{Domain, IndexingMap};
use crate::expr::{Divisor, Expr, ExprKind, interval_by_operands};
use crate::num::Interval;
use rustc_hash::FxHashSet;

/// What is at least 1.
pub(super) const POSITIVE: Interval = Interval::at_least(1);

impl Domain {
    /// Whether `expr` is known to be at least 1 at every point.
    ///
    /// It is decided by intervals, of which each is intersected with that of a constraint on the same expression.
    #[must_use]
    pub fn is_positive(&self, expr: &Expr) -> bool {
        self.is_known_empty() || POSITIVE.contains_all(self.interval(expr))
    }

    /// The interval of `expr`, from those of its parts and constraints on them.
    fn interval(&self, expr: &Expr) -> Interval {
        let bounds = |id| self.bounds(id);
        let plain = interval_by_operands(expr, &bounds, |part| self.interval(part));
        self.constrained(expr, plain)
    }

    /// Returns what would have to be known, beside what is, for a divisor to be positive: a factor of it, or all of it.
    #[must_use]
    pub fn unknown_factor(&self, divisor: &Expr) -> Expr {
        if let ExprKind::Product(factors) = divisor.kind() {
            let mut unknown = factors.iter().filter(|factor| !self.is_positive(factor));
            if let (Some(factor), None) = (unknown.next(), unknown.next()) {
                return factor.clone();
            }
        }
        divisor.clone()
    }
}

impl IndexingMap {
    /// Adds `divisor in [1, inf]` for each divisor that is not known to be positive.
    pub(super) fn with_positive_divisors(mut self) -> IndexingMap {
        let exprs = self.domain.constraints().iter().map(|c| &c.expr);
        let exprs = exprs.chain(&self.results);
        let mut divisors = Divisors::default();
        exprs.for_each(|expr| divisors.collect(expr));
        for divisor in divisors.found {
            if !self.domain.is_positive(&divisor) {
                self.domain.constrain(&divisor, POSITIVE);
            }
        }
        self
    }
}

/// The divisors that are no integers; those in others come first.
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
