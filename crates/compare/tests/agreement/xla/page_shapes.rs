//! "Indexing Maps for Unfused Ops": reshape to reduce-window.

use super::page::{Example, Page, back, check_op, out};

const COLLAPSED: &str = "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]";
const EXPANDED: &str = "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]";
const LHS_OF_DOT: &str = "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]";
const RHS_OF_DOT: &str = "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]";
const FIRST_PART: &str =
    "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]";

const EXAMPLES: &[Example] = &[
    Example {
        section: "Reshape: collapse",
        program: "p0 = f32[4,8] parameter(0)
            reshape = f32[32] reshape(p0)",
        pairs: &[out(0, &[COLLAPSED]), back(0, &[EXPANDED])],
    },
    Example {
        section: "Reshape: expand",
        program: "p0 = f32[32] parameter(0)
            reshape = f32[4, 8] reshape(p0)",
        pairs: &[out(0, &[EXPANDED]), back(0, &[COLLAPSED])],
    },
    Example {
        section: "Generic reshape, example 1",
        program: "p0 = f32[4,8] parameter(0)
            reshape = f32[2, 4, 4] reshape(p0)",
        pairs: &[
            out(0, &["(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + d1 mod 2 * 4), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]"]),
            back(0, &["(d0, d1) -> (d0 floordiv 2, d1 floordiv 4 + d0 mod 2 * 2, d1 mod 4), domain: d0 in [0, 3], d1 in [0, 7]"]),
        ],
    },
    Example {
        section: "Generic reshape, example 2",
        program: "p0 = f32[4, 8, 12] parameter(0)
            reshape = f32[32, 3, 4] reshape(p0)",
        pairs: &[
            out(0, &["(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), domain: d0 in [0, 31], d1 in [0, 2], d2 in [0, 3]"]),
            back(0, &["(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4), domain: d0 in [0, 3], d1 in [0, 7], d2 in [0, 11]"]),
        ],
    },
    Example {
        // The page states that its maps are those of transpose, reshape, transpose, without an example.
        section: "Bitcast",
        program: "p0 = f32[4,8,6]{1,2,0} parameter(0)
            bitcast = f32[24,8]{1,0} bitcast(p0)",
        pairs: &[
            out(0, &["(d0, d1) -> (d0 floordiv 6, d1, d0 mod 6), domain: d0 in [0, 23], d1 in [0, 7]"])
                .page(Page::Silent),
            back(0, &["(d0, d1, d2) -> (d0 * 6 + d2, d1), domain: d0 in [0, 3], d1 in [0, 7], d2 in [0, 5]"])
                .page(Page::Silent),
        ],
    },
    Example {
        section: "Concatenate",
        program: "p0 = f32[2, 5, 7] parameter(0)
            p1 = f32[2, 11, 7] parameter(1)
            p2 = f32[2, 17, 7] parameter(2)
            ROOT concat = f32[2, 33, 7] concatenate(f32[2, 5, 7] p0, f32[2, 11, 7] p1, f32[2, 17, 7] p2), dimensions={1}",
        pairs: &[
            out(0, &[FIRST_PART]),
            out(1, &["(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], d1 in [5, 15], d2 in [0, 6]"]),
            out(2, &["(d0, d1, d2) -> (d0, d1 - 16, d2), domain: d0 in [0, 1], d1 in [16, 32], d2 in [0, 6]"]),
            back(0, &[FIRST_PART]),
            back(1, &["(d0, d1, d2) -> (d0, d1 + 5, d2), domain: d0 in [0, 1], d1 in [0, 10], d2 in [0, 6]"]),
            back(2, &["(d0, d1, d2) -> (d0, d1 + 16, d2), domain: d0 in [0, 1], d1 in [0, 16], d2 in [0, 6]"]),
        ],
    },
    Example {
        section: "Dot",
        program: "p0 = f32[4, 128, 256] parameter(0)
            p1 = f32[4, 256, 64] parameter(1)
            dot = f32[4, 128, 64] dot(p0, p1),
              lhs_batch_dims={0}, rhs_batch_dims={0},
              lhs_contracting_dims={2}, rhs_contracting_dims={1}",
        pairs: &[
            out(0, &[LHS_OF_DOT]),
            out(1, &[RHS_OF_DOT]),
            back(0, &["(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 255], s0 in [0, 63]"]),
            back(1, &["(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]"])
                .page(Page::Erratum(
                    "dot",
                    "(d0, d1, d2)[s0] -> (d0, s0, d1), domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]",
                )),
        ],
    },
    Example {
        section: "Pad",
        program: "p0 = f32[4, 4] parameter(0)
            p1 = f32[] parameter(1)
            pad = f32[12, 16] pad(p0, p1), padding=1_4_1x4_8_0",
        pairs: &[
            out(0, &["(d0, d1) -> (d0 floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], d0 mod 2 in [1, 1]"])
                .page(Page::Equal("(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4),
                    domain: d0 in [1, 7], d1 in [4, 7], (d0 - 1) mod 2 in [0, 0]")),
            out(1, &[
                "(d0, d1) -> (), domain: d0 in [0, 0], d1 in [0, 15]",
                "(d0, d1) -> (), domain: d0 in [2, 6], d1 in [0, 15], d0 mod 2 in [0, 0]",
                "(d0, d1) -> (), domain: d0 in [8, 11], d1 in [0, 15]",
                "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [0, 3], d0 mod 2 in [1, 1]",
                "(d0, d1) -> (), domain: d0 in [1, 7], d1 in [8, 15], d0 mod 2 in [1, 1]",
            ])
            .page(Page::Erratum(
                "pad",
                "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 15]",
            )),
            back(0, &["(d0, d1) -> (d0 * 2 + 1, d1 + 4), domain: d0 in [0, 3], d1 in [0, 3]"])
                .page(Page::Silent),
            back(1, &[
                "()[s0] -> (0, s0), domain: s0 in [0, 15]",
                "()[s0, s1] -> (s1 * 2 + 2, s0), domain: s0 in [0, 15], s1 in [0, 2]",
                "()[s0, s1] -> (s0, s1), domain: s0 in [8, 11], s1 in [0, 15]",
                "()[s0, s1] -> (s1 * 2 + 1, s0), domain: s0 in [0, 3], s1 in [0, 3]",
                "()[s0, s1] -> (s1 * 2 + 1, s0), domain: s0 in [8, 15], s1 in [0, 3]",
            ])
            .page(Page::Silent),
        ],
    },
    Example {
        section: "ReduceWindow",
        program: "c_inf = f32[] constant(-inf)
            p0 = f32[1024, 514] parameter(0)
            reduce-window = f32[1024, 3] reduce-window(p0, c_inf),
              window={size=1x512 pad=0_0x0_0}, to_apply=max",
        pairs: &[
            out(0, &["(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 1023], d1 in [0, 2], s0 in [0, 511]"]),
            out(1, &["(d0, d1) -> (), domain: d0 in [0, 1023], d1 in [0, 2]"]),
            back(0, &["(d0, d1)[s0] -> (d0, d1 - s0), domain: d0 in [0, 1023], d1 in [0, 513], s0 in [0, 511], d1 - s0 in [0, 2]"])
                .page(Page::Silent),
            back(1, &["()[s0, s1] -> (s0, s1), domain: s0 in [0, 1023], s1 in [0, 2]"])
                .page(Page::Silent),
        ],
    },
];

#[test]
fn reshape_to_reduce_window() {
    EXAMPLES.iter().for_each(check_op);
}
