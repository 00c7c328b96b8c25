//! Certificates written by hand for maps with named sizes.

use crate::certificate_written::{accepts, rejects};
use affinor::certificate::{Certificate, Instance, RejectionKind};
use affinor::text::{parse_map, parse_symbolic_expr};

/// A constant of a rule may be an expression, and a divisor has to be positive.
#[test]
fn written_sizes() {
    const SIZES: &str = "n in [1, inf], m in [0, inf], d0 in [0, m - 1], d1 in [0, n - 1]";
    let claim = |before: &str, after: &str, steps: &[Instance]| {
        let [before, after] =
            [before, after].map(|x| format!("<n, m>(d0, d1) -> ({x}), domain: {SIZES}"));
        let map =
            |text: &str| parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        Certificate {
            before: map(&before),
            after: map(&after),
            domain_steps: Vec::new(),
            result_steps: steps.to_vec(),
        }
    };
    let names = ["d0", "d1", "n", "m"];
    let expr = |text: &&str| parse_symbolic_expr(text, &names).expect("an expression");
    let step = |rule: &str, constants: &[&str], expressions: &[&str]| Instance {
        rule: rule.to_owned(),
        constants: constants.iter().map(expr).collect(),
        expressions: expressions.iter().map(expr).collect(),
    };
    let strip = |c: &str| step("div-strip", &[c, "0"], &["d0", "d1"]);
    let (before, after) = ("(d0 * n + d1) floordiv n", "d0");
    accepts(&claim(before, after, &[strip("n")]));
    rejects(&claim(before, after, &[]), None, RejectionKind::Result);
    rejects(&claim(before, "d0 + n", &[strip("n")]), None, RejectionKind::Result);
    for (steps, kind) in [
        // `d1` may be `n - 1`, and `m` may be 0.
        (vec![strip("n - 1")], RejectionKind::Condition),
        (vec![strip("m")], RejectionKind::Condition),
        (
            vec![step("same-value", &[], &["d0 floordiv m", "d0 floordiv m"])],
            RejectionKind::Condition,
        ),
        (vec![step("same-value", &[], &["d0 * n", "d1 * m"])], RejectionKind::Condition),
    ] {
        rejects(&claim(before, after, &steps), Some(1), kind);
    }
    // Products are expanded, and remainders replaced by their definition, without a step.
    accepts(&claim("(d0 + n) * (d1 + m) - n * m", "d0 * d1 + d0 * m + d1 * n", &[]));
    accepts(&claim("d0 mod n + n * (d0 floordiv n)", "d0", &[]));
    accepts(&claim("-(-d0 floordiv n)", "d0 ceildiv n", &[]));
}

/// Facts that both domains state may be used to rewrite the rest, but two constraints that make each other redundant may not both
/// be dropped.
#[test]
fn sizes_do_not_justify_each_other() {
    const BOX: &str = "n in [-inf, inf], m in [-inf, inf]";
    let claim = |before: &str, after: &str| {
        let map = |constraints: &str| {
            let text = format!("<n, m>() -> (), domain: {BOX}{constraints}");
            parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
        };
        Certificate {
            before: map(before),
            after: map(after),
            domain_steps: Vec::new(),
            result_steps: Vec::new(),
        }
    };
    let (one, other) = (", n - m in [1, inf]", ", n * 2 - m * 2 in [1, inf]");
    let both = format!("{one}{other}");
    accepts(&claim(&both, &both));
    accepts(&claim(&both, one));
    accepts(&claim(one, &both));
    rejects(&claim(&both, ""), None, RejectionKind::Domain);
    rejects(&claim("", one), None, RejectionKind::Domain);
    // Only the least interval that has both bounds is common to both domains.
    rejects(&claim(one, ", n - m in [0, inf]"), None, RejectionKind::Domain);
    rejects(&claim(", n - m in [0, inf]", one), None, RejectionKind::Domain);
    // The divisor is positive only because of another constraint, which must stay.
    let divided = format!("{one}, n floordiv (n - m) in [0, inf]");
    accepts(&claim(&divided, &divided));
    rejects(&claim(&divided, ""), None, RejectionKind::Condition);
}
