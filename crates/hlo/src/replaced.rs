//! Replaces operations of a module by calls of computations that are given as text.
//!
//! Law: the returned module has the same results as the module, if each text has the same result as the operation that it
//! replaces.

use super::attribute::{AttributeValue, Attributes, ComputationReference};
use super::module::{Computation, ComputationId, Instruction, Module};
use super::opcode::Opcode;

impl Module {
    /// Returns the module with calls in place of the instructions that have a text; `None` if no instruction has one. A text is a
    /// module whose entry takes the operands of the instruction; the computations `given0`, `given1` and so on, which it uses
    /// without defining them, are those that the instruction calls. If a text cannot be parsed, the instruction stays.
    #[must_use]
    pub fn replaced(
        &self,
        text_of: &mut dyn FnMut(&Computation, &Instruction) -> Option<String>,
    ) -> Option<Module> {
        let mut replaced = self.clone();
        for number in 0..self.computations.len() {
            let old = &self.computations[number];
            for (at, instruction) in old.instructions.iter().enumerate() {
                let Some(text) = text_of(old, instruction) else {
                    continue;
                };
                if let Some(called) = replaced.added(&text, instruction) {
                    let call = &mut replaced.computations[number].instructions[at];
                    call.opcode = Opcode::Call;
                    let span = instruction.span();
                    let reference = ComputationReference {
                        name: instruction.name.clone(),
                        target: Some(called),
                        span: span.clone(),
                    };
                    let value = AttributeValue::Computation(reference);
                    call.attributes = Attributes::of("to_apply", value, span);
                }
            }
        }
        (replaced.computations.len() > self.computations.len()).then_some(replaced)
    }

    /// Adds the computations of a text, and returns its entry.
    fn added(&mut self, text: &str, instruction: &Instruction) -> Option<ComputationId> {
        let given: Vec<Option<ComputationId>> =
            instruction.attributes.computations().map(ComputationReference::target).collect();
        let first = self.computations.len();
        let Module { mut computations, entry, .. } = crate::read_text(text).ok()?;
        for one in computations.iter_mut().flat_map(|of| &mut of.instructions) {
            one.name = instruction.name.clone();
            for reference in one.attributes.computations_mut() {
                reference.target = match reference.target {
                    Some(ComputationId(number)) => Some(ComputationId(first + number)),
                    None => {
                        let number = reference.name.strip_prefix("given")?.parse::<usize>().ok()?;
                        Some((*given.get(number)?)?)
                    }
                };
            }
        }
        self.computations.extend(computations);
        Some(ComputationId(first + entry.0))
    }
}

#[cfg(test)]
mod tests {
    const TEXT: &str = "HloModule m\n\
        sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }\n\
        ENTRY main { x = f32[4] parameter(0)  z = f32[] constant(0)  \
        ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sum }\n";

    #[test]
    fn a_text_is_called_with_the_computations_of_the_operation() {
        let module = crate::read_text(TEXT).expect("a module");
        let entry = |text: &str| {
            let mut of_reduce = |_: &_, one: &crate::module::Instruction| {
                (one.name() == "r").then(|| text.to_owned())
            };
            let replaced = module.replaced(&mut of_reduce)?.inlined(100)?;
            let entry = &replaced[replaced.entry()];
            let opcodes = entry.instructions().map(|(_, one)| one.opcode().name());
            Some(opcodes.collect::<Vec<_>>().join(" "))
        };
        let by_halves = "h { a = f32[4] parameter(0)  z = f32[] parameter(1)  s = f32[1] slice(a), slice={[0:1]}  \
                         t = f32[] reshape(s)  ROOT r = f32[] call(t, z), to_apply=given0 }";
        let expected = "parameter constant slice reshape add";
        assert_eq!(entry(by_halves).as_deref(), Some(expected));
        // A text that cannot be parsed, or that calls an undefined computation, is not used.
        assert_eq!(entry("h { a = "), None);
        assert_eq!(entry(&by_halves.replace("given0", "given1")), None);
        assert_eq!(entry(&by_halves.replace("given0", "other")), None);
    }
}
