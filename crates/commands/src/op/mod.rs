//! `op`: the maps of an op, or of a chain of ops, without a module around them.

mod forms;
mod module;
#[cfg(test)]
#[path = "../../../compare/tests/agreement/judged/mutants.rs"]
mod mutants;
mod named;
mod sizes;
mod text;
pub(super) mod words;

use crate::failure::Failure;
use crate::hlo::asked::{Asked, Shaper, Wanted, is_backwards};
use crate::hlo::options::{CHECK, DIRECTION, NO_SIMPLIFY};
use crate::hlo::output::Answer;
use crate::option::Flag;
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::{Call, Command, Kind, Parameter};
use affinor::expr::IndexingMap;
use affinor::text::{Error, print_map};
use affinor_definition::Definitions;
use affinor_hlo::module::{Instruction, InstructionId};
use affinor_ops::indexing::{Analysis, OperandReads};
use module::OpModule;
use serde_json::{Map, Value};
use text::{OpText, read_chain};

const EXPLAIN: Flag = Flag::new("explain", "explain the maps: the stages of an operation");

pub const OP: Command = Command {
    name: "op",
    parameters: &[Parameter::required("OP", Kind::Op)],
    options: &[CHECK.switch, DIRECTION.switch, EXPLAIN.switch, NO_SIMPLIFY.switch],
    summary: "derive the index maps of an op, or of a chain of ops separated by `|`",
    details: "OP is an HLO opcode, operand shapes, attributes, and `-> SHAPE` where the output shape is not implied.\n\
              Attributes are `name=value` as in HLO; `{1,0}`, `[0:4:2],[1:3]` and `1_4_1x4_8_0`\n\
              need no name if the op has only one such attribute. Scalar operands (a padding value, an initial value,\n\
              offsets) may be omitted. After `|`, the first operand is the previous result, and the maps are from\n\
              the last result to the first inputs. `_` is then the map to the first operand, if it is a single map.\n\
              Sizes may have names, and be expressions such as `n*m` or `n ceildiv 4`: the maps are then for all sizes.\n\
              A name is at least 1; after the ops, `domain: n mod 4 in [0, 0]` adds a condition.",
    example: &[
        "op transpose f32[2,3,4] {2,0,1}",
        "op pad f32[4,4] 1_4_1x4_8_0",
        "op dot f32[4,8] f32[8,16] lhs_contracting_dims={1} rhs_contracting_dims={0}",
        "op reshape f32[n,m] -> f32[n*m]",
        "op slice f32[n] [0:n:2], domain: n mod 4 in [0, 0]",
        "op reshape f32[10,10,10] -> f32[50,20] | reshape -> f32[10,10,10]",
    ],
    makes_map: true,
    keys: "",
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    if sizes::is_named(&argument.text) {
        let found = named::answer(call, &argument, &EXPLAIN)?;
        return answered(call, found);
    }
    let ops = read_chain(&argument.text).map_err(|error| argument.blame(error))?;
    let built = OpModule::new(&ops, &argument.text).map_err(|error| argument.blame(error))?;
    let answer = answer(call, &ops, &built)?;
    let found = answer.map_err(|error| argument.blame(built.blame(&ops, error)))?;
    call.go_on()?;
    answered(call, found)
}

/// Emits an answer, and makes its map the last one.
fn answered(call: &mut Call<'_>, (mut output, first): Found) -> Result<(), Failure> {
    match first {
        Some(map) => output.number = Some(call.session.answer(map)),
        // Without such a map the session has no last map: an older one would be mistaken for the answer.
        None => call.session.last = None,
    }
    call.emit(output);
    Ok(())
}

/// The answer, and the map to the first operand, if it has exactly one map.
type Found = (Output, Option<IndexingMap>);

fn answer(
    call: &Call<'_>,
    ops: &[OpText],
    built: &OpModule,
) -> Result<Result<Found, Error>, Failure> {
    let backwards = is_backwards(call)?;
    let shaper = Shaper::new(call)?;
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let module = &built.module;
    let mut analysis = Analysis::new(module, &simplify).ended_by(&call.host.interrupt());
    let entry = module.entry();
    let computation = &module[entry];
    let is_op = |(id, instruction): (InstructionId, &Instruction)| {
        instruction.parameter_number().is_none().then_some(id)
    };
    let instructions: Vec<InstructionId> = computation.instructions().filter_map(is_op).collect();
    let mut definitions = Definitions::new(module).ended_by(&call.host.interrupt());
    let asked = Asked {
        module,
        shaper: &shaper,
        lines: None,
        backwards,
        wanted: Wanted::new(call).in_both_forms(),
        named: Vec::new(),
    };
    let stages =
        instructions.iter().map(|id| asked.answer(&mut analysis, &mut definitions, (entry, *id)));
    let mut stages = match stages
        .map(|stage| stage.map(|told| told.output))
        .collect::<Result<Vec<Output>, Error>>()
    {
        Ok(stages) => stages,
        Err(error) => return Ok(Err(error)),
    };
    let reads = match (ops.len(), backwards) {
        (1, false) => analysis.instruction(entry, computation.root()),
        (1, true) => analysis.readers(entry, computation.root()),
        (_, false) => analysis.computation(entry).map(|reads| reads.to_vec()),
        (_, true) => analysis.computation_readers(entry),
    };
    let reads = match reads {
        Ok(reads) => reads,
        Err(error) => return Ok(Err(error)),
    };
    let first = only_map(&reads);
    if let Some(output) = stages.pop_if(|_| ops.len() == 1) {
        return Ok(Ok((output, first)));
    }
    let whole = Answer {
        module,
        computation,
        instruction: &computation[computation.root()],
        reads: &reads,
        of_computation: true,
        backwards,
        by_values: false,
        judgements: &[],
        exchange: None,
        devices: &[],
        memory: None,
        warnings: &[],
        style: call.session.style,
        stop: &|map| shaper.stop(map),
        unlisted: 0,
    };
    let result = first.as_ref().map(|map| print_map(map, call.session.style));
    Ok(Ok((chain(stages, &whole, result), first)))
}

/// Returns the map to the first operand, if there is exactly one map, of one array.
fn only_map(reads: &[OperandReads]) -> Option<IndexingMap> {
    let mut of_first = reads.iter().filter(|entry| entry.operand == 0);
    let (entry, another) = (of_first.next()?, of_first.next());
    match (entry.reads.maps()?, another) {
        ([map], None) => Some(map.map.clone()),
        _ => None,
    }
}

/// Returns each stage, faintly, followed by the composition of all stages.
fn chain(stages: Vec<Output>, whole: &Answer<'_>, result: Option<String>) -> Output {
    let mut text = Text::new();
    let mut status = Status::Done;
    let mut list: Vec<Value> = Vec::new();
    for stage in stages {
        text.new_line();
        text.push(Role::Faint, stage.text.to_string());
        status = status.and(stage.status);
        list.push(nested(stage.json.unwrap_or_default()));
    }
    text.push(Role::Plain, "\n  together");
    let mut results: Vec<Value> = Vec::new();
    for (lines, object) in whole.pairs() {
        text.push(Role::Plain, "\n");
        text.append(lines);
        results.push(nested(object.into()));
    }
    let json = Object::new().with("stages", list).with("results", results).with("result", result);
    Output::new(text, json).status(status.and(whole.status()))
}

/// Turns an object into a nested one, which has no schema.
fn nested(mut object: Map<String, Value>) -> Value {
    object.shift_remove("schema");
    Value::Object(object)
}
