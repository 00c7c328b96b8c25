//! The accepted text of maps, and its printed form.

use affinor_maps::expr::{Domain, IndexingMap, Variable, VariableKind};
use affinor_maps::num::Interval;
use affinor_maps::text::{
    Style, is_name, parse_constraint, parse_expr, parse_map, print_constraint, print_expr,
    print_map, print_map_strictly, split, variable_names,
};

const NAMES: [&str; 4] = ["d0", "d1", "d2", "s0"];

/// Parses `text`, compares its printed form, and parses that again.
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

/// Checks that both texts mean the same expression.
#[track_caller]
fn same(text: &str, other: &str) {
    assert_eq!(parse_expr(text, &NAMES), parse_expr(other, &NAMES), "{text} and {other}");
}

#[test]
fn expressions_are_printed_in_one_form() {
    check("d0*2 + (d1*4+d2) floordiv 8", "d0 * 2 + (d1 * 4 + d2) floordiv 8");
    check("16 - d1", "-d1 + 16");
    check("-d1 + 16", "-d1 + 16");
    check("109 - 11d0 - d1", "d0 * -11 - d1 + 109");
    check("-((-11*d0 - d1 + 109) floordiv 11) + 9", "-((d0 * -11 - d1 + 109) floordiv 11) + 9");
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
    check("d1 ceildiv 4 - d0 floordiv 4", "-(d0 floordiv 4) + d1 ceildiv 4");
    check("-9223372036854775808", "-9223372036854775808");
    check("9223372036854775807 * d0", "d0 * 9223372036854775807");
    check("d0 - 9223372036854775808", "d0 - 9223372036854775808");
    check("d0 + d1 * -9223372036854775808", "d0 + d1 * -9223372036854775808");
    check("d0 floordiv 9223372036854775807", "d0 floordiv 9223372036854775807");
}

