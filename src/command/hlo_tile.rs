//! `hlo --tile`: what a tile of an instruction's output reads of each operand, or which tile of the output reads a tile of
//! an operand.

use super::arguments::Argument;
use super::failure::Failure;
use super::hlo::{Shaper, is_backwards, places, refuse_with};
use super::hlo_output::{ByComputation, entry_heading, instruction_heading};
use super::output::{Object, Output, Role, Text};
use super::session::Call;
use super::text_file::TextFile;
use super::tile::HELD;
use super::tile_output::{
    grid, grid_error, grid_text, suggestions_object, suggestions_text, tile_object, tile_text,
};
use crate::hlo::module::{Computation, Instruction, Module};
use crate::image::Stop;
use crate::indexing::{Analysis, Exactness, OperandMap, OperandReads, Reads};
use crate::interval::Interval;
use crate::map::{IndexingMap, VariableKind};
use crate::tiling::{Grid, GridError, propagate, suggest};
use serde_json::Value;

/// Answers for the instructions that the options ask for.
///
/// # Errors
/// For options that have no meaning here, and if the work was interrupted.
pub(super) fn run(call: &mut Call<'_>, file: &TextFile, module: &Module) -> Result<(), Failure> {
    refuse_with(call, "tile", &["check", "explain", "memory", "entry"])?;
    let Some(sizes) = call.arguments.value("tile").cloned() else {
        return Ok(()); // not asked for
    };
    let grid = match sizes.text.trim() {
        "suggest" => None,
        _ => Some(grid(&sizes, None)?),
    };
    let backwards = is_backwards(call)?;
    let shaper = Shaper::new(call)?;
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let mut analysis = Analysis::new(module, &simplify);
    let mut answers = ByComputation::default();
    for (id, instruction) in places(call, module, |x| !x.operands().is_empty())? {
        if call.host.interrupt().is_triggered() {
            return Err(call.interrupted());
        }
        let reads = match backwards {
            true => analysis.readers(id, instruction),
            false => analysis.instruction(id, instruction),
        };
        let reads = match reads {
            Ok(reads) => reads,
            Err(error) => {
                call.report(&file.blame(error));
                continue;
            }
        };
        let computation = &module[id];
        let asked = Asked {
            computation,
            instruction: &computation[instruction],
            reads: &reads,
            backwards,
            shaper: &shaper,
        };
        let output = match &grid {
            None => asked.suggestions(call)?,
            Some(grid) => asked.tiles(call, &sizes, grid)?,
        };
        call.emit(answers.below(id, module, output));
    }
    Ok(())
}

struct Asked<'a> {
    computation: &'a Computation,
    instruction: &'a Instruction,
    reads: &'a [OperandReads],
    backwards: bool,
    shaper: &'a Shaper,
}

