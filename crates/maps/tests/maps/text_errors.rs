//! Refused texts of maps: the kind of error, the marked text, and the hint.

use affinor_maps::text::{Error, ErrorKind, parse_expr, parse_map};

const NAMES: [&str; 4] = ["d0", "d1", "d2", "s0"];

#[track_caller]
fn is_rejected<T: std::fmt::Debug>(
    text: &str,
    result: Result<T, Error>,
    kind: ErrorKind,
    marked: &str,
    hint: &str,
) {
    let error = result.expect_err(text);
    assert_eq!(error.kind, kind, "{text}: {error:?}");
    let span = error.span.clone().expect(text);
    assert_eq!(text.get(span), Some(marked), "{text}: {error:?}");
    let found = error.hint.as_deref().unwrap_or("");
    assert!(found.contains(hint), "{text}: {error:?}");
    let sentence = &error.message;
    assert!(!sentence.ends_with('.') && !sentence.starts_with(char::is_uppercase), "{sentence}");
}

/// Checks that the map is refused with an error of this kind at the text `marked`, and a hint that contains `hint`.
#[track_caller]
fn reject_map(text: &str, kind: ErrorKind, marked: &str, hint: &str) {
    is_rejected(text, parse_map(text), kind, marked, hint);
}

#[track_caller]
fn reject(text: &str, kind: ErrorKind, marked: &str, hint: &str) {
    is_rejected(text, parse_expr(text, &NAMES), kind, marked, hint);
}

#[test]
fn rejected_expressions() {
    use ErrorKind::{Arity, Division, Name, Overflow, Syntax, Unsupported};
    reject("", Syntax, "", "");
    reject("   # nothing", Syntax, "", "");
    reject("d0 +", Syntax, "", "");
    reject("d0 + + d1", Syntax, "+", "remove");
    reject("* d0", Syntax, "*", "");
    reject("(d0", Syntax, "", "unclosed");
    reject("d0)", Syntax, ")", "");
    reject("(d0, d1)", Syntax, ",", "unclosed");
    reject("min(d0, d1", Syntax, "", "unclosed");
    reject("min d0", Syntax, "d0", "min(a, b)");
    reject("min()", Syntax, ")", "");
    reject("()", Syntax, ")", "");
    reject("d0 d1", Syntax, "d1", "");
    reject("2 d0", Syntax, "d0", "");
    reject("d0 modd1", Syntax, "modd1", "");
    reject("d0 mod", Syntax, "", "");
    reject("16(d0)", Syntax, "(", "");
    reject("d0 @§@ 3", Syntax, "@§@", "");
    reject("d0 < 3", Syntax, "<", "");
    reject("d0.5", Syntax, ".", "");
    reject("d0 and d1", Syntax, "and", "");
    reject("domain + 1", Syntax, "domain", "keyword");

    reject("d0 + e0", Name, "e0", "did you mean `d0`");
    reject("tid + 1", Name, "tid", "known variables: d0, d1, d2, s0");
    reject("d00", Name, "d00", "did you mean `d0`");
    reject("1e5", Name, "e5", "");
    reject("foo(d0, 1)", Name, "foo(d0, 1)", "max(a, b)");
    reject("max(d0)", Arity, "max(d0)", "max(a, b)");
    reject("min(d1, min(d0))", Arity, "min(d0)", "");

    reject("d0 * d1", Unsupported, "d0 * d1", "quasi-affine");
    reject("3 + (d0 + 1) * (d1 - 1) floordiv 2", Unsupported, "(d0 + 1) * (d1 - 1)", "");
    reject("d0 floordiv 2d1", Division, "2d1", "");
    reject("d0 floordiv 0", Division, "0", "");
    reject("d0 mod 0", Division, "0", "");
    reject("5 ceildiv -0", Division, "-0", "");
    reject("d0 mod -4", Division, "-4", "at least 1");
    reject("d0 mod (-4)", Division, "(-4)", "");
    reject("d0 / d1", Division, "d1", "quasi-affine");
    reject("d0 floordiv (2 * 4)", Division, "(2 * 4)", "");
    reject("d0 floordiv (d1 - d1 + 2)", Division, "(d1 - d1 + 2)", "");

    reject("1000000000000000000000000000000", Overflow, "1000000000000000000000000000000", "2^63");
    reject("d0 + 9223372036854775808", Overflow, "9223372036854775808", "2^63");
    reject("d0 * 9223372036854775808", Overflow, "9223372036854775808", "");
    reject("-9223372036854775809", Overflow, "9223372036854775809", "");
    reject("--9223372036854775808", Overflow, "9223372036854775808", "");
    reject("9223372036854775807 + 1", Overflow, "9223372036854775807 + 1", "");
    reject(
        "d1 + (d0 * 9223372036854775807 + d0)",
        Overflow,
        "d1 + (d0 * 9223372036854775807 + d0)",
        "",
    );
    reject("d0 * 3037000500 * 3037000500", Overflow, "d0 * 3037000500 * 3037000500", "");
    reject(
        "(d0 * -9223372036854775808) floordiv -1",
        Overflow,
        "(d0 * -9223372036854775808) floordiv -1",
        "",
    );
    reject("d0 mod 9223372036854775808", Overflow, "9223372036854775808", "");
    reject("d0 floordiv -9223372036854775808", Overflow, "-9223372036854775808", "");
}

