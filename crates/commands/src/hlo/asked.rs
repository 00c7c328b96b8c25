//! Queries of `hlo`, `op` and `diff` to a module: instructions, direction, form.

use super::explain::Explanation;
use super::judgement::Checked;
use super::memory::{Ends, MemoryMaps};
use super::options::{CHECK, DIRECTION, Direction, EXPLAIN, MEMORY, NO_SIMPLIFY, THREADS, VALUES};
use super::output::Answer;
use super::pairs::unlisted;
use super::places::operand_number;
use super::summary::Known;
use super::warnings::Lines;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::host::Forms;
use crate::instruction::OPERAND;
use crate::output::{Object, Output};
use crate::table::Call;
use affinor::expr::IndexingMap;
use affinor::prove::Budget;
use affinor::simplify::Memo;
use affinor::text::{Error, Style};
use affinor_compare::agreement::{self, Judgement};
use affinor_definition::{Definitions, NamedSizes, of_named};
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::ArrayShape;
use affinor_ops::indexing::{
    Analysis, AskedPairs, Exchange, Limits, OperandReads, runs_computations,
};
use affinor_ops::open_sizes::OpenSizes;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A query about instructions of a module.
pub struct Asked<'a> {
    /// The module.
    pub module: &'a Module,
    /// The simplifier of the maps.
    pub shaper: &'a Shaper,
    /// The line starts of the module's file, for positions of warnings; `None` if there is no file.
    pub lines: Option<Lines>,
    /// Whether the maps go from the operands to the output.
    pub backwards: bool,
    /// The parts of the answer beside the maps.
    pub wanted: Wanted,
    /// The sizes of each computation's values over names; empty if all are numbers.
    pub named: Vec<NamedSizes>,
}

/// Returns the sizes of the values of each computation, as definitions take them.
pub(super) fn named_sizes(module: &Module, open: &OpenSizes<'_>) -> Vec<NamedSizes> {
    let of = |(id, _)| {
        let (names, values, symbols) = open.given(id)?;
        let (values, symbols) = (values.to_vec(), symbols.to_vec());
        Some(NamedSizes { names: names.to_vec(), values, symbols })
    };
    module.computations().map(|computation| of(computation).unwrap_or_default()).collect()
}

/// The parts of an answer, beside the maps, that the options of a call request.
pub struct Wanted {
    /// The budget for proofs of the maps, if they are requested.
    check: Option<Budget>,
    /// The operand to which the answer is restricted.
    operand: Option<Argument>,
    by_values: bool,
    explain: bool,
    memory: bool,
    style: Style,
    forms: Forms,
}

impl Wanted {
    /// Reads the options.
    pub fn new(call: &Call<'_>) -> Wanted {
        Wanted {
            check: call.has(CHECK).then(|| call.proof_budget()),
            operand: call.text_of(&OPERAND).cloned(),
            by_values: call.has(VALUES),
            explain: call.has(EXPLAIN),
            memory: call.has(MEMORY),
            style: call.session.style,
            forms: call.host.forms(),
        }
    }

    /// Requests each answer as text and as JSON, for a command that builds its own answers from both.
    pub fn in_both_forms(self) -> Wanted {
        let forms = Forms { text: true, json: true };
        Wanted { forms, ..self }
    }
}

/// The answer about one instruction.
pub struct Told {
    /// The answer as it is emitted.
    pub output: Output,
    /// How precisely the reads of the instruction are known.
    pub known: Known,
    /// The verdicts on its maps.
    pub checked: Checked,
    /// The maps in the answer, in its order.
    pub maps: Vec<IndexingMap>,
}

/// Returns the maps of `reads` in order.
pub(super) fn maps_of(reads: &[OperandReads]) -> Vec<IndexingMap> {
    let maps = reads.iter().filter_map(|entry| entry.reads.maps());
    maps.flatten().map(|map| map.map.clone()).collect()
}

