//! Derivations of maps: the stages of bitcasts, reshapes and reduce-windows, and the steps through fusions, are proved to
//! compose to the maps that they explain.

use affinor::expr::IndexingMap;
use affinor::prove::{Budget, Verdict, equal_reads};
use affinor::simplify::{self, Simplifier};
use affinor::text::{Style, print_map};
use affinor_hlo as hlo;
use affinor_ops::indexing::{Analysis, OperandMap, Reads, Stage};

fn simplifier() -> impl Fn(&IndexingMap) -> IndexingMap {
    let simplifier = Simplifier::shipped().expect("the shipped rules");
    move |map| simplifier.simplify(map, &simplify::Options::default()).map
}

fn is_proved(left: &IndexingMap, right: &IndexingMap) -> bool {
    equal_reads(left, right, &Budget::default()) == Ok(Verdict::Proved)
}

/// Returns the stages of operand 0 of the root, after checking that they compose to its map.
#[track_caller]
fn stages(program: &str) -> Vec<Stage> {
    let module = hlo::read(program.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{program}"));
    let (entry, simplify) = (module.entry(), simplifier());
    let root = module[entry].root();
    let mut analysis = Analysis::new(&module, &simplify);
    let reads = analysis.instruction(entry, root).expect("a right program");
    let stages = analysis.stages(entry, root, 0).expect("a right program");
    let mut composed: Option<IndexingMap> = None;
    for stage in &stages {
        let next = match composed {
            None => stage.map.clone(),
            Some(before) => before.then(&stage.map).expect("small numbers"),
        };
        assert!(is_proved(&next, &stage.composed), "{program}: {stage:?}");
        composed = Some(next);
    }
    if let Some(composed) = composed {
        for entry in reads.iter().filter(|entry| entry.operand == 0) {
            let [map] = entry.reads.maps().expect("maps") else {
                panic!("one map is expected: {entry:?}");
            };
            assert!(is_proved(&composed, &map.map), "{program}: {composed:?}");
        }
    }
    stages
}

/// Checks the names of the stages, with the sizes of their arrays.
#[track_caller]
fn check(program: &str, expected: &[&str]) {
    let found: Vec<String> = stages(program)
        .iter()
        .map(|stage| format!("{} of {:?}", stage.name, stage.sizes))
        .collect();
    assert_eq!(found, expected, "{program}");
}

#[test]
fn reshapes_collapse_and_expand_groups() {
    let reshape = |from: &str, to: &str| format!("p = {from} parameter(0) \n r = {to} reshape(p)");
    for (from, to, expected) in [
        ("f32[4,8]", "f32[32]", vec!["collapse {0,1} of [4, 8]"]),
        ("f32[32]", "f32[4,8]", vec!["expand to {0,1} of [32]"]),
        ("f32[4,8]", "f32[2,4,4]", vec!["expand to {0,1,2} of [32]", "collapse {0,1} of [4, 8]"]),
        (
            "f32[4,8,12]",
            "f32[32,3,4]",
            vec!["expand to {0} {1,2} of [32, 12]", "collapse {0,1} {2} of [4, 8, 12]"],
        ),
        // Dimensions of size 1 are grouped with a neighbour.
        (
            "f32[1,4,1,6]",
            "f32[4,3,2,1]",
            vec!["expand to {0} {1,2,3} of [4, 6]", "collapse {0,1,2} {3} of [1, 4, 1, 6]"],
        ),
        // A single group of all dimensions.
        ("f32[1,1]", "f32[]", vec!["expand to {} of [1]", "collapse {0,1} of [1, 1]"]),
        ("f32[4,8]", "f32[4,8]", vec![]),
        ("f32[0,3]", "f32[3,0]", vec![]),
    ] {
        check(&reshape(from, to), &expected);
    }
}

#[test]
fn bitcasts_transpose_reshape_and_transpose() {
    check(
        "p = f32[4,8,6]{1,2,0} parameter(0) \n b = f32[24,8]{0,1} bitcast(p)",
        &[
            "transpose {1,0} of [8, 24]",
            "reshape to [8,24] of [4, 6, 8]",
            "transpose {0,2,1} of [4, 8, 6]",
        ],
    );
    check(
        "p = f32[4,8,6]{2,1,0} parameter(0) \n b = f32[32,6]{1,0} bitcast(p)",
        &["reshape to [32,6] of [4, 8, 6]"],
    );
    check(
        "p = f32[4,8]{1,0} parameter(0) \n b = f32[8,4]{0,1} bitcast(p)",
        &["transpose {1,0} of [4, 8]"],
    );
    check("p = f32[4,8]{1,0} parameter(0) \n b = f32[4,8]{1,0} bitcast(p)", &[]);
}

#[test]
fn reduce_windows_slide_over_padding() {
    let window = |from: &str, to: &str, window: &str| {
        format!(
            "p = {from} parameter(0) \n z = f32[] constant(0)
             r = {to} reduce-window(p, z), window={{{window}}}, to_apply=add"
        )
    };
    check(
        &window("f32[7,5]", "f32[5,3]", "size=3x2 stride=2x2 pad=2_2x1_1"),
        &["window size=3x2 stride=2x2 of [11, 7]", "pad 2_2_0x1_1_0 of [7, 5]"],
    );
    check(
        &window("f32[4]", "f32[2]", "size=2 pad=-1_0 lhs_dilate=2 rhs_dilate=4"),
        &["window size=2 rhs_dilate=4 of [6]", "pad -1_0_1 of [4]"],
    );
    check(&window("f32[8]", "f32[6]", "size=3"), &["window size=3 of [8]"]);
}

#[test]
fn other_ops_have_none() {
    check("p = f32[4,8] parameter(0) \n t = f32[8,4] transpose(p), dimensions={1,0}", &[]);
    // A tiled layout is not an order of dimensions.
    check(
        "p = f32[8,128]{1,0:T(8,128)} parameter(0) \n n = f32[8,128]{1,0:T(8,128)} negate(p)",
        &[],
    );
}

/// Checks that the reads of each array inside by the result of the last computation are the compositions of the maps of its
/// users, and that those of the parameters are the reads of the computation.
#[track_caller]
fn check_steps(program: &str) {
    let module = hlo::read(program.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{program}"));
    let (entry, simplify) = (module.entry(), simplifier());
    let mut analysis = Analysis::new(&module, &simplify);
    let steps = analysis.steps(entry).expect("a right program");
    let whole = analysis.computation(entry).expect("a right program");
    let maps = |reads: &Reads| reads.maps().expect("maps").to_vec();
    let both = |found: &[OperandMap], expected: &[IndexingMap]| {
        let proved = |left: &IndexingMap, right: &IndexingMap| is_proved(left, right);
        let left = found.iter();
        let covers = left.map(|map| expected.iter().any(|other| proved(&map.map, other)));
        let right = expected.iter();
        let covered = right.map(|map| found.iter().any(|other| proved(&other.map, map)));
        covers.chain(covered).all(|each| each)
    };
    for step in &steps {
        let mut expected: Vec<IndexingMap> = Vec::new();
        for user in steps.iter().filter(|user| user.output == step.output) {
            let instruction = &module[entry][user.instruction];
            let own = analysis.instruction(entry, user.instruction).expect("right");
            for entry in own.iter().filter(|entry| entry.output == user.path) {
                let operand = instruction.operands()[entry.operand];
                if (operand, &entry.operand_path) == (step.instruction, &step.path) {
                    for first in maps(&user.reads) {
                        for second in maps(&entry.reads) {
                            let composed = first.map.then(&second.map).expect("small numbers");
                            expected.push(composed);
                        }
                    }
                }
            }
        }
        let found = maps(&step.reads);
        if step.instruction == module[entry].root() {
            assert_eq!(found.len(), 1, "{program}");
            let text = print_map(&found[0].map, Style::Plain);
            assert!(text.starts_with("(d0, d1) -> (d0, d1)"), "{program}: {text}");
        } else {
            assert!(both(&found, &expected), "{program}: {step:?}\n{expected:?}");
        }
        if let Some(number) = module[entry][step.instruction].parameter_number() {
            let entry = whole.iter().find(|entry| {
                (&entry.output, entry.operand, &entry.operand_path)
                    == (&step.output, number, &step.path)
            });
            assert_eq!(entry.map(|entry| &entry.reads), Some(&step.reads));
        }
    }
    let read =
        |(_, instruction): (_, &hlo::module::Instruction)| instruction.parameter_number().is_some();
    let parameters = module[entry].instructions().filter(|each| read(*each)).count();
    let last =
        steps.iter().filter(|step| module[entry][step.instruction].parameter_number().is_some());
    assert_eq!(last.count(), parameters, "{program}");
}

#[test]
fn steps_compose_to_what_a_fusion_reads() {
    check_steps(
        "p = f32[4,8] parameter(0)
         flat = f32[32] reshape(p)
         e = f32[8,4] reshape(flat)
         t = f32[4,8] transpose(e), dimensions={1,0}
         s = f32[4,8] add(t, p)",
    );
    check_steps(
        "p = f32[6,5] parameter(0)
         q = f32[6] parameter(1)
         z = f32[] constant(0)
         w = f32[4,5] reduce-window(p, z), window={size=3x1}, to_apply=add
         b = f32[6,7] broadcast(q), dimensions={0}
         c = f32[4,7] slice(b), slice={[1:5], [0:7]}
         d = f32[5,7] dot(w, c), lhs_contracting_dims={0}, rhs_contracting_dims={0}
         r = f32[5,7] reverse(d), dimensions={0}
         a = f32[5,7] add(r, d)",
    );
}