#[test]
fn maps_are_printed_in_one_form() {
    check_map(
        "(d0,d1)[s0]{rt0}->(8d0+s0,d1//2), domain: d0 in [0,3]\n d1 in [0,9],\n s0 in [0,7], rt0 in [0,26] # offsets\n d0+s0 in [0, 9],",
        "(d0, d1)[s0]{rt0} -> (d0 * 8 + s0, d1 floordiv 2), domain: d0 in [0, 3], d1 in [0, 9], s0 in [0, 7], rt0 in [0, 26], d0 + s0 in [0, 9]",
    );
    check_map("() -> ()", "() -> ()");
    check_map("() -> (5)", "() -> (5)");
    check_map("affine_map<(d0)[s0] -> (d0 + s0)>", "affine_map<(d0)[s0] -> (d0 + s0)>");
    check_map("(d0) -> (d0), domain: empty", "(d0) -> (d0), domain: empty");
    check_map("() -> (5), domain: empty", "() -> (5), domain: empty");
    check_map("(d0) -> (d0), domain: d0 in [3, 2]", "(d0) -> (d0), domain: empty");
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

/// Checks that both texts mean the same map.
#[track_caller]
fn same_map(text: &str, other: &str) {
    let read = |text: &str| parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(read(text), read(other), "{text}\n{other}");
}

#[test]
fn bounds_of_variables_may_stand_anywhere_in_a_domain() {
    same_map(
        "<n>(i, j) -> (i + j), domain: n in [1, inf], n mod 4 in [0, 0], j in [0, 3], i in [0, n - 1], j in [1, 2]",
        "<n>(i, j) -> (i + j), domain: n in [1, inf], i in [0, n - 1], j in [0, 3], n mod 4 in [0, 0], j in [1, 2]",
    );
    same_map(
        "<n>(d0) -> (d0), domain: d0 in [0, 3], n in [0, 5]",
        "<n>(d0) -> (d0), domain: n in [0, 5], d0 in [0, 3]",
    );
}

#[test]
fn spellings_of_one_map() {
    let map = "(d0, d1) -> (d0 floordiv 2, d1 mod 3), domain: d0 in [0, 7], d1 in [-2, 5], d0 + d1 in [0, 9]";
    for other in [
        "(d0,d1)->(d0/2,d1%3),domain:d0 in[0,7],d1 in[-2,5],d0+d1 in[0,9]",
        "(d0, d1) -> (d0 // 2, d1 mod 3),\ndomain:\nd0 in [0, 7],\nd1 in [-2, 5],\nd0 + d1 in [0, 9]\n",
        "(d0, d1) -> (d0 floorDiv 2, d1 mod 3)\n\ndomain:\n  d0 in [0, 7]\n  d1 in [- 2, 5]\n  d1 + d0 in [0, 9]",
        "(d0, d1) -> (d0 / 2, d1 mod 3), domain: d0 in [0, 7], d1 in [-2, 5]\r\nd0 + d1 in [-5, 9], d0 + d1 in [0, 30],",
        "# a map\n(d0, # rows\n d1)[]{} -> (d0 floordiv 2, d1 mod 3), domain: d0 in [0, 7] # 8 rows\nd1 in [-2, 5], d0\n+ d1 in [0, 9]",
        "(d0, d1) -> (d0 floordiv 2, d1 mod 3), domain: d0 in [-1, 9], d1 in [-2, 5], d0 in [0, 20], d0 in [-9, 7], d0 + d1 in [0, 9]",
    ] {
        same_map(map, other);
    }
    same_map("(d0) -> (), domain: d0 in [3, 2]", "(d0) -> (), domain: empty");
    same_map("(d0) -> (), domain: d0 in [0, 3], d0 in [4, 9]", "(d0) -> (), domain: empty");
    same_map("(d0) -> (), domain: d0 in [0, 3], 7 in [0, 3]", "(d0) -> (), domain: empty");
    same_map("(d0) -> (), domain: d0 in [0, 3], 3 in [0, 3]", "(d0) -> (), domain: d0 in [0, 3]");
    same_map("() -> (), domain:", "() -> ()");
    same_map("(d0) -> (d0), domain: d0 in [-inf, inf]", "affine_map<(d0) -> (d0)>");
}

#[test]
fn names_are_free() {
    check_map(
        "(tid, bid)[lane]{offset} -> (bid * 128 + tid, lane, offset), domain: tid in [0, 127], bid in [0, 9], lane in [0, 3], offset in [0, 5]",
        "(tid, bid)[lane]{offset} -> (tid + bid * 128, lane, offset), domain: tid in [0, 127], bid in [0, 9], lane in [0, 3], offset in [0, 5]",
    );
    check_map(
        "(_, größe, s0)[d0] -> (größe), domain: _ in [0, 1], größe in [0, 1], s0 in [0, 1], d0 in [0, 1]",
        "(_, größe, s0)[d0] -> (größe), domain: _ in [0, 1], größe in [0, 1], s0 in [0, 1], d0 in [0, 1]",
    );
    // Keywords of other contexts are valid names.
    check_map(
        "(inf, not, and) -> (inf), domain: inf in [0, inf], not in [0, 1], and in [-inf, 1]",
        "(inf, not, and) -> (inf), domain: inf in [0, inf], not in [0, 1], and in [-inf, 1]",
    );
    assert!(is_name("tid") && !is_name("min") && !is_name("0d"));
}

#[test]
fn styles() {
    let map = parse_map("(d0)[s0]{rt0} -> (d0 floordiv 2 mod 3, s0 ceildiv 4 - rt0), domain: d0 in [0, 9], s0 in [0, 7], rt0 in [0, 2], d0 floordiv 2 in [0, 3]").unwrap();
    assert_eq!(
        print_map(&map, Style::Xla),
        "(d0)[s0]{rt0} -> (d0 / 2 mod 3, -rt0 + s0 ceildiv 4), domain: d0 in [0, 9], s0 in [0, 7], rt0 in [0, 2], d0 / 2 in [0, 3]"
    );
    let constraint = &map.domain().constraints()[0];
    let names = variable_names(map.domain());
    let text = print_constraint(constraint, &names, Style::Plain);
    assert_eq!(text, "d0 floordiv 2 in [0, 3]");
    let read = parse_constraint(&text, &names);
    assert_eq!(read, Ok((constraint.expr.clone(), constraint.bounds)));
    let unnamed: [&str; 0] = [];
    assert_eq!(print_expr(&map.results()[0], &unnamed, Style::Plain), "#0 floordiv 2 mod 3");
}

/// MLIR reads the printed text as the same function on the same domain; maps that MLIR's syntax cannot express are refused.
#[test]
fn maps_of_mlir() {
    let check = |text: &str, expected: &str| {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        match print_map_strictly(&map, Style::Mlir) {
            Ok(printed) => {
                assert_eq!(printed, expected, "{text}");
                assert_eq!(parse_map(&printed), Ok(map), "{printed}");
            }
            Err(error) => {
                assert_eq!(error.message, expected, "{text}");
                let plain = print_map(&map, Style::Plain);
                assert_eq!(print_map(&map, Style::Mlir), plain);
                assert!(!plain.contains("affine_map"), "{plain}");
            }
        }
    };
    check(
        "(d0)[s0] -> (d0 mod 8, s0 ceildiv 2), domain: d0 in [0, 9], s0 in [3, 3], d0 + s0 in [-2, 7], s0 - d0 in [-inf, 4]",
        "affine_map<(d0)[s0] -> (d0 mod 8, s0 ceildiv 2)>, affine_set<(d0)[s0] : (d0 >= 0, d0 <= 9, s0 == 3, -d0 + s0 <= 4, d0 + s0 >= -2, d0 + s0 <= 7)>",
    );
    check("affine_map<(i, j) -> (i)>", "affine_map<(i, j) -> (i)>");
    check("() -> (5)", "affine_map<() -> (5)>");
    check("(d0) -> (d0), domain: empty", "affine_map<(d0) -> (d0)>, affine_set<(d0) : (1 == 0)>");
    check("affine_map<(d0) -> (max(d0, 3))>", "an MLIR affine_map does not support `max`");
    check(
        "(d0) -> (d0), domain: d0 in [0, 3], min(d0, 2) in [1, 9]",
        "an MLIR affine_map does not support `min`",
    );
    check(
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 3]",
        "an MLIR affine_map cannot express that `rt0` is a runtime variable",
    );
    for name in ["größe", "size", "i32", "ui8", "f8E4M3", "bf16", "tf32"] {
        check(
            &format!("({name}) -> ({name}), domain: {name} in [0, 3]"),
            &format!("`{name}` is not a valid MLIR variable name"),
        );
    }
    for name in ["i", "f", "size_", "_", "i32x"] {
        check(
            &format!("({name}) -> ({name}), domain: {name} in [0, 3]"),
            &format!(
                "affine_map<({name}) -> ({name})>, affine_set<({name}) : ({name} >= 0, {name} <= 3)>"
            ),
        );
    }
    check(
        "(d0) -> (d0 * -9223372036854775808), domain: d0 in [0, 3]",
        "MLIR cannot parse the number -9223372036854775808",
    );
}

