//! `hlo --utilisation`: how much of each operand is read, and how often.

use super::asked::{Shaper, threads};
use super::options::{ENTRY, INSTRUCTION, OPCODE, REREAD};
use super::output::{ByComputation, instruction_heading};
use super::places::places;
use super::question::OfModule;
use crate::custom::custom_calls;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::words::{braces, count as counted};
use affinor::expr::IndexingMap;
use affinor::num::Interval;
use affinor::prove::Budget;
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use affinor_ops::footprint::image::Count;
use affinor_ops::footprint::operands::{OperandUse, of_operands};
use affinor_ops::footprint::utilisation::Utilisation;
use affinor_ops::indexing::{Analysis, OperandReads};

/// The width of a bar in characters.
const BAR: usize = 10;

/// Answers for the requested instructions, or for the parameters of the entry computation.
///
/// # Errors
/// For options that have no meaning here, and if the work was interrupted.
pub(super) fn run(
    call: &mut Call<'_>,
    OfModule { file, module, .. }: OfModule<'_>,
) -> Result<(), Failure> {
    let shaper = Shaper::new(call)?;
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let table = custom_calls(call)?;
    let mut analysis =
        Analysis::new(module, &simplify).with_custom_calls(&table).ended_by(&call.host.interrupt());
    let means = Means {
        budget: call.proof_budget(),
        ascii: call.session.ascii,
        is_reread: call.has(REREAD),
    };
    if call.has(ENTRY) {
        let computation = &module[module.entry()];
        let reads = analysis.computation(module.entry());
        let reads = reads.map_err(|error| file.blame(error))?;
        let parameters = computation.parameters().iter();
        let operands: Vec<&Instruction> = parameters.map(|id| &computation[*id]).collect();
        let root = &computation[computation.root()];
        let output = answer(&means, computation, root, &operands, &reads);
        call.go_on()?;
        if let Some(output) = output {
            call.emit(output);
        }
        return Ok(());
    }
    let by_itself: fn(&Instruction) -> bool = match means.is_reread {
        false => |x| !x.operands().is_empty(),
        true => |x| *x.opcode() == Opcode::Fusion,
    };
    let (threads, places) = (threads(call)?, places(call, module, by_itself)?);
    let answer = |analysis: &mut Analysis<'_>, (id, instruction): &Place| {
        let computation = &module[*id];
        let reads = analysis.instruction(*id, *instruction)?;
        let instruction = &computation[*instruction];
        let operands: Vec<&Instruction> = computation.operands(instruction).collect();
        let output = answer(&means, computation, instruction, &operands, &reads);
        Ok(output.map(|output| (*id, output)))
    };
    let (mut answers, mut count) = (ByComputation::default(), 0);
    let state = || analysis.clone();
    call.each_in_order(threads, &places, &state, &answer, |call, answer| match answer {
        Err(error) => call.report(&file.blame(error)),
        Ok(None) => {}
        Ok(Some((id, output))) => {
            count += 1;
            call.emit(answers.below(id, module, output));
        }
    })?;
    if means.is_reread && !call.has(&INSTRUCTION) && !call.has(&OPCODE) {
        let all = counted(places.len(), "fusion");
        let text = format!("{count} of {all} may read an element more than once");
        let json = Object::new().with("fusions", places.len()).with("reread", count);
        call.emit(Output::new(Text::of(Role::Plain, text), json));
    }
    Ok(())
}

type Place = (ComputationId, InstructionId);

/// Settings of the computation and of the output.
struct Means {
    budget: Budget,
    ascii: bool,
    /// Whether operands are listed only if one of their elements may be read more than once.
    is_reread: bool,
}

type Found = Result<Box<Utilisation>, String>;

/// Returns the utilisation of the operands; `None` if no operand is to be listed.
fn answer(
    means: &Means,
    computation: &Computation,
    instruction: &Instruction,
    operands: &[&Instruction],
    reads: &[OperandReads],
) -> Option<Output> {
    let mut text = Text::new().plain("  ");
    text.append(instruction_heading(instruction));
    let mut entries: Vec<Object> = Vec::new();
    let shapes: Vec<&Shape> = operands.iter().map(|operand| operand.shape()).collect();
    for OperandUse { operand, path, found } in of_operands(reads, &shapes, &means.budget) {
        let instruction = operands[operand];
        let is_once = matches!(&found, Ok(found) if found.reuse.greatest.number <= 1);
        if means.is_reread && is_once {
            continue;
        }
        text.push(Role::Plain, "\n    ");
        text.push(Role::Plain, format!("{}{}: ", instruction.name(), braces(path)));
        text.append(found_text(&found, means.ascii));
        let object = Object::nested()
            .with("operand", operand)
            .with("operand_path", path.clone())
            .with("name", instruction.name());
        entries.push(found_object(object, &found));
    }
    if means.is_reread && entries.is_empty() {
        return None;
    }
    let json = Object::new()
        .with("computation", computation.name())
        .with("instruction", instruction.name())
        .with("opcode", instruction.opcode().name())
        .with("shape", instruction.shape().to_string())
        .with("utilisation", entries);
    Some(Output::new(text, json))
}

