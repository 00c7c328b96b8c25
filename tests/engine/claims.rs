//! Claims in addition to a certificate: compositions, removed variables, and a third map. Accepted claims next to rejected ones.

use affinor::certificate::{Claim, RejectionKind, composed, read_line};
use affinor::expr::IndexingMap;
use affinor::num::Interrupt;
use affinor::rule::RuleSet;
use affinor::text::{ErrorKind, parse_map};
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> =
    LazyLock::new(|| RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}")));

const FIRST: &str = "(d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 39]";
const SECOND: &str = "(d0, d1)[s0]{rt0} -> (d0 * 4 + d1, s0), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 5], rt0 in [1, 2]";
const WHOLE: &str = "(d0)[s0]{rt0} -> (d0 floordiv 4 * 4 + d0 mod 4, s0), domain: d0 in [0, 39], s0 in [0, 5], rt0 in [1, 2]";
const AFTER: &str = "(d0)[s0]{rt0} -> (d0, s0), domain: d0 in [0, 39], s0 in [0, 5], rt0 in [1, 2]";
const VARIABLES: &str = r#"{"d0": "d0", "s0": "s0", "rt0": null}"#;
const LAST: &str = "(d0)[s0] -> (d0, s0), domain: d0 in [0, 39], s0 in [0, 5]";

/// Writes a line with a claim of these parts.
fn line([first, second, whole, after, variables, last]: [&str; 6]) -> String {
    format!(
        r#"{{"composition": ["{first}", "{second}"], "before": "{whole}", "after": "{after}", "variables": {variables}, "reads": "{last}"}}"#
    )
}

fn read(line: &str) -> Claim {
    read_line(line, &RULES).1.unwrap_or_else(|error| panic!("{error:?} in {line}"))
}

fn replayed(line: &str) -> Option<RejectionKind> {
    let claim = read(line);
    claim.replay(&RULES, &claim.fuel(&Interrupt::new())).err().map(|rejection| rejection.kind)
}

/// Checks the verdict on the claim with `old` replaced by `new` in one of its parts, where it must occur.
#[track_caller]
fn check(part: usize, old: &str, new: &str, expected: Option<RejectionKind>) {
    let mut parts = [FIRST, SECOND, WHOLE, AFTER, VARIABLES, LAST].map(str::to_owned);
    assert!(parts[part].contains(old), "{old}");
    parts[part] = parts[part].replacen(old, new, 1);
    let line = line(parts.each_ref().map(String::as_str));
    assert_eq!(replayed(&line), expected, "{line}");
}

