//! "Indexing Maps for Unfused Ops": elementwise to slice.

use super::page::{Example, Page, back, check_op, out};

const ELEMENTWISE: &str = "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]";
const OF_SLICE: &str = "(d0, d1, d2) -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31]";
const TO_SLICE: &str = "()[s0, s1] -> (0, s0, s1), domain: s0 in [0, 1], s1 in [0, 31]";
const OF_UPDATE: &str = "(d0, d1) -> (), domain: d0 in [0, 19], d1 in [0, 29]";
const TO_UPDATE: &str = "()[s0, s1] -> (s0, s1), domain: s0 in [0, 19], s1 in [0, 29]";
const NOT_UPDATED: &[&str] = &[
    "(d0, d1){rt0} -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], d0 - rt0 in [-15, -1]",
    "(d0, d1){rt0} -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], d0 - rt0 in [5, 19]",
    "(d0, d1){rt0, rt1} -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], d1 - rt1 in [-20, -1]",
    "(d0, d1){rt0, rt1} -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], d1 - rt1 in [10, 29]",
];
const REDUCED: &str = "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]";
const OF_INITIAL: &str = "(d0) -> (), domain: d0 in [0, 9]";
const FROM_REDUCED: &str = "(d0, d1) -> (d1), domain: d0 in [0, 255], d1 in [0, 9]";
const FROM_INITIAL: &str = "()[s0] -> (s0), domain: s0 in [0, 9]";
const REVERSED: &str = "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in [0, 16], d2 in [0, 8], d3 in [0, 8]";

