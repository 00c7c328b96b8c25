//! `hlo --free`: which reshapes, transposes, copies and bitcasts move nothing, and how many bytes the others move.
//!
//! An instruction inside a fused computation has no memory of its own, so it is listed only if it is named.

use super::asked::Shaper;
use super::options::{COMPUTATION, INSTRUCTION, OPCODE};
use super::output::{ByComputation, instruction_heading};
use super::places::places;
use super::question::OfModule;
use crate::bitcast::{extents, misplaced};
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Status, Text, clipped};
use crate::table::Call;
use crate::words::count;
use affinor::expr::IndexingMap;
use affinor::text::ErrorKind;
use affinor::text::json::Wide;
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::Analysis;
use affinor_ops::relayout::{Cause, Move, moved, only_moves};
use std::collections::BTreeSet;

/// Answers for the requested instructions, and adds totals.
///
/// # Errors
/// For options that have no meaning here, for a named instruction that does more than move elements, and if the work was
/// interrupted.
pub(super) fn run(
    call: &mut Call<'_>,
    OfModule { file, module, .. }: OfModule<'_>,
) -> Result<(), Failure> {
    let is_named = call.has(&INSTRUCTION) || call.has(&OPCODE) || call.has(&COMPUTATION);
    let fused = match is_named {
        true => BTreeSet::new(),
        false => fused(module),
    };
    let mut places = places(call, module, |_| true)?;
    places.retain(|(id, instruction)| {
        !fused.contains(&id.index()) && only_moves(module, &module[*id][*instruction])
    });
    if let (Some(name), true) = (call.text_of(&INSTRUCTION), places.is_empty()) {
        let message = format!("`{}` does more than move elements", clipped(&name.text));
        let hint = "`--free` is about reshapes, transposes, copies, bitcasts, and fusions of these";
        return Err(name.wrong(ErrorKind::Name, message).hint(hint));
    }
    let shaper = Shaper::new(call)?;
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let mut analysis = Analysis::new(module, &simplify).ended_by(&call.host.interrupt());
    let mut answers = ByComputation::default();
    let mut sums = Sums::default();
    call.each(places, |call, (id, instruction)| {
        let computation = &module[id];
        let reads = analysis.instruction(id, instruction);
        let instruction = &computation[instruction];
        let budget = call.proof_budget();
        let found = reads.and_then(|reads| moved(computation, instruction, &reads, &budget));
        call.go_on()?;
        match found {
            Err(error) => call.report(&file.blame(error)),
            Ok(found) => {
                sums.add(&found);
                let output = answer(computation, instruction, &found);
                call.emit(answers.below(id, module, output));
            }
        }
        Ok(())
    })?;
    call.emit(sums.output());
    Ok(())
}

/// Returns the numbers of the computations that fusions call.
fn fused(module: &Module) -> BTreeSet<usize> {
    let computations = module.computations();
    let instructions = computations.flat_map(|(_, computation)| computation.instructions());
    let fusions = instructions.filter(|(_, each)| *each.opcode() == Opcode::Fusion);
    let bodies = fusions.filter_map(|(_, fusion)| fusion.called("calls").ok());
    bodies.map(|body| body.index()).collect()
}

fn answer(computation: &Computation, instruction: &Instruction, found: &Move) -> Output {
    let mut text = Text::new().plain("  ");
    text.append(instruction_heading(instruction));
    text.push(Role::Plain, "\n    ");
    let json = Object::new()
        .with("computation", computation.name())
        .with("instruction", instruction.name())
        .with("opcode", instruction.opcode().name())
        .with("shape", instruction.shape().to_string());
    match found {
        Move::Nothing => {
            text.push(Role::Good, "moves nothing");
            Output::new(text, json.with("moves", false).with("bytes", 0))
        }
        Move::Bytes(bytes, cause) => {
            let why = match cause {
                Cause::Extent(arrays) => extents(&arrays[0], &arrays[1]),
                Cause::Misplaced(found, arrays) => misplaced(found, &arrays[0], &arrays[1]),
            };
            text.push(Role::Bad, format!("moves {}", count(*bytes, "byte")));
            text.push(Role::Plain, format!(": {why}"));
            let json = json.with("moves", true).with("bytes", *bytes);
            Output::new(text, json.with("reason", why))
        }
        Move::Unknown(reason) => {
            text.push(Role::Doubtful, "unknown");
            text.push(Role::Plain, format!(": {reason}"));
            let json = json.with("moves", ()).with("reason", reason);
            Output::new(text, json).status(Status::Undecided)
        }
    }
}

/// The number of instructions that move nothing, and the bytes that the others move.
#[derive(Default)]
struct Sums {
    free: usize,
    moving: usize,
    bytes: i128,
    unknown: usize,
}

impl Sums {
    fn add(&mut self, found: &Move) {
        match found {
            Move::Nothing => self.free += 1,
            Move::Bytes(bytes, _) => {
                self.moving += 1;
                self.bytes += i128::from(*bytes);
            }
            Move::Unknown(_) => self.unknown += 1,
        }
    }

    fn output(&self) -> Output {
        let moving = match self.moving {
            0 => String::new(),
            1 => format!(", 1 moves {}", count(self.bytes, "byte")),
            moving => format!(", {moving} move {}", count(self.bytes, "byte")),
        };
        let mut text = Text::of(Role::Name, "in all: ");
        let free = count(self.free as u64, "instruction");
        let verb = if self.free == 1 { "moves" } else { "move" };
        text.push(Role::Plain, format!("{free} {verb} nothing{moving}"));
        if self.unknown > 0 {
            text.push(Role::Doubtful, format!(", {} unknown", self.unknown));
        }
        let json = Object::new()
            .with("free", self.free)
            .with("moving", self.moving)
            .with("bytes", Wide(self.bytes.unsigned_abs()))
            .with("unknown", self.unknown);
        Output::new(text, json)
    }
}
