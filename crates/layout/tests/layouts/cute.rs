//! CuTe layouts: the text, offsets compared with a plain loop, and tiled arrays as CuTe layouts.

use super::buffer::{array, points};
use super::random::shapes;
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor::text::ErrorKind;
use affinor_layout::cute::{Layout, of_placement};
use affinor_layout::memory::Placement;
use proptest::prelude::*;

/// Checks the canonical text and all offsets, the first dimension varying fastest, as in CuTe.
#[track_caller]
fn check(text: &str, canonical: &str, offsets: &[i64]) {
    let layout = Layout::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(layout.to_string(), canonical);
    assert_eq!(Layout::read(canonical), Ok(layout.clone()));
    let reversed: Vec<i64> = layout.sizes().into_iter().rev().collect();
    let found: Vec<i64> = points(&reversed)
        .into_iter()
        .map(|index| {
            let index: Vec<i64> = index.into_iter().rev().collect();
            layout.map().eval(&index).expect("has a value")[0]
        })
        .collect();
    assert_eq!(found, offsets, "{text}");
}

#[test]
fn offsets_are_those_of_the_documentation() {
    check("8:1", "8:1", &[0, 1, 2, 3, 4, 5, 6, 7]);
    check("(4):(2)", "(4):(2)", &[0, 2, 4, 6]);
    check("(2,3):(3,1)", "(2,3):(3,1)", &[0, 3, 1, 4, 2, 5]);
    check("( 2 , 4 ) : ( 1 , 2 )", "(2,4):(1,2)", &[0, 1, 2, 3, 4, 5, 6, 7]);
    // A mode with sub-modes: the first sub-mode is the fastest.
    check("((2,2),2):((1,4),2)", "((2,2),2):((1,4),2)", &[0, 1, 4, 5, 2, 3, 6, 7]);
    check("(2,2):(0,-1)", "(2,2):(0,-1)", &[0, 0, -1, -1]);
    check("():()", "():()", &[0]);
}

/// The bounds of the interval are the smallest and the largest offset, or are reported as not known to be tight.
#[test]
fn what_offsets_lie_between() {
    for (text, expected, are_met) in [
        ("((2,2),(4,2)):((1,8),(2,16))", [0, 31], true),
        ("(4,(2,2)):(-3,(1,-8))", [-17, 1], true),
        ("():()", [0, 0], true),
        ("(5,3):(0,0)", [0, 0], true),
        ("Swizzle<2,0,3> o (8,8):(8,1)", [0, 63], true),
        ("Swizzle<1,0,2> o 5:1", [0, 5], true),
        ("Swizzle<1,0,2> o (5,3):(1,-1)", [-2, 5], true),
        ("Swizzle<0,3,0> o (4096,4096):(4096,1)", [0, 16_777_215], true),
        ("Swizzle<1,0,2> o (4096,4096):(5,-3)", [-12288, 20479], false),
    ] {
        let layout = Layout::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let offsets = layout.offsets().expect("small numbers");
        let ends = [offsets.interval.lo(), offsets.interval.hi()];
        assert_eq!((ends, offsets.are_met), (expected, are_met), "{text}");
        if !are_met {
            continue;
        }
        let (mut lo, mut hi) = (i64::MAX, i64::MIN);
        if layout.sizes().iter().product::<i64>() < 100_000 {
            for index in points(&layout.sizes()) {
                let offset = layout.map().eval(&index).expect("has a value")[0];
                (lo, hi) = (lo.min(offset), hi.max(offset));
            }
            assert_eq!([lo, hi], expected, "{text}");
        }
    }
}

#[test]
fn a_swizzle_changes_bits_by_xor() {
    for (bits, base, shift) in [(1, 0, 1), (2, 0, 3), (2, 1, -3), (3, 0, 3), (1, 2, 2), (0, 0, 0)] {
        let text = format!("Swizzle<{bits},{base},{shift}> o (8,16):(16,1)");
        let layout = Layout::read(&text).expect("a layout");
        for index in points(&[8, 16]) {
            let offset = index[0] * 16 + index[1];
            let mask = (1_i64 << bits) - 1;
            let expected = match shift >= 0 {
                true => offset ^ ((offset & (mask << (base + shift))) >> shift),
                false => offset ^ ((offset & (mask << base)) << -shift),
            };
            assert_eq!(layout.map().eval(&index), Ok(vec![expected]), "{text} at {index:?}");
        }
    }
}

#[track_caller]
fn refuses(text: &str, kind: ErrorKind, at: &str) {
    let error = Layout::read(text).expect_err(text);
    assert_eq!(error.kind, kind, "{text}: {error}");
    assert_eq!(&text[error.span.expect("a span")], at, "{text}");
}

#[test]
fn what_is_no_layout() {
    refuses("(2,3):", ErrorKind::Syntax, "");
    refuses("(2,3):(1)", ErrorKind::Syntax, "(1)");
    refuses("(2,3):1", ErrorKind::Syntax, "1");
    refuses("(2,0):(1,1)", ErrorKind::Syntax, "0");
    refuses("(2,3:(1,2)", ErrorKind::Syntax, ":");
    refuses("2:1 x", ErrorKind::Syntax, "x");
    refuses("Swizzle<2,0,1> o 8:1", ErrorKind::Syntax, "1");
    refuses("Swizzle<2,0,3> 8:1", ErrorKind::Syntax, "8");
    refuses("9223372036854775808:1", ErrorKind::Overflow, "9223372036854775808");
    refuses("(8,2):(9223372036854775807,1)", ErrorKind::Overflow, "(8,2):(9223372036854775807,1)");
    let deep = "(".repeat(40) + "1";
    refuses(&deep, ErrorKind::TooLarge, "(");
}

#[test]
fn tiled_arrays_that_are_cute_layouts() {
    for (shape, expected) in [
        ("f32[3,5]", Some("(3,5):(5,1)")),
        ("f32[3,5]{0,1}", Some("(3,5):(1,3)")),
        ("f32[]", Some("():()")),
        ("f32[4,1]", Some("(4,1):(1,0)")),
        ("f32[16,256]{1,0:T(8,128)}", Some("((8,2),(128,2)):((128,2048),(1,1024))")),
        ("f32[16,128]{1,0:T(8,128)}", Some("(16,128):(128,1)")),
        ("bf16[16,128]{1,0:T(8,128)(2,1)}", Some("((2,8),128):((1,256),2)")),
        ("f32[2,4,6]{2,1,0:T(*,4,3)}", Some("(2,4,(3,2)):(24,3,(1,12))")),
        ("f32[3,5]{1,0:T(2,2)}", None),
        ("f32[9]{0:L(4)}", None),
    ] {
        let placement = Placement::new(&array(shape)).expect("has a placement");
        let found = of_placement(&placement).map(|layout| layout.to_string());
        assert_eq!(found.as_deref(), expected, "{shape}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_tiled_array_and_its_cute_layout_agree((text, _) in shapes()) {
        let placement = Placement::new(&array(&text)).expect("has a placement");
        if let Some(layout) = of_placement(&placement) {
            let verdict = equal_functions(layout.map(), placement.position(), &Budget::default());
            prop_assert_eq!(verdict, Ok(Verdict::Proved), "{}", layout);
        }
    }
}
