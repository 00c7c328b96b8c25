//! The domain of a map: bounds for each variable, and constraints between them.

use crate::expr::{EvalError, Expr, ExprError, VariableId, interval_of};
use crate::num::Interval;
use std::sync::Arc;

/// The kinds of variables of an index map, in the order of their numbers; in text the parameters come first.
///
/// Source of the first three: XLA, *Indexing analysis*, "Functions and domain".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VariableKind {
    /// `(d0, ..)`: an index of the output tensor (or grid).
    Dimension,
    /// `[s0, ..]`: takes every value of its interval (a reduced or broadcast dimension).
    Range,
    /// `{rt0, ..}`: one value known only at run time (an offset read from a tensor).
    Runtime,
    /// `<n, ..>`: a named size, with one value for the whole map and for all maps composed with it.
    Parameter,
}

impl VariableKind {
    /// All kinds, in their order.
    pub const ALL: [VariableKind; 4] = [
        VariableKind::Dimension,
        VariableKind::Range,
        VariableKind::Runtime,
        VariableKind::Parameter,
    ];

    /// Returns the name of the kind in JSON and in Python.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            VariableKind::Dimension => "dimension",
            VariableKind::Range => "range",
            VariableKind::Runtime => "runtime",
            VariableKind::Parameter => "parameter",
        }
    }
}

/// A variable with the closed interval of its values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variable {
    /// Name for parsing and printing; no semantics.
    pub name: Arc<str>,
    /// The list of the map that it belongs to.
    pub kind: VariableKind,
    /// Its values; [`Interval::ALL`] in an `affine_map<...>`.
    pub bounds: Interval,
}

impl Variable {
    /// Creates a variable.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, kind: VariableKind, bounds: Interval) -> Variable {
        Variable { name: name.into(), kind, bounds }
    }
}

/// `expr in bounds`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    /// The constrained expression: neither a constant nor a bare variable.
    pub expr: Expr,
    /// The interval it must lie in.
    pub bounds: Interval,
}

/// The domain of a map.
///
/// Invariants: variables are ordered by kind; an empty domain has empty bounds for every variable
/// and no constraints; constraints are sorted, on distinct expressions, and none is on a constant or a bare variable
/// (those become bounds).
///
/// `is_known_empty` may be false for an unsatisfiable domain: deciding that may take a solver.
///
/// ```
/// use affinor_maps::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
/// use affinor_maps::num::Interval;
///
/// let row = Variable::new("row", VariableKind::Dimension, Interval::of_size(8));
/// let column = Variable::new("column", VariableKind::Range, Interval::of_size(8));
/// let mut domain = Domain::new(vec![row, column]);
/// let [row, column] = [0, 1].map(|number| Expr::variable(VariableId(number)));
/// domain.constrain(&row.sub(&column)?, Interval::at_least(0)); // the triangle below the diagonal
/// assert_eq!((domain.contains(&[5, 3])?, domain.contains(&[3, 5])?), (true, false));
/// assert_eq!(
///     IndexingMap::new(domain, vec![column]).to_string(),
///     "(row)[column] -> (column), domain: row in [0, 7], column in [0, 7], row - column in [0, inf]"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Domain {
    variables: Vec<Variable>,
    constraints: Vec<Constraint>,
    empty: bool,
}

impl Domain {
    /// Creates the domain of `variables`, sorting them by kind (stable within a kind).
    #[must_use]
    pub fn new(mut variables: Vec<Variable>) -> Domain {
        variables.sort_by_key(|variable| variable.kind);
        let empty = variables.iter().any(|variable| variable.bounds.is_empty());
        let mut domain = Domain { variables, constraints: Vec::new(), empty: false };
        if empty {
            domain.make_empty();
        }
        domain
    }

    /// Returns all variables: dimensions, then range variables, runtime variables, and parameters.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the constraints, sorted by expression.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Returns whether the domain is known to be empty.
    #[must_use]
    pub fn is_known_empty(&self) -> bool {
        self.empty
    }

    /// Counts the variables of one kind.
    #[must_use]
    pub fn count(&self, kind: VariableKind) -> usize {
        self.variables.iter().filter(|variable| variable.kind == kind).count()
    }

    /// Iterates over the ids of the variables of one kind.
    pub fn ids(&self, kind: VariableKind) -> impl Iterator<Item = VariableId> {
        let of_kind = move |(index, variable): (usize, &Variable)| {
            (variable.kind == kind).then_some(VariableId(index as u32))
        };
        self.variables.iter().enumerate().filter_map(of_kind)
    }

    /// Returns whether the variable is a parameter.
    #[must_use]
    pub fn is_parameter(&self, id: VariableId) -> bool {
        let variable = self.variables.get(id.index());
        variable.is_some_and(|variable| variable.kind == VariableKind::Parameter)
    }

