//! Reduce window: folds the elements under a window, for each place of the window.
//!
//! Law: `output[w]` folds, starting from the initial value, the elements under the taps of window `w`; a tap in padding or
//! between dilated elements gives the initial value again. Each dimension of the window becomes a range variable. A variadic
//! reduce-window has one input and one initial value for each result, all inputs of one shape. Source: XLA, *Operation
//! semantics*, `ReduceWindow`.

use super::builder::{MapBuilder, restrict, scalar};
use super::op::{Callee, Entries, NoMap, Op, entry_of, fixed_sizes};
use super::reads::Reads;
use super::reducer::{Dependence, Needs};
use super::window::Geometry;
use affinor::expr::IndexingMap;
use affinor_hlo::attribute::WindowDimension;

/// Returns the reads of each input and of each initial value by each result of a reduce-window.
pub(super) fn entries(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let outputs = op.outputs_of_pairs(0)?;
    let n = outputs.len();
    let input = op.operand_sizes(0)?;
    let windows = op.instruction.window(input.len())?;
    let taps = windows.iter().fold(1i64, |taps, window| taps.saturating_mul(window.size));
    let needs = Needs::of_op(op, "to_apply", n, callee)?.folded(taps);
    let name = op.instruction.name();
    let mut entries = Vec::new();
    for (i, (path, array)) in outputs.into_iter().enumerate() {
        let output = fixed_sizes(array)?;
        let mut push = |operand, reads| entries.push(entry_of(&path, operand, reads));
        for j in 0..n {
            let map = output_to_input(&output, &op.operand_sizes(j)?, windows)?;
            push(j, needs.need(i, j).restrict(name, &Reads::exactly(map)));
        }
        for j in 0..n {
            op.check_scalar(n + j)?;
            let needed = match needs.need(i, j) {
                Dependence::No if i == j && windows.iter().any(WindowDimension::may_miss) => {
                    Dependence::Maybe("a window without elements may be its initial value".into())
                }
                needed => needed,
            };
            let initial = Reads::exactly(scalar(&output));
            push(n + j, needed.restrict(name, &initial));
        }
    }
    Ok(entries)
}

/// Returns the map from a result to an input.
pub(super) fn output_to_input(
    output: &[i64],
    input: &[i64],
    windows: &[WindowDimension],
) -> Result<IndexingMap, NoMap> {
    if output.len() != input.len() || windows.len() != input.len() {
        return Err(NoMap::invalid(format!(
            "reduce-window of sizes {input:?} with a window of {} dimension(s) gives sizes {output:?}",
            windows.len()
        )));
    }
    let mut builder = MapBuilder::over(output);
    let (mut results, mut conditions) = (Vec::with_capacity(input.len()), Vec::new());
    let indices = builder.dimensions();
    for (((window, base), count), index) in windows.iter().zip(input).zip(output).zip(&indices) {
        window.check(*base, *count)?;
        let tap = builder.any_index(window.size);
        let tap = window.tap(*base, index, &tap)?;
        results.push(tap.element);
        conditions.extend(tap.conditions);
    }
    Ok(restrict(&builder.finish(results), &conditions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, points};
    use crate::indexing::window::tests::{slid, windows};
    use proptest::prelude::*;

    fn axis() -> impl Strategy<Value = (i64, WindowDimension)> {
        (1i64..5).prop_flat_map(|base| (Just(base), windows(base)))
    }

    proptest! {
        #[test]
        fn reads_what_the_loop_reads(axes in prop::collection::vec(axis(), 0..3)) {
            let (input, windows): (Vec<i64>, Vec<WindowDimension>) = axes.into_iter().unzip();
            let places: Vec<Vec<Vec<Option<i64>>>> =
                windows.iter().zip(&input).map(|(window, base)| slid(window, *base)).collect();
            let output: Vec<i64> = places.iter().map(|places| places.len() as i64).collect();
            let taps: Vec<i64> = windows.iter().map(|window| window.size).collect();
            let map = built(output_to_input(&output, &input, &windows));
            check_against(&[map], &output, |d| {
                let seen = |tap: Vec<i64>| -> Option<Vec<i64>> {
                    (0..d.len()).map(|k| places[k][d[k] as usize][tap[k] as usize]).collect()
                };
                points(&taps).into_iter().filter_map(seen).collect()
            });
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let window = WindowDimension {
            size: 2,
            stride: 1,
            padding_low: 0,
            padding_high: 0,
            base_dilation: 1,
            window_dilation: 1,
            reversal: false,
        };
        assert!(output_to_input(&[3], &[4], &[window]).is_ok());
        assert!(output_to_input(&[4], &[4], &[window]).is_err());
        assert!(output_to_input(&[3], &[4], &[window, window]).is_err());
        assert!(output_to_input(&[3, 1], &[4], &[window]).is_err());
    }
}
