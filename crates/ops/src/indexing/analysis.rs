//! The analysis of a module: memoized reads of instructions and computations.
//!
//! Law: the answer for an instruction or a computation depends on the module, the simplifier and the limits only, not
//! on earlier queries. Each computation is analysed once and used by every fusion and call of it, on whatever thread;
//! nesting is bounded.

use super::asked::AskedPairs;
use super::cache::{Cache, Found};
use super::choices;
use super::counted_loop::{Given, LoopClaims, Reader, counted, loop_claims};
use super::course::State;
use super::custom::CustomCalls;
use super::fold::folded;
use super::heights::heights;
use super::op::{NoMap, Op};
use super::open::OpenReads;
use super::operation::{self, runs_computations};
use super::reads::{InstructionPlace, InstructionReads, OperandMap, OperandReads, Reads};
use super::roles::is_index;
use super::sequence::compose;
use super::stages::{self, Stage};
use super::tidy::{Simplify, Tidy};
use super::union::tidied;
use super::walk::{self, Context, Limits, Place};
use affinor::expr::{ExprError, IndexingMap, VariableKind};
use affinor::num::{Interrupt, Stopped};
use affinor::text::Error;
use affinor_hlo::module::{ComputationId, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The reads of the instructions of one module. Clones share their cache.
///
/// ```
/// use affinor::expr::IndexingMap;
/// use affinor::simplify::{Options, Simplifier};
/// use affinor_ops::indexing::Analysis;
///
/// let module = affinor_hlo::read(
///     b"p = f32[8,16] parameter(0) \n t = f32[16,8] transpose(p), dimensions={1,0} \n r = f32[128] reshape(t)",
/// )?;
/// let simplifier = Simplifier::shipped()?;
/// let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
/// let reads = Analysis::new(&module, &simplify).computation(module.entry())?;
/// assert!(reads[0].reads.is_exact());
/// let maps = reads[0].reads.maps().unwrap_or_default();
/// assert_eq!(maps[0].map.to_string(), "(d0) -> (d0 mod 8, d0 floordiv 8), domain: d0 in [0, 127]");
/// # Ok::<(), affinor::text::Error>(())
/// ```
#[derive(Clone)]
pub struct Analysis<'a> {
    module: &'a Module,
    pub(super) tidy: Tidy<'a>,
    limits: Limits,
    pub(super) interrupt: Interrupt,
    custom_calls: Arc<CustomCalls>,
    /// Supplies the reads of instructions with sizes known only at run time.
    pub(super) open: Option<Arc<dyn OpenReads + 'a>>,
    /// Whether reads that only locate data (of offsets and indices) are left out.
    only_data: bool,
    /// Whether operands that a known predicate does not choose are left out.
    by_values: bool,
    /// The unsimplified answers for computations, and for ops that run computations or that a walk reaches.
    cache: Arc<Cache>,
    /// The known scalars of the parameter of one computation, the body of a loop in one of its iterations.
    state: Option<(ComputationId, State)>,
    /// Nesting depth of fusions and calls inside each computation, by its index in the module.
    heights: Arc<[usize]>,
}

