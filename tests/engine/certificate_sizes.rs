//! Certificates of maps with parameters: those of simplifications replay; altered ones do not, unless they are also true.

use crate::certificate::{
    alterations, altered, certificate, certify, is_true, map, rejected, steps, with_step,
};
use crate::named::agree;
use crate::support::symbolic::{Symbolic, symbolic_map};
use affinor::certificate::{Certificate, Instance, RejectionKind, Step};
use affinor::expr::{Domain, Expr, IndexingMap, VariableKind};
use affinor::num::{Interval, PLUS_INFINITY};
use affinor::text::{Style, parse_symbolic_expr, print_expr, variable_names};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Maps whose simplification needs products of parameters, facts about parameters, multiples, quotients of sizes, their min and
/// max, or no step at all.
const MAPS: &[&str] = &[
    "<n, m>(d0, d1) -> ((d0 * n + d1) floordiv n, (d0 * n + d1) mod n), domain: n in [1, inf], m in [1, inf], d0 in [0, m - 1], d1 in [0, n - 1]",
    "<n, m>(d0) -> (d0 floordiv n floordiv (m * 8)), domain: n in [1, inf], m in [1, inf], d0 in [0, inf]",
    "<n>(d0) -> ((d0 floordiv n) * n + d0 mod n), domain: n in [1, inf], d0 in [0, inf]",
    "<n>(d0) -> (max(n - d0 * 16, 0)), domain: n in [2, inf], d0 in [0, n floordiv 16 - 1]",
    "<n>(d0, d1) -> ((d0 * n + d1) mod 4), domain: n in [4, inf], d0 in [0, inf], d1 in [0, n - 1], n mod 4 in [0, 0]",
    "<n, m>(d0) -> ((d0 * m) floordiv n), domain: n in [1, inf], m in [1, inf], d0 in [0, inf], n - m in [0, 0]",
    "<n, v>(d0) -> ((n - 1) floordiv v - n floordiv v, (n + d0) mod v), domain: n in [1, inf], v in [1, inf], d0 in [0, 9], n mod v in [0, 0]",
    "<n>(d0) -> ((96 * (n + 1)) mod (47 * (n + 1)), d0), domain: n in [0, inf], d0 in [0, 9]",
    "<n, m>(d0) -> (d0 mod m), domain: n in [1, inf], m in [1, inf], d0 in [0, n - 1], m - n in [0, inf]",
    "<n, m, k>(d0) -> (d0 floordiv (m * k) * (m * k) + d0 mod (m * k) floordiv k * k + d0 mod k), domain: n in [1, inf], m in [1, inf], \
     k in [1, inf], d0 in [0, n * m * k - 1]",
    "<n>(d0) -> (d0 floordiv n), domain: n in [1, 9], d0 in [0, n - 1]",
    "<n>(d0) -> (d0 + n), domain: n in [1, 9], d0 in [0, n - 1]",
    "<n, m>(d0) -> (max(min(m - d0 floordiv (n * 16) * 16, 16), 1)), domain: n in [2, inf], m in [2, inf], d0 in [0, n * m - 1]",
];

/// Returns points near a point of the domain, the same in every run.
fn near(point: &[i64]) -> impl Iterator<Item = Vec<i64>> {
    let mut state = 0x5EED_u64;
    let mut step = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as i64 % 7 - 3
    };
    let moved = (0..60).map(move |_| point.iter().map(|x| x + step()).collect());
    std::iter::once(point.to_vec()).chain(moved)
}

/// Returns points of the domain of a map: small sizes, and indices below 40.
fn points(map: &IndexingMap) -> Vec<Vec<i64>> {
    let mut state = 0x5EED_u64;
    let mut number = |bounds: Interval| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let lo = bounds.lo().max(-20);
        lo + (state >> 33) as i64 % (bounds.hi().min(lo + 19) - lo + 1)
    };
    let bounds: Vec<Interval> = map.domain().intervals().collect();
    let all = (0..4000).map(|_| bounds.iter().map(|x| number(*x)).collect());
    let all = all.filter(|point: &Vec<i64>| map.domain().contains(point) == Ok(true));
    all.take(60).collect()
}

#[test]
fn simplifications_have_certificates() {
    for text in MAPS {
        certificate(&map(text));
    }
}

