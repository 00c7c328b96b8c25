//! Kernels as people paste them: the accesses of their loops and conditions, and the statements that are refused or left out.

use crate::typed::Prompt;

/// Checks the lines of the answer to a text, without notices.
#[track_caller]
pub fn check(text: &str, expected: &[&str]) {
    let mut prompt = Prompt::default();
    let reply = prompt.ask(text);
    assert!(reply.failure.is_none(), "{text}: {:?}", reply.failure.map(|f| f.error.message));
    let lines: Vec<String> = reply
        .outputs
        .iter()
        .map(|output| output.text.to_string().lines().next().unwrap_or("").to_owned())
        .filter(|line| line.contains("->"))
        .collect();
    assert_eq!(lines, expected, "{text}");
}

/// Checks that no line of the answer contains `part`.
#[track_caller]
pub fn without(text: &str, part: &str) {
    let reply = Prompt::default().ask(text);
    let lines = reply.outputs.iter().map(|output| output.text.to_string());
    let found: Vec<String> = lines.filter(|line| line.contains(part)).collect();
    assert!(found.is_empty(), "{text}: {found:?}");
}

/// Checks that a text is refused with a message that contains `part`.
#[track_caller]
pub fn refused(text: &str, part: &str) {
    let mut prompt = Prompt::default();
    let reply = prompt.ask(text);
    let error = reply.failure.map(|failure| failure.error.to_string());
    assert!(error.as_ref().is_some_and(|error| error.contains(part)), "{text}: {error:?}");
}

