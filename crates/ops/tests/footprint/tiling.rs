//! Tiling as pad, reshape and transpose, and bitcasts between layouts: proved, and compared with the buffer.

use super::buffer::array;
use super::random::{shapes, widths};
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor_layout::memory::Placement;
use affinor_ops::relayout::{Stages, bitcast, prove_tiling};
use proptest::prelude::*;

#[track_caller]
fn placement(text: &str) -> Placement {
    Placement::new(&array(text)).expect("has a placement")
}

/// Returns a budget that permits no enumeration of points.
fn without_enumeration() -> Budget {
    Budget { points: 0, ..Budget::default() }
}

#[test]
fn the_stages_of_figure_1() {
    let stages = Stages::new(&placement("f32[3,5]{1,0:T(2,2)}"));
    assert_eq!(
        stages.text(),
        "array = f32[3,5] parameter(0)\n\
         value = f32[] parameter(1)\n\
         pad.1 = f32[4,6] pad(array, value), padding=0_1x0_1\n\
         reshape.2 = f32[2,2,3,2] reshape(pad.1)\n\
         transpose.3 = f32[2,3,2,2] transpose(reshape.2), dimensions={0,2,1,3}\n\
         reshape.4 = f32[24] reshape(transpose.3)"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn every_tiling_is_pad_reshape_transpose((text, slack) in shapes()) {
        let shape = array(&text);
        let widths = widths(&shape, &slack);
        let placement = Placement::with_widths(&shape, Some(&widths)).expect("has a placement");
        let proof = prove_tiling(&placement, &without_enumeration()).expect("can be held");
        prop_assert_eq!(proof.stages, Verdict::Proved);
        prop_assert_eq!(proof.position_then_element, Verdict::Proved);
        prop_assert_eq!(proof.element_then_position, Verdict::Proved);
    }
}

/// Checks whether the reshape is a bitcast, and which transposes are.
#[track_caller]
fn bitcasts(from: &str, to: &str, reshape: Option<bool>, transposes: &[&[usize]]) {
    let answer =
        bitcast(&placement(from), &placement(to), &Budget::default()).expect("can be held");
    let holds = |verdict: &Verdict<_>| match verdict {
        Verdict::Proved => true,
        Verdict::Refuted(_) => false,
        Verdict::Unknown(reason) => panic!("{from} to {to}: {reason}"),
    };
    assert_eq!(answer.reshape.as_ref().map(holds), reshape, "{from} to {to}, reshape");
    let found: Vec<&[usize]> = answer
        .transposes
        .iter()
        .filter(|transposition| holds(&transposition.verdict))
        .map(|transposition| transposition.dimensions.as_slice())
        .collect();
    assert_eq!(found, transposes, "{from} to {to}, transposes");
}

#[test]
fn bitcasts_are_told_from_copies() {
    bitcasts("f32[4,8]", "f32[32]", Some(true), &[]);
    bitcasts("f32[4,8]{0,1}", "f32[32]", Some(false), &[]);
    bitcasts("f32[3,5]{0,1}", "f32[5,3]", Some(false), &[&[1, 0]]);
    bitcasts("f32[3,5]", "f32[5,3]", Some(true), &[]);
    bitcasts("f32[3,5]", "f32[5,3]{0,1}", Some(false), &[&[1, 0]]);
    bitcasts("f32[4,4]", "f32[4,4]", Some(true), &[]);
    bitcasts("f32[4,4]", "f32[4,4]{0,1}", Some(false), &[&[1, 0]]);
    // Splitting off whole tiles moves nothing; splitting within a tile does.
    bitcasts("f32[16,128]{1,0:T(8,128)}", "f32[2,8,128]{2,1,0:T(8,128)}", Some(true), &[]);
    bitcasts("f32[16,128]{1,0:T(8,128)}", "f32[4,4,128]{2,1,0:T(8,128)}", Some(false), &[]);
    bitcasts("f32[8,256]{1,0:T(8,128)}", "f32[2048]", Some(false), &[]);
    bitcasts("f32[64,128]{1,0:T(8,128)}", "f32[8192]", Some(true), &[]);
    bitcasts("f32[2,1,3]", "f32[1,2,3]", Some(true), &[&[1, 0, 2]]);
    bitcasts("f32[4]", "f32[5]", None, &[]);
    bitcasts("f32[0,4]", "f32[4,0]", Some(true), &[&[1, 0]]);
}

#[test]
fn layouts_are_equal_by_where_elements_lie() {
    let same = |one: &str, other: &str| {
        let (first, second) = (placement(one), placement(other));
        let verdict = equal_functions(first.position(), second.position(), &Budget::default());
        match verdict.expect("equal sizes") {
            Verdict::Proved => true,
            Verdict::Refuted(_) => false,
            Verdict::Unknown(reason) => panic!("{one}, {other}: {reason}"),
        }
    };
    assert!(same("f32[8,128]{1,0:T(8,128)}", "f32[8,128]"));
    assert!(same("f32[80,128]{1,0:T(8,128)}", "f32[80,128]{1,0}"));
    assert!(!same("f32[8,256]{1,0:T(8,128)}", "f32[8,256]"));
    assert!(same("f32[7,1]{0,1}", "f32[7,1]{1,0}"));
    assert!(!same("f32[7,2]{0,1}", "f32[7,2]{1,0}"));
    assert!(!same("f32[7,2]{0,1}", "f32[2,7]{1,0}"));
    assert!(same("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,*,*,1)}", "f32[2,7,8,11,10]"));
}