/// Sets as MLIR prints them, and as people write them.
#[test]
fn sets_of_mlir() {
    let check = |text: &str, expected: &str| {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        assert_eq!(print_map(&map, Style::Plain), expected, "{text}");
    };
    let refused = |text: &str, expected: &str| {
        let error = parse_map(text).expect_err(text);
        assert_eq!(error.message, expected, "{text}");
    };
    check(
        "affine_map<(d0)[s0] -> (d0)>, affine_set<(i)[n] : (i >= 0, -i + n - 1 >= 0, 7 >= i, n mod 2 == 0, n <= i + 64)>",
        "(d0)[s0] -> (d0), domain: d0 in [0, 7], s0 in [-inf, inf], -d0 + s0 - 64 in [-inf, 0], -d0 + s0 - 1 in [0, inf], s0 mod 2 in [0, 0]",
    );
    check("affine_map<(d0) -> (d0)>, affine_set<(d0) : (0 == 0)>", "affine_map<(d0) -> (d0)>");
    check("affine_map<(d0) -> (d0)>, affine_set<(d0) : ()>", "affine_map<(d0) -> (d0)>");
    refused(
        "affine_map<(d0) -> (d0)>, affine_set<(d0)[s0] : (d0 >= 0)>",
        "the set and the map have different variable lists",
    );
    refused("affine_map<(d0) -> (d0)>, affine_set<(i) : (d0 >= 0)>", "unknown variable `d0`");
    refused(
        "affine_map<(d0) -> (d0)>, affine_set<(d0) : (d0 > 0)>",
        "expected an operator, `>=`, `<=` or `==`, found `>`",
    );
    refused(
        "affine_map<(d0) -> (d0)>, affine_set<(d0) : (d0 <= 9223372036854775807)>",
        "this bound does not fit in an interval",
    );
    refused(
        "affine_map<(d0) -> (d0)>, domain: d0 in [0, 3]",
        "expected `affine_set<...>` with the domain after `affine_map<...>,`, found `domain`",
    );
}

