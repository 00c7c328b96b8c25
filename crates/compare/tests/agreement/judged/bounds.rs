//! Definitions that are only an upper bound of the reads, and missing definitions: neither refutes a map; and whole programs,
//! whose composed maps are judged by composed definitions.

use affinor::prove::Budget;
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_hlo as hlo;
use affinor_ops::indexing::{Analysis, OperandReads, Reads};

/// Returns the judgements of the last instruction's maps, after `change`.
fn judged(text: &str, change: impl Fn(&mut Vec<OperandReads>)) -> Vec<Option<Judgement>> {
    let module = hlo::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let (entry, body) = (module.entry(), &module[module.entry()]);
    let reads = Analysis::new(&module, &|map| map.clone()).instruction(entry, body.root());
    let mut reads = reads.unwrap_or_else(|error| panic!("{text}: {error}"));
    change(&mut reads);
    let defined = Definitions::new(&module).of(body, &body[body.root()]);
    judge(&defined, &reads, &Budget::default())
}

/// Both rows of a table are read in turns, with an unknown step, so the distance is an upper bound.
const SHIFTED: &str = "HloModule m \n body { t = (s32[], s32[], f32[8]) parameter(0) \n i = s32[] get-tuple-element(t), index=0 \n n = s32[] get-tuple-element(t), index=1 \n x = f32[8] get-tuple-element(t), index=2 \n j = s32[] add(i, n) \n r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2} \n y = f32[8] dynamic-update-slice(x, r, n) \n ROOT o = (s32[], s32[], f32[8]) tuple(j, n, y) } \n test { t = (s32[], s32[], f32[8]) parameter(0) \n i = s32[] get-tuple-element(t), index=0 \n n = s32[] get-tuple-element(t), index=1 \n ROOT c = pred[] compare(i, n), direction=LT } \n ENTRY e { t = (s32[], s32[], f32[8]) parameter(0) \n ROOT w = (s32[], s32[], f32[8]) while(t), condition=test, body=body }";

