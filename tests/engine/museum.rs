//! The museum: wrong answers of index simplifiers, with the public number of each report.
//!
//! For each exhibit the engine gives the right answer on the input of the report, the law behind the wrong answer is refuted at
//! the point of the report, and the correct laws are proved. Reports without an input that can be run (SymPy #28744, Halide
//! #2949, Inductor #103147, XLA #49119, TVM #8852, tinygrad #9728) are not here.

use crate::support::random;
use affinor::expr::IndexingMap;
use affinor::rule::verify::{BUDGET, Verdict, judge, truncating};
use affinor::rule::{Condition, Point, RuleSet, Statement, Truth, read_rule};
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, parse_map, print_map};

/// A statement, a point where it fails, and the values of its two sides there.
type Refutation = (&'static str, &'static [(&'static str, i64)], &'static str);

/// One report.
struct Exhibit {
    /// The system that gave the answer, and the reference.
    system: &'static str,
    /// The wrong claim.
    claim: &'static str,
    /// Maps of the report, each with the engine's answer.
    answers: &'static [(&'static str, &'static str)],
    /// False laws.
    refuted: &'static [Refutation],
    /// True laws.
    proved: &'static [&'static str],
}

const MUSEUM: &[Exhibit] = &[
    Exhibit {
        system: "TVM, tile-ai/tilelang#2955",
        claim: "x mod 64 mod 7 is x mod 7: wrong results on a GPU",
        answers: &[(
            "(d0) -> (d0 mod 64 mod 7), domain: d0 in [0, 127]",
            "(d0) -> (d0 mod 64 mod 7), domain: d0 in [0, 127]",
        )],
        refuted: &[
            ("(x mod 64) mod 7 = x mod 7", &[("x", 64)], "0 and 1"),
            (
                "(x mod a) mod b = x mod b where a >= 1, b >= 1",
                &[("x", 64), ("a", 64), ("b", 7)],
                "0 and 1",
            ),
        ],
        proved: &["(x mod (a*b)) mod b = x mod b where a >= 1, b >= 1"],
    },
    Exhibit {
        system: "TVM, apache/tvm#14571",
        claim: "y - x mod 2 is y + x mod 2 - 1",
        answers: &[(
            "(d0, d1) -> (d1 - d0 mod 2), domain: d0 in [0, 5], d1 in [0, 5]",
            "(d0, d1) -> (d1 - d0 mod 2), domain: d0 in [0, 5], d1 in [0, 5]",
        )],
        refuted: &[("y - x mod 2 = y + x mod 2 - 1", &[("x", 0), ("y", 0)], "0 and -1")],
        proved: &["y - x mod 2 = y + (x + 1) mod 2 - 1"],
    },
    Exhibit {
        system: "SymPy, sympy/sympy#29757",
        claim: "(128*(x mod 3)) mod 356 is 4*((32*(x mod 3)^2) mod 89)",
        answers: &[(
            "(d0) -> (d0 mod 3 * 128 mod 356), domain: d0 in [2, 2]",
            "(d0) -> (256), domain: d0 in [2, 2]",
        )],
        refuted: &[(
            "(128*(x mod 3)) mod 356 = 4*((32*(x mod 3)*(x mod 3)) mod 89)",
            &[("x", 2)],
            "256 and 156",
        )],
        proved: &["(128*(x mod 3)) mod 356 = 4*((32*(x mod 3)) mod 89)"],
    },
    Exhibit {
        system: "MLIR, llvm/llvm-project#119245",
        claim: "(d - (d + 2)) floordiv 8 mod 8 is 1",
        answers: &[(
            "affine_map<(d0) -> ((d0 - (d0 + 2)) floordiv 8 mod 8)>",
            "affine_map<(d0) -> (7)>",
        )],
        refuted: &[("((x - (x + 2)) floordiv 8) mod 8 = 1", &[("x", 0)], "7 and 1")],
        proved: &["((x - (x + 2)) floordiv 8) mod 8 = 7"],
    },
    Exhibit {
        system: "MLIR, tensorflow/mlir#82 (2019)",
        claim: "d - (d + 1) is 0",
        answers: &[("affine_map<(d0) -> (d0 - (d0 + 1))>", "affine_map<(d0) -> (-1)>")],
        refuted: &[("x - (x + 1) = 0", &[("x", 0)], "-1 and 0")],
        proved: &["x - (x + 1) = -1"],
    },
    Exhibit {
        system: "MLIR, llvm/llvm-project#107508",
        claim: "((s * 2 ceildiv 4) * 5 + s * 42) ceildiv s is 47",
        answers: &[
            (
                "(d0) -> ((d0 * 2 ceildiv 4 * 5 + d0 * 42) ceildiv 2), domain: d0 in [2, 2]",
                "(d0) -> (45), domain: d0 in [2, 2]",
            ),
            (
                "(d0) -> ((d0 * 2 ceildiv 4 * 5 + d0 * 42) ceildiv 3), domain: d0 in [3, 3]",
                "(d0) -> (46), domain: d0 in [3, 3]",
            ),
        ],
        refuted: &[
            (
                "(5*((2*s + 3) floordiv 4) + 42*s + s - 1) floordiv s = 47 where s >= 1",
                &[("s", 2)],
                "45 and 47",
            ),
            (
                "(5*((2*s + 3) floordiv 4) + 42*s + s - 1) floordiv s = 47 where s >= 1",
                &[("s", 3)],
                "46 and 47",
            ),
        ],
        proved: &[],
    },
    Exhibit {
        system: "MLIR, llvm/llvm-project#85726, a false alarm",
        claim: "(s mod 32) * 64 = s * 64 - (s floordiv 32) * 2048 was reported wrong; it is true",
        answers: &[(
            "affine_map<(d0) -> (d0 * 64 - d0 floordiv 32 * 2048, d0 mod 32 * 64)>",
            "affine_map<(d0) -> (d0 mod 32 * 64, d0 mod 32 * 64)>",
        )],
        refuted: &[],
        proved: &["(s mod 32)*64 = 64*s - 2048*(s floordiv 32)"],
    },
    Exhibit {
        system: "TVM, apache/tvm#19825, true and harmful",
        claim: "(192i + j) mod 128 is (64i + j) mod 128, which hides that it belongs to (192i + j) floordiv 128",
        answers: &[(
            // The quotient and the remainder together are the flat index. (Simplified on its own, the remainder loses a multiple
            // of 128 here, too.)
            "(d0, d1) -> ((d0 * 192 + d1) floordiv 128 * 128 + (d0 * 192 + d1) mod 128), domain: d0 in [0, 63], d1 in [0, 191]",
            "(d0, d1) -> (d0 * 192 + d1), domain: d0 in [0, 63], d1 in [0, 191]",
        )],
        refuted: &[],
        proved: &["(192*i + j) mod 128 = (64*i + j) mod 128"],
    },
    Exhibit {
        system: "Caviar's rules for division and remainder",
        claim: "(-a)/b is -(a/b), (-a) mod b is -(a mod b): true only where division truncates",
        answers: &[(
            "(d0) -> ((-d0) floordiv 2, (-d0) mod 2), domain: d0 in [1, 1]",
            "(d0) -> (-1, 1), domain: d0 in [1, 1]",
        )],
        refuted: &[
            ("(-a) floordiv b = -(a floordiv b) where b >= 1", &[("a", 1), ("b", 2)], "-1 and 0"),
            ("(-a) mod b = -(a mod b) where b >= 1", &[("a", 1), ("b", 2)], "1 and -1"),
        ],
        // Caviar's rule div-separate, which holds if division rounds down.
        proved: &["(x + a) floordiv b = x floordiv b + a floordiv b where b >= 1, a mod b = 0"],
    },
    Exhibit {
        system: "XLA, the bounds of a symbol under a negative divisor",
        claim: "s floordiv -3 in [-11, -5] is s in [15, 35]",
        answers: &[(
            "(d0) -> (d0), domain: d0 in [-100, 100], (-d0) floordiv 3 in [-11, -5]",
            "(d0) -> (d0), domain: d0 in [13, 33]",
        )],
        refuted: &[(
            "-11 <= (-s) floordiv 3 <= -5 <=> 15 <= s <= 35",
            &[("s", 13)],
            "true and false",
        )],
        proved: &["-11 <= (-s) floordiv 3 <= -5 <=> 13 <= s <= 33"],
    },
    Exhibit {
        system: "XLA, rounding bounds to a stride",
        claim: "s in [-21, -2] with s mod 6 = 5 is s in [-13, -1]",
        answers: &[(
            "(d0) -> (d0), domain: d0 in [-21, -2], d0 mod 6 in [5, 5]",
            "(d0) -> (d0), domain: d0 in [-19, -7], d0 mod 6 in [5, 5]",
        )],
        refuted: &[
            (
                "-21 <= s <= -2 and s mod 6 = 5 <=> -13 <= s <= -1 and s mod 6 = 5",
                &[("s", -19)],
                "true and false",
            ),
            (
                "-21 <= s <= -2 and s mod 6 = 5 <=> -13 <= s <= -1 and s mod 6 = 5",
                &[("s", -1)],
                "false and true",
            ),
        ],
        proved: &["-21 <= s <= -2 and s mod 6 = 5 <=> -19 <= s <= -7 and s mod 6 = 5"],
    },
    Exhibit {
        system: "XLA, dropping low digits of a constraint",
        claim: "d0 * 4 + d1 in [0, 8] with d1 in [1, 3] is d0 in [0, 2]",
        answers: &[(
            "(d0, d1) -> (d0, d1), domain: d0 in [-9, 9], d1 in [1, 3], d0 * 4 + d1 in [0, 8]",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [1, 3]",
        )],
        refuted: &[(
            "0 <= 4*x + y <= 8 <=> 0 <= x <= 2 where 1 <= y <= 3",
            &[("x", 2), ("y", 1)],
            "false and true",
        )],
        proved: &["0 <= 4*x + y <= 8 <=> 0 <= x <= 1 where 1 <= y <= 3"],
    },
    Exhibit {
        system: "XLA, \"Indexing map simplifier\": what must pass",
        claim: "its four rewrites are right, if the minus of the fourth applies to the whole quotient",
        answers: &[
            (
                "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]",
                "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]",
            ),
            (
                "(d0, d1) -> (-((-11 * d0 - d1 + 109) floordiv 11) + 9), domain: d0 in [0, 7], d1 in [0, 8]",
                "(d0, d1) -> (d0), domain: d0 in [0, 7], d1 in [0, 8]",
            ),
        ],
        refuted: &[(
            "(-(109 - 11*x - y)) floordiv 11 + 9 = x where 0 <= y <= 8",
            &[("x", 0), ("y", 0)],
            "-1 and 0",
        )],
        proved: &[
            "x + y floordiv 16 = x where 0 <= y <= 14",
            "y mod 16 = y where 0 <= y <= 14",
            "(100*x + 10*y + z) floordiv 100 = x where 0 <= y <= 9, 0 <= z <= 9",
            "((100*x + 10*y + z) mod 100) floordiv 10 = y where 0 <= y <= 9, 0 <= z <= 9",
            "(100*x + 10*y + z) mod 10 = z where 0 <= z <= 9",
            "(16*x + 4*y + z) floordiv 8 = 2*x + (4*y + z) floordiv 8",
            "(16*x + 4*y + z) mod 8 = (4*y + z) mod 8",
            "-((109 - 11*x - y) floordiv 11) + 9 = x where 0 <= y <= 8",
        ],
    },
    Exhibit {
        system: "tinygrad, its rule nested_div: what must pass",
        claim: "(x mod (k*c)) floordiv c is (x floordiv c) mod k",
        answers: &[(
            "affine_map<(d0) -> (d0 mod 24 floordiv 4 - d0 floordiv 4 mod 6)>",
            "affine_map<(d0) -> (0)>",
        )],
        refuted: &[],
        proved: &["(x mod (k*c)) floordiv c = (x floordiv c) mod k where k >= 1, c >= 1"],
    },
    Exhibit {
        system: "PyTorch Inductor, pytorch/pytorch#176345: what must pass",
        claim: "((b floordiv d) mod m) floordiv e is (b floordiv (d*e)) mod (m floordiv e), where e divides m",
        answers: &[(
            "affine_map<(d0) -> (d0 floordiv 3 mod 8 floordiv 2 - d0 floordiv 6 mod 4)>",
            "affine_map<(d0) -> (0)>",
        )],
        refuted: &[],
        proved: &[
            "((b floordiv d) mod m) floordiv e = (b floordiv (d*e)) mod n where d >= 1, e >= 1, n >= 1, m >= 1, m = e*n",
        ],
    },
];

fn map(text: &str) -> IndexingMap {
    parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

#[test]
fn the_engine_gives_the_right_answers() {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let simplifier = Simplifier::new(rules).unwrap_or_else(|error| panic!("{error:?}"));
    for exhibit in MUSEUM {
        assert!(!exhibit.answers.is_empty(), "{}", exhibit.system);
        for (input, answer) in exhibit.answers {
            let given = map(input);
            let outcome = simplifier.simplify(&given, &Options::default()).map;
            let report = format!("{}: {}", exhibit.system, exhibit.claim);
            assert_eq!(print_map(&outcome, Style::Plain), *answer, "{report}");
            for point in points(&given) {
                let inside = given.domain().contains(&point);
                assert_eq!(inside, outcome.domain().contains(&point), "{report} at {point:?}");
                if inside == Ok(true) {
                    assert_eq!(given.eval(&point), outcome.eval(&point), "{report} at {point:?}");
                }
            }
        }
    }
}

/// Returns every point of a small box, or some points of an infinite one.
fn points(map: &IndexingMap) -> Vec<Vec<i64>> {
    let bounds = map.domain().variables().iter().map(|variable| variable.bounds);
    match bounds.clone().all(affinor::num::Interval::is_bounded) {
        true => random::box_points(map.domain()),
        false => (-300..300).map(|x| vec![x; bounds.len()]).collect(),
    }
}

#[test]
fn the_laws_behind_wrong_answers_are_refuted() {
    for exhibit in MUSEUM {
        for (statement, at, values) in exhibit.refuted {
            let rule =
                read_rule(statement).unwrap_or_else(|error| panic!("{error:?} in {statement}"));
            let report = format!("{}: {statement}", exhibit.system);
            match judge(&rule, &BUDGET) {
                Verdict::Refuted(point) => assert_eq!(rule.truth(&point), Truth::Fails, "{report}"),
                other => panic!("{report}: {other:?}"),
            }
            let value = |name: &str| {
                let found = at.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| *value)
            };
            let point = rule.point(value).expect(&report);
            assert_eq!(rule.truth(&point), Truth::Fails, "{report} at {point:?}");
            assert_eq!(sides(&rule.statement, &point), *values, "{report} at {point:?}");
        }
    }
}

fn sides(statement: &Statement, point: &Point) -> String {
    let all =
        |list: &[Condition]| list.iter().all(|condition| condition.holds(point) == Some(true));
    match statement {
        Statement::Equivalence(lhs, rhs) => format!("{} and {}", all(lhs), all(rhs)),
        Statement::Fact(facts) => {
            let value = |term: &affinor::rule::Term| term.eval(point).expect("a positive divisor");
            format!("{} and {}", value(&facts[0].lhs), value(&facts[0].rhs))
        }
        Statement::Rewrite(..) => panic!("a statement is not a rewrite"),
    }
}

#[test]
fn correct_laws_are_proved() {
    for exhibit in MUSEUM {
        for statement in exhibit.proved {
            let rule =
                read_rule(statement).unwrap_or_else(|error| panic!("{error:?} in {statement}"));
            let verdict = judge(&rule, &BUDGET);
            assert_eq!(verdict, Verdict::Proved, "{}: {statement}", exhibit.system);
        }
    }
}

/// No single definition of division makes all of Caviar's rules true: each definition makes one fail.
#[test]
fn truncation_exchanges_which_of_the_rules_of_caviar_hold() {
    #[track_caller]
    fn check(statement: &str, when_truncated: bool) {
        let rule = read_rule(statement).unwrap_or_else(|error| panic!("{error:?}"));
        let down = judge(&rule, &BUDGET);
        let toward_zero = judge(&truncating(&rule), &BUDGET);
        let (holds, fails) = if when_truncated { (toward_zero, down) } else { (down, toward_zero) };
        assert_eq!(holds, Verdict::Proved, "{statement}");
        assert!(matches!(fails, Verdict::Refuted(_)), "{statement}: {fails:?}");
    }
    check("(-a) floordiv b = -(a floordiv b) where b >= 1", true);
    check("(-a) mod b = -(a mod b) where b >= 1", true);
    check("(x + a) floordiv b = x floordiv b + a floordiv b where b >= 1, a mod b = 0", false);
}
