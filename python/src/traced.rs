//! `IndexMap.of`: the arguments of the traced function, and the map of its results.

use crate::condition::{Condition, truth};
use crate::errors::{failed, wrong};
use crate::map::IndexMap;
use crate::trace::{Division, Expr, hinted, interval};
use affinor::expr::{self, Domain, ExprError, IndexingMap, Variable, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::text::{ErrorKind, is_name};
use pyo3::prelude::*;
use std::sync::Arc;

/// Returns the variables of a function, given the name, whether it is a named size, and the bounds of each. The first value
/// is to be passed to `_traced`, as there may be no variables.
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
    // The domain has parameters last; the function has them in the order of its arguments.
    let names: Vec<Arc<str>> = variables.iter().map(|it| it.name.clone()).collect();
    let domain = Arc::new(Domain::new(variables));
    let of = |expr| Expr { expr, domain: domain.clone() };
    let own = (0..).map(expr::VariableId).zip(domain.variables());
    let own: Vec<_> = own.map(|(id, it)| (id, it.name.clone())).collect();
    let places = names.iter().filter_map(|name| own.iter().find(|(_, other)| other == name));
    let all = places.map(|(id, _)| of(expr::Expr::variable(*id))).collect();
    Ok((of(expr::Expr::constant(0)), all))
}

/// Returns the variables of a map as values, in their order.
#[pyfunction]
pub fn _values(map: &IndexMap) -> Vec<Expr> {
    let domain = Arc::new(map.0.domain().clone());
    let ids = (0..domain.variables().len() as u32).map(expr::VariableId);
    let of = |id| Expr { expr: expr::Expr::variable(id), domain: domain.clone() };
    ids.map(of).collect()
}

/// The results of a function on one path through its branches, and the conditions of the path.
type Case<'py> = (Vec<PyRef<'py, Condition>>, Vec<Bound<'py, PyAny>>);

/// Returns the map of the values that a function returned for these variables, under the conditions.
#[pyfunction]
pub fn _traced(
    variable: &Expr,
    cases: Vec<Case<'_>>,
    conditions: Vec<Bound<'_, PyAny>>,
) -> PyResult<IndexMap> {
    let mut domain = (*variable.domain).clone();
    for condition in conditions {
        let Ok(condition) = condition.cast::<Condition>() else {
            // A comparison of constants is already decided.
            match condition.extract::<bool>() {
                Ok(true) => continue,
                Ok(false) => domain.make_empty(),
                Err(_) => {
                    let message =
                        format!("`where` returned {condition}, which is not a comparison");
                    let hint = "it returns a comparison or a list of them, as in `[i <= j, j < 8]`";
                    return Err(hinted(ErrorKind::Usage, message, hint));
                }
            }
            continue;
        };
        let condition = condition.get();
        if !Arc::ptr_eq(&condition.domain, &variable.domain) {
            return Err(wrong(ErrorKind::Name, "a condition belongs to another map"));
        }
        if condition.is_negated {
            let message = "a domain cannot express `!=`";
            let hint = "give `<` and `>` to two maps";
            return Err(hinted(ErrorKind::Unsupported, message, hint));
        }
        domain.constrain(&condition.parts.0, condition.parts.1);
    }
    let results = together(variable, &cases)?;
    let conditions = domain.constraints().iter().map(|condition| &condition.expr);
    let mut exprs = results.iter().chain(conditions);
    if let Some(divisor) = exprs.find_map(|expr| domain.unknown_divisor(expr)) {
        let divisor = variable.text(&divisor);
        return Err(hinted(
            ErrorKind::Division,
            format!("the divisor `{divisor}` is not known to be positive"),
            &format!("give bounds that imply this, or the condition `{divisor} >= 1` to `where`"),
        ));
    }
    Ok(IndexMap(IndexingMap::new(domain, results)))
}

/// The limits of a case, and its results.
type Valued = (Vec<(expr::Expr, Interval)>, Vec<expr::Expr>);

/// The maximum number of results of all cases together.
const MOST_TERMS: usize = 1 << 12;

