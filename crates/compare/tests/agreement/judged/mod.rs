//! Right maps are proved against definitions, and wrong maps are not.
//!
//! Each program is small enough to evaluate its maps at every element of the output, for some values of the tensors that
//! determine the reads. A mutant that then differs from the right maps must be refuted, with an element on which both
//! disagree. Mutants differ in a stride, a constant, a bound, a clamp, a source, a constraint, the order of results, or a
//! whole map.

mod bounds;
mod mutants;
mod programs;

use affinor::expr::{Domain, Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor_compare::agreement::Judgement;
use affinor_definition::{Definitions, NoDefinition};
use affinor_hlo as hlo;
use affinor_ops::indexing::{Analysis, Exactness, OperandReads, Reads};
use mutants::{Tried, all_read, judged};
use programs::PROGRAMS;

/// Calls `check` with the reads of a program's last instruction.
fn analysed(
    text: &str,
    check: impl FnOnce(&mut Definitions<'_>, &hlo::module::Computation, &[OperandReads]),
) {
    let module = hlo::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let entry = module.entry();
    let reads = Analysis::new(&module, &|map| map.clone()).instruction(entry, module[entry].root());
    let reads = reads.unwrap_or_else(|error| panic!("{text}: {error}"));
    check(&mut Definitions::new(&module), &module[entry], &reads);
}

#[test]
fn maps_are_proved() {
    for text in PROGRAMS {
        analysed(text, |definitions, body, reads| {
            for (entry, judgement) in reads.iter().zip(judged(definitions, body, reads)) {
                if entry.reads.maps().is_some() {
                    assert_eq!(judgement, Some(Judgement::Proved), "{text}: {entry:?}");
                }
            }
        });
    }
}

/// Large tiled bitcasts are proved although their elements cannot be tried one by one.
#[test]
fn tiled_bitcasts_are_proved() {
    let mut open = Vec::new();
    for (result, operand) in [
        ("f32[2,8,128]{2,1,0:T(8,128)}", "f32[16,128]{1,0:T(8,128)}"),
        ("f32[4,4,256]{2,1,0:T(4,128)}", "f32[16,256]{1,0:T(8,128)}"),
        ("f32[2048]{0:T(1024)}", "f32[16,128]{1,0:T(8,128)}"),
        ("f32[1024]{0:T(1024)}", "f32[5,128]{1,0:T(8,128)}"),
        ("f32[80,100]{1,0:T(8,128)}", "f32[10,8,100]{2,1,0:T(8,128)}"),
        ("f32[10240]", "f32[80,100]{1,0:T(8,128)}"),
        ("f32[80,100]{1,0:T(8,128)}", "f32[10240]"),
        ("bf16[65536]", "bf16[256,256]{1,0:T(8,128)(2,1)}"),
        ("bf16[256,256]{1,0:T(8,128)(2,1)}", "bf16[32,8,256]{2,1,0:T(8,128)(2,1)}"),
        ("u32[32768]", "bf16[256,256]{1,0:T(8,128)(2,1)}"),
        ("bf16[65536]", "u32[32768]{0:T(1024)}"),
        ("s8[32,512]{1,0:T(8,128)(4,1)}", "s8[16384]"),
        ("pred[256,128]{1,0:T(32,128)(32,1)E(1)}", "u32[1024]"),
        ("f32[2000]", "f32[7,8,11,2]{3,2,1,0:T(*,*,*,1)L(1000)}"),
    ] {
        let text = format!("p = {operand} parameter(0) \n r = {result} bitcast(p)");
        analysed(&text, |definitions, body, reads| {
            let judgement = judged(definitions, body, reads).swap_remove(0);
            if judgement != Some(Judgement::Proved) {
                open.push(format!("{text}: {judgement:?}\n"));
            }
        });
    }
    assert!(open.is_empty(), "{}", open.concat());
}

/// Random layouts of few elements are compared with the whole memory as one array, in both directions.
#[test]
fn random_tiled_bitcasts_are_proved() {
    let mut state = 1_u64;
    let mut pick = |count: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % count
    };
    let mut compared = 0;
    for _ in 0..120 {
        let rank = pick(4);
        let sizes: Vec<String> = (0..rank).map(|_| (1 + pick(6)).to_string()).collect();
        let mut order: Vec<String> = (0..rank).rev().map(|k| k.to_string()).collect();
        if rank > 1 {
            order.swap(0, pick(rank));
        }
        let tiles = [
            "T(2,2)",
            "T(3)",
            "T(2,4)(2,1)",
            "T(*,2)",
            "T(*,3)(2)",
            "T(4,2)L(8)",
            "T(1,2,2)",
            "M(4)",
        ];
        let (tile, name) = (tiles[pick(tiles.len())], ["f32", "bf16", "s8"][pick(3)]);
        let tiled = format!("{name}[{}]{{{}:{tile}}}", sizes.join(","), order.join(","));
        let shape = hlo::read_shape(&tiled).unwrap_or_else(|error| panic!("{tiled}: {error}"));
        let placement = affinor_layout::memory::Placement::new(shape.as_array().expect("an array"));
        let bytes = placement.expect("a layout").physical_bytes().expect("few");
        let (plain, width) = [("u32", 4), ("s16", 2), ("u8", 1)][pick(3)];
        if bytes % width != 0 {
            continue;
        }
        let plain = format!("{plain}[{}]", bytes / width);
        for (result, operand) in [(&plain, &tiled), (&tiled, &plain)] {
            let text = format!("p = {operand} parameter(0) \n r = {result} bitcast(p)");
            analysed(&text, |definitions, body, reads| {
                let judgement = judged(definitions, body, reads).swap_remove(0);
                assert_eq!(judgement, Some(Judgement::Proved), "{text}: {reads:?}");
            });
            compared += 1;
        }
    }
    assert!(compared >= 160, "{compared}");
}

#[test]
fn fusions_are_proved_by_what_is_inside() {
    let text = "HloModule m\n\
        add { a = f32[] parameter(0) \n b = f32[] parameter(1) \n ROOT c = f32[] add(a, b) }\n\
        fused { p = f32[4,6] parameter(0) \n z = f32[] constant(0) \n s = f32[4] reduce(p, z), dimensions={1}, to_apply=add\n\
        b = f32[4,6] broadcast(s), dimensions={0} \n d = f32[4,6] divide(p, b) \n t = f32[6,4] transpose(d), dimensions={1,0}\n\
        ROOT r = f32[24] reshape(t) }\n\
        ENTRY e { p = f32[4,6] parameter(0) \n ROOT f = f32[24] fusion(p), kind=kLoop, calls=fused }";
    analysed(text, |definitions, body, reads| {
        assert_eq!(reads.len(), 1);
        let judgements = judged(definitions, body, reads);
        assert_eq!(judgements, [Some(Judgement::Proved)], "{reads:?}");
        // Without the map through the sum, or without the direct one, some reads are missing.
        let Reads::Maps(maps) = &reads[0].reads else { panic!("{reads:?}") };
        for left_out in 0..maps.len() {
            let mut fewer = maps.clone();
            fewer.remove(left_out);
            let fewer = OperandReads { reads: Reads::Maps(fewer), ..reads[0].clone() };
            let other = Reads::Maps(maps.clone());
            let differs = all_read(&fewer.reads, &[24]) != all_read(&other, &[24]);
            let judgements = judged(definitions, body, &[fewer]);
            assert_eq!(differs, judgements != [Some(Judgement::Proved)]);
        }
    });
}

#[test]
fn wrong_maps_are_not_proved() {
    let mut tried = Tried::default();
    for text in PROGRAMS {
        analysed(text, |definitions, body, reads| {
            tried.mutants_of(text, definitions, body, reads);
        });
    }
    let Tried { wrong, right, open } = tried;
    assert!(wrong >= 1200 && right >= 100, "{wrong} wrong, {right} right");
    assert!(open.is_empty(), "{}", open.join("\n"));
}

#[test]
fn at_most_needs_only_to_be_wide_enough() {
    let text = "p = f32[4,3] parameter(0) \n r = f32[4,3] negate(p)";
    analysed(text, |definitions, body, reads| {
        let mut wider = reads.to_vec();
        let Reads::Maps(maps) = &mut wider[0].reads else { panic!("{reads:?}") };
        let mut variables = maps[0].map.domain().variables().to_vec();
        let every = Interval::new(0, 2);
        variables.push(affinor::expr::Variable::new("s0", VariableKind::Range, every));
        let results = vec![Expr::variable(VariableId(0)), Expr::variable(VariableId(2))];
        maps[0].map = IndexingMap::new(Domain::new(variables), results);
        let judgement = judged(definitions, body, &wider).swap_remove(0);
        assert!(matches!(judgement, Some(Judgement::Refuted(_))), "{judgement:?}");
        let Reads::Maps(maps) = &mut wider[0].reads else { panic!("{reads:?}") };
        maps[0].exactness = Exactness::AtMost { reason: "the whole row".into() };
        let judgement = judged(definitions, body, &wider).swap_remove(0);
        assert_eq!(judgement, Some(Judgement::Proved));
    });
}

#[test]
fn what_contradicts_itself_has_no_definition() {
    for (text, expected) in [
        ("p = f32[4] parameter(0) \n r = f32[3,4] negate(p)", "the sizes of the result"),
        (
            "p = f32[4] parameter(0) \n r = f32[4] transpose(p), dimensions={1}",
            "expected dimension numbers",
        ),
        ("p = f32[4] parameter(0) \n r = f32[4] broadcast(p), dimensions={}", "for each one"),
        ("p = f32[4] parameter(0) \n r = f32[4] concatenate(p), dimensions={}", "one dimension"),
        (
            "p = f32[4] parameter(0) \n a = s32[] parameter(1) \n r = f32[5] dynamic-slice(p, a), dynamic_slice_sizes={5}",
            "not be larger",
        ),
        ("p = f32[3,5]{1,0:T(2,2)} parameter(0) \n r = f32[15] bitcast(p)", "as many bytes"),
        ("p = f32[4]{0:T(2,*)} parameter(0) \n r = f32[4] bitcast(p)", "none to be combined with"),
        ("p = f32[4] parameter(0) \n r = f32[4] get-tuple-element(p), index=1", "no such part"),
    ] {
        let module = hlo::read(text.as_bytes()).expect("a snippet");
        let body = &module[module.entry()];
        match affinor_definition::of(&module, body, &body[body.root()]) {
            Err(NoDefinition::Invalid(error)) => {
                assert!(error.message.contains(expected), "{text}: {error}");
                assert!(error.span.is_some(), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}
