//! Errors of the page *Indexing analysis*, and maps of it that are wider than the reads, with points that show them.

use super::{Difference, check_document};

/// An erratum.
pub struct Erratum {
    /// The name by which the examples refer to it.
    pub name: &'static str,
    /// The heading on the page.
    pub place: &'static str,
    /// The claim of the page, and the right one.
    pub words: &'static str,
    pub difference: Difference,
}

pub const ERRATA: &[Erratum] = &[
    Erratum {
        name: "bounds",
        place: "Example (introduction)",
        words: "i in [0, 10], j in [0, 20], k in [0, 30] for f32[10, 20, 30]: bounds are inclusive, so they end at 9, 19 and 29, \
                as under \"Broadcast\"",
        difference: Difference {
            theirs: "(i, j, k) -> (j), domain: i in [0, 10], j in [0, 20], k in [0, 30]",
            right: &["(i, j, k) -> (j), domain: i in [0, 9], j in [0, 19], k in [0, 29]"],
            at: &[("i", 10), ("j", 0), ("k", 0)],
            they_read: Some(&[0]),
            is_read: None,
        },
    },
    Erratum {
        name: "offset",
        place: "Function and Domain: runtime variables",
        words: "the offset of a dynamic slice lies between 0 and tensor_size - slice_size - 1: it may be \
                tensor_size - slice_size, as in the page's own example, where 258 and 32 give [0, 226]",
        difference: Difference {
            theirs: "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 31], rt0 in [0, 225]",
            right: &["(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 31], rt0 in [0, 226]"],
            at: &[("d0", 31), ("rt0", 226)],
            they_read: None,
            is_read: Some(&[257]),
        },
    },
    Erratum {
        name: "update-operand",
        place: "DynamicUpdateSlice: src",
        words: "every element of the output reads src: those in the updated window do not (the page says that it \
                cannot express this)",
        difference: Difference {
            theirs: "(d0, d1) -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29]",
            right: &[
                "(d0, d1){rt0} -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], d0 - rt0 in [-15, -1]",
                "(d0, d1){rt0} -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], d0 - rt0 in [5, 19]",
                "(d0, d1){rt0, rt1} -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], d1 - rt1 in [-20, -1]",
                "(d0, d1){rt0, rt1} -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], d1 - rt1 in [10, 29]",
            ],
            at: &[("d0", 0), ("d1", 0), ("rt0", 0), ("rt1", 0)],
            they_read: Some(&[0, 0]),
            is_read: None,
        },
    },
    Erratum {
        name: "update",
        place: "DynamicUpdateSlice: upd",
        words: "every element of the output reads upd, f32[5, 10], also at indices that it does not have: only those in \
                the window do",
        difference: Difference {
            theirs: "(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20]",
            right: &[
                "(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], d1 - rt1 in [0, 9]",
            ],
            at: &[("d0", 19), ("d1", 0), ("rt0", 0), ("rt1", 0)],
            they_read: Some(&[19, 0]),
            is_read: None,
        },
    },
    Erratum {
        name: "dot",
        place: "Dot: input_2 to output",
        words: "(d0, s0, d1) where d1 goes to 255, for an output f32[4, 128, 64]: the last index is d2",
        difference: Difference {
            theirs: "(d0, d1, d2)[s0] -> (d0, s0, d1), domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]",
            right: &[
                "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]",
            ],
            at: &[("d0", 0), ("d1", 255), ("d2", 0), ("s0", 0)],
            they_read: Some(&[0, 0, 255]),
            is_read: Some(&[0, 0, 0]),
        },
    },
    Erratum {
        name: "pad",
        place: "Pad: output to init",
        words: "every element of the output reads the padding value: only the padding does",
        difference: Difference {
            theirs: "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 15]",
            right: &[
                "(d0, d1) -> (), domain: d0 in [0, 0], d1 in [0, 15]",
                "(d0, d1) -> (), domain: d0 in [2, 6], d1 in [0, 15], d0 mod 2 in [0, 0]",
                "(d0, d1) -> (), domain: d0 in [8, 11], d1 in [0, 15]",
                "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [0, 3], d0 mod 2 in [1, 1]",
                "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [8, 15], d0 mod 2 in [1, 1]",
            ],
            at: &[("d0", 1), ("d1", 4)],
            they_read: Some(&[]),
            is_read: None,
        },
    },
    Erratum {
        name: "minus",
        place: "Indexing Map Simplifier: rewrite 4",
        words: "-(-11d0 - d1 + 109) floordiv 11 + 9 becomes d0: only if the minus is outermost, \
                -((-11d0 - d1 + 109) floordiv 11) + 9; in MLIR it binds tighter than floordiv",
        difference: Difference {
            theirs: "(d0, d1) -> (-(-11d0 - d1 + 109) floordiv 11 + 9), domain: d0 in [0, 9], d1 in [0, 10]",
            right: &["(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 10]"],
            at: &[("d0", 0), ("d1", 0)],
            they_read: Some(&[-1]),
            is_read: Some(&[0]),
        },
    },
];

#[test]
fn each_erratum_has_its_point() {
    for erratum in ERRATA {
        erratum.difference.check();
    }
}

#[test]
fn the_document_lists_them() {
    let mut table =
        "| on the page, under | it says | at the point: the page reads |\n|---|---|---|\n"
            .to_owned();
    for erratum in ERRATA {
        let (place, words) = (erratum.place, erratum.words);
        table += &format!("| {place} | {words} | {} |\n", erratum.difference.row());
    }
    check_document("page", &table);
}