/// Returns one value for each result: the sum over the cases, each times 1 where its conditions hold and 0 elsewhere.
fn together(variable: &Expr, cases: &[Case<'_>]) -> PyResult<Vec<expr::Expr>> {
    let mut values: Vec<Valued> = Vec::new();
    for (conditions, results) in cases {
        let limits = conditions.iter().map(|condition| condition.parts.clone()).collect();
        let results = results.iter().map(|result| variable.operand(result));
        values.push((limits, results.collect::<PyResult<_>>()?));
    }
    let count = values.first().map_or(0, |(_, results)| results.len());
    if let Some((_, other)) = values.iter().find(|(_, results)| results.len() != count) {
        let other = other.len();
        let message =
            format!("the function returns {count} results on one way, and {other} on another");
        return Err(wrong(ErrorKind::Arity, message));
    }
    if count.saturating_mul(values.len()) > MOST_TERMS {
        let message = format!("the results of all cases are more than {MOST_TERMS}");
        return Err(wrong(ErrorKind::TooLarge, message));
    }
    let result = |number: usize| -> Result<expr::Expr, ExprError> {
        match &*values {
            [(_, only)] => Ok(only[number].clone()),
            [first, second] => match extreme(first, second, number)? {
                Some(found) => Ok(found),
                None => sum_of_cases(&values, number),
            },
            _ => sum_of_cases(&values, number),
        }
    };
    (0..count).map(|number| result(number).map_err(failed)).collect()
}

fn sum_of_cases(values: &[Valued], number: usize) -> Result<expr::Expr, ExprError> {
    let same = values.iter().all(|(_, results)| results[number] == values[0].1[number]);
    if same {
        return Ok(values[0].1[number].clone());
    }
    let mut total = expr::Expr::constant(0);
    for (limits, results) in values {
        let value = truth(limits)?.times(&results[number])?;
        total = total.add(&value)?;
    }
    Ok(total)
}

/// Combines the values of two cases `p <= a` and `p > a` as a minimum or maximum, if they differ by p and a constant, and
/// their order changes where the cases do.
fn extreme(
    first: &Valued,
    second: &Valued,
    number: usize,
) -> Result<Option<expr::Expr>, ExprError> {
    let ([(p, bounds)], [(q, others)]) = (&*first.0, &*second.0) else {
        return Ok(None);
    };
    let (x, y) = (&first.1[number], &second.1[number]);
    let (lower, higher, x, y) = match bounds.lo() {
        MINUS_INFINITY => (bounds, others, x, y),
        _ => (others, bounds, y, x),
    };
    let upper = lower.hi();
    let is_cut = lower.lo() == MINUS_INFINITY
        && higher.hi() == PLUS_INFINITY
        && upper.checked_add(1) == Some(higher.lo());
    if p != q || !is_cut {
        return Ok(None);
    }
    // The value is x if p <= upper, and y otherwise; with `y - x = p + k` at the ends `upper + k <= 0` and
    // `upper + 1 + k >= 0`.
    for (one, other, is_max) in [(y, x, true), (x, y, false)] {
        let between = one.sub(other)?.sub(p)?.as_constant().and_then(|k| k.checked_add(upper));
        if matches!(between, Some(0 | -1)) {
            let both = [x.clone(), y.clone()];
            let found = if is_max { expr::Expr::max(both) } else { expr::Expr::min(both) };
            return found.map(Some);
        }
    }
    Ok(None)
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

/// Returns the minimum of values, at least one of which is an Expr.
#[pyfunction]
pub fn _minimum(operands: Vec<Bound<'_, PyAny>>) -> PyResult<Expr> {
    choose(operands, expr::Expr::min)
}

/// Returns the maximum of values, at least one of which is an Expr.
#[pyfunction]
pub fn _maximum(operands: Vec<Bound<'_, PyAny>>) -> PyResult<Expr> {
    choose(operands, expr::Expr::max)
}

/// Returns the quotient rounded up, of values at least one of which is an Expr.
#[pyfunction]
pub fn _ceildiv(x: &Bound<'_, PyAny>, divisor: &Bound<'_, PyAny>) -> PyResult<Expr> {
    let given = [x, divisor];
    let Some(any) = given.iter().find_map(|value| value.cast::<Expr>().ok()) else {
        return Err(wrong(ErrorKind::Internal, "none of these is a value of a map"));
    };
    let any = any.get();
    any.divide(&any.operand(x)?, &any.operand(divisor)?, Division::Up)
}
