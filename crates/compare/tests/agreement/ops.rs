//! Ops of HLO that few programs use, parsed from text: attributes, tuples of results, and refusals.

use crate::support::reads::{check, lines, refuse};
use affinor::prove::Budget;
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_hlo as hlo;
use affinor_ops::indexing::Analysis;

#[test]
fn a_sort_reads_the_lines_of_what_it_compares() {
    let sort = |operands: &str| {
        format!(
            "HloModule sort
             less {{
               a = f32[] parameter(0)
               b = f32[] parameter(1)
               i = s32[] parameter(2)
               j = s32[] parameter(3)
               ROOT r = pred[] compare(a, b), direction=LT
             }}
             ENTRY main {{
               {operands}
             }}"
        )
    };
    let keys = "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], d1 in [0, 1], s0 in [0, 3]";
    check(
        &sort(
            "p = f32[4,2] parameter(0)
             q = s32[4,2] parameter(1)
             ROOT s = (f32[4,2], s32[4,2]) sort(p, q), dimensions={0}, to_apply=less",
        ),
        &[
            &format!("[0] <- 0[]: {keys}"),
            &format!("[1] <- 0[]: {keys}"),
            &format!("[1] <- 1[]: at most {keys}"),
        ],
    );
    let own = "(d0, d1) -> (d0, d1), domain: d0 in [0, 0], d1 in [0, 1]";
    check(
        &sort(
            "p = f32[1,2] parameter(0)
             q = s32[1,2] parameter(1)
             ROOT s = (f32[1,2], s32[1,2]) sort(p, q), dimensions={0}, to_apply=less",
        ),
        &[&format!("[0] <- 0[]: {own}"), &format!("[1] <- 1[]: {own}")],
    );
    refuse(
        "p = f32[4,2] parameter(0)
         s = f32[4,3] sort(p), dimensions={0}, to_apply=less",
        "sort of sizes [4, 2] along dimensions [0] does not give sizes [4, 3]",
    );
}

#[test]
fn top_k_reads_the_whole_last_dimension() {
    let line = "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 2], d1 in [0, 1], s0 in [0, 6]";
    check(
        "p = f32[3,7] parameter(0)
         t = (f32[3,2], s32[3,2]) topk(p), k=2, largest=true",
        &[&format!("[0] <- 0[]: {line}"), &format!("[1] <- 0[]: {line}")],
    );
    refuse(
        "p = f32[3,7] parameter(0)
         t = (f32[3,8], s32[3,8]) topk(p), k=8, largest=true",
        "topk of sizes [3, 7] does not give sizes [3, 8]",
    );
}

#[test]
fn transforms_and_systems() {
    check(
        "p = f32[2,5] parameter(0)
         f = c64[2,3] fft(p), fft_type=RFFT, fft_length={5}",
        &["[] <- 0[]: (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 1], d1 in [0, 2], s0 in [0, 4]"],
    );
    refuse(
        "p = f32[2,5] parameter(0)
         f = c64[2,5] fft(p), fft_type=RFFT, fft_length={5}",
        "a transform RFFT of length [5] of sizes [2, 5] does not give sizes [2, 5]",
    );
    check(
        "a = f32[3,3] parameter(0)
         b = f32[3,2] parameter(1)
         x = f32[3,2] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true,
           transpose_a=NO_TRANSPOSE",
        &[
            "[] <- 0[]: (d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 2], d1 in [0, 1], s0 in [0, 2], \
             s1 in [0, 2], d0 - s0 in [0, 2], d0 - s1 in [0, 2], s0 - s1 in [1, 2]",
            "[] <- 1[]: (d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 2], d1 in [0, 1], s0 in [0, 2], \
             d0 - s0 in [0, 2]",
        ],
    );
    let factor = lines(
        "a = f32[3,3] parameter(0)
         l = f32[3,3] cholesky(a), lower=true",
    );
    let factor = factor.expect("a right program").join("\n");
    assert_eq!(factor.matches(" -> ").count(), 3, "{factor}");
    assert_eq!(factor.matches("at most").count(), 1, "{factor}");
}

