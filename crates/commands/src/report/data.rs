//! The contents of a page: each instruction of a module, with the commands' answers about it.

use super::card::Card;
use super::listener::{Given, Heard, arguments, heard};
use super::module::{Numbered, called};
use super::words::{Word, Words};
use crate::arguments::Argument;
use crate::coalesce::{self, Answered, COALESCE};
use crate::contain::contained;
use crate::custom::CUSTOM;
use crate::failure::{Failure, Place};
use crate::hlo::options::{COMPUTATION, FREE, TILE, UTILISATION};
use crate::hlo::{self, HLO};
use crate::instruction::Analysed;
use crate::output::Output;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::expr::IndexingMap;
use affinor::simplify::Memo;
use affinor_hlo::module::Module;
use affinor_hlo::opcode::Opcode;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The data of a page.
#[derive(Serialize)]
pub struct Data {
    /// The path as given.
    pub file: String,
    pub module: String,
    pub version: &'static str,
    /// The last lines of `hlo` and `hlo --free`.
    pub summary: Vec<String>,
    /// Errors of instructions that contradict themselves.
    pub errors: Vec<String>,
    pub computations: Vec<Computation>,
    pub words: Words,
    pub cards: Vec<Card>,
    /// The number of the word `fusion`.
    fusion: Word,
}

/// A computation.
#[derive(Serialize)]
pub struct Computation {
    name: String,
    /// The number of its first instruction; `count` is the number of its instructions.
    first: usize,
    count: usize,
    /// The number of its root.
    root: usize,
    is_entry: bool,
    /// Whether its results are in memory: no fusion or reduction calls it.
    has_memory: bool,
}

impl Data {
    /// Returns the number of fusions.
    pub fn fusions(&self) -> usize {
        let cards = self.cards.iter();
        cards.filter(|card| card.opcode == self.fusion).count()
    }

    /// Returns the module itself, without answers.
    pub(super) fn of(path: &str, numbered: &Numbered<'_>) -> Data {
        let mut words = Words::default();
        let (mut computations, mut cards) = (Vec::new(), Vec::new());
        for (id, computation) in numbered.module.computations() {
            computations.push(Computation {
                name: computation.name().to_owned(),
                first: cards.len(),
                count: computation.instructions().len(),
                root: numbered.number(id, computation.root()),
                is_entry: id == numbered.module.entry(),
                has_memory: numbered.has_memory(id),
            });
            for (_, instruction) in computation.instructions() {
                let operands = instruction.operands().iter();
                cards.push(Card {
                    name: instruction.name().to_owned(),
                    opcode: words.add(instruction.opcode().name()),
                    shape: words.add(&instruction.shape().to_string()),
                    computation: id.index(),
                    given: instruction.attributes().op_name().map(|name| words.add(name)),
                    operands: operands.map(|at| numbered.number(id, *at)).collect(),
                    calls: called(instruction).iter().map(|id| id.index()).collect(),
                    arrays: Vec::new(),
                    tiles: Vec::new(),
                    moves: None,
                    notes: Vec::new(),
                    flags: BTreeSet::new(),
                });
            }
        }
        Data {
            file: path.to_owned(),
            module: numbered.module.name().unwrap_or("").to_owned(),
            version: env!("CARGO_PKG_VERSION"),
            summary: Vec::new(),
            errors: Vec::new(),
            computations,
            fusion: words.add(Opcode::Fusion.name()),
            words,
            cards,
        }
    }

    /// Adds the shapes of the parts of tuples that are read.
    fn say_parts(&mut self, module: &Module) {
        let computations = module.computations();
        let instructions = computations.flat_map(|(_, computation)| {
            let instructions = computation.instructions();
            instructions.map(move |(_, instruction)| (computation, instruction))
        });
        for (card, (computation, instruction)) in self.cards.iter_mut().zip(instructions) {
            for array in card.arrays.iter_mut().filter(|array| !array.path.is_empty()) {
                let operand = instruction.operands().get(array.operand);
                let inside = array.path.trim_matches(['{', '}']).split(',');
                let path: Option<Vec<usize>> = inside.map(|number| number.parse().ok()).collect();
                let part =
                    operand.zip(path).and_then(|(id, path)| computation[*id].shape().at(&path));
                array.shape = part.map(|shape| self.words.add(&shape.to_string()));
            }
        }
    }

    /// Passes each answer about an instruction to `hear`, with its card; keeps the others as summaries.
    fn hear(
        &mut self,
        numbered: &Numbered<'_>,
        heard: &Heard,
        mut hear: impl FnMut(&mut Card, &Output, &mut Words),
    ) {
        for output in &heard.outputs {
            let of = |key| output.json.as_ref()?.get(key).and_then(Value::as_str);
            let place = of("computation").zip(of("instruction"));
            let place = place.and_then(|(computation, at)| numbered.named(computation, at));
            match place.and_then(|place| self.cards.get_mut(place)) {
                Some(card) => hear(card, output, &mut self.words),
                None => self.summary.push(output.text.to_string()),
            }
        }
    }
}

