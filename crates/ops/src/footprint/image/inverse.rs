//! The inverse of a map: from an element to the points that read it.
//!
//! Law: a point of the dimensions is a result of the inverse at an element, for some values of its range variables, iff
//! the map reads the element there, for some values of its own. Computed by solving the map's equations
//! ([`IndexingMap::inverse`]); that each resulting point reads the element is proved independently, from the map alone.

use affinor::expr::{
    ComposeError, Domain, Expr, ExprError, ExprKind, INVERSE_STEPS, IndexingMap, Variable,
    VariableId, VariableKind,
};
use affinor::num::{Interval, Stopped};
use affinor::prove::{Budget, Reason, Verdict, equal_functions};
use affinor::text::{Error, ErrorKind};

/// An inverse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inverse {
    /// Maps elements to the points of the dimensions that read them.
    pub map: IndexingMap,
    /// Whether it has no range variables, so that at most one point of the dimensions reads an element.
    pub is_function: bool,
    /// Whether each point that it gives reads the element.
    pub verdict: Verdict,
}

/// Inverts `map`, and simplifies the result by `simplify`, which preserves variables, domain and values.
///
/// # Errors
/// Kind `domain` if a result has no bounds and not all results are sums, `overflow` or `too-large` if an expression is not representable.
pub fn inverse(
    map: &IndexingMap,
    simplify: &dyn Fn(&IndexingMap) -> IndexingMap,
    budget: &Budget,
) -> Result<Inverse, Error> {
    let target = map.ranges();
    let is_known = |range: &Interval| range.is_empty() || range.is_bounded();
    // Of sums alone no digits are taken, which need bounds.
    let constraints = map.domain().constraints().iter().map(|x| &x.expr);
    let is_affine = map.results().iter().chain(constraints).all(is_affine);
    if !is_affine && !target.iter().all(is_known) {
        let message = "the results of the map have no bounds";
        return Err(Error::without_span(ErrorKind::Domain, message)
            .hint("give each variable bounds, as in `domain: d0 in [0, 9]`"));
    }
    let failed = |error: ExprError| {
        let kind = match error {
            ExprError::Stopped(Stopped::Interrupted) => ErrorKind::Interrupted,
            ExprError::TooDeep | ExprError::TooLarge | ExprError::Stopped(_) => ErrorKind::TooLarge,
            _ => ErrorKind::Overflow,
        };
        Error::without_span(kind, error.to_string())
    };
    // The range variables as further results, to show that the element is read.
    let ranges = map.domain().ids(VariableKind::Range).map(Expr::variable);
    let results = map.results().iter().cloned().chain(ranges);
    let whole = IndexingMap::new(map.domain().clone(), results.collect());
    let turned = whole.inverse(&target, &budget.own_fuel(INVERSE_STEPS)).map_err(failed)?;
    let verdict = match reads_back(map, &turned) {
        Ok((back, elements)) => equal_functions(&back, &elements, budget)?,
        Err(_) => Verdict::Unknown(Reason::Overflow),
    };
    let turned = simplify(&turned);
    let (domain, mut results) = turned.into_parts();
    results.truncate(map.domain().count(VariableKind::Dimension));
    let map = IndexingMap::new(domain, results).without_unused(&[VariableKind::Range]);
    Ok(Inverse { is_function: map.domain().count(VariableKind::Range) == 0, map, verdict })
}

/// Whether it is a sum of multiples of variables.
fn is_affine(expr: &Expr) -> bool {
    match expr.kind() {
        ExprKind::Constant(_) | ExprKind::Variable(_) => true,
        ExprKind::Sum(_) => expr.operands().all(is_affine),
        _ => false,
    }
}

/// The elements that `map` reads at the points given by `turned`, where they are points of the map; and the elements
/// themselves.
fn reads_back(
    map: &IndexingMap,
    turned: &IndexingMap,
) -> Result<(IndexingMap, IndexingMap), ExprError> {
    let runtime = turned.domain().ids(VariableKind::Runtime).map(Expr::variable);
    let places: Vec<Expr> = turned.results().iter().cloned().chain(runtime).collect();
    let mut domain = turned.domain().clone();
    for (variable, place) in map.domain().variables().iter().zip(&places) {
        domain.constrain(place, variable.bounds);
    }
    for constraint in map.domain().constraints() {
        domain.constrain(&constraint.expr.substitute(&places)?, constraint.bounds);
    }
    let results = map.results().iter().map(|x| x.substitute(&places));
    let back = IndexingMap::new(domain, results.collect::<Result<_, _>>()?);
    let elements = (0..map.results().len() as u32).map(|id| Expr::variable(VariableId(id)));
    let elements = IndexingMap::new(turned.domain().clone(), elements.collect());
    Ok((back, elements))
}

/// Decides whether `then` takes each point of `map` back, and no point is lost on the way. Also returns the domain of which its
/// counterexamples are points: that of `map`, with the parameters of both.
///
/// Law: two maps are inverse functions, and so bijections between their domains, iff each takes the points of the other
/// back.
///
/// # Errors
/// Kind `arity` if the maps cannot be composed, `unsupported` if there are range or runtime variables.
pub fn takes_back(
    map: &IndexingMap,
    then: &IndexingMap,
    budget: &Budget,
) -> Result<(Verdict, Domain), Error> {
    let is_other =
        |variable: &Variable| matches!(variable.kind, VariableKind::Range | VariableKind::Runtime);
    if [map, then].iter().any(|map| map.domain().variables().iter().any(is_other)) {
        let message = "only maps without range and runtime variables are taken for functions";
        return Err(Error::without_span(ErrorKind::Unsupported, message));
    }
    let both = map.then(then).map_err(|error| {
        let kind = match error {
            ComposeError::Arity { .. } => ErrorKind::Arity,
            ComposeError::Expr(_) => ErrorKind::Overflow,
        };
        Error::without_span(kind, error.to_string())
    })?;
    let dimensions = map.domain().ids(VariableKind::Dimension);
    let same = IndexingMap::new(map.domain().clone(), dimensions.map(Expr::variable).collect());
    match same.with_parameters_of(both.domain()) {
        Ok(same) => Ok((equal_functions(&both, &same, budget)?, same.into_parts().0)),
        Err(_) => Ok((Verdict::Unknown(Reason::Overflow), same.into_parts().0)),
    }
}