/// A certificate may show that a map is defined nowhere, using only the facts that the map's own domain states.
#[test]
fn a_map_that_is_nowhere_defined_has_a_certificate() {
    let over = |rest: &str| {
        format!(
            "<n, B>(d0) -> (d0), domain: n in [1, inf], B in [1, inf], d0 in [0, B - 1], {rest}"
        )
    };
    // Whether the domain is empty, and whether the simplifier shows it.
    for (rest, is_empty, is_found) in [
        ("d0 floordiv (n*B) in [1, 1]", true, true),
        ("d0 floordiv B in [1, 3]", true, true),
        ("d0 - n*B in [0, inf]", true, false),
        ("d0 floordiv (n*B) in [0, 1]", false, false),
        ("d0 mod 2 in [0, 0]", false, false),
        ("d0 - n in [0, inf]", false, false),
    ] {
        let before = map(&over(rest));
        let shown = certificate(&before);
        assert_eq!(shown.after.domain().is_known_empty(), is_found, "{rest}");
        let mut domain = before.domain().clone();
        domain.make_empty();
        let claim = Certificate {
            after: IndexingMap::new(domain, before.results().to_vec()),
            before,
            domain_steps: Vec::new(),
            result_steps: Vec::new(),
        };
        assert_eq!(rejected(&claim).is_none(), is_empty, "{rest}");
    }
}

/// An altered step that is wrong at some point is rejected at that step.
#[test]
fn an_altered_step_is_noticed() {
    let (mut total, mut wrong) = (0, 0);
    for text in MAPS {
        let certificate = certificate(&map(text));
        let points = points(&certificate.before);
        assert!(points.len() > 20, "{text}");
        let steps: Vec<Instance> = certificate.steps().cloned().collect();
        for (number, step) in steps.iter().enumerate() {
            assert!(is_true(step, &points), "{step:?} of {text}");
            for other in alterations(step) {
                total += 1;
                if !is_true(&other, &points) {
                    wrong += 1;
                    let attempt = with_step(&certificate, number, Some(other.clone()));
                    assert!(rejected(&attempt).is_some(), "{other:?} of {text}");
                }
            }
        }
    }
    assert!(wrong > 60, "{wrong} of {total} are wrong");
}

/// A result that is off by one or by a size, a bound that is off by one, a missing constraint.
#[test]
fn another_claim_is_rejected() {
    for text in MAPS {
        let certificate = certificate(&map(text));
        let (domain, results) = certificate.after.clone().into_parts();
        let claim = |domain: Domain, results: Vec<Expr>| Certificate {
            after: IndexingMap::new(domain, results),
            ..certificate.clone()
        };
        let size = domain.ids(VariableKind::Parameter).next();
        let size = size.map(Expr::variable);
        for index in 0..results.len() {
            for change in [Some(Expr::constant(1)), size.clone()].into_iter().flatten() {
                let mut results = results.clone();
                results[index] = results[index].add(&change).expect("small numbers");
                let claim = claim(domain.clone(), results);
                assert_eq!(rejected(&claim), Some(RejectionKind::Result), "{claim:?}");
            }
        }
        for index in 0..domain.variables().len() {
            let mut variables = domain.variables().to_vec();
            let bounds = variables[index].bounds;
            variables[index].bounds = match bounds.hi() {
                PLUS_INFINITY => Interval::at_least(bounds.lo() + 1),
                hi => Interval::new(bounds.lo(), hi + 1),
            };
            let mut changed = Domain::new(variables);
            for constraint in domain.constraints() {
                changed.constrain(&constraint.expr, constraint.bounds);
            }
            let claim = claim(changed, results.clone());
            assert!(rejected(&claim).is_some(), "{claim:?}");
        }
        for left_out in domain.constraints() {
            let mut changed = Domain::new(domain.variables().to_vec());
            for constraint in domain.constraints().iter().filter(|x| *x != left_out) {
                changed.constrain(&constraint.expr, constraint.bounds);
            }
            let claim = claim(changed, results.clone());
            assert!(rejected(&claim).is_some(), "{claim:?}");
        }
    }
}

/// Checks that the lines of a chain are equal on the domain, and connect the given map to the answer.
fn check_chain(map: &IndexingMap, points: &[Vec<i64>]) {
    let certified = certify(map);
    let steps = steps(&certified);
    let names = variable_names(map.domain());
    let text = |expr: &Expr| print_expr(expr, &names, Style::Plain);
    let after = &certified.certificate.after;
    if certified.verdict.is_err() || after.domain().is_known_empty() {
        return;
    }
    for (index, (x, y)) in map.results().iter().zip(after.results()).enumerate() {
        let lines = steps.iter().filter(|step| step.result == Some(index));
        let mut current = text(x);
        for Step { before, after, .. } in lines {
            assert_eq!(*before, current, "{steps:#?}");
            let sides = [before, after].map(|side| parse_symbolic_expr(side, &names));
            let [x, y] = sides.map(|side| side.unwrap_or_else(|error| panic!("{error:?}")));
            for point in points.iter().filter(|x| map.domain().contains(x) == Ok(true)) {
                if let (Ok(x), Ok(y)) = (x.eval(point), y.eval(point)) {
                    assert_eq!(x, y, "{before} and {after} at {point:?}");
                }
            }
            current.clone_from(after);
        }
        // A chain that takes too much work is replaced by one line for the whole map.
        if !steps.iter().any(|step| step.before.contains("->")) {
            assert_eq!(current, text(y), "{steps:#?}");
        }
    }
}

