//! Offsets and indices that are known before the program runs.

use crate::support::reads::{keep, lines, read};
use affinor::prove::Budget;
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_ops::indexing::Analysis;

/// Returns the maps from the root to operand 0, and checks that they are proved.
fn maps(text: &str) -> String {
    let module = read(text);
    let (entry, root) = (module.entry(), module[module.entry()].root());
    let reads = Analysis::new(&module, &keep).instruction(entry, root);
    let defined = Definitions::new(&module).of(&module[entry], &module[entry][root]);
    let judged = judge(&defined, &reads.expect("a right program"), &Budget::default());
    assert_eq!(judged[0], Some(Judgement::Proved), "{text}");
    let lines = lines(text).expect("a right program");
    lines[0].trim_start_matches("[] <- 0[]: ").to_owned()
}

/// Returns the maps of `f32[4,4]` sliced at offsets `i` and `j`, which these lines define.
fn sliced(offsets: &str) -> String {
    maps(&format!(
        "p = f32[4,4] parameter(0)
         n = s32[] parameter(1)
         one = s32[] constant(1)
         {offsets}
         r = f32[3,1] dynamic-slice(p, i, j), dynamic_slice_sizes={{3,1}}"
    ))
}

/// Returns the maps of elements of `f32[33]` gathered at indices `i` of this shape, which these lines define.
fn gathered(shape: &str, indices: &str) -> String {
    let sizes = shape.trim_end_matches(",1");
    maps(&format!(
        "p = f32[33] parameter(0)
         n = s32[] parameter(1)
         {indices}
         r = f32[{sizes}] gather(p, i), offset_dims={{}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, \
         index_vector_dim=1, slice_sizes={{1}}"
    ))
}

#[test]
fn offsets_are_folded_as_the_op_clamps_them() {
    let at = |row: &str, column: &str| {
        format!("(d0, d1) -> ({row}, {column}), domain: d0 in [0, 2], d1 in [0, 0]")
    };
    for (offsets, row, column) in [
        ("i = s32[] constant(1)\n j = s32[] constant(4)", "d0 + 1", "d1 + 3"),
        ("i = s32[] constant(-1)\n j = s32[] constant(-9)", "d0", "d1"),
        ("i = u8[] constant(200)\n j = s64[] constant(2)", "d0 + 1", "d1 + 2"),
        ("i = s32[] add(one, one)\n j = s32[] subtract(one, one)", "d0 + 1", "d1"),
        (
            "c = s32[3] constant({0,2,7})\n s = s32[1] slice(c), slice={[1:2]}\n j = s32[] reshape(s)\n i = s32[] negate(j)",
            "d0",
            "d1 + 2",
        ),
        (
            "c = pred[] compare(one, one), direction=EQ\n i = s32[] select(c, one, one)\n j = s32[] convert(c)",
            "d0 + 1",
            "d1 + 1",
        ),
        (
            "f = f32[] constant(2)\n g = f32[] multiply(f, f)\n j = s32[] convert(g)\n i = s32[] remainder(j, one)",
            "d0",
            "d1 + 3",
        ),
        (
            "t = (s32[], s32[]) tuple(one, n)\n i = s32[] get-tuple-element(t), index=0\n j = s32[] get-dimension-size(p), dimensions={1}",
            "d0 + 1",
            "d1 + 3",
        ),
    ] {
        assert_eq!(sliced(offsets), at(row, column), "{offsets}");
    }
}

#[test]
fn indices_are_expressions_or_runs() {
    for (shape, indices, expected) in [
        (
            "64,1",
            "i = s32[64,1] iota(), iota_dimension=0",
            "(d0) -> (min(d0, 32)), domain: d0 in [0, 63]",
        ),
        ("9,1", "i = s32[9,1] iota(), iota_dimension=1", "(d0) -> (0), domain: d0 in [0, 8]"),
        (
            "9,1",
            "a = s32[9] iota(), iota_dimension=0\n b = s32[9] reverse(a), dimensions={0}\n i = s32[9,1] reshape(b)",
            "(d0) -> (-d0 + 8), domain: d0 in [0, 8]",
        ),
        (
            "4,1",
            "i = s32[4,1] constant({{2},{4},{6},{8}})",
            "(d0) -> (d0 * 2 + 2), domain: d0 in [0, 3]",
        ),
        (
            "5,1",
            "i = s32[5,1] constant({{7},{7},{40},{1},{2}})",
            "(d0) -> (7), domain: d0 in [0, 1] | (d0) -> (32), domain: d0 in [2, 2] | \
             (d0) -> (1), domain: d0 in [3, 3] | (d0) -> (2), domain: d0 in [4, 4]",
        ),
        (
            "6,1",
            "a = s32[2,1] iota(), iota_dimension=0\n b = s32[4,1] iota(), iota_dimension=0\n i = s32[6,1] concatenate(a, b), dimensions={0}",
            "(d0) -> (0), domain: d0 in [0, 0] | (d0) -> (1), domain: d0 in [1, 1] | (d0) -> (d0 - 2), domain: d0 in [2, 5]",
        ),
    ] {
        assert_eq!(gathered(shape, indices), expected, "{indices}");
    }
}

#[test]
fn what_is_not_known_or_might_wrap_is_left_to_run_time() {
    for offsets in [
        "i = s32[] add(n, one)\n j = s32[] constant(0)",
        "z = s32[] constant(0)\n i = s32[] multiply(n, z)\n j = s32[] constant(0)",
        "a = s8[] constant(100)\n b = s8[] add(a, a)\n i = s32[] convert(b)\n j = s32[] constant(0)",
        "a = s32[] constant(300)\n b = u8[] convert(a)\n i = s32[] convert(b)\n j = s32[] constant(0)",
        "z = s32[] constant(0)\n i = s32[] divide(one, z)\n j = s32[] constant(0)",
        "i = s32[] constant({...})\n j = s32[] constant(0)",
        "a = f32[] convert(n)\n i = s32[] convert(a)\n j = s32[] constant(0)",
    ] {
        let expected =
            "(d0, d1){rt0} -> (d0 + rt0, d1), domain: d0 in [0, 2], d1 in [0, 0], rt0 in [0, 1]";
        assert_eq!(sliced(offsets), expected, "{offsets}");
    }
    let half = "a = s32[4,1] constant({{2},{4},{6},{9}})\n b = s32[1,1] reshape(n)\n i = s32[5,1] concatenate(a, b), dimensions={0}";
    assert_eq!(gathered("5,1", half), "(d0){rt0} -> (rt0), domain: d0 in [0, 4], rt0 in [0, 32]");
}

#[test]
fn values_are_followed_into_what_is_called() {
    for (call, offset) in [
        ("f = s32[] fusion(one), kind=kLoop, calls=twice", "d0 + 2"),
        ("f = s32[] call(one), to_apply=twice", "d0 + 2"),
        (
            "f = s32[] conditional(no, one, one), true_computation=twice, false_computation=kept",
            "d0 + 1",
        ),
        (
            "s = ((s32[]), s32[], u32[]) async-start(one), calls=twice\n f = s32[] async-done(s)",
            "d0 + 2",
        ),
        ("s = (s32[], s32[], u32[]) copy-start(one)\n f = s32[] copy-done(s)", "d0 + 1"),
    ] {
        let text = format!(
            "HloModule m
             twice {{ a = s32[] parameter(0)  ROOT b = s32[] add(a, a) }}
             kept {{ ROOT a = s32[] parameter(0) }}
             ENTRY e {{
               p = f32[9] parameter(0)
               one = s32[] constant(1)
               no = pred[] constant(false)
               {call}
               ROOT r = f32[2] dynamic-slice(p, f), dynamic_slice_sizes={{2}}
             }}"
        );
        let lines = lines(&text).expect("a right program");
        assert_eq!(
            lines[0],
            format!("[] <- 0[]: (d0) -> ({offset}), domain: d0 in [0, 1]"),
            "{call}"
        );
    }
    // Within the computation the offset is arbitrary; each call site gives it another value.
    let text = "HloModule m
        part {
          p = f32[9] parameter(0)
          i = s32[] parameter(1)
          j = s32[] multiply(i, i)
          ROOT r = f32[2] dynamic-slice(p, j), dynamic_slice_sizes={2}
        }
        ENTRY e {
          p = f32[9] parameter(0)
          two = s32[] constant(2)
          three = s32[] constant(3)
          a = f32[2] fusion(p, two), kind=kLoop, calls=part
          b = f32[2] fusion(p, three), kind=kLoop, calls=part
          ROOT r = (f32[2], f32[2]) tuple(a, b)
        }";
    let module = read(text);
    let maps = Analysis::new(&module, &keep).computation(module.entry()).expect("a right program");
    let results = maps.iter().filter_map(|entry| entry.reads.maps()).flatten();
    let first: Vec<_> = results.map(|map| map.map.eval(&[0])).collect();
    assert_eq!(first, [Ok(vec![4]), Ok(vec![7])]);
}
