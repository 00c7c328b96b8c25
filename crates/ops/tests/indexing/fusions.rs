//! Maps through several instructions: unions over paths, nested fusions, tuples, runtime variables, propagation of unknown
//! reads, and bounds on the work.

use crate::support::reads::{keep, read};
use affinor::text::{Style, print_map};
use affinor_ops::indexing::{Analysis, Exactness, Limits, OperandReads, Reads, ValueSource};

/// Returns the reads of the entry computation from its parameters.
fn reads(text: &str) -> Vec<OperandReads> {
    let module = read(text);
    let reads = Analysis::new(&module, &keep).computation(module.entry());
    reads.unwrap_or_else(|e| panic!("{e}\n{text}")).to_vec()
}

/// One line for each pair: `output <- operand path: maps`.
fn lines(reads: &[OperandReads]) -> Vec<String> {
    let line = |entry: &OperandReads| {
        let reads = match &entry.reads {
            Reads::Unknown { reason } => format!("unknown, {reason}"),
            Reads::Maps(maps) => {
                let text = |map: &affinor_ops::indexing::OperandMap| {
                    let text = print_map(&map.map, Style::Plain);
                    let head = text.split(", domain").next().unwrap_or(&text).to_string();
                    match &map.exactness {
                        Exactness::Exact => head,
                        Exactness::AtMost { reason } => format!("{head} at most, {reason}"),
                    }
                };
                maps.iter().map(text).collect::<Vec<_>>().join(" | ")
            }
        };
        format!("{:?} <- {}{:?}: {reads}", entry.output, entry.operand, entry.operand_path)
    };
    reads.iter().map(line).collect()
}

#[track_caller]
pub fn check(text: &str, expected: &[&str]) {
    assert_eq!(lines(&reads(text)), expected);
}

#[test]
fn paths_through_a_diamond_are_united() {
    check(
        "p = f32[4,4] parameter(0)
         q = f32[4,4] parameter(1)
         a = f32[4,4] add(p, q)
         t = f32[4,4] transpose(a), dimensions={1,0}
         b = f32[4,4] multiply(a, t)
         s = f32[2,4] slice(b), slice={[0:4:2], [0:4]}",
        &[
            "[] <- 0[]: (d0, d1) -> (d0 * 2, d1) | (d0, d1) -> (d1, d0 * 2)",
            "[] <- 1[]: (d0, d1) -> (d0 * 2, d1) | (d0, d1) -> (d1, d0 * 2)",
        ],
    );
}

#[test]
fn thirty_diamonds_in_a_row_cost_no_more_than_their_edges() {
    let mut text = "a0 = f32[4] parameter(0)\n".to_string();
    for k in 1..=30 {
        text += &format!("a{k} = f32[4] add(a{}, a{})\n", k - 1, k - 1);
    }
    check(&text, &["[] <- 0[]: (d0) -> (d0)"]);
}

#[test]
fn a_parameter_that_is_not_used_is_not_read() {
    check(
        "p = f32[4] parameter(0)
         q = f32[4] parameter(1)
         n = f32[4] negate(p)",
        &["[] <- 0[]: (d0) -> (d0)", "[] <- 1[]: "],
    );
}

const NESTED: &str = "
    inner { a = f32[2,3] parameter(0)  ROOT r = f32[3,2] transpose(a), dimensions={1,0} }
    middle {
      a = f32[2,3] parameter(0)
      f = f32[3,2] fusion(a), kind=kLoop, calls=inner
      b = f32[3,2] parameter(1)
      ROOT pair = (f32[3,2], f32[6]) tuple(f, b2)
    }";

