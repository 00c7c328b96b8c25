//! Certificates written by hand: in pairs, a step that holds and one that must be refused.

use affinor::certificate::{Certificate, Instance, RejectionKind, replay};
use affinor::expr::Expr;
use affinor::rule::RuleSet;
use affinor::text::{parse_expr, parse_map};
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> =
    LazyLock::new(|| RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}")));

fn step(rule: &str, constants: &[i64], expressions: &[&str]) -> Instance {
    let expr = |text: &&str| {
        parse_expr(text, &["d0", "d1"]).unwrap_or_else(|error| panic!("{error:?} in {text}"))
    };
    Instance {
        rule: rule.to_owned(),
        constants: constants.iter().map(|x| Expr::constant(*x)).collect(),
        expressions: expressions.iter().map(expr).collect(),
    }
}

/// Builds a certificate over `d0` and `d1`.
fn written(before: &str, after: &str, domain: &[Instance], results: &[Instance]) -> Certificate {
    let map = |text: &str| {
        let text = format!("(d0, d1) -> {text}");
        parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
    };
    Certificate {
        before: map(before),
        after: map(after),
        domain_steps: domain.to_vec(),
        result_steps: results.to_vec(),
    }
}

#[track_caller]
pub fn accepts(certificate: &Certificate) {
    assert_eq!(replay(certificate, &RULES), Ok(()));
}

/// Checks that a certificate is rejected at the step with this number, from 1, or at no step, for this kind of reason.
#[track_caller]
pub fn rejects(certificate: &Certificate, step: Option<usize>, kind: RejectionKind) {
    let rejection = replay(certificate, &RULES).expect_err("it is wrong");
    assert_eq!((rejection.step, rejection.kind), (step, kind), "{rejection}");
}

const BOX: &str = "d0 in [0, 15], d1 in [0, 3]";

/// A box with more points than the replayer evaluates.
const LARGE_BOX: &str = "d0 in [0, 400], d1 in [0, 100]";

#[test]
fn written_results() {
    let claim = |before: &str, after: &str, steps: &[Instance]| {
        let [before, after] = [before, after].map(|x| format!("({x}), domain: {BOX}"));
        written(&before, &after, &[], steps)
    };
    let extract = step("div-extract", &[4], &["d0", "d1"]);
    let block = step("div-block", &[4, 0], &["d1"]);
    let before = "(d0 * 4 + d1) floordiv 4";
    accepts(&claim("d0 * 4 mod 6 + d0 * 4 floordiv 6 * 6", "d0 * 4", &[]));
    accepts(&claim(before, "d0", &[extract.clone(), block.clone()]));
    accepts(&claim(before, "d0", &[step("div-strip", &[4, 0], &["d0", "d1"])]));
    rejects(&claim(before, "d0", &[]), None, RejectionKind::Result);
    rejects(&claim(before, "d0", &[extract]), None, RejectionKind::Result);
    rejects(&claim(before, "d0", &[block]), None, RejectionKind::Result);
    rejects(&claim("d0", "d1", &[]), None, RejectionKind::Result);
    // The steps before a wrong step do not justify it, and the steps after it are not examined.
    let wrong = step("div-block", &[4, 0], &["d0"]);
    let fine = step("div-block", &[16, 0], &["d0"]);
    let missing = step("no-rule", &[], &[]);
    let steps = [fine.clone(), wrong, missing.clone()];
    rejects(&claim("d0", "d0", &steps), Some(2), RejectionKind::Condition);
    rejects(&claim("d0", "d0", &[fine, missing]), Some(2), RejectionKind::Rule);
    for (step, kind) in [
        (step("div-block", &[16], &["d0"]), RejectionKind::Bindings),
        (step("div-block", &[16, 0], &["d0", "d1"]), RejectionKind::Bindings),
        (step("div-near", &[0], &["d0", "d1"]), RejectionKind::Condition),
        (step("sum-split", &[1, 1, 0, 1], &["d0", "d1"]), RejectionKind::Bindings),
        (step("div-div", &[1 << 62, 1 << 62], &["d0", "d1"]), RejectionKind::Overflow),
        (step("constraint-shift", &[0, 0, 15], &["d0"]), RejectionKind::Bound),
        (step("same-value", &[], &["d0", "d1"]), RejectionKind::Condition),
    ] {
        rejects(&claim("d0", "d0", &[step]), Some(1), kind);
    }
}

