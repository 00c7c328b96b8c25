//! The threads of `--preset`: over the result of a map, the array itself, or the operand elements of a reduction.

use super::lies::{Lies, array, sizes};
use super::options::{BLOCK, OUTPUT, THREADS, VECTOR, blame, number};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::table::Call;
use affinor::expr::{ExprKind, IndexingMap, VariableKind};
use affinor::text::ErrorKind;
use affinor_layout::memory::Placement;
use affinor_ops::footprint::access::{Grid, Memory, Preset, Walk};
use std::collections::BTreeSet;

/// Returns the threads of a preset that iterate over the result of `map`, or over the array itself.
pub(super) fn preset(
    call: &Call<'_>,
    (preset, given): (Preset, &Argument),
    (map, lies, output): (Option<&IndexingMap>, Option<&Lies>, Option<Placement>),
    memory: Memory,
) -> Result<(IndexingMap, Grid), Failure> {
    if let Some(names) = call.text_of(&THREADS) {
        let message = "a preset already assigns the threads";
        return Err(names.wrong(ErrorKind::Usage, message));
    }
    let order = |placement: &Placement| placement.shape().layout().minor_to_major().to_vec();
    let (sizes, order) = match (map, lies, call.text_of(&OUTPUT)) {
        _ if output.is_some() => {
            let of = |output: Placement| (output.sizes().to_vec(), order(&output));
            output.map(of).unwrap_or_default()
        }
        (None, _, Some(output)) => {
            let message = "`--output` needs a map";
            return Err(output.wrong(ErrorKind::Usage, message));
        }
        (Some(map), _, Some(output)) => {
            let placement = array(output)?;
            let sizes = sizes(given, map.domain())?;
            if placement.sizes() != sizes {
                let message = "the dimensions of the map do not match the sizes of this shape";
                return Err(output.wrong(ErrorKind::Shape, message));
            }
            (sizes, order(&placement))
        }
        (Some(map), _, None) => {
            let sizes = sizes(given, map.domain())?;
            let order = (0..sizes.len()).rev().collect();
            (sizes, order)
        }
        (None, Some(lies), None) => (lies.sizes.clone(), lies.minor_to_major.clone()),
        (None, None, None) => return Err(given.wrong(ErrorKind::Usage, "expected a shape")),
    };
    let (mut sizes, mut order, mut reduced) = (sizes, order, Vec::new());
    if preset == Preset::Reduction {
        let lies = lies.filter(|lies| lies.sizes.len() == lies.minor_to_major.len());
        let found = map.zip(lies).and_then(|(map, lies)| Some((reduced_by(map)?, lies)));
        let Some((found, lies)) = found else {
            let message = "`--preset reduction` needs the operand of a reduce: each of its indices is one of the result, or reduced";
            let hint = "`op reduce f32[64,512] {1}` gives the map of one, `--operand` picks that of an instruction; `--preset loop` walks over the result";
            return Err(given.wrong(ErrorKind::Usage, message).hint(hint));
        };
        (sizes, order, reduced) = (lies.sizes.clone(), lies.minor_to_major.clone(), found);
    }
    let walk = Walk {
        sizes: &sizes,
        minor_to_major: &order,
        element_bits: memory.element_bits,
        block: number(call, &BLOCK)?,
        vector: number(call, &VECTOR)?,
        beside: map.zip(lies).and_then(|(map, lies)| minor_of_operand(map, lies)),
        reduced: &reduced,
    };
    preset.map(&walk).map_err(|error| blame(call, &BLOCK, given, error))
}

/// Returns the dimensions of the operand that a map reduces, if each index is a distinct variable.
fn reduced_by(map: &IndexingMap) -> Option<Vec<usize>> {
    let domain = map.domain();
    let (mut seen, mut reduced) = (BTreeSet::new(), Vec::new());
    for (place, index) in map.results().iter().enumerate() {
        match index.kind() {
            ExprKind::Constant(0) => {}
            ExprKind::Variable(id) if seen.insert(*id) => {
                let variable = domain.variables().get(id.index())?;
                if variable.kind == VariableKind::Range {
                    reduced.push(place);
                }
            }
            _ => return None,
        }
    }
    let is_all = domain.constraints().is_empty() && seen.len() == domain.variables().len();
    is_all.then_some(reduced)
}

/// Returns the output dimension that is the minor dimension of the operand; `None` if that index is not an output dimension.
fn minor_of_operand(map: &IndexingMap, lies: &Lies) -> Option<usize> {
    let size = |dimension: &&usize| lies.sizes.get(**dimension).is_some_and(|size| *size > 1);
    let minor = lies.minor_to_major.iter().find(size)?;
    match map.results().get(*minor)?.kind() {
        ExprKind::Variable(id) => {
            let mut dimensions = map.domain().ids(VariableKind::Dimension);
            dimensions.position(|dimension| dimension == *id)
        }
        _ => None,
    }
}
