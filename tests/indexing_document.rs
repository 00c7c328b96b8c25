//! The examples of XLA's page *Indexing analysis*, for the ops that have maps: output to input.
//!
//! The expected text is the page's own, read and compared as a map. Where the page is wrong or wider than what
//! is read, the case says `erratum` and has our value.

use affinor::hlo;
use affinor::hlo::module::Module;
use affinor::indexing::{Analysis, Exactness, OperandReads, Reads};
use affinor::map::IndexingMap;
use affinor::syntax::{Style, parse_map, print_map};

/// What the root of a snippet reads, as `operand number -> maps`, without a simplifier.
fn reads_of_root(text: &str) -> (Module, Vec<OperandReads>) {
    let module = hlo::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let entry = module.entry();
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let reads = analysis.instruction(entry, module[entry].root());
    let reads = reads.unwrap_or_else(|e| panic!("{e}\n{text}"));
    (module, reads)
}

/// What the result of the last computation of a snippet reads of its parameters.
fn reads_of_computation(text: &str) -> Vec<OperandReads> {
    let module = hlo::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let reads = analysis.computation(module.entry());
    reads.unwrap_or_else(|e| panic!("{e}\n{text}")).to_vec()
}

/// The texts of the maps from one output to one operand.
#[track_caller]
fn maps<'a>(reads: &'a [OperandReads], output: &[usize], operand: usize) -> Vec<&'a IndexingMap> {
    let mut found = reads
        .iter()
        .filter(|entry| entry.output == output && entry.operand == operand);
    let entry = found.next().expect("the pair is listed");
    assert_eq!(found.next(), None, "the pair is listed once");
    let maps = entry.reads.maps().expect("the reads are known");
    maps.iter().map(|map| &map.map).collect()
}

#[track_caller]
fn compare(reads: &[OperandReads], output: &[usize], operand: usize, expected: &[&str]) {
    let expected: Vec<IndexingMap> = expected
        .iter()
        .map(|text| parse_map(text).unwrap_or_else(|e| panic!("{e}: {text}")))
        .collect();
    let text = |map: &IndexingMap| print_map(map, Style::Plain);
    let found: Vec<String> = maps(reads, output, operand).into_iter().map(text).collect();
    let expected: Vec<String> = expected.iter().map(text).collect();
    assert_eq!(found, expected, "output {output:?}, operand {operand}");
}

/// Checks the maps to each operand of the snippet's root, an array.
#[track_caller]
fn check(snippet: &str, expected: &[&[&str]]) {
    let (module, reads) = reads_of_root(snippet);
    let entry = &module[module.entry()];
    assert_eq!(entry[entry.root()].operands().len(), expected.len());
    for (operand, expected) in expected.iter().enumerate() {
        compare(&reads, &[], operand, expected);
    }
    assert!(reads.iter().all(|entry| entry.reads.is_exact()));
}

#[test]
fn elementwise() {
    let identity = "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]";
    check(
        "p0 = f32[10, 20] parameter(0)
         p1 = f32[10, 20] parameter(1)
         add = f32[10, 20] add(p0, p1)",
        &[&[identity], &[identity]],
    );
}

#[test]
fn broadcast() {
    // erratum: the introduction of the page gives this example with the bounds 10, 20 and 30.
    check(
        "p0 = f32[20] parameter(0)
         bc0 = f32[10, 20, 30] broadcast(p0), dimensions={1}",
        &[&["(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"]],
    );
}

#[test]
fn constant_and_iota_read_nothing() {
    check("c = f32[2] constant({1, 2})", &[]);
    check("i = s32[2, 3] iota(), iota_dimension=1", &[]);
}

