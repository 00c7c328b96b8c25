//! Sizes and attributes at the extremes of 64 bits: each family answers or refuses, and never panics.

use super::op::NoMap;
use super::window::Geometry as _;
use super::{
    bitcast, builder, collective, concatenate, convolution, dot, dot_variants, fft, gather,
    index_vectors, pad, pointwise, reduce, reduce_window, reshape, scatter, select_and_scatter,
    slice, transpose, triangular, update_slice,
};
use affinor::expr::{Expr, VariableId};
use affinor_hlo::attribute::{PaddingDimension, SliceRange, WindowDimension};
use proptest::prelude::*;

fn size() -> impl Strategy<Value = i64> {
    prop_oneof![
        3 => 0i64..5,
        1 => prop::sample::select(vec![i64::MAX, i64::MAX - 1, i64::MAX / 2, 1 << 32, 1 << 62]),
    ]
}

fn number() -> impl Strategy<Value = i64> {
    let ends = vec![i64::MIN, i64::MIN + 1, i64::MIN / 2, -(1 << 62)];
    prop_oneof![2 => size(), 1 => size().prop_map(|x| -x), 1 => prop::sample::select(ends)]
}

fn sizes() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(size(), 0..4)
}

fn dimensions() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0usize..4, 0..4)
}

/// Checks that the ranges and the cost of every map that was built can be computed.
fn use_maps(maps: Result<Vec<affinor::expr::IndexingMap>, NoMap>) {
    for map in maps.unwrap_or_default() {
        let _ = (map.ranges(), map.cost());
    }
}

fn window() -> impl Strategy<Value = WindowDimension> {
    let steps = (number(), number(), number(), number());
    (steps, number(), number()).prop_map(|(steps, low, high)| WindowDimension {
        size: steps.0,
        stride: steps.1,
        padding_low: low,
        padding_high: high,
        base_dilation: steps.2,
        window_dilation: steps.3,
        reversal: false,
    })
}

