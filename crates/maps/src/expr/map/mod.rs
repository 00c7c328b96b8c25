//! Index maps: `<n, ..>(d0, ..)[s0, ..]{rt0, ..} -> (results), domain: ...`.
//!
//! A map sends each point of its domain to a multi-index. As the map of an HLO operand, it gives the element of the operand that
//! is read for each output element and each value of the range variables. Source: XLA, *Indexing analysis*. Parameters (named
//! sizes) are an extension.

mod compose;
mod domain;
mod ends;
mod inverse;
mod positive;
mod signs;
mod variables;

pub use compose::ComposeError;
pub use domain::{Constraint, Domain, Variable, VariableKind};
pub use ends::{End, bounded};
pub use inverse::INVERSE_STEPS;
pub use variables::RescaleError;

use crate::expr::{Cost, EvalError, Expr, ExprError};
use crate::num::Interval;

/// A function from the points of a [`Domain`] to tuples of integers.
///
/// ```
/// use affinor_maps::expr::IndexingMap;
///
/// let transposed: IndexingMap = "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]".parse()?;
/// assert_eq!(transposed.eval(&[3, 5])?, [5, 3]);
/// let back: IndexingMap = "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]".parse()?;
/// let both = transposed.then(&back)?;
/// assert_eq!(both.to_string(), "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IndexingMap {
    domain: Domain,
    results: Vec<Expr>,
}

impl IndexingMap {
    /// Creates a map. The results use the domain's variable numbers.
    ///
    /// A map is defined where all divisors are positive: for each divisor not known to be positive, the domain gets a constraint.
    #[must_use]
    pub fn new(domain: Domain, results: Vec<Expr>) -> IndexingMap {
        let map = IndexingMap { domain, results };
        match map.is_symbolic() {
            true => map.with_positive_divisors(),
            false => map,
        }
    }

    /// Returns whether the map has parameters, or expressions that are not quasi-affine.
    #[must_use]
    pub fn is_symbolic(&self) -> bool {
        let last = self.domain.variables().last();
        let constraints = self.domain.constraints().iter();
        last.is_some_and(|variable| variable.kind == VariableKind::Parameter)
            || self.results.iter().any(Expr::is_symbolic)
            || constraints.map(|c| &c.expr).any(Expr::is_symbolic)
    }

    /// Returns the domain of the map.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns the results, one expression per dimension of the range.
    #[must_use]
    pub fn results(&self) -> &[Expr] {
        &self.results
    }

    /// Returns whether the map is syntactically equal to `other`, up to variable names.
    #[must_use]
    pub fn is_same_but_names(&self, other: &IndexingMap) -> bool {
        let (x, y) = (self.domain(), other.domain());
        let kinds = |domain: &Domain| -> Vec<VariableKind> {
            domain.variables().iter().map(|variable| variable.kind).collect()
        };
        self.results() == other.results()
            && kinds(x) == kinds(y)
            && x.is_known_empty() == y.is_known_empty()
            && x.intervals().eq(y.intervals())
            && x.constraints() == y.constraints()
    }

    /// Splits the map into its domain and results.
    #[must_use]
    pub fn into_parts(self) -> (Domain, Vec<Expr>) {
        (self.domain, self.results)
    }

    /// Evaluates the results at `point` (values for dimensions, then range variables, runtime variables, and parameters), inside
    /// the domain or not.
    ///
    /// # Errors
    /// [`EvalError`] if a value does not fit, a divisor is not positive, or a coordinate is missing.
    pub fn eval(&self, point: &[i64]) -> Result<Vec<i64>, EvalError> {
        self.results.iter().map(|result| result.eval(point)).collect()
    }

    /// Returns an interval per result that contains all its values in the domain.
    #[must_use]
    pub fn ranges(&self) -> Vec<Interval> {
        self.results.iter().map(|result| self.domain.range_of(result)).collect()
    }

    /// Returns the cost of all results together.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.results.iter().fold(Cost::default(), |total, result| total.plus(result.cost()))
    }

    /// Restricts this map to the points at which `expr` lies in `bounds`.
    #[must_use]
    pub fn restricted(&self, expr: &Expr, bounds: Interval) -> IndexingMap {
        let mut domain = self.domain.clone();
        domain.constrain(expr, bounds);
        IndexingMap::new(domain, self.results.clone())
    }

    /// Returns the map over the variables of `domain`, with its own variables replaced by `places`. Only the variable bounds of
    /// `domain` are kept. `None` if an expression is not representable.
    #[must_use]
    pub fn over(&self, domain: &Domain, places: &[Expr]) -> Option<IndexingMap> {
        let mut inside = Domain::new(domain.variables().to_vec());
        for (place, bounds) in places.iter().zip(self.domain.intervals()) {
            inside.constrain(place, bounds);
        }
        self.substituted(inside, places).ok()
    }

    /// Returns the map with its variables replaced by `places`, over the variables of `domain`, to which its constraints are
    /// added. The caller adds the bounds of the variables.
    ///
    /// # Errors
    /// [`ExprError`] if an expression is not representable.
    pub fn substituted(
        &self,
        mut domain: Domain,
        places: &[Expr],
    ) -> Result<IndexingMap, ExprError> {
        if self.domain.is_known_empty() {
            domain.make_empty();
        }
        for constraint in self.domain.constraints() {
            let expr = domain.substitute(&constraint.expr, places)?;
            domain.constrain(&expr, constraint.bounds);
        }
        let results = self.results.iter().map(|result| domain.substitute(result, places));
        let results = results.collect::<Result<Vec<Expr>, ExprError>>()?;
        Ok(IndexingMap::new(domain, results))
    }
}
