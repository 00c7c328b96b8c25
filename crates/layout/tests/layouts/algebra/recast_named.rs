//! Recasts of layouts with named sizes: the layout, its conditions, and, at values that satisfy them, the bytes of each element
//! by enumeration.

use super::named::{at, layout};
use affinor::prove::Budget;
use affinor_layout::cute::algebra::Refusal;
use affinor_layout::cute::named::{Conditional, NamedTiler, Operation, conditional};

fn recast(text: &str, from: i64, to: i64) -> Result<Conditional, Refusal> {
    let none = NamedTiler::Modes(Vec::new());
    conditional(Operation::Recast([from, to]), &layout(text), &none, &[], &Budget::default())
}

/// Returns the indices of the bytes of all elements, sorted and without repetition.
fn bytes(values: &[i64], bits: i64) -> Vec<i64> {
    let mut all: Vec<i64> =
        values.iter().flat_map(|x| (0..bits / 8).map(move |byte| x * bits / 8 + byte)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn the_same_bytes() {
    for (text, from, to, expected, conditions) in [
        ("(n,m):(m,1)", 32, 8, "(n,4*m):(4*m,1)", &[][..]),
        ("(8,n):(1,8)", 16, 32, "(4,n):(1,4)", &[]),
        ("(8,n):(1,8)", 8, 128, "(1,ceil_div(n,2)):(1,1)", &["2 divides n"]),
        ("(n,m):(1,n)", 8, 16, "(ceil_div(n,2),m):(1,ceil_div(n,2))", &["2 divides n"]),
        ("((4,n),m):((1,4),4*n)", 8, 32, "((1,n),m):((1,1),n)", &[]),
        ("(n,m):(1,n)", 16, 16, "(n,m):(1,n)", &[]),
        ("(4,n):(1,m)", 8, 32, "(1,n):(1,ceil_div(m,4))", &["4 divides m"]),
    ] {
        let found = recast(text, from, to).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(found.layout.to_string(), expected, "{text} {from} {to}");
        let said: Vec<String> = found.conditions.iter().map(ToString::to_string).collect();
        assert_eq!(said, conditions, "{text} {from} {to}");
        for values in [[("n", 2), ("m", 8)], [("n", 4), ("m", 12)], [("n", 6), ("m", 4)]] {
            let (old, new) = (at(text, &values).values(), at(expected, &values).values());
            assert_eq!(bytes(&old, from), bytes(&new, to), "{text} {from} {to} {values:?}");
        }
    }
}

#[test]
fn what_has_no_such_layout() {
    for (text, from, to, part) in [
        ("(3,n):(1,3)", 8, 16, "3 elements at stride 1 are not a multiple of 2"),
        ("(n,2):(3,1)", 8, 16, "stride 3 and 2 elements do not divide each other"),
        ("(n,m):(m,1)", 32, 24, "one must be a multiple of the other"),
        ("(n,m):(1,1)", 32, 8, "several modes have stride 1"),
        ("Swizzle<1,0,3> o (8,n):(1,8)", 8, 16, "without a swizzle"),
    ] {
        let why = recast(text, from, to).expect_err(text).to_string();
        assert!(why.contains(part), "{text} {from} {to}: {why}");
    }
}
