//! Custom-calls: those with a published meaning, and those in a user's table.

use crate::support::reads::{check, lines_of};
use affinor::prove::Budget;
use affinor::text::ErrorKind;
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_hlo as hlo;
use affinor_ops::indexing::{Analysis, CustomCalls};
use std::sync::Arc;

const MATRICES: &str = "
    p = f32[8,16] parameter(0)
    q = f32[16,4] parameter(1)
    c = f32[8,4] parameter(2)
    v = f32[4] parameter(3)
    s = f32[] parameter(4)\n";

/// Checks the reads of a custom-call after some parameters.
#[track_caller]
fn check_call(parameters: &str, call: &str, expected: &[&str]) {
    check(&format!("{parameters}r = {call}"), expected);
}

#[test]
fn transfers_keep_elements() {
    for target in
        ["MoveToHost", "MoveToDevice", "Pin", "Unpin", "Sharding", "annotate_device_placement"]
    {
        check_call(
            MATRICES,
            &format!("f32[8,16] custom-call(p), custom_call_target=\"{target}\""),
            &["[] <- 0[]: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 15]"],
        );
    }
    // With another shape it is another custom-call.
    check_call(
        MATRICES,
        "f32[16,8] custom-call(p), custom_call_target=\"MoveToHost\"",
        &[
            "[] <- 0[]: unknown, `r`: `MoveToHost` is another one here: the result has other sizes than the operand",
        ],
    );
    check_call(
        MATRICES,
        "f32[8,16] custom-call(p), custom_call_target=\"MoveToHosts\"",
        &["[] <- 0[]: unknown, `r`: the reads of a custom-call are known to its target alone"],
    );
}

#[test]
fn a_device_holds_a_part() {
    check_call(
        MATRICES,
        "f32[3,16] custom-call(p), custom_call_target=\"SPMDFullToShardShape\"",
        &[
            "[] <- 0[]: at most (d0, d1)[s0] -> (d0 + s0 * 3, d1), domain: d0 in [0, 2], d1 in [0, 15], \
           s0 in [0, 2], d0 + s0 * 3 in [0, 7]",
        ],
    );
    check_call(
        MATRICES,
        "f32[16,16] custom-call(p), custom_call_target=\"SPMDShardToFullShape\"",
        &[
            "[] <- 0[]: at most (d0, d1) -> (d0 mod 8, d1), domain: d0 in [0, 15], d1 in [0, 15], d0 mod 8 in [0, 7]",
        ],
    );
    check_call(
        MATRICES,
        "(f32[8,16], f32[8,4]) custom-call(p, q), custom_call_target=\"xla.sdy.GlobalToLocalShape\"",
        &[
            "[0] <- 0[]: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 15]",
            "[1] <- 1[]: at most (d0, d1)[s0] -> (d0 + s0 * 8, d1), domain: d0 in [0, 7], d1 in [0, 3], \
             s0 in [0, 1], d0 + s0 * 8 in [0, 15]",
        ],
    );
    check_call(
        MATRICES,
        "f32[8,16] custom-call(p, q), custom_call_target=\"Sharding\"",
        &[
            "[] <- 0[]: unknown, `r`: `Sharding` is another one here: 1 result(s) of 2 operand(s)",
            "[] <- 1[]: unknown, `r`: `Sharding` is another one here: 1 result(s) of 2 operand(s)",
        ],
    );
    check_call(
        MATRICES,
        "f32[8,16] custom-call(p), custom_call_target=\"xla.sdy.GlobalToLocalShape\"",
        &["[] <- 0[]: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 15]"],
    );
}

