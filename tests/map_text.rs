//! What the text language of maps accepts, and how it is printed.

use affinor::syntax::{Style, parse_expr, parse_map, print_expr, print_map};

const NAMES: [&str; 4] = ["d0", "d1", "d2", "s0"];

/// Reads `text`, compares its printed form, and reads that again.
#[track_caller]
fn check(text: &str, expected: &str) {
    let expr = parse_expr(text, &NAMES).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(print_expr(&expr, &NAMES, Style::Plain), expected, "{text}");
    for style in [Style::Plain, Style::Xla, Style::Mlir] {
        let printed = print_expr(&expr, &NAMES, style);
        assert_eq!(parse_expr(&printed, &NAMES), Ok(expr.clone()), "{printed}");
    }
}

#[track_caller]
fn check_map(text: &str, expected: &str) {
    let map = parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(print_map(&map, Style::Plain), expected, "{text}");
    for style in [Style::Plain, Style::Xla] {
        let printed = print_map(&map, style);
        assert_eq!(parse_map(&printed), Ok(map.clone()), "{printed}");
    }
}

/// Both texts mean the same expression.
#[track_caller]
fn same(text: &str, other: &str) {
    assert_eq!(
        parse_expr(text, &NAMES),
        parse_expr(other, &NAMES),
        "{text} and {other}"
    );
}

#[test]
fn expressions_are_printed_in_one_form() {
    check(
        "d0*2 + (d1*4+d2) floordiv 8",
        "d0 * 2 + (d1 * 4 + d2) floordiv 8",
    );
    check("16 - d1", "-d1 + 16");
    check("-d1 + 16", "-d1 + 16");
    check("109 - 11d0 - d1", "d0 * -11 - d1 + 109");
    check(
        "-((-11*d0 - d1 + 109) floordiv 11) + 9",
        "-((d0 * -11 - d1 + 109) floordiv 11) + 9",
    );
    check("-((d0 + 3) floordiv 4) + 9", "-((d0 + 3) floordiv 4) + 9");
    check("d0 floordiv 128 mod 8", "d0 floordiv 128 mod 8");
    check("d0 mod 8 floordiv 2 * 3", "d0 mod 8 floordiv 2 * 3");
    check("d0 * -2", "d0 * -2");
    check("(d0 + d1) * 2", "(d0 + d1) * 2");
    check("3 - 2 * (d0 - d1)", "(d0 - d1) * -2 + 3");
    check("d0 - d1 * 2 - (d0 + d1) * 3", "d0 - d1 * 2 - (d0 + d1) * 3");
    check("(-d0) floordiv 4", "(-d0) floordiv 4");
    check("-min(d0, 4)", "-min(d0, 4)");
    check("min(d0, min(d1, d2))", "min(d0, min(d1, d2))");
    check("max(d2, d1, d0, 7)", "max(max(d0, d1), max(d2, 7))");
    check("min(d0 + 1, -3)", "min(d0 + 1, -3)");
    check("d0 + d0", "d0 * 2");
    check("0", "0");
    check("-5", "-5");
    check(
        "d1 ceildiv 4 - d0 floordiv 4",
        "-(d0 floordiv 4) + d1 ceildiv 4",
    );
    check("-9223372036854775808", "-9223372036854775808");
    check("9223372036854775807 * d0", "d0 * 9223372036854775807");
    check("d0 - 9223372036854775808", "d0 - 9223372036854775808");
    check(
        "d0 + d1 * -9223372036854775808",
        "d0 + d1 * -9223372036854775808",
    );
    check(
        "d0 floordiv 9223372036854775807",
        "d0 floordiv 9223372036854775807",
    );
}

#[test]
fn maps_are_printed_in_one_form() {
    check_map(
        "(d0,d1)[s0]{rt0}->(8d0+s0,d1//2), domain: d0 in [0,3]\n d1 in [0,9],\n s0 in [0,7], rt0 in [0,26] # offsets\n d0+s0 in [0, 9],",
        "(d0, d1)[s0]{rt0} -> (d0 * 8 + s0, d1 floordiv 2), domain: d0 in [0, 3], d1 in [0, 9], s0 in [0, 7], rt0 in [0, 26], d0 + s0 in [0, 9]",
    );
    check_map("() -> ()", "() -> ()");
    check_map("() -> (5)", "() -> (5)");
    check_map(
        "affine_map<(d0)[s0] -> (d0 + s0)>",
        "affine_map<(d0)[s0] -> (d0 + s0)>",
    );
    check_map("(d0) -> (d0), domain: empty", "(d0) -> (d0), domain: empty");
    check_map("() -> (5), domain: empty", "() -> (5), domain: empty");
    check_map(
        "(d0) -> (d0), domain: d0 in [3, 2]",
        "(d0) -> (d0), domain: empty",
    );
}

#[test]
fn precedence_is_pinned() {
    same("d0 * 2 floordiv 3", "(d0 * 2) floordiv 3");
    same("d0 floordiv 3 * 2", "(d0 floordiv 3) * 2");
    same("d0 mod 7 floordiv 3", "(d0 mod 7) floordiv 3");
    same("d0 + d1 floordiv 3", "d0 + (d1 floordiv 3)");
    same("-d0 mod 2", "(-d0) mod 2");
    same("-d0 floordiv 2", "(-d0) floordiv 2");
    same("- - d0", "d0");
    same("d0 - d1 - d2", "(d0 - d1) - d2");
    same("d0 floordiv -4", "(-d0) floordiv 4");
    same("d0 ceildiv -4", "-(d0 floordiv 4)");
    same("16d0 mod 3", "(16 * d0) mod 3");
}
