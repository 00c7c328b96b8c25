//! The instructions that all devices execute, as one program.
//!
//! Law: the value of an instruction on each device is a line of the program; values that are the same on several devices are one
//! line. Instructions whose effects are not their results have none.

use super::collectives::Collective;
use super::lines::{Id, Line, Lines};
use super::mesh::shardings;
use super::parts::{part, whole};
use super::sharding::Sharding;
use crate::computed::is_function;
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::{Computation, ComputationId, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use affinor_ops::indexing::SILENT;
use std::collections::BTreeSet;

/// A program that does the work of all devices.
pub(super) struct Program<'m> {
    pub(super) module: &'m Module,
    pub(super) devices: usize,
    pub(super) lines: Lines<'m>,
    /// The computations of the module that lines call, and the text of others.
    pub(super) called: BTreeSet<ComputationId>,
    pub(super) made: Vec<String>,
}

impl<'m> Program<'m> {
    pub(super) fn new(module: &'m Module, devices: usize) -> Program<'m> {
        let (called, made) = Default::default();
        Program { module, devices, lines: Lines::default(), called, made }
    }

    /// Returns the result of a computation on each device; `arguments` has each parameter on each device.
    pub(super) fn computation(
        &mut self,
        id: ComputationId,
        arguments: &[Vec<Id>],
    ) -> Option<Vec<Id>> {
        let body = &self.module[id];
        let mut values: Vec<Vec<Id>> = Vec::with_capacity(body.instructions().len());
        for (_, one) in body.instructions() {
            let operands = one.operands().iter().map(|id| values[id.index()].clone());
            let operands: Vec<Vec<Id>> = operands.collect();
            let value = match one.parameter_number() {
                Some(number) => arguments.get(number)?.clone(),
                None => self.instruction(body, one, &operands)?,
            };
            values.push(value);
        }
        values.get(body.root().index()).cloned()
    }

    fn instruction(
        &mut self,
        body: &'m Computation,
        one: &'m Instruction,
        operands: &[Vec<Id>],
    ) -> Option<Vec<Id>> {
        let shape = one.shape().to_string();
        match one.opcode() {
            Opcode::Call => self.computation(one.called("to_apply").ok()?, operands),
            Opcode::Fusion => self.computation(one.called("calls").ok()?, operands),
            Opcode::PartitionId => {
                let ids = 0..self.devices;
                ids.map(|id| self.lines.leaf(&shape, "constant", &id.to_string())).collect()
            }
            Opcode::ReplicaId => {
                Some(vec![self.lines.leaf(&shape, "constant", "0")?; self.devices])
            }
            Opcode::GetTupleElement => {
                let index = one.tuple_index().ok()?;
                let of = operands.first()?.clone();
                of.iter().map(|of| self.element(*of, index, &shape)).collect()
            }
            Opcode::CustomCall => match target(one)? {
                "Sharding" | "xla.sdy.FuncResultSharding" => operands.first().cloned(),
                "SPMDFullToShardShape" => {
                    let operand = body.operands(one).next()?;
                    let sharding = self.stated(operand, operand.shape())?;
                    self.local(operand, (operands.first()?, &sharding), one.shape())
                }
                "SPMDShardToFullShape" => {
                    let sharding = self.stated(one, one.shape())?;
                    self.global(one.shape(), operands.first()?, &sharding)
                }
                "xla.sdy.GlobalToLocalShape" => self.all_local(body, one, operands),
                "xla.sdy.LocalToGlobalShape" => self.all_global(one, operands),
                _ => self.on_each(one, operands),
            },
            Opcode::While if self.has_devices(one) => self.while_loop(body, one, operands),
            opcode if names_devices(opcode) => {
                self.calls(one)?;
                let (module, devices) = (self.module, self.devices);
                let collective = Collective { module, body, instruction: one, operands, devices };
                collective.results(&mut self.lines)
            }
            _ => self.on_each(one, operands),
        }
    }

    /// Executes an instruction on each device by itself.
    fn on_each(&mut self, one: &'m Instruction, operands: &[Vec<Id>]) -> Option<Vec<Id>> {
        (is_function(one) && !self.has_devices(one)).then_some(())?;
        self.calls(one)?;
        let is_custom = *one.opcode() == Opcode::CustomCall;
        let counts = |name: &str| !SILENT.contains(&name) || is_custom && name == "backend_config";
        let attributes = one.attributes().iter().filter(|attribute| counts(attribute.name()));
        let rest: String = attributes.map(|attribute| format!(", {attribute}")).collect();
        let literal = one.literal().map(|literal| literal.text().to_owned());
        let lines = (0..self.devices).map(|device| {
            self.lines.add(Line {
                shape: one.shape().to_string(),
                opcode: one.opcode().name().to_owned(),
                literal: literal.clone().unwrap_or_default(),
                operands: operands.iter().map(|operand| operand[device]).collect(),
                rest: rest.clone(),
                of: Some(one),
            })
        });
        lines.collect()
    }

    /// Notes the computations that an instruction calls, directly or not; `None` if one is not in the module.
    fn calls(&mut self, one: &'m Instruction) -> Option<()> {
        let mut pending = vec![one];
        while let Some(one) = pending.pop() {
            for reference in one.attributes().computations() {
                let id = reference.target()?;
                if self.called.insert(id) {
                    pending.extend(self.module[id].instructions().map(|(_, inner)| inner));
                }
            }
        }
        Some(())
    }

    /// Returns whether computations that an instruction calls depend on the device, directly or not.
    pub(super) fn has_devices(&self, one: &Instruction) -> bool {
        let mut seen = BTreeSet::new();
        let mut pending: Vec<&Instruction> = vec![one];
        while let Some(next) = pending.pop() {
            for reference in next.attributes().computations() {
                let Some(id) = reference.target().filter(|id| seen.insert(*id)) else {
                    continue;
                };
                for (_, inner) in self.module[id].instructions() {
                    if names_devices(inner.opcode()) || changes_shape(inner) {
                        return true;
                    }
                    pending.push(inner);
                }
            }
        }
        false
    }

    pub(super) fn element(&mut self, of: Id, index: usize, shape: &str) -> Option<Id> {
        let line = self.lines.get(of);
        match line.opcode.as_str() {
            "tuple" => line.operands.get(index).copied(),
            _ => self.lines.made(shape, "get-tuple-element", &[of], &format!(", index={index}")),
        }
    }

    /// Returns the sharding that an instruction states for its array.
    fn stated(&self, one: &Instruction, shape: &Shape) -> Option<Sharding> {
        Sharding::read(&sharding_text(one)?, shape.as_array()?.rank(), self.devices)
    }

    /// Returns the part of an array on each device.
    fn local(
        &mut self,
        operand: &Instruction,
        (whole, sharding): (&[Id], &Sharding),
        shape: &Shape,
    ) -> Option<Vec<Id>> {
        let sizes = operand.shape().as_array()?.fixed_sizes()?;
        (shape.as_array()?.fixed_sizes()? == sharding.sizes(&sizes)?).then_some(())?;
        let text = shape.to_string();
        let devices = 0..self.devices;
        let parts = devices.map(|x| part(&mut self.lines, whole[x], &sizes, (sharding, x), &text));
        parts.collect()
    }

    /// Returns the array whose parts the devices hold. Copies of a part are the same, or the array is not defined.
    fn global(&mut self, shape: &Shape, parts: &[Id], sharding: &Sharding) -> Option<Vec<Id>> {
        let array = shape.as_array()?;
        let (sizes, of) = (array.fixed_sizes()?, array.element_type().name());
        let copies = whole(&mut self.lines, parts, &sizes, of, sharding)?;
        Some(vec![*copies.first()?; self.devices])
    }

    fn all_local(
        &mut self,
        body: &'m Computation,
        one: &'m Instruction,
        operands: &[Vec<Id>],
    ) -> Option<Vec<Id>> {
        let shardings = shardings(self.module, one, "xla.sdy.in_shardings", self.devices)?;
        (shardings.len() == operands.len()).then_some(())?;
        let shapes: Vec<&Shape> = match one.shape().as_tuple() {
            Some(shapes) => shapes.iter().collect(),
            None => vec![one.shape()],
        };
        (shapes.len() == operands.len()).then_some(())?;
        let mut parts = Vec::new();
        for (number, operand) in body.operands(one).enumerate() {
            let of = (&operands[number][..], &shardings[number]);
            parts.push(self.local(operand, of, shapes[number])?);
        }
        match (one.shape().as_tuple(), &parts[..]) {
            (None, [only]) => Some(only.clone()),
            _ => self.tuples(one.shape(), &parts),
        }
    }

    fn all_global(&mut self, one: &'m Instruction, operands: &[Vec<Id>]) -> Option<Vec<Id>> {
        let shardings = shardings(self.module, one, "xla.sdy.out_shardings", self.devices)?;
        let shapes: Vec<&Shape> = match one.shape().as_tuple() {
            Some(shapes) => shapes.iter().collect(),
            None => vec![one.shape()],
        };
        ([shardings.len(), shapes.len()] == [operands.len(); 2]).then_some(())?;
        let mut arrays = Vec::new();
        for ((shape, parts), sharding) in shapes.iter().zip(operands).zip(&shardings) {
            arrays.push(self.global(shape, parts, sharding)?);
        }
        match (one.shape().as_tuple(), &arrays[..]) {
            (None, [only]) => Some(only.clone()),
            _ => self.tuples(one.shape(), &arrays),
        }
    }

    /// Returns the tuple on each device; `elements` has each element on each device.
    pub(super) fn tuples(&mut self, shape: &Shape, elements: &[Vec<Id>]) -> Option<Vec<Id>> {
        let shape = shape.to_string();
        let tuples = (0..self.devices).map(|device| {
            let own: Vec<Id> = elements.iter().map(|element| element[device]).collect();
            self.lines.made(&shape, "tuple", &own, "")
        });
        tuples.collect()
    }
}

/// Returns the sharding that an instruction states, as text.
pub(super) fn sharding_text(one: &Instruction) -> Option<String> {
    match one.attributes().get("sharding")?.value() {
        AttributeValue::Text(text) | AttributeValue::Unread(text) => Some(text.to_string()),
        _ => None,
    }
}

pub(super) fn target(one: &Instruction) -> Option<&str> {
    match one.attributes().get("custom_call_target")?.value() {
        AttributeValue::String(name) => Some(name),
        _ => None,
    }
}

/// Returns whether the call changes global to local shapes, or back.
fn changes_shape(one: &Instruction) -> bool {
    *one.opcode() == Opcode::CustomCall
        && target(one).is_some_and(|name| {
            name.starts_with("SPMD")
                || name.ends_with("LocalShape")
                || name.ends_with("GlobalShape")
        })
}

/// Returns whether the result of an operation depends on the device, or on other devices.
pub(super) fn names_devices(opcode: &Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::AllGather
            | O::AllGatherDone
            | O::AllGatherStart
            | O::AllReduce
            | O::AllReduceDone
            | O::AllReduceStart
            | O::AllToAll
            | O::AsyncDone
            | O::AsyncStart
            | O::AsyncUpdate
            | O::CollectiveBroadcast
            | O::CollectivePermute
            | O::CollectivePermuteDone
            | O::CollectivePermuteStart
            | O::CollectiveReduce
            | O::PartitionId
            | O::RaggedAllToAll
            | O::Recv
            | O::RecvDone
            | O::ReduceScatter
            | O::ReplicaId
            | O::Send
            | O::SendDone
    )
}