fn found_text(found: &Found, ascii: bool) -> Text {
    let found = match found {
        Err(reason) => {
            return Text::of(Role::Doubtful, "unknown").plain(format!(": {reason}"));
        }
        Ok(found) => found,
    };
    let (reuse, elements) = (found.reuse, found.elements);
    let role = match reuse.elements.number == elements {
        true => Role::Good,
        false => Role::Name,
    };
    let mut text = Text::of(role, bar(found.share(), ascii));
    text.push(Role::Plain, format!(" {}", share(found)));
    if reuse.elements.number == 0 {
        text.push(Role::Doubtful, ", nothing is read");
        return text;
    }
    text.push(Role::Plain, format!(", {} of {}", exactly(reuse.elements), counted_u128(elements)));
    text.push(Role::Plain, format!("; {}", times(found)));
    let strided: Vec<String> = match found.regions.as_slice() {
        [only] if only.progressions.iter().any(|side| side.step > 1) => only
            .progressions
            .iter()
            .map(|side| match side.step {
                1 => side_text(Interval::new(side.first, side.last())),
                step => {
                    format!("{} step {step}", side_text(Interval::new(side.first, side.last())))
                }
            })
            .collect(),
        _ => Vec::new(),
    };
    if !strided.is_empty() {
        text.push(Role::Faint, format!("; read in {}", strided.join(" x ")));
    }
    if let Some(unread) = found.unread.as_deref().filter(|unread| !unread.is_empty()) {
        let boxes = unread.iter().map(|sides| {
            let sides = sides.iter().map(|side| side_text(*side));
            sides.collect::<Vec<String>>().join(" x ")
        });
        let boxes = boxes.collect::<Vec<String>>().join(", ");
        text.push(Role::Plain, "; never read: ");
        text.push(Role::Formula, boxes);
    }
    text
}

fn counted_u128(number: u128) -> String {
    counted(number, "element")
}

fn exactly(count: Count) -> String {
    match count.is_exact() {
        true => count.number.to_string(),
        false => format!("at most {}", count.number),
    }
}

/// Returns `each 4 times`, `3.5 times on average, at most 4 times`
fn times(found: &Utilisation) -> String {
    let greatest = found.reuse.greatest;
    let most = match greatest.number {
        1 => "once".to_owned(),
        number => format!("{number} times"),
    };
    match found.average() {
        _ if greatest.number == 1 => "each once".to_owned(),
        Some(average) if is_close(average, greatest.number) => format!("each {most}"),
        Some(average) => format!("{average:.2} times on average, one at most {most}"),
        None => format!("each at most {most}"),
    }
}

#[expect(clippy::cast_precision_loss, reason = "the number is written with two digits")]
fn is_close(average: f64, greatest: u128) -> bool {
    (average - greatest as f64).abs() < 0.005
}

fn share(found: &Utilisation) -> String {
    let percent = 100.0 * found.share();
    let least = match found.reuse.elements.is_exact() {
        true => "",
        false => "at most ",
    };
    match percent {
        // A share strictly between 0 and 100 % is never rounded to either.
        x if x > 99.9 && x < 100.0 => format!("{least}99.9 %"),
        x if x > 0.0 && x < 0.1 => format!("{least}0.1 %"),
        x if x.fract() == 0.0 => format!("{least}{x:.0} %"),
        x => format!("{least}{x:.1} %"),
    }
}

/// Draws the filled part of a bar: in eighths of a character, or in whole characters in ASCII.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share between 0 and 1"
)]
fn bar(share: f64, ascii: bool) -> String {
    let share = share.clamp(0.0, 1.0);
    let eighths =
        ['\u{258f}', '\u{258e}', '\u{258d}', '\u{258c}', '\u{258b}', '\u{258a}', '\u{2589}'];
    let filled = (share * (8 * BAR) as f64).ceil() as usize;
    let mut bar = String::new();
    match ascii {
        true => bar.extend(std::iter::repeat_n('#', filled / 8)),
        false => {
            bar.extend(std::iter::repeat_n('\u{2588}', filled / 8));
            bar.extend((filled % 8).checked_sub(1).map(|part| eighths[part]));
        }
    }
    let empty = BAR.saturating_sub(bar.chars().count());
    bar.extend(std::iter::repeat_n(if ascii { '.' } else { '\u{b7}' }, empty));
    bar
}

fn side_text(side: Interval) -> String {
    format!("[{}, {}]", side.lo(), side.hi())
}

fn found_object(object: Object, found: &Found) -> Object {
    match found {
        Err(reason) => object.with("elements", ()).with("reason", reason),
        Ok(found) => object.and(&**found),
    }
}
