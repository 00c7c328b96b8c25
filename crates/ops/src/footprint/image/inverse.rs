//! The inverse of a map: from an element to the points that read it.
//!
//! Law: a point of the dimensions is a result of the inverse at an element, for some values of its range variables, iff the map
//! reads the element there, for some values of its own. It is computed by solving the map's equations
//! ([`IndexingMap::inverse`]), or as a function that is proved to be the inverse. That each resulting point reads the element
//! is proved independently, from the map alone.

use super::closed::closed;
use affinor::expr::{
    Expr, ExprError, ExprKind, INVERSE_STEPS, IndexingMap, VariableId, VariableKind,
};
use affinor::num::{Interval, Stopped};
use affinor::prove::{Budget, Reason, Verdict, equal_functions};
use affinor::text::{Error, ErrorKind};

/// An inverse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inverse {
    /// Maps elements to the points of the dimensions that read them.
    pub map: IndexingMap,
    /// Whether the map has no range variables, so that at most one point of the dimensions reads an element.
    pub is_function: bool,
    /// The verdict on whether each resulting point reads the element.
    pub verdict: Verdict,
}

/// Inverts `map`, and simplifies the result by `simplify`, which preserves variables, domain and values.
///
/// # Errors
/// Kind `domain` if a result has no bounds and not all results are sums; `overflow` or `too-large` if an expression is not
/// representable.
pub fn inverse(
    map: &IndexingMap,
    simplify: &dyn Fn(&IndexingMap) -> IndexingMap,
    budget: &Budget,
) -> Result<Inverse, Error> {
    let target = map.ranges();
    let is_known = |range: &Interval| range.is_empty() || range.is_bounded();
    // Sums need no bounds; bounds are needed to take digits.
    let constraints = map.domain().constraints().iter().map(|x| &x.expr);
    let is_affine = map.results().iter().chain(constraints).all(is_affine);
    if !is_affine && !target.iter().all(is_known) {
        if let Some(function) = closed(map, simplify, budget) {
            return Ok(Inverse { map: function, is_function: true, verdict: Verdict::Proved });
        }
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
    // Adds the range variables as further results, to prove that the element is read.
    let ranges = map.domain().ids(VariableKind::Range).map(Expr::variable);
    let results = map.results().iter().cloned().chain(ranges);
    let whole = IndexingMap::new(map.domain().clone(), results.collect());
    let turned = whole.inverse(&target, &budget.own_fuel(INVERSE_STEPS)).map_err(failed)?;
    let (domain, mut results) = simplify(&turned).into_parts();
    results.truncate(map.domain().count(VariableKind::Dimension));
    let relation = IndexingMap::new(domain, results).without_unused(&[VariableKind::Range]);
    if relation.domain().count(VariableKind::Range) > 0
        && let Some(function) = closed(map, simplify, budget)
    {
        return Ok(Inverse { map: function, is_function: true, verdict: Verdict::Proved });
    }
    let verdict = match reads_back(map, &turned) {
        Ok((back, elements)) => equal_functions(&back, &elements, budget)?,
        Err(_) => Verdict::Unknown(Reason::Overflow),
    };
    let is_function = relation.domain().count(VariableKind::Range) == 0;
    Ok(Inverse { map: relation, is_function, verdict })
}

/// Returns whether `expr` is a sum of multiples of variables.
fn is_affine(expr: &Expr) -> bool {
    match expr.kind() {
        ExprKind::Constant(_) | ExprKind::Variable(_) => true,
        ExprKind::Sum(_) => expr.operands().all(is_affine),
        _ => false,
    }
}

/// Returns the elements that `map` reads at the points given by `turned`, where they are in the domain of `map`; and the
/// elements themselves.
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
