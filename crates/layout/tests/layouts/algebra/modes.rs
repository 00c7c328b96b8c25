//! Tilers by modes, interleaved products and swizzles with named sizes: at values of the names they agree with layouts of
//! numbers.

use affinor::prove::Budget;
use affinor_layout::cute::algebra::{
    Arrangement, Interleaving, Refusal, compose_by, divide, product,
};
use affinor_layout::cute::named::{NamedLayout, NamedTiler, Operation, conditional};
use affinor_layout::cute::{Layout, Tiler};
use std::collections::BTreeMap;

const BLOCKED: Operation = Operation::Product(Interleaving::Blocked);
const RAKED: Operation = Operation::Product(Interleaving::Raked);

fn apart(arrangement: Arrangement) -> Operation {
    Operation::Product(Interleaving::Apart(arrangement))
}

/// Substitutes numbers for `m` and `n`, which are factors of sizes.
fn with_values(text: &str, [m, n]: [i64; 2]) -> String {
    let part = |part: &str| -> String {
        let values = part.split('*').map(|factor| match factor {
            "m" => m,
            "n" => n,
            number => number.parse().expect("a number"),
        });
        values.product::<i64>().to_string()
    };
    let mut found = String::new();
    let mut word = String::new();
    for next in text.chars().chain([' ']) {
        if next.is_ascii_digit() || matches!(next, 'm' | 'n' | '*') {
            word.push(next);
            continue;
        }
        if !word.is_empty() {
            found.push_str(&part(&std::mem::take(&mut word)));
        }
        found.push(next);
    }
    found.trim().to_owned()
}

fn with_numbers(operation: Operation, first: &str, second: &str) -> Result<Layout, Refusal> {
    let first = Layout::read(first).expect("a layout");
    let budget = Budget::default();
    let tiler = match operation {
        BLOCKED | RAKED => Tiler::Whole(Layout::read(second).expect("a layout")),
        _ => Tiler::read(second).expect("a tiler"),
    };
    let made = match operation {
        Operation::Compose => compose_by(&first, &tiler, &budget),
        Operation::Divide(how) => divide(&first, &tiler, how, &budget),
        Operation::Product(how) => product(&first, &tiler, how, &budget),
        Operation::Complement | Operation::Recast(_) => panic!("{operation:?} has no tiler"),
    };
    made.map(|made| made.layout)
}

fn asked(
    operation: Operation,
    first: &str,
    second: &str,
) -> Result<affinor_layout::cute::named::Conditional, Refusal> {
    let first = NamedLayout::read(first).unwrap_or_else(|error| panic!("{first}: {error}"));
    let second = NamedTiler::read(second).unwrap_or_else(|error| panic!("{second}: {error}"));
    conditional(operation, &first, &second, &[], &Budget::default())
}

/// Returns the sizes of the modes, and the offsets of all elements in order.
fn values(layout: &Layout) -> (Vec<i64>, Vec<i64>) {
    let line = layout.line().expect("it fits");
    let count: i64 = layout.sizes().iter().product();
    let offsets = (0..count).map(|number| line.eval(&[number]).expect("in the domain")[0]);
    (layout.sizes(), offsets.collect())
}

