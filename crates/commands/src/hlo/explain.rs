//! Derivations of the maps of an instruction, as text and as JSON: the stages of one op, or the steps through the computation
//! that it runs.

use super::output::Answer;
use crate::output::{Object, Role, Text};
use affinor::expr::IndexingMap;
use affinor::text::{Error, Style, print_map};
use affinor_hlo::module::{ComputationId, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{Analysis, InstructionReads, OperandReads, Stage};

/// The derivation of the maps of one instruction.
pub struct Explanation {
    /// The operands with stages, by number.
    stages: Vec<(usize, Vec<Stage>)>,
    /// The computation that the instruction runs, with its steps.
    inside: Option<(ComputationId, Vec<Step>)>,
}

/// An array inside the computation.
struct Step {
    /// The elements of the array that the result of the computation reads.
    read: InstructionReads,
    /// The reads of the array itself.
    reads: Vec<OperandReads>,
}

impl Explanation {
    /// Derives the maps of an instruction.
    ///
    /// # Errors
    /// The errors of [`Analysis::instruction`].
    pub fn of(
        analysis: &mut Analysis<'_>,
        module: &Module,
        computation: ComputationId,
        instruction: InstructionId,
    ) -> Result<Explanation, Error> {
        let op = &module[computation][instruction];
        let mut stages = Vec::new();
        for operand in 0..op.operands().len() {
            let of_operand = analysis.stages(computation, instruction, operand)?;
            if !of_operand.is_empty() {
                stages.push((operand, of_operand));
            }
        }
        let attribute = match op.opcode() {
            Opcode::Fusion => Some("calls"),
            Opcode::Call => Some("to_apply"),
            _ => None,
        };
        let target = attribute.map(|name| op.computation_reference(name));
        let Some(inner) = target.transpose()?.and_then(|reference| reference.target()) else {
            let inside = None;
            return Ok(Explanation { stages, inside });
        };
        let mut steps = Vec::new();
        for read in analysis.steps(inner)? {
            let mut reads = analysis.instruction(inner, read.instruction)?;
            reads.retain(|entry| entry.output == read.path);
            steps.push(Step { read, reads });
        }
        Ok(Explanation { stages, inside: Some((inner, steps)) })
    }

    /// Adds `stages` and `steps` to `object`.
    #[must_use]
    pub fn json(&self, object: Object, answer: &Answer<'_>) -> Object {
        let stages: Vec<Object> = self
            .stages
            .iter()
            .map(|(operand, stages)| {
                let stages: Vec<Object> =
                    stages.iter().map(|stage| stage_object(stage, answer.style)).collect();
                Object::nested()
                    .with("operand", *operand)
                    .with_some("name", answer.operand_name(*operand))
                    .with("stages", stages)
            })
            .collect();
        let object = object.with("stages", stages);
        let Some((inner, steps)) = &self.inside else {
            return object.with("steps", Vec::<Object>::new());
        };
        let steps: Vec<Object> =
            steps.iter().map(|step| step_object(*inner, step, answer)).collect();
        object.with("steps", steps)
    }

    /// Returns the stages and the steps as lines.
    #[must_use]
    pub fn text(&self, answer: &Answer<'_>) -> Text {
        let mut text = Text::new();
        let formula = |text: &mut Text, head: &str, map: &IndexingMap| {
            text.push(Role::Plain, head);
            text.push(Role::Formula, print_map(map, answer.style));
        };
        for (operand, stages) in &self.stages {
            let operand = answer.operand_name(*operand).unwrap_or("?");
            text.push(Role::Plain, format!("\n    how {operand} is read:"));
            for (position, stage) in stages.iter().enumerate() {
                text.push(Role::Name, format!("\n      {}", stage.name));
                text.push(Role::Faint, format!(" of {:?}", stage.sizes));
                formula(&mut text, "\n        ", &stage.map);
                if position > 0 {
                    formula(&mut text, "\n        in all: ", &stage.composed);
                }
            }
        }
        let Some((inner, steps)) = &self.inside else {
            return text;
        };
        let name = answer.module[*inner].name();
        text.push(Role::Plain, format!("\n    through {name}, from its result:"));
        for step in steps {
            text.append(step_text(*inner, step, answer));
        }
        text
    }
}

/// Returns `{"stage", "sizes", "map", "composed"}`
fn stage_object(stage: &Stage, style: Style) -> Object {
    Object::nested()
        .with("stage", stage.name.as_str())
        .with("sizes", stage.sizes.clone())
        .with("map", print_map(&stage.map, style))
        .with("composed", print_map(&stage.composed, style))
}

/// Returns two answers about an instruction inside: its own reads, and the reads of it by the result of its computation.
fn inner_answers<'a>(
    inner: ComputationId,
    step: &'a Step,
    answer: &Answer<'a>,
) -> (Answer<'a>, Answer<'a>) {
    let computation = &answer.module[inner];
    let of_op = Answer {
        computation,
        instruction: &computation[step.read.instruction],
        reads: &step.reads,
        of_computation: false,
        judgements: &[],
        memory: None,
        exchange: None,
        devices: &[],
        ..*answer
    };
    let of_result = Answer { of_computation: true, ..of_op };
    (of_op, of_result)
}

/// Returns `{"output", "instruction", "path", "opcode", "shape", "maps", "results"}`
fn step_object(inner: ComputationId, step: &Step, answer: &Answer<'_>) -> Object {
    let (of_op, of_result) = inner_answers(inner, step, answer);
    let object = Object::nested()
        .with("output", step.read.output.clone())
        .with("instruction", of_op.instruction.name())
        .with("path", step.read.path.clone())
        .with("opcode", of_op.instruction.opcode().name())
        .with("shape", of_op.instruction.shape().to_string());
    let object = of_result.maps(object, &step.read.reads, &[]);
    object.with("results", of_op.results())
}

fn step_text(inner: ComputationId, step: &Step, answer: &Answer<'_>) -> Text {
    let (of_op, of_result) = inner_answers(inner, step, answer);
    let mut text = Text::new().plain("\n      ");
    text.append(of_op.heading());
    let label = match step.read.output.as_slice() {
        [] => "the result reads it at ".to_owned(),
        output => format!("{output:?} of the result reads it at "),
    };
    for line in of_result.reads_lines(&label, &step.read.reads, &[]) {
        text.push(Role::Plain, "\n        ");
        text.append(line);
    }
    for entry in of_op.reads {
        for line in of_op.entry_lines(entry) {
            text.push(Role::Plain, "\n    ");
            text.append(line);
        }
    }
    text
}
