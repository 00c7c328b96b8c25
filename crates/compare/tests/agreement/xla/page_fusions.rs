//! "Indexing Maps for Fusion", and the chained reshapes of "Indexing Map Simplifier".

use super::page::{Example, Page, check_computation, out};

const EXAMPLES: &[Example] = &[
    Example {
        section: "One input, several indexing maps",
        program: "f {
              p0 = f32[1000, 1000] parameter(0)
              transpose_p0 = f32[1000, 1000]{0, 1} transpose(p0), dimensions={1, 0}
              ROOT a0 = f32[1000, 1000] add(p0, transpose_p0)
            }",
        pairs: &[out(0, &[
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]",
            "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]",
        ])],
    },
    Example {
        section: "One input, duplicated indexing maps",
        program: "f {
              p0 = f32[20, 10, 50] parameter(0)
              lhs_transpose_1 = f32[10, 20, 50] transpose(p0), dimensions={1, 0, 2}
              lhs_e = f32[10, 20, 50] exponential(lhs_transpose_1)
              lhs_transpose_2 = f32[10, 50, 20] transpose(lhs_e), dimensions={0, 2, 1}
              rhs_transpose_1 = f32[50, 10, 20] transpose(p0), dimensions={2, 1, 0}
              rhs_log = f32[50, 10, 20] exponential(rhs_transpose_1)
              rhs_transpose_2 = f32[10, 50, 20] transpose(rhs_log), dimensions={1, 0, 2}
              ROOT add = f32[10, 50, 20] add(lhs_transpose_2, rhs_transpose_2)
            }",
        pairs: &[out(0, &["(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, 19]"])],
    },
    Example {
        // The page shows it as a drawing.
        section: "Softmax",
        program: "softmax {
              p0 = f32[2,65,125] parameter(0)
              low = f32[] constant(-inf)
              max = f32[2,65] reduce(p0, low), dimensions={2}, to_apply=maximum
              maxes = f32[2,65,125] broadcast(max), dimensions={0,1}
              shifted = f32[2,65,125] subtract(p0, maxes)
              e = f32[2,65,125] exponential(shifted)
              zero = f32[] constant(0)
              sum = f32[2,65] reduce(e, zero), dimensions={2}, to_apply=add
              sums = f32[2,65,125] broadcast(sum), dimensions={0,1}
              ROOT result = f32[2,65,125] divide(e, sums)
            }",
        pairs: &[out(0, &[
            "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124]",
            "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], s0 in [0, 124]",
        ])],
    },
    Example {
        section: "Chained reshapes",
        program: "f {
              p0 = f32[10, 10, 10] parameter(0)
              reshape1 = f32[50, 20] reshape(p0)
              reshape2 = f32[10, 10, 10] reshape(reshape1)
            }",
        pairs: &[out(0, &["(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"])],
    },
    Example {
        // The text under "Dynamic slice" defines the runtime variables: they are the offsets, clamped so that the slice is
        // within bounds. Through a fusion they are parameters.
        section: "Dynamic slice in a fusion",
        program: "f {
              src = s32[2,2,258] parameter(0)
              of1 = s32[] parameter(1)
              of3 = s32[] parameter(2)
              zero = s32[] constant(0)
              ds = s32[1,2,32] dynamic-slice(src, of1, zero, of3), dynamic_slice_sizes={1, 2, 32}
              ROOT n = s32[1,2,32] negate(ds)
            }",
        pairs: &[out(0, &["(d0, d1, d2){rt0, rt1} -> (rt0, d1, d2 + rt1), domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31], rt0 in [0, 1], rt1 in [0, 226]"])
            .page(Page::Silent)],
    },
];

#[test]
fn fusions() {
    EXAMPLES.iter().for_each(check_computation);
}