#[test]
fn loops_and_conditions_bound_accesses() {
    check(
        "for (int i = 9; i >= 0; i--) a[9 - i] = i;",
        &["writes a: (i) -> (-i + 9), domain: i in [0, 9]"],
    );
    check(
        "for (unsigned i = 8; i-- > 0;) a[i] = i;",
        &["writes a: (i) -> (i), domain: i in [0, 7]"],
    );
    check(
        "for (int i = 0; i < 8; i++) {\n  for (int j = 0; j < 16; j++) {\n    c[i][j] = 0;\n    for (int k = 0; k < 32; k++)\n      c[i][j] += a[i][k] * b[k][j];\n  }\n}",
        &[
            "writes c: (i, j) -> (i, j), domain: i in [0, 7], j in [0, 15]",
            "reads and writes c: (i, j, k) -> (i, j), domain: i in [0, 7], j in [0, 15], k in [0, 31]",
            "reads a: (i, j, k) -> (i, k), domain: i in [0, 7], j in [0, 15], k in [0, 31]",
            "reads b: (i, j, k) -> (k, j), domain: i in [0, 7], j in [0, 15], k in [0, 31]",
        ],
    );
    // `else` belongs to the nearest `if`, and does not end the statements around it.
    check(
        "for (int i = 0; i < 8; i++) if (i % 2 == 0) for (int j = 0; j < 4; j++) if (j < 2) { a[i] = 1; } else { b[j] = 2; }",
        &[
            "writes a: (i, j) -> (i), domain: i in [0, 6], j in [0, 1], i mod 2 in [0, 0]",
            "writes b: (i, j) -> (j), domain: i in [0, 6], j in [2, 3], i mod 2 in [0, 0]",
        ],
    );
    check(
        "for (int i = 0; i < 8; i++) if (i > 1) if (i < 6) a[i] = 1; else b[i] = 2;",
        &["writes a: (i) -> (i), domain: i in [2, 5]", "writes b: (i) -> (i), domain: i in [6, 7]"],
    );
    check(
        "for i in range(8):\n    if i < 3:\n        a[i] = 1\n    elif i < 5:\n        b[i] = 2\n    c[i] = 3",
        &[
            "writes a: (i) -> (i), domain: i in [0, 2]",
            "writes b: (i) -> (i), domain: i in [3, 4]",
            "writes c: (i) -> (i), domain: i in [0, 7]",
        ],
    );
    // A kernel may begin with an assignment, or with a line that is a name.
    check(
        "c[3] = d[1]; for (int i = 0; i < 2; i++) a[i] = 0;",
        &["writes c: () -> (3)", "reads d: () -> (1)", "writes a: (i) -> (i), domain: i in [0, 1]"],
    );
    check(
        "for i in range(4):\n    x = i\n    a[5] = x",
        &["writes a: (i) -> (5), domain: i in [0, 3]"],
    );
    // The value of a name in an index is the one before its next assignment.
    check(
        "int x = 3; for (int j = 0; j < 8; j++) if (j < 4) a[x + j] = 0; x = 5; b[x] = 1;",
        &["writes a: (j) -> (j + 3), domain: j in [0, 3]", "writes b: () -> (5)"],
    );
    // The same variable in consecutive loops.
    check(
        "for (int i = 0; i < 8; i++) a[i] = 0; for (int i = 0; i < 4; i++) b[2*i] = a[i];",
        &[
            "writes a: (i) -> (i), domain: i in [0, 7]",
            "writes b: (i) -> (i * 2), domain: i in [0, 3]",
            "reads a: (i) -> (i), domain: i in [0, 3]",
        ],
    );
    check(
        "for (int i = 0; i < 8; i++) { if (i < 4) a[i] = 1; else b[i - 4] = 2; }",
        &[
            "writes a: (i) -> (i), domain: i in [0, 3]",
            "writes b: (i) -> (i - 4), domain: i in [4, 7]",
        ],
    );
    check(
        "for (int i = 0; i < 8; i++) { if (i == 3) continue; a[i] = 1; }",
        &["writes a: (i) -> (i), domain: i in [0, 2]", "writes a: (i) -> (i), domain: i in [4, 7]"],
    );
    check(
        "for i in range(10):\n    if i % 2 == 0:\n        a[i] = 1\n    else:\n        b[i] = 2\n    c[i] = 3",
        &[
            "writes a: (i) -> (i), domain: i in [0, 8], i mod 2 in [0, 0]",
            "writes b: (i) -> (i), domain: i in [1, 9], i mod 2 in [1, 1]",
            "writes c: (i) -> (i), domain: i in [0, 9]",
        ],
    );
    check(
        "A[i*16 + j], 0 <= i < 8, 0 <= j < 16",
        &["reads A: (i, j) -> (i * 16 + j), domain: i in [0, 7], j in [0, 15]"],
    );
    check(
        "te.compute((16, 32), lambda i, j: A[j, i])",
        &["reads A: (i, j) -> (j, i), domain: i in [0, 15], j in [0, 31]"],
    );
}

#[test]
fn kernels_of_cuda_triton_and_tvm() {
    let domain = "domain: blockIdx_x in [0, 3], threadIdx_x in [0, 63], blockIdx_x * 64 + threadIdx_x in [0, 199]";
    check(
        "__global__ void f(const float* x, float* z, int n) {\n  int i = blockIdx.x * 64 + threadIdx.x; // one each\n  if (i >= 200) return;\n  z[i] = x[199 - i];\n}\ndomain: blockIdx.x in [0, 3], threadIdx.x in [0, 63]",
        &[
            &format!(
                "writes z: (blockIdx_x, threadIdx_x) -> (blockIdx_x * 64 + threadIdx_x), {domain}"
            ),
            &format!(
                "reads x: (blockIdx_x, threadIdx_x) -> (blockIdx_x * -64 - threadIdx_x + 199), {domain}"
            ),
        ],
    );
    check(
        "def kernel(X, y_ptr, n):\n    offs = tl.program_id(0) * 64 + tl.arange(0, 64)\n    mask = offs < 100\n    x = tl.load(X + offs, mask=mask)\n    tl.store(y_ptr + offs * 2, x, mask)",
        &[
            "reads X: (program_id_0, arange_0_64) -> (program_id_0 * 64 + arange_0_64), domain: program_id_0 in [0, 1], arange_0_64 in [0, 63], program_id_0 * 64 + arange_0_64 in [0, 99]",
            "writes y_ptr: (program_id_0, arange_0_64) -> ((program_id_0 * 64 + arange_0_64) * 2), domain: program_id_0 in [0, 1], arange_0_64 in [0, 63], program_id_0 * 64 + arange_0_64 in [0, 99]",
        ],
    );
    check(
        "for i_0, i_1 in T.grid(16, 8):\n    with T.block(\"C\"):\n        vi = T.axis.spatial(128, i_0 * 8 + i_1)\n        C[vi // 4, vi % 4] = A[vi]",
        &[
            "writes C: (i_0, i_1) -> (i_0 * 2 + i_1 floordiv 4, i_1 mod 4), domain: i_0 in [0, 15], i_1 in [0, 7]",
            "reads A: (i_0, i_1) -> (i_0 * 8 + i_1), domain: i_0 in [0, 15], i_1 in [0, 7]",
        ],
    );
    check(
        "#define N 64\n#define B (N / 4)\nfor (int i = 0; i < N; ++i) bank[i / B][i % B] = 0;",
        &["writes bank: (i) -> (i floordiv 16, i mod 16), domain: i in [0, 63]"],
    );
}