#[test]
fn written_domains() {
    let claim = |before: &str, after: &str, domain: &[Instance], results: &[Instance]| {
        let [before, after] = [before, after].map(|x| format!("(d0), domain: {x}"));
        written(&before, &after, domain, results)
    };
    let with = |constraint: &str| format!("{BOX}, {constraint}");
    // A constraint that always holds may be dropped, another may not, and no constraint may be added.
    accepts(&claim(&with("d0 + d1 in [0, 18]"), BOX, &[], &[]));
    rejects(&claim(&with("d0 + d1 in [0, 17]"), BOX, &[], &[]), None, RejectionKind::Domain);
    rejects(&claim(BOX, &with("d0 + d1 in [0, 17]"), &[], &[]), None, RejectionKind::Domain);
    // New bounds of variables must follow from a step or by arithmetic.
    let smaller = "d0 in [1, 15], d1 in [0, 3]";
    accepts(&claim(&with("d0 * 4 + d0 in [3, 99]"), smaller, &[], &[]));
    rejects(&claim(BOX, smaller, &[], &[]), None, RejectionKind::Domain);
    rejects(&claim(smaller, BOX, &[], &[]), None, RejectionKind::Domain);
    // A bound that is replaced must be in the domain.
    let scale = step("constraint-scale", &[3, 2, 20], &["d0 + d1"]);
    let (given, reached) = (with("(d0 + d1) * 2 in [3, 20]"), with("d0 + d1 in [2, 10]"));
    accepts(&claim(&given, &reached, std::slice::from_ref(&scale), &[]));
    rejects(&claim(&given, &reached, &[], &[]), None, RejectionKind::Domain);
    rejects(
        &claim(BOX, &reached, std::slice::from_ref(&scale), &[]),
        Some(1),
        RejectionKind::Bound,
    );
    rejects(&claim(&given, &given, &[], &[scale]), Some(1), RejectionKind::Bound);
    // Emptiness must be shown.
    let empty = "d0 in [0, -1], d1 in [0, 3]";
    accepts(&claim(&with("d0 + d1 in [19, 30]"), empty, &[], &[]));
    rejects(&claim(&with("d0 + d1 in [18, 30]"), empty, &[], &[]), None, RejectionKind::Domain);
    rejects(&claim(empty, BOX, &[], &[]), None, RejectionKind::Domain);
}

/// Two constraints that each make the other redundant must not both be dropped, and a constraint must not be used to rewrite
/// itself. For results, both are facts.
#[test]
fn constraints_do_not_justify_each_other() {
    let both = format!("{BOX}, d0 - d1 in [0, 0], d0 * 2 - d1 * 2 in [0, 0]");
    let claim = |after: &str, domain: &[Instance], results: &[Instance]| {
        let before = format!("((d0 - d1 + 3) floordiv 4), domain: {both}");
        written(&before, &format!("(0), domain: {after}"), domain, results)
    };
    // `d0 - d1 in [0, 0]` implies `(d0 - d1 + 3) floordiv 4 = 0`.
    let from_constraint = step("div-block", &[4, 0], &["d0 - d1 + 3"]);
    let steps = std::slice::from_ref(&from_constraint);
    accepts(&claim(&both, &[], steps));
    rejects(&claim(&both, steps, &[]), Some(1), RejectionKind::Condition);
    rejects(&claim(BOX, &[], steps), None, RejectionKind::Domain);
    let itself = format!("{BOX}, (d0 + d1) floordiv 8 in [0, 0]");
    let before = format!("(0), domain: {itself}");
    let block = step("div-block", &[8, 0], &["d0 + d1"]);
    let gone = format!("(0), domain: {BOX}");
    rejects(&written(&before, &gone, &[block], &[]), Some(1), RejectionKind::Condition);
}

