//! `hlo --tile`: the operand tiles read by an output tile, or the output tile that reads an operand tile.

use super::asked::{Shaper, is_backwards, threads};
use super::options::{THREADS, TILE};
use super::output::{Answer, ByComputation, entry_heading};
use super::places::places;
use super::question::OfModule;
use super::warnings::Lines;
use crate::arguments::Argument;
use crate::custom::custom_calls;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::tile::output::{
    HELD, grid_error, grid_text, several_values, suggestions_output, tile_object, tile_text,
    tiles_of,
};
use crate::tile::sizes::Sizes;
use affinor::expr::{IndexingMap, VariableKind};
use affinor::num::{Fuel, Interrupt, Interval};
use affinor::prove::Budget;
use affinor::text::{print_expr, print_interval, print_map, variable_names};
use affinor_hlo::layout::Layout;
use affinor_hlo::module::{ComputationId, InstructionId};
use affinor_hlo::shape::ArrayShape;
use affinor_ops::footprint::image::Stop;
use affinor_ops::footprint::tiling::{
    Grid, GridError, Means, STEPS, Suggestions, Tile, TileValue, propagate, suggest,
};
use affinor_ops::indexing::{Analysis, Exactness, OperandMap, OperandReads, Reads, Simplify};
use rustc_hash::FxHashMap;

/// The budget of the search for suggested sizes, in steps, for all requested instructions: each may use its share of the
/// remaining steps.
const SEARCH: u64 = 3_000_000;

/// Answers for the requested instructions.
///
/// # Errors
/// For options that have no meaning here, and if the work was interrupted.
pub(super) fn run(
    call: &mut Call<'_>,
    OfModule { file, module, .. }: OfModule<'_>,
) -> Result<(), Failure> {
    let Some(sizes) = call.text_of(&TILE).cloned() else {
        return Ok(()); // not requested
    };
    let asked_sizes = match sizes.text.trim() {
        "suggest" => None,
        _ => Some(Sizes::read(&sizes)?),
    };
    let backwards = is_backwards(call)?;
    let shaper = Shaper::new(call)?;
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let table = custom_calls(call)?;
    let mut analysis =
        Analysis::new(module, &simplify).with_custom_calls(&table).ended_by(&call.host.interrupt());
    let places = places(call, module, |x| !x.operands().is_empty())?;
    let (budget, interrupt) = (call.proof_budget(), call.host.interrupt());
    let (lines, style) = (Lines::of(file), call.session.style);
    let reads_of = |analysis: &mut Analysis<'_>, (id, instruction): Place| match backwards {
        true => analysis.readers(id, instruction),
        false => analysis.instruction(id, instruction),
    };
    let output_of =
        |(id, instruction): Place,
         reads: &[OperandReads],
         output: &mut dyn FnMut(&Asked<'_>) -> Result<Output, Failure>| {
            let computation = &module[id];
            let answer = Answer {
                module,
                computation,
                instruction: &computation[instruction],
                reads,
                of_computation: false,
                backwards,
                by_values: false,
                judgements: &[],
                memory: None,
                exchange: None,
                devices: &[],
                warnings: &lines.warnings(module, &computation[instruction]),
                style,
                stop: &|_| None,
                unlisted: 0,
            };
            output(&Asked { answer, simplify: &simplify, budget: &budget, interrupt: &interrupt })
        };
    let mut answers = ByComputation::default();
    let Some(read) = &asked_sizes else {
        if call.has(&THREADS) {
            let message = "`--tile suggest` does not go with `--threads`: it is one search over all instructions";
            return Err(call.wrong_usage(message));
        }
        let mut search = Search::default();
        let mut shares = places.len() as u64 + 1;
        return call.each(places, |call, place| {
            shares -= 1; // the remaining budget is shared by this instruction and all later ones
            match reads_of(&mut analysis, place) {
                Err(error) => call.report(&file.blame(error)),
                Ok(reads) => {
                    let mut suggested =
                        |asked: &Asked<'_>| Ok(asked.suggestions(&mut search, shares));
                    let output = output_of(place, &reads, &mut suggested)?;
                    call.go_on()?;
                    call.emit(answers.below(place.0, module, output));
                }
            }
            Ok(())
        });
    };
    let answer = |analysis: &mut Analysis<'_>, place: &Place| {
        let reads = reads_of(analysis, *place);
        reads.map(|reads| {
            let output = output_of(*place, &reads, &mut |asked| asked.tiles((&sizes, read)));
            (place.0, output)
        })
    };
    let (threads, mut failed) = (threads(call)?, None);
    let state = || analysis.clone();
    call.each_in_order(threads, &places, &state, &answer, |call, answer| match answer {
        _ if failed.is_some() => {}
        Ok((id, Ok(output))) => call.emit(answers.below(id, module, output)),
        Ok((_, Err(failure))) => failed = Some(failure),
        Err(error) => call.report(&file.blame(error)),
    })?;
    failed.map_or(Ok(()), Err)
}