/// `#` starts a comment, except where it starts an attribute of MLIR.
#[test]
fn attributes_of_mlir() {
    let map = "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 3]";
    for text in [
        "#xla.indexing_map<\"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 3]\">",
        "#xla.indexing_map<\"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 3], is_simplified: true\">",
        "#xla_gpu.indexing_map<(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 3]>",
        "#xla.indexing_map<(d0)[s0] -> (d0 + s0),\ndomain:\nd0 in [0, 9]\ns0 in [0, 3]\n> # as printed before",
        "#xla.indexing_map<(d0)[s0] -> (d0 + s0),\ndomain:\nd0 in [0, 9],\ns0 in [0, 3],\nis_simplified: false>",
        "# the map\n(d0)[s0] -> (d0 + s0), #map of rows\n domain: d0 in [0, 9], #xla.map\n s0 in [0, 3] #",
    ] {
        let read = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        assert_eq!(print_map(&read, Style::Plain), map, "{text}");
    }
    for (text, expected) in [
        ("#map", "`#map` is an MLIR alias defined elsewhere"),
        ("#map1 ; #map2", "`#map1` is an MLIR alias defined elsewhere"),
        ("#vhlo.type_v1<x>", "unsupported MLIR attribute `#vhlo.type_v1<...>`"),
        (
            "#xla.indexing_map<\"(d0) -> (d0), domain: d0 in [0, 9]>",
            "expected `,` or a new line before the next constraint, found `>`",
        ),
        (
            "#xla.indexing_map<(d0) -> (d0), domain: d0 in [0, 9], is_simplified: 3>",
            "expected `true` or `false`, found `3`",
        ),
        (
            "(d0) -> (d0), domain: d0 in [0, 9], is_simplified: true",
            "expected an operator or `in [lo, hi]`, found `:`",
        ),
    ] {
        let error = parse_map(text).expect_err(text);
        assert_eq!(error.message, expected, "{text}");
    }
}

/// An empty or partly bounded domain is never printed as something else.
#[test]
fn partly_bounded_domains() {
    let variable = |name: &str, kind, bounds| Variable::new(name, kind, bounds);
    let print = |variables: Vec<Variable>| {
        let map = IndexingMap::new(Domain::new(variables), Vec::new());
        let text = print_map(&map, Style::Plain);
        assert_eq!(parse_map(&text), Ok(map));
        text
    };
    let (all, some) = (Interval::ALL, Interval::new(0, 3));
    let d0 = |bounds| variable("d0", VariableKind::Dimension, bounds);
    assert_eq!(print(vec![d0(all)]), "affine_map<(d0) -> ()>");
    assert_eq!(
        print(vec![d0(all), variable("s0", VariableKind::Range, some)]),
        "(d0)[s0] -> (), domain: d0 in [-inf, inf], s0 in [0, 3]"
    );
    assert_eq!(
        print(vec![d0(all), variable("rt0", VariableKind::Runtime, all)]),
        "(d0){rt0} -> (), domain: d0 in [-inf, inf], rt0 in [-inf, inf]"
    );
    assert_eq!(
        print(vec![d0(some), d0_named("d1", Interval::EMPTY)]),
        "(d0, d1) -> (), domain: empty"
    );
}

fn d0_named(name: &str, bounds: Interval) -> Variable {
    Variable::new(name, VariableKind::Dimension, bounds)
}

#[test]
fn numbers_may_pass_the_end_on_the_way() {
    same("9223372036854775807 + 1 - 1", "9223372036854775807");
    same("(9223372036854775807 + d0) - (d0 - 0) - 1", "9223372036854775806");
    same("-(-9223372036854775807 - 1) - 1", "9223372036854775807");
    same("0 - 9223372036854775808", "-9223372036854775808");
}

#[test]
fn maps_in_a_line() {
    let text = "  () -> (5) # a ; b\n ; (d0) -> (d0), domain: d0 in [0, 3] ;; a";
    let pieces: Vec<&str> = split(text).into_iter().map(|piece| &text[piece]).collect();
    assert_eq!(pieces, ["() -> (5)", "(d0) -> (d0), domain: d0 in [0, 3]", "", "a"]);
    assert_eq!(split("").len(), 1);
}
