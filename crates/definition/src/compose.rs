//! Composes definitions: the reads of a fusion or a call are the composed relations along each path from its result to a
//! parameter.
//!
//! Law: in the composition of two relations, output element `d` reads operand element `i` iff some intermediate index belongs
//! to both. That index becomes an additional loop index, which is eliminated if an equation determines it.

use super::access::{Access, Certainty, Definition, Role};
use super::op::{self, NoDefinition};
use super::opaque;
use super::passing;
use super::relation::{Index, Relation, Source, Sum, TuplePath, Value};
use super::solve::copy;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::{ArrayShape, Shape};
use affinor_maps::num::{Fuel, Interrupt, Interval, MINUS_INFINITY, PLUS_INFINITY, Stopped};
use affinor_maps::text::Error;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of paths from one part of a result to one array; beyond it, all of the array is taken.
const WAYS: usize = 64;

pub(super) const DYNAMIC: &str = "a size is known only at run time";

/// Maximum number of steps through one computation, or through the iterations of one loop: about one per condition of a
/// composed relation.
const STEPS: u64 = 1_000_000;

/// The definitions of a module's instructions. Definitions of computations are memoized.
pub struct Definitions<'a> {
    pub(super) module: &'a Module,
    interrupt: Interrupt,
    computations: BTreeMap<ComputationId, Result<Rc<Definition>, NoDefinition>>,
}

impl<'a> Definitions<'a> {
    /// Creates the definitions of `module`.
    #[must_use]
    pub fn new(module: &'a Module) -> Definitions<'a> {
        Definitions { module, interrupt: Interrupt::new(), computations: BTreeMap::new() }
    }

    /// Sets an interrupt; queries after it fail as unknown.
    #[must_use]
    pub fn ended_by(mut self, interrupt: &Interrupt) -> Definitions<'a> {
        self.interrupt = interrupt.clone();
        self
    }

    /// Returns the fuel for one computation or loop.
    pub(super) fn fuel(&self) -> Fuel {
        Fuel::new(STEPS, &self.interrupt)
    }

    /// Returns the definition of an instruction: that of [`super::of`], or for a fusion or a call the composition of those
    /// inside; values that do not depend on parameters of `computation` are substituted.
    ///
    /// # Errors
    /// As [`super::of`].
    pub fn of(
        &mut self,
        computation: &Computation,
        instruction: &Instruction,
    ) -> Result<Rc<Definition>, NoDefinition> {
        let definition = match instruction.opcode() {
            Opcode::Fusion => self.computation(op::called(instruction, "calls")?),
            Opcode::Call => self.computation(op::called(instruction, "to_apply")?),
            Opcode::AsyncStart => self.started(computation, instruction),
            Opcode::Conditional => self.conditional(computation, instruction),
            Opcode::While => self.iterated(computation, instruction),
            _ => super::of(self.module, computation, instruction).map(Rc::new),
        };
        self.with_fixed_values(computation, instruction, definition?)
    }

    /// "A tuple of the operands, of the result of the computation that runs, and of its state."
    fn started(
        &mut self,
        computation: &Computation,
        instruction: &Instruction,
    ) -> Result<Rc<Definition>, NoDefinition> {
        let called = op::called(instruction, "calls")?;
        let op = op::Op { module: self.module, computation, instruction, given: None };
        let mut accesses = passing::operands(&op, &[0])?;
        let result = instruction.shape().at(&[1]).and_then(Shape::as_tuple);
        if result.is_some_and(<[_]>::is_empty) {
            // "The result is bound later."
            return Ok(Rc::new(accesses.into_iter().collect()));
        }
        let called = self.computation(called)?;
        accesses.extend(called.accesses().iter().map(|access| Access {
            output: [&[1], &access.output[..]].concat(),
            ..access.clone()
        }));
        Ok(Rc::new(accesses.into_iter().collect()))
    }

    /// Returns the reads of a computation's result from its parameters: an operand is a parameter number. Computations
    /// nest at most 64 deep.
    ///
    /// # Errors
    /// As [`super::of`], for any instruction that the result depends on.
    pub fn computation(&mut self, id: ComputationId) -> Result<Rc<Definition>, NoDefinition> {
        if let Some(known) = self.computations.get(&id) {
            return known.clone();
        }
        let composed = match self.composed(id) {
            Err(NoDefinition::Unknown(reason)) => {
                let body = &self.module[id];
                let parameters = body.parameters().iter().map(|parameter| &body[*parameter]);
                opaque::anything(&body[body.root()], parameters, &reason)
            }
            composed => composed,
        };
        let composed = composed.map(Rc::new);
        self.computations.insert(id, composed.clone());
        composed
    }

