//! The reads of loops, branches, asynchronous ops and collectives, as texts of maps.

use crate::support::reads::{check, refuse};
use affinor_hlo as hlo;
use affinor_ops::indexing::Analysis;

/// Returns a loop that counts to 9 in part 0 of its state, with further parts and these lines in its body.
fn counting(parts: &[&str], body: &str, next: &str) -> String {
    let state = std::iter::once(&"s32[]").chain(parts).copied().collect::<Vec<_>>().join(", ");
    let get = |(k, part): (usize, &&str)| {
        format!("x{k} = {part} get-tuple-element(state), index={}\n", k + 1)
    };
    let gets: String = parts.iter().enumerate().map(get).collect();
    format!(
        "HloModule loop
         body {{
           state = ({state}) parameter(0)
           i = s32[] get-tuple-element(state), index=0
           one = s32[] constant(1)
           j = s32[] add(i, one)
           {gets}
           {body}
           ROOT next = ({state}) tuple(j, {next})
         }}
         condition {{
           state = ({state}) parameter(0)
           i = s32[] get-tuple-element(state), index=0
           nine = s32[] constant(9)
           ROOT less = pred[] compare(i, nine), direction=LT
         }}
         ENTRY main {{
           start = ({state}) parameter(0)
           ROOT loop = ({state}) while(start), condition=condition, body=body
         }}"
    )
}

const COUNTER: &str = "[0] <- 0[0]: () -> ()";

#[test]
fn a_part_that_no_iteration_changes_is_read_as_it_is() {
    check(
        &counting(&["f32[4]"], "", "x0"),
        &[COUNTER, "[1] <- 0[1]: (d0) -> (d0), domain: d0 in [0, 3]"],
    );
}

#[test]
fn a_sum_keeps_its_index() {
    let sum = counting(&["f32[4]", "f32[4]"], "y = f32[4] add(x0, x1)", "y, x1");
    check(
        &sum,
        &[
            COUNTER,
            "[1] <- 0[0]: (d0) -> (), domain: d0 in [0, 3]",
            "[1] <- 0[1]: (d0) -> (d0), domain: d0 in [0, 3]",
            "[1] <- 0[2]: at most (d0) -> (d0), domain: d0 in [0, 3]",
            "[2] <- 0[2]: (d0) -> (d0), domain: d0 in [0, 3]",
        ],
    );
}

#[test]
fn rows_that_iterations_take_and_put_may_be_any_rows() {
    let rows = counting(
        &["f32[9,2]", "f32[9,2]"],
        "zero = s32[] constant(0)
         row = f32[1,2] dynamic-slice(x1, i, zero), dynamic_slice_sizes={1,2}
         y = f32[9,2] dynamic-update-slice(x0, row, i, zero)",
        "y, x1",
    );
    // The row that is written is the row that was read, but its number differs in each iteration.
    let bounds = "d0 in [0, 8], d1 in [0, 1]";
    check(
        &rows,
        &[
            COUNTER,
            &format!("[1] <- 0[0]: (d0, d1) -> (), domain: {bounds}"),
            &format!("[1] <- 0[1]: at most (d0, d1) -> (d0, d1), domain: {bounds}"),
            &format!(
                "[1] <- 0[2]: at most (d0, d1)[s0] -> (d0, d1), domain: {bounds}, s0 in [0, 8], \
                 d0 - s0 in [0, 0]"
            ),
            &format!("[2] <- 0[2]: (d0, d1) -> (d0, d1), domain: {bounds}"),
        ],
    );
}

#[test]
fn what_iterations_move_may_come_from_anywhere() {
    check(
        &counting(&["f32[4]"], "y = f32[4] reverse(x0), dimensions={0}", "y"),
        &[
            COUNTER,
            "[1] <- 0[0]: (d0) -> (), domain: d0 in [0, 3]",
            "[1] <- 0[1]: at most (d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]",
        ],
    );
}

#[test]
fn what_iterations_change_depends_on_how_often_they_run() {
    check(
        &counting(&["f32[4]"], "y = f32[4] negate(x0)", "y"),
        &[
            COUNTER,
            "[1] <- 0[0]: (d0) -> (), domain: d0 in [0, 3]",
            "[1] <- 0[1]: (d0) -> (d0), domain: d0 in [0, 3]",
        ],
    );
}