#[test]
fn at_values_what_numbers_give() {
    for (operation, first, second, expected) in [
        (Operation::Compose, "(8*n,m):(m,1)", "<4:1,_>", "(4,m):(m,1)"),
        (Operation::Compose, "(8*n,4*m):(4*m,1)", "<4:n,2:1>", "(4,2):(4*m*n,1)"),
        (Operation::Compose, "((4,n),m):((1,4*m),4)", "<(2,n):(2,4)>", "((2,n),m):((2,4*m),4)"),
        (
            Operation::Divide(Arrangement::Logical),
            "(4*n,8*m):(8*m,1)",
            "(4,8)",
            "((4,n),(8,m)):((8*m,32*m),(1,8))",
        ),
        (
            Operation::Divide(Arrangement::Zipped),
            "(4*n,8*m):(8*m,1)",
            "<4:1,m:1>",
            "((4,m),(n,8)):((8*m,1),(32*m,m))",
        ),
        (
            Operation::Divide(Arrangement::Tiled),
            "(4*n,8*m,2):(8*m,1,3)",
            "<_,m:8>",
            "((1,m),4*n,8,2):((0,8),8*m,1,3)",
        ),
        (
            Operation::Divide(Arrangement::Flat),
            "(4*n,8*m):(8*m,1)",
            "<n:4>",
            "(n,4,8*m):(32*m,8*m,1)",
        ),
        (apart(Arrangement::Logical), "(n,8):(8,1)", "<3:1,m:1>", "((n,3),(8,m)):((8,1),(1,8))"),
        (BLOCKED, "(4,8):(8,1)", "(n,m):(m,1)", "((4,n),(8,m)):((8,32*m),(1,32))"),
        (RAKED, "(n,8):(8,1)", "(3,4):(1,3)", "((3,n),(4,8)):((8*n,8),(24*n,1))"),
        (BLOCKED, "n:1", "(2,m):(1,2)", "((n,2),(1,m)):((1,n),(0,2*n))"),
        (
            Operation::Divide(Arrangement::Zipped),
            "Swizzle<2,0,3> o (8*n,8):(8,1)",
            "(8,8)",
            "Swizzle<2,0,3> o ((8,8),(n,1)):((8,1),(64,0))",
        ),
        (
            Operation::Compose,
            "Sw<2,0,3> o 0 o (8*n,8):(8,1)",
            "(4*n,2):(2,8*n)",
            "Swizzle<2,0,3> o (4*n,2):(16,1)",
        ),
        (
            apart(Arrangement::Logical),
            "Swizzle<1,0,2> o (4,n):(n,1)",
            "m:1",
            "Swizzle<1,0,2> o ((4,n),m):((n,1),4*n)",
        ),
    ] {
        let found = asked(operation, first, second)
            .unwrap_or_else(|error| panic!("{first} ; {second}: {error}"));
        assert_eq!((found.layout.to_string().as_str(), &*found.conditions), (expected, &[][..]));
        for at in [[1, 1], [2, 3], [3, 2], [5, 4]] {
            let values_of = BTreeMap::from([("m".to_owned(), at[0]), ("n".to_owned(), at[1])]);
            let here = found.layout.with_values(&values_of).expect("small").to_string();
            let here = Layout::read(&here).unwrap_or_else(|error| panic!("{here}: {error}"));
            let [first, second] = [first, second].map(|text| with_values(text, at));
            let there = with_numbers(operation, &first, &second);
            let there = there.unwrap_or_else(|error| panic!("{first} ; {second}: {error}"));
            assert_eq!(values(&here), values(&there), "{first} ; {second}");
            // Its map, with numbers for the parameters.
            let map = found.layout.map().expect("it fits");
            for (number, expected) in values(&there).1.into_iter().enumerate() {
                let mut rest = number as i64;
                let mut point: Vec<i64> = Vec::new();
                for size in here.sizes() {
                    point.push(rest % size);
                    rest /= size;
                }
                point.extend(found.layout.names().iter().map(|name| values_of[name]));
                assert_eq!(map.eval(&point), Ok(vec![expected]), "{map}");
            }
        }
    }
}

#[test]
fn what_is_refused() {
    for (operation, first, second, part) in [
        (Operation::Compose, "(n,m):(m,1)", "<4:1,2:1,3:1>", "the tiler has 3 modes"),
        (BLOCKED, "(n,m):(m,1)", "<4:1,2:1>", "with one layout"),
        (Operation::Compose, "(4,n):(n,1)", "Swizzle<1,0,1> o 4:1", "has a swizzle"),
        (Operation::Complement, "(4,n):(n,1)", "<4:1,2:1>", "a complement is within"),
        (Operation::Complement, "Swizzle<1,0,1> o (4,n):(1,4)", "8*n:1", "has no complement"),
    ] {
        match asked(operation, first, second) {
            Err(Refusal::None(why) | Refusal::Unknown(why)) => assert!(why.contains(part), "{why}"),
            other => panic!("{first} ; {second}: {other:?}"),
        }
    }
}

#[test]
fn texts() {
    for (text, expected) in [
        ("<4:1,_,n:2>", [Some("4:1"), None, Some("n:2")]),
        ("(4, 2*n, m)", [Some("4:1"), Some("2*n:1"), Some("m:1")]),
        ("<(2,n):(1,4) , _ , _4:_1>", [Some("(2,n):(1,4)"), None, Some("4:1")]),
    ] {
        let read = NamedTiler::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let NamedTiler::Modes(modes) = read else { panic!("{text}") };
        let modes: Vec<Option<String>> =
            modes.iter().map(|it| it.as_ref().map(ToString::to_string)).collect();
        let modes: Vec<Option<&str>> = modes.iter().map(Option::as_deref).collect();
        assert_eq!(modes, expected, "{text}");
    }
    assert!(matches!(NamedTiler::read("(4,n):(1,4)"), Ok(NamedTiler::Whole(_))));
    assert!(matches!(NamedTiler::read("n"), Ok(NamedTiler::Whole(_))));
    for (text, expected) in [
        ("Swizzle<3,4,3> o (n,64):(64,1)", "Swizzle<3,4,3> o (n,64):(64,1)"),
        ("Sw<3,4,-3> o 0 o (_8,n)", "Swizzle<3,4,-3> o (8,n):(1,8)"),
        ("(S,o):(o,1)", "(S,o):(o,1)"),
    ] {
        let read = NamedLayout::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read.to_string(), expected);
    }
    for text in [
        "<4:1",
        "<4:1 n:1>",
        "<>",
        "(4,(n,2))",
        "<4:1> x",
        "Swizzle<3,4> o n:1",
        "Swizzle<3,4,3> n:1",
        "Swizzle<3,4,3> o 8 o n:1",
        "_x:1 o",
    ] {
        assert!(NamedTiler::read(text).is_err(), "{text}");
    }
}
