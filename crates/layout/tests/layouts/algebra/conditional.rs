//! Answers under conditions: the conditions, the layout, and agreement with the definitions at values that satisfy them; and
//! values for which no layout is the answer.

use super::named::{at, layout};
use super::plain::Plain;
use affinor::prove::Budget;
use affinor_layout::cute::algebra::{Arrangement, Interleaving, Refusal};
use affinor_layout::cute::named::{Condition, Conditional, NamedTiler, Operation, conditional};

const COMPOSE: Operation = Operation::Compose;
const DIVIDE: Operation = Operation::Divide(Arrangement::Logical);
const PRODUCT: Operation = Operation::Product(Interleaving::Apart(Arrangement::Logical));

fn asked(operation: Operation, first: &str, second: &str) -> Result<Conditional, Refusal> {
    assuming(&[], operation, first, second)
}

fn assuming(
    assumed: &[&str],
    operation: Operation,
    first: &str,
    second: &str,
) -> Result<Conditional, Refusal> {
    let read = |text: &&str| Condition::read(text).unwrap_or_else(|error| panic!("{error}"));
    let assumed: Vec<Condition> = assumed.iter().map(read).collect();
    let second = match operation {
        Operation::Complement => layout(second).into(),
        _ => NamedTiler::read(second).unwrap_or_else(|error| panic!("{second}: {error}")),
    };
    conditional(operation, &layout(first), &second, &assumed, &Budget::default())
}

/// Returns the complement by its definition, without leaves of one element.
fn complement(layout: &Plain, target: i64) -> Plain {
    let mut leaves = layout.leaves.clone();
    leaves.retain(|(size, stride)| *size > 1 && *stride != 0);
    leaves.sort_by_key(|(_, stride)| *stride);
    let (mut gaps, mut covered) = (Vec::new(), 1);
    for (size, stride) in leaves {
        assert_eq!(stride % covered, 0, "{}", layout.text);
        gaps.push((stride / covered, covered));
        covered = size * stride;
    }
    gaps.push(((target + covered - 1) / covered, covered));
    Plain { leaves: gaps, ..layout.clone() }
}

/// Returns the offsets of all elements by the definition of the operation.
fn defined(operation: Operation, first: &Plain, second: &Plain) -> Vec<i64> {
    match operation {
        Operation::Compose => second.values().into_iter().map(|x| first.at(x)).collect(),
        Operation::Divide(_) => {
            let rest = complement(second, first.size()).values();
            let tile = second.values();
            rest.iter().flat_map(|x| tile.iter().map(move |y| first.at(x + y))).collect()
        }
        Operation::Product(_) => {
            let reach: i64 = second.leaves.iter().map(|(size, stride)| (size - 1) * stride).sum();
            let free = complement(first, first.size() * (reach + 1));
            let copies: Vec<i64> = second.values().into_iter().map(|x| free.at(x)).collect();
            let block = first.values();
            copies.iter().flat_map(|x| block.iter().map(move |y| x + y)).collect()
        }
        Operation::Complement => complement(first, second.size()).values(),
        Operation::Recast(_) => unreachable!("it has tests of its own"),
    }
}

/// Values of `m` and `n` that satisfy the conditions.
type Values = [i64; 2];

struct Case {
    operation: Operation,
    operands: [&'static str; 2],
    expected: &'static str,
    conditions: &'static [&'static str],
    values: &'static [Values],
}

fn case(
    operation: Operation,
    operands: [&'static str; 2],
    expected: &'static str,
    conditions: &'static [&'static str],
    values: &'static [Values],
) -> Case {
    Case { operation, operands, expected, conditions, values }
}

