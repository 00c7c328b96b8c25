//! On random maps over small boxes, no means contradicts evaluation at all points.

use super::{ALL_MEANS, check_counterexample, single_means};
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::prove::{Budget, Verdict, equal_functions, equal_reads, is_empty, tightness};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const VARIABLES: u32 = 3;

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        4 => (0..VARIABLES).prop_map(|number| Expr::variable(VariableId(number))),
        1 => (-9i64..10).prop_map(Expr::constant),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let term = (-7i64..8, inner.clone());
        prop_oneof![
            3 => (-9i64..10, prop::collection::vec(term, 1..4))
                .prop_map(|(constant, terms)| Expr::sum(constant, terms).unwrap()),
            3 => (inner.clone(), 1i64..13).prop_map(|(x, c)| x.floordiv(c).unwrap()),
            2 => (inner.clone(), 1i64..13).prop_map(|(x, c)| x.modulo(c).unwrap()),
            1 => (inner.clone(), 1i64..13).prop_map(|(x, c)| x.ceildiv(c).unwrap()),
            1 => prop::collection::vec(inner.clone(), 1..4).prop_map(|list| Expr::min(list).unwrap()),
            1 => prop::collection::vec(inner, 1..4).prop_map(|list| Expr::max(list).unwrap()),
        ]
    })
}

/// Generates a domain with a dimension, a range variable and a runtime variable.
fn domain() -> impl Strategy<Value = Domain> {
    let bounds = prop::collection::vec((-4i64..5, 0i64..5), VARIABLES as usize);
    let constraint = (expr(), -6i64..7, 0i64..9);
    (bounds, prop::collection::vec(constraint, 0..3)).prop_map(|(bounds, constraints)| {
        let kinds = [VariableKind::Dimension, VariableKind::Range, VariableKind::Runtime];
        let variables = bounds.into_iter().zip(kinds).map(|((lo, width), kind)| {
            Variable::new(format!("{kind:?}"), kind, Interval::new(lo, lo + width))
        });
        let mut domain = Domain::new(variables.collect());
        for (expr, lo, width) in constraints {
            domain.constrain(&expr, Interval::new(lo, lo + width));
        }
        domain
    })
}

/// Generates two maps that are often equal: the second is the first, or differs in one or two divisors.
fn pair() -> impl Strategy<Value = (IndexingMap, IndexingMap)> {
    let other_domain = prop::option::weighted(0.2, domain());
    (domain(), other_domain, expr(), expr(), 0u8..4).prop_map(|(domain, other, x, y, change)| {
        let changed = match change {
            0 => y,
            1 => x.scale(6).unwrap().floordiv(6).unwrap(),
            2 => x.floordiv(3).unwrap().scale(3).unwrap().add(&x.modulo(3).unwrap()).unwrap(),
            _ => Expr::min([x.clone(), x.add(&y.modulo(2).unwrap()).unwrap()]).unwrap(),
        };
        let right = IndexingMap::new(other.unwrap_or_else(|| domain.clone()), vec![changed]);
        (IndexingMap::new(domain, vec![x]), right)
    })
}

/// Returns all points within the bounds of one of the domains.
fn points(domains: &[&Domain]) -> Vec<Vec<i64>> {
    let range = |number: u32| {
        let members = domains.iter().flat_map(move |domain| {
            let bounds = domain.bounds(VariableId(number));
            bounds.lo()..=bounds.hi()
        });
        members.collect::<BTreeSet<i64>>()
    };
    let mut points = vec![Vec::new()];
    for number in 0..VARIABLES {
        let values = range(number);
        let longer = points.into_iter().flat_map(|point: Vec<i64>| {
            values
                .iter()
                .map(move |value| [point.as_slice(), &[*value]].concat())
                .collect::<Vec<_>>()
        });
        points = longer.collect();
    }
    points
}

fn value(map: &IndexingMap, point: &[i64]) -> Option<Vec<i64>> {
    let inside = map.domain().contains(point).unwrap();
    inside.then(|| map.eval(point).unwrap())
}

fn all_means() -> impl Iterator<Item = (&'static str, Budget)> {
    single_means().into_iter().chain([(ALL_MEANS, Budget::default())])
}

proptest! {
    #[test]
    fn equality_of_functions((left, right) in pair()) {
        let same = points(&[left.domain(), right.domain()])
            .iter()
            .all(|point| value(&left, point) == value(&right, point));
        for (means, budget) in all_means() {
            match equal_functions(&left, &right, &budget).unwrap() {
                Verdict::Proved => prop_assert!(same, "{means} proved it"),
                Verdict::Refuted(found) => {
                    prop_assert!(!same, "{means} refuted it");
                    check_counterexample(&left, &right, &found);
                }
                Verdict::Unknown(reason) => {
                    prop_assert!(means != ALL_MEANS && means != "points", "{means}: {reason}");
                }
            }
        }
    }

    #[test]
    fn equality_of_reads((left, right) in pair()) {
        let elements = |map: &IndexingMap| {
            let mut read: BTreeMap<(i64, i64), BTreeSet<Vec<i64>>> = BTreeMap::new();
            for point in points(&[map.domain()]) {
                let element = value(map, &point);
                read.entry((point[0], point[2])).or_default().extend(element);
            }
            read.retain(|_, elements| !elements.is_empty());
            read
        };
        let same = elements(&left) == elements(&right);
        for (means, budget) in all_means() {
            match equal_reads(&left, &right, &budget).unwrap() {
                Verdict::Proved => prop_assert!(same, "{means} proved it"),
                Verdict::Refuted(_) => prop_assert!(!same, "{means} refuted it"),
                Verdict::Unknown(reason) => prop_assert!(means != ALL_MEANS, "{means}: {reason}"),
            }
        }
    }

    #[test]
    fn emptiness(domain in domain()) {
        let empty = points(&[&domain]).iter().all(|point| !domain.contains(point).unwrap());
        for (means, budget) in all_means() {
            match is_empty(&domain, &budget) {
                Verdict::Proved => prop_assert!(empty, "{means} proved it"),
                Verdict::Refuted(point) => prop_assert_eq!(domain.contains(&point), Ok(true)),
                Verdict::Unknown(reason) => prop_assert!(means != ALL_MEANS, "{means}: {reason}"),
            }
        }
    }

    #[test]
    fn tight_ends(domain in domain(), result in expr()) {
        let map = IndexingMap::new(domain, vec![result]);
        let values: BTreeSet<i64> = points(&[map.domain()])
            .iter()
            .filter_map(|point| value(&map, point)?.pop())
            .collect();
        let interval = map.ranges()[0];
        for (means, budget) in all_means() {
            let ends = tightness(&map, &[interval], &budget)[0];
            let (lo, hi) = if interval.is_empty() {
                (values.is_empty(), values.is_empty())
            } else {
                (values.contains(&interval.lo()), values.contains(&interval.hi()))
            };
            prop_assert!(ends.lo.is_none_or(|found| found == lo), "{means}");
            prop_assert!(ends.hi.is_none_or(|found| found == hi), "{means}");
            prop_assert!(means != ALL_MEANS || (ends.lo.is_some() && ends.hi.is_some()));
        }
    }
}
