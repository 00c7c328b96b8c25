//! Typed attributes: their values, and the errors when they are missing or malformed.

use affinor_hlo as hlo;
use affinor_hlo::module::{Instruction, Module};
use affinor_maps::text::Error;
use std::fmt::Debug;

const OPERANDS: &str = "p = f32[4,6,8] parameter(0)\nq = s32[2,3] parameter(1)\n";

fn read(operation: &str) -> (String, Module) {
    let text = format!("{OPERANDS}x = f32[4,6,8] {operation}");
    let module = hlo::read_text(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    (text, module)
}

#[track_caller]
fn says<T: Debug + PartialEq>(
    operation: &str,
    ask: impl Fn(&Instruction) -> Result<T, Error>,
    expected: T,
) {
    let (_, module) = read(operation);
    let entry = &module[module.entry()];
    assert_eq!(ask(&entry[entry.root()]), Ok(expected), "{operation}");
}

/// Checks that the attribute is refused; `at` is the text that the error points at.
#[track_caller]
fn refuses<T: Debug>(
    operation: &str,
    ask: impl Fn(&Instruction) -> Result<T, Error>,
    at: &str,
    message: &str,
) {
    let (text, module) = read(operation);
    let entry = &module[module.entry()];
    let error = ask(&entry[entry.root()]).unwrap_err();
    assert_eq!(error.message, message, "{operation}");
    assert_eq!(&text[error.span.unwrap()], at, "{operation}");
}

#[test]
fn dimensions() {
    says("reverse(p), dimensions={2,0}", |i| i.dimensions(3), vec![2, 0]);
    says("reverse(p), dimensions={}", |i| i.dimensions(3), vec![]);
    refuses("reverse(p)", |i| i.dimensions(3), "x", "`reverse` needs the attribute `dimensions`");
    refuses(
        "reverse(p), dimensions={3}",
        |i| i.dimensions(3),
        "dimensions={3}",
        "expected dimension numbers from 0 to below 3 in `dimensions`, found 3",
    );
    refuses(
        "reverse(p), dimensions={-1}",
        |i| i.dimensions(3),
        "dimensions={-1}",
        "expected dimension numbers from 0 to below 3 in `dimensions`, found -1",
    );
    refuses(
        "reverse(p), dimensions={1, 1}",
        |i| i.dimensions(3),
        "dimensions={1, 1}",
        "`dimensions` lists dimension 1 twice",
    );
}

#[test]
fn single_numbers() {
    says("iota(), iota_dimension=2", |i| i.iota_dimension(3), 2);
    refuses(
        "iota(), iota_dimension=3",
        |i| i.iota_dimension(3),
        "iota_dimension=3",
        "expected dimension numbers from 0 to below 3 in `iota_dimension`, found 3",
    );
    says("get-tuple-element(p), index=7", |i| i.tuple_index(), 7);
    refuses(
        "get-tuple-element(p), index=-7",
        |i| i.tuple_index(),
        "index=-7",
        "a tuple index is at least 0",
    );
    let groups = |i: &Instruction| i.group_count("feature_group_count");
    says("convolution(p, p), feature_group_count=4", groups, 4);
    says("convolution(p, p)", groups, 1);
    refuses(
        "convolution(p, p), feature_group_count=0",
        groups,
        "feature_group_count=0",
        "a group count is at least 1",
    );
}

#[test]
fn slices() {
    let ask = |i: &Instruction| {
        let ranges = i.slice_ranges(2)?;
        Ok(ranges.iter().map(|r| (r.start, r.limit, r.stride)).collect())
    };
    says("slice(p), slice={[0:5:2], [1:4]}", ask, vec![(0, 5, 2), (1, 4, 1)]);
    refuses(
        "slice(p), slice={[0:5]}",
        ask,
        "slice={[0:5]}",
        "expected 2 ranges in `slice`, found 1",
    );
    let sizes = |i: &Instruction| i.dynamic_slice_sizes(3).map(<[i64]>::to_vec);
    says("dynamic-slice(p, q, q, q), dynamic_slice_sizes={1, 2, 3}", sizes, vec![1, 2, 3]);
    refuses(
        "dynamic-slice(p, q, q, q), dynamic_slice_sizes={1, 2, -3}",
        sizes,
        "dynamic_slice_sizes={1, 2, -3}",
        "a size is at least 0, not -3",
    );
}

#[test]
fn padding() {
    let ask = |i: &Instruction| {
        let padding = i.padding(2)?;
        Ok(padding.iter().map(|p| (p.low, p.high, p.interior)).collect())
    };
    says("pad(p, q), padding=1_4_1x4_8_0", ask, vec![(1, 4, 1), (4, 8, 0)]);
    says("pad(p, q), padding=-1_0x0_-2_3", ask, vec![(-1, 0, 0), (0, -2, 3)]);
    refuses(
        "pad(p, q), padding=0_0",
        ask,
        "padding=0_0",
        "expected 2 dimensions in `padding`, found 1",
    );
}

#[test]
fn windows() {
    let ask = |i: &Instruction| {
        let window = i.window(2)?;
        Ok(window
            .iter()
            .map(|w| {
                let dilations = (w.base_dilation, w.window_dilation);
                let padding = (w.padding_low, w.padding_high);
                (w.size, w.stride, padding, dilations, w.reversal)
            })
            .collect::<Vec<_>>())
    };
    says(
        "reduce-window(p, q), window={size=3x1 stride=2x1 pad=-1_0x2_3 lhs_dilate=1x2 rhs_dilate=4x1 rhs_reversal=0x1}",
        ask,
        vec![(3, 2, (-1, 0), (1, 4), false), (1, 1, (2, 3), (2, 1), true)],
    );
    says(
        "reduce-window(p, q), window={size=3x1}",
        ask,
        vec![(3, 1, (0, 0), (1, 1), false), (1, 1, (0, 0), (1, 1), false)],
    );
    refuses("reduce-window(p, q)", ask, "x", "`reduce-window` needs the attribute `window`");
    let without_spatial = |i: &Instruction| i.window(0).map(<[_]>::len);
    says("convolution(p, q), window={}", without_spatial, 0);
    says("convolution(p, q)", without_spatial, 0);
}

#[test]
fn convolutions() {
    let ask = |i: &Instruction| {
        let labels = i.convolution_dimensions()?;
        let arrays = [&labels.input, &labels.kernel, &labels.output];
        Ok(arrays.map(|a| (a.rank, a.batch, a.feature, a.spatial.clone())))
    };
    says(
        "convolution(p, q), dim_labels=b01f_01io->b01f",
        ask,
        [(4, 0, 3, vec![1, 2]), (4, 3, 2, vec![0, 1]), (4, 0, 3, vec![1, 2])],
    );
    says(
        "convolution(p, q), dim_labels=bf012_i20o1->bf012",
        ask,
        [(5, 0, 1, vec![2, 3, 4]), (5, 3, 0, vec![2, 4, 1]), (5, 0, 1, vec![2, 3, 4])],
    );
    says(
        "convolution(p, q), dim_labels=?bf_io->bf?",
        ask,
        [(3, 1, 2, vec![]), (2, 1, 0, vec![]), (3, 0, 1, vec![])],
    );
}

#[test]
fn dots() {
    let ask = |i: &Instruction| {
        let d = i.dot_dimensions(3, 2)?;
        Ok((d.lhs_batch, d.rhs_batch, d.lhs_contracting, d.rhs_contracting))
    };
    says(
        "dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={0}",
        ask,
        (vec![0], vec![1], vec![2], vec![0]),
    );
    says("dot(p, q)", ask, (vec![], vec![], vec![], vec![]));
    refuses(
        "dot(p, q), lhs_contracting_dims={0,1}, rhs_contracting_dims={0}",
        ask,
        "rhs_contracting_dims={0}",
        "`lhs_contracting_dims` and `rhs_contracting_dims` differ in length: 2 and 1",
    );
    refuses(
        "dot(p, q), lhs_contracting_dims={1}",
        ask,
        "lhs_contracting_dims={1}",
        "`lhs_contracting_dims` and `rhs_contracting_dims` differ in length: 1 and 0",
    );
    refuses(
        "dot(p, q), lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}",
        ask,
        "lhs_contracting_dims={1}",
        "dimension 1 of an operand has two roles",
    );
}

#[test]
fn gathers_and_scatters() {
    says(
        "gather(p, q), offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={0,2}, index_vector_dim=1, slice_sizes={1,6,4}",
        |i| {
            let g = i.gather_dimensions(3, 2, 3)?;
            assert_eq!((g.operand_batching.len(), g.indices_batching.len()), (0, 0));
            Ok((g.offset, g.collapsed_slice, g.start_index_map, g.index_vector, g.slice_sizes))
        },
        (vec![1, 2], vec![0], vec![0, 2], 1, vec![1, 6, 4]),
    );
    let gather = |i: &Instruction| i.gather_dimensions(3, 2, 3).map(|g| g.index_vector);
    says("gather(p, q), offset_dims={}, index_vector_dim=2, slice_sizes={1,1,1}", gather, 2);
    refuses(
        "gather(p, q), index_vector_dim=3, slice_sizes={1,1,1}",
        gather,
        "index_vector_dim=3",
        "expected dimension numbers from 0 to below 3 in `index_vector_dim`, found 3",
    );
    refuses(
        "gather(p, q), operand_batching_dims={1}, start_indices_batching_dims={0}, start_index_map={1}, index_vector_dim=1, slice_sizes={1,1,1}",
        gather,
        "operand_batching_dims={1}",
        "dimension 1 of an operand has two roles",
    );
    says(
        "scatter(p, q, p), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, input_batching_dims={2}, scatter_indices_batching_dims={0}, index_vector_dim=1",
        |i| {
            let s = i.scatter_dimensions(3, 2, 3)?;
            Ok((
                s.update_window,
                s.inserted_window,
                s.scatter_to_operand,
                s.operand_batching,
                s.indices_batching,
                s.index_vector,
            ))
        },
        (vec![1], vec![0], vec![0], vec![2], vec![0], 1),
    );
}

#[test]
fn sizes_of_groups() {
    #[track_caller]
    fn check(groups: &str, size: Option<i64>) {
        let (_, module) = read(&format!("all-reduce(p), replica_groups={groups}"));
        let entry = &module[module.entry()];
        assert_eq!(entry[entry.root()].replica_group_size(), size, "{groups}");
    }
    check("{{0,1,2},{3,4,5}}", Some(3));
    check("{{0,1},{2}}", None);
    check("{}", None);
    check("[2,4]<=[8]", Some(4));
    check("[2,4]<=[4,2]T(1,0)", Some(4));
    check("mesh['x'=2,'y'=4] {'y'}", Some(4));
    check("mesh['x'=2,'y'=4,'z'=3] {'z','x'}", Some(6));
    check("mesh['x'=2] {}", Some(1));
    check("mesh['x'=8] {'x':(2)4}", Some(4));
    check("mesh['x'=8,'y'=2] {'x':(1)2,'y'}", Some(4));
    check("mesh['x'=2,'y'=4], device_ids=([2,2,2]T(1,0,2)) {'x'}", Some(2));
    check("mesh['x'=4], device_ids=(3,1,0,2) {'x'}", Some(4));
    // Not groups of these meshes.
    check("mesh['x'=2] {'y'}", None);
    check("mesh['x'=8] {'x':(3)2}", None);
    check("mesh['x'=0] {'x'}", None);
    check("mesh['x'=9223372036854775807,'y'=2] {'x','y'}", None);
    check("mesh['x'=2]", None);
}