    /// Iterates over the bounds of the variables, in order.
    pub fn intervals(&self) -> impl ExactSizeIterator<Item = Interval> {
        self.variables.iter().map(|variable| variable.bounds)
    }

    /// Returns the bounds of one variable.
    #[must_use]
    pub fn bounds(&self, id: VariableId) -> Interval {
        self.variables.get(id.index()).map_or(Interval::EMPTY, |variable| variable.bounds)
    }

    /// Returns an interval that contains every value of `expr` in the domain, computed from the variables' bounds and a
    /// constraint on exactly this expression. Ignores correlation.
    #[must_use]
    pub fn range_of(&self, expr: &Expr) -> Interval {
        if self.empty {
            return Interval::EMPTY;
        }
        self.constrained(expr, interval_of(expr, &|id| self.bounds(id)))
    }

    /// Intersects `plain` with the bounds of a constraint on exactly this expression.
    pub(super) fn constrained(&self, expr: &Expr, plain: Interval) -> Interval {
        let constraint = self.constraints.iter().find(|constraint| constraint.expr == *expr);
        constraint.map_or(plain, |constraint| plain.intersect(constraint.bounds))
    }

    /// Adds `expr in bounds`. On a variable it tightens the variable's bounds; on a constant it is decided; on an expression that
    /// already has a constraint, the two are intersected (`constraint-merge`, `constraint-empty`).
    pub fn constrain(&mut self, expr: &Expr, bounds: Interval) {
        if self.empty {
            return;
        }
        if let Some(value) = expr.as_constant() {
            if !bounds.contains(value) {
                self.make_empty();
            }
            return;
        }
        if let Some(id) = expr.as_variable() {
            if let Some(variable) = self.variables.get_mut(id.index()) {
                variable.bounds = variable.bounds.intersect(bounds);
                if variable.bounds.is_empty() {
                    self.make_empty();
                }
            }
            return;
        }
        let merged = match self.constraints.binary_search_by(|c| c.expr.cmp(expr)) {
            Ok(position) => {
                let constraint = &mut self.constraints[position];
                constraint.bounds = constraint.bounds.intersect(bounds);
                constraint.bounds
            }
            Err(position) => {
                self.constraints.insert(position, Constraint { expr: expr.clone(), bounds });
                bounds
            }
        };
        if merged.is_empty() {
            self.make_empty();
        }
    }

    /// Substitutes into an expression of a map whose divisors are positive at every point of this domain. So if a divisor becomes
    /// an integer that is not positive, the domain is empty, and any expression will do.
    ///
    /// # Errors
    /// [`ExprError`] if the result is not representable.
    pub(super) fn substitute(&mut self, expr: &Expr, places: &[Expr]) -> Result<Expr, ExprError> {
        match expr.substitute(places) {
            Err(ExprError::Divisor(_)) => {
                self.make_empty();
                Ok(Expr::constant(0))
            }
            result => result,
        }
    }

    /// Makes the domain empty, keeping the variables.
    pub fn make_empty(&mut self) {
        self.empty = true;
        self.constraints.clear();
        for variable in &mut self.variables {
            variable.bounds = Interval::EMPTY;
        }
    }

    /// Returns whether the domain contains `point`, which has one coordinate per variable. A point at which a divisor of a
    /// constraint is not positive is outside the domain.
    ///
    /// # Errors
    /// [`EvalError`] if a constraint has no 64-bit value there.
    pub fn contains(&self, point: &[i64]) -> Result<bool, EvalError> {
        let inside =
            self.variables.iter().zip(point).all(|(variable, x)| variable.bounds.contains(*x));
        if self.empty || !inside {
            return Ok(false);
        }
        for constraint in &self.constraints {
            match constraint.expr.eval(point) {
                Ok(value) if constraint.bounds.contains(value) => {}
                Ok(_) | Err(EvalError::Divisor(_)) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Renames the variables; `names` has one name per variable.
    #[must_use]
    pub fn renamed(&self, names: &[Arc<str>]) -> Domain {
        let mut domain = self.clone();
        for (variable, name) in domain.variables.iter_mut().zip(names) {
            variable.name = name.clone();
        }
        domain
    }

    /// Turns the first `count` range variables (or all, if there are fewer) into dimensions; variable numbers do not change.
    #[must_use]
    pub fn with_ranges_as_dimensions(&self, count: usize) -> Domain {
        let mut domain = self.clone();
        let ranges = domain.variables.iter_mut();
        let ranges = ranges.filter(|variable| variable.kind == VariableKind::Range);
        for variable in ranges.take(count) {
            variable.kind = VariableKind::Dimension;
        }
        domain
    }
}
