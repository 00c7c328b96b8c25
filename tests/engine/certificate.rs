//! Certificates: those of real simplifications replay, altered ones do not.

use crate::SIMPLIFIER;
use crate::support::{cases, random};
use affinor::certificate::{
    Certificate, Instance, MAX_IRREDUNDANT, RejectionKind, Step, replay, replay_plainly,
    replay_within,
};
use affinor::expr::{Domain, Expr, IndexingMap, VariableId};
use affinor::num::{Fuel, Interrupt, Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::prove::{Budget, Verdict, is_empty};
use affinor::rule::{Point, Truth};
use affinor::simplify::{Certified, Options};
use affinor::text::{Style, parse_map, print_map};
use proptest::prelude::*;

pub(crate) fn certify(map: &IndexingMap) -> Certified {
    SIMPLIFIER.certify(map, &Options::default())
}

pub(crate) fn steps(certified: &Certified) -> Vec<Step> {
    SIMPLIFIER.steps(certified, &Options::default())
}

pub(crate) fn rejected(certificate: &Certificate) -> Option<RejectionKind> {
    let verdict = replay(certificate, SIMPLIFIER.rules());
    verdict.err().map(|rejection| rejection.kind)
}

/// Returns whether the steps alone suffice, without search by the replayer, as other checkers require.
fn is_accepted_plainly(certificate: &Certificate) -> bool {
    let fuel = certificate.fuel(&Interrupt::new());
    replay_plainly(certificate, SIMPLIFIER.rules(), &fuel).is_ok()
}

pub(crate) fn map(text: &str) -> IndexingMap {
    parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

/// Returns the certificate of a simplification after checking that it holds.
#[track_caller]
pub(crate) fn certificate(map: &IndexingMap) -> Certificate {
    let certified = certify(map);
    let text = print_map(map, Style::Plain);
    assert_eq!(certified.verdict, Ok(()), "{text} {:#?}", certified.certificate);
    assert_eq!(rejected(&certified.certificate), None, "{text}");
    assert_eq!(certified.certificate.after, certified.outcome.map);
    certified.certificate
}

/// Returns the chains of reshapes, transposes, slices, pads and tilings that the benchmark measures.
fn measured_cases() -> Vec<IndexingMap> {
    cases::chains().into_iter().map(|case| case.map).collect()
}

/// Maps whose simplification needs constraints, min and max, strides, or no step at all.
const OTHERS: &[&str] = &[
    "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]",
    "(d0) -> (d0 floordiv 4 floordiv 3, d0 ceildiv 5), domain: d0 in [-60, 60]",
    "(d0) -> (d0), domain: d0 in [0, 9]",
    "(d0, d1) -> (min(d0 + d1, d0 + 7, d0 + 3, d0 + d1 mod 2)), domain: d0 in [0, 9], d1 in [0, 9]",
    "(d0) -> (max(min(d0, 7), 2)), domain: d0 in [3, 6]",
    "(d0, d1) -> (max(d0 * 4 + d1, d0 * 4, d0 * 4 - 9)), domain: d0 in [0, 9], d1 in [-3, 3]",
    "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 2], d0 * 8 + s0 in [8, 33]",
    "(d0) -> (d0 floordiv 3), domain: d0 in [0, 20], d0 mod 3 in [1, 1]",
    "(d0) -> (d0), domain: d0 in [0, 100], d0 mod 4 in [3, 3], (d0 + 1) mod 6 in [2, 2]",
    "(d0) -> (d0), domain: d0 in [0, 100], d0 mod 4 in [3, 3], d0 mod 6 in [2, 2]",
    "(d0) -> (d0 mod 7), domain: d0 in [0, 5], d0 * 2 in [11, 40]",
    "(d0, d1) -> ((d0 + d1) floordiv 8), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 7]",
    "(d0, d1) -> (d1), domain: d0 in [0, 99], d1 in [0, 3], -(d0 floordiv 4) + d1 * 2 in [-5, 1]",
];

#[test]
fn simplifications_have_certificates() {
    measured_cases().iter().for_each(|map| {
        certificate(map);
    });
    OTHERS.iter().for_each(|text| {
        certificate(&map(text));
    });
}

/// Mins inside quotients of mins: the fact that a step establishes about an inner min is needed inside the outer one.
#[test]
fn mins_inside_mins_have_certificates() {
    for text in [
        "(d0) -> (min(d0, d0 floordiv 8, 1) floordiv 2), domain: d0 in [-1, 24]",
        "(d0) -> (d0), domain: d0 in [0, 9], min(-d0 + 1, d0 floordiv 9, d0 ceildiv 9) in [0, 0]",
        "()[s0]{rt0} -> (max(rt0, s0 mod 2, min(rt0, 1)), 8*s0 + 3*(s0 ceildiv 6) + 40), domain: s0 in [-1, 24], \
         rt0 in [0, 23], min(s0, s0 floordiv 8, 1) floordiv 2 in [0, 6], (9*s0 + 8*rt0 + 1) mod 8 in [0, 7]",
    ] {
        certificate(&map(text));
    }
}

/// Mins and maxes of several operands, any two of which may be written in another form, or negated; and the domain's facts about
/// such a part.
#[test]
fn parts_of_mins_have_certificates() {
    for text in [
        "(d0) -> (min(min(d0 * -3, -d0), -2)), domain: d0 in [-5, 3]",
        "(d0, d1) -> (max(d0, d1, max(d0 * -6 + 5, 5)), d1 * -3 + 3), domain: d0 in [-1, 7], d1 in [2, 37]",
        "(d0, d1) -> (min(d0, d0 * -4 + 5, -d0 + 5, 0)), domain: d0 in [-3, 6], d1 in [1, 2]",
        "(d0, d1, d2) -> (min(d0 * -5 + 7, -d1, -d2, 0)), domain: d0 in [-4, 2], d1 in [-1, 3], d2 in [-2, 1]",
        "(d0) -> (min(-d0, d0 - 4, max(d0 * -2, -d0 + 5, 9), -2)), domain: d0 in [1, 37]",
        "(d0) -> (max(d0 * -2 + 8, d0 + 3, d0 * 3 + 2, d0 * 5, 9) floordiv 3), domain: d0 in [-3, 29]",
        "(d0)[s0, s1] -> (min(s1 + 8, max(d0, s0))), domain: d0 in [0, 7], s0 in [0, 13], s1 in [0, 12], \
         s1 * 2 - 52 in [-49, -44], max(d0, s0) in [1, 10]",
        "(d0, d1, d2) -> (0, max(d2, d0 + d1 * 4 + 5, d2 mod 10)), domain: d0 in [0, 6], d1 in [0, 4], d2 in [-3, 3], \
         d2 mod 10 mod 11 in [1, 2]",
    ] {
        certificate(&map(text));
    }
}

/// Returns the certificates of the measured cases and of the others that have few enough steps to be made irredundant.
fn short_certificates() -> Vec<Certificate> {
    let others = OTHERS.iter().map(|text| map(text));
    let all = measured_cases().into_iter().chain(others);
    let certificates = all.map(|map| certificate(&map));
    certificates.filter(|x| x.steps().count() <= MAX_IRREDUNDANT).collect()
}

/// Replaces or removes step `number` of `certificate`.
pub(crate) fn with_step(
    certificate: &Certificate,
    number: usize,
    step: Option<Instance>,
) -> Certificate {
    let mut altered = certificate.clone();
    let split = altered.domain_steps.len();
    let (list, at) = match number < split {
        true => (&mut altered.domain_steps, number),
        false => (&mut altered.result_steps, number - split),
    };
    list.splice(at..=at, step);
    altered
}

#[test]
fn a_missing_step_is_noticed() {
    let certificates = short_certificates();
    assert!(certificates.len() > 300);
    let mut of_others = 0;
    for certificate in certificates {
        let is_plain = is_accepted_plainly(&certificate);
        of_others += usize::from(!is_plain);
        for number in 0..certificate.steps().count() {
            let shorter = with_step(&certificate, number, None);
            let is_noticed = match is_plain {
                true => !is_accepted_plainly(&shorter),
                false => rejected(&shorter).is_some(),
            };
            assert!(is_noticed, "step {number} of {certificate:?}");
        }
    }
    assert_eq!(of_others, 0, "certificates that other checkers cannot follow");
}

/// Returns every way to change one number, one expression or the name of a step.
pub(crate) fn alterations(step: &Instance) -> Vec<Instance> {
    let mut all = Vec::new();
    for slot in 0..step.constants.len() {
        for change in [1, -1] {
            let mut altered = step.clone();
            let moved = altered.constants[slot].add(&Expr::constant(change));
            altered.constants[slot] = moved.expect("small numbers");
            all.push(altered);
        }
    }
    for slot in 0..step.expressions.len() {
        for change in [1, -1] {
            let mut altered = step.clone();
            let moved = altered.expressions[slot].add(&Expr::constant(change));
            altered.expressions[slot] = moved.expect("small numbers");
            all.push(altered);
        }
    }
    let others = SIMPLIFIER.rules().rules().iter().filter(|rule| {
        let sizes = (rule.constants.len(), rule.expressions.len());
        rule.name != step.rule && sizes == (step.constants.len(), step.expressions.len())
    });
    all.extend(others.map(|rule| Instance { rule: rule.name.clone(), ..step.clone() }));
    all
}

/// Returns points of the domain: corners of its box, and others inside, the same in every run.
fn points(domain: &Domain) -> Vec<Vec<i64>> {
    let mut state = 0x5EED_u64;
    let mut number = |bounds: Interval| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        match state >> 61 {
            0 => bounds.lo(),
            1 => bounds.hi(),
            _ => bounds.lo() + (state >> 33) as i64 % (bounds.hi() - bounds.lo() + 1),
        }
    };
    let bounds: Vec<Interval> = domain.variables().iter().map(|x| x.bounds).collect();
    let all = (0..400).map(|_| bounds.iter().map(|x| number(*x)).collect());
    let all = all.filter(|point: &Vec<i64>| domain.contains(point) == Ok(true));
    all.take(40).collect()
}

/// Checks whether the step is a true instance of its rule at each of these points.
pub(crate) fn is_true(step: &Instance, points: &[Vec<i64>]) -> bool {
    let rules = SIMPLIFIER.rules();
    let Some(rule) = rules.find(&step.rule).map(|id| rules.rule(id)) else {
        return false;
    };
    points.iter().all(|point| {
        // An expression without a value, such as a quotient by a size that is not positive, makes the step no instance.
        let values = |list: &[Expr]| list.iter().map(|x| x.eval(point).ok()).collect();
        let (Some(constants), Some(expressions)) =
            (values(&step.constants), values(&step.expressions))
        else {
            return false;
        };
        let point = Point { constants, expressions };
        rule.truth(&point) == Truth::Holds
    })
}

/// An altered step that is wrong at some point is rejected at that step. A correct altered step may lead to another proof,
/// usually by a rule with the same equation; this is very rare.
#[test]
fn an_altered_step_is_noticed() {
    let (mut total, mut wrong, mut noticed) = (0, 0, 0);
    for certificate in short_certificates() {
        let points = points(certificate.before.domain());
        let steps: Vec<Instance> = certificate.steps().cloned().collect();
        for (number, step) in steps.iter().enumerate() {
            for altered in alterations(step) {
                total += 1;
                let is_true = is_true(&altered, &points);
                let attempt = with_step(&certificate, number, Some(altered));
                let verdict = replay(&attempt, SIMPLIFIER.rules());
                noticed += usize::from(verdict.is_err());
                if !is_true {
                    wrong += 1;
                    let blamed = verdict.as_ref().err().and_then(|rejection| rejection.step);
                    assert_eq!(blamed, Some(number + 1), "{verdict:?}: {attempt:?}");
                }
            }
        }
    }
    assert!(total > 10_000 && wrong > 2_000, "{wrong} of {total} are wrong");
    assert!(noticed * 100 > total * 95, "{noticed} of {total} are noticed");
}

/// A result that is off by one, a bound of a variable that is off by one, a missing constraint.
#[test]
fn another_claim_is_rejected() {
    let one = Expr::constant(1);
    let mut wrong = 0;
    for certificate in short_certificates() {
        let (domain, results) = certificate.after.clone().into_parts();
        let claim = |domain: Domain, results: Vec<Expr>| Certificate {
            after: IndexingMap::new(domain, results),
            ..certificate.clone()
        };
        for index in (0..results.len()).filter(|_| !domain.is_known_empty()) {
            let mut results = results.clone();
            results[index] = results[index].add(&one).expect("small numbers");
            let claim = claim(domain.clone(), results);
            assert_eq!(rejected(&claim), Some(RejectionKind::Result), "{claim:?}");
        }
        for index in 0..domain.variables().len() {
            let mut variables = domain.variables().to_vec();
            let bounds = variables[index].bounds;
            variables[index].bounds = Interval::new(bounds.lo(), bounds.hi() + 1);
            let mut changed = Domain::new(variables);
            for constraint in domain.constraints() {
                changed.constrain(&constraint.expr, constraint.bounds);
            }
            let mut added = changed.clone();
            let id = VariableId(u32::try_from(index).expect("few variables"));
            added.constrain(&Expr::variable(id), Interval::point(bounds.hi() + 1));
            // If the constraints exclude all points there, the claim is true.
            let is_true = is_empty(&added, &Budget::default()) == Verdict::Proved;
            if changed != domain {
                let claim = claim(changed, results.clone());
                let kind = rejected(&claim);
                assert!(is_true || kind == Some(RejectionKind::Domain), "{kind:?}: {claim:?}");
                wrong += usize::from(!is_true);
            }
        }
        for left_out in domain.constraints() {
            let mut changed = Domain::new(domain.variables().to_vec());
            for constraint in domain.constraints().iter().filter(|x| *x != left_out) {
                changed.constrain(&constraint.expr, constraint.bounds);
            }
            let claim = claim(changed, results.clone());
            assert_eq!(rejected(&claim), Some(RejectionKind::Domain), "{claim:?}");
        }
    }
    assert!(wrong > 50, "{wrong} wrong bounds");
}

/// Applies one change to a certificate, chosen by `kind`, at a place chosen by `place`.
pub(crate) fn altered(
    certificate: &Certificate,
    kind: u32,
    place: usize,
    change: i64,
) -> Certificate {
    let mut altered = certificate.clone();
    let count = altered.steps().count();
    let number = place % count.max(1);
    let step = certificate.steps().nth(number).cloned();
    match (kind % 8, step) {
        // Moves steps that use constraints among those that may not.
        (0, _) => altered.domain_steps.append(&mut altered.result_steps),
        (1, Some(_)) => altered = with_step(certificate, number, None),
        (2, Some(step)) => {
            let all = alterations(&step);
            let other = all.get(place / 7 % all.len().max(1)).cloned();
            altered = with_step(certificate, number, other.or(Some(step)));
        }
        (3, Some(step)) => altered.domain_steps.insert(0, step),
        (4, _) => {
            let (domain, mut results) = altered.after.into_parts();
            if let Some(result) = results.first_mut() {
                *result = result.add(&Expr::constant(change)).expect("small numbers");
            }
            altered.after = IndexingMap::new(domain, results);
        }
        // Drops or changes a constraint, or changes a bound of a variable, on one side only.
        _ => {
            let side =
                if kind.is_multiple_of(2) { &mut altered.after } else { &mut altered.before };
            let (domain, results) = side.clone().into_parts();
            let moved = |x: Interval| match (x.lo(), x.hi()) {
                (MINUS_INFINITY, PLUS_INFINITY) => x,
                (lo, PLUS_INFINITY) => Interval::at_least(lo + change),
                (lo, hi) => Interval::new(lo, hi + change),
            };
            let mut variables = domain.variables().to_vec();
            let chosen = place % (variables.len() + domain.constraints().len()).max(1);
            if let Some(variable) = variables.get_mut(chosen) {
                variable.bounds = moved(variable.bounds);
            }
            let mut changed = Domain::new(variables);
            for (index, constraint) in domain.constraints().iter().enumerate() {
                match (index + domain.variables().len() == chosen, change > 0) {
                    (true, true) => {}
                    (true, false) => changed.constrain(&constraint.expr, moved(constraint.bounds)),
                    _ => changed.constrain(&constraint.expr, constraint.bounds),
                }
            }
            *side = IndexingMap::new(changed, results);
        }
    }
    altered
}

/// Checks whether both maps have the same points and the same values there.
fn is_same_function(x: &IndexingMap, y: &IndexingMap) -> bool {
    let points = [x, y].map(|map| random::box_points(map.domain())).concat();
    points.iter().all(|point| {
        let inside = x.domain().contains(point);
        inside == y.domain().contains(point)
            && (inside != Ok(true) || x.eval(point) == y.eval(point))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn simplifications_of_random_maps_have_certificates(map in random::small_map()) {
        let certified = certify(&map);
        prop_assert_eq!(&certified.verdict, &Ok(()), "{:?}", certified.certificate);
        prop_assert_eq!(rejected(&certified.certificate), None);
        let plain = SIMPLIFIER.simplify(&map, &Options::default());
        prop_assert_eq!(plain.map, certified.outcome.map);
    }

    /// An accepted certificate is true at every point, however it was altered; with less fuel, the only other outcome is that the
    /// fuel was spent.
    #[test]
    fn accepted_certificates_are_true(
        map in random::small_map(),
        changes in prop::collection::vec((0u32..16, 0usize..1000, -2i64..3), 1..4),
        few in 1u64..3000,
    ) {
        let mut certificate = certify(&map).certificate;
        for (kind, place, change) in changes {
            certificate = altered(&certificate, kind, place, change);
        }
        let kind = rejected(&certificate);
        prop_assert_ne!(kind, Some(RejectionKind::Stopped));
        let fuel = Fuel::new(few, &Interrupt::new());
        let hurried = replay_within(&certificate, SIMPLIFIER.rules(), &fuel).err();
        let hurried = hurried.map(|rejection| rejection.kind);
        prop_assert!(hurried == kind || hurried == Some(RejectionKind::Stopped));
        if kind.is_none() {
            let (before, after) = (&certificate.before, &certificate.after);
            prop_assert!(is_same_function(before, after), "{:?}", certificate);
        }
    }

    /// With numbers at the ends of 64 bits a certificate may be rejected, but is never accepted for a wrong result.
    #[test]
    fn extreme_maps(map in random::extreme_map(), change in 1i64..3) {
        let certificate = certify(&map).certificate;
        let after = &certificate.after;
        let moved = |x: &Expr| x.add(&Expr::constant(change));
        let results: Result<Vec<Expr>, _> = after.results().iter().map(moved).collect();
        if let (Ok(results), false, false) = (results, after.results().is_empty(), after.domain().is_known_empty()) {
            let after = IndexingMap::new(after.domain().clone(), results);
            let kind = rejected(&Certificate { after, ..certificate });
            prop_assert!(kind.is_some());
        }
    }
}
