//! The cases of each language: the texts for given maps, renamed variables, and refused maps. A new language fails here until it
//! has cases, and its code is compared with its maps.

use crate::{arith, running};
use affinor_emit::Language;
use affinor_maps::text::{ErrorKind, parse_map};
use std::collections::BTreeSet;

/// The tests that run a language's code, or read it back, at the points of many maps.
const COMPARED: [(Language, fn()); 5] = [
    (Language::Python, running::python_computes_the_maps),
    (Language::C, running::c_computes_the_maps),
    (Language::Cuda, running::cuda_computes_the_maps_on_the_host),
    (Language::Triton, running::triton_computes_the_maps_with_blocks_that_wrap),
    (Language::Mlir, arith::mlir_says_the_maps),
];

/// Languages without an available interpreter: only their texts are compared.
const ONLY_TEXTS: [Language; 2] = [Language::Latex, Language::Isl];

fn code(language: Language, map: &str) -> String {
    let map = parse_map(map).unwrap_or_else(|error| panic!("{map}: {error}"));
    let emitted = language.emit(&map, "f").unwrap_or_else(|error| panic!("{error}"));
    emitted.code
}

#[track_caller]
fn check(language: Language, map: &str, expected: &[&str]) {
    let code = code(language, map);
    for line in expected {
        assert!(code.contains(line), "{line} is not in\n{code}");
    }
}

#[track_caller]
fn check_fails(language: Language, map: &str, kind: ErrorKind, message: &str, hint: &str) {
    let map = parse_map(map).expect("a map");
    let error = language.emit(&map, "f").expect_err("it should be refused");
    assert_eq!(
        (error.kind, error.message.as_str(), error.hint.as_deref()),
        (kind, message, Some(hint))
    );
}

const SIGNED: &str = "(a) -> (a floordiv 4 + a mod 8 - a ceildiv 3), domain: a in [-9, 9]";
const NATURAL: &str = "(a) -> (a floordiv 4 + a mod 8), domain: a in [0, 9]";

/// Quotients and remainders of numbers of either sign, and of natural numbers, in each language's code.
const DIVISIONS: &[(Language, &str, &[&str])] = &[
    (
        Language::C,
        SIGNED,
        &["return affinor_floordiv(a, 4) - affinor_ceildiv(a, 3) + affinor_mod(a, 8);"],
    ),
    (Language::C, NATURAL, &["return a / 4 + a % 8;"]),
    (
        Language::Cuda,
        SIGNED,
        &["return affinor_floordiv(a, 4) - affinor_ceildiv(a, 3) + affinor_mod(a, 8);"],
    ),
    (
        Language::Cuda,
        NATURAL,
        &["__host__ __device__ static inline int64_t f(int64_t a) {", "return a / 4 + a % 8;"],
    ),
    (
        Language::Triton,
        SIGNED,
        &["return affinor_floordiv(a, 4) - affinor_ceildiv(a, 3) + affinor_mod(a, 8)", "tl.where("],
    ),
    (Language::Triton, NATURAL, &["return a // 4 + a % 8\n", "fit in 32 bits"]),
    (Language::Python, SIGNED, &["return a // 4 - -(-a // 3) + a % 8\n", "NumPy arrays"]),
    (Language::Python, NATURAL, &["return a // 4 + a % 8\n"]),
    (
        Language::Isl,
        SIGNED,
        &["{ [a] -> [floor((a)/4) - ceil((a)/3) + ((a) mod 8)] : -9 <= a <= 9 }"],
    ),
    (Language::Isl, NATURAL, &["{ [a] -> [floor((a)/4) + ((a) mod 8)] : 0 <= a <= 9 }"]),
    (
        Language::Mlir,
        SIGNED,
        &[
            "#f = affine_map<(a) -> (a floordiv 4 - a ceildiv 3 + a mod 8)>\n",
            "#f_domain = affine_set<",
        ],
    ),
    (Language::Mlir, NATURAL, &["#f = affine_map<(a) -> (a floordiv 4 + a mod 8)>\n"]),
    (
        Language::Mlir,
        "(a){r} -> (a mod 8 - r), domain: a in [-9, 9], r in [0, 1]",
        &["arith.remsi", "arith.select", "-> i64"],
    ),
    (
        Language::Latex,
        SIGNED,
        &[
            "&= \\left\\lfloor \\frac{a}{4} \\right\\rfloor - \\left\\lceil \\frac{a}{3} \\right\\rceil + (a \\bmod 8)",
            "& -9 \\le a \\le 9",
        ],
    ),
    (Language::Latex, NATURAL, &["&= \\left\\lfloor \\frac{a}{4} \\right\\rfloor + (a \\bmod 8)"]),
];

#[test]
fn divisions_round_as_in_the_map() {
    for (language, map, expected) in DIVISIONS {
        check(*language, map, expected);
    }
}

