//! Runtime variables that are not the same for all that is read: any of their values may be.

use super::reads::{Exactness, OperandMap};
use affinor::expr::{Domain, IndexingMap, Variable, VariableKind};
use std::sync::Arc;

/// What `map`, of the op `name`, says is read for any values of its runtime variables, which become range variables, at most, for
/// the reason that is given.
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
