//! Eliminates range variables of which only the existence of a value matters.
//!
//! Law: an element reads the same elements, over all values of the range variables; how often each is read is lost. A
//! runtime variable keeps its value.
//!
//! In `e + c*s in [l, u]` with `s in [a, b]`, where `s` occurs nowhere else, some `s` exists exactly if `e` lies in
//! `[l, u] - c*[a, b]`, provided that no multiple of `c` is jumped over: `|c| <= u - l + 1`. If `c` is 1 or -1 and `l = u`, `s`
//! is the value of `l - e`, or of `e - l`, wherever it occurs.

use super::reads::OperandMap;
use affinor::expr::{
    Constraint, Domain, Expr, ExprError, ExprKind, IndexingMap, VariableId, VariableKind,
    interval_of,
};

/// Eliminates range variables until no more can be eliminated.
pub(super) fn projected(map: &OperandMap) -> Result<OperandMap, ExprError> {
    let mut map = map.clone();
    // Each step removes all uses of one variable.
    for _ in 0..map.map.domain().count(VariableKind::Range) {
        let ranges: Vec<VariableId> = map.map.domain().ids(VariableKind::Range).collect();
        let mut steps = ranges.into_iter().filter_map(|id| step(&map, id).transpose());
        let Some(next) = steps.next().transpose()? else {
            break;
        };
        map = next;
    }
    Ok(map)
}

/// Returns the map with this range variable in no constraint and no result; `None` if it cannot be eliminated.
fn step(map: &OperandMap, id: VariableId) -> Result<Option<OperandMap>, ExprError> {
    let domain = map.map.domain();
    let mentions = |expr: &&Expr| expr.variables().contains(&id);
    let mut indices = map.runtime.iter().flat_map(|runtime| &runtime.index);
    if indices.any(|index| mentions(&index)) {
        return Ok(None); // an index may mention earlier runtime variables only
    }
    let used = domain.constraints().iter().filter(|one| mentions(&&one.expr));
    let used: Vec<&Constraint> = used.collect();
    for constraint in &used {
        if let Some(at) = constraint.bounds.as_point()
            && let Some((factor @ (1 | -1), rest)) = split(&constraint.expr, id)?
        {
            let value = Expr::constant(at).sub(&rest)?.scale(factor)?;
            return pinned(map, id, &value).map(Some);
        }
    }
    let [only] = used.as_slice() else {
        return Ok(None);
    };
    if map.map.results().iter().any(|result| mentions(&result)) {
        return Ok(None);
    }
    let Some((factor, rest)) = split(&only.expr, id)? else {
        return Ok(None);
    };
    let width = only.bounds.hi().checked_sub(only.bounds.lo());
    let jumps = width.is_some_and(|width| width.unsigned_abs() < factor.unsigned_abs() - 1);
    let Some(opposite) = factor.checked_neg().filter(|_| !jumps) else {
        return Ok(None);
    };
    let mut next = Domain::new(domain.variables().to_vec());
    for constraint in domain.constraints().iter().filter(|constraint| constraint != only) {
        next.constrain(&constraint.expr, constraint.bounds);
    }
    let bounds = only.bounds.add(domain.bounds(id).scale(opposite));
    if !bounds.contains_all(interval_of(&rest, &|id| domain.bounds(id))) {
        next.constrain(&rest, bounds);
    }
    let map = OperandMap {
        map: IndexingMap::new(next, map.map.results().to_vec()),
        exactness: map.exactness.clone(),
        runtime: map.runtime.clone(),
    };
    Ok(Some(map))
}

/// Substitutes a value for a variable.
fn pinned(map: &OperandMap, id: VariableId, value: &Expr) -> Result<OperandMap, ExprError> {
    let domain = map.map.domain();
    let place = |other: VariableId| if other == id { value.clone() } else { Expr::variable(other) };
    let images: Vec<Expr> =
        (0..domain.variables().len() as u32).map(VariableId).map(place).collect();
    let mut next = Domain::new(domain.variables().to_vec());
    next.constrain(value, domain.bounds(id));
    map.substituted(next, &images, map.runtime.clone())
}