const EXAMPLES: &[Example] = &[
    Example {
        section: "Elementwise",
        program: "p0 = f32[10, 20] parameter(0)
            p1 = f32[10, 20] parameter(1)
            add = f32[10, 20] add(p0, p1)",
        pairs: &[
            out(0, &[ELEMENTWISE]),
            out(1, &[ELEMENTWISE]),
            back(0, &[ELEMENTWISE]),
            back(1, &[ELEMENTWISE]),
        ],
    },
    Example {
        section: "Broadcast",
        program: "p0 = f32[20] parameter(0)
            bc0 = f32[10, 20, 30] broadcast(p0), dimensions={1}",
        pairs: &[
            out(0, &["(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"]),
            back(0, &["(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]"]),
        ],
    },
    Example {
        section: "Constant and iota: a constant",
        program: "c = f32[2] constant({1, 2})",
        pairs: &[],
    },
    Example {
        section: "Constant and iota: an iota",
        program: "i = s32[2, 3] iota(), iota_dimension=1",
        pairs: &[],
    },
    Example {
        section: "DynamicSlice",
        program: "src = s32[2,2,258] parameter(0)
            of1 = s32[] parameter(1)
            of2 = s32[] parameter(2)
            of3 = s32[] parameter(3)
            ds = dynamic-slice(s32[2,2,258] src, s32[] of1, s32[] of2, s32[] of3), dynamic_slice_sizes={1, 2, 32}",
        pairs: &[
            out(0, &["(d0, d1, d2){rt0, rt1} -> (rt0, d1, d2 + rt1), domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31], rt0 in [0, 1], rt1 in [0, 226]"])
                .page(Page::Equal("(d0, d1, d2){rt0, rt1, rt2} -> (d0 + rt0, d1 + rt1, d2 + rt2),
                    domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31], rt0 in [0, 1], rt1 in [0, 0], rt2 in [0, 226]")),
            out(1, &[OF_SLICE]),
            out(2, &[OF_SLICE]),
            out(3, &[OF_SLICE]),
            back(0, &["(d0, d1, d2){rt0, rt1} -> (0, d1, d2 - rt1), domain: d0 in [0, 1], d1 in [0, 1], d2 in [0, 257], rt0 in [0, 1], rt1 in [0, 226], d0 - rt0 in [0, 0], d2 - rt1 in [0, 31]"])
                .page(Page::Silent),
            back(1, &[TO_SLICE]).page(Page::Silent),
            back(2, &[TO_SLICE]).page(Page::Silent),
            back(3, &[TO_SLICE]).page(Page::Silent),
        ],
    },
    Example {
        section: "DynamicUpdateSlice",
        program: "src = s32[20,30] parameter(0)
            upd = s32[5,10] parameter(1)
            of1 = s32[] parameter(2)
            of2 = s32[] parameter(3)
            dus = s32[20,30] dynamic-update-slice(
                s32[20,30] src, s32[5,10] upd, s32[] of1, s32[] of2)",
        pairs: &[
            out(0, NOT_UPDATED).page(Page::Erratum(
                "update-operand",
                "(d0, d1) -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29]",
            )),
            out(1, &["(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], d1 - rt1 in [0, 9]"])
                .page(Page::Erratum(
                    "update",
                    "(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), domain: d0 in [0, 19], d1 in [0, 29], rt0 in [0, 15], rt1 in [0, 20]",
                )),
            out(2, &[OF_UPDATE]),
            out(3, &[OF_UPDATE]),
            back(0, NOT_UPDATED).page(Page::Silent),
            back(1, &["(d0, d1){rt0, rt1} -> (d0 + rt0, d1 + rt1), domain: d0 in [0, 4], d1 in [0, 9], rt0 in [0, 15], rt1 in [0, 20]"])
                .page(Page::Silent),
            back(2, &[TO_UPDATE]).page(Page::Silent),
            back(3, &[TO_UPDATE]).page(Page::Silent),
        ],
    },
    Example {
        section: "Gather",
        program: "operand = f32[33,76,70] parameter(0)
            indices = s32[1806,2] parameter(1)
            gather = f32[1806,7,8,4] gather(operand, indices),
              offset_dims={1,2,3},
              collapsed_slice_dims={},
              start_index_map={0,1},
              index_vector_dim=1,
              slice_sizes={7,8,4}",
        pairs: &[
            out(0, &["(d0, d1, d2, d3){rt0, rt1} -> (d1 + rt0, d2 + rt1, d3), domain: d0 in [0, 1805], d1 in [0, 6], d2 in [0, 7], d3 in [0, 3], rt0 in [0, 26], rt1 in [0, 68]"]),
            out(1, &["(d0, d1, d2, d3)[s0] -> (d0, s0), domain: d0 in [0, 1805], d1 in [0, 6], d2 in [0, 7], d3 in [0, 3], s0 in [0, 1]"]),
            back(0, &["(d0, d1, d2)[s0]{rt0, rt1} -> (s0, d0 - rt0, d1 - rt1, d2), domain: d0 in [0, 32], d1 in [0, 75], d2 in [0, 3], s0 in [0, 1805], rt0 in [0, 26], rt1 in [0, 68], d0 - rt0 in [0, 6], d1 - rt1 in [0, 7]"])
                .page(Page::Silent),
            back(1, &["(d0, d1)[s0, s1, s2] -> (d0, s0, s1, s2), domain: d0 in [0, 1805], d1 in [0, 1], s0 in [0, 6], s1 in [0, 7], s2 in [0, 3]"])
                .page(Page::Silent),
        ],
    },
    Example {
        section: "Transpose",
        program: "p0 = f32[3, 12288, 6, 128] parameter(0)
            transpose = f32[3, 6, 128, 12288] transpose(p0), dimensions={0, 2, 3, 1}",
        pairs: &[
            out(0, &["(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in [0, 5], d2 in [0, 127], d3 in [0, 12287]"]),
            back(0, &["(d0, d1, d2, d3) -> (d0, d2, d3, d1), domain: d0 in [0, 2], d1 in [0, 12287], d2 in [0, 5], d3 in [0, 127]"]),
        ],
    },
    Example {
        section: "Reverse",
        program: "p0 = f32[1, 17, 9, 9] parameter(0)
            reverse = f32[1, 17, 9, 9] reverse(p0), dimensions={1, 2}",
        pairs: &[
            out(0, &[REVERSED]),
            back(0, &["(d0, d1, d2, d3) -> (0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in [0, 16], d2 in [0, 8], d3 in [0, 8]"])
                .page(Page::Equal(REVERSED)),
        ],
    },
    Example {
        // Without its reducer, the inputs that a result reads cannot be determined.
        section: "(Variadic) Reduce",
        program: "p0 = f32[256,10] parameter(0)
            p0_init = f32[] constant(-inf)
            p1 = s32[256,10] parameter(1)
            p1_init = s32[] constant(0)
            reduce = (f32[10], s32[10]) reduce(p0, p1, p0_init, p1_init),
              dimensions={0}, to_apply=max",
        pairs: &[
            out(0, &[REDUCED]).of(&[0]).at_most(),
            out(1, &[REDUCED]).of(&[0]).at_most(),
            out(2, &[OF_INITIAL]).of(&[0]).at_most(),
            out(3, &[OF_INITIAL]).of(&[0]).at_most(),
            out(0, &[REDUCED]).of(&[1]).at_most(),
            out(1, &[REDUCED]).of(&[1]).at_most(),
            out(2, &[OF_INITIAL]).of(&[1]).at_most(),
            out(3, &[OF_INITIAL]).of(&[1]).at_most(),
            back(0, &[FROM_REDUCED]).of(&[0]).at_most(),
            back(1, &[FROM_REDUCED]).of(&[0]).at_most(),
            back(2, &[FROM_INITIAL]).of(&[0]).at_most(),
            back(3, &[FROM_INITIAL]).of(&[0]).at_most(),
            back(0, &[FROM_REDUCED]).of(&[1]).at_most(),
            back(1, &[FROM_REDUCED]).of(&[1]).at_most(),
            back(2, &[FROM_INITIAL]).of(&[1]).at_most(),
            back(3, &[FROM_INITIAL]).of(&[1]).at_most(),
        ],
    },
    Example {
        // This example is in the introduction, where range variables are called `r0` and `r1`.
        section: "Function and Domain: a reduction of 2x4x8x16 to 4x8",
        program: "p0 = f32[2,4,8,16] parameter(0)
            init = f32[] constant(0)
            reduce = f32[4,8] reduce(p0, init), dimensions={0,3}, to_apply=add",
        pairs: &[
            out(0, &["(d0, d1)[s0, s1] -> (s0, d0, d1, s1), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 1], s1 in [0, 15]"])
                .page(Page::Equal("(d0, d1)[r0, r1] -> (r0, d0, d1, r1), domain: d0 in [0, 3], d1 in [0, 7], r0 in [0, 1], r1 in [0, 15]")),
            out(1, &["(d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, 7]"]).page(Page::Silent),
            back(0, &["(d0, d1, d2, d3) -> (d1, d2), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 7], d3 in [0, 15]"])
                .page(Page::Silent),
            back(1, &["()[s0, s1] -> (s0, s1), domain: s0 in [0, 3], s1 in [0, 7]"]).page(Page::Silent),
        ],
    },
    Example {
        section: "Slice",
        program: "p0 = f32[10, 20, 50] parameter(0)
            slice = f32[5, 3, 25] slice(f32[10, 20, 50] p0),
              slice={[5:10:1], [3:20:7], [0:50:2]}",
        pairs: &[
            out(0, &["(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in [0, 2], d2 in [0, 24]"]),
            back(0, &["(d0, d1, d2) -> (d0 - 5, d1 floordiv 7, d2 floordiv 2), domain: d0 in [5, 9], d1 in [3, 17], d2 in [0, 48], d1 mod 7 in [3, 3], d2 mod 2 in [0, 0]"])
                .page(Page::Equal("(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2),
                    domain: d0 in [5, 9], d1 in [3, 17], d2 in [0, 48], (d1 - 3) mod 7 in [0, 0], d2 mod 2 in [0, 0]")),
        ],
    },
];

#[test]
fn elementwise_to_slice() {
    EXAMPLES.iter().for_each(check_op);
}