#[test]
fn normalization_reads_features() {
    let statistic = "(d0, d1) -> (d1), domain: d0 in [0, 3], d1 in [0, 1]";
    let all = "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], d1 in [0, 1], s0 in [0, 3]";
    let of_feature = "(d0)[s0] -> (s0, d0), domain: d0 in [0, 1], s0 in [0, 3]";
    check(
        "x = f32[4,2] parameter(0)
         s = f32[2] parameter(1)
         o = f32[2] parameter(2)
         n = (f32[4,2], f32[2], f32[2]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1",
        &[
            &format!("[0] <- 0[]: {all}"),
            &format!("[0] <- 1[]: {statistic}"),
            &format!("[0] <- 2[]: {statistic}"),
            &format!("[1] <- 0[]: {of_feature}"),
            &format!("[2] <- 0[]: {of_feature}"),
        ],
    );
    let inputs = "x = f32[4,2] parameter(0)
         s = f32[2] parameter(1)
         m = f32[2] parameter(2)
         v = f32[2] parameter(3)\n";
    check(
        &format!(
            "{inputs} o = f32[2] parameter(4)
             n = f32[4,2] batch-norm-inference(x, s, o, m, v), epsilon=0.001, feature_index=1"
        ),
        &[
            "[] <- 0[]: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 1]",
            &format!("[] <- 1[]: {statistic}"),
            &format!("[] <- 2[]: {statistic}"),
            &format!("[] <- 3[]: {statistic}"),
            &format!("[] <- 4[]: {statistic}"),
        ],
    );
    let gradient = format!(
        "{inputs} g = f32[4,2] parameter(4)
         n = (f32[4,2], f32[2], f32[2]) batch-norm-grad(x, s, m, v, g), epsilon=0.001, feature_index=1"
    );
    let statistic_of_statistic = "(d0) -> (d0), domain: d0 in [0, 1]";
    check(
        &gradient,
        &[
            &format!("[0] <- 0[]: {all}"),
            &format!("[0] <- 1[]: {statistic}"),
            &format!("[0] <- 2[]: {statistic}"),
            &format!("[0] <- 3[]: {statistic}"),
            &format!("[0] <- 4[]: {all}"),
            &format!("[1] <- 0[]: {of_feature}"),
            &format!("[1] <- 2[]: {statistic_of_statistic}"),
            &format!("[1] <- 3[]: {statistic_of_statistic}"),
            &format!("[1] <- 4[]: {of_feature}"),
            &format!("[2] <- 4[]: {of_feature}"),
        ],
    );
    refuse(
        &gradient.replace("feature_index=1", "feature_index=0"),
        "expected sizes [4] for operand 1",
    );
}

#[test]
fn dots_with_scales_and_with_groups() {
    let bounds = "d0 in [0, 1], d1 in [0, 2], s0 in [0, 3]";
    check(
        "a = f8e4m3fn[2,4] parameter(0)
         b = f8e4m3fn[4,3] parameter(1)
         s = f8e8m0fnu[2,2] parameter(2)
         t = f8e8m0fnu[2,3] parameter(3)
         d = f32[2,3] scaled-dot(a, b, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        &[
            &format!("[] <- 0[]: (d0, d1)[s0] -> (d0, s0), domain: {bounds}"),
            &format!("[] <- 1[]: (d0, d1)[s0] -> (s0, d1), domain: {bounds}"),
            &format!("[] <- 2[]: (d0, d1)[s0] -> (d0, s0 floordiv 2), domain: {bounds}"),
            &format!("[] <- 3[]: (d0, d1)[s0] -> (s0 floordiv 2, d1), domain: {bounds}"),
        ],
    );
    check(
        "a = f32[2,4] parameter(0)
         b = f32[5,4,3] parameter(1)
         g = s32[5] parameter(2)
         d = f32[2,3] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1},
           lhs_ragged_dims={0}, rhs_group_dims={0}",
        &[
            &format!("[] <- 0[]: at most (d0, d1)[s0] -> (d0, s0), domain: {bounds}"),
            &format!(
                "[] <- 1[]: at most (d0, d1)[s0, s1] -> (s1, s0, d1), domain: {bounds}, s1 in [0, 4]"
            ),
            "[] <- 2[]: at most (d0, d1)[s0] -> (s0), domain: d0 in [0, 1], d1 in [0, 2], s0 in [0, 4]",
        ],
    );
}

#[test]
fn ops_whose_results_depend_on_more_or_less_than_elements() {
    check(
        "a = f32[] parameter(0)
         b = f32[] parameter(1)
         r = f32[4] rng(a, b), distribution=rng_uniform",
        &[
            "[] <- 0[]: (d0) -> (), domain: d0 in [0, 3]",
            "[] <- 1[]: (d0) -> (), domain: d0 in [0, 3]",
        ],
    );
    check(
        "s = u64[2] parameter(0)
         r = (u64[2], u32[4]) rng-bit-generator(s), algorithm=rng_three_fry",
        &[
            "[0] <- 0[]: at most (d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]",
            "[1] <- 0[]: at most (d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 1]",
        ],
    );
    check(
        "p = f32[4,<=6] parameter(0)
         s = s32[] get-dimension-size(p), dimensions={1}",
        &[],
    );
    check(
        "p = f32[4,6] parameter(0)
         n = s32[] parameter(1)
         s = f32[4,<=6] set-dimension-size(p, n), dimensions={1}",
        &[
            "[] <- 0[]: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 5]",
            "[] <- 1[]: at most (d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, 5]",
        ],
    );
}

#[test]
fn copies_and_sends_pass_arrays_on() {
    check(
        "p = f32[4] parameter(0)
         c = (f32[4], f32[4], u32[]) copy-start(p)",
        &[
            "[0] <- 0[]: (d0) -> (d0), domain: d0 in [0, 3]",
            "[1] <- 0[]: (d0) -> (d0), domain: d0 in [0, 3]",
        ],
    );
    check(
        "p = (f32[4], f32[4], u32[]) parameter(0)
         c = f32[4] copy-done(p)",
        &["[] <- 0[0]: (d0) -> (d0), domain: d0 in [0, 3]"],
    );
    check(
        "p = f32[4] parameter(0)
         t = token[] after-all()
         s = (f32[4], u32[], token[]) send(p, t), channel_id=1",
        &["[0] <- 0[]: (d0) -> (d0), domain: d0 in [0, 3]"],
    );
    check(
        "p = f32[4] parameter(0)
         t = token[] after-all()
         a = f32[4] add-dependency(p, t)",
        &["[] <- 0[]: (d0) -> (d0), domain: d0 in [0, 3]"],
    );
}

/// Returns a scatter of scalars into a vector with this combiner and further attributes.
fn scatter(combine: &str, attributes: &str) -> String {
    format!(
        "HloModule scatter
         combine {{
           a = f32[] parameter(0)
           b = f32[] parameter(1)
           {combine}
         }}
         ENTRY main {{
           p = f32[4] parameter(0)
           i = s32[3,1] parameter(1)
           u = f32[3] parameter(2)
           ROOT s = f32[4] scatter(p, i, u), update_window_dims={{}}, inserted_window_dims={{0}},
             scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=combine{attributes}
         }}"
    )
}

#[test]
fn what_a_scatter_replaces_may_not_be_read() {
    let operand = "(d0) -> (d0), domain: d0 in [0, 3]";
    let indices =
        "[] <- 1[]: (d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 2], s1 in [0, 0]";
    let update = "(d0)[s0]{rt0} -> (s0), domain: d0 in [0, 3], s0 in [0, 2], rt0 in [0, 3], d0 - rt0 in [0, 0]";
    let sum = "ROOT r = f32[] add(a, b)";
    let replace = "ROOT r = f32[] copy(b)";
    check(
        &scatter(sum, ""),
        &[&format!("[] <- 0[]: {operand}"), indices, &format!("[] <- 2[]: {update}")],
    );
    check(
        &scatter(replace, ""),
        &[
            &format!("[] <- 0[]: at most {operand}"),
            indices,
            &format!("[] <- 2[]: at most {update}"),
        ],
    );
    check(
        &scatter(replace, ", unique_indices=true"),
        &[&format!("[] <- 0[]: at most {operand}"), indices, &format!("[] <- 2[]: {update}")],
    );
    check(&scatter("ROOT r = f32[] copy(a)", ""), &[&format!("[] <- 0[]: {operand}"), indices]);
}

#[test]
fn a_variadic_scatter_reads_what_its_results_need() {
    let text = "HloModule scatter
         combine {
           a0 = f32[] parameter(0)
           a1 = f32[] parameter(1)
           b0 = f32[] parameter(2)
           b1 = f32[] parameter(3)
           x = f32[] add(a0, b0)
           y = f32[] multiply(a1, x)
           ROOT r = (f32[], f32[]) tuple(x, y)
         }
         ENTRY main {
           p = f32[4] parameter(0)
           q = f32[4] parameter(1)
           i = s32[1] parameter(2)
           u = f32[1] parameter(3)
           v = f32[1] parameter(4)
           ROOT s = (f32[4], f32[4]) scatter(p, q, i, u, v), update_window_dims={},
             inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1,
             to_apply=combine
         }";
    let place = "domain: d0 in [0, 3], s0 in [0, 0], rt0 in [0, 3], d0 - rt0 in [0, 0]";
    let indices = "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 0]";
    check(
        text,
        &[
            "[0] <- 0[]: (d0) -> (d0), domain: d0 in [0, 3]",
            &format!("[0] <- 2[]: {indices}"),
            &format!("[0] <- 3[]: (d0)[s0]{{rt0}} -> (s0), {place}"),
            // Part 1 of the result reads part 0 of the operand only at elements with an update.
            &format!("[1] <- 0[]: (d0)[s0]{{rt0}} -> (d0), {place}"),
            "[1] <- 1[]: (d0) -> (d0), domain: d0 in [0, 3]",
            &format!("[1] <- 2[]: {indices}"),
            &format!("[1] <- 3[]: (d0)[s0]{{rt0}} -> (s0), {place}"),
        ],
    );
}

/// A scalar that is gathered along with arrays stays a scalar.
#[test]
fn scalars_are_gathered_beside_arrays() {
    let text = |sizes: &str| {
        format!(
            "a = f32[2] parameter(0)
            s = f32[] parameter(1)
            r = (f32[2], f32{sizes}) all-gather(a, s), replica_groups={{{{0}},{{1}}}}, dimensions={{0}}"
        )
    };
    check(&text("[]"), &["[0] <- 0[]: (d0) -> (d0), domain: d0 in [0, 1]", "[1] <- 1[]: () -> ()"]);
    assert!(lines(&text("[1]")).is_err());
    let module = hlo::read_text(&text("[]")).unwrap();
    let body = &module[module.entry()];
    let reads = Analysis::new(&module, &|map| map.clone()).instruction(module.entry(), body.root());
    let defined = Definitions::new(&module).of(body, &body[body.root()]);
    let judged = judge(&defined, &reads.unwrap(), &Budget::default());
    assert!(judged.iter().all(|one| matches!(one, Some(Judgement::Proved))), "{judged:?}");
}