/// The accesses of a loop that may end early are upper bounds, and so are those after a branch that may leave.
#[test]
fn what_leaves_early_makes_bounds() {
    let all = "domain: i in [0, 7]";
    check(
        "for (int i = 0; i < 8; i++) { a[i] = 0; if (m[i]) return; b[i] = 1; }",
        &[
            &format!("writes a at most: (i) -> (i), {all}"),
            &format!("reads m at most: (i) -> (i), {all}"),
            &format!("writes b at most: (i) -> (i), {all}"),
        ],
    );
    check(
        "for (int i = 0; i < 8; i++) { a[i] = 0; if (i == n) { k = 1; break; } }",
        &[&format!("writes a at most: (i) -> (i), {all}")],
    );
    check(
        "for (int i = 0; i < 8; i++) { if (i < 4) { if (i == 2) continue; a[i] = 0; } b[i] = 1; }",
        &[
            "writes a at most: (i) -> (i), domain: i in [0, 1]",
            "writes a at most: (i) -> (i), domain: i in [3, 3]",
            &format!("writes b at most: (i) -> (i), {all}"),
        ],
    );
    check(
        "for (int i = 0; i < 8; i++) { if (i > 5) { k = 1; continue; } b[i] = 1; }",
        &[&format!("writes b at most: (i) -> (i), {all}")],
    );
    check(
        "__global__ void f(float* x, int n) {\n  int i = threadIdx.x;\n  if (i >= 20) { printf(\"no\"); return; }\n  x[i] = 0;\n}\ndomain: threadIdx.x in [0, 31]",
        &["writes x at most: (threadIdx_x) -> (threadIdx_x), domain: threadIdx_x in [0, 31]"],
    );
}

/// Only one side of a choice is read; a choice in a subscript is a choice of index.
#[test]
fn choices_read_at_most() {
    check(
        "for (int i = 0; i < 8; i++) { v[i] = c ? a[i] : b[i]; }",
        &[
            "writes v: (i) -> (i), domain: i in [0, 7]",
            "reads a at most: (i) -> (i), domain: i in [0, 7]",
            "reads b at most: (i) -> (i), domain: i in [0, 7]",
        ],
    );
    check(
        "for (int i = 0; i < 8; i++) { if (x > 0 && m[i]) k = 1; }",
        &["reads m at most: (i) -> (i), domain: i in [0, 7]"],
    );
    check(
        "for (int i = 0; i < 8; i++) { a[i < 4 ? i : 3] = 0; }",
        &["writes a: (i) -> (min(i, 3)), domain: i in [0, 7]"],
    );
    // A name that ends like a pointer's is a number in an index.
    check(
        "for (int i = 0; i < 8; i++) x[i] = buf[(rd_ptr + i) % 8]; domain: rd_ptr in [0, 7]",
        &[
            "writes x: (i, rd_ptr) -> (i), domain: i in [0, 7], rd_ptr in [0, 7]",
            "reads buf: (i, rd_ptr) -> ((i + rd_ptr) mod 8), domain: i in [0, 7], rd_ptr in [0, 7]",
        ],
    );
}

