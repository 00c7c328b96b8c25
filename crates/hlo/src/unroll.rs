//! Unrolls loops of a module completely.
//!
//! Law: for the same parameters, the entry of the returned module has the same result as the module's entry, if the given runs of
//! each loop are right. Names of instructions repeat, once for each iteration.

use super::attribute::Attributes;
use super::literal::Literal;
use super::module::{Computation, ComputationId, Instruction, InstructionId, Module, Payload};
use super::opcode::Opcode;
use std::collections::BTreeMap;

/// The iterations of a loop.
#[derive(Clone, Default, Debug)]
pub struct Runs {
    /// The trip count.
    pub count: usize,
    /// The value in each iteration, for instructions of the body that are integers.
    pub integers: BTreeMap<InstructionId, Vec<i64>>,
}

impl Module {
    /// Returns the module in which loops whose `runs` are known are unrolled into the computation that contains them, as long as that
    /// then has at most `most` instructions; other loops stay. Loops in the unrolled bodies become loops of that computation.
    #[must_use]
    pub fn unrolled(
        &self,
        runs: &mut dyn FnMut(ComputationId, InstructionId) -> Option<Runs>,
        most: usize,
    ) -> Module {
        let mut unrolled = self.clone();
        for number in 0..self.computations.len() {
            let id = ComputationId(number);
            let is_loop = |one: &Instruction| one.opcode == Opcode::While;
            if self[id].instructions.iter().any(is_loop) {
                unrolled.computations[number] = self.written_out(id, &mut |at| runs(id, at), most);
            }
        }
        unrolled
    }

    fn written_out(
        &self,
        of: ComputationId,
        runs: &mut dyn FnMut(InstructionId) -> Option<Runs>,
        most: usize,
    ) -> Computation {
        let old = &self[of];
        // The remaining number of instructions.
        let mut left = most.saturating_sub(old.instructions.len());
        let mut instructions = Vec::with_capacity(old.instructions.len());
        // The new position of each instruction.
        let mut places: Vec<InstructionId> = Vec::with_capacity(old.instructions.len());
        for (number, instruction) in old.instructions.iter().enumerate() {
            let operands: Vec<InstructionId> =
                instruction.operands.iter().map(|id| places[id.0]).collect();
            let of_loop = self.runs(instruction, InstructionId(number), runs, left);
            let (Some((body, of_loop)), [start]) = (of_loop, &operands[..]) else {
                places.push(InstructionId(instructions.len()));
                let mut instruction = instruction.clone();
                instruction.operands = operands;
                instructions.push(instruction);
                continue;
            };
            let body = &self[body];
            left -= of_loop.count * body.instructions.len();
            let mut state = *start;
            for run in 0..of_loop.count {
                let mut inside: Vec<InstructionId> = Vec::with_capacity(body.instructions.len());
                for (id, inner) in body.instructions() {
                    if inner.parameter_number().is_some() {
                        inside.push(state);
                        continue;
                    }
                    inside.push(InstructionId(instructions.len()));
                    let mut inner = inner.clone();
                    match of_loop.integers.get(&id).and_then(|values| values.get(run)) {
                        Some(value) => {
                            inner.opcode = Opcode::Constant;
                            inner.operands.clear();
                            inner.attributes = Attributes::default();
                            let text = value.to_string().into();
                            inner.payload = Payload::Literal(Literal { text });
                        }
                        None => {
                            let operands = inner.operands.iter();
                            inner.operands = operands.map(|id| inside[id.0]).collect();
                        }
                    }
                    instructions.push(inner);
                }
                state = inside[body.root.0];
            }
            places.push(state);
        }
        Computation {
            root: places[old.root.0],
            parameters: old.parameters.iter().map(|id| places[id.0]).collect(),
            instructions,
            ..old.clone()
        }
    }

    /// Returns the body of a loop, and its iterations; `None` if the loop stays.
    fn runs(
        &self,
        instruction: &Instruction,
        at: InstructionId,
        runs: &mut dyn FnMut(InstructionId) -> Option<Runs>,
        left: usize,
    ) -> Option<(ComputationId, Runs)> {
        (instruction.opcode == Opcode::While).then_some(())?;
        let id = instruction.called("body").ok()?;
        let body = &self[id];
        let [state] = body.parameters[..] else {
            return None;
        };
        let shapes = [&body[state].shape, &body[body.root].shape];
        let is_like = shapes.iter().all(|shape| shape.is_compatible(&instruction.shape));
        let found = runs(at).filter(|_| is_like)?;
        (found.count.checked_mul(body.instructions.len())? <= left).then_some((id, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = "HloModule m\n\
        less { s = (s32[], f32[4]) parameter(0)  k = s32[] get-tuple-element(s), index=0  n = s32[] constant(3)  \
        ROOT r = pred[] compare(k, n), direction=LT }\n\
        body { s = (s32[], f32[4]) parameter(0)  k = s32[] get-tuple-element(s), index=0  v = f32[4] get-tuple-element(s), index=1  \
        o = s32[] constant(1)  l = s32[] add(k, o)  w = f32[4] add(v, v)  ROOT t = (s32[], f32[4]) tuple(l, w) }\n\
        ENTRY main { x = f32[4] parameter(0)  z = s32[] constant(0)  t = (s32[], f32[4]) tuple(z, x)  \
        l = (s32[], f32[4]) while(t), condition=less, body=body  ROOT r = f32[4] get-tuple-element(l), index=1 }\n";

    #[test]
    fn runs_are_written_out_while_they_fit() {
        let module = crate::read_text(LOOP).expect("a module");
        let names = |count: Option<usize>, most: usize| -> String {
            let runs = count.map(|count| Runs { count, ..Runs::default() });
            let unrolled = module.unrolled(&mut |_, _| runs.clone(), most);
            let entry = &unrolled[unrolled.entry()];
            let names: Vec<&str> = entry.instructions().map(|(_, one)| one.name()).collect();
            names.join(" ")
        };
        // Two iterations are two bodies of six instructions and the state.
        for (trips, most, expected) in [
            (Some(2), 19, "x z t k v o l w t k v o l w t r"),
            (Some(2), 18, "x z t l r"),
            (Some(0), 5, "x z t r"),
            (Some(usize::MAX), usize::MAX, "x z t l r"),
            (None, 100, "x z t l r"),
        ] {
            assert_eq!(names(trips, most), expected, "{trips:?} {most}");
        }
    }
    #[test]
    fn integers_that_are_known_are_constants() {
        let module = crate::read_text(LOOP).expect("a module");
        let body = module.computation_named("body").expect("the body");
        let counter = module[body].instruction_named("k").expect("a counter");
        let integers = BTreeMap::from([(counter, vec![4, 7])]);
        let unrolled =
            module.unrolled(&mut |_, _| Some(Runs { count: 2, integers: integers.clone() }), 100);
        let entry = &unrolled[unrolled.entry()];
        let literals = entry.instructions().filter(|(_, one)| one.name() == "k");
        let literals: Vec<Option<&str>> =
            literals.map(|(_, one)| one.literal().map(|literal| literal.text())).collect();
        assert_eq!(literals, [Some("4"), Some("7")]);
    }
}
