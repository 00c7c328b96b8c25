//! Tests of the judge: code that is run has the values of its language, and wrong answers are detected.

use crate::indices::{End, Index};
use crate::judge::{Judge, Runner, Source};
use crate::pieces::{Dialect, Form, Piece};
use crate::tree::{Tree, call, number, two};
use crate::truth::{Table, collide};
use serde_json::json;

/// Checks the values of code at these values of `i` and `threadIdx.x`.
#[track_caller]
fn check(runner: Runner, name: &str, cases: &[(&str, i64, Option<i64>)]) {
    let mut judge = Judge::new(runner, name);
    let is_python = runner == Runner::Python;
    for (code, ..) in cases {
        let names: &[&str] = match is_python {
            true => &["i", "tl.program_id(0)"],
            false => &["i", "threadIdx.x"],
        };
        judge.add(Source {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            statements: Vec::new(),
            results: vec![(*code).to_owned()],
        });
    }
    for (number, (code, value, expected)) in cases.iter().enumerate() {
        let found = judge.values(number, &[vec![*value, *value], vec![*value, *value]]);
        let expected = expected.map(|expected| vec![expected]);
        assert_eq!(found, [expected.clone(), expected], "{code} at {value} by {runner:?}");
    }
}

#[test]
fn code_runs_as_its_language_says() {
    check(
        Runner::Python,
        "seen",
        &[
            ("i // 4", -1, Some(-1)),
            ("i % 4", -1, Some(3)),
            ("5 // i", 0, None),
            ("tl.cdiv(i, 4)", 5, Some(2)),
            ("tl.where(i < 3, y=1, x=2)", 2, Some(2)),
            ("tl.program_id(0) * (i < 9)", 7, Some(7)),
            ("T.truncmod(i, 4)", -5, Some(-1)),
            ("T.truncdiv(i, 4)", -5, Some(-1)),
            ("ModularIndexing(i, 2, 4)", -1, Some(3)),
        ],
    );
    let of_c = [
        ("i / 4", -1, Some(0)),
        ("i % 4", -5, Some(-1)),
        ("5 / i", 0, None),
        ("i * 2000000000", 2, None),
        ("i / 4u", -1, Some(1_073_741_823)),
        ("(char)i", 200, Some(-56)),
        ("(unsigned char)i", 300, Some(44)),
        ("(bool)i", 300, Some(1)),
        ("(threadIdx.x - 1) / 32", 0, Some(134_217_727)),
        ("(uint64_t)i", -1, None),
        ("(size_t)i", 3, Some(3)),
        ("i << 2", -3, Some(-12)),
    ];
    check(Runner::C, "seen", &of_c);
    check(Runner::Cpp, "seen", &of_c);
    let of_cuda = [
        ("static_cast<short>(i)", 40_000, Some(-25_536)),
        ("min(i, threadIdx.x)", 3, Some(3)),
        ("max(-1, threadIdx.x)", 3, Some(4_294_967_295)),
        ("std::clamp(i, 2, 5)", 9, Some(5)),
    ];
    check(Runner::Cpp, "seen_cuda", &of_cuda);
}

fn piece(results: Vec<Tree>, ends: [End; 2]) -> Piece {
    let indices = ["i", "j"].into_iter().zip(ends).map(|(name, end)| Index {
        name: name.to_owned(),
        lo: 0,
        end,
        step: 1,
        is_bounded: true,
    });
    let indices: Vec<Index> = indices.collect();
    let sizes = indices.iter().filter_map(|index| index.end.name.clone());
    Piece {
        dialect: Dialect::Python,
        form: Form::Loops,
        sizes: sizes.collect(),
        indices,
        statements: Vec::new(),
        results,
        in_one_line: false,
        with_divmod: false,
    }
}

fn name(name: &str) -> Tree {
    Tree::Name(name.to_owned())
}

