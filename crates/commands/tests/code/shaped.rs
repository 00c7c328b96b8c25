//! Wrappers that libraries write around index expressions: subscripts that give a vector its dimension, grids, blocks and axes.

use crate::typed::typed;

/// Checks that a line of the answer begins with `expected`; an error is `error[kind]: ..`.
#[track_caller]
fn check(lines: &[&str], expected: &str) {
    let found = typed(lines);
    assert!(found.lines().any(|line| line.starts_with(expected)), "{lines:?}: {found}");
}

#[track_caller]
fn refuses(lines: &[&str], expected: &str) {
    let found = typed(lines);
    let is_refused =
        found.lines().any(|line| line.starts_with("error[") && line.contains(expected));
    assert!(is_refused, "{lines:?}: {found}");
}

#[test]
fn a_vector_along_one_dimension_is_one_index() {
    check(
        &["offs_m[:, None] * sm + offs_k[None, :] * sk"],
        "<sm, sk>(offs_m, offs_k) -> (offs_m * sm + offs_k * sk)",
    );
    check(
        &["jnp.arange(8)[:, None] * 4 + jnp.arange(4)[None, :]"],
        "(jnp_arange_8, jnp_arange_4) -> (jnp_arange_8 * 4 + jnp_arange_4)",
    );
    check(&["tl.arange(0, 8)[:] + tl.arange(0, 8)"], "(arange_0_8) -> (arange_0_8 * 2)");
    check(&["(x // 4)[:, np.newaxis] for x in range(8)"], "(x) -> (x floordiv 4)");
    check(&["x[..., None] for x in range(8)"], "(x) -> (x)");
    // A scalar belongs to either dimension.
    check(
        &[
            "m = pid * 64 + tl.arange(0, 64)",
            "n = pid * 32 + tl.arange(0, 32)",
            "m[:, None] * 8 + n[None, :] for pid in range(4)",
        ],
        "(pid, arange_0_64, arange_0_32) -> (pid * 544 + arange_0_64 * 8 + arange_0_32)",
    );
}

#[test]
fn an_arange_along_two_dimensions_is_two_indices() {
    let two = "(arange_0_64, arange_0_64_0) -> (arange_0_64 * 8 + arange_0_64_0), domain: arange_0_64 in [0, 63], arange_0_64_0 in [0, 63]";
    for lines in [
        &["tl.arange(0, 64)[:, None] * 8 + tl.arange(0, 64)[None, :]"][..],
        &["r = tl.arange(0, 64); r[:, None] * 8 + r[None, :]"],
        &["r = tl.arange(0, 64)", "r[:, None] * 8 + r[None, :]"],
        &["r = tl.arange(0, 64)", "s = tl.arange(0, 64)", "r[:, None] * 8 + s[None, :]"],
    ] {
        check(lines, two);
    }
    check(
        &["tl.load(p + tl.arange(0, 64)[:, None] * 8 + tl.arange(0, 64)[None, :])"],
        &format!("reads p: {two}"),
    );
    check(
        &[
            "m = pid_m * 64 + tl.arange(0, 64)",
            "n = pid_n * 64 + tl.arange(0, 64)",
            "m[:, None] * 8 + n[None, :]",
        ],
        "(pid_m, arange_0_64, pid_n, arange_0_64_0) -> (",
    );
    // As one index it would be injective.
    check(&["injective tl.arange(0, 4)[:, None] + tl.arange(0, 4)[None, :]"], "refuted");
}

#[test]
fn a_vector_along_two_dimensions_is_refused() {
    let two = "is along two dimensions";
    refuses(&["x[:, None] * 8 + x[None, :]"], two);
    refuses(&["x[:, None] * 8 + x"], two);
    refuses(&["x[:, None] == x[None, :]"], two);
    refuses(&["equal x[:, None] ; x[None, :]"], two);
    // Two named values, the second of which has no subscript.
    refuses(&["r = tl.arange(0, 64)", "a = r[:, None]", "b = r * 8", "a + b"], two);
    refuses(&["a = tl.arange(0, 8)[:, None]", "a[None, :]"], "has two subscripts");
    refuses(&["x[:, None][None, :]"], "has a second one");
    refuses(&["x[:, :, None]"], "is not supported");
    refuses(&["x[None]"], "is not supported");
    refuses(&["x[0, None]"], "element of an array");
    refuses(&["x[i] + 1"], "element of an array");
    refuses(&["x[:, None"], "of an array");
}

