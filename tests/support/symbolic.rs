//! Random maps with parameters, for property tests.
//!
//! Each map comes with a point of its domain that has further points nearby: intervals of variables and bounds of constraints
//! contain their values at the point.

use affinor_maps::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use proptest::prelude::*;

/// A map and a point, one coordinate per variable.
#[derive(Clone, Debug)]
pub struct Symbolic {
    pub map: IndexingMap,
    pub point: Vec<i64>,
}

/// Generates an expression over variables `0..variables`, with products, and quotients by expressions.
pub fn symbolic_expr(variables: usize) -> BoxedStrategy<Expr> {
    let number = -5i64..6;
    let constant = number.clone().prop_map(Expr::constant);
    let variable = (0..variables as u32).prop_map(|id| Expr::variable(VariableId(id)));
    let leaf = match variables {
        0 => constant.boxed(),
        _ => prop_oneof![1 => constant, 6 => variable].boxed(),
    };
    leaf.prop_recursive(3, 16, 3, move |below| {
        let terms = prop::collection::vec((number.clone(), below.clone()), 1..4);
        let list = || prop::collection::vec(below.clone(), 2..4);
        let pair = || (below.clone(), below.clone());
        let held = "the expression can be held";
        prop_oneof![
            3 => (number.clone(), terms)
                .prop_filter_map(held, |(constant, terms)| Expr::sum(constant, terms).ok()),
            4 => list().prop_filter_map(held, |list| Expr::product(list).ok()),
            1 => (below.clone(), 1i64..6).prop_filter_map(held, |(x, c)| x.floordiv(c).ok()),
            2 => pair().prop_filter_map(held, |(x, c)| x.floordiv_by(&c).ok()),
            1 => pair().prop_filter_map(held, |(x, c)| x.ceildiv_by(&c).ok()),
            2 => pair().prop_filter_map(held, |(x, c)| x.modulo_by(&c).ok()),
            1 => list().prop_filter_map(held, |list| Expr::min(list).ok()),
            1 => list().prop_filter_map(held, |list| Expr::max(list).ok()),
        ]
    })
    .boxed()
}

/// Returns an interval that contains a value at these distances from its ends; a missing distance means an infinite end.
fn around(value: i64, (below, above): (Option<i64>, Option<i64>)) -> Interval {
    Interval::new(
        below.map_or(MINUS_INFINITY, |below| value - below),
        above.map_or(PLUS_INFINITY, |above| value + above),
    )
}

fn distances() -> impl Strategy<Value = (Option<i64>, Option<i64>)> {
    let distance = || prop_oneof![3 => (0i64..4).prop_map(Some), 2 => Just(None)];
    (distance(), distance())
}

/// Generates a map with 1 to 3 parameters and this many dimensions, at most 2 if not given.
pub fn symbolic_map(dimensions: Option<usize>) -> BoxedStrategy<Symbolic> {
    let dimensions = dimensions.map_or((0usize..3).boxed(), |count| Just(count).boxed());
    let names = prop::sample::subsequence(vec!["n", "m", "k"], 1..4).prop_shuffle();
    (dimensions, 0usize..2, 0usize..2, names)
        .prop_flat_map(|(dimensions, ranges, runtimes, names)| {
            let own = dimensions + ranges + runtimes;
            let count = own + names.len();
            let end = (0..count, symbolic_expr(names.len()), distances());
            (
                Just([dimensions, ranges, runtimes]),
                Just(names),
                prop::collection::vec((-2i64..9, 1i64..7, distances()), count),
                prop::collection::vec(end, 0..4),
                prop::collection::vec((symbolic_expr(count), distances()), 0..3),
                prop::collection::vec(symbolic_expr(count), 0..3),
            )
        })
        .prop_map(|(counts, names, values, ends, constraints, results)| {
            let own: usize = counts.iter().sum();
            let listed = [
                (VariableKind::Dimension, "d", counts[0]),
                (VariableKind::Range, "s", counts[1]),
                (VariableKind::Runtime, "rt", counts[2]),
            ];
            let listed = listed.into_iter().flat_map(|(kind, stem, count)| {
                (0..count).map(move |index| (kind, format!("{stem}{index}")))
            });
            let parameters = names.iter().map(|name| (VariableKind::Parameter, (*name).to_owned()));
            let listed = listed.chain(parameters);
            let (mut point, mut variables) = (Vec::new(), Vec::new());
            for ((kind, name), (value, size, distances)) in listed.zip(values) {
                let value = if kind == VariableKind::Parameter { size } else { value };
                point.push(value);
                variables.push(Variable::new(name, kind, around(value, distances)));
            }
            let mut domain = Domain::new(variables);
            let mut constrain = |expr: Result<Expr, _>, distances| {
                if let Ok(expr) = expr
                    && distances != (None, None)
                    && let Ok(value) = expr.eval(&point)
                {
                    domain.constrain(&expr, around(value, distances));
                }
            };
            let parameters: Vec<Expr> =
                (own as u32..).map(|id| Expr::variable(VariableId(id))).take(names.len()).collect();
            for (id, end, distances) in ends {
                let variable = Expr::variable(VariableId(id as u32));
                let end = end.substitute(&parameters).expect("renumbering fits");
                constrain(variable.sub(&end), distances);
            }
            for (expr, distances) in constraints {
                constrain(Ok(expr), distances);
            }
            let map = IndexingMap::new(domain, results);
            Symbolic { map, point }
        })
        .boxed()
}