#[test]
fn wide_values_are_wide_or_refused() {
    let unbounded = "affine_map<(a) -> (a * 3 floordiv 5)>";
    check(
        Language::C,
        unbounded,
        &["return (int64_t)affinor_floordiv_wide((__int128)a * 3, 5);", "of type __int128"],
    );
    check(Language::C, "affine_map<(a) -> (a * 3)>", &["the map has no value"]);
    check(Language::Python, unbounded, &["return a * 3 // 5\n", "# Right for integers.\n"]);
    check(
        Language::Python,
        "<n>(a) -> (a * n * n * n), domain: n in [1, inf], a in [0, inf]",
        &["return a * n * n * n\n"],
    );
    let wide = |bits| format!("`a * 3` may need more than {bits} bits");
    let bound = "give `a` bounds, as in `a in [1, 1000000]`";
    check_fails(Language::Triton, unbounded, ErrorKind::Overflow, &wide(64), bound);
    let large = "(a){r} -> (a * 4611686018427387904 - r), domain: a in [0, 9], r in [0, 1]";
    let message = "`a * 4611686018427387904 - r` may need more than 64 bits";
    check_fails(
        Language::Mlir,
        large,
        ErrorKind::Overflow,
        message,
        "give the variables smaller bounds",
    );
    let three = "<n>(a) -> (a * n * n), domain: n in [1, inf], a in [0, inf]";
    let hint = "give `n` bounds, as in `n in [1, 1000000]`";
    check_fails(
        Language::C,
        three,
        ErrorKind::Overflow,
        "`a * n * n` may need more than 128 bits",
        hint,
    );
    let message = "isl has neither products nor quotients by names, as in `a * n * n`";
    let hint = "give each factor and divisor a value, as in `bind n = 8 in MAP`";
    check_fails(Language::Isl, three, ErrorKind::Unsupported, message, hint);
}

/// The names that each language assigns to the arguments `int`, `lambda`, `exists` and `i32`.
const NAMES: &[(Language, [&str; 4])] = &[
    (Language::C, ["int_", "lambda", "exists", "i32"]),
    (Language::Cuda, ["int_", "lambda", "exists", "i32"]),
    (Language::Python, ["int", "lambda_", "exists", "i32"]),
    (Language::Triton, ["int", "lambda_", "exists", "i32"]),
    (Language::Isl, ["int", "lambda", "exists_", "i32"]),
    (Language::Mlir, ["int", "lambda", "exists", "v_i32"]),
    (Language::Latex, ["\\mathit{int}", "\\mathit{lambda}", "\\mathit{exists}", "i_{32}"]),
];

#[test]
fn reserved_names_change() {
    let map = "(int, lambda, exists, i32) -> (int + lambda + exists + i32), domain: int in [0, 1], lambda in [0, 1], exists in [0, 1], i32 in [0, 1]";
    let map = parse_map(map).expect("a map");
    for (language, expected) in NAMES {
        let emitted = language.emit(&map, "f").expect("code");
        assert_eq!(emitted.arguments, *expected, "{language:?}");
    }
    let map = "(threadIdx) -> (threadIdx), domain: threadIdx in [0, 1]";
    check(
        Language::Cuda,
        map,
        &["int64_t f(int64_t threadIdx_)", "Renamed: threadIdx is threadIdx_."],
    );
    let map = parse_map("(a) -> (a), domain: a in [0, 1]").expect("a map");
    assert_eq!(Language::C.emit(&map, "while").expect("code").name, "while_");
    assert_eq!(Language::Python.emit(&map, "while").expect("code").name, "while_");
}

#[test]
fn range_variables_exist_in_isl() {
    let map = "<n>(d0)[s0]{rt0} -> (d0 + s0, rt0), domain: n in [1, inf], d0 in [0, n - 1], s0 in [0, 2], rt0 in [0, inf]";
    let expected = "[n, rt0] -> { [d0] -> [o0, o1] : exists s0 : o0 = d0 + s0 and o1 = rt0 and d0 >= 0 and 0 <= s0 <= 2 and \
                    rt0 >= 0 and n >= 1 and d0 - n <= -1 }";
    check(Language::Isl, map, &[expected]);
    let factor = "(a) -> (a * -3 + 1), domain: a in [0, 2]";
    check(Language::Isl, factor, &["{ [a] -> [a * -3 + 1] : 0 <= a <= 2 }"]);
    check(Language::Isl, "(d0) -> (), domain: empty", &["{ [d0] -> [] : false }"]);
}

#[test]
fn deep_nesting_becomes_local_variables() {
    let mut expr = "a".to_owned();
    for divisor in 0..300 {
        expr = format!("min(({expr} * 3 + 1) floordiv 2 mod 97, {divisor})");
    }
    let map = format!("(a) -> ({expr}), domain: a in [-9, 9]");
    for language in [Language::C, Language::Python, Language::Triton] {
        let code = code(language, &map);
        let depth = |line: &str| {
            let mut depth = 0;
            line.chars().fold(0, |most, letter| {
                depth += match letter {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
                most.max(depth)
            })
        };
        let lines = code.lines().filter(|line| !line.starts_with(['#', '/']));
        let deepest = lines.map(depth).max();
        assert!(deepest < Some(40), "{deepest:?}");
    }
}

#[test]
fn each_language_has_cases() {
    for language in Language::ALL {
        let is_compared = COMPARED.iter().any(|(compared, _)| *compared == language);
        assert!(
            is_compared != ONLY_TEXTS.contains(&language),
            "{language:?} needs a test that runs its code or reads it back, in COMPARED, or a place in ONLY_TEXTS"
        );
        let divisions = DIVISIONS.iter().filter(|(of, ..)| *of == language);
        let maps: BTreeSet<&str> = divisions.map(|(_, map, _)| *map).collect();
        assert!(
            maps.is_superset(&[SIGNED, NATURAL].into()),
            "{language:?} needs cases in DIVISIONS"
        );
        let names = NAMES.iter().filter(|(of, _)| *of == language);
        assert_eq!(names.count(), 1, "{language:?} needs a line in NAMES");
    }
}

#[test]
fn the_help_lists_each_language_once() {
    let words = Language::ALL.map(Language::word);
    assert_eq!(BTreeSet::from(words).len(), words.len());
    let (last, others) = words.split_last().expect("a language");
    let expected = format!("{} or {last}", others.join(", "));
    assert_eq!(Language::CHOICES.replace(" (default)", ""), expected);
    assert!(Language::CHOICES.starts_with(&format!("{} (default)", words[0])));
}
