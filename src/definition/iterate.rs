//! What a while reads: what its body reads, any number of times.
//!
//! "Sequential execution of a body function, until the condition function fails." (*Operation semantics*, "While".)
//!
//! Law: part `j` of the result after `n` iterations is part `j` of the operand, or what the body computes from
//! the result after `n - 1`. So a way from it to the operand is a chain of accesses of the body, of any length.
//! Chains are followed until no new relation appears; where they would go on, all of the part is read, possibly.
//! Whether an iteration is run is chosen by what the condition reads. A part that the body passes on as it is stays
//! what it was, however often.

use super::compose::{Definitions, copy, then};
use super::op::{self, NoDefinition, same_index};
use super::relation::{Access, Certainty, Definition, Index, Relation, Sum, TuplePath, d};
use crate::hlo::module::{ComputationId, Instruction};
use crate::hlo::shape::{ArrayShape, Shape};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most relations by which one part is followed to another, before all of it is taken.
const WAYS: usize = 4;

const MANY: &str = "how often the body runs is known only at run time";

/// Ways from one part of the result to each part of the operand.
type Ways = BTreeMap<TuplePath, Vec<Access>>;

impl Definitions<'_> {
    /// What a while reads.
    pub(super) fn iterated(
        &mut self,
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
                parts.insert(path, sizes(array)?);
            }
        }
        let mut ways: BTreeMap<&TuplePath, Ways> = BTreeMap::new();
        for (path, sizes) in &parts {
            ways.insert(path, chains(path, sizes, &steps, &parts)?);
        }
        let mut accesses = Vec::new();
        for (path, sizes) in &parts {
            if self.passes_on(body, path)? {
                let own = Access::new(0, same_index(sizes, sizes)?);
                accesses.push(own.of_output(path).of_part(path));
                continue;
            }
            accesses.extend(ways[path].values().flatten().cloned());
            for test in &tests {
                // The first test is of the operand itself, and is always made.
                accesses.push(choosing(sizes, test)?.of_output(path).of_part(&test.path));
                for way in ways
                    .get(&test.path)
                    .into_iter()
                    .flat_map(BTreeMap::values)
                    .flatten()
                {
                    let access = choosing(sizes, &then(test, way)?)?;
                    accesses.push(access.of_output(path).of_part(&way.path).possibly(MANY));
                }
            }
        }
        Ok(Rc::new(accesses.into_iter().collect()))
    }

    /// Is part `path` of what the computation gives the same part of its parameter, moved nowhere?
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
            match self.mover(body, at, &part)? {
                Some((operand, access)) if is_same_index(&access.reads) => {
                    (at, part) = (operand, access.path);
                }
                _ => return Ok(false),
            }
        }
    }
}

fn sizes(array: &ArrayShape) -> Result<Vec<i64>, NoDefinition> {
    let sizes = array.sizes().filter(|_| !array.is_dynamic());
    sizes.ok_or_else(|| NoDefinition::Unknown("a size is known only at run time".into()))
}

/// `d = i` in every dimension?
fn is_same_index(reads: &Relation) -> bool {
    let same = || (0..reads.output().len()).map(d);
    reads.output() == reads.operand()
        && reads
            .functional()
            .is_some_and(|images| images.into_iter().eq(same()))
}

/// The accesses with any values in the place of those known only at run time, which may differ from one iteration
/// to the next; so none of them is certain.
fn any_values(definition: &Definition) -> Result<Vec<Access>, NoDefinition> {
    let plain = |access: &Access| {
        let from = &access.reads;
        if from.values().is_empty() && access.unless.is_none() {
            return Ok(access.clone());
        }
        let mut reads = Relation::new(from.output(), from.operand());
        let loops: Vec<Sum> = from
            .loops()
            .iter()
            .map(|bounds| reads.over_interval(*bounds))
            .collect();
        let clamps = from.values().iter().map(|value| value.clamp);
        let values: Vec<Sum> = clamps.map(|clamp| reads.over_interval(clamp)).collect();
        let place = |index: Index| match index {
            Index::Loop(number) => loops.get(number).cloned(),
            Index::Value(number) => values.get(number).cloned(),
            other => Some(other.into()),
        };
        for condition in from.conditions() {
            reads.within(
                condition.sum().replaced_or_refused(&place),
                condition.bounds(),
            )?;
        }
        let access = Access {
            reads,
            unless: None,
            ..access.clone()
        };
        Ok(access.possibly(MANY))
    };
    definition.accesses().iter().map(plain).collect()
}

/// All chains of `steps` from part `path`, which has the sizes `sizes`.
fn chains(
    path: &TuplePath,
    sizes: &[i64],
    steps: &[Access],
    parts: &BTreeMap<TuplePath, Vec<i64>>,
) -> Result<Ways, NoDefinition> {
    let start = Access::new(0, same_index(sizes, sizes)?)
        .of_output(path)
        .of_part(path);
    // However often the body runs, an element that it always reads at its own index is read.
    let is_kept = |step: &Access| {
        step.output == *path
            && step.path == *path
            && step.certainty == Certainty::Certain
            && is_same_index(&step.reads)
    };
    let start = match steps.iter().any(is_kept) {
        true => start,
        false => start.possibly(MANY),
    };
    let mut pending = vec![start.clone()];
    let mut ways = Ways::from([(path.clone(), vec![start])]);
    while let Some(way) = pending.pop() {
        for step in steps.iter().filter(|step| step.output == way.path) {
            let longer = then(&way, step)?.possibly(MANY);
            let known = ways.entry(longer.path.clone()).or_default();
            if known
                .iter()
                .any(|known| known.reads == longer.reads || is_whole(&known.reads))
            {
                continue;
            }
            let next = if known.len() < WAYS {
                longer
            } else {
                let operand = parts.get(&longer.path).map_or(&[][..], Vec::as_slice);
                let reads = Relation::new(sizes, operand);
                Access { reads, ..longer }
            };
            known.push(next.clone());
            pending.push(next);
        }
    }
    Ok(ways)
}

/// Does every element read every element?
fn is_whole(reads: &Relation) -> bool {
    reads.conditions().is_empty()
}

/// What `test`, the way of a single truth value, reads, read by every element of an output of the sizes `output`.
fn choosing(output: &[i64], test: &Access) -> Result<Access, NoDefinition> {
    let mut reads = Relation::new(output, test.reads.operand());
    for bounds in test.reads.loops() {
        reads.over_interval(*bounds);
    }
    copy(&test.reads, &mut reads, &|index| Some(index.into()))?;
    Ok(Access {
        reads,
        ..test.clone()
    }
    .as_choice())
}