#[test]
fn names_that_loops_step_have_values() {
    check(
        "int k = 3; for (int i = 0; i < 8; i += 2) { a[k] = i; k += 5; b[k] = i; }",
        &[
            "writes a: (i) -> (i floordiv 2 * 5 + 3), domain: i in [0, 6], i mod 2 in [0, 0]",
            "writes b: (i) -> (i floordiv 2 * 5 + 8), domain: i in [0, 6], i mod 2 in [0, 0]",
        ],
    );
    check(
        "int k = 9; for (int i = 7; i >= 0; i--) { a[k] = i; --k; }",
        &["writes a: (i) -> (i + 2), domain: i in [0, 7]"],
    );
    check(
        "def f(x_ptr, n, B: tl.constexpr):\n    p = x_ptr + tl.arange(0, B)\n    for k in range(0, n, B):\n        v = tl.load(p, mask=tl.arange(0, B) < n - k, other=0.0)\n        p += B",
        &[
            "reads p: <B, n>(arange_0_B, k) -> (arange_0_B + k), domain: B in [1, inf], n in [1, inf], arange_0_B in [0, B - 1], k in [0, n - 1], arange_0_B + k - n in [-inf, -1], k mod B in [0, 0]",
        ],
    );
    check(
        "int i = 2; while (i < 9) { a[i] = 0; i += 3; a[i] = 1; }",
        &[
            "writes a: (i) -> (i), domain: i in [2, 8], i mod 3 in [2, 2]",
            "writes a: (i) -> (i + 3), domain: i in [2, 8], i mod 3 in [2, 2]",
        ],
    );
    check(
        "for (int s = 4; s > 0; s >>= 1) if (t < s) a[t] += a[t + s]; domain: t in [0, 7]",
        &[
            "reads and writes a: (t) -> (t), domain: t in [0, 3]",
            "reads a: (t) -> (t + 4), domain: t in [0, 3]",
            "reads and writes a: (t) -> (t), domain: t in [0, 1]",
            "reads a: (t) -> (t + 2), domain: t in [0, 1]",
            "reads and writes a: (t) -> (t), domain: t in [0, 0]",
            "reads a: (t) -> (1), domain: t in [0, 0]",
        ],
    );
    // A name is assigned again below, and `++` assigns to it.
    check(
        "int i = 2; a[i] = 1; i = i + 1; a[i] = 2; ++i; a[i] = 3;",
        &["writes a: () -> (2)", "writes a: () -> (3)", "writes a: () -> (4)"],
    );
    check(
        "for i in range(4):\n    a = 7\n    (a, b) = divmod(i, 2)\n    x[a] = b",
        &["writes x: (i) -> (i floordiv 2), domain: i in [0, 3]"],
    );
    // If the increment changes, or the step may be skipped, nothing is known.
    for text in [
        "int k = 0; for (int i = 0; i < 8; i++) { a[k] = i; k += i; }",
        "int k = 0; for (int i = 0; i < 8; i++) { a[k] = i; if (i > 3) k += 2; }",
        "int k = 0; for (int i = 0; i < 8; i++) { if (i == 3) continue; a[k] = i; k += 2; }",
        "int k = 0; for (int i = 0; i < 8; i++) { a[k] = i; k += 2; k += 1; }",
        "int k = 0, s = 1; for (int i = 0; i < 8; i++) { a[k] = i; k += s; s = 2; }",
        "int k = 3; b[4] = k++; a[k] = 2;",
        "int k = 3; auto [k, j] = f(3); a[k] = 2;",
    ] {
        without(text, "writes a");
    }
    refused("for (int s = n; s > 0; s >>= 1) a[s] = 1;", "the values of `s` are not numbers");
    refused("for (int s = 1; s > 0; s *= 1) a[s] = 1;", "is not seen to end");
    refused(
        "while (x) { a[x] = 0; x = f(x); }",
        "the number of iterations of this `while` is not known",
    );
    refused(
        "int i = 0; while (i < 9) { a[i] = 0; if (a[i]) i += 3; }",
        "iterations of this `while`",
    );
    refused("tl.load(p + offs) offs == 3", "expected the end of the statement");
}

