//! Collectives with a root, all-gathers of scalars, sparse convolutions, and ragged dots over other dimensions than rows.

use crate::support::reads::{check, read, refuse};
use affinor_ops::indexing::{Exchange, Replica};

const GROUPS: &str = "replica_groups={{0,1,2,3}}";

fn collective(op: &str) -> String {
    format!(
        "add {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }}
ENTRY e {{
  p = f32[4] parameter(0)
  q = f32[2,3] parameter(1)
  root = s32[] parameter(2)
  one = f32[] parameter(3)
  ROOT r = {op}, {GROUPS}
}}"
    )
}

#[test]
fn a_root_may_be_known_only_at_run_time() {
    let same = "at most (d0) -> (d0), domain: d0 in [0, 3]";
    let which = "at most (d0) -> (), domain: d0 in [0, 3]";
    let pair = "at most (d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]";
    let which_pair = "at most (d0, d1) -> (), domain: d0 in [0, 1], d1 in [0, 2]";
    for name in ["collective-broadcast", "collective-reduce"] {
        let added = if name == "collective-reduce" { ", to_apply=add" } else { "" };
        check(&collective(&format!("f32[4] {name}(p){added}")), &[&format!("[] <- 0[]: {same}")]);
        check(
            &collective(&format!("f32[4] {name}(p, root){added}")),
            &[&format!("[] <- 0[]: {same}"), &format!("[] <- 1[]: {which}")],
        );
        check(
            &collective(&format!("(f32[4], f32[2,3]) {name}(p, q, root){added}")),
            &[
                &format!("[0] <- 0[]: {same}"),
                &format!("[0] <- 2[]: {which}"),
                &format!("[1] <- 1[]: {pair}"),
                &format!("[1] <- 2[]: {which_pair}"),
            ],
        );
        // A root is one integer, after an operand for each result.
        refuse(
            &collective(&format!("f32[4] {name}(p, one){added}")),
            "expected a result for each of 2 operand(s), found 1",
        );
        refuse(
            &collective(&format!("f32[4] {name}(p, root, root){added}")),
            "expected a result for each of 3 operand(s), found 1",
        );
        refuse(
            &collective(&format!("f32[5] {name}(p){added}")),
            "the operand has a different shape",
        );
    }
}

/// Returns the reason why the device that is read is unknown; `None` if it is known.
fn unknown_device(op: &str) -> Option<String> {
    let module = read(&collective(op));
    let body = &module[module.entry()];
    let plain = |map: &affinor::expr::IndexingMap| map.clone();
    let mut analysis = affinor_ops::indexing::Analysis::new(&module, &plain);
    let reads = analysis.instruction(module.entry(), body.root()).expect(op);
    let exchange = Exchange::of(&module, body, &body[body.root()]).expect(op);
    match exchange.of_entry(&reads[0]) {
        Some(Replica::Unknown(reason)) => Some(reason.to_owned()),
        _ => None,
    }
}

#[test]
fn the_device_of_a_root_is_not_made_up() {
    for (op, reason) in [
        ("f32[4] collective-broadcast(p)", None),
        ("f32[4] collective-broadcast(p, root)", Some("its root is known only at run time")),
        (
            "f32[4] collective-reduce(p), to_apply=add",
            Some("which device is its root is not followed"),
        ),
        (
            "f32[4] collective-reduce(p, root), to_apply=add",
            Some("its root is known only at run time"),
        ),
    ] {
        assert_eq!(unknown_device(op).as_deref(), reason, "{op}");
    }
}

#[test]
fn a_scalar_that_is_gathered_stays_one() {
    check(&collective("f32[] all-gather(one), dimensions={0}"), &["[] <- 0[]: at most () -> ()"]);
    refuse(
        &collective("f32[4] all-gather(one), dimensions={0}"),
        "expected dimension numbers from 0 to below 0 in `dimensions`, found 0",
    );
}

const CONVOLUTION: &str = "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f";

#[test]
fn of_a_sparse_convolution_anything_may_be_read() {
    let text = |kernel: &str, more: &str, attributes: &str| {
        format!(
            "p = f32[1,4,2] parameter(0)\nk = f32[3,{kernel},1] parameter(1)\nm = u16[3,1,1] parameter(2)\n\
             r = f32[1,4,1] convolution(p, k{more}), {CONVOLUTION}{attributes}"
        )
    };
    let over = "domain: d0 in [0, 0], d1 in [0, 3], d2 in [0, 0]";
    let all = |operand: usize, sizes: [i64; 3]| {
        let bounds: Vec<String> =
            (0..3).map(|k| format!("s{k} in [0, {}]", sizes[k] - 1)).collect();
        format!(
            "[] <- {operand}[]: at most (d0, d1, d2)[s0, s1, s2] -> (s0, s1, s2), {over}, {}",
            bounds.join(", ")
        )
    };
    let sparse = ", sparsity_config={rhs={dimension=1 n=1 m=2}}";
    check(&text("2", "", sparse), &[&all(0, [1, 4, 2]), &all(1, [3, 2, 1])]);
    check(&text("1", ", m", sparse), &[&all(0, [1, 4, 2]), &all(1, [3, 1, 1]), &all(2, [3, 1, 1])]);
    refuse(&text("2", ", m", ""), "expected an input and a kernel, found 3 operand(s)");
}

#[test]
fn groups_of_a_ragged_dot_may_be_parts_of_a_sum_or_of_a_batch() {
    let text = |result: &str, left: &str, right: &str, attributes: &str| {
        format!(
            "p = f32[{left}] parameter(0)\nq = f32[{right}] parameter(1)\ng = s32[3] parameter(2)\n\
             r = f32[{result}] ragged-dot(p, q, g), {attributes}"
        )
    };
    let contracted = "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}";
    check(
        &text("3,5,2", "5,7", "7,2", contracted),
        &[
            "[] <- 0[]: at most (d0, d1, d2)[s0] -> (d1, s0), domain: d0 in [0, 2], d1 in [0, 4], d2 in [0, 1], s0 in [0, 6]",
            "[] <- 1[]: at most (d0, d1, d2)[s0] -> (s0, d2), domain: d0 in [0, 2], d1 in [0, 4], d2 in [0, 1], s0 in [0, 6]",
            "[] <- 2[]: at most (d0, d1, d2)[s0] -> (s0), domain: d0 in [0, 2], d1 in [0, 4], d2 in [0, 1], s0 in [0, 2]",
        ],
    );
    let batch = "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={0}";
    check(
        &text("4,5,2", "4,5,7", "4,7,2", batch),
        &[
            "[] <- 0[]: at most (d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 4], d2 in [0, 1], s0 in [0, 6]",
            "[] <- 1[]: at most (d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 4], d2 in [0, 1], s0 in [0, 6]",
            "[] <- 2[]: at most (d0, d1, d2)[s0] -> (s0), domain: d0 in [0, 3], d1 in [0, 4], d2 in [0, 1], s0 in [0, 2]",
        ],
    );
    let rows = "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={0}";
    refuse(
        &text("5,2", "5,7", "7,2", rows),
        "rows in groups need a group dimension of the right operand",
    );
}