#[test]
fn parts_that_take_turns_reach_each_other() {
    check(
        &counting(
            &["f32[4]", "f32[2]"],
            "y = f32[4] negate(x0)\n z = f32[2] slice(y), slice={[0:2]}",
            "y, z",
        ),
        &[
            COUNTER,
            "[1] <- 0[0]: (d0) -> (), domain: d0 in [0, 3]",
            "[1] <- 0[1]: (d0) -> (d0), domain: d0 in [0, 3]",
            "[2] <- 0[0]: (d0) -> (), domain: d0 in [0, 1]",
            "[2] <- 0[1]: at most (d0) -> (d0), domain: d0 in [0, 1]",
            "[2] <- 0[2]: at most (d0) -> (d0), domain: d0 in [0, 1]",
        ],
    );
    check(
        &counting(&["f32[2]", "f32[2]"], "", "x1, x0"),
        &[
            COUNTER,
            "[1] <- 0[0]: (d0) -> (), domain: d0 in [0, 1]",
            "[1] <- 0[1]: at most (d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]",
            "[1] <- 0[2]: at most (d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]",
            "[2] <- 0[0]: (d0) -> (), domain: d0 in [0, 1]",
            "[2] <- 0[1]: at most (d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]",
            "[2] <- 0[2]: at most (d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]",
        ],
    );
}

#[test]
fn an_op_without_maps_in_a_body_may_read_all() {
    let text = counting(&["f32[4]"], "y = f32[4] custom-call(x0), custom_call_target=\"f\"", "y");
    check(
        &text,
        &[
            COUNTER,
            "[1] <- 0[0]: (d0) -> (), domain: d0 in [0, 3]",
            "[1] <- 0[1]: at most (d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]",
        ],
    );
}

#[test]
fn a_loop_must_fit_its_state() {
    refuse(
        &counting(&["f32[4]"], "", "x0")
            .replace("start = (s32[], f32[4])", "start = (s32[], f32[5])"),
        "operand 0 does not have the shape of parameter 0 of the computation `body`",
    );
}

const BRANCHES: &str = "HloModule choice
    turned {
      p = f32[4] parameter(0)
      ROOT r = f32[4] reverse(p), dimensions={0}
    }
    row {
      p = (f32[3,4], s32[]) parameter(0)
      m = f32[3,4] get-tuple-element(p), index=0
      i = s32[] get-tuple-element(p), index=1
      zero = s32[] constant(0)
      s = f32[1,4] dynamic-slice(m, i, zero), dynamic_slice_sizes={1,4}
      ROOT r = f32[4] reshape(s)
    }
    ENTRY main {
      c = pred[] parameter(0)
      p = f32[4] parameter(1)
      q = (f32[3,4], s32[]) parameter(2)
      ROOT r = f32[4] conditional(c, p, q), true_computation=turned, false_computation=row
    }";

#[test]
fn a_conditional_reads_its_choice_and_one_branch() {
    check(
        BRANCHES,
        &[
            "[] <- 0[]: (d0) -> (), domain: d0 in [0, 3]",
            "[] <- 1[]: (d0){rt0} -> (-d0 + 3), domain: d0 in [0, 3], rt0 in [1, 1]",
            "[] <- 2[0]: (d0){rt0, rt1} -> (rt0, d0), domain: d0 in [0, 3], rt0 in [0, 2], rt1 in [0, 0]",
            "[] <- 2[1]: (d0){rt0} -> (), domain: d0 in [0, 3], rt0 in [0, 0]",
        ],
    );
    refuse(
        &BRANCHES.replace("conditional(c, p, q)", "conditional(c, p)"),
        "expected an operand for the choice and one for each of 2 branch(es), found 2",
    );
    refuse(
        &BRANCHES.replace("conditional(c, p, q)", "conditional(c, q, q)"),
        "operand 0 does not have the shape of parameter 0 of the computation `turned`",
    );
}

#[test]
fn a_conditional_names_the_operand_that_a_branch_takes_values_from() {
    let module = hlo::read(BRANCHES.as_bytes()).expect("a right program");
    let entry = module.entry();
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let reads = analysis.instruction(entry, module[entry].root()).expect("a right program");
    let matrix = reads.iter().find(|entry| entry.operand == 2).expect("it is read");
    let maps = matrix.reads.maps().expect("known");
    let sources = maps[0].runtime.iter().map(|runtime| format!("{:?}", runtime.source));
    let row = "Operand { operand: 2, path: [1] }";
    let choice = "Operand { operand: 0, path: [] }";
    assert_eq!(sources.collect::<Vec<_>>(), [row, choice]);
}

#[test]
fn a_number_without_a_branch_chooses_the_last_one() {
    check(
        "HloModule choice
         turned {
           p = f32[4] parameter(0)
           ROOT r = f32[4] reverse(p), dimensions={0}
         }
         negated {
           p = f32[4] parameter(0)
           ROOT r = f32[4] negate(p)
         }
         ENTRY main {
           c = s32[] parameter(0)
           p = f32[4] parameter(1)
           ROOT r = f32[4] conditional(c, p, p), branch_computations={turned, negated}
         }",
        &[
            "[] <- 0[]: (d0) -> (), domain: d0 in [0, 3]",
            "[] <- 1[]: (d0){rt0} -> (-d0 + 3), domain: d0 in [0, 3], rt0 in [0, 0]",
            "[] <- 2[]: (d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [-1, -1] | \
             (d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [1, 2]",
        ],
    );
}

