//! The derivation of an op's map in stages: a bitcast as transpose, reshape, transpose; a reshape as collapse and
//! expand; a reduce-window as window and pad.
//!
//! Law: the composition of the maps of the stages, in order, is the map of the op from the output to the operand. Identity
//! stages are omitted. The first stage is next to the output, so the last stage is applied to the operand first.
//!
//! The stages are only for explanation: the map of an op does not depend on them.

use super::bitcast::{is_a_matter_of_order, major_to_minor};
use super::op::{NoMap, Op, arrays, fixed_sizes};
use super::pad;
use super::reduce_window;
use super::reshape::{self, groups};
use super::transpose::transpose_to_operand;
use super::window::Geometry;
use affinor::expr::IndexingMap;
use affinor_hlo::attribute::{PaddingDimension, WindowDimension};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::ArrayShape;

/// A stage: from an array to the array that it is computed from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The op applied to the array in the map's range, for example `transpose {1,0}`.
    pub name: String,
    /// The sizes of the array in the map's range.
    pub sizes: Vec<i64>,
    /// The map from an index of the previous stage's array (of the output, for the first stage).
    pub map: IndexingMap,
    /// The composition of the maps of all stages so far, from an index of the output.
    pub composed: IndexingMap,
}

/// Returns the stages from each array of the output to the array of operand `operand`; empty for an op whose map is stated
/// directly.
pub(super) fn stages(op: &Op<'_>, operand: usize) -> Result<Vec<Stage>, NoMap> {
    let mut chain = Chain::default();
    match op.instruction.opcode() {
        Opcode::Reshape => chain.reshape(&op.sizes()?, &op.operand_sizes(operand)?)?,
        Opcode::Bitcast => chain.bitcast(op.array()?, op.operand_array(operand)?)?,
        Opcode::ReduceWindow if operand < op.operands.len() / 2 => {
            let input = op.operand_sizes(operand)?;
            let windows = op.instruction.window(input.len())?;
            let outputs = arrays(op.instruction.shape());
            if let Some((_, output)) = outputs.first() {
                chain.reduce_window(&fixed_sizes(output)?, &input, windows)?;
            }
        }
        _ => {}
    }
    Ok(chain.stages)
}

#[derive(Default)]
struct Chain {
    stages: Vec<Stage>,
}

impl Chain {
    fn push(&mut self, name: String, sizes: &[i64], map: IndexingMap) -> Result<(), NoMap> {
        let composed = match self.stages.last() {
            None => map.clone(),
            Some(before) => {
                before.composed.then(&map).map_err(|error| NoMap::unknown(error.to_string()))?
            }
        };
        self.stages.push(Stage { name, sizes: sizes.to_vec(), map, composed });
        Ok(())
    }

    /// Adds the stages of a reshape: between output and operand is an array with one dimension for each group of dimensions
    /// with equal products; the operand is collapsed to it, and it is expanded to the output.
    fn reshape(&mut self, output: &[i64], operand: &[i64]) -> Result<(), NoMap> {
        reshape::check_same_count("reshape", output, operand)?;
        if output.contains(&0) || output == operand {
            return Ok(());
        }
        let groups = groups(output, operand);
        let middle: Vec<i64> =
            groups.iter().map(|group| output[group.from.clone()].iter().product()).collect();
        if middle != output {
            let of_output = groups.iter().map(|group| group.from.clone().collect());
            let name = format!("expand to {}", braced(of_output));
            let map = reshape::output_to_operand(output, &middle)?;
            self.push(name, &middle, map)?;
        }
        if middle != operand {
            let of_operand = groups.iter().map(|group| group.to.clone().collect());
            let name = format!("collapse {}", braced(of_operand));
            let map = reshape::output_to_operand(&middle, operand)?;
            self.push(name, operand, map)?;
        }
        Ok(())
    }