#[test]
fn matrix_products() {
    let numbers = "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],\
        \"rhs_contracting_dimensions\":[\"0\"],\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]}";
    let lhs =
        "[0] <- 0[]: (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 15]";
    let rhs =
        "[0] <- 1[]: (d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 15]";
    let call = |operands: &str, target: &str, config: &str| {
        format!(
            "(f32[8,4], s8[64]) custom-call({operands}), custom_call_target=\"{target}\", backend_config={config}"
        )
    };
    let nested =
        |beta: i64| format!("{{\"a\":1,\"gemm_backend_config\":{{\"beta\":{beta},{numbers}}}}}");
    check_call(MATRICES, &call("p, q", "__cublas$gemm", &nested(0)), &[lhs, rhs]);
    let quoted = format!("{{\"beta\":0,{numbers}}}").replace('"', "\\\"");
    check_call(MATRICES, &call("p, q", "__cublas$gemm", &format!("\"{quoted}\"")), &[lhs, rhs]);
    check_call(
        MATRICES,
        &call("p, q, c, v, s", "__cublas$lt$matmul$f8", &nested(1)),
        &[
            lhs,
            rhs,
            "[0] <- 2[]: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]",
            "[0] <- 3[]: (d0, d1) -> (d1), domain: d0 in [0, 7], d1 in [0, 3]",
            "[0] <- 4[]: (d0, d1) -> (), domain: d0 in [0, 7], d1 in [0, 3]",
        ],
    );
    check_call(
        MATRICES,
        &call("p, q, c", "__cublas$gemm", &nested(0)),
        &[lhs, rhs, "[0] <- 2[]: at most (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]"],
    );
    let missing = |k: usize, part: usize| {
        format!(
            "[{part}] <- {k}[]: unknown, `r`: its backend config has no `dot_dimension_numbers`"
        )
    };
    let all = [missing(0, 0), missing(1, 0), missing(0, 1), missing(1, 1)];
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    check_call(MATRICES, &call("p, q", "__cublas$gemm", "{\"beta\":0}"), &all);
}

#[test]
fn scales_of_blocks() {
    let bounds = "domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 7], s0 in [0, 63]";
    let expected =
        ["(d0, d1, s0)", "(d0, d2, s0)", "(d0, d1, s0 floordiv 32)", "(d0, d2, s0 floordiv 32)"];
    let expected = (0..).zip(expected).map(|(k, index): (usize, &str)| {
        format!("[] <- {k}[]: (d0, d1, d2)[s0] -> {index}, {bounds}")
    });
    let expected: Vec<String> = expected.collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check_call(
        "a = f8e4m3fn[2,4,64] parameter(0)
         b = f8e4m3fn[2,8,64] parameter(1)
         x = f8e8m0fnu[2,4,2] parameter(2)
         y = f8e8m0fnu[2,8,2] parameter(3)\n",
        "f32[2,4,8] custom-call(a, b, x, y), custom_call_target=\"__op$block_scaled_dot\"",
        &expected,
    );
}

#[test]
fn convolutions_and_their_gradients() {
    const ARRAYS: &str = "
        x = f32[1,2,9] parameter(0)
        k = f32[4,2,3] parameter(1)
        o = f32[1,4,4] parameter(2)
        b = f32[4] parameter(3)\n";
    #[track_caller]
    fn check(shape: &str, call: &str, expected: &[&str]) {
        let (operands, target) = call.split_once(' ').expect("operands and target");
        let call = format!(
            "({shape}, u8[0]) custom-call({operands}), custom_call_target=\"__cudnn$conv{target}\", \
             window={{size=3 stride=2}}, dim_labels=bf0_oi0->bf0"
        );
        let expected: Vec<String> = (0..)
            .zip(expected)
            .map(|(k, map): (usize, &&str)| format!("[0] <- {k}[]: {map}"))
            .collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check_call(ARRAYS, &call, &expected);
    }
    let output = "domain: d0 in [0, 0], d1 in [0, 3], d2 in [0, 3]";
    let forward = [
        &format!(
            "(d0, d1, d2)[s0, s1] -> (d0, s1, d2 * 2 + s0), {output}, s0 in [0, 2], s1 in [0, 1]"
        ),
        &format!("(d0, d1, d2)[s0, s1] -> (d1, s1, s0), {output}, s0 in [0, 2], s1 in [0, 1]"),
        &format!("(d0, d1, d2) -> (d1), {output}"),
        &*format!("at most (d0, d1, d2) -> (d0, d1, d2), {output}"),
    ];
    check("f32[1,4,4]", "x,k Forward", &forward[..2]);
    check("f32[1,4,4]", "x,k,b,o BiasActivationForward", &forward);
    let input = "domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 8], s0 in [0, 3], s1 in [0, 3], d2 - s0 * 2 in [0, 2]";
    check(
        "f32[1,2,9]",
        "o,k BackwardInput",
        &[
            &format!("(d0, d1, d2)[s0, s1] -> (d0, s1, s0), {input}"),
            &format!("(d0, d1, d2)[s0, s1] -> (s1, d1, d2 - s0 * 2), {input}"),
        ],
    );
    let kernel = "domain: d0 in [0, 3], d1 in [0, 1], d2 in [0, 2], s0 in [0, 3], s1 in [0, 0]";
    check(
        "f32[4,2,3]",
        "x,o BackwardFilter",
        &[
            &format!("(d0, d1, d2)[s0, s1] -> (s1, d1, d2 + s0 * 2), {kernel}"),
            &format!("(d0, d1, d2)[s0, s1] -> (s1, d0, s0), {kernel}"),
        ],
    );
}

