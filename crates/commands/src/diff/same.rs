//! Structural equality of instructions of two modules, up to names.
//!
//! Law: equal instructions have the same reads of their operands, even if no claim is made about these. Their computations are
//! compared instruction by instruction. Metadata is ignored.

use super::pairs::Place;
use affinor_hlo::attribute::Attribute;
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use std::collections::BTreeMap;

/// A module with its text.
pub(super) struct Text<'m> {
    pub(super) module: &'m Module,
    pub(super) bytes: &'m [u8],
}

/// The comparisons of two modules so far.
pub(super) struct Same<'m> {
    texts: [Text<'m>; 2],
    computations: BTreeMap<(usize, usize), bool>,
}

impl<'m> Same<'m> {
    pub(super) fn new(texts: [Text<'m>; 2]) -> Same<'m> {
        Same { texts, computations: BTreeMap::new() }
    }

    /// Returns whether both are the same op, on operands of the same shapes.
    pub(super) fn instructions(&mut self, places: [Place; 2]) -> bool {
        let [(c, k), (d, n)] = places;
        let (old_body, new_body) = (&self.texts[0].module[c], &self.texts[1].module[d]);
        let (old, new) = (&old_body[k], &new_body[n]);
        let shapes = |body: &Computation, op: &Instruction| -> Vec<String> {
            let operands = body.operands(op);
            operands.map(|operand| operand.shape().to_string()).collect()
        };
        shapes(old_body, old) == shapes(new_body, new) && self.ops([old, new])
    }

    /// Returns whether both computations have the same result for the same parameters.
    pub(super) fn computations(&mut self, [old, new]: [ComputationId; 2]) -> bool {
        let key = (old.index(), new.index());
        if let Some(known) = self.computations.get(&key) {
            return *known;
        }
        let bodies = [&self.texts[0].module[old], &self.texts[1].module[new]];
        let is_same = self.bodies(bodies);
        self.computations.insert(key, is_same);
        is_same
    }

    fn bodies(&mut self, [old, new]: [&Computation; 2]) -> bool {
        let instructions = || old.instructions().zip(new.instructions());
        let operands = |(one, other): (&Instruction, &Instruction)| -> bool {
            let numbers = |operands: &[InstructionId]| -> Vec<usize> {
                operands.iter().map(|operand| operand.index()).collect()
            };
            numbers(one.operands()) == numbers(other.operands())
        };
        old.instructions().len() == new.instructions().len()
            && old.root().index() == new.root().index()
            && instructions()
                .all(|((_, one), (_, other))| operands((one, other)) && self.ops([one, other]))
    }

    /// Returns whether both have the same opcode, shape, value and attributes.
    fn ops(&mut self, [old, new]: [&Instruction; 2]) -> bool {
        let value = |op: &Instruction| op.literal().map(|literal| literal.text().to_owned());
        let is_like = old.opcode() == new.opcode()
            && old.shape().to_string() == new.shape().to_string()
            && old.parameter_number() == new.parameter_number()
            && value(old) == value(new)
            && self.attributes(0, old) == self.attributes(1, new);
        if !is_like {
            return false;
        }
        let called = |op: &Instruction| -> Vec<Option<ComputationId>> {
            let references = op.attributes().computations();
            references.map(|reference| reference.target()).collect()
        };
        let (old, new) = (called(old), called(new));
        let mut pairs = old.iter().zip(&new);
        old.len() == new.len()
            && pairs.all(|pair| match pair {
                (Some(old), Some(new)) => self.computations([*old, *new]),
                _ => false, // a missing computation may be anything
            })
    }

    /// Returns the attributes as written, without the names of computations.
    fn attributes(&self, side: usize, op: &Instruction) -> Vec<(String, Option<&[u8]>)> {
        let names_computations = |attribute: &Attribute| {
            let mut references = op.attributes().computations();
            let within = attribute.span();
            references.any(|reference| {
                let span = reference.span();
                within.start <= span.start && span.end <= within.end
            })
        };
        let attributes = op.attributes().iter().filter(|a| a.name() != "metadata");
        attributes
            .map(|attribute| {
                let written = match names_computations(attribute) {
                    true => None,
                    false => self.texts[side].bytes.get(attribute.span()),
                };
                (attribute.name().to_owned(), written)
            })
            .collect()
    }
}
