//! The reads of a while loop: those of its body, iterated.
//!
//! "Sequential execution of a body function, until the condition function fails." (*Operation semantics*, "While".)
//!
//! Law: part `j` of the result after `n` iterations is part `j` of the operand, or the result of the body applied to the result
//! after `n - 1` iterations. So a path to the operand is a chain of accesses of the body, of any length. Chains are followed to
//! a fixpoint; beyond a limit, all of the part is an upper bound of the reads. The reads of the condition are choices: they
//! decide whether an iteration runs. A part that the body passes on never changes.
//!
//! A value known only at run time may be any value of its interval, but within one iteration all its uses have the same value.
//! With a single such value that is an element of the state, each chain is possible for some state. With several values, or
//! computed ones, or if the trip count depends on no such value, a chain is an upper bound; likewise if a scalar of the initial
//! state is known.

use super::access::{Access, Certainty, Definition};
use super::compose::{DYNAMIC, Definitions, cost, then, unknown};
use super::op::{self, NoDefinition, same_index};
use super::relation::{Index, Relation, Source, Sum, TuplePath, Value};
use super::solve::copy;
use affinor_hlo::module::{Computation, ComputationId, Instruction};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use affinor_maps::num::Fuel;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Maximum number of relations from one part to another; beyond it, all of the part is taken.
const WAYS: usize = 4;

/// Why chains of accesses are at most possible: the definition does not count iterations.
pub const MANY: &str = "the number of iterations is known only at run time";

/// Paths from one part of the result to each part of the operand.
type Ways = BTreeMap<TuplePath, Vec<Access>>;

impl Definitions<'_> {
    /// Returns the reads of a while loop.
    pub(super) fn iterated(
        &mut self,
        computation: &Computation,
        instruction: &Instruction,
    ) -> Result<Rc<Definition>, NoDefinition> {
        let body = op::called(instruction, "body")?;
        let condition = op::called(instruction, "condition")?;
        let step = self.computation(body)?;
        let steps = any_values(&step)?;
        let test = self.computation(condition)?;
        let tests = any_values(&test)?;
        let mut parts = BTreeMap::new();
        for (path, leaf) in instruction.shape().leaves() {
            if let Shape::Array(array) = leaf {
                let sizes = array.fixed_sizes().ok_or_else(|| unknown(DYNAMIC))?;
                parts.insert(path, sizes);
            }
        }
        let mut from: BTreeMap<&TuplePath, Vec<&Access>> = BTreeMap::new();
        for step in &steps {
            from.entry(&step.output).or_default().push(step);
        }
        let fuel = self.fuel();
        let starts_anywhere = self.starts_anywhere(computation, instruction);
        let body_steps = Steps {
            from,
            parts: &parts,
            is_open: !tests.is_empty() && starts_anywhere,
            fuel: &fuel,
        };
        let mut passed_on = BTreeSet::new();
        for path in parts.keys() {
            if self.passes_on(body, path)? {
                passed_on.insert(path);
            }
        }
        // Paths start from parts that change, and from those that the condition reads.
        let mut ways: BTreeMap<&TuplePath, Ways> = BTreeMap::new();
        for (path, sizes) in &parts {
            if !passed_on.contains(path) || tests.iter().any(|test| test.path == *path) {
                ways.insert(path, body_steps.chains(path, sizes)?);
            }
        }
        let mut accesses = Vec::new();
        for (path, sizes) in &parts {
            if passed_on.contains(path) {
                let own = Access::new(0, same_index(sizes, sizes)?);
                accesses.push(own.of_output(path).of_part(path));
                continue;
            }
            accesses.extend(ways[path].values().flatten().cloned());
            for test in &tests {
                // The first test always reads the operand itself.
                let mut access = choosing(sizes, test)?;
                if !starts_anywhere {
                    access.certainty = access.certainty.inside();
                }
                accesses.push(access.of_output(path).of_part(&test.path));
                for way in ways.get(&test.path).into_iter().flat_map(BTreeMap::values).flatten() {
                    fuel.spend(cost(test, way))?;
                    let mut access = choosing(sizes, &then(test, way)?)?;
                    access.certainty = access.certainty.at_best_possible(MANY);
                    if !starts_anywhere {
                        access.certainty = access.certainty.inside();
                    }
                    accesses.push(access.of_output(path).of_part(&way.path));
                }
            }
        }
        Ok(Rc::new(accesses.into_iter().collect()))
    }

    /// Returns whether part `path` of the result is the same part of the parameter, passed on as a whole. An op that computes a
    /// new array does not pass on its operand, even if each element reads the one at its own index.
    fn passes_on(
        &mut self,
        computation: ComputationId,
        path: &TuplePath,
    ) -> Result<bool, NoDefinition> {
        let body = self.body(computation);
        let (mut at, mut part) = (body.root(), path.clone());
        loop {
            if body[at].parameter_number().is_some() {
                return Ok(part == *path);
            }
            let is_forwarding =
                matches!(body[at].opcode(), Opcode::Copy | Opcode::GetTupleElement | Opcode::Tuple);
            match self.mover(body, at, &part)? {
                Some((operand, access)) if is_forwarding => (at, part) = (operand, access.path),
                _ => return Ok(false),
            }
        }
    }
}

