//! Equality of maps that multiply and divide by named sizes, for all sizes.
//!
//! Both maps become polynomials over variables, quotients and minima. Divisions are evaluated bottom-up: if the solver shows from
//! the domain that a remainder lies in one block of its divisor, the quotient is its value there. The remaining difference of two
//! results must be 0. Each query to the solver is an obligation like those of rules (`prove::products`).

mod attained;
mod bounds;
mod digits;
mod draws;
mod facts;
mod least;
mod solve;
mod terms;

use crate::expr::{Constraint, Divisor, Domain, End, Expr, ExprKind, IndexingMap, VariableKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::prove::products::{Atom, Polynomial, Unknown};
use crate::prove::{Budget, Reason};
pub use attained::is_attained;
pub use bounds::{ends_of, sized_points};
pub use draws::Draws;
use facts::Facts;
pub use solve::{Wanted, proposal};
use terms::Terms;

/// Number of points at which a comparison is tried before the solver is queried.
const POINTS: usize = 40;

/// The maximum number of draws to find these.
const DRAWS: usize = 400;

/// Shows that each point of the domain of `left` is in that of `right`, and with the same results if they are `compared`.
///
/// # Errors
/// The [`Reason`] why it is not shown; it may still be true.
pub(super) fn is_part(
    left: &IndexingMap,
    right: &IndexingMap,
    compared: bool,
    budget: &Budget,
) -> Result<(), Reason> {
    if left.domain().is_known_empty() {
        return Ok(());
    }
    let mut work = Work::in_domain(left.domain(), budget);
    let shown = work.decide(left, right, compared);
    work.reason_unless(shown)
}

/// Shows that each point of the domain of `left` is in that of `right`, which has the same variables, and with the same results.
/// The maps may multiply and divide by named sizes.
///
/// # Errors
/// The [`Reason`] why it is not shown; it may still be true.
pub fn extends(right: &IndexingMap, left: &IndexingMap, budget: &Budget) -> Result<(), Reason> {
    match budget.solver_steps {
        0 => Err(Reason::SolverOff),
        _ => is_part(left, right, true, budget),
    }
}

/// Shows that a domain has no point.
///
/// # Errors
/// The [`Reason`] why it is not shown; it may still be true.
pub(super) fn is_empty(domain: &Domain, budget: &Budget) -> Result<(), Reason> {
    let mut work = Work::in_domain(domain, budget);
    let assumed = work.assume(domain);
    let shown = assumed.map(|()| work.terms.facts.are_contradictory());
    work.reason_unless(shown)
}

/// Returns, for each result of a map with parameters, a lower and an upper bound in terms of these, if one is found, proved, and
/// no worse than the bound of the result's interval.
#[must_use]
pub fn ends(map: &IndexingMap, intervals: &[Interval], budget: &Budget) -> Vec<[Option<Expr>; 2]> {
    let mut work = Work::in_domain(map.domain(), budget);
    let assumed = work.assume(map.domain());
    let results = map.results().iter().zip(intervals);
    let results = results.map(|(result, interval)| {
        let ends = [(End::Lower, interval.lo()), (End::Upper, interval.hi())];
        ends.map(|(end, plain)| assumed.and_then(|()| work.end(result, end, plain)))
    });
    results.collect()
}

fn names(domain: &Domain) -> Vec<String> {
    let numbered = domain.variables().iter().enumerate();
    // Names that no other map has: only positions matter.
    numbered.map(|(index, _)| format!("x{index}")).collect()
}

fn points(domain: &Domain) -> Vec<Vec<i128>> {
    let mut draws = Draws::new(domain);
    let drawn = (0..DRAWS).filter_map(|_| draws.draw());
    let mut points: Vec<Vec<i128>> = Vec::new();
    for point in drawn {
        let point = point.into_iter().map(i128::from).collect();
        if points.len() < POINTS && !points.contains(&point) {
            points.push(point);
        }
    }
    points
}

struct Work<'b> {
    terms: Terms<'b>,
    budget: &'b Budget,
}