/// Checks a certificate on the box of a halo: each step is needed, and additional true steps do no harm.
#[track_caller]
fn check_needed(before: &str, after: &str, steps: &[Instance], beside: &[Instance]) {
    let [before, after] =
        [before, after].map(|x| format!("({x}), domain: d0 in [0, 4], d1 in [0, 9]"));
    let certificate = |steps: &[Instance]| written(&before, &after, &[], steps);
    accepts(&certificate(steps));
    accepts(&certificate(&[beside, steps].concat()));
    accepts(&certificate(&[steps, beside].concat()));
    for missing in 0..steps.len() {
        let rest = [&steps[..missing], &steps[missing + 1..], beside].concat();
        rejects(&certificate(&rest), None, RejectionKind::Result);
    }
}

/// `min(max(..) - 1, 38)` is another min less 1. Next to a 7, which makes the 38 redundant, the other min must not replace the
/// operands.
#[test]
fn a_min_that_is_another_one_shifted() {
    let steps = [
        step("max-affine", &[1], &["d0 * 8 + d1", "-1", "1"]),
        step("max-affine", &[1], &["d0 * 8", "-1", "1"]),
        step(
            "min-affine",
            &[1],
            &["min(max(d0 * 8 + d1, 1), 39)", "-max(d0 * 8, 1) + 1", "max(d0 * 8, 1) + 7"],
        ),
        step("min-le-among", &[], &["max(d0 * 8, 1) + 7", "39", "max(d0 * 8 + d1, 1)"]),
        step("min-affine", &[1], &["max(d0 * 8 + d1, 1)", "-max(d0 * 8, 1)", "max(d0 * 8, 1) + 7"]),
        step("max-difference", &[1], &["1", "d0 * 8 + d1", "d0 * 8", "0"]),
    ];
    let before = "min(min(max(d0 * 8 + d1 - 1, 0), 38) - max(d0 * 8 - 1, 0) + 1, 8)";
    let after = "min(d1, min(max(d0 * 8 + d1, 1) - 1, 7)) + 1";
    check_needed(before, after, &steps, &[]);
}

/// An equation between a max and four times another max is solved for the former, even if it is written as a min of negated
/// operands.
#[test]
fn a_multiple_of_a_max_makes_no_fraction_of_it() {
    let max = "max(d0 * 3 + d1 * 2, 1)";
    let steps = [
        step("max-affine", &[1], &["d0 * 3 + d1 * 2", "-1", "1"]),
        step("min-affine", &[1], &[max, "-1", "64"]),
        step("min-affine", &[4], &[max, "0", "64"]),
        step("max-affine", &[4], &["1", "0", "d0 * 3 + d1 * 2"]),
        step("min-le", &[], &["min(max(d0 * 3 + d1 * 2, 1), 64) * 4 - 4", "256"]),
    ];
    let negative = step("max-affine-negative", &[-1], &["-4", "0", "d0 * -12 - d1 * 8"]);
    let before = "min(min(max(d0 * 3 + d1 * 2 - 1, 0), 63) * 4, 256)";
    let after = "min(max(d0 * 12 + d1 * 8, 4), 256) - 4";
    check_needed(before, after, &steps, &[negative]);
}

/// Checks that claims on the box of a halo are rejected although each step holds.
#[track_caller]
fn check_wrong(before: &str, afters: &[&str], steps: &[Instance]) {
    let claim = |x: &str| format!("({x}), domain: d0 in [0, 4], d1 in [0, 9]");
    for after in afters {
        let certificate = written(&claim(before), &claim(after), &[], steps);
        rejects(&certificate, None, RejectionKind::Result);
    }
}

/// Of three operands, any two may be replaced by a term equal to their min, even if the same holds for another two.
#[test]
fn parts_of_a_min_that_share_an_operand() {
    let steps = [
        step("min-affine", &[2], &["0", "d0 * -3", "d0"]),
        step("max-affine-negative", &[-2], &["0", "d0 * 3", "d0"]),
        step("min-affine-negative", &[-1], &["2", "0", "d0 * 3 - min(d0, 0) * 2"]),
    ];
    let beside = [
        step("min-affine-negative", &[-1], &["2", "0", "d0"]),
        step("min-affine-negative", &[-1], &["2", "0", "d0 * 3"]),
    ];
    let before = "min(d0 * -3, -d0, -2)";
    check_needed(before, "-max(d0, d0 * 3, 2)", &steps, &beside);
    let wrong = ["-max(d0, d0 * 3, 1)", "-max(d0, d0 * 2, 2)", "-max(d0, 2)", "max(d0, d0 * 3, 2)"];
    check_wrong(before, &wrong, &[&steps[..], &beside].concat());
}

