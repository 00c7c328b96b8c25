//! Answers from CuTe's documentation and from reports, and operations without an answer.

use super::plain::Plain;
use affinor::prove::Budget;
use affinor::text::parse_map;
use affinor_layout::cute::algebra::{
    Arrangement, Interleaving, Made, Refusal, coalesce, complement, compose, compose_by, divide,
    flatten, group, left_inverse, left_inverse_map, max_common, product, recast, recognise,
    right_inverse, same_elements,
};
use affinor_layout::cute::{Layout, Tiler};

fn layout(text: &str) -> Layout {
    Layout::read(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn tiler(text: &str) -> Tiler {
    Tiler::read(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn budget() -> Budget {
    Budget::default()
}

/// Checks an answer, or the beginning of the reason for its absence.
#[track_caller]
fn check(found: Result<Made, Refusal>, expected: &str) {
    match found {
        Ok(made) => assert_eq!(made.layout.to_string(), expected),
        Err(Refusal::None(why)) => assert_eq!(format!("none: {why}"), expected),
        Err(Refusal::Unknown(why)) => assert_eq!(format!("unknown: {why}"), expected),
        Err(other) => assert_eq!(other.to_string(), expected),
    }
}

#[test]
fn texts_of_other_programs() {
    for (text, expected) in [
        ("(_4,_8):(_8,_1)", "(4,8):(8,1)"),
        ("(_2,3):(_-1,_0)", "(2,3):(-1,0)"),
        ("Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", "Swizzle<3,4,3> o (8,64):(64,1)"),
        ("S<3,4,3> o 5 o 8:1", "Swizzle<3,4,3> o 5 o 8:1"),
        ("7 o (4):(2)", "7 o (4):(2)"),
        ("Layout((4, (2, 3)), (1, (8, 16)))", "(4,(2,3)):(1,(8,16))"),
        ("Layout(4,1)", "4:1"),
        ("(4, (2, 3)) : (1, (8, 16))", "(4,(2,3)):(1,(8,16))"),
        ("(Swizzle(3, 0, 3)) o ((8, 8) : (8, 1))", "Swizzle<3,0,3> o (8,8):(8,1)"),
        (
            "ComposedLayout(Swizzle(3, 0, -3), Layout((8, 8), (8, 1)), offset=4)",
            "Swizzle<3,0,-3> o 4 o (8,8):(8,1)",
        ),
        ("(4,)", "(4):(1)"),
        ("(4,(2,3),5)", "(4,(2,3),5):(1,(4,8),24)"),
        ("8", "8:1"),
    ] {
        assert_eq!(layout(text).to_string(), expected, "{text}");
        assert_eq!(layout(expected).to_string(), expected);
    }
    for text in ["Layout(4:1)", "ComposedLayout(4:1)", "5 o", "o 4:1", "((4:1)", "Sw 4:1", "_"] {
        assert!(Layout::read(text).is_err(), "{text}");
    }
    for text in ["<4:1", "<4:1,>", "(4,(2,2))", "<>"] {
        assert!(Tiler::read(text).is_err(), "{text}");
    }
}

#[test]
fn structures() {
    let budget = budget();
    check(coalesce(&layout("(2,(1,6)):(1,(6,2))"), &budget), "12:1");
    check(coalesce(&layout("(1,1):(3,4)"), &budget), "1:0");
    check(coalesce(&layout("((2,2),(3,4)):((0,0),(1,3))"), &budget), "(4,12):(0,1)");
    check(
        coalesce(&layout("Swizzle<1,0,1> o 3 o (2,4):(1,2)"), &budget),
        "Swizzle<1,0,1> o 3 o 8:1",
    );
    check(
        flatten(&layout("((2,2),(3,(4,1))):((1,2),(4,(12,0)))"), &budget),
        "(2,2,3,4,1):(1,2,4,12,0)",
    );
    check(flatten(&layout("8:3"), &budget), "8:3");
    check(group(&layout("(2,3,5):(1,2,6)"), 0, 2, &budget), "((2,3),5):((1,2),6)");
    check(group(&layout("(2,3,5):(1,2,6)"), 1, 3, &budget), "(2,(3,5)):(1,(2,6))");
    check(group(&layout("(2,3):(1,2)"), 1, 3, &budget), "none: no modes 1..3: the layout has 2");
    check(group(&layout("(2,3):(1,2)"), 1, 1, &budget), "none: no modes 1..1: the layout has 2");
}

#[test]
fn compositions() {
    let budget = budget();
    let check = |first, second, expected| {
        check(compose(&layout(first), &layout(second), &budget), expected);
    };
    check("20:2", "(5,4):(4,1)", "(5,4):(8,2)");
    check("(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))");
    check("(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)");
    // Beyond the last element, the last mode continues.
    check("(4,2):(1,8)", "4:4", "4:8");
    // The composition exists, but CuTe's test refuses it.
    check("(4,8):(1,8)", "(2,2):(6,16)", "(2,2):(10,32)");
    let made = compose(&layout("(4,8):(1,8)"), &layout("(2,2):(6,16)"), &budget).expect("a layout");
    let note = "CuTe's own test refuses it: stride 6 and size 4 do not divide each other";
    assert_eq!(made.notes, [note]);
    check("Swizzle<2,0,3> o (8,8):(8,1)", "(8,8):(8,1)", "Swizzle<2,0,3> o (8,8):(1,8)");
    check("(8,8):(1,8)", "Swizzle<2,0,3> o (8,8):(8,1)", "Swizzle<2,0,3> o (8,8):(8,1)");
    check("100:1", "7 o (4):(2)", "7 o (4):(2)");
    // cutlass 3177: the C++ code returns a wrong layout.
    let refused = compose(&layout("(4,6,8):(2,3,5)"), &layout("6:3"), &budget);
    let Err(Refusal::None(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains("stride 3 and size 4 do not divide each other"), "{why}");
    check("8:1", "(2,2):(-1,4)", "none: the second layout reaches -1, and elements count from 0");
    let by_mode = |first: &str, second: &str| compose_by(&layout(first), &tiler(second), &budget);
    assert_eq!(
        by_mode("(12,(4,8)):(59,(13,1))", "(3,8)").expect("a layout").layout.to_string(),
        "(3,(4,2)):(59,(13,1))"
    );
    assert_eq!(
        by_mode("(12,(4,8)):(59,(13,1))", "<_,2:2>").expect("a layout").layout.to_string(),
        "(12,2):(59,26)"
    );
    assert!(matches!(by_mode("8:1", "<2:1,2:1>"), Err(Refusal::None(_))));
}

#[test]
fn complements() {
    let check = |text, target, expected| check(complement(&layout(text), target), expected);
    check("4:1", 24, "6:4");
    check("6:4", 24, "4:1");
    check("(4,6):(1,4)", 24, "1:0");
    check("4:2", 24, "(2,3):(1,8)");
    check("(2,4):(1,6)", 24, "3:2");
    check("(2,2):(1,6)", 24, "(3,2):(2,12)");
    check("(3,2):(0,2)", 7, "(2,2):(1,4)");
    check(
        "(2,2):(2,5)",
        24,
        "none: stride 5 is not a multiple of 4, which the smaller strides cover",
    );
    check(
        "(4,4):(1,2)",
        24,
        "none: stride 2 is not a multiple of 4, which the smaller strides cover",
    );
    // Strides not below the target need not nest, if no number is reached twice.
    check("(2,4):(4,9)", 8, "4:1");
    check("(2,4,2,4,4):(3,288,1154,18,72)", 140, "(3,3):(1,6)");
    check("(3,2):(20,27)", 6, "6:1");
    check(
        "(2,4):(4,7)",
        8,
        "none: stride 7 is not a multiple of 8, which the smaller strides cover",
    );
    check(
        "(12,4):(24,13)",
        12,
        "none: stride 24 is not a multiple of 52, which the smaller strides cover",
    );
    check("4:-1", 24, "none: stride -1 is negative");
    check("4:1", 0, "none: a complement is within at least 1 element");
    check("1 o 4:1", 8, "none: a layout with a swizzle or an offset has no complement");
}

#[test]
fn divisions_and_products() {
    let budget = budget();
    let divided = |first: &str, second: &str, arrangement, expected: &str| {
        check(divide(&layout(first), &tiler(second), arrangement, &budget), expected);
    };
    divided("(4,2,3):(2,1,8)", "4:2", Arrangement::Logical, "((2,2),(2,3)):((4,1),(2,8))");
    let (first, second) = ("(9,(4,8)):(59,(13,1))", "<3:3,(2,4):(1,8)>");
    let nested = "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))";
    divided(first, second, Arrangement::Logical, nested);
    let zipped = "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))";
    divided(first, second, Arrangement::Zipped, zipped);
    let tiled = "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))";
    divided(first, second, Arrangement::Tiled, tiled);
    let flat = "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))";
    divided(first, second, Arrangement::Flat, flat);
    divided("(8,6):(6,1)", "<4:1>", Arrangement::Zipped, "((4),(2,6)):((6),(24,1))");
    divided("(8,6):(6,1)", "<_,3:1>", Arrangement::Zipped, "((1,3),(8,2)):((0,1),(6,3))");
    divided(
        "Swizzle<2,0,3> o (8,8):(8,1)",
        "<4:1,4:1>",
        Arrangement::Zipped,
        "Swizzle<2,0,3> o ((4,4),(2,2)):((8,1),(32,4))",
    );
    divided(
        "8:1",
        "(2,2):(2,5)",
        Arrangement::Logical,
        "none: stride 5 is not a multiple of 4, which the smaller strides cover",
    );
    let multiplied = |first: &str, second: &str, how, expected: &str| {
        check(product(&layout(first), &tiler(second), how, &budget), expected);
    };
    let logical = Interleaving::Apart(Arrangement::Logical);
    multiplied("(2,2):(4,1)", "6:1", logical, "((2,2),(2,3)):((4,1),(2,8))");
    multiplied("(2,2):(4,1)", "(4,2):(2,1)", logical, "((2,2),(4,2)):((4,1),(8,2))");
    let (block, rows) = ("(2,5):(5,1)", "(3,4):(1,3)");
    multiplied(block, rows, Interleaving::Blocked, "((2,3),(5,4)):((5,10),(1,30))");
    multiplied(block, rows, Interleaving::Raked, "((3,2),(4,5)):((10,5),(30,1))");
    multiplied("4:1", "(3,2):(2,1)", Interleaving::Blocked, "((4,3),(1,2)):((1,8),(0,4))");
}

#[test]
fn inverses_and_what_is_common() {
    let budget = budget();
    let left = |text: &str, expected: &str| check(left_inverse(&layout(text), &budget), expected);
    left("(4,8):(8,1)", "(8,4):(4,1)");
    left("4:2", "(2,4):(4,1)");
    left("(2,4):(0,1)", "none: elements 0 and 1 both lie at 0");
    left("(2,3):(2,2)", "none: elements 1 and 2 both lie at 2");
    left(
        "(2,8):(3,16)",
        "unknown: strides do not divide each other: stride 16 is not a multiple of 6, which the smaller strides cover",
    );
    // Without a complement: offsets between the elements map to an arbitrary number.
    left("(2,4):(17,1)", "(17,2):(2,1)");
    left("3 o 4:1", "none: behind the offset 3 no inverse is a layout");
    for (text, expected) in [
        ("(2,8):(3,16)", "(d0) -> (d0 floordiv 16 * 2 + d0 mod 16 floordiv 3)"),
        (
            "(4,4):(16,28)",
            "(d0) -> ((d0 - d0 floordiv 4 * 2 mod 7 * 16) floordiv 28 * 4 + d0 floordiv 4 * 2 mod 7)",
        ),
        ("(2,8):(-3,16)", "(d0) -> ((d0 + 3) floordiv 16 * 2 - (d0 + 3) mod 16 floordiv 3 + 1)"),
        (
            // The digit of the first leaf, `26*d`, is read modulo 5, then its quotient.
            "(12,4,5):(26,25,10)",
            "(d0) -> (",
        ),
        (
            "(6,3,2):(19,16,1)",
            "(d0) -> ((-((d0 + 6) mod 19 floordiv 3) + 2) * 6 + (d0 - (-((d0 + 6) mod 19 floordiv 3) + 2) * 16 \
             - (d0 + 6) mod 19 mod 3) floordiv 19 + (d0 + 6) mod 19 mod 3 * 18)",
        ),
        ("(2,3):(2,2)", "unknown: of the strides 2, 2 none has a digit"),
        ("4:0", "unknown: of the strides 0 none has a digit"),
    ] {
        let found = match left_inverse_map(&layout(text), &budget) {
            Ok((map, ..)) => map.to_string(),
            Err(refusal) => format!("unknown: {refusal}"),
        };
        assert!(found.starts_with(expected), "{text}: {found}");
    }
    let right = |text: &str, expected: &str| check(right_inverse(&layout(text), &budget), expected);
    right("(4,8):(8,1)", "(8,4):(4,1)");
    right("(4,8):(1,5)", "4:1");
    right("4:2", "1:0");
    right("(3,4):(0,1)", "4:3");
    for text in ["Swizzle<3,0,3> o (8,8):(8,1)", "Swizzle<2,1,3> o (8,8):(1,8)"] {
        for inverse in [left_inverse, right_inverse] {
            let found = inverse(&layout(text), &budget).expect("an inverse").layout;
            let (there, back) = (Plain::of(text), Plain::of(&found.to_string()));
            assert!((0..64).all(|x| back.at(there.at(x)) == x && there.at(back.at(x)) == x));
        }
    }
    let common = |one: &str, other: &str, expected: &str| {
        check(max_common(&layout(one), &layout(other), &budget), expected);
    };
    common("(4,8):(1,4)", "(8,4):(1,8)", "32:1");
    common("(4,8):(8,1)", "(4,8):(8,1)", "(8,4):(4,1)");
    common("(4,8):(1,4)", "(4,8):(1,5)", "4:1");
    common("(4,8):(2,8)", "(4,8):(1,5)", "1:0");
    common("4:1", "18:1", "4:1");
    // Both are constant along one of their modes.
    common("(4,4):(1,0)", "(4,4):(0,1)", "4:5");
    common("(9,(4,6)):(0,(6,1))", "(6,9,4):(1,0,6)", "2:37");
    common("(2,3,6):(1,12,0)", "(6,3,2):(0,12,1)", "2:19");
    common("(4,5):(1,100)", "18:1", "4:1");
    // A shorter mode leaves room for more elements.
    common("(16,4):(1,15)", "(16,4):(1,15)", "(15,4):(1,16)");
    common("(9,2,2):(1,2,6)", "(9,2,2):(1,2,6)", "(8,2):(1,27)");
}

#[test]
fn other_widths() {
    let budget = budget();
    let check =
        |text, from, to, expected| check(recast(&layout(text), from, to, &budget), expected);
    check("(4,8):(8,1)", 16, 32, "(4,4):(4,1)");
    check("(4,8):(8,1)", 32, 16, "(4,16):(16,1)");
    check("(4,(8,2)):(16,(1,8))", 8, 32, "(4,(2,2)):(4,(1,2))");
    check("(4,8):(0,1)", 16, 64, "(4,2):(0,1)");
    check("(4,8):(8,2)", 32, 16, "(4,8):(16,4)");
    // A mode of one element at stride 1 is split only if no longer one has stride 1.
    check("(5,6,1):(4,16,1)", 32, 8, "(5,6,4):(16,64,1)");
    check("(1,4,1):(1,1,1)", 32, 8, "(1,16,1):(4,1,4)");
    check("(1,1):(1,1)", 32, 8, "(4,1):(1,4)");
    check("(2,4):(1,1)", 32, 8, "none: several modes have stride 1, so that elements meet");
    check("(4,3):(4,1)", 16, 32, "none: 3 elements at stride 1 are not a multiple of 2");
    // A mode within one wide element, and modes that wide elements span.
    check("(2,4):(1,2)", 8, 32, "(1,2):(1,1)");
    check("((2,4),(2,8)):((1,16),(64,2))", 4, 16, "((1,4),(2,4)):((1,4),(16,1))");
    check("(5,12):(1,5)", 16, 32, "30:1");
    // Modes that are contiguous in another order.
    check("(4,3):(3,1)", 16, 32, "6:1");
    check("(9,4,5):(22,5,1)", 16, 32, "(10,9):(1,11)");
    check("(8,(3,12)):(3,(1,0))", 4, 16, "(6,12):(1,0)");
    check("(4,3):(5,1)", 16, 32, "none: stride 5 and 2 elements do not divide each other");
    check("(7,6):(1,1)", 8, 16, "none: 7 elements at stride 1 are not a multiple of 2");
    check("(3,3):(3,1)", 8, 16, "none: stride 3 and 2 elements do not divide each other");
    check("(5,12):(1,6)", 16, 32, "none: 5 elements at stride 1 are not a multiple of 2");
    check("4:1", 16, 24, "none: 16 and 24 bits: one must be a multiple of the other");
}

#[test]
fn maps_that_are_layouts() {
    let found = |text: &str, expected: &str| {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        match recognise(&map, &budget()) {
            Ok(made) => {
                assert_eq!(made.layout.to_string(), expected, "{text}");
            }
            Err(Refusal::None(_)) => assert_eq!("none", expected, "{text}"),
            Err(other) => panic!("{text}: {other}"),
        }
    };
    found("(i, j) -> (i * 8 + j), domain: i in [0, 3], j in [0, 7]", "(4,8):(8,1)");
    found("(i) -> (i mod 4 * 8 + i floordiv 4), domain: i in [0, 31]", "(4,8):(8,1)");
    found("(i) -> (5 + i floordiv 2), domain: i in [0, 7]", "5 o (2,4):(0,1)");
    found("(i, j) -> (-i + j * 3), domain: i in [0, 4], j in [0, 1]", "(5,2):(-1,3)");
    found("() -> (7)", "7 o ():()");
    found("(i) -> (i * 3 mod 4), domain: i in [0, 4]", "none");
    found("(i) -> (i floordiv 3), domain: i in [0, 7]", "none");
    found("(i, j) -> (i, j), domain: i in [0, 3], j in [0, 7]", "none");
    found("(i) -> (i), domain: i in [1, 4]", "none");
    // Checked by enumeration, and then by a proof.
    found(
        "(i, j) -> (i * 1000003 + j mod 4096 + j floordiv 4096 * 8192), domain: i in [0, 999], j in [0, 1048575]",
        "(1000,(4096,256)):(1000003,(1,8192))",
    );
}

#[test]
fn equal_by_number() {
    let same = |one: &str, other: &str| same_elements(&layout(one), &layout(other), &budget());
    assert_eq!(same("8:1", "(2,4):(1,2)"), Ok(()));
    assert!(matches!(same("8:1", "(2,4):(1,3)"), Err(Refusal::None(_))));
    assert!(matches!(same("8:1", "9:1"), Err(Refusal::None(_))));
    assert_eq!(same("(1048576,1048576):(1,1048576)", "1099511627776:1"), Ok(()));
}
