//! Replaces runtime variables that are not uniform over the reads: they may have any of their values.

use super::reads::{Exactness, OperandMap};
use affinor::expr::{Domain, IndexingMap, Variable, VariableKind};
use std::sync::Arc;

/// Replaces the runtime variables of `map`, a map of the op `name`, by range variables, and marks its reads as an upper bound,
/// with a reason.
pub(super) fn for_all_values(map: &OperandMap, name: &str, reason: &str) -> OperandMap {
    let (domain, results) = map.map.clone().into_parts();
    let ranges = domain.count(VariableKind::Range);
    let mut number = ranges..;
    let variables = domain.variables().iter().map(|variable| match variable.kind {
        VariableKind::Runtime => {
            let name = format!("s{}", number.next().unwrap_or(ranges));
            Variable::new(name, VariableKind::Range, variable.bounds)
        }
        _ => variable.clone(),
    });
    let mut freed = Domain::new(variables.collect());
    for constraint in domain.constraints() {
        freed.constrain(&constraint.expr, constraint.bounds);
    }
    let reason: Arc<str> = format!("`{name}`: {reason}").into();
    OperandMap {
        map: IndexingMap::new(freed, results),
        exactness: map.exactness.and(&Exactness::AtMost { reason }),
        runtime: Vec::new(),
    }
}