/// A min that equals another min with different operands also does so among further operands.
#[test]
fn a_min_that_is_another_one_is_part_of_a_larger_one() {
    let steps = [step("min-affine-negative-among", &[-1], &["d0 * 4", "5", "d0", "d0"])];
    let before = "min(d0, d0 * -4 + 5, -d0 + 5, 0)";
    check_needed(before, "min(d0, -max(d0, d0 * 4) + 5, 0)", &steps, &[]);
    let wrong = [
        "min(d0, -max(d0, d0 * 4) + 5, 1)",
        "min(d0, -max(d0, d0 * 3) + 5, 0)",
        "min(d0, -max(d0, d0 * 4) + 5)",
        "min(d0, -max(d0, 4) + 5, 0)",
    ];
    check_wrong(before, &wrong, &steps);
}

/// Both sides are the max of `d0`, 2 and `-d0 + 4`, which neither of them mentions.
#[test]
fn maxes_that_meet_in_one_that_nobody_wrote() {
    let steps = [
        step("max-affine-negative", &[-1], &["2", "d0 + 2", "d0"]),
        step("max-affine", &[1], &["d0", "-d0 + 2", "2"]),
    ];
    let before = "max(d0 - min(d0, 2) + 2, -d0 + 4)";
    check_needed(before, "max(d0, max(d0, 2) - d0 + 2)", &steps, &[]);
    let wrong = [
        "max(d0, max(d0, 2) - d0 + 3)",
        "max(d0, max(d0, 2) - d0)",
        "max(d0, min(d0, 2) - d0 + 2)",
        "max(d0 + 1, max(d0, 2) - d0 + 2)",
    ];
    check_wrong(before, &wrong, &steps);
}

/// Eight parts that may each be replaced or not make more combinations than are tried.
#[test]
fn many_parts_of_a_min() {
    let factors = 2..10i64;
    let affine = |m: i64| step("min-affine", &[m], &["d0", "0", "d1"]);
    let steps: Vec<Instance> = factors.clone().map(affine).collect();
    let list = |of: &dyn Fn(i64) -> String| {
        let operands: Vec<String> = factors.clone().map(of).collect();
        format!("min({})", operands.join(", "))
    };
    let before = list(&|m| format!("d0 * {m}, d1 * {m}"));
    let after = list(&|m| format!("min(d0, d1) * {m}"));
    check_needed(&before, &after, &steps, &[]);
    check_wrong(&before, &[&after.replace("* 9", "* -9")], &steps);
}

/// A fact that a step establishes about a max or a remainder, using a constraint, holds in each sum that contains it.
#[test]
fn facts_about_parts() {
    let claim = |before: &str, after: &str, constraint: &str, steps: &[Instance]| {
        let [before, after] =
            [before, after].map(|x| format!("({x}), domain: {LARGE_BOX}, {constraint}"));
        written(&before, &after, &[], steps)
    };
    let same = |x: &str| step("same-value", &[], &[x, x]);
    let max = "max(d0, d1)";
    let least = step("min-le", &[], &[max, "d1 + 8"]);
    let min = "min(d0, 7)";
    let greatest = step("max-ge", &[], &["d1 + 3", min]);
    for (before, after, part, fine, too_wide, last) in [
        ("min(d1 + 8, max(d0, d1))", max, max, "[1, 8]", "[1, 9]", least),
        ("max(d1 + 3, min(d0, 7))", "d1 + 3", min, "[1, 3]", "[1, 4]", greatest),
    ] {
        let [fine, too_wide] = [fine, too_wide].map(|bounds| format!("{part} in {bounds}"));
        let steps = [same(part), last];
        accepts(&claim(before, after, &fine, &steps));
        rejects(&claim(before, after, &fine, &steps[1..]), Some(1), RejectionKind::Condition);
        rejects(&claim(before, after, &too_wide, &steps), Some(2), RejectionKind::Condition);
    }
}