fn cases() -> Vec<Case> {
    vec![
        // Within a mode, no divisibility is needed.
        case(COMPOSE, ["(n,m):(m,1)", "8:1"], "8:m", &["n >= 8"], &[[1, 8], [3, 9], [5, 64]]),
        case(COMPOSE, ["(n,8):(8,1)", "(4,8):(8,1)"], "(4,8):(64,8)", &["n >= 32"], &[[1, 33]]),
        case(COMPOSE, ["(m,8):(8,1)", "n:1"], "n:8", &["m >= n"], &[[5, 5], [7, 3]]),
        // Leaves of an index that would carry into each other.
        case(
            COMPOSE,
            ["(4*m,m):(m,1)", "(4,8):(1,m)"],
            "(4,(4,2)):(m,(m*m,1))",
            &["m >= 4"],
            &[[4, 1], [5, 1], [9, 1]],
        ),
        case(
            COMPOSE,
            ["(4*m,32):(32,1)", "(4,n):(m,6)"],
            "(4,n):(32*m,192)",
            &["m >= 6*n"],
            &[[6, 1], [13, 2]],
        ),
        case(
            COMPOSE,
            ["(m,(n,32)):(32,(32*m,1))", "(12,4):(m,1)"],
            "(12,4):(32*m,32)",
            &["n >= 12", "m >= 4"],
            &[[4, 12], [5, 13]],
        ),
        case(
            PRODUCT,
            ["6:n", "(m,m):(8,2)"],
            "(6,(m,m)):(n,(8,2))",
            &["n >= 8*m", "m <= 4"],
            &[[2, 16], [3, 25]],
        ),
        // Across a mode boundary.
        case(
            COMPOSE,
            ["(4,8):(8,1)", "n:1"],
            "(4,ceil_div(n,4)):(8,1)",
            &["4 divides n"],
            &[[1, 4], [1, 12]],
        ),
        case(
            DIVIDE,
            ["(n,m):(m,1)", "4:1"],
            "(4,(ceil_div(n,4),m)):(m,(4*m,1))",
            &["4 divides n"],
            &[[1, 4], [3, 8], [5, 20]],
        ),
        case(
            DIVIDE,
            ["(n,8):(8,1)", "(m,2):(1,m)"],
            "((m,2),(ceil_div(n,2*m),8)):((8,8*m),(16*m,1))",
            &["2*m divides n"],
            &[[1, 2], [3, 12], [2, 20]],
        ),
        case(
            DIVIDE,
            ["(n,m):(m,1)", "(2,4):(1,8)"],
            "((2,4),(4,(ceil_div(n,32),m))):((m,8*m),(2*m,(32*m,1)))",
            &["32 divides n"],
            &[[1, 32], [3, 64], [2, 96]],
        ),
        // A tile of one element would leave its stride free.
        case(
            DIVIDE,
            ["7*n:1", "m:4"],
            "(m,(4,ceil_div(7*n,4*m))):(4,(1,4*m))",
            &["m >= 2"],
            &[[2, 1], [3, 5], [7, 2]],
        ),
        // The condition determines the order of strides.
        case(
            PRODUCT,
            ["(8,32):(n,1)", "3:1"],
            "((8,32),3):((n,1),32)",
            &["32 divides n", "n >= 96"],
            &[[1, 96], [1, 320]],
        ),
        case(
            Operation::Complement,
            ["(4,2):(1,n)", "64"],
            "(ceil_div(n,4),ceil_div(32,n)):(4,2*n)",
            &["4 divides n"],
            &[[1, 4], [1, 16], [1, 20]],
        ),
        // Without conditions.
        case(COMPOSE, ["(n,m):(m,1)", "(2,n):(n,1)"], "(2,n):(1,m)", &[], &[[1, 1], [3, 2]]),
    ]
}

#[test]
fn layouts_where_conditions_hold() {
    for Case { operation, operands: [first, second], expected, conditions, values } in cases() {
        let found = asked(operation, first, second).unwrap_or_else(|error| panic!("{error}"));
        let named = found.layout.to_string();
        let said: Vec<String> = found.conditions.iter().map(ToString::to_string).collect();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        assert_eq!((&*named, &*said), (expected, conditions), "{first} ; {second}");
        for [m, n] in values {
            let values = [("m", *m), ("n", *n)];
            let [first, second, found] = [first, second, &named].map(|text| {
                let text = if text == "64" { "64:1" } else { text };
                at(text, &values)
            });
            assert_eq!(found.values(), defined(operation, &first, &second), "{named} {values:?}");
        }
    }
}

#[test]
fn no_layout_elsewhere() {
    let elsewhere = |first, second| {
        let found = asked(COMPOSE, first, second).unwrap_or_else(|error| panic!("{error}"));
        found.otherwise.unwrap_or_default()
    };
    let place = elsewhere("(n,m):(m,1)", "8:1");
    assert!(place.starts_with("at m = 3, n = 3: not a layout: at element 3"), "{place}");
    assert_eq!(elsewhere("(n,m):(m,1)", "m:n"), "");
    for (first, second, parts) in [
        ("(6,n):(n,1)", "16:1", ["16 and 6 do not divide each other", "at n = 3: not a layout"]),
        ("(4,n):(1,9)", "(2,4):(2,2)", ["wrong at (1, 1, 0, 1)", "at n = 3: not a layout"]),
    ] {
        match asked(COMPOSE, first, second) {
            Err(Refusal::None(why)) => {
                assert!(parts.iter().all(|part| why.contains(part)), "{why}");
            }
            other => panic!("{other:?}"),
        }
    }
    // Layouts exist for single values, but none is known for all.
    let unknown = asked(COMPOSE, "(n+1,2):(2,1)", "n+1:n+2");
    assert!(matches!(unknown, Err(Refusal::Unknown(_))), "{unknown:?}");
}