#[test]
fn dynamic_slice() {
    let offset = "(d0, d1, d2) -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31]";
    let snippet = "src = s32[2,2,258] parameter(0)
         of1 = s32[] parameter(1)
         of2 = s32[] parameter(2)
         of3 = s32[] parameter(3)
         ds = s32[1,2,32] dynamic-slice(s32[2,2,258] src, s32[] of1, s32[] of2, s32[] of3),
           dynamic_slice_sizes={1, 2, 32}";
    // erratum: the page says that an offset lies between 0 and tensor_size - slice_size - 1; its own
    // example, and the clamping of XLA, include tensor_size - slice_size.
    check(
        snippet,
        &[
            &[
                "(d0, d1, d2){rt0, rt1, rt2} -> (d0 + rt0, d1 + rt1, d2 + rt2),
               domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31],
               rt0 in [0, 1], rt1 in [0, 0], rt2 in [0, 226]",
            ],
            &[offset],
            &[offset],
            &[offset],
        ],
    );
    let (_, reads) = reads_of_root(snippet);
    let Some([map]) = reads[0].reads.maps() else {
        panic!("one map is expected: {reads:?}");
    };
    let of_operand = |k: usize| {
        let index = map.index_map(&map.runtime[k]).expect("it is small");
        let clamp = map.runtime[k].clamp;
        (print_map(&index, Style::Plain), (clamp.lo(), clamp.hi()))
    };
    assert_eq!(of_operand(0), (offset.to_string(), (0, 1)));
    assert_eq!(of_operand(2), (offset.to_string(), (0, 226)));
}

