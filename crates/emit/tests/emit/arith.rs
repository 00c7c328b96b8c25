//! MLIR: attributes are read back, and functions are run by a small interpreter of `arith`.

use crate::drawn::{Answer, cases};
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor_emit::Language;
use affinor_maps::expr::{Constraint, IndexingMap};
use affinor_maps::num::Interval;
use affinor_maps::text::{ErrorKind, parse_map};
use std::collections::BTreeMap;

/// Parses the functions of a text: the arguments and lines of each.
fn functions(code: &str) -> BTreeMap<&str, (Vec<&str>, Vec<&str>)> {
    let mut found = BTreeMap::new();
    for part in code.split("func.func @").skip(1) {
        let (name, rest) = part.split_once('(').expect("arguments");
        let (arguments, rest) = rest.split_once(')').expect("their end");
        let arguments = arguments.split(", ").filter_map(|argument| argument.strip_suffix(": i64"));
        let lines = rest.lines().skip(1).take_while(|line| *line != "}");
        found.insert(name, (arguments.collect(), lines.collect()));
    }
    found
}

/// Runs a function; panics on overflow.
fn run(function: &(Vec<&str>, Vec<&str>), point: &[i64]) -> Vec<i64> {
    let mut values: BTreeMap<String, i64> = BTreeMap::new();
    assert_eq!(function.0.len(), point.len());
    for (name, value) in function.0.iter().zip(point) {
        values.insert((*name).to_owned(), *value);
    }
    for line in &function.1 {
        let (operation, kind) = line.trim().rsplit_once(" : ").unwrap_or((line.trim(), ""));
        let words: Vec<&str> =
            operation.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        let of = |word: &str| values[word];
        let value = match words.as_slice() {
            ["return", names @ ..] => return names.iter().map(|name| of(name)).collect(),
            [_, "=", "arith.constant", value] => {
                value.parse().unwrap_or(i64::from(*value == "true"))
            }
            [_, "=", "arith.cmpi", predicate, x, y] => i64::from(match *predicate {
                "slt" => of(x) < of(y),
                "sge" => of(x) >= of(y),
                "sle" => of(x) <= of(y),
                _ => panic!("{line}"),
            }),
            [_, "=", "arith.select", condition, x, y] => {
                if of(condition) == 1 {
                    of(x)
                } else {
                    of(y)
                }
            }
            [_, "=", word, x, y] => {
                let (x, y) = (of(x), of(y));
                match *word {
                    "arith.addi" => x.wrapping_add(y),
                    "arith.muli" => x.wrapping_mul(y),
                    "arith.minsi" => x.min(y),
                    "arith.maxsi" => x.max(y),
                    "arith.divsi" => x / y,
                    "arith.remsi" => x % y,
                    "arith.floordivsi" => x.div_euclid(y),
                    "arith.ceildivsi" => -(-i128::from(x)).div_euclid(y.into()) as i64,
                    "arith.andi" if kind == "i1" => x & y,
                    _ => panic!("{line}"),
                }
            }
            _ => panic!("{line}"),
        };
        values.insert(words[0].to_owned(), value);
    }
    panic!("no return");
}

#[test]
pub fn mlir_says_the_maps() {
    let (mut attributes, mut run_points, mut refused) = (0, 0, 0);
    for (number, case) in cases().iter().enumerate() {
        let name = format!("f{number}");
        let code = match Language::Mlir.emit(&case.map, &name) {
            Ok(emitted) => emitted.code,
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::Overflow, "{error}");
                refused += 1;
                continue;
            }
        };
        if code.contains(" = affine_map<") {
            let lines = code.lines().filter(|line| line.starts_with('#'));
            let texts: Vec<&str> =
                lines.map(|line| line.split_once(" = ").expect("a value").1).collect();
            let back =
                parse_map(&texts.join(", ")).unwrap_or_else(|error| panic!("{error}\n{code}"));
            let verdict = equal_functions(&case.map, &back, &Budget::default());
            // A constraint without bounds has no text.
            let tests = |map: &IndexingMap| -> Vec<Constraint> {
                let constraints = map.domain().constraints().iter();
                constraints
                    .filter(|constraint| constraint.bounds != Interval::ALL)
                    .cloned()
                    .collect()
            };
            let same = case.map.results() == back.results() && tests(&case.map) == tests(&back);
            assert!(same || verdict == Ok(Verdict::Proved), "{}\n{code}", case.map);
            attributes += 1;
            continue;
        }
        let functions = functions(&code);
        for (point, answer) in &case.points {
            let inside = run(&functions[format!("{name}_contains").as_str()], point);
            assert_eq!(
                inside,
                [i64::from(*answer != Answer::Outside)],
                "{} at {point:?}\n{code}",
                case.map
            );
            if let Answer::Values(values) = answer {
                let values: Option<Vec<i64>> = values.iter().copied().collect();
                let found = if values.as_ref().is_some_and(Vec::is_empty) {
                    Vec::new()
                } else {
                    run(&functions[name.as_str()], point)
                };
                assert_eq!(Some(found), values, "{} at {point:?}\n{code}", case.map);
                run_points += 1;
            }
        }
    }
    assert!(
        attributes > 40 && run_points > 5_000 && refused < 110,
        "{attributes} {run_points} {refused}"
    );
}
