//! Folds over the arrays of several devices.
//!
//! Law: the result combines the elements of all arrays. Where each array is itself a fold that combines in the same way, or a
//! sum of products, all are one fold over all elements, in some order; a sum of rearranged arrays is the rearranged sum.

use super::lines::{Id, Line, Lines};
use super::parts::listed;
use crate::computed::{combiner, may_be_repeated};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Instruction, Module};
use affinor_hlo::opcode::Opcode;

/// The maximum number of operations below a fold that are looked through.
const DEPTH: usize = 32;

/// How elements are combined.
pub(super) struct Fold<'m> {
    module: &'m Module,
    opcode: Opcode,
    element_type: ElementType,
    /// The computation, as an attribute.
    rest: String,
}

impl<'m> Fold<'m> {
    /// Returns the fold of a collective that combines by a single operation.
    pub(super) fn of(module: &'m Module, instruction: &Instruction) -> Option<Fold<'m>> {
        let (opcode, element_type) = combiner(module, instruction)?;
        let rest = instruction.attributes().get("to_apply")?.to_string();
        Some(Fold { module, opcode, element_type, rest })
    }

    /// Returns the element that changes nothing.
    fn neutral(&self) -> Option<String> {
        let of = self.element_type;
        let bits = of.bits().min(64);
        let is_signed = of.is_signed_integer();
        let is_whole = is_signed || of.is_unsigned_integer();
        let least = if is_signed { -1_i128 << (bits - 1) } else { 0 };
        let most = (1_i128 << (bits - u32::from(is_signed))) - 1;
        let found = match (&self.opcode, of.is_float()) {
            (Opcode::Add, true) => "-0".to_owned(),
            (Opcode::Add, false) if is_whole => "0".to_owned(),
            (Opcode::Multiply, is_float) if is_float || is_whole => "1".to_owned(),
            (Opcode::Maximum, true) => "-inf".to_owned(),
            (Opcode::Minimum, true) => "inf".to_owned(),
            (Opcode::Maximum, false) if is_whole => least.to_string(),
            (Opcode::Minimum, false) if is_whole => most.to_string(),
            (Opcode::And, _) if of == ElementType::Pred => "true".to_owned(),
            (Opcode::Or, _) if of == ElementType::Pred => "false".to_owned(),
            _ => return None,
        };
        Some(found)
    }

    /// Combines arrays of the same sizes.
    pub(super) fn combined(
        &self,
        lines: &mut Lines<'m>,
        arrays: &[Id],
        sizes: &[i64],
    ) -> Option<Id> {
        if let [only] = arrays {
            return Some(*only);
        }
        if let Some(found) = self.joined(lines, arrays, DEPTH) {
            return Some(found);
        }
        let of = self.element_type.name();
        let stacked = stacked(lines, arrays)?;
        let start = lines.leaf(&format!("{of}[]"), "constant", &self.neutral()?)?;
        let shape = format!("{of}[{}]", listed(sizes));
        let rest = format!(", dimensions={{{}}}, {}", sizes.len(), self.rest);
        lines.made(&shape, "reduce", &[stacked, start], &rest)
    }

    /// Combines arrays that are folds themselves.
    fn joined(&self, lines: &mut Lines<'m>, arrays: &[Id], depth: usize) -> Option<Id> {
        let depth = depth.checked_sub(1)?;
        let first = lines.get(*arrays.first()?).clone();
        let are_alike = arrays.iter().all(|id| {
            let line = lines.get(*id);
            let Line { shape, opcode, operands, rest, .. } = &first;
            (&line.shape, &line.opcode, &line.rest) == (shape, opcode, rest)
                && line.operands.len() == operands.len()
        });
        are_alike.then_some(())?;
        let instruction = first.of?;
        let operands = |lines: &Lines<'m>, number: usize| {
            let operands = arrays.iter().map(|id| lines.get(*id).operands.get(number).copied());
            operands.collect::<Option<Vec<Id>>>()
        };
        let mut rest = first.rest.clone();
        // For each operand, whether the arrays of the devices are folded along a new last dimension, or joined along a known one.
        let along: Vec<Along> = match instruction.opcode() {
            Opcode::Bitcast | Opcode::Copy | Opcode::Reshape | Opcode::Transpose => {
                let inner = operands(lines, 0)?;
                let inner = self.joined(lines, &inner, depth)?;
                return lines.add(Line { operands: vec![inner], ..first });
            }
            Opcode::Dot if self.opcode == Opcode::Add && first.operands.len() == 2 => {
                for (number, name) in
                    ["lhs_contracting_dims", "rhs_contracting_dims"].iter().enumerate()
                {
                    rest = with_dimension(&rest, name, rank(lines, first.operands[number])?);
                }
                vec![Along::New; 2]
            }
            Opcode::Convolution if self.opcode == Opcode::Add => {
                let one = |name: &str| instruction.group_count(name).is_ok_and(|count| count == 1);
                (one("feature_group_count") && one("batch_group_count")).then_some(())?;
                let labels = instruction.convolution_dimensions().ok()?;
                vec![Along::Known(labels.input.feature), Along::Known(labels.kernel.feature)]
            }
            Opcode::Reduce if first.operands.len() == 2 => {
                let (opcode, of) = combiner(self.module, instruction)?;
                let start = first.operands[1];
                let is_one = arrays.iter().all(|id| lines.get(*id).operands[1] == start);
                let start = lines.get(start).of?.literal()?.text();
                let is_alike = (&opcode, of) == (&self.opcode, self.element_type);
                (is_one && is_alike && may_be_repeated(&opcode, start)).then_some(())?;
                rest = with_dimension(&rest, "dimensions", rank(lines, first.operands[0])?);
                vec![Along::New, Along::Nothing]
            }
            _ => return None,
        };
        let mut joined = Vec::new();
        for (number, along) in along.iter().enumerate() {
            let all = operands(lines, number)?;
            joined.push(match along {
                Along::Nothing => first.operands[number],
                Along::Known(dimension) => beside(lines, &all, *dimension)?,
                Along::New => stacked(lines, &all)?,
            });
        }
        lines.add(Line { operands: joined, rest, ..first })
    }
}