#[test]
fn wrong_answers_are_seen() {
    // `i * 4 + j for i in range(3) for j in range(4)`
    let line = two("+", two("*", name("i"), number(4)), name("j"));
    let piece = piece(vec![line], [End::number(3), End::number(4)]);
    let mut judge = Judge::new(Runner::Python, "seen_answers");
    let source = judge.add(piece.source(&piece.results));
    let table = Table::of(&piece, &mut judge, source).expect("values");
    let maps = |texts: &[&str]| table.maps(texts).is_ok();
    assert!(maps(&["(i, j) -> (i * 4 + j), domain: i in [0, 2], j in [0, 3]"]));
    assert!(maps(&[
        "(j, i) -> (i * 4 + j), domain: j in [0, 3], i in [0, 0]",
        "(i, j) -> (i * 4 + j), domain: i in [1, 2], j in [0, 3]"
    ]));
    for wrong in [
        // Another value, other names, too many points, too few, one point twice.
        &["(i, j) -> (i * 4 + j + 1), domain: i in [0, 2], j in [0, 3]"][..],
        &["(i, k) -> (i * 4 + k), domain: i in [0, 2], k in [0, 3]"],
        &["(i, j) -> (i * 4 + j), domain: i in [0, 3], j in [0, 3]"],
        &["(i, j) -> (i * 4 + j), domain: i in [0, 2], j in [0, 2]"],
        &[
            "(i, j) -> (i * 4 + j), domain: i in [0, 2], j in [0, 3]",
            "(i, j) -> (i * 4 + j), domain: i in [0, 0], j in [0, 0]",
        ],
    ] {
        assert!(!maps(wrong), "{wrong:?}");
    }
    let range = |lo: i64, hi: i64, is_tight: bool| {
        let answer = json!({"ranges": [[lo, hi]], "tight": [is_tight]});
        table.ranges(&[&answer]).is_ok()
    };
    assert!(range(0, 11, true) && range(-1, 12, false));
    assert!(!range(0, 12, true) && !range(0, 10, false) && !range(1, 11, false));
    let counts = |points: i64, elements: i64| {
        let answer = json!({"points": {"number": points}, "elements": {"number": elements}});
        table.counts(&[&answer])
    };
    assert_eq!(counts(12, 12), Ok(true));
    assert!(counts(12, 11).is_err() && counts(11, 12).is_err());
    assert_eq!(
        table.counts(&[&json!({"points": {"number": 12}, "elements": {"reason": ".."}})]),
        Ok(false)
    );
    let image = |hi: i64, step: i64, is_exact: bool| {
        let answer = json!({"box": [[0, hi]], "steps": [step], "exact": is_exact});
        table.image(&answer).is_ok()
    };
    assert!(image(11, 1, true) && image(14, 1, false));
    assert!(!image(12, 1, true) && !image(10, 1, false) && !image(12, 2, false));
    assert_eq!(table.collision(), None);
    let example = json!({"first": {"i": 0, "j": 1}, "second": {"i": 1, "j": 0}, "element": [1]});
    assert!(collide(&table, &mut judge, source, &example).is_err());
}

#[test]
fn wrong_answers_with_sizes_are_seen() {
    // `max(i, j) for i in range(n) for j in range(2)`
    let end = End { scale: 1, name: Some("n".to_owned()), offset: 0 };
    let larger = call("max", [name("i"), name("j")]);
    let piece = piece(vec![larger], [end, End::number(2)]);
    let mut judge = Judge::new(Runner::Python, "seen_sizes");
    let source = judge.add(piece.source(&piece.results));
    let table = Table::of(&piece, &mut judge, source).expect("values");
    let domain = "domain: n in [1, inf], i in [0, n - 1], j in [0, 1]";
    let right = format!("<n>(i, j) -> (max(i, j)), {domain}");
    assert_eq!(table.maps(&[&right]), Ok(()));
    let wrong = format!("<n>(i, j) -> (max(i, j - n + 1)), {domain}");
    assert!(table.maps(&[&wrong]).is_err());
    let range = |hi: &str| {
        let answer = json!({"ranges": [[0, hi]], "tight": [true]});
        table.ranges(&[&answer]).is_ok()
    };
    assert!(range("max(n - 1, 1)") && !range("n - 1") && !range("n") && !range("q"));
    let points = |number: &str| {
        let answer = json!({"points": {"number": number}, "elements": {}});
        table.counts(&[&answer])
    };
    assert!(points("n * 2") == Ok(false) && points("n").is_err());
    assert!(table.collision().is_some());
    let collision = |first: i64, second: i64, size: i64| {
        let example = json!({
            "first": {"i": first, "j": 1, "n": size}, "second": {"i": second, "j": 1, "n": size},
            "element": [1],
        });
        collide(&table, &mut judge, source, &example).is_ok()
    };
    let found = [(0, 1, 2), (0, 2, 3), (0, 0, 2), (0, 1, 1)].map({
        let mut collision = collision;
        move |(first, second, size)| collision(first, second, size)
    });
    assert_eq!(found, [true, false, false, false]);
}