impl Asked<'_> {
    /// Answers for one instruction.
    ///
    /// # Errors
    /// If the instruction contradicts itself.
    pub fn answer(
        &self,
        analysis: &mut Analysis<'_>,
        definitions: &mut Definitions<'_>,
        place: (ComputationId, InstructionId),
    ) -> Result<Told, Error> {
        let (computation, instruction) = place;
        let mut reads = match self.backwards {
            true => analysis.readers(computation, instruction),
            false => analysis.instruction(computation, instruction),
        }?;
        let body = &self.module[computation];
        let mut judgements = match &self.wanted.check {
            None => Vec::new(),
            Some(budget) => self.judgements(analysis, definitions, place, (&reads, budget))?,
        };
        if let Some(operand) = &self.wanted.operand {
            let wanted = operand_number(body, &body[instruction], operand);
            let mut is_kept = reads.iter().map(|entry| Some(entry.operand) == wanted);
            judgements.retain(|_| is_kept.next().unwrap_or(false));
            reads.retain(|entry| Some(entry.operand) == wanted);
        }
        let operand = self.wanted.operand.as_ref();
        let listed = reads.len();
        let unlisted = self.unlisted(body, &body[instruction], operand, listed);
        let memory = self.wanted.memory.then(|| {
            let ends = Ends::of_instruction(body, &body[instruction], self.backwards);
            MemoryMaps::new(&reads, &ends, &|map| self.shaper.apply_in_full(map))
        });
        let exchange = match self.backwards {
            true => None,
            false => Exchange::of(self.module, body, &body[instruction]),
        };
        let lines = self.lines.as_ref();
        let warnings = lines.map(|lines| {
            let mut warnings = lines.warnings(self.module, &body[instruction]);
            warnings.extend(lines.of_bitcast(body, &body[instruction]));
            warnings
        });
        let answer = Answer {
            module: self.module,
            computation: body,
            instruction: &body[instruction],
            reads: &reads,
            of_computation: false,
            backwards: self.backwards,
            by_values: self.wanted.by_values,
            judgements: &judgements,
            memory: memory.as_ref(),
            exchange: exchange.as_ref(),
            devices: &[],
            warnings: &warnings.unwrap_or_default(),
            style: self.wanted.style,
            stop: &|map| self.shaper.stop(map),
            unlisted,
        };
        let explanation = match self.wanted.explain {
            false => None,
            true => Some(Explanation::of(analysis, self.module, computation, instruction)?),
        };
        let Forms { text, json } = self.wanted.forms;
        let text = text.then(|| {
            let mut text = answer.text();
            if let Some(explanation) = &explanation {
                text.append(explanation.text(&answer));
            }
            text
        });
        let json = json.then(|| match &explanation {
            None => answer.json(),
            Some(explanation) => explanation.json(answer.json(), &answer),
        });
        let output = Output {
            json: json.map(Into::into),
            ..Output::new(text.unwrap_or_default(), Object::default())
        };
        Ok(Told {
            output: output.status(answer.status()),
            known: Known::of(body[instruction].opcode(), &reads),
            checked: Checked::default().and(&judgements),
            maps: maps_of(&reads),
        })
    }

    /// Returns the verdicts on the reads of an instruction.
    fn judgements(
        &self,
        analysis: &mut Analysis<'_>,
        definitions: &mut Definitions<'_>,
        (computation, instruction): (ComputationId, InstructionId),
        (reads, budget): (&[OperandReads], &Budget),
    ) -> Result<Vec<Option<Judgement>>, Error> {
        let body = &self.module[computation];
        let named = self.named.get(computation.index());
        let is_open =
            |one: &Instruction| one.shape().as_array().is_some_and(ArrayShape::is_dynamic);
        let mut arrays = body.operands(&body[instruction]).chain([&body[instruction]]);
        let defined = match named.filter(|_| arrays.any(is_open)) {
            Some(named) => of_named(self.module, (body, instruction), named).map(Rc::new),
            None => definitions.of(body, &body[instruction]),
        };
        let mut judgements = agreement::judge(&defined, reads, budget);
        let is_open = |one: &Option<Judgement>| matches!(one, Some(Judgement::Unknown(_)));
        if !self.backwards
            && judgements.iter().any(is_open)
            && *body[instruction].opcode() == Opcode::While
            && let Some(claims) = analysis.loop_claims(computation, instruction)
        {
            let mut inside = Vec::new();
            for id in claims.computations {
                inside.push((definitions.computation(id), analysis.computation(id)?));
            }
            agreement::judge_counted(&claims, &inside, reads, &mut judgements, budget);
        }
        Ok(judgements)
    }

    /// Returns the number of pairs of an instruction that runs computations that are not among the `listed` ones. Other ops omit
    /// a pair only if they pass a whole array on.
    fn unlisted(
        &self,
        body: &Computation,
        instruction: &Instruction,
        operand: Option<&Argument>,
        listed: usize,
    ) -> usize {
        if !runs_computations(instruction.opcode()) {
            return 0;
        }
        let pairs = |asked: &AskedPairs, listed| {
            unlisted(asked, instruction.shape(), body.operands(instruction), listed)
        };
        if pairs(&AskedPairs::default(), 0) <= Limits::default().pairs {
            return 0; // all pairs are listed, except for those of parts that a loop or an async-start passes on
        }
        let number = operand.and_then(|given| operand_number(body, instruction, given));
        let parameters = number.map(|number| vec![number]);
        pairs(&AskedPairs { outputs: None, parameters }, listed)
    }
}

