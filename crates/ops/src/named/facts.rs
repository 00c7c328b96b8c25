//! The facts known about parameters, and the requirements on them.

use super::op::{invalid, unwritable};
use affinor::expr::{Domain, End, Expr, IndexingMap, bounded};
use affinor::num::Interval;
use affinor::text::{Error, Style, print_expr, variable_names};

/// A domain of parameters alone, to which requirements are added.
pub struct Facts<'s> {
    domain: Domain,
    simplify: &'s dyn Fn(&IndexingMap) -> IndexingMap,
}

impl<'s> Facts<'s> {
    /// Starts from the facts that `domain` states about its variables, which are parameters. `simplify` returns a map that is
    /// equal to its argument.
    pub fn new(domain: Domain, simplify: &'s dyn Fn(&IndexingMap) -> IndexingMap) -> Facts<'s> {
        Facts { domain, simplify }
    }

    /// Returns the facts known about the parameters.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns whether two sizes are known to be equal.
    pub(super) fn are_equal(&self, x: &Expr, y: &Expr) -> Result<bool, Error> {
        Ok(x == y || self.difference(x, y)?.as_constant() == Some(0))
    }

    /// Requires `x = y`; `what` describes these sizes in messages.
    pub(super) fn require_equal(&mut self, x: &Expr, y: &Expr, what: &str) -> Result<(), Error> {
        if x == y {
            return Ok(());
        }
        let difference = self.difference(x, y)?;
        match difference.as_constant() {
            Some(0) => Ok(()),
            Some(_) => Err(self.contradiction(x, y, "=", what)),
            None => {
                for end in [End::Lower, End::Upper] {
                    self.add(&difference, end)?;
                }
                Ok(())
            }
        }
    }

    /// Requires `x <= y`.
    pub(super) fn require_at_most(&mut self, x: &Expr, y: &Expr, what: &str) -> Result<(), Error> {
        let difference = self.difference(y, x)?;
        let range = self.domain.range_of(&difference);
        match (range.lo() >= 0, range.hi() < 0) {
            (true, _) => Ok(()),
            (_, true) => Err(self.contradiction(x, y, "<=", what)),
            _ => self.add(&difference, End::Lower),
        }
    }

    /// Prints a size for a message.
    fn shown(&self, size: &Expr) -> String {
        print_expr(size, &variable_names(&self.domain), Style::Plain)
    }

    fn contradiction(&self, x: &Expr, y: &Expr, relation: &str, what: &str) -> Error {
        let (x, y) = (self.shown(x), self.shown(y));
        invalid(format!("{what}: `{x} {relation} {y}` holds for no sizes"))
    }

    fn add(&mut self, difference: &Expr, end: End) -> Result<(), Error> {
        let (expr, bounds): (Expr, Interval) =
            bounded(difference, end, &Expr::constant(0)).map_err(unwritable)?;
        self.domain.constrain(&expr, bounds);
        Ok(())
    }

    /// `x - y`, simplified under the known facts.
    fn difference(&self, x: &Expr, y: &Expr) -> Result<Expr, Error> {
        let difference = x.sub(y).map_err(unwritable)?;
        if difference.as_constant().is_some() {
            return Ok(difference);
        }
        let map = IndexingMap::new(self.domain.clone(), vec![difference.clone()]);
        let simple = (self.simplify)(&map);
        match (simple.domain().is_known_empty(), simple.results()) {
            (false, [simple]) => Ok(simple.clone()),
            _ => Ok(difference),
        }
    }
}