/// Returns the accesses with arbitrary values substituted for those known only at run time, which may differ between
/// iterations; so none of the accesses is certain.
fn any_values(definition: &Definition) -> Result<Vec<Access>, NoDefinition> {
    definition.accesses().iter().map(with_any_values).collect()
}

fn with_any_values(access: &Access) -> Result<Access, NoDefinition> {
    let from = &access.reads;
    let mut reads = Relation::new(from.output(), from.operand());
    let loops = reads.over_all(from.loops());
    // Equal values of one iteration become one index.
    let mut known: Vec<(&Value, Sum)> = Vec::new();
    let mut values: Vec<Sum> = Vec::new();
    for value in from.values() {
        let own = match (known.iter().find(|(other, _)| *other == value), value.clamp.as_point()) {
            (Some((_, own)), _) => own.clone(),
            (None, Some(only)) => Sum::from(only),
            (None, None) => {
                let own = reads.over_interval(value.clamp);
                known.push((value, own.clone()));
                own
            }
        };
        values.push(own);
    }
    let place = |index: Index| match index {
        Index::Loop(number) => loops.get(number).cloned(),
        Index::Value(number) => values.get(number).cloned(),
        other => Some(other.into()),
    };
    for condition in from.conditions() {
        reads.within(condition.sum().replaced_or_refused(&place), condition.bounds())?;
    }
    let own = match known.as_slice() {
        [] => Certainty::Certain,
        [(value, _)] if matches!(value.source, Source::Operand(_)) => {
            Certainty::Certain.at_best_possible(MANY)
        }
        _ => Certainty::Certain.at_best_possible(MANY).inside(),
    };
    let own = match access.unless {
        None => own,
        Some(_) => own.at_best_possible(MANY).inside(),
    };
    Ok(Access {
        reads: reads.reduced()?,
        unless: None,
        certainty: access.certainty.then(&own),
        ..access.clone()
    })
}

/// The reads of one iteration.
struct Steps<'a> {
    /// Accesses, by the part that reads.
    from: BTreeMap<&'a TuplePath, Vec<&'a Access>>,
    /// The sizes of the parts.
    parts: &'a BTreeMap<TuplePath, Vec<i64>>,
    /// Whether the trip count depends on the state.
    is_open: bool,
    fuel: &'a Fuel,
}

impl Steps<'_> {
    /// Returns all chains from part `path`, which has sizes `sizes`.
    fn chains(&self, path: &TuplePath, sizes: &[i64]) -> Result<Ways, NoDefinition> {
        let same = same_index(sizes, sizes)?.reduced()?;
        let keeps = self.keeps(path, &same);
        let start = Access::new(0, same.clone()).of_output(path).of_part(path);
        let mut pending = vec![start.clone()];
        let mut ways = Ways::from([(path.clone(), vec![start])]);
        while let Some(way) = pending.pop() {
            for step in self.from.get(&way.path).into_iter().flatten() {
                let known = ways.entry(step.path.clone()).or_default();
                if known.iter().any(|known| is_whole(&known.reads)) {
                    continue;
                }
                self.fuel.spend(cost(&way, step))?;
                let mut longer = then(&way, step)?;
                longer.reads = longer.reads.reduced()?;
                if known
                    .iter()
                    .any(|known| known.reads == longer.reads || known.reads.includes(&longer.reads))
                {
                    continue;
                }
                if known.len() >= WAYS {
                    let operand = self.parts.get(&step.path).map_or(&[][..], Vec::as_slice);
                    longer.reads = Relation::new(sizes, operand);
                    longer = longer.at_most(MANY);
                }
                known.push(longer.clone());
                pending.push(longer);
            }
        }
        for way in ways.values_mut().flatten() {
            if !(way.path == *path && way.reads == same && keeps) {
                way.certainty = way.certainty.at_best_possible(MANY);
            }
            if !self.is_open {
                way.certainty = way.certainty.inside();
            }
        }
        Ok(ways)
    }

    /// Returns whether an element certainly reads itself in an iteration; then it is read after any number of iterations.
    fn keeps(&self, path: &TuplePath, same: &Relation) -> bool {
        let mut steps = self.from.get(path).into_iter().flatten();
        steps.any(|step| {
            step.path == *path && step.certainty == Certainty::Certain && step.reads == *same
        })
    }
}

/// Returns whether every output element reads every operand element.
fn is_whole(reads: &Relation) -> bool {
    reads.conditions().is_empty()
}

/// Returns the reads of `test`, a path from a single truth value, by every element of an output of sizes `output`.
fn choosing(output: &[i64], test: &Access) -> Result<Access, NoDefinition> {
    let mut reads = Relation::new(output, test.reads.operand());
    reads.over_all(test.reads.loops());
    copy(&test.reads, &mut reads, &|index| Some(index.into()))?;
    Ok(Access { reads, ..test.clone() }.as_choice())
}
