//! Whether a map is the inverse of another.
//!
//! Law: two maps are inverse functions, and so bijections between their domains, iff each takes the points of the other
//! back.

use affinor::expr::{ComposeError, Domain, Expr, IndexingMap, Variable, VariableKind};
use affinor::prove::{Budget, Reason, Verdict, equal_functions};
use affinor::text::{Error, ErrorKind};

/// Decides whether `then` takes the result of `map` at each point back to that point, without leaving its own domain. Also
/// returns the domain that counterexamples are points of: that of `map`, with the parameters of both maps.
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