    fn bitcast(&mut self, output: &ArrayShape, operand: &ArrayShape) -> Result<(), NoMap> {
        if !is_a_matter_of_order(output, operand) {
            return Ok(());
        }
        let (sizes, operand_sizes) = (fixed_sizes(output)?, fixed_sizes(operand)?);
        let (to, from) = (output.layout(), operand.layout());
        let physical = major_to_minor(&sizes, to.minor_to_major());
        let operand_physical = major_to_minor(&operand_sizes, from.minor_to_major());
        let order: Vec<usize> = to.minor_to_major().iter().rev().copied().collect();
        // Dimension `i` of the output is at the position of `i` in the physical order.
        let places = (0..order.len()).filter_map(|i| order.iter().position(|k| *k == i));
        let places: Vec<usize> = places.collect();
        self.transpose(&sizes, &physical, &places)?;
        if physical != operand_physical {
            let name = format!("reshape to {}", bracketed(&physical));
            let map = reshape::output_to_operand(&physical, &operand_physical)?;
            self.push(name, &operand_physical, map)?;
        }
        let order: Vec<usize> = from.minor_to_major().iter().rev().copied().collect();
        self.transpose(&operand_physical, &operand_sizes, &order)
    }

    fn transpose(
        &mut self,
        output: &[i64],
        operand: &[i64],
        permutation: &[usize],
    ) -> Result<(), NoMap> {
        if permutation.is_sorted() {
            return Ok(());
        }
        let map = transpose_to_operand(output, operand, permutation)?;
        let name = format!("transpose {}", braced([permutation.to_vec()].into_iter()));
        self.push(name, operand, map)
    }

    fn reduce_window(
        &mut self,
        output: &[i64],
        input: &[i64],
        windows: &[WindowDimension],
    ) -> Result<(), NoMap> {
        let mut padded = Vec::with_capacity(input.len());
        for (window, size) in windows.iter().zip(input) {
            let size = window.padded(*size);
            padded.push(size.ok_or_else(|| NoMap::unknown("its window is beyond 64 bits"))?);
        }
        let bare: Vec<WindowDimension> =
            windows.iter().map(WindowDimension::without_padding).collect();
        let numbers = |number: fn(&WindowDimension) -> String| {
            let numbers: Vec<String> = windows.iter().map(number).collect();
            numbers.join("x")
        };
        let mut name = format!("window size={}", numbers(|window| window.size.to_string()));
        if windows.iter().any(|window| window.stride != 1) {
            name += &format!(" stride={}", numbers(|window| window.stride.to_string()));
        }
        if windows.iter().any(|window| window.window_dilation != 1) {
            let dilations = numbers(|window| window.window_dilation.to_string());
            name += &format!(" rhs_dilate={dilations}");
        }
        let map = reduce_window::output_to_input(output, &padded, &bare)?;
        self.push(name, &padded, map)?;
        if bare == windows {
            return Ok(());
        }
        let paddings: Vec<PaddingDimension> = windows
            .iter()
            .map(|window| PaddingDimension {
                low: window.padding_low,
                high: window.padding_high,
                interior: window.base_dilation - 1,
            })
            .collect();
        let name = numbers(|window| {
            let interior = window.base_dilation - 1;
            format!("{}_{}_{interior}", window.padding_low, window.padding_high)
        });
        let map = pad::output_to_operands(&padded, input, &paddings)?.data;
        self.push(format!("pad {name}"), input, map)
    }
}

/// Prints lists as `{0,1} {2}`.
fn braced(lists: impl Iterator<Item = Vec<usize>>) -> String {
    let list = |list: Vec<usize>| {
        let numbers: Vec<String> = list.iter().map(usize::to_string).collect();
        format!("{{{}}}", numbers.join(","))
    };
    lists.map(list).collect::<Vec<_>>().join(" ")
}

/// Prints sizes as `[4,8]`.
fn bracketed(sizes: &[i64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    format!("[{}]", sizes.join(","))
}