type Place = (ComputationId, InstructionId);

/// The search for sizes in a module.
struct Search {
    left: u64,
    /// The answers so far: instructions with the same reads have the same answer.
    known: FxHashMap<(Vec<OperandMap>, Vec<Interval>), Suggestions>,
}

impl Default for Search {
    fn default() -> Search {
        Search { left: SEARCH, known: FxHashMap::default() }
    }
}

impl Search {
    /// Suggests sizes for `maps`, with one of `shares` shares of the remaining steps.
    fn suggest(
        &mut self,
        asked: &Asked<'_>,
        read: (Vec<OperandMap>, Vec<Interval>),
        shares: u64,
    ) -> Result<Result<Suggestions, Stop>, GridError> {
        if let Some(found) = self.known.get(&read) {
            return Ok(Ok(found.clone()));
        }
        let steps = self.left / shares.max(1);
        let fuel = Fuel::new(steps, asked.interrupt);
        let means = Means::new(asked.simplify, asked.budget.clone(), &fuel);
        let found = suggest(&read.0, &read.1, HELD.into(), &means)?;
        self.left -= steps - fuel.left().min(steps);
        if let Ok(found) = &found
            && found.stopped.is_none()
        {
            self.known.insert(read, found.clone());
        }
        Ok(found)
    }
}

struct Asked<'a> {
    answer: Answer<'a>,
    simplify: Simplify<'a>,
    budget: &'a Budget,
    interrupt: &'a Interrupt,
}