#[test]
fn each_part_of_a_claim_is_checked() {
    use RejectionKind::{Composition, Domain, Result, Variables};
    check(0, FIRST, &FIRST.replace("d0", "i"), None); // unchanged up to names
    check(0, "mod 4", "mod 5", Some(Composition));
    check(0, "39", "38", Some(Composition));
    check(0, "d0 floordiv 4, d0 mod 4", "d0 mod 4", Some(Composition));
    check(1, "d0 * 4", "d0 * 3", Some(Composition));
    check(1, "[0, 9]", "[0, 8]", Some(Composition));
    check(1, "[0, 5]", "[0, 6]", Some(Composition));
    check(2, "mod 4", "mod 3", Some(Composition));
    check(3, "(d0, s0)", "(d0 + 1, s0)", Some(Result));
    check(3, "[0, 39]", "[0, 38]", Some(Domain));
    check(4, r#""rt0": null"#, r#""rt0": "s0""#, Some(Variables));
    check(4, r#""s0": "s0""#, r#""s0": null"#, Some(Variables));
    check(4, r#""d0": "d0""#, r#""d0": null"#, Some(Variables));
    check(5, "(d0, s0)", "(s0, d0)", Some(Variables));
    check(5, "[0, 39]", "[0, 40]", Some(Variables));
    let new = LAST.replace("[s0]", "[s0, s1]") + ", s1 in [0, 5]";
    check(5, LAST, &new, Some(Variables));
    check(5, "(d0)[s0]", "(d0, s0)", Some(Variables));
}

/// A removed variable has a value; range variables stay distinct, runtime variables may be merged.
#[test]
fn variables_that_go_or_become_one() {
    let check = |after: &str, variables: &str, last: &str, expected: Option<RejectionKind>| {
        let line = format!(
            r#"{{"before": "{after}", "after": "{after}", "variables": {variables}, "reads": "{last}"}}"#
        );
        assert_eq!(replayed(&line), expected, "{line}");
    };
    let wrong = Some(RejectionKind::Variables);
    let two = |stem: &str, open: &str, close: &str| {
        format!(
            "(d0){open}{stem}0, {stem}1{close} -> (d0 + {stem}0 + {stem}1), domain: d0 in [0, 3], {stem}0 in [0, 5], {stem}1 in [2, 9]"
        )
    };
    let (ranges, values) = (two("s", "[", "]"), two("rt", "{", "}"));
    let one = |stem: &str, open: &str, close: &str| {
        format!(
            "(d0){open}{stem}0{close} -> (d0 + {stem}0 * 2), domain: d0 in [0, 3], {stem}0 in [2, 5]"
        )
    };
    let both =
        |stem: &str| format!(r#"{{"d0": "d0", "{stem}0": "{stem}0", "{stem}1": "{stem}0"}}"#);
    check(&values, &both("rt"), &one("rt", "{", "}"), None);
    check(&values, &both("rt"), &one("rt", "{", "}").replace("[2, 5]", "[0, 5]"), wrong);
    check(&ranges, &both("s"), &one("s", "[", "]"), wrong);
    let unused = "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in";
    let gone = r#"{"d0": "d0", "s0": null}"#;
    let last = "(d0) -> (d0), domain: d0 in [0, 3]";
    check(&format!("{unused} [2, 5]"), gone, last, None);
    check(&format!("{unused} [-inf, 5]"), gone, last, None);
    check(&format!("{unused} [2, 5], d0 + s0 in [0, 4]"), gone, last, wrong);
    check(&format!("{unused} [5, 2]"), gone, last, wrong);
    let swapped = "(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]";
    let last = "(d0, d1) -> (d1), domain: d0 in [0, 3], d1 in [0, 3]";
    check(swapped, r#"{"d0": "d1", "d1": "d0"}"#, last, wrong);
}

#[test]
fn a_claim_reads_back_and_is_no_plain_certificate() {
    let text = line([FIRST, SECOND, WHOLE, AFTER, VARIABLES, LAST]);
    let claim = read(&text);
    let written = serde_json::to_string(&claim.with_rules(&RULES)).expect("it is written");
    assert_eq!(read(&written), claim);
    let refused = affinor::certificate::Certificate::from_json(&written, &RULES);
    assert_eq!(refused.map_err(|error| error.kind).err(), Some(ErrorKind::Encoding));
    for (old, new) in [
        (r#", "reads""#, r#", "read""#),
        (r#""variables""#, r#""variable""#),
        (r#""rt0": null"#, r#""rt1": null"#),
        (r#""rt0": null"#, r#""rt0": "rt7""#),
        (r#""composition": ["#, r#""composition": ["(d0) -> (d0)", "#),
    ] {
        let altered = text.replacen(old, new, 1);
        assert_ne!(altered, text);
        let refused = read_line(&altered, &RULES).1.map_err(|error| error.kind).err();
        assert_eq!(refused, Some(ErrorKind::Encoding), "{altered}");
    }
}

/// Results beyond the dimensions of the second map follow its own results, and have the values of the first map.
#[test]
fn composition_hands_further_results_on() {
    let map = |text: &str| -> IndexingMap { parse_map(text).expect("a map") };
    let first = map("(d0)[s0] -> (d0 + s0, d0 * 2, s0), domain: d0 in [0, 3], s0 in [0, 2]");
    let second = map("(d0)[s0] -> (d0 + s0 * 10), domain: d0 in [1, 4], s0 in [0, 1]");
    let whole = composed(&first, &second).expect("it is written");
    for d0 in 0..=3 {
        for (own, of_first) in [(0, 0), (1, 0), (0, 2), (1, 2)] {
            let point = [d0, own, of_first];
            let expected = [d0 + of_first + own * 10, d0 * 2, of_first];
            assert_eq!(whole.eval(&point).expect("small numbers"), expected);
            let is_inside = (1..=4).contains(&(d0 + of_first));
            assert_eq!(whole.domain().contains(&point), Ok(is_inside));
        }
    }
    assert_eq!(composed(&map("(d0) -> (), domain: d0 in [0, 3]"), &second), None);
}

/// A third map is the same function, by steps that lead to the last map, or by domains that contain each other.
#[test]
fn a_third_map_is_the_same_function() {
    use RejectionKind::{Condition, Domain, Result};
    let last = "(d0) -> (d0), domain: d0 in [0, 5]";
    let check = |last: &str, other: &str, how: &str, expected: Option<RejectionKind>| {
        let line = format!(
            r#"{{"before": "{last}", "after": "{last}", "equal": {{"before": "{other}"{how}}}}}"#
        );
        assert_eq!(replayed(&line), expected, "{line}");
    };
    let leading = r#", "domain_steps": [], "result_steps": []"#;
    let strip = |c: u64| {
        format!(
            r#", "result_steps": [{{"rule": "div-strip", "bindings": {{"x": "i", "y": "0", "c": {c}, "t": 0}}}}]"#
        )
    };
    let other = "(i) -> (i * 2 floordiv 2), domain: i in [0, 9], i * 2 in [0, 10]";
    check(last, other, &strip(2), None);
    check(last, other, &strip(3), Some(Result));
    check(last, other, leading, Some(Result));
    check(last, &other.replace("10]", "12]"), &strip(2), Some(Domain));
    check(last, &other.replace("10]", "8]"), &strip(2), Some(Domain));
    check(last, &other.replace("2 floordiv", "4 floordiv"), &strip(2), Some(Result));
    check(last, "(i, j) -> (i), domain: i in [0, 5], j in [0, 0]", leading, Some(Domain));
    check(last, "()[i] -> (i), domain: i in [0, 5]", leading, Some(Domain));
    check(last, "(i) -> (i, i), domain: i in [0, 5]", leading, Some(Result));

    let both = r#", "there": [], "back": []"#;
    let sized = "<n>(d0) -> (d0 - n), domain: n in [1, inf], d0 in [n, n + n - 1]";
    for (other, expected) in [
        ("<m>(i) -> (i - m), domain: m in [1, inf], i in [0, m * 2 - 1], i in [m, inf]", None),
        ("<m>(i) -> (i - m), domain: m in [1, inf], i in [0, m * 2], i in [m, inf]", Some(Domain)),
        (
            "<m>(i) -> (i - m), domain: m in [1, inf], i in [0, m * 2 - 2], i in [m, inf]",
            Some(Domain),
        ),
        ("<m>(i) -> (i - m), domain: m in [0, inf], i in [0, m * 2 - 1], i in [m, inf]", None),
        (
            "<m>(i) -> (i - m), domain: m in [2, inf], i in [0, m * 2 - 1], i in [m, inf]",
            Some(Domain),
        ),
        (
            "<m>(i) -> (m - i), domain: m in [1, inf], i in [0, m * 2 - 1], i in [m, inf]",
            Some(Result),
        ),
    ] {
        check(sized, other, both, expected);
    }
    // An equivalence applies in either direction if its conditions hold.
    let divided = "<n>(i) -> (i), domain: n in [1, inf], i in [0, inf], i floordiv n in [2, 2]";
    let whole = "<n>(d0) -> (d0), domain: n in [1, inf], d0 in [n * 2, n * 3 - 1]";
    let out = |c: &str, u: u64| {
        let step = format!(
            r#"{{"rule": "constraint-floordiv", "bindings": {{"x": "i", "y": "0", "c": {c}, "l": 2, "u": {u}}}}}"#
        );
        format!(r#", "there": [{step}], "back": [{step}]"#)
    };
    check(whole, divided, &out(r#""n""#, 2), None);
    check(whole, divided, both, Some(Domain));
    check(whole, divided, &out(r#""n - 1""#, 2), Some(Condition));
    check(
        whole,
        &divided.replace("[2, 2]", "[2, 3]"),
        &out(r#""n""#, 2),
        Some(RejectionKind::Bound),
    );
    check(whole, &divided.replace("[2, 2]", "[2, 3]"), &out(r#""n""#, 3), Some(Domain));
    // Both domains are empty.
    let empty = "(d0) -> (d0), domain: empty";
    check(empty, "(i) -> (7), domain: i in [3, 2]", both, None);
    check(empty, "(i) -> (7), domain: i in [2, 2]", both, Some(Domain));
}

#[test]
fn a_third_map_reads_back() {
    let last = "(d0) -> (d0), domain: d0 in [0, 5]";
    let step = r#"{"rule":"div-strip","bindings":{"x":"i","y":"0","c":2,"t":0},"bits":6}"#;
    for how in [
        format!(r#""domain_steps":[],"result_steps":[{step}]"#),
        format!(r#""there":[{step}],"back":[]"#),
    ] {
        let other = "(i) -> (i * 2 floordiv 2), domain: i in [0, 9], i * 2 in [0, 10]";
        let text = format!(
            r#"{{"before":"{last}","after":"{last}","domain_steps":[],"result_steps":[],"equal":{{"before":"{other}",{how}}}}}"#
        );
        let claim = read(&text);
        assert_eq!(serde_json::to_string(&claim.with_rules(&RULES)).expect("it is written"), text);
        assert_eq!(claim.replay(&RULES, &claim.fuel(&Interrupt::new())).err(), None);
        let refused = affinor::certificate::Certificate::from_json(&text, &RULES);
        assert_eq!(refused.map_err(|error| error.kind).err(), Some(ErrorKind::Encoding));
        for (old, new) in [
            (r#""equal":{"#, r#""equal":{"after":"x","#),
            (r#""equal":{"#, r#""equal":{"back":[],"result_steps":[],"#),
            ("(i * 2", "(j * 2"),
        ] {
            let altered = text.replacen(old, new, 1);
            assert_ne!(altered, text);
            assert!(read_line(&altered, &RULES).1.is_err(), "{altered}");
        }
    }
}
