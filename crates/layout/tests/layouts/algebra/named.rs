//! Layouts with named sizes: texts, answers, and agreement with layouts of numbers at values of the names.

use super::plain::Plain;
use affinor::prove::Budget;
use affinor_layout::cute::algebra::{Arrangement, Interleaving, Refusal};
use affinor_layout::cute::named::{
    NamedLayout, Operation, coalesce, flatten, group, left_inverse, max_common, recognise,
    right_inverse, same_elements, unconditional,
};

pub(super) fn layout(text: &str) -> NamedLayout {
    NamedLayout::read(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Substitutes numbers for the names, and evaluates the products.
pub(super) fn at(text: &str, values: &[(&str, i64)]) -> Plain {
    let mut text = text.to_owned();
    for (name, value) in values {
        text = text.replace(name, &value.to_string());
    }
    // The last quotient contains no other one.
    while let Some(start) = text.rfind("ceil_div(") {
        let inside = &text[start + "ceil_div(".len()..];
        let end = inside.find(')').expect("a bracket");
        let product = |text: &str| {
            text.split('*').map(|n| n.parse::<i64>().expect("a number")).product::<i64>()
        };
        let (size, divisor) = inside[..end].split_once(',').expect("a divisor");
        let (size, divisor) = (product(size), product(divisor));
        let quotient = (size + divisor - 1) / divisor;
        text.replace_range(start..start + "ceil_div(".len() + end + 1, &quotient.to_string());
    }
    let mut plain = String::new();
    let mut product: Option<i64> = None;
    let mut digits = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if let Ok(number) = digits.parse::<i64>() {
            product = Some(product.unwrap_or(1) * number);
            digits.clear();
        }
        if c != '*' {
            plain.extend(product.take().map(|product| product.to_string()));
            plain.push(c);
        }
    }
    Plain::of(plain.trim())
}

/// Returns the answer for all values.
fn asked(operation: Operation, first: &str, second: &str) -> Result<NamedLayout, Refusal> {
    unconditional(operation, &layout(first), &layout(second).into(), &Budget::default())
}

#[track_caller]
fn check(found: Result<NamedLayout, Refusal>, expected: &str) -> String {
    match found {
        Ok(found) => {
            assert_eq!(found.to_string(), expected);
            expected.to_owned()
        }
        Err(other) => panic!("{other}, not {expected}"),
    }
}

#[track_caller]
fn unknown(found: Result<NamedLayout, Refusal>, part: &str) {
    match found {
        Err(Refusal::Unknown(why)) => assert!(why.contains(part), "{why}"),
        other => panic!("{other:?}"),
    }
}

const VALUES: [[(&str, i64); 2]; 4] =
    [[("n", 1), ("m", 1)], [("n", 3), ("m", 1)], [("n", 2), ("m", 5)], [("n", 7), ("m", 4)]];

#[test]
fn texts() {
    for (text, expected) in [
        ("(160,n):(1,160)", "(160,n):(1,160)"),
        ("( n * 4 , (m,2) )", "(4*n,(m,2)):(1,(4*n,4*m*n))"),
        ("n:m", "n:m"),
        ("(n,m):(0*n,1)", "(n,m):(0,1)"),
        ("(128,ceil_div(n,128)):(1,128)", "(128,ceil_div(n,128)):(1,128)"),
        ("(ceil_div(6*n*m, 4), ceil_div(8*n,4*n))", "(ceil_div(3*m*n,2),2):(1,ceil_div(3*m*n,2))"),
    ] {
        assert_eq!(layout(text).to_string(), expected);
        assert_eq!(layout(expected).to_string(), expected);
    }
    for text in [
        "(n",
        "(n,m):(1)",
        "n-1:1",
        "n:1 2",
        "n*:1",
        "d0:1",
        "",
        "ceil_div(n:1",
        "ceil_div(n,0):1",
        "ceil_div(n):1",
    ] {
        assert!(NamedLayout::read(text).is_err(), "{text}");
    }
}

#[test]
fn maps_are_layouts() {
    for text in [
        "n:1",
        "(n,8):(8,1)",
        "(4,n,2*m):(2*m*n,1,n)",
        "(n,m):(0,3)",
        "(128,ceil_div(m,128)):(1,128)",
    ] {
        let map = layout(text).map().expect("a map");
        let found = recognise(&map, &Budget::default());
        assert_eq!(found.map(|layout| layout.to_string()), Ok(text.to_owned()));
    }
    let domain = "domain: n in [1, inf], i in [0, n - 1], j in [0, 7]";
    for (map, reason) in [
        (
            format!("<n>(i, j) -> (i * 8 + j + 1), {domain}"),
            "a stride is a product of names, or a sum of such",
        ),
        (
            format!("<n>(i, j) -> (i * (n - 1) + j), {domain}"),
            "a stride is a product of names, or a sum of such",
        ),
        (
            format!("<n>(i, j) -> (i * 8 + j floordiv 2), {domain}"),
            "a stride is a product of names, or a sum of such",
        ),
        (format!("<n>(i, j) -> (i, j), {domain}"), "a layout has one offset"),
        (
            "<n>(i) -> (i), domain: n in [1, inf], i in [0, n - 2]".to_owned(),
            "a mode goes from 0 to a product of names, or a sum of such",
        ),
        (
            "<n>(i) -> (i), domain: n in [2, inf], i in [0, n - 1]".to_owned(),
            "names of sizes are 1 and more",
        ),
        (
            "<n>(i)[s] -> (i), domain: n in [1, inf], i in [0, n - 1], s in [0, 1]".to_owned(),
            "a layout has dimensions only",
        ),
    ] {
        let found = recognise(&map.parse().expect("a map"), &Budget::default());
        assert_eq!(found, Err(Refusal::None(reason.to_owned())), "{map}");
    }
}

#[test]
fn the_same_function_for_all_values() {
    let budget = Budget::default();
    for (text, expected) in [
        ("(160,n):(1,160)", "160*n:1"),
        ("((n,m),4):((1,n),n*m)", "4*m*n:1"),
        ("(n,m):(m,1)", "(n,m):(m,1)"),
        ("(1,n,1):(5,2,7)", "n:2"),
    ] {
        let found = check(coalesce(&layout(text), &budget), expected);
        for values in &VALUES {
            assert_eq!(at(&found, values).values(), at(text, values).values(), "{text}");
        }
    }
    check(flatten(&layout("((n,2),m):((1,n),2*n)"), &budget), "(n,2,m):(1,n,2*n)");
    check(group(&layout("(n,2,m):(1,n,2*n)"), 1, 3, &budget), "(n,(2,m)):(1,(n,2*n))");
    assert_eq!(same_elements(&layout("(4,n):(1,4)"), &layout("4*n:1"), &[], &budget), Ok(()));
    let differ = same_elements(&layout("(4,n):(1,5)"), &layout("4*n:1"), &[], &budget);
    assert!(matches!(differ, Err(Refusal::None(_))), "{differ:?}");
}

#[test]
fn compositions_for_all_values() {
    for (first, second, expected) in [
        ("(4*n,m):(m,1)", "(4,n):(1,4)", "(4,n):(m,4*m)"),
        ("(n,m):(m,1)", "(n,m):(1,n)", "(n,m):(m,1)"),
        ("(n,m):(m,1)", "m:n", "m:1"),
        ("(8,n):(n,1)", "(4,2*n):(2,8)", "(4,2*n):(2*n,1)"),
        ("(6*n,m):(1,100)", "(3,m):(2*n,6*n)", "(3,m):(2*n,100)"),
        // Within the first mode, whose size is not a multiple.
        ("(16*n,m):(m,1)", "(4,3):(1,4)", "(4,3):(m,4*m)"),
        ("(16*n,m):(m,1)", "4:3", "4:3*m"),
        // A mode of one element continues.
        ("1:2", "4*n:1", "4*n:2"),
        ("m:3", "(8,ceil_div(m,8)):(1,8)", "(8,ceil_div(m,8)):(3,24)"),
    ] {
        let found = asked(Operation::Compose, first, second);
        let found = check(found, expected);
        for values in &VALUES {
            let (outer, inner) = (at(first, values), at(second, values));
            let through: Vec<i64> = inner.values().into_iter().map(|x| outer.at(x)).collect();
            assert_eq!(at(&found, values).values(), through, "{first} ; {second}");
        }
    }
    let undivided = asked(Operation::Compose, "(n,m):(m,1)", "8:1");
    unknown(undivided, "8 and n do not divide each other for all values");
    // CuTe's rule yields a layout, but not the composition.
    let carried = asked(Operation::Compose, "(4,n):(1,9)", "(2,4):(2,2)");
    unknown(carried, "wrong at");
}

#[test]
fn the_rest_for_all_values() {
    let budget = Budget::default();
    check(asked(Operation::Complement, "n:1", "n*m:1"), "m:n");
    check(asked(Operation::Complement, "(4,n):(1,8*m)", "64*n*m"), "(2*m,8):(4,8*m*n)");
    check(asked(Operation::Complement, "(4,8):(1,4)", "8*n"), "ceil_div(n,4):32");
    check(asked(Operation::Complement, "n:1", "m:1"), "ceil_div(m,n):n");
    check(asked(Operation::Complement, "(n,8):(1,n)", "4*n"), "1:0");
    for (text, tile, expected) in [
        ("m:1", "128:1", "(128,ceil_div(m,128)):(1,128)"),
        ("(2,2*n):(2*n,1)", "16:1", "((2,8),ceil_div(n,4)):((2*n,1),8)"),
        ("4*n:1", "3*m:1", "(3*m,ceil_div(4*n,3*m)):(1,3*m)"),
        ("3*m:n", "(8,4):(1,8)", "((8,4),ceil_div(3*m,32)):((n,8*n),32*n)"),
    ] {
        let found = asked(Operation::Divide(Arrangement::Logical), text, tile);
        let found = check(found, expected);
        for values in &VALUES {
            let (whole, tile, found) = (at(text, values), at(tile, values), at(&found, values));
            // The tile, repeated until all elements are covered.
            let size = whole.values().len() as i64;
            let tiles = (size + tile.values().len() as i64 - 1) / tile.values().len() as i64;
            let numbers = (0..tiles).flat_map(|next| {
                let step = tile.values().len() as i64;
                tile.values().into_iter().map(move |x| x + next * step).collect::<Vec<i64>>()
            });
            let expected: Vec<i64> = numbers.map(|number| whole.at(number)).collect();
            assert_eq!(found.values(), expected, "{text} {values:?}");
        }
    }
    unknown(asked(Operation::Complement, "(n,m):(1,4)", "n*m"), "for all values");
    let divided = |arrangement| asked(Operation::Divide(arrangement), "(8*n,m):(m,1)", "4:1");
    check(divided(Arrangement::Logical), "(4,(2*n,m)):(m,(4*m,1))");
    check(divided(Arrangement::Flat), "(4,2*n,m):(m,4*m,1)");
    check(
        asked(
            Operation::Product(Interleaving::Apart(Arrangement::Logical)),
            "(n,2):(2,1)",
            "(m,3):(3,1)",
        ),
        "((n,2),(m,3)):((2,1),(6*n,2*n))",
    );
    check(right_inverse(&layout("(n,m):(m,1)"), &budget), "(m,n):(n,1)");
    let (left, is_inverse) = left_inverse(&layout("(n,m):(m,1)"), &budget).expect("an inverse");
    assert_eq!((left.to_string().as_str(), is_inverse), ("(m,n):(n,1)", true));
    let (left, is_inverse) = left_inverse(&layout("n:2"), &budget).expect("an inverse");
    assert_eq!((left.to_string().as_str(), is_inverse), ("(2,n):(n,1)", false));
    assert!(left_inverse(&layout("(n,m):(0,1)"), &budget).is_err());
    for (one, other, common) in [
        ("(n,m):(1,n)", "(n,m):(1,n)", "m*n:1"),
        ("(n,m):(m,1)", "(n,m):(m,1)", "(m,n):(n,1)"),
        ("(4,n):(1,8)", "4*n:1", "4:1"),
        ("(8,n):(1,8)", "(8,m):(1,8*m)", "8:1"),
        // Only elements of both, although either layout continues beyond its last one.
        ("4:1", "4*n:1", "4:1"),
        ("n:1", "m:1", "1:0"),
        ("(n,4):(4,1)", "(4,n):(1,4)", "1:0"),
    ] {
        check(max_common(&layout(one), &layout(other), &budget), common);
    }
}