/// Returns the reads of a call by the library's table, extended by this one.
fn by_table(table: &str, call: &str) -> Result<Vec<String>, String> {
    let own = CustomCalls::read(table).unwrap_or_else(|error| panic!("{error}\n{table}"));
    let table = Arc::new(CustomCalls::published().extended_by(own));
    lines_of(&format!("{MATRICES}r = {call}"), &table)
}

const MINE: &str = "f32[8,16] custom-call(p, q), custom_call_target=\"mine\"";

#[test]
fn a_table_says_what_a_target_reads() {
    #[track_caller]
    fn check(table: &str, call: &str, expected: &[&str]) {
        assert_eq!(by_table(table, call).expect("a map that fits"), expected, "{table}");
    }
    let row =
        "[] <- 0[]: (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 7], d1 in [0, 15], s0 in [0, 15]";
    check("\"mine\":\n  reads 0: affine_map<(d0, d1)[s0] -> (d0, s0)>", MINE, &[row]);
    check(
        "\"mine\":\nreads 0: (i, j)[k] -> (i, k), domain: i in [0, 7], j in [0, 15], k in [2, 15]",
        MINE,
        &[&row.replace("s0 in [0,", "s0 in [2,")],
    );
    check(
        "\"mine\":\n  may read 1 : affine_map<(d0, d1) -> (d1, d0 floordiv 2)>  \n",
        MINE,
        &[
            "[] <- 1[]: at most (d0, d1) -> (d1, d0 floordiv 2), domain: d0 in [0, 7], d1 in [0, 15]",
        ],
    );
    check(
        "\"mine\":\n reads 0: affine_map<(d0, d1) -> (d0, 0)>\n# and\n\n reads 0: affine_map<(d0, d1) -> (d0, d1)>",
        MINE,
        &["[] <- 0[]: (d0, d1) -> (d0, 0), domain: d0 in [0, 7], d1 in [0, 15] | \
           (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 15]"],
    );
    check("\"mine\":", MINE, &[]);
    // A form, several targets, and an entry that replaces one of the library's.
    let same = "[] <- 0[]: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 15]";
    check("\"other\" \"mine\": identity", &MINE.replace("p, q", "p"), &[same]);
    let host = MINE.replace("mine", "MoveToHost");
    check("\"MoveToHost\":\n reads 0: affine_map<(d0, d1)[s0] -> (d0, s0)>", &host, &[row]);
}