/// The map of an answer has the conditions in its domain, and each divisor is positive there.
#[test]
fn maps_where_conditions_hold() {
    for (operation, first, second) in [
        (COMPOSE, "(n,m):(m,1)", "8:1"),
        (COMPOSE, "(m,8):(8,1)", "n:1"),
        (DIVIDE, "(n,m):(m,1)", "m:1"),
        (DIVIDE, "(n,m):(m,1)", "(4,m):(m,1)"),
    ] {
        let found = asked(operation, first, second).unwrap_or_else(|error| panic!("{error}"));
        let map = found.layout.map_where(&found.conditions);
        let map = map.unwrap_or_else(|error| panic!("{}: {error}", found.layout));
        assert!(!found.conditions.is_empty() && !map.domain().is_known_empty());
    }
}

/// An assumed condition is not requested again, stays a condition, and restricts the counterexample values.
#[test]
fn conditions_that_are_assumed() {
    for (assumed, operation, first, second, expected, conditions, is_told) in [
        (&["4 divides n"][..], DIVIDE, "(n,m):(m,1)", "4:1", "4 divides n", 1, false),
        (&["8 divides n"], DIVIDE, "(n,m):(m,1)", "4:1", "8 divides n", 1, false),
        // For n = 2 there is also a layout.
        (&["2 divides n"], DIVIDE, "(n,m):(m,1)", "4:1", "4 divides n", 1, false),
        (&["m >= 2"], DIVIDE, "(n,m):(m,1)", "4:1", "4 divides n, m >= 2", 2, true),
        (&["n >= 9"], COMPOSE, "(n,m):(m,1)", "8:1", "n >= 9", 1, false),
        (&["k >= 9"], COMPOSE, "(n,m):(m,1)", "8:1", "k >= 9, n >= 8", 2, true),
        (&["2*n <= 3"], COMPOSE, "(n,m):(m,1)", "1:1", "2*n <= 3", 1, false),
        // No tried values satisfy both; both stay.
        (&["n >= 3", "n <= 5"], COMPOSE, "(n,m):(m,1)", "1:1", "n <= 5, n >= 3", 2, false),
    ] {
        let found = assuming(assumed, operation, first, second);
        let found = found.unwrap_or_else(|error| panic!("{first} ; {second}: {error}"));
        let mut said: Vec<String> = found.conditions.iter().map(ToString::to_string).collect();
        said.sort();
        assert_eq!(
            (said.join(", ").as_str(), said.len()),
            (expected, conditions),
            "{first} ; {second}"
        );
        assert_eq!(found.otherwise.is_some(), is_told, "{:?}", found.otherwise);
    }
    // There is no layout at n = 3; for n of at least 100 this is unknown.
    let none = asked(COMPOSE, "(6,n):(n,1)", "16:1");
    assert!(matches!(none, Err(Refusal::None(_))), "{none:?}");
    let unknown = assuming(&["n >= 100"], COMPOSE, "(6,n):(n,1)", "16:1");
    assert!(matches!(unknown, Err(Refusal::Unknown(_))), "{unknown:?}");
}

#[test]
fn texts_of_conditions() {
    for (text, expected) in [
        ("8 divides n", "8 divides n"),
        (" 2*m  divides n*m ", "2*m divides m*n"),
        ("n >= 2*m", "n >= 2*m"),
        ("2*m <= n", "n >= 2*m"),
        ("2*n <= 3", "2*n <= 3"),
    ] {
        let read = Condition::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read.to_string(), expected);
        assert_eq!(Condition::read(expected), Ok(read));
    }
    for text in ["n", "8 n", "n > 3", "n >= ", "0 divides n", "n >= -1", "n >= 2 3", ">= 2", ""] {
        assert!(Condition::read(text).is_err(), "{text}");
    }
    let condition = Condition::read("4*m divides 8*n").expect("a condition");
    let at = |m, n| condition.with_values(&[("m".to_owned(), m), ("n".to_owned(), n)].into());
    assert!(at(2, 3).is_some_and(|at| at.is_trivial() && at.names().is_empty()));
    assert!(
        at(2, 2).is_some_and(|at| at.is_trivial()) && at(3, 2).is_some_and(|at| !at.is_trivial())
    );
    let with_one = condition.with_values(&[("m".to_owned(), 6)].into());
    assert_eq!(with_one.map(|it| it.to_string()).as_deref(), Some("3 divides n"));
}
