//! No certificate exhausts the replayer: its work is counted in steps, and it reports when they are spent.

use affinor::certificate::{
    Certificate, Instance, Rejection, RejectionKind, replay, replay_within,
};
use affinor::expr::Expr;
use affinor::num::{Fuel, Interrupt};
use affinor::rule::RuleSet;
use affinor::text::{parse_expr, parse_map};
use std::sync::LazyLock;

pub(crate) static RULES: LazyLock<RuleSet> =
    LazyLock::new(|| RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}")));

/// Claims that two results over variables are the same, by these steps.
pub(crate) fn claim_over(
    variables: &str,
    [before, after]: [&str; 2],
    domain: &str,
    steps: &[Instance],
) -> Certificate {
    let map = |result: &str| {
        let text = format!("{variables} -> ({result}), domain: {domain}");
        parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
    };
    Certificate {
        before: map(before),
        after: map(after),
        domain_steps: Vec::new(),
        result_steps: steps.to_vec(),
    }
}

fn claim(before: &str, after: &str, domain: &str, steps: &[Instance]) -> Certificate {
    claim_over("(d0, d1)", [before, after], domain, steps)
}

fn step(rule: &str, constants: &[i64], expressions: &[String]) -> Instance {
    let expr = |text: &String| {
        parse_expr(text, &["d0", "d1"]).unwrap_or_else(|error| panic!("{error:?} in {text}"))
    };
    Instance {
        rule: rule.to_owned(),
        constants: constants.iter().map(|x| Expr::constant(*x)).collect(),
        expressions: expressions.iter().map(expr).collect(),
    }
}

const BOX: &str = "d0 in [0, 1000], d1 in [0, 1000]";

pub(crate) fn listed(count: usize, separator: &str, each: impl Fn(usize) -> String) -> String {
    let all: Vec<String> = (0..count).map(each).collect();
    all.join(separator)
}

/// Returns a sum of `count` mins of `of` sums each.
fn mins(count: usize, of: usize) -> String {
    listed(count, " + ", |i| {
        let operand = |j: usize| {
            let (a, b) = (i * 8 + j + 2, (j * 7 + i * 3) % 11 + 1);
            format!("d0 * {a} + d1 * {b} + d0 floordiv {}", i + j + 2)
        };
        format!("min({})", listed(of, ", ", operand))
    })
}

/// `(.. ((d0 + 1) floordiv 2 * 3 + 1) floordiv 2 * 3 ..)`, nested to this depth.
fn nested(depth: usize) -> String {
    (0..depth)
        .fold("d0".to_owned(), |x, i| format!("min(({x} + d1 * {i}) floordiv 2 * 3, {x} + {i})"))
}

/// Claims that look harmless but take much work.
fn hostile() -> Vec<(&'static str, Certificate)> {
    let block = |numerator: &str, count: usize| {
        let steps = vec![step("div-block", &[9_000_000, 0], &[numerator.to_owned()]); count];
        claim(&format!("({numerator}) floordiv 9000000"), "0", BOX, &steps)
    };
    let many = |count: usize, each: &dyn Fn(usize) -> Instance| {
        let steps: Vec<Instance> = (0..count).map(each).collect();
        claim("d0", "d0", BOX, &steps)
    };
    let constraints =
        listed(300, ", ", |i| format!("(d0 + d1 * {i}) floordiv {} in [0, 900]", i + 2));
    let constrained = format!("{BOX}, {constraints}");
    let long = listed(600, " + ", |i| format!("(d0 * {i} + d1) floordiv {}", i + 2));
    vec![
        ("six mins of eight", block(&mins(6, 8), 1)),
        ("twelve mins of twelve, again and again", block(&mins(12, 12), 40)),
        ("mins inside quotients inside mins", block(&nested(11), 20)),
        ("a long sum of quotients", block(&long, 60)),
        (
            "many constraints",
            claim(
                "d0",
                "d0",
                &constrained,
                &vec![step("div-block", &[9, 0], std::slice::from_ref(&long)); 9],
            ),
        ),
        (
            "constraints that are not there",
            Certificate {
                before: claim("d0", "d0", &constrained, &[]).before,
                ..claim("d0", "d0", BOX, &[])
            },
        ),
        (
            "equations between many quotients",
            many(600, &|i| {
                let [x, y] = [i, i + 1]
                    .map(|i| format!("(d0 + {}) floordiv 7 + d1 floordiv {}", i % 7, i + 2));
                step("div-extract", &[2], &[x, format!("min({y}, d1)")])
            }),
        ),
        (
            "mins among mins",
            many(300, &|i| {
                let list =
                    listed(9, ", ", |j| format!("d0 * {} + d1 floordiv {}", (i + j) % 13, j + 2));
                step(
                    "min-affine-among",
                    &[2],
                    &[
                        "d0".to_owned(),
                        format!("d1 + {i}"),
                        "d1".to_owned(),
                        format!("min({list})"),
                    ],
                )
            }),
        ),
    ]
}