#[test]
fn transpose() {
    check(
        "p0 = f32[3, 12288, 6, 128] parameter(0)
         transpose = f32[3, 6, 128, 12288] transpose(p0), dimensions={0, 2, 3, 1}",
        &[&["(d0, d1, d2, d3) -> (d0, d3, d1, d2),
             domain: d0 in [0, 2], d1 in [0, 5], d2 in [0, 127], d3 in [0, 12287],"]],
    );
}

#[test]
fn reverse() {
    check(
        "p0 = f32[1, 17, 9, 9] parameter(0)
         reverse = f32[1, 17, 9, 9] reverse(p0), dimensions={1, 2}",
        &[&["(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3),
             domain: d0 in [0, 0], d1 in [0, 16], d2 in [0, 8], d3 in [0, 8]"]],
    );
}

#[test]
fn variadic_reduce() {
    let (_, reads) = reads_of_root(
        "p0 = f32[256,10] parameter(0)
         p0_init = f32[] constant(-inf)
         p1 = s32[256,10] parameter(1)
         p1_init = s32[] constant(0)
         reduce = (f32[10], s32[10]) reduce(p0, p1, p0_init, p1_init), dimensions={0}, to_apply=max",
    );
    for output in 0..2 {
        for input in 0..2 {
            let map = "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]";
            compare(&reads, &[output], input, &[map]);
            let init = "(d0) -> (), domain: d0 in [0, 9]";
            compare(&reads, &[output], 2 + input, &[init]);
        }
    }
    // Without the reducer it cannot be told whether one result reads the other input.
    for entry in &reads {
        let own = entry.operand % 2 == entry.output[0];
        assert_eq!(entry.reads.is_exact(), own, "{entry:?}");
    }
}

#[test]
fn slice() {
    check(
        "p0 = f32[10, 20, 50] parameter(0)
         slice = f32[5, 3, 25] slice(f32[10, 20, 50] p0), slice={[5:10:1], [3:20:7], [0:50:2]}",
        &[&["(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2),
             domain: d0 in [0, 4], d1 in [0, 2], d2 in [0, 24]"]],
    );
}

#[test]
fn reshape() {
    check(
        "p0 = f32[4,8] parameter(0)
         reshape = f32[32] reshape(p0)",
        &[&["(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"]],
    );
    check(
        "p0 = f32[32] parameter(0)
         reshape = f32[4, 8] reshape(p0)",
        &[&["(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"]],
    );
    check(
        "p0 = f32[4,8] parameter(0)
         reshape = f32[2, 4, 4] reshape(p0)",
        &[&[
            "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4),
             domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]",
        ]],
    );
    check(
        "p0 = f32[4, 8, 12] parameter(0)
         reshape = f32[32, 3, 4] reshape(p0)",
        &[&["(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2),
             domain: d0 in [0, 31], d1 in [0, 2], d2 in [0, 3]"]],
    );
}

#[test]
fn concatenate() {
    check(
        "p0 = f32[2, 5, 7] parameter(0)
         p1 = f32[2, 11, 7] parameter(1)
         p2 = f32[2, 17, 7] parameter(2)
         ROOT concat = f32[2, 33, 7] concatenate(f32[2, 5, 7] p0, f32[2, 11, 7] p1,
           f32[2, 17, 7] p2), dimensions={1}",
        &[
            &["(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]"],
            &[
                "(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], d1 in [5, 15], d2 in [0, 6]",
            ],
            &[
                "(d0, d1, d2) -> (d0, d1 - 16, d2), domain: d0 in [0, 1], d1 in [16, 32], d2 in [0, 6]",
            ],
        ],
    );
}

#[test]
fn dot() {
    check(
        "p0 = f32[4, 128, 256] parameter(0)
         p1 = f32[4, 256, 64] parameter(1)
         dot = f32[4, 128, 64] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0},
           lhs_contracting_dims={2}, rhs_contracting_dims={1}",
        &[
            &["(d0, d1, d2)[s0] -> (d0, d1, s0),
               domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]"],
            &["(d0, d1, d2)[s0] -> (d0, s0, d2),
               domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]"],
        ],
    );
}

#[test]
fn pad() {
    // erratum: the page lets every output element read the padding value; only the padding does.
    check(
        "p0 = f32[4, 4] parameter(0)
         p1 = f32[] parameter(1)
         pad = f32[12, 16] pad(p0, p1), padding=1_4_1x4_8_0",
        &[
            &["(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4),
               domain: d0 in [1, 7], d1 in [4, 7], (d0 - 1) mod 2 in [0, 0]"],
            &[
                "(d0, d1) -> (), domain: d0 in [0, 0], d1 in [0, 15]",
                "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [0, 15], (d0 - 1) mod 2 in [1, 1]",
                "(d0, d1) -> (), domain: d0 in [8, 11], d1 in [0, 15]",
                "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [0, 3], (d0 - 1) mod 2 in [0, 0]",
                "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [8, 15], (d0 - 1) mod 2 in [0, 0]",
            ],
        ],
    );
}

#[test]
fn reduce_window() {
    check(
        "c_inf = f32[] constant(-inf)
         p0 = f32[1024, 514] parameter(0)
         reduce-window = f32[1024, 3] reduce-window(p0, c_inf), window={size=1x512 pad=0_0x0_0},
           to_apply=max",
        &[
            &[
                "(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 1023], d1 in [0, 2], s0 in [0, 511]",
            ],
            &["(d0, d1) -> (), domain: d0 in [0, 1023], d1 in [0, 2]"],
        ],
    );
}

#[test]
fn dynamic_update_slice() {
    // erratum: the page lets every output element read the operand, and the update beyond its ends.
    let bounds = "d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20]";
    let map = |results: &str, constraints: &str| {
        format!("(d0, d1){{rt0, rt1}} -> ({results}), domain: {bounds}, {constraints}")
    };
    let operand = [
        map("d0, d1", "d0 - rt0 in [-20, -1]"),
        map("d0, d1", "d0 - rt0 in [5, 20]"),
        map("d0, d1", "d0 - rt0 in [0, 4], d1 - rt1 in [-30, -1]"),
        map("d0, d1", "d0 - rt0 in [0, 4], d1 - rt1 in [10, 30]"),
    ];
    let update = map(
        "d0 - rt0, d1 - rt1",
        "d0 - rt0 in [0, 4], d1 - rt1 in [0, 9]",
    );
    let operand: Vec<String> = operand.iter().map(|text| without_unused(text)).collect();
    let operand: Vec<&str> = operand.iter().map(String::as_str).collect();
    let offset = "(d0, d1) -> (), domain: d0 in [0, 19], d1 in [0, 29]";
    check(
        "src = s32[20, 30] parameter(0)
         upd = s32[5, 10] parameter(1)
         of1 = s32[] parameter(2)
         of2 = s32[] parameter(3)
         dus = s32[20, 30] dynamic-update-slice(src, upd, of1, of2)",
        &[&operand, &[&update], &[offset], &[offset]],
    );
}

/// A map without its second runtime variable, if only its bounds mention it.
fn without_unused(text: &str) -> String {
    if text.contains("d1 - rt1") {
        text.to_string()
    } else {
        text.replace("{rt0, rt1}", "{rt0}")
            .replace(", rt1 in [0, 20]", "")
    }
}

#[test]
fn gather() {
    check(
        "operand = f32[33, 76, 70] parameter(0)
         indices = s32[1806, 2] parameter(1)
         gather = f32[1806, 7, 8, 4] gather(operand, indices), offset_dims={1,2,3},
           collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={7,8,4}",
        &[
            &[
                "(d0, d1, d2, d3){rt0, rt1} -> (d1 + rt0, d2 + rt1, d3), domain: d0 in [0, 1805],
               d1 in [0, 6], d2 in [0, 7], d3 in [0, 3], rt0 in [0, 26], rt1 in [0, 68]",
            ],
            &["(d0, d1, d2, d3)[s0] -> (d0, s0), domain: d0 in [0, 1805],
               d1 in [0, 6], d2 in [0, 7], d3 in [0, 3], s0 in [0, 1]"],
        ],
    );
}

#[test]
fn one_input_with_several_maps() {
    let reads = reads_of_computation(
        "f {
           p0 = f32[1000, 1000] parameter(0)
           transpose_p0 = f32[1000, 1000]{0, 1} transpose(p0), dimensions={1, 0}
           ROOT a0 = f32[1000, 1000] add(p0, transpose_p0)
         }",
    );
    let maps = [
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]",
        "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]",
    ];
    compare(&reads, &[], 0, &maps);
}

#[test]
fn one_input_with_equal_maps() {
    let reads = reads_of_computation(
        "f {
           p0 = f32[20, 10, 50] parameter(0)
           lhs_transpose_1 = f32[10, 20, 50] transpose(p0), dimensions={1, 0, 2}
           lhs_e = f32[10, 20, 50] exponential(lhs_transpose_1)
           lhs_transpose_2 = f32[10, 50, 20] transpose(lhs_e), dimensions={0, 2, 1}
           rhs_transpose_1 = f32[50, 10, 20] transpose(p0), dimensions={2, 1, 0}
           rhs_log = f32[50, 10, 20] exponential(rhs_transpose_1)
           rhs_transpose_2 = f32[10, 50, 20] transpose(rhs_log), dimensions={1, 0, 2}
           ROOT add = f32[10, 50, 20] add(lhs_transpose_2, rhs_transpose_2)
         }",
    );
    let map = "(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, 19]";
    compare(&reads, &[], 0, &[map]);
}

#[test]
fn softmax() {
    let reads = reads_of_computation(
        "softmax {
           p0 = f32[2,65,125] parameter(0)
           low = f32[] constant(-inf)
           max = f32[2,65] reduce(p0, low), dimensions={2}, to_apply=maximum
           maxes = f32[2,65,125] broadcast(max), dimensions={0,1}
           shifted = f32[2,65,125] subtract(p0, maxes)
           e = f32[2,65,125] exponential(shifted)
           zero = f32[] constant(0)
           sum = f32[2,65] reduce(e, zero), dimensions={2}, to_apply=add
           sums = f32[2,65,125] broadcast(sum), dimensions={0,1}
           ROOT result = f32[2,65,125] divide(e, sums)
         }",
    );
    let maps = [
        "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124]",
        "(d0, d1, d2)[s0] -> (d0, d1, s0),
         domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], s0 in [0, 124]",
    ];
    compare(&reads, &[], 0, &maps);
    assert!(reads.iter().all(|entry| entry.reads.is_exact()));
}

#[test]
fn chained_reshapes_cancel() {
    let reads = reads_of_computation(
        "f {
           p0 = f32[10, 10, 10] parameter(0)
           reshape1 = f32[50, 20] reshape(p0)
           ROOT reshape2 = f32[10, 10, 10] reshape(reshape1)
         }",
    );
    // To write it as the identity is the simplifier's work.
    for point in 0..1000 {
        let d = [point / 100, point / 10 % 10, point % 10];
        for map in maps(&reads, &[], 0) {
            assert_eq!(map.domain().contains(&d), Ok(true));
            assert_eq!(map.eval(&d), Ok(d.to_vec()));
        }
    }
    assert!(matches!(&reads[0].reads, Reads::Maps(maps) if maps.len() == 1));
    assert_eq!(
        reads[0].reads.maps().map(|maps| maps[0].exactness.clone()),
        Some(Exactness::Exact)
    );
}