#[test]
fn chains_of_equal_lines() {
    for text in MAPS {
        let map = map(text);
        check_chain(&map, &points(&map));
        let whole = steps(&certify(&map));
        let is_told = |step: &Step| !step.before.contains("->");
        assert!(whole.iter().all(is_told), "{text}: {whole:#?}");
    }
}

/// Nearly all random maps have one: if a divisor is positive only by constraints that were rewritten, the proof may fail.
#[test]
fn random_maps_have_certificates() {
    let mut runner = TestRunner::new(Config { rng_seed: RngSeed::Fixed(22), ..Config::default() });
    let maps = symbolic_map(None);
    let (mut total, mut held) = (0, 0);
    for _ in 0..600 {
        let tree = maps.new_tree(&mut runner).expect("a map");
        let certified = certify(&tree.current().map);
        total += 1;
        held += usize::from(certified.verdict.is_ok());
    }
    assert!(held * 100 >= total * 95, "{held} of {total} replay");
}

/// Returns every claim that is off by a number or by a size.
fn other_claims(certificate: &Certificate) -> Vec<Certificate> {
    let (domain, results) = certificate.after.clone().into_parts();
    let sizes = domain.ids(VariableKind::Parameter).map(Expr::variable);
    let changes: Vec<Expr> = sizes.chain([1, -1, i64::MAX].map(Expr::constant)).collect();
    let mut all = Vec::new();
    for index in 0..results.len() {
        let moved = changes.iter().map(|x| results[index].add(x));
        let twice = [&results[index], &changes[0]].map(|x| results[index].times(x));
        for other in moved.chain(twice).flatten() {
            let mut results = results.clone();
            results[index] = other;
            all.push(Certificate {
                after: IndexingMap::new(domain.clone(), results),
                ..certificate.clone()
            });
        }
    }
    all
}

/// Certificates of random maps with one change are rejected if the change makes the claim, or a step, wrong at some point.
#[test]
fn claims_wrong_at_a_point_are_rejected() {
    let mut runner = TestRunner::new(Config { rng_seed: RngSeed::Fixed(23), ..Config::default() });
    let maps = symbolic_map(None);
    let (mut claims, mut wrong_steps) = (0, 0);
    for round in 0..400 {
        let Symbolic { map, point } = maps.new_tree(&mut runner).expect("a map").current();
        let certified = certify(&map);
        let points: Vec<Vec<i64>> =
            near(&point).filter(|point| map.domain().contains(point) == Ok(true)).collect();
        if certified.verdict.is_err() || points.is_empty() {
            continue;
        }
        let certificate = certified.certificate;
        let mut others = other_claims(&certificate);
        for kind in 0..16 {
            others.push(altered(
                &certificate,
                kind,
                round * 31 + kind as usize,
                [1, -1, 2][round % 3],
            ));
        }
        let around: Vec<Vec<i64>> = near(&point).collect();
        for other in others {
            let agrees = |point: &Vec<i64>| agree(&other.before, &other.after, point).is_ok();
            if !around.iter().all(agrees) {
                claims += 1;
                assert!(rejected(&other).is_some(), "{other:?}");
            }
        }
        let steps: Vec<Instance> = certificate.steps().cloned().collect();
        for (number, step) in steps.iter().enumerate().take(4) {
            for other in alterations(step) {
                if !is_true(&other, &points) {
                    wrong_steps += 1;
                    let attempt = with_step(&certificate, number, Some(other));
                    assert!(rejected(&attempt).is_some(), "{attempt:?}");
                }
            }
        }
    }
    assert!(claims > 1_000 && wrong_steps > 1_000, "{claims}, {wrong_steps}");
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(22), ..ProptestConfig::with_cases(400) })]

    /// An accepted certificate is true at every point, however it was altered.
    #[test]
    fn accepted_certificates_are_true(
        of in symbolic_map(None),
        changes in prop::collection::vec((0u32..16, 0usize..1000, -2i64..3), 0..4),
    ) {
        let Symbolic { map, point } = of;
        let points: Vec<Vec<i64>> = near(&point).collect();
        check_chain(&map, &points);
        let mut certificate = certify(&map).certificate;
        for (kind, place, change) in changes {
            certificate = altered(&certificate, kind, place, change);
        }
        if rejected(&certificate).is_none() {
            for point in &points {
                agree(&certificate.before, &certificate.after, point)?;
            }
        }
    }
}