proptest! {
    #[test]
    fn no_family_panics(
        (output, operand) in (sizes(), sizes()),
        (list, other) in (dimensions(), dimensions()),
        (x, y, z) in (number(), number(), number())
    ) {
        use_maps(pointwise::output_to_operand(&output, &operand).map(|map| vec![map]));
        use_maps(transpose::transpose_to_operand(&output, &operand, &list).map(|map| vec![map]));
        use_maps(transpose::reverse_to_operand(&output, &output, &list).map(|map| vec![map]));
        use_maps(reshape::output_to_operand(&output, &operand).map(|map| vec![map]));
        let turned: Vec<i64> = output.iter().rev().copied().collect();
        use_maps(reshape::output_to_operand(&output, &turned).map(|map| vec![map]));
        use_maps(bitcast::output_to_operand(&output, &list, &turned, &other).map(|map| vec![map]));
        use_maps(reduce::output_to_input(&output, &operand, &list).map(|map| vec![map]));
        use_maps(slice::dynamic_to_operand(&output, &operand).map(|(map, _)| vec![map]));
        use_maps(update_slice::output_to_operands(&output, &operand).map(|maps| maps.data));
        let slices = [SliceRange { start: x, limit: y, stride: z }];
        use_maps(slice::output_to_operand(&output, &operand, &slices).map(|map| vec![map]));
        use_maps(concatenate::output_to_operands(&output, &[&operand, &output, &operand], 0));
        let side = |sizes| dot::Side { sizes, batch: &list, contracting: &other };
        let dots = dot::output_to_operands(&output, side(&operand), side(&operand));
        use_maps(dots.map(|(lhs, rhs)| vec![lhs, rhs]));
    }

    #[test]
    fn no_family_with_windows_panics(
        (output, input, source) in (sizes(), sizes(), sizes()),
        windows in prop::collection::vec(window(), 0..4),
        list in dimensions(),
        (groups, of_batch) in (number(), any::<bool>())
    ) {
        use_maps(reduce_window::output_to_input(&output, &input, &windows).map(|map| vec![map]));
        let selected = select_and_scatter::output_to_operands(&output, &source, &windows);
        use_maps(selected.map(|maps| vec![maps.data, maps.source]));
        let side = |sizes| convolution::Side { sizes, batch: 0, feature: 1, spatial: list.clone() };
        let convolution = convolution::Convolution {
            input: side(&input),
            kernel: side(&source),
            output: side(&output),
            windows: windows.iter().map(|window| WindowDimension { reversal: of_batch, ..*window }).collect(),
            feature_groups: if of_batch { 1 } else { groups },
            batch_groups: if of_batch { groups } else { 1 },
        };
        use_maps(convolution.output_to_operands().map(|(input, kernel)| vec![input, kernel]));
        // Consecutive windows over a dimension, at each position where one fits.
        for window in &windows {
            for base in &input {
                let (s, d) = (Expr::variable(VariableId(0)), Expr::variable(VariableId(1)));
                let _ = (window.tap(*base, &s, &d).is_ok(), window.covers(&s, &d).is_ok());
            }
        }
    }

    #[test]
    fn no_family_with_several_arrays_panics(
        (still, indices, moving, window) in (sizes(), sizes(), sizes(), sizes()),
        (offset, collapsed, map) in (dimensions(), dimensions(), dimensions()),
        (vector, group) in (0usize..5, number()),
        flags in any::<[bool; 4]>()
    ) {
        let vectors = index_vectors::IndexVectors {
            still: &still,
            indices: &indices,
            moving: &moving,
            window: &window,
            offset: &offset,
            collapsed: &collapsed,
            index_map: &map,
            still_batching: &[],
            indices_batching: &[],
            vector,
        };
        use_maps(gather::output_to_operands(&vectors).map(|(data, list)| vec![data.map, list]));
        use_maps(scatter::output_to_operands(&vectors, 1).map(|maps| vec![maps.update.map]));
        use_maps(builder::fibres("sort", &moving, &still, &offset).map(|map| vec![map]));
        use_maps(fft::output_to_operand(&moving, &still, "IRFFT", &indices).map(|map| vec![map]));
        use_maps(fft::output_to_operand(&still, &still, "FFT", &still).map(|map| vec![map]));
        use_maps(collective::gathered(&moving, &still, vector).map(|map| vec![map]));
        use_maps(collective::scattered(&moving, &still, vector).map(|map| vec![map]));
        use_maps(collective::exchanged(&still, &still, vector, Some(group)).map(|map| vec![map]));
        let square = [still.clone(), still.last().copied().into_iter().collect()].concat();
        use_maps(triangular::cholesky_to_operand(&square, flags[0]).map(|maps| maps.within));
        let [left_side, lower, unit_diagonal, transposed] = flags;
        let system = triangular::System { left_side, lower, unit_diagonal, transposed };
        for output in [&square, &moving] {
            let maps = system.output_to_operands(output, &square);
            use_maps(maps.map(|(matrix, right)| vec![matrix, right]));
        }
        let identity = builder::identity(&still);
        use_maps(dot_variants::scale(&identity, &still, &moving).map(|map| vec![map]));
    }

    #[test]
    fn pads_at_the_ends_are_right_or_refused(
        (size, low, out, interior) in (size(), number(), size(), size())
    ) {
        // The high padding that makes the sizes consistent, if it is representable.
        let spread = match size {
            0 => 0,
            _ => (i128::from(size) - 1) * (i128::from(interior) + 1) + 1,
        };
        let high = i128::from(out) - i128::from(low) - spread;
        let Ok(high) = i64::try_from(high) else {
            return Ok(());
        };
        let padding = [PaddingDimension { low, high, interior }];
        let Ok(maps) = pad::output_to_operands(&[out], &[size], &padding) else {
            return Ok(());
        };
        for d in [0, 1, out / 2, out - 2, out - 1].into_iter().filter(|d| (0..out).contains(d)) {
            let distance = i128::from(d) - i128::from(low);
            let stride = i128::from(interior) + 1;
            let source = distance.div_euclid(stride);
            let holds = distance.rem_euclid(stride) == 0 && (0..i128::from(size)).contains(&source);
            // An intermediate value beyond 64 bits is an error, never a wrong answer.
            if let Ok(inside) = maps.data.domain().contains(&[d]) {
                prop_assert_eq!(inside, holds, "{} in {:?}", d, maps);
            }
            let padded: Result<Vec<bool>, _> =
                maps.padding.iter().map(|map| map.domain().contains(&[d])).collect();
            if let Ok(padded) = padded {
                prop_assert_eq!(padded.contains(&true), !holds, "{} in {:?}", d, maps);
            }
        }
    }
}