#[test]
fn a_map_fits_the_shapes_or_is_refused() {
    for (line, why) in [
        (
            "reads 0: affine_map<(d0) -> (d0, 0)>",
            "a map from 1 to 2 dimension(s) for a result of sizes [8, 16] and an operand of sizes [8, 16]",
        ),
        (
            "reads 0: affine_map<(d0, d1) -> (d0)>",
            "a map from 2 to 1 dimension(s) for a result of sizes [8, 16] and an operand of sizes [8, 16]",
        ),
        (
            "reads 2: affine_map<(d0, d1) -> (d0)>",
            "the custom-call has no such result, or no such operand",
        ),
        (
            "{0} reads 0: affine_map<(d0, d1) -> (d0, d1)>",
            "the custom-call has no such result, or no such operand",
        ),
        (
            "reads 0: affine_map<(d0, d1) -> (d1, d0)>",
            "`d1` lies in [0, 15], and dimension 0 of the operand has size 8",
        ),
        (
            "reads 0: (i, j)[k] -> (i, k), domain: i in [0, 7], j in [0, 15], k in [0, 16]",
            "`k` lies in [0, 16], and dimension 1 of the operand has size 16",
        ),
        (
            "reads 0: (i, j) -> (i, j), domain: i in [0, 8], j in [0, 15]",
            "`i` lies in [0, 8], and dimension 0 of the result has size 8",
        ),
        (
            "reads 0: affine_map<(d0, d1)[s0] -> (d0, d1 + s0 * 2)>",
            "`s0` is not an index of the operand by itself and has no bounds",
        ),
        (
            "reads 0: affine_map<(d0, d1) -> (d0, d1 + 1)>",
            "result 1 lies in [1, 16], and dimension 1 of the operand has size 16; a constraint in the domain keeps it within",
        ),
        (
            "reads 0: (i, j){r} -> (i, r), domain: i in [0, 7], j in [0, 15], r in [0, 15]",
            "expected a map without runtime variables",
        ),
    ] {
        let expected = Err(format!("line 2 of the table for `mine`: {why}"));
        assert_eq!(by_table(&format!("\"mine\":\n{line}"), MINE), expected, "{line}");
    }
}

#[test]
fn a_table_that_cannot_be_read_is_refused_at_its_position() {
    #[track_caller]
    fn refuse(table: &str, at: &str, message: &str) {
        let error = CustomCalls::read(table).expect_err(table);
        let span = error.span.clone().expect("a position");
        assert!(table[span.start..].starts_with(at), "{table}: {span:?}");
        assert_eq!((error.kind, &*error.message), (ErrorKind::Syntax, message), "{table}");
    }
    refuse("reads 0: x", "reads", "expected a target in quotes");
    refuse("\"a", "a", "expected `\"` after the target");
    refuse("\"a\" b", "b", "expected another target in quotes, or `:`");
    refuse("\"a\": conv", "conv", "expected the op that it stands for, or a new line and maps");
    refuse("\"a\":\n  read 0: x", "read", "expected `reads` or `may read`");
    refuse("\"a\":\n  reads x", "x", "expected the number of an operand or of a part");
    refuse("\"a\":\n  {0;} reads 0", ";}", "expected `,` or `}`");
    refuse("\"a\":\n  reads 0 (d0)", "(d0)", "expected `:` and a map");
    refuse("\"a\": identity\n  reads 0: x", "reads", "expected a target in quotes");
    let error = CustomCalls::read("\"a\":\n  reads 0: (d0) -> (d1), domain: d0 in [0, 1]")
        .expect_err("a name");
    assert_eq!((error.kind, error.span), (ErrorKind::Name, Some(25..27)));
}

