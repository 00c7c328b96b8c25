//! The parameters that the result of a small computation depends on.
//!
//! Law: a parameter that is not listed is not used. Parts of tuples are distinguished, even through calls; if the operands that
//! an op uses depend on values, all are listed, and the answer is marked as inexact.

use affinor_hlo::module::{ComputationId, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A part of a parameter: the parameter number, and the path of the part.
type Part = (usize, Vec<usize>);

/// The parameters that each array of a result is computed from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Used {
    /// For each array of the result, in order, the parameter numbers.
    pub(super) parts: Vec<BTreeSet<usize>>,
    /// Whether each of these is used for all values.
    pub(super) is_exact: bool,
}

/// Returns the parameters that the arrays of the result of computation `id` use.
pub(super) fn of(module: &Module, id: ComputationId) -> Used {
    let mut programs = Programs { module, known: BTreeMap::new(), is_exact: true };
    let parts = programs.parts(id);
    let numbers = |parts: &BTreeSet<Part>| parts.iter().map(|(number, _)| *number).collect();
    Used { parts: parts.values().map(numbers).collect(), is_exact: programs.is_exact }
}

/// For each array of a result, the parts of parameters that it uses.
type ByArray = BTreeMap<Vec<usize>, BTreeSet<Part>>;

struct Programs<'a> {
    module: &'a Module,
    known: BTreeMap<ComputationId, Rc<ByArray>>,
    is_exact: bool,
}

impl Programs<'_> {
    /// Returns the parts of parameters that each array of the result uses. Computations nest at most 64 deep.
    fn parts(&mut self, id: ComputationId) -> Rc<ByArray> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let body = &self.module[id];
        let arrays = array_paths(body[body.root()].shape());
        let parts = arrays.into_iter().map(|path| {
            let parts = self.behind(id, body.root(), path.clone());
            (path, parts)
        });
        let parts: Rc<ByArray> = Rc::new(parts.collect());
        self.known.insert(id, parts.clone());
        parts
    }

    /// Returns the parts of parameters that part `path` of an instruction's result is computed from.
    fn behind(
        &mut self,
        id: ComputationId,
        root: InstructionId,
        path: Vec<usize>,
    ) -> BTreeSet<Part> {
        let body = &self.module[id];
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut pending = vec![(root, path)];
        while let Some((at, path)) = pending.pop() {
            if !seen.insert((at, path.clone())) {
                continue;
            }
            let instruction = &body[at];
            let operands = instruction.operands();
            if let Some(number) = instruction.parameter_number() {
                found.insert((number, path));
                continue;
            }
            let called = instruction.attributes().computations().next();
            let called = called.and_then(|reference| reference.target());
            match (instruction.opcode(), path.split_first(), called) {
                (Opcode::Tuple, Some((part, rest)), _) => {
                    pending.extend(operands.get(*part).map(|operand| (*operand, rest.to_vec())));
                    continue;
                }
                (Opcode::GetTupleElement, ..) => {
                    if let (Ok(part), Some(operand)) = (instruction.tuple_index(), operands.first())
                    {
                        pending.push((*operand, [&[part], &path[..]].concat()));
                        continue;
                    }
                }
                (Opcode::Call | Opcode::Fusion, _, Some(called)) => {
                    let parts = self.parts(called);
                    let parts = parts.get(&path).into_iter().flatten();
                    pending.extend(parts.filter_map(|(number, part)| {
                        Some((*operands.get(*number)?, part.clone()))
                    }));
                    continue;
                }
                _ => {}
            }
            self.is_exact &= uses_all(instruction.opcode(), instruction.shape());
            for operand in operands {
                let parts = array_paths(body[*operand].shape()).into_iter();
                pending.extend(parts.map(|part| (*operand, part)));
            }
        }
        found
    }
}

/// Returns whether the op uses all its operands. On scalars, this holds for all ops that compute a new value.
fn uses_all(opcode: &Opcode, shape: &Shape) -> bool {
    let computes = !matches!(
        opcode,
        Opcode::Call
            | Opcode::Conditional
            | Opcode::CustomCall
            | Opcode::Fusion
            | Opcode::Other(_)
            | Opcode::While
    );
    computes && shape.as_array().is_some_and(|array| array.rank() == 0)
}

/// Returns the paths of the arrays of a shape.
fn array_paths(shape: &Shape) -> Vec<Vec<usize>> {
    let arrays = shape.arrays().into_iter();
    arrays.map(|(path, _)| path).collect()
}