#[test]
fn fusions_nest_and_tuples_keep_their_parts_apart() {
    let text = NESTED.replace("ROOT pair", "b2 = f32[6] reshape(b)\n ROOT pair");
    let text = format!(
        "{text}
         ENTRY e {{
           p = f32[2,3] parameter(0)
           q = (f32[3,2], s32[]) parameter(1)
           b = f32[3,2] get-tuple-element(q), index=0
           m = (f32[3,2], f32[6]) call(p, b), to_apply=middle
           first = f32[3,2] get-tuple-element(m), index=0
           second = f32[6] get-tuple-element(m), index=1
           ROOT r = (f32[6], (f32[3,2], f32[2,3])) tuple(second, rest)
         }}"
    );
    let text = text.replace(
        "ROOT r = (f32[6]",
        "rest = (f32[3,2], f32[2,3]) tuple(first, p)\n ROOT r = (f32[6]",
    );
    check(
        &text,
        &[
            "[0] <- 0[]: ",
            "[0] <- 1[0]: (d0) -> (d0 floordiv 2, d0 mod 2)",
            "[0] <- 1[1]: ",
            "[1, 0] <- 0[]: (d0, d1) -> (d1, d0)",
            "[1, 0] <- 1[0]: ",
            "[1, 0] <- 1[1]: ",
            "[1, 1] <- 0[]: (d0, d1) -> (d0, d1)",
            "[1, 1] <- 1[0]: ",
            "[1, 1] <- 1[1]: ",
        ],
    );
}

#[test]
fn an_op_without_a_map_poisons_what_is_read_through_it() {
    check(
        "p = f32[4] parameter(0)
         q = f32[4] parameter(1)
         r = f32[4] parameter(2)
         c = f32[4] custom-call(p, q), custom_call_target=\"f\"
         s = f32[4] add(c, r)
         t = f32[4] add(s, q)",
        &[
            "[] <- 0[]: unknown, `c`: the reads of a custom-call are known to its target alone",
            "[] <- 1[]: unknown, `c`: the reads of a custom-call are known to its target alone",
            "[] <- 2[]: (d0) -> (d0)",
        ],
    );
}

#[test]
fn nothing_is_read_through_what_is_not_read() {
    // The slice of the concatenation contains nothing from the custom call.
    check(
        "p = f32[4] parameter(0)
         q = f32[4] parameter(1)
         c = f32[4] custom-call(p), custom_call_target=\"f\"
         k = f32[8] concatenate(c, q), dimensions={0}
         s = f32[4] slice(k), slice={[4:8]}",
        &["[] <- 0[]: ", "[] <- 1[]: (d0) -> (d0)"],
    );
}

#[test]
fn reducers_are_looked_into() {
    check(
        "argmax {
           v = f32[] parameter(0)  i = s32[] parameter(1)
           w = f32[] parameter(2)  j = s32[] parameter(3)
           g = pred[] compare(v, w), direction=GE
           x = f32[] select(g, v, w)
           y = s32[] select(g, i, j)
           ROOT r = (f32[], s32[]) tuple(x, y)
         }
         ENTRY e {
           p = f32[4,5] parameter(0)  q = s32[4,5] parameter(1)
           m = f32[] parameter(2)  z = s32[] parameter(3)
           ROOT r = (f32[4], s32[4]) reduce(p, q, m, z), dimensions={1}, to_apply=argmax
         }",
        &[
            "[0] <- 0[]: (d0)[s0] -> (d0, s0)",
            "[0] <- 1[]: ",
            "[0] <- 2[]: (d0) -> ()",
            "[0] <- 3[]: ",
            "[1] <- 0[]: (d0)[s0] -> (d0, s0)",
            "[1] <- 1[]: (d0)[s0] -> (d0, s0)",
            "[1] <- 2[]: (d0) -> ()",
            "[1] <- 3[]: (d0) -> ()",
        ],
    );
}

#[test]
fn a_fold_of_nothing_is_its_initial_value() {
    check(
        "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
         ENTRY e {
           p = f32[4,0] parameter(0)  z = f32[] parameter(1)
           ROOT r = f32[4] reduce(p, z), dimensions={1}, to_apply=add
         }",
        &["[] <- 0[]: ", "[] <- 1[]: (d0) -> ()"],
    );
}

/// Returns the sources and indices of the runtime variables of the only map to a parameter.
fn sources(reads: &[OperandReads], parameter: usize) -> Vec<(ValueSource, usize)> {
    let entry = reads.iter().find(|entry| entry.operand == parameter);
    let maps = entry.and_then(|entry| entry.reads.maps());
    let Some([map]) = maps else {
        panic!("expected one map: {entry:?}");
    };
    let named = map.runtime.iter();
    named
        .map(|runtime| {
            let variables = map.map.domain().variables();
            assert!(variables[runtime.variable.index()].name.starts_with("rt"));
            (runtime.source.clone(), runtime.index.len())
        })
        .collect()
}