#[derive(Clone, Copy)]
enum Along {
    New,
    Known(usize),
    Nothing,
}

/// Adds a number to the list of dimensions that an attribute of this name holds.
fn with_dimension(rest: &str, name: &str, dimension: usize) -> String {
    let start = format!(", {name}={{");
    match rest.split_once(&start) {
        None => format!("{rest}{start}{dimension}}}"),
        Some((before, after)) if after.starts_with('}') => {
            format!("{before}{start}{dimension}{after}")
        }
        Some((before, after)) => format!("{before}{start}{dimension},{after}"),
    }
}

/// Puts arrays of the same shape along a new last dimension.
fn stacked(lines: &mut Lines<'_>, arrays: &[Id]) -> Option<Id> {
    let shape = affinor_hlo::read_shape(&lines.get(*arrays.first()?).shape).ok()?;
    let array = shape.as_array()?;
    let sizes = array.fixed_sizes()?;
    let row = format!("{}[{}]", array.element_type().name(), listed(&[&sizes[..], &[1]].concat()));
    let rows = arrays.iter().map(|one| lines.made(&row, "reshape", &[*one], ""));
    let rows = rows.collect::<Option<Vec<Id>>>()?;
    beside(lines, &rows, sizes.len())
}

/// Puts arrays of the same shape side by side.
pub(super) fn beside(lines: &mut Lines<'_>, arrays: &[Id], dimension: usize) -> Option<Id> {
    if let [only] = arrays {
        return Some(*only);
    }
    let shape = lines.get(*arrays.first()?).shape.clone();
    let shape = affinor_hlo::read_shape(&shape).ok()?;
    let array = shape.as_array()?;
    let mut sizes = array.fixed_sizes()?;
    let size = sizes.get_mut(dimension)?;
    *size = size.checked_mul(i64::try_from(arrays.len()).ok()?)?;
    let shape = format!("{}[{}]", array.element_type().name(), listed(&sizes));
    lines.made(&shape, "concatenate", arrays, &format!(", dimensions={{{dimension}}}"))
}

fn rank(lines: &Lines<'_>, id: Id) -> Option<usize> {
    Some(affinor_hlo::read_shape(&lines.get(id).shape).ok()?.as_array()?.rank())
}