/// Checks a certificate with this fuel; returns the verdict and the number of steps spent.
pub(crate) fn within(certificate: &Certificate, fuel: &Fuel) -> (Result<(), Rejection>, u64) {
    let before = fuel.left();
    let verdict = replay_within(certificate, &RULES, fuel);
    (verdict, before - fuel.left())
}

#[test]
fn hostile_certificates_take_no_more_than_their_steps() {
    for (name, certificate) in hostile() {
        let whole = certificate.fuel(&Interrupt::new());
        assert!(whole.left() < 10_000_000, "{name}");
        let (verdict, taken) = within(&certificate, &whole);
        let fewer = [1, 100, 10_000, taken / 2, taken - 1];
        for part in fewer.into_iter().filter(|part| *part < taken) {
            let (stopped, _) = within(&certificate, &Fuel::new(part, &Interrupt::new()));
            let kind = stopped.err().map(|rejection| rejection.kind);
            assert_eq!(kind, Some(RejectionKind::Stopped), "{name}, {part} of {taken}");
        }
        let again = replay(&certificate, &RULES);
        assert_eq!(again, verdict, "{name}");
    }
}

#[test]
fn six_mins_of_eight_are_checked() {
    let numerator = mins(6, 8);
    let [right, wrong] = [9_000_000, 9].map(|divisor| {
        let steps = [step("div-block", &[divisor, 0], std::slice::from_ref(&numerator))];
        claim(&format!("({numerator}) floordiv {divisor}"), "0", BOX, &steps)
    });
    assert_eq!(replay(&right, &RULES), Ok(()));
    let kind = replay(&wrong, &RULES).err().map(|rejection| rejection.kind);
    assert_eq!(kind, Some(RejectionKind::Condition));
}

#[test]
fn interrupts_are_reported() {
    let interrupt = Interrupt::new();
    interrupt.trigger();
    let certificate =
        claim("d0", "d0 + 0", BOX, &[step("div-block", &[9, 0], &["d1 floordiv 900".to_owned()])]);
    assert_eq!(replay(&certificate, &RULES), Ok(()));
    let rejection = replay_within(&certificate, &RULES, &certificate.fuel(&interrupt));
    let rejection = rejection.expect_err("it was interrupted");
    assert_eq!(
        (rejection.kind, rejection.to_string().as_str()),
        (RejectionKind::Stopped, "interrupted")
    );
}

#[test]
fn spent_fuel_is_reported() {
    let certificate = claim("d0", "d1", BOX, &[]);
    let rejection = replay_within(&certificate, &RULES, &Fuel::new(1, &Interrupt::new()));
    let rejection = rejection.expect_err("one step is not enough");
    assert_eq!(rejection.to_string(), "stopped at the budget of steps");
    assert_eq!((rejection.step, rejection.kind), (None, RejectionKind::Stopped));
}
