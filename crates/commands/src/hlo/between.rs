//! `hlo --from X --to Y`: the composed map between two instructions of a computation.
//!
//! Law: the map sends an element of X to the elements of Y that it reads or, if X comes before Y, to the elements of Y that read
//! it.

use super::asked::maps_of;
use super::options::{FROM, TO, VALUES};
use super::output::{Answer, ByComputation};
use super::places::computations;
use super::question::{Analysed, OfModule, with_analysis};
use super::warnings::Lines;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::instruction::{bare, unknown};
use crate::output::{Object, Output, Role, Text, clipped};
use crate::table::Call;
use crate::words::braces;
use affinor::text::ErrorKind;
use affinor_hlo::module::{Computation, ComputationId, InstructionId, Module};
use affinor_ops::indexing::{Between, OperandReads};

/// Emits an answer for each pair of an array of one instruction and an array of the other.
pub(super) fn run(call: &mut Call<'_>, given: OfModule<'_>) -> Result<(), Failure> {
    with_analysis(call, given.module, |call, analysed| emit(call, given, analysed))
}

fn emit(
    call: &mut Call<'_>,
    OfModule { file, module, numbers }: OfModule<'_>,
    Analysed { mut analysis, shaper, .. }: Analysed<'_>,
) -> Result<(), Failure> {
    let (id, from, to) = ends(call, module)?;
    let backwards = from < to;
    let (reader, source) = if backwards { (to, from) } else { (from, to) };
    let asked = Between { computation: id, reader, source };
    let reads = match backwards {
        false => analysis.between(asked),
        true => analysis.between_readers(asked),
    };
    call.go_on()?;
    let reads = reads.map_err(|error| file.blame(error))?;
    let computation = &module[id];
    let answer = Answer {
        module,
        computation,
        instruction: &computation[reader],
        reads: &reads,
        of_computation: true,
        backwards,
        by_values: call.has(VALUES),
        judgements: &[],
        memory: None,
        exchange: None,
        devices: &[],
        warnings: &Lines::of(file).warnings(module, &computation[reader]),
        style: call.session.style,
        stop: &|map| shaper.stop(map),
        unlisted: 0,
    };
    let names = (computation[from].name(), computation[to].name());
    let object = || {
        let direction = if backwards { "input-to-output" } else { "output-to-input" };
        Object::new()
            .with("computation", computation.name())
            .with("from", names.0)
            .with("to", names.1)
            .with("direction", direction)
            .with_some("relation", answer.relation())
    };
    let mut answers = ByComputation::default();
    if reads.is_empty() {
        let (reader, source) = (computation[reader].name(), computation[source].name());
        let (verb, nothing) = match answer.by_values {
            false => ("reads", "nothing is read"),
            true => ("depends on", "nothing"),
        };
        let text = Text::new().plain(format!("  {reader} {verb} {source}: "));
        let text = text.with(Role::Faint, nothing);
        let output = Output::new(text, object().with("maps", Vec::<Object>::new()));
        call.emit(answers.below(id, module, output));
    }
    for entry in &reads {
        let mut text = Text::new();
        let heading = heading(entry, names, backwards, answer.by_values);
        for line in answer.reads_lines(&heading, &entry.reads, &[]) {
            text.new_line();
            text.append(line);
        }
        let object = object()
            .with("output", entry.output.clone())
            .with("operand_path", entry.operand_path.clone());
        let output = Output::new(text, answer.maps(object, &entry.reads, &[]));
        let output = output.status(answer.status());
        let maps = maps_of(std::slice::from_ref(entry));
        let output = numbers.give(call.session, output, maps);
        call.emit(answers.below(id, module, output));
    }
    Ok(())
}

/// Returns the heading of a map: `  out{0} reads p: `, `  from p to out{0}: `
fn heading(
    entry: &OperandReads,
    (from, to): (&str, &str),
    backwards: bool,
    by_values: bool,
) -> String {
    let (output, operand) = (braces(&entry.output), braces(&entry.operand_path));
    match (backwards, by_values) {
        (false, false) => format!("  {from}{output} reads {to}{operand}: "),
        (false, true) => format!("  {from}{output} depends on {to}{operand}: "),
        (true, false) => format!("  from {from}{operand} to {to}{output}: "),
        (true, true) => format!("  from {from}{operand} to its dependents in {to}{output}: "),
    }
}

/// Returns the two requested instructions, which are in one computation. If one is not named, it is the root of that computation.
fn ends(
    call: &Call<'_>,
    module: &Module,
) -> Result<(ComputationId, InstructionId, InstructionId), Failure> {
    let inside = computations(call, module)?;
    let given: Vec<&Argument> =
        [call.text_of(&FROM), call.text_of(&TO)].into_iter().flatten().collect();
    let has = |body: &Computation, name: &Argument| body.instruction_named(bare(name)).is_some();
    for name in &given {
        if !inside.iter().any(|(_, body)| has(body, name)) {
            let bodies = inside.iter().flat_map(|(_, body)| body.instructions());
            return Err(unknown("instruction", name, bodies.map(|(_, found)| found.name())));
        }
    }
    let mut found = inside.iter().filter(|(_, body)| given.iter().all(|name| has(body, name)));
    let last = given.last().copied();
    match (found.next(), found.next(), last) {
        (Some((id, body)), None, _) => {
            let end = |name: Option<&Argument>| {
                let named = name.and_then(|name| body.instruction_named(bare(name)));
                named.unwrap_or(body.root())
            };
            Ok((*id, end(call.text_of(&FROM)), end(call.text_of(&TO))))
        }
        (Some((_, one)), Some((_, other)), Some(last)) => {
            let (one, other) = (clipped(one.name()), clipped(other.name()));
            let message = format!("it is in the computations `{one}` and `{other}`");
            Err(last.wrong(ErrorKind::Name, message).hint("say which: `--computation NAME`"))
        }
        (_, _, Some(last)) => {
            let message = "the two instructions are in different computations";
            let hint = "of a fusion, name an instruction inside; without `--to` it is its result";
            Err(last.wrong(ErrorKind::Name, message).hint(hint))
        }
        (_, _, None) => Err(call.wrong_usage("`--from` and `--to` take names of instructions")),
    }
}