#[test]
fn grids_bind_several_names() {
    check(
        &["for i, j in T.grid(4, 8): i * 8 + j"],
        "(i, j) -> (i * 8 + j), domain: i in [0, 3], j in [0, 7]",
    );
    check(
        &["i * 8 + j for i, j in np.ndindex(4, 8)"],
        "(i, j) -> (i * 8 + j), domain: i in [0, 3], j in [0, 7]",
    );
    check(&["injective i * 8 + j for i, j in T.grid(4, 8)"], "proved");
    check(&["injective i * 7 + j for i, j in T.grid(4, 8)"], "refuted");
    check(&["i * 2 for i in T.serial(8)"], "(i) -> (i * 2), domain: i in [0, 7]");
    check(
        &["i * 10 + j for i, j in [0, 10)"],
        "(i, j) -> (i * 10 + j), domain: i in [0, 9], j in [0, 9]",
    );
    check(&["i - j where i, j in [2, 5]"], "(i, j) -> (i - j), domain: i in [2, 5], j in [2, 5]");
    check(&["i - j where i, j in range(4)"], "(i, j) -> (i - j), domain: i in [0, 3], j in [0, 3]");
    check(
        &["i * 2, j, i in [0, 3], j in [0, 2]"],
        "(i, j) -> (i * 2, j), domain: i in [0, 3], j in [0, 2]",
    );
    refuses(&["i * 8 + j, i, j in [0, 7]"], "is `i` a value, or has it these bounds?");
    refuses(&["i, j in [0, 7]"], "is `i` a value, or has it these bounds?");
    check(
        &["Piecewise((x, x < 4), (x - 4, True)) for x in range(8)"],
        "(x) -> (x - 4), domain: x in [4, 7]",
    );
    refuses(&["Piecewise((x, x < 4), (4, x > 8))"], "expected `,`");
    check(&["x // 4 * 4 + x % 4 == x for all x"], "proved");
    check(&["x // 4 == y // 4 for all integers x and y"], "refuted");
    check(&["x // 4 >= 1 for every x >= 4"], "proved");
    check(&["x + y >= 0 for all x, y in [0, 5)"], "proved");
    refuses(&["x == y for all x; y"], "expected an operator");
    refuses(&["x == y for all x, y >= 0"], "expected `in`");
    refuses(&["x = 4; x == 4 for all x"], "has a value above");
    refuses(&["i for i in (0, 10)"], "expected an interval");
    refuses(&["i for i, j in T.grid(4, 8, 2)"], "3 sizes for 2 variables");
    refuses(&["i for i, j in range(4)"], "expected the sizes of all variables");
    refuses(&["i for i, i in T.grid(4, 8)"], "bound twice");
}

#[test]
fn axes_are_their_values() {
    check(&["T.axis.spatial(8, i) * 2 for i in range(8)"], "(i) -> (i * 2)");
    check(
        &["vi, vj = T.axis.remap(\"SR\", [i, j])", "vj * 4 + vi for i, j in T.grid(4, 8)"],
        "(i, j) -> (i + j * 4)",
    );
    refuses(&["T.axis.remap([i, j])"], "expected the kinds of the axes");
    refuses(&["a, b = T.axis.remap(\"S\", [i])"], "1 values for 2 names");
    refuses(&["x + \"SR\""], "expected a value");
}

#[test]
fn a_block_spec_is_the_map_to_its_elements() {
    let expected = "(i, j, e0, e1) -> (i * 8 + e0, j * 128 + e1), domain: i in [0, 3], j in [0, 1], e0 in [0, 7], e1 in [0, 127]";
    for text in [
        "pl.BlockSpec((8, 128), lambda i, j: (i, j))",
        "BlockSpec(lambda i, j: (i, j), (8, 128))",
        "pl.BlockSpec(index_map=lambda i, j: (i, j), block_shape=(8, 128))",
    ] {
        check(&[&format!("{text} for i in range(4) for j in range(2)")], expected);
    }
    check(
        &["pl.BlockSpec((None, 16), lambda i: (i, 0)) for i in range(4)"],
        "(i, e1) -> (i, e1), domain: i in [0, 3], e1 in [0, 15]",
    );
    check(&["pl.BlockSpec((8,), lambda i: i) for i in range(4)"], "(i, e0) -> (i * 8 + e0)");
    refuses(&["pl.BlockSpec((8,), lambda i, j: (i, j))"], "1 sizes for 2 indices");
    refuses(&["pl.BlockSpec((8, 128))"], "the sizes of a block and a lambda");
    refuses(&["pl.BlockSpec((8,), lambda e0: (e0,))"], "name of an element of the block");
    refuses(&["pl.BlockSpec((8,), lambda i: (i,), memory_space=pl.ANY)"], "`memory_space`");
}