/// An access that would be lost or misread is refused.
/// Conditions are evaluated in integers, so one that wraps in C is refused.
#[test]
fn pointers_of_c_are_arrays_with_an_offset() {
    check(
        "__global__ void f(float* A, const float* B, int K) { const float* p = &B[4]; for (int k = 0; k < K; k += 8) { A[k] = p[3]; p += 8; } }",
        &[
            "writes A: <K>(k) -> (k), domain: K in [1, inf], k in [0, K - 1], k mod 8 in [0, 0]",
            "reads B: <K>(k) -> (k + 7), domain: K in [1, inf], k in [0, K - 1], k mod 8 in [0, 0]",
        ],
    );
    check(
        "float* p = a + 5; p[3] = 1; p += 2; p[2] = 3;",
        &["writes a: () -> (8)", "writes a: () -> (9)"],
    );
    check(
        "for (int i = 0; i < 8; i++) { int *p = A + i * 4; p[2] = 0; }",
        &["writes A: (i) -> (i * 4 + 2), domain: i in [0, 7]"],
    );
    check(
        "void f(int* A, int* B) { int* t = A; A = B; t[1] = 0; A[2] = 0; }",
        &["writes A: () -> (1)", "writes B: () -> (2)"],
    );
    // A cast may change the size of elements, and a difference of pointers is not an index.
    for text in [
        "void f(float* A) { float4* p = reinterpret_cast<float4*>(A); p[1] = v; }",
        "void f(int* A, int* B) { int d = A - B; B[d] = 0; }",
        "void f(int* A, int* B) { int* p = c ? A : B; p[1] = 0; }",
        "void f(int* A) { int* p = g(A); p[1] = 0; }",
        "void f(int* A, int n) { if (n > 3) A += 2; A[1] = 0; }",
    ] {
        without(text, "->");
    }
}