impl Asked<'_> {
    fn heading(&self) -> Text {
        let mut text = Text::new().plain("  ");
        text.append(self.answer.heading());
        text
    }

    fn object(&self) -> Object {
        let instruction = self.answer.instruction;
        let direction = match self.answer.backwards {
            true => "input-to-output",
            false => "output-to-input",
        };
        Object::new()
            .with("computation", self.answer.computation.name())
            .with("instruction", instruction.name())
            .with("opcode", instruction.opcode().name())
            .with("shape", instruction.shape().to_string())
            .with("direction", direction)
    }

    /// Returns the bounds of the array that is divided into tiles, the output or an operand; if its sizes are unknown, the bounds
    /// of the map.
    fn divided(&self, entry: &OperandReads, map: &OperandMap) -> Vec<Interval> {
        let domain = map.map.domain();
        let dimensions = domain.ids(VariableKind::Dimension);
        self.array(entry, self.answer.backwards, domain.count(VariableKind::Dimension))
            .unwrap_or_else(|| dimensions.map(|id| domain.bounds(id)).collect())
    }

    /// Returns the grid on the array that is divided into tiles.
    fn grid(
        &self,
        entry: &OperandReads,
        map: &OperandMap,
        sizes: &Sizes,
    ) -> Result<Grid, GridError> {
        let domain = map.map.domain();
        let rank = domain.count(VariableKind::Dimension);
        let backwards = self.answer.backwards;
        let array = self.shape(entry, backwards);
        let array = array.filter(|array| array.rank() == rank);
        let layout = array.map_or_else(|| Layout::row_major(rank), |array| array.layout().clone());
        let major_to_minor = layout.minor_to_major().iter().rev().copied();
        let ranks = (rank, domain.count(VariableKind::Range));
        sizes.grid(self.result(entry), ranks, major_to_minor)
    }

    /// Returns the number of the tuple element that is divided into tiles.
    fn result(&self, entry: &OperandReads) -> usize {
        let path = match self.answer.backwards {
            true => &entry.operand_path,
            false => &entry.output,
        };
        path.first().copied().unwrap_or(0)
    }

    /// Returns the shape of a part of the operand, or of the output.
    fn shape(&self, entry: &OperandReads, of_operand: bool) -> Option<&ArrayShape> {
        let instruction = self.answer.instruction;
        let shape = match of_operand {
            false => instruction.shape().at(&entry.output)?,
            true => {
                let mut operands = self.answer.computation.operands(instruction);
                operands.nth(entry.operand)?.shape().at(&entry.operand_path)?
            }
        };
        shape.as_array()
    }

    /// Returns the bounds of an array of this rank: a part of the operand, or of the output.
    fn array(&self, entry: &OperandReads, of_operand: bool, rank: usize) -> Option<Vec<Interval>> {
        let sizes = self.shape(entry, of_operand)?.sizes();
        let sizes = sizes.filter(|sizes| sizes.len() == rank)?;
        Some(sizes.into_iter().map(Interval::of_size).collect())
    }

    /// Clips a tile to the array: an upper bound on the reads may extend beyond it.
    fn within_array(&self, entry: &OperandReads, mut tile: Tile) -> Tile {
        let array = self.array(entry, !self.answer.backwards, tile.sides.len());
        for (side, array) in tile.sides.iter_mut().zip(array.unwrap_or_default()) {
            let within = side.within.intersect(array);
            if !within.is_empty() {
                side.within = within;
            }
        }
        tile
    }

    fn tiles(&self, (given, sizes): (&Argument, &Sizes)) -> Result<Output, Failure> {
        let mut text = self.heading();
        let mut entries: Vec<Object> = Vec::new();
        let mut last_grid = String::new();
        let fuel = Fuel::new(STEPS, self.interrupt);
        let means = Means::new(self.simplify, self.budget.clone(), &fuel);
        for entry in self.answer.reads {
            let name = self.answer.operand_name(entry.operand).unwrap_or("?");
            let heading = entry_heading(entry, name, self.answer.backwards, false);
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
                    entries.push(object.with("reason", &**reason));
                    continue;
                }
                Reads::Maps(maps) => maps,
            };
            let mut tiles: Vec<Object> = Vec::new();
            if maps.is_empty() {
                text.append(line.clone().with(Role::Faint, "nothing is read"));
            }
            for map in maps {
                text.append(line.clone());
                let grid = self.grid(entry, map, sizes);
                let along = sizes.along(self.result(entry)).unwrap_or(0);
                let divided =
                    OperandMap { map: map.map.with_ranges_as_dimensions(along), ..map.clone() };
                let found = grid.and_then(|grid| Ok((propagate(&divided, &grid, &means)?, grid)));
                let found = match found {
                    Err(error @ (GridError::Rank { .. } | GridError::Result { .. })) => {
                        Err((error.to_string(), false))
                    }
                    Err(error) => return Err(grid_error(given, &error)),
                    Ok((Err(stop), _)) => Err((stop.to_string(), stop == Stop::Steps)),
                    Ok((Ok(found), grid)) => Ok((found, grid)),
                };
                let object = match found {
                    Err((reason, is_stopped)) => {
                        text.push(Role::Doubtful, "unknown");
                        text.push(Role::Plain, format!(": {reason}"));
                        let object = Object::nested().with("reason", reason.as_str());
                        match is_stopped {
                            false => object,
                            true => object.with("complete", false).with("stopped_at", reason),
                        }
                    }
                    Ok((None, _)) => {
                        text.push(Role::Faint, "nothing is read");
                        Object::nested().with("elements", 0)
                    }
                    Ok((Some(tile), grid)) => {
                        let tile = self.within_array(entry, tile);
                        let mut bounds = self.divided(entry, map);
                        bounds.extend(divided.map.domain().intervals().skip(bounds.len()));
                        let tiles = tiles_of(&grid, &bounds);
                        let tiles = tiles.map_err(|error| grid_error(given, &error))?;
                        self.write_tile(&mut text, &grid, (map, &tile), &tiles, &mut last_grid)
                    }
                };
                tiles.push(object);
            }
            entries.push(object.with("tiles", tiles));
        }
        Ok(Output::new(text, self.object().with("operands", entries)))
    }

    /// Writes a tile of `map` into `text`, and returns it as an object; `tiles` are all tiles of the array.
    fn write_tile(
        &self,
        text: &mut Text,
        grid: &Grid,
        (map, tile): (&OperandMap, &Tile),
        tiles: &[Interval],
        last_grid: &mut String,
    ) -> Object {
        let style = self.answer.style;
        let is_read = map.exactness == Exactness::Exact;
        text.append(tile_text(tile, tiles, is_read, style));
        let grid = grid_text(grid, tiles);
        // The tile variables are explained only once.
        if grid.to_string() != *last_grid {
            *last_grid = grid.to_string();
            text.push(Role::Faint, "; ");
            text.append(grid);
        }
        for value in &tile.values {
            text.push(Role::Plain, self.value_text(value));
        }
        let reason = match &map.exactness {
            Exactness::AtMost { reason } => Some(reason.to_string()),
            Exactness::Exact => several_values(tile),
        };
        let values = tile.values.iter();
        let values: Vec<Object> = values.map(|value| self.value(value)).collect();
        let counts: Vec<u64> = tiles.iter().filter_map(|tiles| tiles.count()).collect();
        tile_object(Object::nested(), tile, is_read, style)
            .with_some("reason", reason)
            .with("counts", counts)
            .with("runtime", values)
    }

    /// Returns `rt0 = i[t0], clamped to [0, 9]`, on a line of its own.
    fn value_text(&self, value: &TileValue) -> String {
        let names = variable_names(value.index.domain());
        let index = value.index.results().iter();
        let index = index.map(|index| print_expr(index, &names, self.answer.style));
        let index = index.collect::<Vec<String>>().join(", ");
        let source = self.answer.source_name(&value.source);
        let clamp = print_interval(value.clamp);
        format!("\n        {} = {source}[{index}], clamped to {clamp}", value.name)
    }

    /// Returns `{"var", "operand", "operand_path", "map", "clamp", "one_value"}`; the value may also be an element of an
    /// instruction.
    fn value(&self, value: &TileValue) -> Object {
        let object = Object::nested().with("var", &*value.name);
        self.answer
            .source(object, &value.source)
            .with("map", print_map(&value.index, self.answer.style))
            .with("clamp", value.clamp)
            .with("one_value", value.is_one)
    }

    /// Suggests sizes of output tiles whose reads from every operand are tiles, with one share of the remaining steps.
    fn suggestions(&self, search: &mut Search, shares: u64) -> Output {
        let text = self.heading().plain("\n");
        let reads = self.answer.reads;
        let is_known = reads.iter().all(|entry| entry.reads.is_exact());
        let mut maps: Vec<OperandMap> = Vec::new();
        let mut bounds = None;
        for entry in reads {
            for map in entry.reads.maps().unwrap_or_default() {
                bounds.get_or_insert_with(|| self.divided(entry, map));
                maps.push(map.clone());
            }
        }
        let (Some(bounds), true) = (bounds, is_known) else {
            return self.without_answer(text, "not everything that is read is known exactly");
        };
        match search.suggest(self, (maps, bounds), shares) {
            Ok(Ok(found)) => suggestions_output(text, self.object(), "    ", &found),
            Ok(Err(stop)) => self.without_answer(text, &stop.to_string()),
            Err(error) => self.without_answer(text, &error.to_string()),
        }
    }

    fn without_answer(&self, mut text: Text, reason: &str) -> Output {
        text.push(Role::Doubtful, "    unknown");
        text.push(Role::Plain, format!(": {reason}"));
        Output::new(text, self.object().with("reason", reason))
    }
}