#[test]
fn a_bound_refutes_nothing() {
    let is_array = |entry: &OperandReads| entry.output == [2] && entry.operand_path == [2];
    let of_array = |judgements: Vec<Option<Judgement>>| judgements.last().cloned().flatten();
    assert_eq!(of_array(judged(SHIFTED, |_| {})), Some(Judgement::Proved));
    // A claim of fewer reads is not proved, and it is not refuted by elements that may never be read.
    let narrower = judged(SHIFTED, |reads| {
        let own = reads.iter_mut().find(|entry| is_array(entry));
        let own = own.expect("the array");
        let identity = hlo::read(b"p = f32[8] parameter(0) \n r = f32[8] copy(p)").expect("a copy");
        let copied = Analysis::new(&identity, &|map| map.clone())
            .computation(identity.entry())
            .expect("a copy");
        own.reads = match &copied[0].reads {
            Reads::Maps(maps) => Reads::Maps(vec![affinor_ops::indexing::OperandMap::at_most(
                maps[0].map.clone(),
                "the test says so",
            )]),
            unknown => unknown.clone(),
        };
    });
    match of_array(narrower) {
        Some(Judgement::Unknown(reason)) => {
            assert!(reason.contains("only bounds the reads"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    // The read of an element in its own place, if the body does not run, is exact: omitting it is refuted.
    let nothing = judged(SHIFTED, |reads| {
        let own = reads.iter_mut().find(|entry| is_array(entry));
        own.expect("the array").reads = Reads::NOTHING;
    });
    assert!(matches!(of_array(nothing.clone()), Some(Judgement::Refuted(_))), "{nothing:?}");
}

#[test]
fn slices_received_in_place_are_a_bound() {
    let text = "p = f32[8] parameter(0) \n q = f32[8] parameter(1) \n i = s32[] parameter(2) \n j = s32[] parameter(3) \n a = (s32[]) tuple(i) \n b = (s32[]) tuple(j) \n r = f32[8] collective-permute(p, q, a, b), source_target_pairs={{0,1}}, slice_sizes={{4}}";
    assert_eq!(judged(text, |_| {}), vec![Some(Judgement::Proved); 4]);
    for operand in 0..4 {
        let nothing = judged(text, |reads| reads[operand].reads = Reads::NOTHING);
        for (number, judgement) in nothing.into_iter().enumerate() {
            match judgement {
                Some(Judgement::Unknown(_)) => assert_eq!(number, operand),
                other => assert!(number != operand && other == Some(Judgement::Proved)),
            }
        }
    }
}

#[test]
fn what_has_no_definition_is_unknown_and_says_why() {
    #[track_caller]
    fn check(text: &str, reason: &str) {
        let module = hlo::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let body = &module[module.entry()];
        // The maps of a copy serve as an arbitrary answer.
        let copy = "p = f32[8] parameter(0) \n r = f32[8] copy(p)";
        let copy = hlo::read(copy.as_bytes()).expect("a copy");
        let reads = Analysis::new(&copy, &|map| map.clone())
            .instruction(copy.entry(), copy[copy.entry()].root())
            .expect("a copy");
        let defined = Definitions::new(&module).of(body, &body[body.root()]);
        match &judge(&defined, &reads, &Budget::default())[..] {
            [Some(Judgement::Unknown(found))] => assert!(found.contains(reason), "{found}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    check(
        "p = f32[8] parameter(0) \n r = f32[8] custom-call(p), custom_call_target=\"x\"",
        "no definition is stated",
    );
    // If an instruction contradicts its own attributes, nothing can judge its maps.
    check(
        "p = f32[8] parameter(0) \n r = f32[8] transpose(p), dimensions={3}",
        "expected dimension numbers",
    );
}

#[test]
fn composed_maps_are_judged_by_composed_definitions() {
    let text = "HloModule m \n add { a = f32[] parameter(0) \n b = f32[] parameter(1) \n ROOT c = f32[] add(a, b) } \n half { q = f32[6] parameter(0) \n ROOT s = f32[3] slice(q), slice={[0:6:2]} } \n ENTRY e { p = f32[4,6] parameter(0) \n i = s32[] parameter(1) \n z = f32[] constant(0) \n zero = s32[] constant(0) \n r = f32[6] reduce(p, z), dimensions={0}, to_apply=add \n h = f32[3] fusion(r), kind=kLoop, calls=half \n d = f32[1,6] dynamic-slice(p, i, zero), dynamic_slice_sizes={1,6} \n v = f32[6] reshape(d) \n w = f32[3] slice(v), slice={[3:6]} \n ROOT o = f32[3] add(h, w) }";
    let module = hlo::read(text.as_bytes()).expect("a module");
    let reads = Analysis::new(&module, &|map| map.clone()).computation(module.entry());
    let reads = reads.expect("a right program").to_vec();
    let defined = Definitions::new(&module).computation(module.entry());
    let judged = |reads: &[OperandReads]| judge(&defined, reads, &Budget::default());
    assert_eq!(judged(&reads), vec![Some(Judgement::Proved); 2], "{reads:?}");
    // Both maps are needed.
    for left_out in 0..2 {
        let mut fewer = reads.clone();
        let Reads::Maps(maps) = &mut fewer[0].reads else { panic!("{fewer:?}") };
        assert_eq!(maps.len(), 2);
        maps.remove(left_out);
        let judgement = &judged(&fewer)[0];
        assert!(matches!(judgement, Some(Judgement::Refuted(_))), "{judgement:?}");
    }
}

/// Modules whose right maps were once refuted.
const RIGHT: &[&str] = &[
    // A predicate selects the branch by its truth value, whatever the names of the branches.
    "HloModule m \n yes { a = f32[4] parameter(0) \n ROOT r = f32[4] reverse(a), dimensions={0} } \n no { b = f32[4] parameter(0) \n ROOT r = f32[4] copy(b) } \n ENTRY e { c = pred[] parameter(0) \n p = f32[4] parameter(1) \n q = f32[4] parameter(2) \n ROOT r = f32[4] conditional(c, p, q), branch_computations={yes, no} }",
    "HloModule m \n yes { a = f32[4] parameter(0) \n ROOT r = f32[4] reverse(a), dimensions={0} } \n no { b = f32[4] parameter(0) \n ROOT r = f32[4] copy(b) } \n ENTRY e { c = pred[] parameter(0) \n p = f32[4] parameter(1) \n q = f32[4] parameter(2) \n ROOT r = f32[4] conditional(c, p, q), true_computation=yes, false_computation=no }",
    // A reshape to the same sizes is an operation on the value, so the result depends on whether the body runs.
    "HloModule m \n test { t = (s32[], f32[]) parameter(0) \n i = s32[] get-tuple-element(t), index=0 \n ROOT c = pred[] compare(i, i), direction=LT } \n body { t = (s32[], f32[]) parameter(0) \n i = s32[] get-tuple-element(t), index=0 \n x = f32[] get-tuple-element(t), index=1 \n y = f32[] reshape(x) \n ROOT o = (s32[], f32[]) tuple(i, y) } \n ENTRY e { t = (s32[], f32[]) parameter(0) \n ROOT w = (s32[], f32[]) while(t), condition=test, body=body }",
];

#[test]
fn right_maps_are_not_refuted() {
    for text in RIGHT {
        let judgements = judged(text, |_| {});
        assert!(!judgements.is_empty(), "{text}");
        for judgement in judgements.into_iter().flatten() {
            assert_eq!(judgement, Judgement::Proved, "{text}");
        }
    }
}
