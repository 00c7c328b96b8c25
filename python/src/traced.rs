//! `IndexMap.of`: the variables that a function is called with, and the map of what it returns.

use crate::errors::wrong;
use crate::map::IndexMap;
use crate::trace::{Condition, Expr, hinted, interval};
use affinor::expr::{self, Domain, ExprError, IndexingMap, Variable, VariableKind};
use affinor::text::{ErrorKind, is_name};
use pyo3::prelude::*;
use std::sync::Arc;

/// The variables of a function: for each its name, whether it is a named size, and its bounds. The first value is one to hand
/// to `_traced`: there may be no variables.
#[pyfunction]
pub fn _variables(
    given: Vec<(String, bool, Bound<'_, PyAny>, Bound<'_, PyAny>)>,
) -> PyResult<(Expr, Vec<Expr>)> {
    let mut variables = Vec::with_capacity(given.len());
    for (name, is_size, lo, hi) in given {
        if !is_name(&name) {
            let message = format!("`{name}` cannot be the name of a variable in a map");
            return Err(wrong(ErrorKind::Name, message));
        }
        let bounds = interval(&lo, &hi)?;
        let kind = match is_size {
            true => VariableKind::Parameter,
            false => VariableKind::Dimension,
        };
        variables.push(Variable::new(name, kind, bounds));
    }
    // The domain has parameters last; the function has them where it names them.
    let names: Vec<Arc<str>> = variables.iter().map(|it| it.name.clone()).collect();
    let domain = Arc::new(Domain::new(variables));
    let of = |expr| Expr { expr, domain: domain.clone() };
    let own = (0..).map(expr::VariableId).zip(domain.variables());
    let own: Vec<_> = own.map(|(id, it)| (id, it.name.clone())).collect();
    let places = names.iter().filter_map(|name| own.iter().find(|(_, other)| other == name));
    let all = places.map(|(id, _)| of(expr::Expr::variable(*id))).collect();
    Ok((of(expr::Expr::constant(0)), all))
}

/// The variables of a map as values, in their order.
#[pyfunction]
pub fn _values(map: &IndexMap) -> Vec<Expr> {
    let domain = Arc::new(map.0.domain().clone());
    let ids = (0..domain.variables().len() as u32).map(expr::VariableId);
    let of = |id| Expr { expr: expr::Expr::variable(id), domain: domain.clone() };
    ids.map(of).collect()
}

/// The map of what a function returned for these variables, where the conditions hold.
#[pyfunction]
pub fn _traced(
    variable: &Expr,
    results: Vec<Bound<'_, PyAny>>,
    conditions: Vec<Bound<'_, PyAny>>,
) -> PyResult<IndexMap> {
    let mut domain = (*variable.domain).clone();
    for condition in conditions {
        let Ok(condition) = condition.cast::<Condition>() else {
            // What compares constants is decided already.
            match condition.extract::<bool>() {
                Ok(true) => continue,
                Ok(false) => domain.make_empty(),
                Err(_) => {
                    let message = format!("`where` returned {condition}, which is no comparison");
                    let hint = "it returns a comparison or a list of them, as in `[i <= j, j < 8]`";
                    return Err(hinted(ErrorKind::Usage, message, hint));
                }
            }
            continue;
        };
        let condition = condition.get();
        if !Arc::ptr_eq(&condition.domain, &variable.domain) {
            return Err(wrong(ErrorKind::Name, "a condition is one of another map"));
        }
        domain.constrain(&condition.parts.0, condition.parts.1);
    }
    let results: PyResult<Vec<expr::Expr>> =
        results.iter().map(|result| variable.operand(result)).collect();
    let results = results?;
    let conditions = domain.constraints().iter().map(|condition| &condition.expr);
    let mut exprs = results.iter().chain(conditions);
    if let Some(divisor) = exprs.find_map(|expr| domain.unknown_divisor(expr)) {
        let divisor = variable.text(&divisor);
        return Err(hinted(
            ErrorKind::Division,
            format!("the divisor `{divisor}` is not known to be positive"),
            &format!("give bounds that say so, or the condition `{divisor} >= 1` to `where`"),
        ));
    }
    Ok(IndexMap(IndexingMap::new(domain, results)))
}

fn choose(
    operands: Vec<Bound<'_, PyAny>>,
    build: fn(Vec<expr::Expr>) -> Result<expr::Expr, ExprError>,
) -> PyResult<Expr> {
    let first = operands.iter().find_map(|operand| operand.cast::<Expr>().ok());
    let Some(first) = first else {
        return Err(wrong(ErrorKind::Internal, "none of these is a value of a map"));
    };
    let first = first.get();
    let exprs: PyResult<Vec<expr::Expr>> = operands.iter().map(|x| first.operand(x)).collect();
    first.with(build(exprs?))
}

/// The minimum of values of which one is an Expr.
#[pyfunction]
pub fn _minimum(operands: Vec<Bound<'_, PyAny>>) -> PyResult<Expr> {
    choose(operands, expr::Expr::min)
}

/// The maximum of values of which one is an Expr.
#[pyfunction]
pub fn _maximum(operands: Vec<Bound<'_, PyAny>>) -> PyResult<Expr> {
    choose(operands, expr::Expr::max)
}

/// The quotient rounded up, of values of which one is an Expr.
#[pyfunction]
pub fn _ceildiv(x: &Bound<'_, PyAny>, divisor: &Bound<'_, PyAny>) -> PyResult<Expr> {
    let given = [x, divisor];
    let Some(any) = given.iter().find_map(|value| value.cast::<Expr>().ok()) else {
        return Err(wrong(ErrorKind::Internal, "none of these is a value of a map"));
    };
    let any = any.get();
    any.divide(&any.operand(x)?, &any.operand(divisor)?, expr::Expr::ceildiv_by)
}