impl<'a> Analysis<'a> {
    /// Creates an analysis of `module`. `simplify` simplifies maps and must preserve each map's variables, the points
    /// of its domain and its values there.
    #[must_use]
    pub fn new(module: &'a Module, simplify: Simplify<'a>) -> Analysis<'a> {
        Analysis::with_limits(module, simplify, Limits::default())
    }

    /// Creates an analysis with other limits than [`Analysis::new`].
    #[must_use]
    pub fn with_limits(module: &'a Module, simplify: Simplify<'a>, limits: Limits) -> Analysis<'a> {
        Analysis {
            module,
            tidy: Tidy { simplify, projects: false },
            limits,
            interrupt: Interrupt::new(),
            custom_calls: CustomCalls::published(),
            open: None,
            only_data: false,
            by_values: false,
            cache: Arc::new(Cache::new(module)),
            state: None,
            heights: heights(module).into(),
        }
    }

    /// Sets an interrupt. After it fires, answers may be wider than the reads, and say so.
    #[must_use]
    pub fn ended_by(mut self, interrupt: &Interrupt) -> Analysis<'a> {
        self.interrupt = interrupt.clone();
        self
    }

    /// Sets the table of custom-calls; without it, that of the library is used.
    #[must_use]
    pub fn with_custom_calls(mut self, table: &Arc<CustomCalls>) -> Analysis<'a> {
        self.custom_calls = table.clone();
        self
    }

    /// Sets the source of reads with named sizes, for ops with sizes known only at run time. Must be called before any query.
    #[must_use]
    pub fn with_open(mut self, open: Option<Arc<impl OpenReads + 'a>>) -> Analysis<'a> {
        self.open = open.map(|open| -> Arc<dyn OpenReads + 'a> { open });
        self
    }

    /// Computes only which elements are read, not how often, which needs fewer range variables. Must be called before any
    /// query.
    #[must_use]
    pub fn as_sets(mut self) -> Analysis<'a> {
        self.tidy.projects = true;
        self
    }

    /// Leaves out reads that only locate data: those of offsets and indices. Must be called before any query.
    #[must_use]
    pub fn only_data(mut self) -> Analysis<'a> {
        self.only_data = true;
        self
    }

    /// Leaves out elements that a `select` reads but does not choose, where its predicate is known before run time: what is
    /// left is all that a value can depend on. Any other op is assumed to need all of its reads. Must be called before any query.
    #[must_use]
    pub fn by_values(mut self) -> Analysis<'a> {
        self.by_values = true;
        self
    }

    /// Returns the reads of each array of the output from each array of the operands.
    ///
    /// Entries are sorted by output, then operand. A pair of arrays that is not listed is not read: ops that pass whole
    /// arrays on (`tuple`, `get-tuple-element`, `opt-barrier`) list only the pairs they pass on.
    ///
    /// # Errors
    /// Kind `hlo`, if the instruction, or one inside the computation it calls, contradicts its own shapes or
    /// attributes.
    pub fn instruction(
        &mut self,
        computation: ComputationId,
        instruction: InstructionId,
    ) -> Result<Vec<OperandReads>, Error> {
        let place = InstructionPlace { computation, instruction };
        let name = self.module[computation][instruction].name();
        let entries = self.asked(place)?;
        let tidy = |reads: &Reads| {
            if self.interrupt.is_triggered() {
                return Reads::unknown(format!("`{name}`: {}", Stopped::Interrupted));
            }
            let too_large =
                |error| Reads::unknown(format!("`{name}`: its map cannot be written: {error}"));
            tidied(self.tidy, reads).unwrap_or_else(too_large)
        };
        let entries =
            entries.iter().map(|entry| OperandReads { reads: tidy(&entry.reads), ..entry.clone() });
        Ok(entries.collect())
    }

    /// Inverts [`Analysis::instruction`]: for each array of an operand and each array of the output, returns maps from
    /// an element of the operand to the elements of the output that read it.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn readers(
        &mut self,
        computation: ComputationId,
        instruction: InstructionId,
    ) -> Result<Vec<OperandReads>, Error> {
        let place = InstructionPlace { computation, instruction };
        let computation = &self.module[computation];
        let instruction = &computation[instruction];
        let name = instruction.name();
        let operands: Vec<_> = computation.operands(instruction).collect();
        // Unsimplified: simplification may hide which results are digits of one sum.
        let entries = self.asked(place)?;
        let shape = |operand: usize| operands.get(operand).map(|operand| operand.shape());
        Ok(self.turned(&entries, name, &shape))
    }

    /// Inverts [`Analysis::computation`]: maps the elements of each parameter to those of the result that read them.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn computation_readers(
        &mut self,
        computation: ComputationId,
    ) -> Result<Vec<OperandReads>, Error> {
        self.pairs_readers(computation, &AskedPairs::default())
    }

    /// Inverts [`Analysis::pairs`].
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn pairs_readers(
        &mut self,
        computation: ComputationId,
        asked: &AskedPairs,
    ) -> Result<Vec<OperandReads>, Error> {
        let entries = self.pairs(computation, asked)?;
        let computation = &self.module[computation];
        let parameters = computation.parameters();
        let shape = |number: usize| parameters.get(number).map(|id| computation[*id].shape());
        Ok(self.turned(&entries, computation.name(), &shape))
    }

    /// Returns the module.
    pub(super) fn module(&self) -> &'a Module {
        self.module
    }

    /// Iterates [`Analysis::instruction`] over every instruction with operands, in the order of the text. An invalid
    /// instruction does not stop the iteration.
    pub fn instructions(
        &mut self,
    ) -> impl Iterator<Item = (InstructionPlace, Result<Vec<OperandReads>, Error>)> {
        let module = self.module;
        let places = module.computations().flat_map(|(computation, body)| {
            let with_operands =
                body.instructions().filter(|(_, instruction)| !instruction.operands().is_empty());
            with_operands.map(move |(instruction, _)| InstructionPlace { computation, instruction })
        });
        places.map(|at| (at, self.instruction(at.computation, at.instruction)))
    }

    /// Returns the reads of each array of a computation's result from each array of its parameters, composed through
    /// all its instructions. [`OperandReads::operand`] is the parameter number.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn computation(
        &mut self,
        computation: ComputationId,
    ) -> Result<Arc<[OperandReads]>, Error> {
        self.whole(computation).map(|reads| self.closed(reads))
    }

    /// Returns the reads without conditions on predicates that were not known.
    fn closed(&self, reads: Arc<[OperandReads]>) -> Arc<[OperandReads]> {
        if self.by_values { choices::closed(self.tidy, reads) } else { reads }
    }

    /// [`Analysis::computation`], in which a caller may know the predicates of choices.
    fn whole(&mut self, computation: ComputationId) -> Found {
        let cache = self.cache.clone();
        cache.computation(computation, || {
            let height = self.heights.get(computation.index()).copied();
            if height > Some(self.limits.nesting) {
                let nesting = self.limits.nesting;
                let reason = format!("fusions and calls are nested more than {nesting} deep");
                return Ok(walk::unknown(self.module, computation, &reason).into());
            }
            Ok(self.walk(computation, &AskedPairs::default(), &mut |_| {})?.into())
        })
    }

    /// Returns the part of [`Analysis::computation`] for the pairs in the query, without computing the rest.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn pairs(
        &mut self,
        computation: ComputationId,
        asked: &AskedPairs,
    ) -> Result<Arc<[OperandReads]>, Error> {
        let height = self.heights.get(computation.index());
        if *asked == AskedPairs::default() || height > Some(&self.limits.nesting) {
            let mut entries = self.computation(computation)?.to_vec();
            entries.retain(|x| asked.has_output(&x.output) && asked.has_parameter(x.operand));
            return Ok(entries.into());
        }
        let entries = self.walk(computation, asked, &mut |_| {})?.into();
        Ok(self.closed(entries))
    }

    /// Returns the reads of each array of a computation's result from each array inside, users before operands: the
    /// derivation of [`Analysis::computation`]. Empty if computations nest too deeply.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn steps(&mut self, computation: ComputationId) -> Result<Vec<InstructionReads>, Error> {
        let mut steps = Vec::new();
        if self.heights.get(computation.index()) <= Some(&self.limits.nesting) {
            self.walk(computation, &AskedPairs::default(), &mut |step| steps.push(step()))?;
        }
        for step in steps.iter_mut().filter(|_| self.by_values) {
            step.reads = choices::closed_reads(self.tidy, step.reads.clone());
        }
        Ok(steps)
    }

    /// Returns the claims that the maps of a loop rest on, if its trip count is known.
    pub fn loop_claims(
        &mut self,
        computation: ComputationId,
        instruction: InstructionId,
    ) -> Option<LoopClaims> {
        let place = InstructionPlace { computation, instruction };
        self.with_given(|given, of| loop_claims(given, place, of))
    }

    fn with_given<R>(&mut self, work: impl FnOnce(&Given<'_>, &mut Reader<'_>) -> R) -> R {
        let (interrupt, state) = (self.interrupt.clone(), self.state.clone());
        let given = Given {
            module: self.module,
            tidy: self.tidy,
            interrupt: &interrupt,
            steps: self.limits.steps,
            state: state.as_ref(),
        };
        work(&given, &mut |target, state| {
            let Some(state) = state else { return self.whole(target).ok() };
            let (cache, state) = (Arc::new(Cache::new(given.module)), (target, state.clone()));
            Analysis { cache, state: Some(state), ..self.clone() }.whole(target).ok()
        })
    }

    /// Returns the reads of each array at which `stops` holds, and of each parameter, through all instructions between, given
    /// that `start` is read for the elements of an array of these sizes; `None` if that takes more than `steps`. A place is an
    /// instruction with a part of its result. Runtime variables are expressed in terms of the computation.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn onward(
        &mut self,
        computation: ComputationId,
        output_sizes: &[i64],
        start: BTreeMap<Place, Reads>,
        stops: &dyn Fn(&Place) -> bool,
        steps: u64,
    ) -> Result<Option<BTreeMap<Place, Reads>>, Error> {
        let (interrupt, open) = (self.interrupt.clone(), self.open.clone());
        let limits = Limits { steps, ..self.limits };
        let mut context = Context {
            module: self.module,
            open: open.as_deref(),
            tidy: self.tidy,
            limits,
            interrupt: &interrupt,
            operation: &mut |place| self.operation(place),
        };
        let found = walk::onward(&mut context, computation, output_sizes, start, stops)?;
        Ok(found.map(|found| match self.by_values {
            false => found,
            true => found
                .into_iter()
                .map(|(at, reads)| (at, choices::closed_reads(self.tidy, reads)))
                .collect(),
        }))
    }

    /// Returns the maps followed by `second`, a total map, in tidy form; `None` if a composition is not representable.
    #[must_use]
    pub fn followed(&self, maps: &[OperandMap], second: &IndexingMap) -> Option<Vec<OperandMap>> {
        let second = OperandMap::exact(second.clone());
        let followed = |map: &OperandMap| {
            let composed = compose(map, &second).ok()?;
            self.tidy.apply(&composed).ok()
        };
        let all: Vec<Option<OperandMap>> = maps.iter().map(followed).collect::<Option<_>>()?;
        Some(all.into_iter().flatten().collect())
    }

    /// Returns the map in tidy form; `None` if its domain is empty.
    pub(super) fn tidied(&self, map: &OperandMap) -> Result<Option<OperandMap>, ExprError> {
        self.tidy.apply(map)
    }

    /// Returns the reads of each array of an instruction's operands by each array of its result, unsimplified and sorted by
    /// output.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn unsimplified(&mut self, place: InstructionPlace) -> Result<Arc<[OperandReads]>, Error> {
        self.operation(place).map(|reads| self.closed(reads))
    }

    pub(super) fn in_context<R>(&mut self, work: impl FnOnce(&mut Context<'_, '_>) -> R) -> R {
        let (interrupt, open) = (self.interrupt.clone(), self.open.clone());
        work(&mut Context {
            module: self.module,
            open: open.as_deref(),
            tidy: self.tidy,
            limits: self.limits,
            interrupt: &interrupt,
            operation: &mut |place| self.operation(place),
        })
    }

    fn walk(
        &mut self,
        computation: ComputationId,
        asked: &AskedPairs,
        seen: &mut dyn FnMut(&dyn Fn() -> InstructionReads),
    ) -> Result<Vec<OperandReads>, Error> {
        self.in_context(|context| walk::computation(context, computation, asked, seen))
    }

    /// Returns the stages of the maps of [`Analysis::instruction`] from each array of the output to operand number
    /// `operand`; empty for an op whose maps are stated directly, and for one without maps.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn stages(
        &self,
        computation: ComputationId,
        instruction: InstructionId,
        operand: usize,
    ) -> Result<Vec<Stage>, Error> {
        let computation = &self.module[computation];
        let instruction = &computation[instruction];
        let mut stages = match stages::stages(&Op::new(computation, instruction), operand) {
            Ok(stages) => stages,
            Err(NoMap::Invalid(message)) => return Err(instruction.error(message)),
            Err(NoMap::Attribute(error)) => return Err(error),
            Err(NoMap::Unknown(_) | NoMap::Dynamic) => Vec::new(),
        };
        let unused = [VariableKind::Range];
        for stage in &mut stages {
            stage.map = (self.tidy.simplify)(&stage.map).without_unused(&unused);
            stage.composed = (self.tidy.simplify)(&stage.composed).without_unused(&unused);
        }
        Ok(stages)
    }

    /// Returns the reads of one instruction that was queried by itself, unsimplified. They are not cached: for most ops
    /// recomputing them is as fast as a look-up, and a module has many ops.
    pub(super) fn asked(&mut self, place: InstructionPlace) -> Found {
        let opcode = self.module[place.computation][place.instruction].opcode();
        let found = match self.cache.known_operation(place) {
            Some(known) => known,
            None if runs_computations(opcode) => self.operation(place),
            None => self.derived(place),
        };
        found.map(|reads| self.closed(reads))
    }

    /// Returns the reads of one instruction, unsimplified.
    fn operation(&mut self, place: InstructionPlace) -> Found {
        let count = self.module[place.computation].instructions().len();
        let cache = self.cache.clone();
        cache.operation(place, count, || self.derived(place))
    }

    fn derived(&mut self, place: InstructionPlace) -> Found {
        let computation = &self.module[place.computation];
        let instruction = &computation[place.instruction];
        let module = self.module;
        let is_loop = *instruction.opcode() == Opcode::While;
        let custom_calls = self.custom_calls.clone();
        // Other ops run computations on other elements than their operands', or several times.
        let is_call = runs_computations(instruction.opcode()) && !is_loop;
        let mut callee = |target| {
            let reads = if is_call { self.whole(target) } else { self.computation(target) };
            Ok((&module[target], reads?))
        };
        let mut reads = operation::reads(computation, instruction, &custom_calls, &mut callee)?;
        if let Some(open) = &self.open
            && reads.iter().any(|entry| entry.reads.maps().is_none())
            && let Ok(Some(named)) = open.reads(place)
        {
            reads = named.into();
        }
        if self.only_data && reads.iter().any(|x| is_index(instruction, x.operand)) {
            let data = reads.iter().filter(|x| !is_index(instruction, x.operand));
            reads = data.cloned().collect();
        }
        if !reads.is_sorted_by_key(|entry| &entry.output) {
            let mut sorted = reads.to_vec();
            sorted.sort_by(|x, y| x.output.cmp(&y.output));
            reads = sorted.into();
        }
        if is_loop {
            reads = self.with_given(|given, of| counted(given, place, reads, of));
        }
        Ok(match self.by_values {
            false => folded(module, place, reads, &self.interrupt),
            true => choices::chosen(module, place, reads, &self.interrupt),
        })
    }
}

/// Checks at compile time that an analysis is `Send`.
const _: fn() = || {
    fn assert_send<T: Send>() {}
    assert_send::<Analysis<'static>>();
};