#[test]
fn rejected_maps() {
    use ErrorKind::{Domain, Name, Overflow, Syntax};
    reject_map("", Syntax, "", "(d0) -> ");
    reject_map("d0 -> (d0)", Syntax, "d0", "(d0) -> ");
    reject_map("(d0", Syntax, "", "");
    reject_map("(d0 d1) -> ()", Syntax, "d1", "");
    reject_map("(d0,) -> ()", Syntax, ")", "");
    reject_map("(2) -> ()", Syntax, "2", "");
    reject_map("(d0) => (d0)", Syntax, "=>", "");
    reject_map("(d0) -> d0", Syntax, "d0", "");
    reject_map("(d0) -> (d0, )", Syntax, ")", "");
    reject_map("(d0)[s0 -> (d0)", Syntax, "->", "");
    reject_map("(d0){rt0}[s0] -> (d0)", Syntax, "[", "");
    reject_map("(d0) -> (d0 + (3), domain: d0 in [0, 3]", Syntax, "domain", "is a `)` missing");
    reject_map("(d0) -> (d0), domian: d0 in [0, 3]", Syntax, "domian", "");
    reject_map("(d0) -> (d0), domain d0 in [0, 3]", Syntax, "d0", "");
    reject_map("(d0) -> (d0), domain: d0 in [0, 3] d0 in [0, 1]", Syntax, "d0", "");
    reject_map("(d0) -> (d0), domain: d0 in [0, 3],, d0 in [0, 1]", Syntax, ",", "");
    reject_map("(d0) -> (d0), domain: d0 in 0, 3", Syntax, "0", "");
    reject_map("(d0) -> (d0), domain: d0 in (0, 3)", Syntax, "(", "");
    reject_map("(d0) -> (d0), domain: d0 in [0]", Syntax, "]", "");
    reject_map("(d0) -> (d0), domain: d0 in [0, x]", Name, "x", "known variables");
    reject_map("(d0) -> (d0), domain: d0 in [0, 3 +]", Syntax, "]", "");
    reject_map("(d0) -> (d0), domain: d0 < 3", Syntax, "<", "");
    reject_map("(d0) -> (d0), domain: empty, d0 in [0, 3]", Syntax, ",", "");
    reject_map("(d0) -> (d0), domain: d0 in [0, 3]; () -> ()", Syntax, ";", "");
    reject_map("affine_map(d0) -> (d0)", Syntax, "(", "");
    reject_map("affine_map<(d0) -> (d0)", Syntax, "", "");
    reject_map("affine_map<(d0) -> (d0)>, domain: d0 in [0, 3]", Syntax, "domain", "");

    reject_map("(d0, d0) -> (d0)", Name, "d0", "another name");
    reject_map("(d0)[d0] -> (d0)", Name, "d0", "another name");
    reject_map("(min) -> (min)", Name, "min", "another name");
    reject_map("(d0)[domain] -> (d0)", Name, "domain", "another name");
    reject_map("(d0) -> (s0), domain: d0 in [0, 3]", Name, "s0", "did you mean `d0`");
    reject_map("() -> (d0)", Name, "d0", "before `->`");
    reject_map("(größe) -> (größe), domain: größe in [0, 3], d1 + gröse in [0, 3]", Name, "d1", "");
    reject_map(
        "(größe) -> (größe), domain: größe in [0, 3], 1 + gröse in [0, 3]",
        Name,
        "gröse",
        "größe",
    );

    reject_map("(d0) -> (d0)", Domain, "", "affine_map<");
    reject_map("(d0) -> (d0), domain:", Domain, "", "d0 in [0, 9]");
    reject_map("(d0, d1) -> (d0), domain: d0 in [0, 3]", Domain, "", "d1 in [0, 9]");
    reject_map(
        "(d0, d1) -> (d0), domain: d0 in [0, 3], d0 + d1 in [0, 3]",
        Domain,
        "d0 + d1",
        "bounds of each variable",
    );
    reject_map("(d0) -> (d0), domain: d0 in [inf, 3]", Domain, "inf", "[-inf, inf]");
    reject_map("(d0) -> (d0), domain: d0 in [0, -inf]", Domain, "-inf", "[-inf, inf]");

    reject_map(
        "(d0) -> (d0), domain: d0 in [0, 9223372036854775807]",
        Overflow,
        "9223372036854775807",
        "inf",
    );
    reject_map(
        "(d0) -> (d0), domain: d0 in [-9223372036854775808, 0]",
        Overflow,
        "-9223372036854775808",
        "inf",
    );
    reject_map(
        "(d0) -> (d0), domain: d0 in [0, 1000000000000000000000]",
        Overflow,
        "1000000000000000000000",
        "",
    );
}