impl<'b> Work<'b> {
    fn in_domain(domain: &Domain, budget: &'b Budget) -> Work<'b> {
        let sizes = domain.ids(VariableKind::Parameter);
        let sizes = sizes.filter_map(|id| Unknown::try_from(id.0).ok());
        let facts = Facts::new(names(domain), sizes.collect(), points(domain), budget);
        Work { terms: Terms::new(facts), budget }
    }

    /// Returns the reason why it is not shown; `None` means that numbers are too large, or divisors are not known to be positive.
    fn reason_unless(self, shown: Option<bool>) -> Result<(), Reason> {
        match shown {
            Some(true) => Ok(()),
            _ if self.budget.is_interrupted() => Err(Reason::Interrupted),
            Some(false) => Err(self.terms.facts.reason.unwrap_or(Reason::Symbolic)),
            None => Err(Reason::Symbolic),
        }
    }

    fn decide(&mut self, left: &IndexingMap, right: &IndexingMap, compared: bool) -> Option<bool> {
        self.assume(left.domain())?;
        if right.domain().is_known_empty() {
            return Some(self.terms.facts.are_contradictory());
        }
        self.terms.divisors_are_positive = false;
        let bounds = right.domain().intervals().zip(left.domain().intervals());
        for (index, (wanted, own)) in (0..).zip(bounds) {
            if !wanted.contains_all(own) && !self.lies_in(&variable(index)?, wanted)? {
                return Some(false);
            }
        }
        for constraint in right.domain().constraints() {
            if !is_given(left.domain(), constraint) {
                let value = self.terms.polynomial(&constraint.expr)?;
                if !self.lies_in(&value, constraint.bounds)? {
                    return Some(false);
                }
            }
        }
        if !compared {
            return Some(true);
        }
        // At each point of both domains, all divisors are positive.
        self.terms.divisors_are_positive = true;
        for (x, y) in left.results().iter().zip(right.results()) {
            if x != y && !self.are_equal(x, y)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Adds the bounds and constraints of a domain, and that its divisors are positive.
    fn assume(&mut self, domain: &Domain) -> Option<()> {
        for (index, bounds) in (0..).zip(domain.intervals()) {
            self.assume_in(&variable(index)?, bounds)?;
        }
        // Constraints without division come first: they give better bounds of the quotients in the others.
        let divisions = |constraint: &&Constraint| constraint.expr.cost().divmods;
        let mut constraints: Vec<&Constraint> = domain.constraints().iter().collect();
        constraints.sort_by_key(divisions);
        for constraint in constraints {
            let value = self.terms.polynomial(&constraint.expr)?;
            self.assume_in(&value, constraint.bounds)?;
        }
        Some(())
    }

    fn assume_in(&mut self, value: &Polynomial, bounds: Interval) -> Option<()> {
        for atom in memberships(value, bounds)? {
            self.terms.facts.assume(atom)?;
        }
        Some(())
    }

    /// Returns a bound of an expression in terms of sizes, no worse than `plain`.
    fn end(&mut self, expr: &Expr, end: End, plain: i64) -> Option<Expr> {
        let value = self.terms.polynomial(expr)?;
        let below_divisor = match (expr.kind(), end) {
            (ExprKind::Mod(_, Divisor::Named(divisor)), End::Upper) => {
                let divisor = self.terms.polynomial(divisor)?;
                self.terms.facts.end_of(&divisor.shifted(-1)?, end)
            }
            _ => None,
        };
        let proposed = self.terms.facts.end_of(&value, end);
        let guessed = match (end, plain == end.infinity()) {
            (End::Upper, true) => self.terms.facts.products_of_sizes(),
            (End::Lower, true) => vec![Polynomial::constant(0)],
            _ => Vec::new(),
        };
        let proposed = below_divisor.into_iter().chain(proposed);
        for bound in proposed.chain(guessed) {
            let sign = if end == End::Lower { 1 } else { -1 };
            let room = value.plus(-1, &bound)?.scaled(sign)?;
            let is_no_worse = plain == end.infinity() || {
                let gain = bound.shifted(-i128::from(plain))?.scaled(sign)?;
                self.terms.facts.holds(&Atom::not_negative(gain), true)
            };
            if is_no_worse && self.terms.facts.holds(&Atom::not_negative(room), true) {
                return self.terms.facts.expression(&bound);
            }
        }
        None
    }

    fn lies_in(&mut self, value: &Polynomial, bounds: Interval) -> Option<bool> {
        for atom in memberships(value, bounds)? {
            if !self.holds(atom)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn are_equal(&mut self, x: &Expr, y: &Expr) -> Option<bool> {
        let (x, y) = (self.terms.polynomial(x)?, self.terms.polynomial(y)?);
        self.holds(Atom::zero(x.plus(-1, &y)?))
    }

    fn holds(&mut self, atom: Atom) -> Option<bool> {
        let polynomial = self.terms.facts.without_solved(atom.polynomial)?;
        let atom = Atom { polynomial, ..atom };
        Some(self.terms.facts.holds(&atom, true))
    }
}

fn variable(index: usize) -> Option<Polynomial> {
    Some(Polynomial::unknown(Unknown::try_from(index).ok()?))
}

/// Returns a condition that no point satisfies.
fn nothing() -> Atom {
    Atom::not_negative(Polynomial::constant(-1))
}

/// Returns the comparisons that state `value in bounds`.
fn memberships(value: &Polynomial, bounds: Interval) -> Option<Vec<Atom>> {
    if bounds.is_empty() {
        return Some(vec![nothing()]);
    }
    if let Some(point) = bounds.as_point() {
        return Some(vec![Atom::zero(value.shifted(-i128::from(point))?)]);
    }
    let mut atoms = Vec::with_capacity(2);
    if bounds.lo() != MINUS_INFINITY {
        atoms.push(Atom::not_negative(value.shifted(-i128::from(bounds.lo()))?));
    }
    if bounds.hi() != PLUS_INFINITY {
        let below = value.scaled(-1)?.shifted(i128::from(bounds.hi()))?;
        atoms.push(Atom::not_negative(below));
    }
    Some(atoms)
}

/// Returns whether a domain has the constraint, or a tighter one on the same expression.
fn is_given(domain: &Domain, wanted: &Constraint) -> bool {
    let mut given = domain.constraints().iter();
    given.any(|own| own.expr == wanted.expr && wanted.bounds.contains_all(own.bounds))
}