/// Splits an expression into `factor * variable + rest`; `None` if the rest depends on the variable.
fn split(expr: &Expr, id: VariableId) -> Result<Option<(i64, Expr)>, ExprError> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return Ok(None);
    };
    let mut found = None;
    let mut rest = Expr::constant(sum.constant());
    for (factor, term) in sum.terms() {
        let inside = match term.as_variable() {
            Some(variable) if variable == id => Some((1, Expr::constant(0))),
            _ if !term.variables().contains(&id) => None,
            _ => match split(term, id)? {
                Some(inside) => Some(inside),
                None => return Ok(None),
            },
        };
        let left = match inside {
            None => term.clone(),
            Some(_) if found.is_some() => return Ok(None),
            Some((of, left)) => {
                found = Some(of.checked_mul(*factor).ok_or(ExprError::Overflow)?);
                left
            }
        };
        rest = rest.add(&left.scale(*factor)?)?;
    }
    Ok(found.map(|factor| (factor, rest)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{points, read_by};
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> OperandMap {
        OperandMap::exact(text.parse().expect("a map"))
    }

    #[test]
    fn variables_that_only_have_to_exist() {
        for (given, wanted) in [
            // The window is in the array for some value of `s1`.
            (
                "(d0)[s0, s1] -> (s0), domain: d0 in [0, 4], s0 in [0, 2], s1 in [0, 27], d0 + s1 in [2, 29]",
                "",
            ),
            (
                "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [6, 9]",
                "d0 in [4, 9]",
            ),
            (
                "(d0, d1)[s0] -> (d0), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 2], d0 + d1 + s0 * 2 in [5, 6]",
                "d0 + d1 in [1, 6]",
            ),
            // One after the other, even inside a sum.
            (
                "(d0)[s0, s1] -> (d0), domain: d0 in [0, 9], s0 in [0, 1], s1 in [0, 1], (s0 + s1) * 2 + d0 in [5, 6]",
                "d0 in [1, 6]",
            ),
            // Equalities.
            (
                "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 5], d0 - s0 in [1, 1]",
                "(d0 - 1, d0), domain: d0 in [0, 9], s0 in [0, 5], d0 - 1 in [0, 5]",
            ),
        ] {
            let found = projected(&of(given)).expect("it fits");
            let text = found.map.to_string();
            assert!(text.contains(wanted), "{given}: {text}");
            assert!(!text.contains("s0 * 2") && !text.contains("+ s1"), "{given}: {text}");
        }
        for kept in [
            // `2*s0` skips values in between.
            "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 * 2 in [6, 6]",
            "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [6, 9]",
            "(d0, d1)[s0] -> (d0), domain: d0 in [0, 9], d1 in [0, 9], s0 in [0, 2], d0 + s0 in [6, 9], d1 + s0 in [6, 9]",
            "(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 7], d0 + s0 floordiv 2 in [6, 9]",
        ] {
            assert_eq!(projected(&of(kept)).expect("it fits"), of(kept));
        }
    }

    /// Sums of `d0` and four range variables.
    fn map() -> impl Strategy<Value = IndexingMap> {
        let linear = || (-3i64..4, prop::collection::vec(-2i64..3, 5));
        let constraint = (linear(), -4i64..4, prop_oneof![Just(0), 0i64..6]);
        let results = prop::collection::vec((linear(), prop::bool::weighted(0.5)), 1..3);
        (results, prop::collection::vec(constraint, 1..4)).prop_map(|(results, constraints)| {
            let sum = |(constant, factors): &(i64, Vec<i64>), few: bool| {
                let terms = (0..).map(VariableId).zip(factors).take(if few { 2 } else { 5 });
                Expr::sum(*constant, terms.map(|(id, c)| (*c, Expr::variable(id)))).expect("small")
            };
            let kinds = [VariableKind::Dimension].into_iter().chain([VariableKind::Range; 4]);
            let variable = |(k, kind)| {
                affinor::expr::Variable::new(
                    format!("v{k}"),
                    kind,
                    affinor::num::Interval::new(0, 2 + k % 2),
                )
            };
            let mut domain = Domain::new((0i64..).zip(kinds).map(variable).collect());
            for (of, lo, width) in &constraints {
                domain.constrain(&sum(of, false), affinor::num::Interval::new(*lo, lo + width));
            }
            IndexingMap::new(domain, results.iter().map(|(of, few)| sum(of, *few)).collect())
        })
    }

    proptest! {
        #[test]
        fn the_same_elements_are_read(map in map()) {
            let found = projected(&OperandMap::exact(map.clone())).expect("small numbers");
            for d in points(&[4]) {
                prop_assert_eq!(read_by(&map, &d, &[]), read_by(&found.map, &d, &[]), "{}\n{}", map, found.map);
            }
        }
    }
}