/// Returns the number of worker threads.
///
/// # Errors
/// If it is not a positive integer.
pub(super) fn threads(call: &Call<'_>) -> Result<usize, Failure> {
    let threads = call.value(&THREADS)?;
    Ok(threads.map_or(call.host.cores(), |count| usize::try_from(count).unwrap_or(usize::MAX)))
}

/// Returns whether maps from the operands to the output are requested.
///
/// # Errors
/// For an unknown direction, and an option that is invalid with it.
pub fn is_backwards(call: &Call<'_>) -> Result<bool, Failure> {
    if call.value(&DIRECTION)? != Some(Direction::FromInput) {
        return Ok(false);
    }
    if call.has(EXPLAIN) {
        return Err(call.wrong_usage(
            "`--explain` explains maps from the output to the operands; the other direction is computed from them",
        ));
    }
    if call.has(CHECK) {
        return Err(call.wrong_usage(
            "`--check` proves maps from the output to the operands; the other direction is computed from them",
        ));
    }
    Ok(true)
}

/// Simplifies the maps of an analysis, and records which ones hit a limit of the search.
pub struct Shaper {
    simplifier: Option<Memo>,
    has_stopped: AtomicBool,
}

impl Shaper {
    /// Builds the simplifier from the options of the call.
    ///
    /// # Errors
    /// If the shipped rules do not load.
    pub fn new(call: &Call<'_>) -> Result<Shaper, Failure> {
        let simplifier = match call.has(NO_SIMPLIFY) {
            true => None,
            false => Some(Memo::new(call.simplifier()?, call.search_options()?)),
        };
        Ok(Shaper { simplifier, has_stopped: AtomicBool::new(false) })
    }

    /// Simplifies a map.
    pub fn apply(&self, map: &IndexingMap) -> IndexingMap {
        let Some(simplifier) = &self.simplifier else {
            return map.clone();
        };
        let outcome = simplifier.simplify(map);
        if outcome.stopped.is_some() {
            self.has_stopped.store(true, Ordering::Relaxed);
        }
        outcome.map.clone()
    }

    /// Returns the results of [`Shaper::apply`] and [`Shaper::stop`].
    pub(super) fn apply_in_full(&self, map: &IndexingMap) -> (IndexingMap, Option<String>) {
        let map = self.apply(map);
        let stopped = self.stop(&map);
        (map, stopped)
    }

    /// Returns the limit at which the search for a simpler form of `map`, a result of [`Shaper::apply`], stopped. Simplifying
    /// such a map again hits the same limit.
    pub fn stop(&self, map: &IndexingMap) -> Option<String> {
        let simplifier =
            self.simplifier.as_ref().filter(|_| self.has_stopped.load(Ordering::Relaxed))?;
        simplifier.simplify(map).stopped.clone()
    }
}