    fn composed(&mut self, id: ComputationId) -> Result<Definition, NoDefinition> {
        let body = &self.module[id];
        // The paths to each part of each instruction's result, by the part of the root where they start.
        let mut ways: BTreeMap<(InstructionId, TuplePath), BTreeMap<TuplePath, Vec<Access>>> =
            BTreeMap::new();
        for (path, leaf) in body[body.root()].shape().leaves() {
            if let Shape::Array(array) = leaf {
                let sizes = array.fixed_sizes().ok_or_else(|| unknown(DYNAMIC))?;
                let same = op::same_index(&sizes, &sizes)?;
                let start = Access::new(0, same).of_output(&path);
                let own = BTreeMap::from([(path.clone(), vec![start])]);
                ways.insert((body.root(), path), own);
            }
        }
        let mut found = Vec::new();
        let fuel = self.fuel();
        let instructions: Vec<(InstructionId, &Instruction)> = body.instructions().collect();
        for (place, instruction) in instructions.into_iter().rev() {
            let whole = (place, Vec::new())..;
            let reached: Vec<(TuplePath, Vec<Access>)> = ways
                .range(whole)
                .take_while(|((other, _), _)| *other == place)
                .map(|((_, path), ways)| (path.clone(), ways.values().flatten().cloned().collect()))
                .collect();
            if reached.is_empty() {
                continue;
            }
            if let Some(number) = instruction.parameter_number() {
                for (path, own) in reached {
                    let ended = own.into_iter().map(|way| Access {
                        operand: number,
                        path: path.clone(),
                        ..way
                    });
                    found.extend(ended);
                }
                continue;
            }
            let definition = match self.of(body, instruction) {
                // The definitions of other ops refer to their operands only.
                Err(NoDefinition::Unknown(reason)) => {
                    Rc::new(opaque::anything(instruction, body.operands(instruction), &reason)?)
                }
                definition => definition?,
            };
            for (path, own) in &reached {
                fuel.spend(1 + definition.accesses().len() as u64 / 8)?;
                let accesses = definition.accesses().iter();
                for access in accesses.filter(|access| access.output == *path) {
                    let operand = instruction.operands().get(access.operand).copied();
                    let Some(operand) = operand else {
                        return Err(unknown("an operand is missing"));
                    };
                    for way in own {
                        fuel.spend(cost(way, access))?;
                        let mut longer = then(way, access)?;
                        longer.certainty = longer.certainty.inside();
                        self.trace_values((id, place), way, access, &mut longer)?;
                        let key = (operand, access.path.clone());
                        let all = ways.entry(key).or_default();
                        let all = all.entry(longer.output.clone()).or_default();
                        fuel.spend(all.len() as u64)?;
                        add_way(all, longer);
                    }
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    /// Traces values to elements of parameters, or of an instruction's result, through ops that only move elements.
    fn trace_values(
        &mut self,
        place: (ComputationId, InstructionId),
        way: &Access,
        access: &Access,
        longer: &mut Access,
    ) -> Result<(), NoDefinition> {
        if access.unless.is_some()
            && let Some(unless) = &mut longer.unless
        {
            for number in 0..unless.values().len() {
                self.trace(place, unless, number)?;
            }
        }
        for number in way.reads.values().len()..longer.reads.values().len() {
            self.trace(place, &mut longer.reads, number)?;
        }
        let reads = longer.reads.clone().without_solved_loops(Vec::new());
        longer.reads = reads?.0;
        Ok(())
    }

    /// Traces value `number` of `reads`; an index that is not a sum becomes a loop index.
    fn trace(
        &mut self,
        (computation, user): (ComputationId, InstructionId),
        reads: &mut Relation,
        number: usize,
    ) -> Result<(), NoDefinition> {
        let body = &self.module[computation];
        let mut value = reads.values()[number].clone();
        let operand = match &mut value.source {
            Source::Operand(operand) => *operand,
            Source::Name(_) => return Err(unknown("a size is known only at run time")),
            Source::Inside { through, .. } => {
                through.insert(0, (computation, user));
                return Ok(reads.set_value(number, value)?);
            }
        };
        let first = body[user].operands().get(operand).copied();
        let mut at = first.ok_or_else(|| unknown("an operand is missing"))?;
        value.source = loop {
            if let Some(number) = body[at].parameter_number() {
                break Source::Operand(number);
            }
            let Some((operand, access)) = self.mover(body, at, &value.path)? else {
                break Source::Inside { at: (computation, at), through: Vec::new() };
            };
            let from = &access.reads;
            let loops = reads.over_all(from.loops());
            let functional = from.functional();
            let is_functional = functional.is_some();
            let images = functional.unwrap_or_else(|| reads.over_sizes(from.operand()));
            let own = |index: Index| match index {
                Index::Output(k) => value.index.get(k).cloned(),
                Index::Operand(k) => images.get(k).cloned(),
                Index::Loop(number) => loops.get(number).cloned(),
                Index::Value(_) => None,
            };
            if is_functional {
                value.index = images.iter().map(|sum| sum.replaced_or_refused(&own)).collect();
            } else {
                copy(from, reads, &own)?;
                value.index = images;
            }
            value.path = access.path;
            at = operand;
        };
        Ok(reads.set_value(number, value)?)
    }

    /// Returns a computation of the module.
    pub(super) fn body(&self, id: ComputationId) -> &'a Computation {
        &self.module[id]
    }

    /// Returns the operand and the access of an op that only moves elements to part `path` of its result; `None` for any other
    /// op.
    pub(super) fn mover(
        &mut self,
        body: &Computation,
        at: InstructionId,
        path: &TuplePath,
    ) -> Result<Option<(InstructionId, Access)>, NoDefinition> {
        let instruction = &body[at];
        if !passing::moves(body, instruction) {
            return Ok(None);
        }
        let definition = self.of(body, instruction)?;
        let accesses = definition.accesses().iter();
        let mut accesses = accesses.filter(|access| access.output == *path);
        let (Some(access), None) = (accesses.next(), accesses.next()) else {
            return Ok(None);
        };
        let operand = instruction.operands().get(access.operand).copied();
        Ok(operand.map(|operand| (operand, access.clone())))
    }

    /// "Depending on the value of the predicate, one of the branches is executed."
    fn conditional(
        &mut self,
        computation: &Computation,
        instruction: &Instruction,
    ) -> Result<Rc<Definition>, NoDefinition> {
        let branches = op::branches(instruction)?;
        let predicate = instruction.operands().first();
        let predicate = predicate.and_then(|k| computation[*k].shape().as_array());
        let Some(predicate) = predicate else {
            return Err(instruction.error("the predicate must be an array").into());
        };
        let of_truth = predicate.element_type() == ElementType::Pred;
        let clamp = match of_truth {
            true => Interval::new(0, 1),
            false => Interval::ALL,
        };
        let mut accesses = Vec::new();
        for (path, leaf) in instruction.shape().leaves() {
            if let Some(sizes) = leaf.as_array().and_then(ArrayShape::sizes) {
                let predicate = Access::new(0, Relation::new(&sizes, &[]));
                accesses.push(predicate.of_output(&path).as_choice());
            }
        }
        for (number, branch) in branches.iter().enumerate() {
            for access in self.computation(*branch)?.accesses() {
                if !access.reads.values().is_empty() {
                    return Err(unknown("a value is computed in a branch"));
                }
                for taken in &taken_at(number, branches.len(), of_truth) {
                    let mut own = Access { operand: number + 1, ..access.clone() };
                    let predicate = own.reads.value(Value {
                        source: Source::Operand(0),
                        path: Vec::new(),
                        index: Vec::new(),
                        clamp,
                        is_free: true,
                    })?;
                    own.reads.within(predicate, *taken)?;
                    accesses.push(own);
                }
            }
        }
        Ok(Rc::new(accesses.into_iter().collect()))
    }
}

/// Returns the values of the predicate with which branch `number` of `count` is taken: "the true computation if it is true", or
/// the branch of that number, "and the last one if it is out of range".
fn taken_at(number: usize, count: usize, of_truth: bool) -> Vec<Interval> {
    let branch = i64::try_from(number).unwrap_or(i64::MAX);
    match (of_truth, number + 1 == count) {
        (true, _) => vec![Interval::point(1 - branch)],
        (false, false) => vec![Interval::point(branch)],
        (false, true) => {
            vec![Interval::new(MINUS_INFINITY, -1), Interval::new(branch, PLUS_INFINITY)]
        }
    }
}

impl From<Stopped> for NoDefinition {
    fn from(stopped: Stopped) -> NoDefinition {
        NoDefinition::Unknown(format!("its reads were not derived: stopped at {stopped}").into())
    }
}

/// Returns the number of steps to compose two accesses.
pub(super) fn cost(way: &Access, access: &Access) -> u64 {
    let conditions = way.reads.conditions().len() + access.reads.conditions().len();
    1 + conditions as u64
}

pub(super) fn unknown(why: &str) -> NoDefinition {
    NoDefinition::Unknown(why.into())
}

/// Composes `way` with `access`, which starts from its end.
pub(super) fn then(way: &Access, access: &Access) -> Result<Access, NoDefinition> {
    let (reads, between) = behind(&way.reads, &access.reads)?;
    let mut certainty = way.certainty.then(&access.certainty);
    // If exceptions cannot be expressed, the rest is an upper bound of the reads.
    let mut bound = |reason: &str| certainty = Certainty::bound(reason);
    let unless = match (&way.unless, &access.unless) {
        (None, None) => None,
        (Some(unless), Some(_)) => {
            bound("elements are overwritten twice");
            Some(unless.clone())
        }
        // The end of the path does not matter, since the exceptions are about the output.
        (Some(unless), None) => Some(unless.clone()),
        (None, Some(_)) if !is_fixed(&between) => {
            bound("the overwritten elements depend on a loop index");
            None
        }
        (None, Some(unless)) => {
            let mut of_output = Relation::new(way.reads.output(), unless.operand());
            of_output.over_all(unless.loops());
            let place = |index: Index| match index {
                Index::Output(k) => between.get(k).cloned(),
                other => Some(other.into()),
            };
            copy(unless, &mut of_output, &place)?;
            Some(of_output)
        }
    };
    Ok(Access {
        output: way.output.clone(),
        operand: access.operand,
        path: access.path.clone(),
        reads,
        unless,
        certainty,
        role: Role::Data,
    })
}

/// Returns whether the sums depend only on the output index.
pub(super) fn is_fixed(sums: &[Sum]) -> bool {
    let mut terms = sums.iter().flat_map(Sum::terms);
    terms.all(|(_, index)| matches!(index, Index::Output(_)))
}

/// Adds a path of one part of the result, unless another path has all its elements, so that shared subgraphs are followed once.
/// If there are too many paths to an array, all of the array is an upper bound of the reads.
fn add_way(all: &mut Vec<Access>, way: Access) {
    let is_known = |other: &Access| {
        *other == way || other.is_bounded_by_nothing() || says_as_much(other, &way)
    };
    if all.iter().any(is_known) {
        return;
    }
    all.retain(|other| !says_as_much(&way, other));
    if all.len() < WAYS {
        all.push(way);
        return;
    }
    all.clear();
    let reads = Relation::new(way.reads.output(), way.reads.operand());
    all.push(Access { reads, unless: None, ..way }.at_most("there are too many ways through it"));
}

/// Returns whether `path` has all elements of `other`, to the same array, with at least the same certainty.
fn says_as_much(path: &Access, other: &Access) -> bool {
    let is_plain = path.unless.is_none() && other.unless.is_none();
    is_plain
        && (path.certainty == Certainty::Certain || path.certainty == other.certainty)
        && path.role == other.role
        && path.reads.includes(&other.reads)
}

/// Composes `inner` after `outer`; also returns the sum for each intermediate index.
fn behind(outer: &Relation, inner: &Relation) -> Result<(Relation, Vec<Sum>), Error> {
    let mut both = Relation::new(outer.output(), inner.operand());
    both.over_all(outer.loops());
    let between = both.over_sizes(outer.operand());
    let inner_loops = both.over_all(inner.loops());
    let of_outer = |index: Index| match index {
        Index::Operand(k) => between.get(k).cloned(),
        other => Some(other.into()),
    };
    copy(outer, &mut both, &of_outer)?;
    let known = outer.values().len();
    let of_inner = |index: Index| match index {
        Index::Output(k) => between.get(k).cloned(),
        Index::Loop(number) => inner_loops.get(number).cloned(),
        Index::Value(number) => Some(Index::Value(known + number).into()),
        other => Some(other.into()),
    };
    copy(inner, &mut both, &of_inner)?;
    both.without_solved_loops(between)
}
