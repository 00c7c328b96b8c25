//! Divisors that are not powers of two occur in code for machines only if the map needs them.

use affinor_emit::Language;
use affinor_maps::text::parse_map;

/// Returns the expression that the C function returns.
fn returned(map: &str, language: Language) -> String {
    let parsed = parse_map(map).unwrap_or_else(|error| panic!("{map}: {error}"));
    let emitted = language.emit(&parsed, "f").unwrap_or_else(|error| panic!("{map}: {error}"));
    let line = emitted.code.lines().rfind(|line| line.trim_start().starts_with("return "));
    let line = line.unwrap_or_else(|| panic!("{map}: {}", emitted.code));
    line.trim().trim_start_matches("return ").trim_end_matches(';').to_owned()
}

#[track_caller]
fn check(map: &str, expected: &str) {
    assert_eq!(returned(map, Language::C), expected, "{map}");
}

#[test]
fn a_remainder_that_turns_bits_is_a_shift_and_a_mask() {
    let box_of = |result: &str, last: i64| format!("(d0) -> ({result}), domain: d0 in [0, {last}]");
    check(&box_of("d0 * 64 mod 127", 15), "d0 / 2 + d0 % 2 * 64");
    check(&box_of("d0 * 8 mod 126", 15), "d0 * 8");
    check(&box_of("d0 * 1024 mod 1984", 30), "d0 / 2 * 64 + d0 % 2 * 1024");
    check(
        &box_of("(d0 * 512 - d0 mod 4 * 508) mod 4095", 31),
        "d0 / 8 + d0 % 4 * 4 + d0 / 4 % 2 * 2048",
    );
    // Inside a sum whose other terms have other variables, and inside another operation.
    check(
        "(d0, d1) -> (d1 * 16 + d0 * 64 mod 127), domain: d0 in [0, 15], d1 in [0, 99]",
        "d1 * 16 + d0 / 2 + d0 % 2 * 64",
    );
    check(
        "(d0, d1) -> ((d1 * 3 + d0 * 64 mod 127) floordiv 5), domain: d0 in [0, 15], d1 in [0, 99]",
        "(d1 * 3 + d0 / 2 + d0 % 2 * 64) / 5",
    );
    // Two variables under one remainder.
    check(
        "(d0, d1) -> ((d0 * 64 + d1 * 128) mod 1023), domain: d0 in [0, 1], d1 in [0, 15]",
        "d0 * 64 + d1 / 8 + d1 % 8 * 128",
    );
}

#[test]
fn other_divisors_stay() {
    for (map, expected) in [
        ("(d0) -> (d0 mod 3), domain: d0 in [0, 15]", "d0 % 3"),
        // At the last point, the map is 0, but the weighted bits give 7.
        ("(d0) -> (d0 * 4 mod 7), domain: d0 in [0, 7]", "d0 * 4 % 7"),
        ("(d0) -> (d0 * 64 mod 127), domain: d0 in [1, 15]", "d0 * 64 % 127"),
        ("(d0) -> (d0 * 64 mod 127), domain: d0 in [0, inf]", "d0 * 64 % 127"),
        // An empty domain, and one with more points than are tried.
        ("(d0) -> (d0 * 64 mod 127), domain: d0 in [0, -1]", "d0 * 64 % 127"),
        (
            "(d0) -> (d0 * 4194304 mod 8388607), domain: d0 in [0, 8388605]",
            "d0 * 4194304 % 8388607",
        ),
    ] {
        assert!(
            returned(map, Language::C).contains(expected),
            "{map}: {}",
            returned(map, Language::C)
        );
    }
}

#[test]
fn languages_without_machine_division_have_the_map() {
    let map = "(d0) -> (d0 * 64 mod 127), domain: d0 in [0, 15]";
    for (language, expected) in [
        (Language::Python, "d0 * 64 % 127"),
        (Language::Latex, "127"),
        (Language::C, "d0 / 2 + d0 % 2 * 64"),
        (Language::Cuda, "d0 / 2 + d0 % 2 * 64"),
        (Language::Triton, "d0 // 2 + d0 % 2 * 64"),
        (Language::Mlir, "d0 floordiv 2 + d0 mod 2 * 64"),
    ] {
        let code = language.emit(&parse_map(map).expect("a map"), "f").expect("code").code;
        assert!(code.contains(expected), "{language:?}: {code}");
    }
}
