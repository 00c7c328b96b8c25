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
        let (row, all) = (listed(&[&[1], sizes].concat()), arrays.len() as i64);
        let row = format!("{of}[{row}]");
        let rows: Vec<Id> = arrays
            .iter()
            .map(|array| lines.made(&row, "reshape", &[*array], ""))
            .collect::<Option<_>>()?;
        let stacked = format!("{of}[{}]", listed(&[&[all], sizes].concat()));
        let stacked = lines.made(&stacked, "concatenate", &rows, ", dimensions={0}")?;
        let start = lines.leaf(&format!("{of}[]"), "constant", &self.neutral()?)?;
        let shape = format!("{of}[{}]", listed(sizes));
        let rest = format!(", dimensions={{0}}, {}", self.rest);
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
        // The dimension of each operand along which the arrays of all devices are joined.
        let along: Vec<Option<usize>> = match instruction.opcode() {
            Opcode::Bitcast | Opcode::Copy | Opcode::Reshape | Opcode::Transpose => {
                let inner = operands(lines, 0)?;
                let inner = self.joined(lines, &inner, depth)?;
                return lines.add(Line { operands: vec![inner], ..first });
            }
            Opcode::Dot if self.opcode == Opcode::Add && first.operands.len() == 2 => {
                let ranks = [0, 1].map(|number| rank(lines, first.operands[number]));
                let [Some(lhs), Some(rhs)] = ranks else {
                    return None;
                };
                let dot = instruction.dot_dimensions(lhs, rhs).ok()?;
                vec![Some(*dot.lhs_contracting.first()?), Some(*dot.rhs_contracting.first()?)]
            }
            Opcode::Convolution if self.opcode == Opcode::Add => {
                let one = |name: &str| instruction.group_count(name).is_ok_and(|count| count == 1);
                (one("feature_group_count") && one("batch_group_count")).then_some(())?;
                let labels = instruction.convolution_dimensions().ok()?;
                vec![Some(labels.input.feature), Some(labels.kernel.feature)]
            }
            Opcode::Reduce if first.operands.len() == 2 => {
                let (opcode, of) = combiner(self.module, instruction)?;
                let start = first.operands[1];
                let is_one = arrays.iter().all(|id| lines.get(*id).operands[1] == start);
                let start = lines.get(start).of?.literal()?.text();
                let is_alike = (&opcode, of) == (&self.opcode, self.element_type);
                (is_one && is_alike && may_be_repeated(&opcode, start)).then_some(())?;
                let rank = rank(lines, first.operands[0])?;
                vec![Some(*instruction.dimensions(rank).ok()?.first()?), None]
            }
            _ => return None,
        };
        let mut joined = Vec::new();
        for (number, along) in along.iter().enumerate() {
            joined.push(match along {
                None => first.operands[number],
                Some(dimension) => {
                    let all = operands(lines, number)?;
                    beside(lines, &all, *dimension)?
                }
            });
        }
        lines.add(Line { operands: joined, ..first })
    }
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
