//! Code that cannot be read as it is meant has an error.

use crate::kernels::{check, refused};

#[test]
fn parts_that_are_not_read() {
    check(
        "for (int i = 0; i < 8; i++) A[i] = B[i + 1] = 2;",
        &[
            "writes A: (i) -> (i), domain: i in [0, 7]",
            "writes B: (i) -> (i + 1), domain: i in [0, 7]",
        ],
    );
    check(
        "for (int i = 0; i < 8; i++) A[i] = B[i]++ - -C[i];",
        &[
            "writes A: (i) -> (i), domain: i in [0, 7]",
            "reads and writes B: (i) -> (i), domain: i in [0, 7]",
            "reads C: (i) -> (i), domain: i in [0, 7]",
        ],
    );
    for (text, part) in [
        ("for i in range(8): A[i] = sum(B[j] for j in range(i))", "a loop inside of an expression"),
        ("for i in range(8): A[i] = (B if i > 2 else C)[i]", "an element of an expression"),
        ("for i in range(8): A[i] = B[i] junk", "expected an operator"),
        ("A[i - 1] = 0 if i >= 1 for i in range(4)", "needs an `else`"),
        ("A[j] = 2;\n#if 0\nA[i] = 0;\n#else\nA[i] = 1;\n#endif", "branches of the preprocessor"),
    ] {
        refused(text, part);
    }
}

#[test]
fn conditions_that_wrap_in_c() {
    for text in [
        "for (int i = 0; i < 5; i++) if (i - 3u > 100) A[i] = 0;",
        "for (int i = -2; i < 5; i++) if (i < 3u) A[i + 2] = 0;",
        "for (unsigned i = 0; i < 8; i++) if (i > -1) A[i] = 0;",
        "for (unsigned i = 0; i < 8; i++) for (unsigned j = 0; j < i - 1; j++) A[j] = 0;",
        "__global__ void k(float *A) { if (threadIdx.x - 4 < 4) A[threadIdx.x] = 0; }",
        "count x where x - 4u < 4, x in [0, 7]",
    ] {
        refused(text, "as an unsigned value");
    }
    check(
        "for (int i = 0; i < 8; i++) if (i - 3 < 2) A[i] = 0;",
        &["writes A: (i) -> (i), domain: i in [0, 4]"],
    );
    check(
        "for (unsigned i = 0; i < 8; i++) if (i + 3 < 5 && i >= 1) A[i] = 0;",
        &["writes A: (i) -> (i), domain: i in [1, 1]"],
    );
    check(
        "for (unsigned i = 0; i < 8; i++) if ((int)i - 3 < 2) A[i] = 0;",
        &["writes A: (i) -> (i), domain: i in [0, 4]"],
    );
}