impl Asked<'_> {
    fn heading(&self) -> Text {
        let mut text = Text::new().plain("  ");
        text.append(instruction_heading(self.instruction));
        text
    }

    fn object(&self) -> Object {
        Object::new()
            .with("computation", self.computation.name())
            .with("instruction", self.instruction.name())
            .with("opcode", self.instruction.opcode().name())
            .with("shape", self.instruction.shape().to_string())
            .with(
                "direction",
                if self.backwards {
                    "input-to-output"
                } else {
                    "output-to-input"
                },
            )
    }

    fn tiles(&self, call: &Call<'_>, sizes: &Argument, grid: &Grid) -> Result<Output, Failure> {
        let mut text = self.heading();
        let mut entries: Vec<Value> = Vec::new();
        let mut last_grid = String::new();
        for entry in self.reads {
            let mut operands = self.computation.operands(self.instruction);
            let name = operands.nth(entry.operand).map_or("?", Instruction::name);
            let heading = entry_heading(entry, name, self.backwards);
            let mut line = Text::new().plain("\n").plain(heading);
            let object = Object::nested()
                .with("output", entry.output.clone())
                .with("operand", entry.operand)
                .with("operand_path", entry.operand_path.clone())
                .with("name", name);
            let maps = match &entry.reads {
                Reads::Unknown { reason } => {
                    line.push(Role::Doubtful, "unknown");
                    line.push(Role::Plain, format!(": {reason}"));
                    text.append(line);
                    entries.push(object.with("reason", &**reason).into());
                    continue;
                }
                Reads::Maps(maps) => maps,
            };
            let mut tiles: Vec<Value> = Vec::new();
            if maps.is_empty() {
                text.append(line.clone().with(Role::Faint, "nothing is read"));
            }
            for map in maps {
                text.append(line.clone());
                let (shown, tile) = self.tile(call, sizes, grid, map, &mut last_grid)?;
                text.append(shown);
                tiles.push(tile.into());
            }
            entries.push(object.with("tiles", tiles).into());
        }
        Ok(Output::new(text, self.object().with("operands", entries)))
    }

    fn tile(
        &self,
        call: &Call<'_>,
        sizes: &Argument,
        grid: &Grid,
        map: &OperandMap,
        last_grid: &mut String,
    ) -> Result<(Text, Object), Failure> {
        let style = call.session.style;
        let simplify = |map: &IndexingMap| self.shaper.apply(map);
        let is_read = map.exactness == Exactness::Exact;
        match propagate(&map.map, grid, &simplify, &call.proof_budget()) {
            Err(error @ GridError::Rank { .. }) => {
                let reason = error.to_string();
                let text = Text::of(Role::Doubtful, "unknown").plain(format!(": {reason}"));
                Ok((text, Object::nested().with("reason", reason)))
            }
            Err(error) => Err(grid_error(sizes, &error)),
            Ok(Err(Stop::Interrupted)) => Err(call.interrupted()),
            Ok(Err(stop)) => {
                let reason = stop.to_string();
                let text = Text::of(Role::Doubtful, "unknown").plain(format!(": {reason}"));
                Ok((text, Object::nested().with("reason", reason)))
            }
            Ok(Ok(None)) => Ok((
                Text::of(Role::Faint, "nothing is read"),
                Object::nested().with("elements", 0),
            )),
            Ok(Ok(Some(tile))) => {
                let mut text = tile_text(&tile, is_read, style);
                let tiles = grid_text(grid, &tile.domain);
                // What the tile variables are is said once.
                if tiles.to_string() != *last_grid {
                    *last_grid = tiles.to_string();
                    text.push(Role::Faint, "; ");
                    text.append(tiles);
                }
                Ok((text, tile_object(Object::nested(), &tile, is_read, style)))
            }
        }
    }

    /// Sizes of tiles of the output for which every operand is read in tiles.
    fn suggestions(&self, call: &Call<'_>) -> Result<Output, Failure> {
        let mut text = self.heading().plain("\n");
        let maps = self.reads.iter().filter_map(|entry| entry.reads.maps());
        let maps: Vec<IndexingMap> = maps.flatten().map(|map| map.map.clone()).collect();
        let is_known = self.reads.iter().all(|entry| entry.reads.is_exact());
        let bounds = maps.first().map(|map| {
            let domain = map.domain();
            let dimensions = domain.ids(VariableKind::Dimension);
            dimensions
                .map(|id| domain.bounds(id))
                .collect::<Vec<Interval>>()
        });
        let sizes = self
            .instruction
            .shape()
            .as_array()
            .and_then(|array| array.sizes());
        let bounds = match (self.backwards, sizes) {
            (false, Some(sizes)) => Some(sizes.into_iter().map(Interval::of_size).collect()),
            _ => bounds,
        };
        let (Some(bounds), true) = (bounds, is_known) else {
            text.push(Role::Doubtful, "    unknown");
            text.push(
                Role::Plain,
                ": not everything that is read is known exactly",
            );
            let json = self
                .object()
                .with("reason", "not everything that is read is known exactly");
            return Ok(Output::new(text, json));
        };
        let simplify = |map: &IndexingMap| self.shaper.apply(map);
        let found = suggest(&maps, &bounds, HELD.into(), &simplify, &call.proof_budget());
        let (found, is_all) = match found {
            Ok(Ok(found)) => found,
            Ok(Err(Stop::Interrupted)) => return Err(call.interrupted()),
            Ok(Err(stop)) => return Ok(self.without_answer(text, &stop.to_string())),
            Err(error) => return Ok(self.without_answer(text, &error.to_string())),
        };
        text.append(suggestions_text("    ", &found, is_all));
        let json = suggestions_object(self.object(), &found, is_all);
        Ok(Output::new(text, json))
    }

    fn without_answer(&self, mut text: Text, reason: &str) -> Output {
        text.push(Role::Doubtful, "    unknown");
        text.push(Role::Plain, format!(": {reason}"));
        Output::new(text, self.object().with("reason", reason))
    }
}