#[test]
fn an_index_that_is_not_known_has_no_map() {
    refused(
        "int x = 6; for (int j = 3; j < 9; ++j) { x += j; b[x * 4] = 3; }",
        "depends on memory or on earlier iterations",
    );
    // The index is read from memory: only the other accesses are answered.
    check(
        "for i in range(8): y[idx[i]] = x[i]",
        &["reads idx: (i) -> (i), domain: i in [0, 7]", "reads x: (i) -> (i), domain: i in [0, 7]"],
    );
    // A condition on memory makes the answer an upper bound.
    check(
        "for (int i = 0; i < 8; i++) { if (m[i] > 0) a[2*i] = 1; }",
        &[
            "reads m: (i) -> (i), domain: i in [0, 7]",
            "writes a at most: (i) -> (i * 2), domain: i in [0, 7]",
        ],
    );
    // The value is changed by one branch or by a preceding loop, or is read from memory.
    for text in [
        "int k = 0; if (t > 3) k = 1; a[k] = 2;",
        "int s; for (int i = 0; i < 8; i++) { s = i; } a[s] = 1;",
        "int k = cols[3]; k = k + 1; y[k] = 0;",
        // The value is changed through its address, or after the access in the same loop.
        "int k = 3; f(&k); A[k] = 0;",
        "int k = 3; for (int i = 0; i < 8; i++) { A[k] = 0; f(i, &k); }",
        "for (int i = 0; i < 8; i++) { A[k] = 0; k++; }",
        // Pointers that combine arrays, and pointers that move.
        "for (int i = 0; i < 8; i++) { int *p = A + B + i; p[2] = 0; }",
        "for (int i = 0; i < 8; i++) { A[0] = i; A += 4; }",
    ] {
        let mut prompt = Prompt::default();
        let reply = prompt.ask(text);
        let maps = reply.outputs.iter().map(|output| output.text.to_string());
        let maps: Vec<String> =
            maps.filter(|map| map.contains("->") && !map.contains("cols")).collect();
        assert!(maps.is_empty(), "{text}: {maps:?}");
    }
    refused(
        "int k = 3; f(&k); a[k] = 0; for (int i = 0; i < 4; i++) if (i > 5) b[i] = 1;",
        "depends on memory or on earlier iterations",
    );
    refused(
        "for (int i = 0; i < 4; i++) { if (i > 5) b[i] = 1; if (i > 7) a[i] = 1; }",
        "the bounds exclude every point",
    );
    refused("idx[i] * 4 + j", "element of an array");
    refused("a[::2, 1:-1]", "slice of an array");
    refused("for (int i = 0; i < 8; i++) { a[i] = 0; i += 1; }", "assigned in it");
    refused("for (int i = 0; i < 8; i++) { next(&i); a[i] = 0; }", "assigned in it");
    refused("for (int i = 0; i < 8; i++) { a[i] = *p; }", "`*p` is an element of an array");
    refused("for (int i = 0; i < 8; i++) { *p = a[i]; }", "`*p` is an element of an array");
    refused(
        "int i = 0; while (i < 8) { a[i] = 0; }",
        "the number of iterations of this `while` is not known",
    );
    refused("for (unsigned i = 7; i >= 0; i--) a[i] = 0;", "does not end");
    refused("for (uint8_t i = 0; i < 256; i++) a[i] = 0;", "does not end");
    refused("injective for (int i = 0; i < 4; i++) a[i] = b[i];", "several accesses");
}

#[test]
fn loops_that_test_behind_their_body_run_once() {
    check(
        "int i = 0; do { y[i] = 1; i += 4; } while (i < 62);",
        &["writes y: (i) -> (i), domain: i in [0, 60], i mod 4 in [0, 0]"],
    );
    check(
        "int i = 9; do { y[i] = 1; i++; } while (i < 4);",
        &["writes y: (i) -> (i), domain: i in [9, 9]"],
    );
    check(
        "int i = 9; do { y[i] = 1; i--; } while (i >= 4);",
        &["writes y: (i) -> (i), domain: i in [4, 9]"],
    );
    refused("int i = 0; do { y[i] = 1; i++; } while (i != 4);", "is not supported");
    refused("int i = 0; do { y[i] = 1; i++; } while (i < 4 && k);", "is not supported");
}

#[test]
fn what_is_stepped_before_continue_is_stepped() {
    check(
        "int i = 0; while (i < 8) { int j = i; i++; if (j == 3) continue; y[j] = 1; }",
        &["writes y: (i) -> (i), domain: i in [0, 2]", "writes y: (i) -> (i), domain: i in [4, 7]"],
    );
    refused(
        "int i = 0; while (i < 8) { if (i == 3) continue; y[i] = 1; i++; }",
        "the number of iterations of this `while` is not known",
    );
}

#[test]
fn steps_inside_subscripts_are_apart() {
    check(
        "int k = 0; for (int i = 0; i < 4; i++) a[k++] = b[i];",
        &["writes a: (i) -> (i), domain: i in [0, 3]", "reads b: (i) -> (i), domain: i in [0, 3]"],
    );
    check("int k = 3; a[--k] = 0; b[k] = 1;", &["writes a: () -> (2)", "writes b: () -> (2)"]);
    // The name occurs twice, or the step depends on a condition.
    refused("int k = 0; for (int i = 0; i < 4; i++) a[k++] = b[k];", "changes a variable in C");
    refused("int k = 0; for (int i = 0; i < 4; i++) x = i && a[k++];", "changes a variable in C");
    without("int k = 0; for (int i = 0; i < 4; i++) if (b[i]) a[k++] = 1;", "writes a");
}

