//! Random nests of two loops, as C, Python and MLIR: verdicts on which loops may run in any order, compared with all pairs of
//! iterations.

use super::numbers::Random;
use super::support::memory::Memory;
use affinor_commands::Session;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// An index: `(a*i + b*j + c) op d`, where `op` is a division, a remainder or nothing.
#[derive(Clone, Copy)]
struct Index {
    factors: [i64; 3],
    op: Option<(bool, i64)>,
}

impl Index {
    fn random(random: &mut Random) -> Index {
        let factors = [0, 1, 2].map(|_| random.below(4));
        let op = match random.below(3) {
            0 => None,
            kind => Some((kind == 1, 2 + random.below(4))),
        };
        Index { factors, op }
    }

    fn value(&self, [i, j]: [i64; 2]) -> i64 {
        let [a, b, c] = self.factors;
        let value = a * i + b * j + c;
        match self.op {
            None => value,
            Some((true, d)) => value.div_euclid(d),
            Some((false, d)) => value.rem_euclid(d),
        }
    }

    fn text(&self, [i, j]: [&str; 2], [div, modulo]: [&str; 2]) -> String {
        let [a, b, c] = self.factors;
        let sum = format!("{i} * {a} + {j} * {b} + {c}");
        match self.op {
            None => sum,
            Some((true, d)) => format!("({sum}) {div} {d}"),
            Some((false, d)) => format!("({sum}) {modulo} {d}"),
        }
    }
}

/// A statement `A[write] = B[read]`, each array one of two.
struct Statement {
    arrays: [&'static str; 2],
    indices: [Index; 2],
}

/// Returns the pairs of iterations that conflict, the earlier one first, for the outer and for the inner loop. Each loop may count
/// down.
fn conflicts(
    statements: &[Statement],
    sizes: [i64; 2],
    is_down: [bool; 2],
) -> [BTreeSet<Vec<i64>>; 2] {
    let accesses: Vec<(&str, Index, bool)> = statements
        .iter()
        .flat_map(|one| [0, 1].map(|at| (one.arrays[at], one.indices[at], at == 0)))
        .collect();
    let points =
        || (0..sizes[0]).flat_map(|i| (0..sizes[1]).map(move |j| [i, j])).collect::<Vec<_>>();
    [0, 1].map(|depth| {
        let mut found = BTreeSet::new();
        for (x, y) in accesses.iter().flat_map(|x| accesses.iter().map(move |y| (x, y))) {
            for p in points() {
                for q in points() {
                    let is_later = match is_down[depth] {
                        true => p[depth] > q[depth],
                        false => p[depth] < q[depth],
                    };
                    let is_later = p[..depth] == q[..depth] && is_later;
                    let meets = x.0 == y.0 && x.1.value(p) == y.1.value(q);
                    if is_later && meets && (x.2 || y.2) {
                        found.insert([p, q].concat());
                    }
                }
            }
        }
        found
    })
}

/// Prints a nest as C, Python and MLIR; in MLIR all counters count up.
fn texts(statements: &[Statement], sizes: [i64; 2], is_down: [bool; 2]) -> [String; 3] {
    let [n, m] = sizes;
    let heads = |at: usize, name: &str| match is_down[at] {
        true => [
            format!("for (int {name} = {}; {name} >= 0; {name}--) ", sizes[at] - 1),
            format!("for {name} in range({}, -1, -1):", sizes[at] - 1),
        ],
        false => [
            format!("for (int {name} = 0; {name} < {}; {name}++) ", sizes[at]),
            format!("for {name} in range({}):", sizes[at]),
        ],
    };
    let ([of_c, of_python], [inner_of_c, inner_of_python]) = (heads(0, "i"), heads(1, "j"));
    let mut c = format!("{of_c}{inner_of_c}{{");
    let mut python = format!("{of_python}\n  {inner_of_python}");
    let mut mlir = format!("affine.for %i = 0 to {n} {{\n  affine.for %j = 0 to {m} {{");
    for (number, Statement { arrays: [a, b], indices: [write, read] }) in
        statements.iter().enumerate()
    {
        let of = |ops| [write.text(["i", "j"], ops), read.text(["i", "j"], ops)];
        let [to, from] = of(["/", "%"]);
        let _ = write!(c, " {a}[{to}] = {b}[{from}];");
        let [to, from] = of(["//", "%"]);
        let _ = write!(python, "\n    {a}[{to}] = {b}[{from}]");
        let ops = ["floordiv", "mod"];
        let [to, from] = [write, read].map(|index| index.text(["%i", "%j"], ops));
        let _ = write!(
            mlir,
            "\n    %v{number} = affine.load %{b}[{from}] : memref<99xf32>\n    affine.store %v{number}, %{a}[{to}] : memref<99xf32>"
        );
    }
    [c + " }", python, mlir + "\n  }\n}"]
}

#[test]
fn random_nests() {
    let mut random = Random(77);
    let (mut seen, mut proved) = (0, 0);
    for _ in 0..40 {
        let count = 1 + random.below(2);
        let statements: Vec<Statement> = (0..count)
            .map(|_| Statement {
                arrays: [0, 1].map(|_| if random.below(3) == 0 { "B" } else { "A" }),
                indices: [0, 1].map(|_| Index::random(&mut random)),
            })
            .collect();
        let sizes = [2 + random.below(4), 2 + random.below(4)];
        let is_down = [0, 1].map(|_| random.below(3) == 0);
        let up = conflicts(&statements, sizes, [false; 2]);
        let ordered = conflicts(&statements, sizes, is_down);
        let texts = texts(&statements, sizes, is_down);
        for (text, expected) in texts.iter().zip([&ordered, &ordered, &up]) {
            let mut memory = Memory::default();
            let line = format!("parallel {text}");
            Session::new().run(&line, &mut memory).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
            let [answer] = &memory.outputs[..] else { panic!("{text}") };
            let answer = answer.json.as_ref().expect("an answer has JSON");
            let loops = answer["loops"].as_array().expect("a row for each loop").clone();
            // A loop that no index mentions has no counter in code.
            for row in loops {
                let depth = usize::from(matches!(row["loop"].as_str(), Some("j" | "d1")));
                let expected = &expected[depth];
                seen += 1;
                proved += usize::from(row["verdict"] == "proved");
                match row["verdict"].as_str() {
                    Some("proved") => assert!(expected.is_empty(), "{text}\n{row}"),
                    Some("refuted") => {
                        let points = row["points"].as_array().expect("two iterations");
                        let pair: Vec<i64> = points.iter().flat_map(values).collect();
                        assert!(expected.contains(&pair), "{text}\n{row}");
                    }
                    _ => panic!("{text}\n{row}"),
                }
            }
        }
    }
    assert!(seen > 200 && proved > 10 && proved < seen, "{proved} of {seen}");
}

/// Returns the values of both counters.
fn values(point: &Value) -> Vec<i64> {
    [["i", "d0"], ["j", "d1"]]
        .into_iter()
        .map(|names| names.into_iter().find_map(|name| point[name].as_i64()).expect("a counter"))
        .collect()
}