#[test]
fn an_async_start_holds_its_operands_and_its_result() {
    let text = "HloModule later
        turned {
          p = f32[4] parameter(0)
          ROOT r = f32[4] reverse(p), dimensions={0}
        }
        ENTRY main {
          p = f32[4] parameter(0)
          ROOT s = ((f32[4]), f32[4], s32[]) async-start(p), calls=turned
        }";
    check(
        text,
        &[
            "[0, 0] <- 0[]: (d0) -> (d0), domain: d0 in [0, 3]",
            "[1] <- 0[]: (d0) -> (-d0 + 3), domain: d0 in [0, 3]",
        ],
    );
    check(
        "s = ((f32[4]), f32[4], s32[]) parameter(0)
         d = f32[4] async-done(s)",
        &["[] <- 0[1]: (d0) -> (d0), domain: d0 in [0, 3]"],
    );
    refuse(
        "s = ((f32[4]), f32[4], s32[]) parameter(0)
         d = f32[5] async-done(s)",
        "the result does not have the shape of part 1 of the operand",
    );
}

#[test]
fn collectives_read_indices_of_all_devices() {
    check(
        "p = f32[8,4] parameter(0)
         r = f32[8,4] all-reduce(p), replica_groups={{0,1,2}}, to_apply=add",
        &["[] <- 0[]: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]"],
    );
    check(
        "p = f32[8,4] parameter(0)
         g = f32[8,12] all-gather(p), replica_groups={{0,1,2}}, dimensions={1}",
        &["[] <- 0[]: at most (d0, d1) -> (d0, d1 mod 4), domain: d0 in [0, 7], d1 in [0, 11]"],
    );
    check(
        "p = f32[8,12] parameter(0)
         s = f32[8,4] reduce-scatter(p), replica_groups={{0,1,2}}, dimensions={1}, to_apply=add",
        &["[] <- 0[]: at most (d0, d1)[s0] -> (d0, d1 + s0 * 4), \
           domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 2]"],
    );
    check(
        "p = f32[12] parameter(0)
         a = f32[12] all-to-all(p), replica_groups=[2,3]<=[6], dimensions={0}",
        &[
            "[] <- 0[]: at most (d0)[s0] -> (s0 * 4 + d0 mod 4), domain: d0 in [0, 11], s0 in [0, 2]",
        ],
    );
    check(
        "p = f32[12] parameter(0)
         a = (f32[12], f32[12]) collective-permute-start(p), source_target_pairs={{0,1},{1,0}}",
        &[
            "[0] <- 0[]: (d0) -> (d0), domain: d0 in [0, 11]",
            "[1] <- 0[]: at most (d0) -> (d0), domain: d0 in [0, 11]",
        ],
    );
    refuse(
        "p = f32[8,5] parameter(0)
         g = f32[8,12] all-gather(p), replica_groups={{0,1,2}}, dimensions={1}",
        "sizes [8, 5] are not part of sizes [8, 12] along dimension 1",
    );
}

#[test]
fn a_device_alone_exchanges_nothing() {
    check(
        "p = f32[8,4] parameter(0)
         g = f32[8,4] all-gather(p), replica_groups={{0},{1}}, dimensions={1}",
        &["[] <- 0[]: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]"],
    );
}

#[test]
fn what_is_received_may_be_computed_from_any_parameter() {
    let text = |of_host: &str| {
        format!(
            "x = f32[8] parameter(0)
             none = token[] after-all()
             in = (f32[8], u32[], token[]) recv(none), channel_id=2{of_host}
             out = (f32[8], u32[], token[]) send(x, none), channel_id=2{of_host}
             sent = token[] send-done(out), channel_id=2
             got = (f32[8], token[]) recv-done(in), channel_id=2
             ROOT r = f32[8] get-tuple-element(got), index=0"
        )
    };
    let reads = |text: &str| {
        let module = crate::support::reads::read(text);
        let mut analysis = Analysis::new(&module, &crate::support::reads::keep);
        let found = analysis.computation(module.entry()).expect("a right program");
        found.iter().map(|entry| entry.reads.maps().is_some()).collect::<Vec<_>>()
    };
    assert_eq!(reads(&text("")), [false]);
    assert_eq!(reads(&text(", is_host_transfer=true")), [true]);
}