/// Decompositions, solvers and attention work on each batch separately, as proved by their definitions.
#[test]
fn libraries_work_on_each_batch_by_itself() {
    const BATCHES: &str = "
    a = f32[2,5,3] parameter(0)
    b = f64[2,3,5] parameter(1)
    t = f32[2,3] parameter(2)
    q = bf16[2,6,4,8] parameter(3)
    k = bf16[2,7,4,8] parameter(4)
    o = f32[3,3] parameter(5)
    n = s32[] parameter(6)
    bias = bf16[1,4,6,7] parameter(7)
    pages = bf16[9,7,4,8] parameter(8)\n";
    for (call, is_known, expected) in [
        (
            "(f32[2,5,3], s32[2,3], s32[2]) custom-call(a), custom_call_target=\"lapack_sgetrf_ffi\"",
            true,
            "[1] <- 0[]: at most (d0, d1)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 1], d1 in [0, 2], s0 in [0, 4], s1 in [0, 2]",
        ),
        (
            "(f32[2,5,3], f32[2,3]) custom-call(a), custom_call_target=\"lapack_zgeqrf_ffi\"",
            true,
            "[0] <- 0[]: at most (d0, d1, d2)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 2], s0 in [0, 4], s1 in [0, 2]",
        ),
        (
            "f32[2,5,3] custom-call(a, t), custom_call_target=\"lapack_sorgqr_ffi\"",
            true,
            "[] <- 1[]: at most (d0, d1, d2)[s0] -> (d0, s0), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 2], s0 in [0, 2]",
        ),
        (
            "(f32[3,3], u8[16], s32[]) custom-call(o), custom_call_target=\"__cusolver$cholesky\"",
            true,
            "[0] <- 0[]: at most (d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 2], d1 in [0, 2], s0 in [0, 2], s1 in [0, 2]",
        ),
        (
            "(f64[2,3,5], s32[2]) custom-call(n, b), custom_call_target=\"lapack_dgesdd\"",
            true,
            "[1] <- 0[]: at most (d0) -> (), domain: d0 in [0, 1]",
        ),
        (
            "s32[2,5] custom-call(t), custom_call_target=\"cuda_lu_pivots_to_permutation\"",
            true,
            "[] <- 0[]: at most (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 1], d1 in [0, 4], s0 in [0, 2]",
        ),
        (
            "(bf16[2,4,6,8], u8[0]) custom-call(q, k, k, bias), custom_call_target=\"__cudnn$fmhaScaleBiasSoftmax\"",
            true,
            "[0] <- 1[]: at most (d0, d1, d2, d3)[s0, s1, s2] -> (d0, s0, s1, s2), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 5], d3 in [0, 7], s0 in [0, 6], s1 in [0, 3], s2 in [0, 7]",
        ),
        // Pages do not belong to a batch, and a single vector is not a matrix.
        (
            "bf16[2,4,6,8] custom-call(q, pages, pages), custom_call_target=\"__cudnn$fmhaSoftmax\"",
            false,
            "",
        ),
        (
            "bf16[2,4,6,8] custom-call(q, k, k), custom_call_target=\"__cudnn$fmhaSoftmax\", backend_config={\"cudnn_fmha_backend_config\":{\"is_paged_attention\":true}}",
            false,
            "",
        ),
        ("s32[] custom-call(n), custom_call_target=\"lapack_sgetrf_ffi\"", false, ""),
        ("f32[2,5,3] custom-call(a), custom_call_target=\"lapack_sgetrx_ffi\"", false, ""),
    ] {
        let module = hlo::read_text(&format!("{BATCHES}r = {call}")).unwrap();
        let body = &module[module.entry()];
        let mut analysis = Analysis::new(&module, &|map| map.clone());
        let reads = analysis.instruction(module.entry(), body.root()).unwrap();
        let known = reads.iter().all(|entry| entry.reads.maps().is_some());
        assert_eq!(known, is_known, "{call}");
        if is_known {
            let defined = Definitions::new(&module).of(body, &body[body.root()]);
            let judged = judge(&defined, &reads, &Budget::default());
            let is_proved = |one: &Option<Judgement>| matches!(one, Some(Judgement::Proved));
            assert!(judged.iter().all(is_proved), "{call}: {judged:?}");
            let text = format!("{BATCHES}r = {call}");
            let lines = lines_of(&text, &CustomCalls::published()).unwrap();
            assert!(lines.iter().any(|line| line == expected), "{lines:#?}");
        }
    }
}