/// Runs the commands on a module.
///
/// # Errors
/// Wrong options, and interruption.
pub fn of_module(call: &mut Call<'_>, file: &TextFile, module: &Module) -> Result<Data, Failure> {
    let numbered = Numbered::of(module);
    let mut data = Data::of(file.name(), &numbered);
    let asked = Asked {
        path: call.argument(0)?.clone(),
        file,
        module,
        custom: call.text_of(&CUSTOM).cloned(),
    };
    let maps = asked.hlo(call, vec![])?;
    for failure in &maps.failures {
        data.errors.push(located(file, failure));
        call.report(failure);
    }
    data.hear(&numbered, &maps, Card::hear_maps);
    let free = asked.hlo_without_maps(call, vec![(FREE.switch.name, None)])?;
    data.hear(&numbered, &free, Card::hear_moves);
    let fusion = data.fusion;
    let suggest = || Argument::word("suggest", 0);
    let sizes = call.text_of(&TILE).cloned().unwrap_or_else(suggest);
    for (id, computation) in module.computations() {
        if !numbered.has_memory(id) {
            continue;
        }
        let only = (COMPUTATION.switch.name, Some(Argument::word(computation.name(), 0)));
        let used = asked.hlo(call, vec![(UTILISATION.switch.name, None), only.clone()])?;
        data.hear(&numbered, &used, |card, output, words| {
            card.hear_use(output, card.opcode == fusion, words);
        });
        let tile = (TILE.switch.name, Some(sizes.clone()));
        let tiles = asked.hlo(call, vec![tile, only])?;
        data.hear(&numbered, &tiles, Card::hear_tiles);
    }
    asked.accesses(call, file, &numbered, &mut data)?;
    data.say_parts(module);
    Ok(data)
}

/// The common inputs of the commands.
struct Asked<'a> {
    path: Argument,
    file: &'a TextFile,
    module: &'a Module,
    custom: Option<Argument>,
}

impl Asked<'_> {
    fn given(&self) -> Given<'_> {
        (self.file.name(), &self.file.bytes)
    }

    fn with_custom(
        &self,
        mut options: Vec<(&'static str, Option<Argument>)>,
    ) -> Vec<(&'static str, Option<Argument>)> {
        let custom = self.custom.clone();
        options.extend(custom.map(|path| (CUSTOM.switch.name, Some(path))));
        options
    }

    fn hlo(
        &self,
        call: &mut Call<'_>,
        options: Vec<(&'static str, Option<Argument>)>,
    ) -> Result<Heard, Failure> {
        self.hlo_without_maps(call, self.with_custom(options))
    }

    fn hlo_without_maps(
        &self,
        call: &mut Call<'_>,
        options: Vec<(&'static str, Option<Argument>)>,
    ) -> Result<Heard, Failure> {
        let arguments = arguments(vec![self.path.clone()], options);
        let command = (&HLO, &arguments);
        heard(call, self.given(), command, |call| hlo::answer(call, self.file, self.module))
    }

    /// Runs `coalesce` on each instruction that accesses memory.
    fn accesses(
        &self,
        call: &mut Call<'_>,
        file: &TextFile,
        numbered: &Numbered<'_>,
        data: &mut Data,
    ) -> Result<(), Failure> {
        let linear = ("preset", Some(Argument::word("linear", 0)));
        let options = self.with_custom(vec![linear]);
        let (simplifier, search) = (call.simplifier()?, call.search_options()?);
        let memo = Memo::new(simplifier, search);
        let simplify = |map: &IndexingMap| memo.simplify(map).map.clone();
        let mut known = Answered::default();
        let mut analysed = Analysed::new(call, file, numbered.module, &simplify)?;
        call.each(numbered.accessing(), |call, (id, at)| {
            let name = Argument::word(numbered.module[id][at].name(), 0);
            let arguments = arguments(vec![self.path.clone(), name.clone()], options.clone());
            let heard = heard(call, self.given(), (&COALESCE, &arguments), |call| {
                contained(|| {
                    coalesce::of_instruction(call, &mut analysed, ((id, at), name), &mut known)
                })
                .map_err(|defect| call.failed(defect))?
            });
            let card = &mut data.cards[numbered.number(id, at)];
            let heard = match heard {
                Err(failure) if failure.ends_the_command() => return Err(failure),
                Err(failure) => Heard { outputs: Vec::new(), failures: vec![failure] },
                Ok(heard) => heard,
            };
            for output in &heard.outputs {
                card.hear_access(output, &mut data.words);
            }
            for failure in &heard.failures {
                let note = format!("coalesce: {}", failure.error.message);
                card.notes.push(data.words.add(&note));
            }
            Ok(())
        })
    }
}

/// Returns the message of a failure with its line.
fn located(file: &TextFile, failure: &Failure) -> String {
    let message = &failure.error.message;
    match (&failure.error.span, &failure.place) {
        (Some(span), Place::Source(_)) => {
            let before = &file.bytes[..span.start.min(file.bytes.len())];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            format!("line {line}: {message}")
        }
        _ => message.clone(),
    }
}