fn of_parameter(operand: usize) -> (ValueSource, usize) {
    let path = Vec::new();
    (ValueSource::Operand { operand, path }, 0)
}

#[test]
fn runtime_variables_keep_the_tensors_they_come_from() {
    // The offset of the inner slice is parameter 1, that of the outer one parameter 2, whatever order the
    // composed map lists them in.
    let reads = reads(
        "p = f32[100] parameter(0)
         i = s32[] parameter(1)
         j = s32[] parameter(2)
         a = f32[20] dynamic-slice(p, i), dynamic_slice_sizes={20}
         b = f32[5] dynamic-slice(a, j), dynamic_slice_sizes={5}",
    );
    assert_eq!(lines(&reads)[0], "[] <- 0[]: (d0){rt0, rt1} -> (d0 + rt0 + rt1)");
    let maps = reads[0].reads.maps().expect("known");
    for runtime in &maps[0].runtime {
        let from_outer = runtime.source == of_parameter(2).0;
        assert!(from_outer || runtime.source == of_parameter(1).0);
        assert_eq!(runtime.clamp.hi(), if from_outer { 15 } else { 80 });
        assert_eq!(maps[0].map.domain().bounds(runtime.variable), runtime.clamp);
    }
}

#[test]
fn one_value_is_one_runtime_variable() {
    // Both offsets are parameter 1, one of them through ops that pass the value on.
    let reads = reads(
        "p = f32[10,10] parameter(0)
         i = s32[] parameter(1)
         r = s32[1] reshape(i)
         t = (s32[1]) tuple(r)
         g = s32[1] get-tuple-element(t), index=0
         c = s64[1] convert(g)
         j = s64[] reshape(c)
         k = s64[] convert(i)
         d = f32[3,3] dynamic-slice(p, k, j), dynamic_slice_sizes={3,3}",
    );
    assert_eq!(lines(&reads)[0], "[] <- 0[]: (d0, d1){rt0} -> (d0 + rt0, d1 + rt0)");
    assert_eq!(sources(&reads, 0), [of_parameter(1)]);
}

#[test]
fn a_value_that_only_picks_an_operand_keeps_the_maps_apart() {
    // The third of the concatenation that is read: the maps of the last two differ only in the bounds of that value.
    let reads = reads(
        "p = f32[2,1,6] parameter(0)
         i = s32[4,3] parameter(1)
         c = f32[2,3,6] concatenate(p, p, p), dimensions={1}
         g = f32[4,1,3] gather(c, i), offset_dims={1,2}, collapsed_slice_dims={1}, start_index_map={2,0,1},
           index_vector_dim=1, slice_sizes={1,1,3}",
    );
    let picked = reads[0].reads.maps().expect("known").iter().map(|map| {
        let picks = map.runtime.iter().find(|value| value.clamp.hi() == 2);
        map.map.domain().bounds(picks.expect("it picks").variable).lo()
    });
    assert_eq!(picked.collect::<Vec<_>>(), [0, 1, 2]);
    assert!(reads[0].reads.is_exact());
}

#[test]
fn one_instruction_has_another_value_in_each_call() {
    let reads = reads(
        "f {
           p = f32[10] parameter(0)
           i = s32[] parameter(1)
           one = s32[] constant(1)
           j = s32[] add(i, one)
           ROOT d = f32[3] dynamic-slice(p, j), dynamic_slice_sizes={3}
         }
         ENTRY e {
           p = f32[10] parameter(0)
           i = s32[] parameter(1)
           k = s32[] parameter(2)
           x = f32[3] call(p, i), to_apply=f
           y = f32[3] call(p, k), to_apply=f
           ROOT s = f32[3] add(x, y)
         }",
    );
    // Two maps with equal texts: the value of `j` differs between the calls.
    assert_eq!(lines(&reads)[0], "[] <- 0[]: (d0){rt0} -> (d0 + rt0) | (d0){rt0} -> (d0 + rt0)");
    let maps = reads[0].reads.maps().expect("known");
    assert_ne!(maps[0].runtime[0].source, maps[1].runtime[0].source);
}