#[test]
fn names_that_inner_loops_step_have_values() {
    check(
        "int k = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < n; j++) a[k++] = 0;",
        &[
            "writes a: <n>(i, j) -> (i * n + j), domain: n in [1, inf], i in [0, 3], j in [0, n - 1]",
        ],
    );
    check(
        "def f(a):\n  k = 5\n  for i in range(4):\n    for j in range(2, 7):\n      for l in range(3):\n        k += 2\n        a[k] = 0",
        &[
            "writes a: (i, j, l) -> (i * 30 + j * 6 + l * 2 - 5), domain: i in [0, 3], j in [2, 6], l in [0, 2]",
        ],
    );
    // The rows of a triangle.
    check(
        "int k = 0; for (int i = 0; i < 9; i++) { for (int j = 0; j <= i; j++) { a[k] = 0; k++; } }",
        &[
            "writes a: <>(i, j) -> (i + j + i * (i - 1) floordiv 2), domain: i in [0, 8], j in [0, 8], i - j in [0, 8]",
        ],
    );
    check(
        "def f(a):\n  k = 0\n  for i in range(n):\n    for j in range(i + 1, n):\n      a[k] = 0\n      k += 1",
        &[
            "writes a: <n>(i, j) -> (i * n + j - i * (i + 3) floordiv 2 - 1), domain: n in [2, inf], i in [0, n - 1], j in [1, n - 1], i - j in [-inf, -1]",
        ],
    );
    for text in [
        // A first iteration that would run a negative number of times, other steps, and loops that end early.
        "int k = 0; for (int i = 0; i < 9; i++) for (int j = 3; j < i; j++) a[k++] = 0;",
        "int k = 0; for (int i = 0; i < 9; i++) for (int j = i; j < 4; j++) a[k++] = 0;",
        "int k = 0; for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j += 2) a[k++] = 0;",
        "int k = 0; for (int i = 0; i < 9; i++) for (int j = 0; j < b[i]; j++) a[k++] = 0;",
        "int k = 0; for (int i = 0; i < 9; i++) for (int j = 0; j < 2 * i; j++) a[k++] = 0;",
        "int k = 0; for (int i = 0; i < 9; i++) { for (int j = 0; j < 3; j++) { if (c[j]) break; a[k++] = 0; } }",
        "int k = 0; for (int i = 0; i < 9; i++) { for (int j = 0; j < 3; j++) a[k++] = 0; k++; }",
        "int k = 0; while (k < 9) { for (int j = 0; j < 3; j++) a[k++] = 0; }",
    ] {
        without(text, "writes a");
    }
}

#[test]
fn pointers_of_triton_count_from_0() {
    for text in ["tl.load(Q + i * 4)", "q = Q + i * 4; tl.load(q)", "tl.load(i * 4 + q_ptr)"] {
        without(text, "Q)");
        without(text, "q_ptr)");
    }
    check(
        "def k(Q, s):\n    q = Q + tl.arange(0, 8) * s\n    x = tl.load(q)",
        &[
            "reads Q: <s>(arange_0_8) -> (arange_0_8 * s), domain: s in [-inf, inf], arange_0_8 in [0, 7]",
        ],
    );
    let block = "tl.make_block_ptr(A, (16, 8), (8, 1), (tl.program_id(0) * 4, 0), (4, 4), (1, 0))";
    check(
        &format!(
            "def k(A):\n    p = {block}\n    for j in range(0, 8, 4):\n        x = tl.load(p)\n        p = tl.advance(p, (0, 4))"
        ),
        &[
            "reads A: (program_id_0, j, arange_0_4, arange_0_4_0) -> (j + arange_0_4_0 + (program_id_0 * 4 + arange_0_4) * 8), domain: program_id_0 in [0, inf], j in [0, 4], arange_0_4 in [0, 3], arange_0_4_0 in [0, 3], j mod 4 in [0, 0]",
        ],
    );
}
