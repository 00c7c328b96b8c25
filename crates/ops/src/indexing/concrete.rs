//! Evaluates elements at known indices that do not depend on parameters, one by one.
//!
//! Law: the returned value is that of the element for all values of the parameters, given those of some parts of parameter 0 of
//! the computation. Every operand that an op reads is evaluated, even if it does not affect the result.

use super::custom::CustomCalls;
use super::operation;
use super::reads::{Exactness, OperandMap, OperandReads, Reads, TuplePath, ValueSource};
use super::roles::is_index;
use super::scalar::{Scalar, applied};
use affinor::expr::VariableKind;
use affinor::num::Fuel;
use affinor_hlo::module::{Computation, Instruction, InstructionId};
use affinor_hlo::opcode::{Opcode, Values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum depth of ops through which an element is followed.
const DEPTH: usize = 400;

/// Values of scalar parts of parameter 0.
pub(super) type Given = BTreeMap<TuplePath, Scalar>;

/// Evaluates elements of one computation without calls.
pub(super) struct Concrete<'m, 'f> {
    body: &'m Computation,
    given: Given,
    values: BTreeMap<(InstructionId, TuplePath, Vec<i64>), Option<Scalar>>,
    /// The reads of ops that move elements.
    moves: BTreeMap<InstructionId, Option<Arc<[OperandReads]>>>,
    literals: BTreeMap<InstructionId, Option<Vec<Scalar>>>,
    fuel: &'f Fuel,
    depth: usize,
}

impl<'m, 'f> Concrete<'m, 'f> {
    pub(super) fn new(body: &'m Computation, given: Given, fuel: &'f Fuel) -> Concrete<'m, 'f> {
        Concrete {
            body,
            given,
            values: BTreeMap::new(),
            moves: BTreeMap::new(),
            literals: BTreeMap::new(),
            fuel,
            depth: 0,
        }
    }

    /// Replaces the given values, and discards the cached results.
    pub(super) fn give(&mut self, given: Given) {
        self.given = given;
        self.values.clear();
    }

    /// Returns the value of an element of a part of an instruction's result.
    pub(super) fn value(
        &mut self,
        instruction: InstructionId,
        path: &[usize],
        index: &[i64],
    ) -> Option<Scalar> {
        let key = (instruction, path.to_vec(), index.to_vec());
        if let Some(known) = self.values.get(&key) {
            return *known;
        }
        self.fuel.spend(1).ok()?;
        if self.depth == DEPTH {
            return None;
        }
        self.depth += 1;
        let value = self.followed(instruction, path, index);
        self.depth -= 1;
        self.values.insert(key, value);
        value
    }

    fn followed(&mut self, id: InstructionId, path: &[usize], index: &[i64]) -> Option<Scalar> {
        let body = self.body;
        let instruction = &body[id];
        match instruction.opcode() {
            Opcode::Parameter if instruction.parameter_number() == Some(0) && index.is_empty() => {
                self.given.get(path).copied()
            }
            Opcode::Parameter => None,
            Opcode::Constant => self.literal(id, index),
            Opcode::Iota => {
                let array = instruction.shape().as_array()?;
                let dimension = instruction.iota_dimension(array.rank()).ok()?;
                Scalar::counted(array.element_type(), *index.get(dimension)?)
            }
            Opcode::Bitcast => {
                let array = |id: InstructionId| body[id].shape().as_array();
                let from = array(*instruction.operands().first()?)?;
                (from.element_type() == array(id)?.element_type()).then_some(())?;
                self.moved(id, path, index)
            }
            opcode if opcode.values() != Values::Made => self.moved(id, path, index),
            _ => self.made(instruction, index),
        }
    }

    fn made(&mut self, instruction: &'m Instruction, index: &[i64]) -> Option<Scalar> {
        let array = instruction.shape().as_array()?;
        let mut operands = Vec::with_capacity(instruction.operands().len());
        for operand in instruction.operands() {
            let own = self.body[*operand].shape().as_array()?;
            let at = match own.rank() {
                0 => &[],
                rank if rank == array.rank() => index,
                _ => return None,
            };
            operands.push((own.element_type(), self.value(*operand, &[], at)?));
        }
        applied(instruction, array.element_type(), &operands)
    }

    fn literal(&mut self, id: InstructionId, index: &[i64]) -> Option<Scalar> {
        let instruction = &self.body[id];
        let array = instruction.shape().as_array()?;
        let sizes = array.fixed_sizes()?;
        let read = || {
            let words = instruction.literal()?.words()?;
            let values = words.iter().map(|word| Scalar::read(array.element_type(), word));
            let values: Vec<Scalar> = values.collect::<Option<_>>()?;
            (i64::try_from(values.len()).ok() == array.element_count()).then_some(values)
        };
        let values = self.literals.entry(id).or_insert_with(read).as_ref()?;
        (sizes.len() == index.len()).then_some(())?;
        let position = index
            .iter()
            .zip(&sizes)
            .try_fold(0_i64, |at, (x, size)| (0..*size).contains(x).then(|| at * size + x))?;
        values.get(usize::try_from(position).ok()?).copied()
    }

    /// Returns the value of the element that an op moves or selects.
    fn moved(&mut self, id: InstructionId, path: &[usize], index: &[i64]) -> Option<Scalar> {
        let body = self.body;
        let instruction = &body[id];
        // Ops that move elements call no computations and no custom-calls.
        let none = CustomCalls::default();
        let read = || {
            let mut callee = |_| Err(instruction.error("expected an op that calls no computation"));
            operation::reads(body, instruction, &none, &mut callee).ok()
        };
        let entries = self.moves.entry(id).or_insert_with(read).clone()?;
        let of_part = entries.iter().filter(|entry| entry.output == path);
        for entry in of_part.filter(|entry| !is_index(instruction, entry.operand)) {
            let Reads::Maps(maps) = &entry.reads else {
                return None;
            };
            for map in maps {
                if let Some(at) = self.led(instruction, index, map)? {
                    let operand = *instruction.operands().get(entry.operand)?;
                    return self.value(operand, &entry.operand_path, &at);
                }
            }
        }
        None
    }

    /// Returns the index to which `map` leads; `Some(None)` outside the domain of `map`, `None` if it is unknown.
    #[allow(clippy::option_option, reason = "unknown, outside, inside")]
    fn led(
        &mut self,
        instruction: &'m Instruction,
        index: &[i64],
        map: &OperandMap,
    ) -> Option<Option<Vec<i64>>> {
        let domain = map.map.domain();
        let is_plain = map.exactness == Exactness::Exact
            && domain.count(VariableKind::Range) == 0
            && domain.count(VariableKind::Dimension) == index.len()
            && domain.count(VariableKind::Runtime) == map.runtime.len();
        is_plain.then_some(())?;
        let mut point = index.to_vec();
        point.resize(domain.variables().len(), 0);
        for runtime in &map.runtime {
            let ValueSource::Operand { operand, path } = &runtime.source else {
                return None;
            };
            let at = runtime.index.iter().map(|x| x.eval(&point).ok());
            let at: Vec<i64> = at.collect::<Option<_>>()?;
            let operand = *instruction.operands().get(*operand)?;
            let raw = self.value(operand, path, &at)?.integer()?;
            let forced = raw.min(runtime.clamp.hi()).max(runtime.clamp.lo());
            *point.get_mut(runtime.variable.index())? = forced;
        }
        match domain.contains(&point).ok()? {
            true => Some(Some(map.map.eval(&point).ok()?)),
            false => Some(None),
        }
    }
}