#[test]
fn offsets_that_differ_by_call_site_reach_their_parameters() {
    let reads = reads(
        "f {
           p = f32[10] parameter(0)
           i = s32[] parameter(1)
           ROOT d = f32[3] dynamic-slice(p, i), dynamic_slice_sizes={3}
         }
         ENTRY e {
           p = f32[10] parameter(0)
           i = s32[] parameter(1)
           k = s32[] parameter(2)
           q = f32[10] reverse(p), dimensions={0}
           x = f32[3] call(q, k), to_apply=f
           ROOT n = f32[3] negate(x)
         }",
    );
    assert_eq!(lines(&reads)[0], "[] <- 0[]: (d0){rt0} -> (-d0 - rt0 + 9)");
    assert_eq!(sources(&reads, 0), [of_parameter(2)]);
}

/// Returns a chain in which each step doubles the number of different maps.
fn doubling(steps: usize) -> String {
    let mut text = "a0 = f32[4096] parameter(0)\n".to_string();
    for k in 1..=steps {
        let (before, half) = (k - 1, 1 << (k - 1));
        text += &format!(
            "s{k} = f32[{n}] slice(a{before}), slice={{[{half}:{size}]}}
             t{k} = f32[{n}] slice(a{before}), slice={{[0:{n}]}}
             a{k} = f32[{n}] add(s{k}, t{k})\n",
            size = 4096 - (half - 1),
            n = 4096 - (half - 1) - half,
        );
    }
    text
}

#[test]
fn too_many_maps_become_one_that_says_so() {
    let reads_of = |steps: usize, maps: usize| {
        let module = read(&doubling(steps));
        let limits = Limits { maps, ..Limits::default() };
        let mut analysis = Analysis::with_limits(&module, &keep, limits);
        analysis.computation(module.entry()).expect("it is valid").to_vec()
    };
    let all = reads_of(3, 8);
    assert_eq!(all[0].reads.maps().map(<[_]>::len), Some(8));
    assert!(all[0].reads.is_exact());
    let bounded = reads_of(3, 7);
    assert_eq!(
        lines(&bounded),
        ["[] <- 0[]: (d0)[s0] -> (s0) at most, more than 7 maps are needed"]
    );
    // Sixteen steps would need 65,536 maps.
    assert!(!reads_of(11, 256)[0].reads.is_exact());
}

#[test]
fn large_maps_become_ones_that_say_so() {
    // Without a simplifier each reshape between 4x6 and 6x4 divides sums of divisions.
    let mut text = "a0 = f32[4,6] parameter(0)\n".to_string();
    for k in 1..=40 {
        let shape = if k % 2 == 0 { "4,6" } else { "6,4" };
        text += &format!("a{k} = f32[{shape}] reshape(a{})\n", k - 1);
    }
    let found = reads(&text);
    assert_eq!(
        lines(&found),
        ["[] <- 0[]: (d0, d1)[s0, s1] -> (s0, s1) at most, a map has more than 4096 operations"]
    );
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let mut text = "f0 { a = f32[2] parameter(0)  ROOT r = f32[2] negate(a) }\n".to_string();
    for k in 1..=60 {
        text += &format!(
            "f{k} {{ a = f32[2] parameter(0)  ROOT r = f32[2] call(a), to_apply=f{} }}\n",
            k - 1
        );
    }
    let module = read(&text);
    let limits = Limits { nesting: 50, ..Limits::default() };
    let mut analysis = Analysis::with_limits(&module, &keep, limits);
    let deep = analysis.computation(module.entry()).expect("it is valid");
    assert_eq!(
        lines(&deep),
        ["[] <- 0[]: unknown, fusions and calls are nested more than 50 deep"]
    );
    let at_limit = module.computation_named("f50").expect("it is there");
    let reads = analysis.computation(at_limit).expect("it is valid");
    assert_eq!(lines(&reads), ["[] <- 0[]: (d0) -> (d0)"]);
}
