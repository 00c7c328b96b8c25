//! Select and scatter: folds each source element into the element of the operand that its window selects.
//!
//! Law: window `w` over the operand selects one of its elements by comparing them pairwise; `output[d]` starts from the initial
//! value and folds the source elements of the windows that select `d`. So it reads the whole of each window that contains `d`,
//! and at most these windows' elements of the source. A window with one tap compares nothing. Source: XLA,
//! *Operation semantics*, `SelectAndScatter`.
//! For all sizes: the law `window-neighbours` of `rules/ops.rules`.

use super::builder::{Condition, MapBuilder, restrict, scalar};
use super::op::{Callee, Entries, NoMap, Op, entry, require};
use super::reads::{OperandMap, Reads};
use super::reducer::{Dependence, Fold};
use super::window::Geometry;
use affinor::expr::{Expr, IndexingMap};
use affinor_hlo::attribute::WindowDimension;

/// Returns the reads of a select-and-scatter.
pub(super) fn entries(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let (output, source) = (op.sizes()?, op.operand_sizes(1)?);
    op.check_scalar(2)?;
    require(output == op.operand_sizes(0)?, || "the operand has a different shape")?;
    let windows = op.instruction.window(output.len())?;
    let maps = output_to_operands(&output, &source, windows)?;
    let compared = match compares(op, callee)? {
        Dependence::Yes if windows.iter().any(WindowDimension::may_miss) => Dependence::Maybe(
            "a window with one element inside the operand selects it without comparing".into(),
        ),
        compared => compared,
    };
    let single = windows.iter().all(|window| window.size == 1);
    let name = op.instruction.name();
    let data = match single {
        true => Reads::NOTHING,
        false => compared.restrict(name, &Reads::exactly(maps.data)),
    };
    let source = match single {
        true => OperandMap::exact(maps.source),
        false => OperandMap::at_most(
            maps.source,
            format!("`{name}`: which element of a window is selected is known only at run time"),
        ),
    };
    let fold = Fold::of_op(op, "scatter", 1, callee)?;
    let element = fold.element(0, 0);
    let initial = match fold.state(0, 0) {
        Dependence::Yes => Dependence::Yes,
        // It is preserved if no window selects the element.
        _ => Dependence::Maybe("it is replaced where a source element goes".into()),
    };
    Ok(vec![
        entry(0, data),
        entry(1, element.restrict(name, &Reads::union([source]))),
        entry(2, initial.restrict(name, &Reads::exactly(scalar(&output)))),
    ])
}

/// Returns whether the comparison needs both elements.
fn compares(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Result<Dependence, NoMap> {
    let select = Fold::of_op(op, "select", 1, callee)?;
    let (lhs, rhs) = (select.state(0, 0), select.element(0, 0));
    Ok(match (&lhs, &rhs) {
        (Dependence::Yes, Dependence::Yes) | (Dependence::No, Dependence::No) => lhs,
        _ => Dependence::Maybe("the comparison may not read both elements".into()),
    })
}

/// The maps of a select-and-scatter.
#[derive(Debug)]
pub(super) struct SelectMaps {
    /// The map to all elements of the windows that contain the element.
    pub(super) data: IndexingMap,
    /// The map to the source elements of these windows.
    pub(super) source: IndexingMap,
}

/// Returns the maps for an output (and operand), a source and a window of these sizes.
pub(super) fn output_to_operands(
    output: &[i64],
    source: &[i64],
    windows: &[WindowDimension],
) -> Result<SelectMaps, NoMap> {
    if output.len() != source.len() || windows.len() != output.len() {
        return Err(NoMap::invalid(format!(
            "select-and-scatter of sizes {output:?} with a window of {} dimension(s) has a source of sizes \
             {source:?}",
            windows.len()
        )));
    }
    let mut builder = MapBuilder::over(output);
    let indices = builder.dimensions();
    let mut places: Vec<Expr> = Vec::with_capacity(source.len());
    let mut holding: Vec<Condition> = Vec::new();
    for (k, window) in windows.iter().enumerate() {
        if window.base_dilation != 1 {
            return Err(NoMap::unknown("a window over a dilated operand has no map yet"));
        }
        window.check(output[k], source[k])?;
        match window.only_window(source[k], &indices[k])? {
            Some(only) => {
                places.push(only.element);
                holding.extend(only.conditions);
            }
            None => {
                let place = builder.any_index(source[k]);
                holding.extend(window.covers(&place, &indices[k])?);
                places.push(place);
            }
        }
    }
    let to_source = restrict(&builder.clone().finish(places.clone()), &holding);
    let (mut elements, mut inside) = (Vec::with_capacity(output.len()), holding);
    for (k, window) in windows.iter().enumerate() {
        let tap = builder.any_index(window.size);
        let tap = window.tap(output[k], &places[k], &tap)?;
        elements.push(tap.element);
        inside.extend(tap.conditions);
    }
    Ok(SelectMaps { data: restrict(&builder.finish(elements), &inside), source: to_source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, points};
    use crate::indexing::window::tests::{slid, windows};
    use proptest::prelude::*;

    fn axis() -> impl Strategy<Value = (i64, WindowDimension)> {
        (1i64..5)
            .prop_flat_map(|base| (Just(base), windows(base)))
            .prop_filter_map("the base is not dilated", |(base, window)| {
                (window.base_dilation == 1).then_some((base, window))
            })
    }

    proptest! {
        #[test]
        fn reads_the_windows_that_hold_the_element(axes in prop::collection::vec(axis(), 0..3)) {
            let (output, windows): (Vec<i64>, Vec<WindowDimension>) = axes.into_iter().unzip();
            let seen: Vec<_> =
                windows.iter().zip(&output).map(|(window, base)| slid(window, *base)).collect();
            let source: Vec<i64> = seen.iter().map(|places| places.len() as i64).collect();
            let taps: Vec<i64> = windows.iter().map(|window| window.size).collect();
            let elements = |place: &[i64]| -> Vec<Vec<i64>> {
                let under = |tap: Vec<i64>| -> Option<Vec<i64>> {
                    (0..tap.len()).map(|k| seen[k][place[k] as usize][tap[k] as usize]).collect()
                };
                points(&taps).into_iter().filter_map(under).collect()
            };
            let holding = |d: &[i64]| -> Vec<Vec<i64>> {
                let holds = |place: &Vec<i64>| elements(place).iter().any(|element| element == d);
                points(&source).into_iter().filter(holds).collect()
            };
            let maps = built(output_to_operands(&output, &source, &windows));
            check_against(&[maps.source], &output, holding);
            check_against(&[maps.data], &output, |d| {
                holding(d).iter().flat_map(|place| elements(place)).collect()
            });
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let window = WindowDimension {
            size: 2,
            stride: 2,
            padding_low: 0,
            padding_high: 0,
            base_dilation: 1,
            window_dilation: 1,
            reversal: false,
        };
        assert!(output_to_operands(&[4], &[2], &[window]).is_ok());
        assert!(output_to_operands(&[4], &[3], &[window]).is_err());
        assert!(output_to_operands(&[4], &[2, 1], &[window]).is_err());
        let dilated = WindowDimension { base_dilation: 2, ..window };
        assert!(matches!(output_to_operands(&[4], &[3], &[dilated]), Err(NoMap::Unknown(_))));
    }
}
