//! While: a computation that runs repeatedly on its own result.
//!
//! The state is the operand and, part by part, the result. Laws:
//!
//! * a part that the body passes on unchanged is exactly the operand's part;
//! * every other part needs the condition, and so all parts that the condition may depend on;
//! * an element that the body reads only at its own index (and not through another part) reads the operand's element at its own
//!   index; exactly so if the body always reads it;
//! * if the body reads, for a part `q`, nothing but `q` at its own index, elements that it reads directly from `q` for another
//!   part are read at the indices at which the body reads them, for any values of runtime variables;
//! * of any other part that a part depends on by any number of iterations, the whole may be read.
//!
//! Dependence between parts is the least relation that contains the reads of the body and is closed under iteration. The trip
//! count is known only at run time, so the reads of the body are upper bounds. Source: XLA, *Operation semantics*, `While`.

use super::builder::{everything, identity};
use super::called::check_call;
use super::freed::for_all_values;
use super::number_set::{NumberSet, reached};
use super::op::{Callee, Entries, NoMap, Op, arrays};
use super::passed_on::is_passed_on;
use super::reads::{OperandMap, OperandReads, Reads, TuplePath};
use super::reducer::Dependence;
use affinor::expr::{Expr, VariableId};
use affinor_hlo::module::Computation;
use affinor_hlo::shape::Shape;
use std::collections::BTreeMap;

const MANY: &str = "its number of iterations is known only at run time";
const ANYWHERE: &str = "each iteration may move elements, and how many there are is known only at run time: any element may be read";

/// Returns the reads of a while from its initial state.
pub(super) fn entries(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let state = op.instruction.shape();
    let start = op.operand(0)?.shape();
    let (body, of_body) = callee(op.instruction.called("body")?)?;
    check_call(body, &[start], state)?;
    let (condition, of_condition) = callee(op.instruction.called("condition")?)?;
    check_call(condition, &[start], root_of(condition))?;
    if root_of(condition).as_array().is_none_or(|array| array.rank() > 0) {
        return Err(NoMap::invalid("expected a condition that gives a scalar"));
    }
    let parts = arrays(state);
    let mut paths = Vec::with_capacity(parts.len());
    let mut sizes = Vec::with_capacity(parts.len());
    for (path, array) in parts {
        let known = array.sizes();
        sizes.push(known.ok_or_else(|| NoMap::unknown("one of its dimensions has no bound"))?);
        paths.push(path);
    }
    let iterations = Iterations::new(&paths, sizes, &of_body, &of_condition);
    let name = op.instruction.name();
    let mut entries = Vec::new();
    for (output, path) in paths.iter().enumerate() {
        if is_passed_on(body, path) {
            // As for any op that passes arrays on, no other array is listed.
            entries.push(OperandReads {
                output: path.clone(),
                operand: 0,
                operand_path: path.clone(),
                reads: iterations.own(output),
            });
            continue;
        }
        let reads = iterations.of_output(output, name);
        entries.extend(paths.iter().zip(reads).map(|(operand_path, reads)| OperandReads {
            output: path.clone(),
            operand: 0,
            operand_path: operand_path.clone(),
            reads,
        }));
    }
    Ok(entries)
}

fn root_of(computation: &Computation) -> &Shape {
    computation[computation.root()].shape()
}

/// The number of ways in which a part is reached through a part other than the output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    None,
    One,
    Several,
}

/// The reads of an iteration, by number of the part.
struct Iterations {
    sizes: Vec<Vec<i64>>,
    /// Row: a part after an iteration; column: a part before it.
    body: Vec<Vec<Reads>>,
    /// The reads of each part by the condition.
    condition: Vec<Reads>,
    /// For each part, the parts that the body reads directly for it.
    direct: Vec<Vec<usize>>,
    /// For each part, itself and all parts that it depends on by any number of iterations.
    reached: Vec<NumberSet>,
    /// The parts that the condition depends on, now or after some iterations.
    controlling: NumberSet,
}

impl Iterations {
    fn new(
        paths: &[TuplePath],
        sizes: Vec<Vec<i64>>,
        body: &[OperandReads],
        condition: &[OperandReads],
    ) -> Iterations {
        let table = |list: &[OperandReads]| -> BTreeMap<(TuplePath, TuplePath), Reads> {
            let pair = |entry: &OperandReads| (entry.output.clone(), entry.operand_path.clone());
            list.iter().map(|entry| (pair(entry), entry.reads.clone())).collect()
        };
        let (mut of_body, mut of_condition) = (table(body), table(condition));
        let mut row = |output: &TuplePath| -> Vec<Reads> {
            let mut of_part = |part: &TuplePath| {
                let found = of_body.remove(&(output.clone(), part.clone()));
                found.unwrap_or(Reads::NOTHING)
            };
            paths.iter().map(&mut of_part).collect()
        };
        let body: Vec<Vec<Reads>> = paths.iter().map(&mut row).collect();
        let condition: Vec<Reads> = paths
            .iter()
            .map(|part| of_condition.remove(&(TuplePath::new(), part.clone())))
            .map(|found| found.unwrap_or(Reads::NOTHING))
            .collect();
        let read = |row: &[Reads]| -> Vec<usize> {
            let parts = row.iter().enumerate();
            parts.filter(|(_, reads)| may_read(reads)).map(|(part, _)| part).collect()
        };
        let direct: Vec<Vec<usize>> = body.iter().map(|row| read(row)).collect();
        let reached = reached(&direct);
        let mut controlling = NumberSet::default();
        for part in read(&condition) {
            controlling.extend(&reached[part]);
        }
        Iterations { sizes, body, condition, direct, reached, controlling }
    }

    /// Returns the read of the part itself, element by element.
    fn own(&self, part: usize) -> Reads {
        Reads::exactly(identity(&self.sizes[part]))
    }

    /// Returns whether the body reads, for an element of the part, at most the same element of that part.
    fn reads_own_index(&self, part: usize) -> bool {
        let sizes = &self.sizes[part];
        let is_own = |((k, result), size): ((u32, &Expr), &i64)| {
            result.as_variable() == Some(VariableId(k))
                || (*size == 1 && result.as_constant() == Some(0))
        };
        let at_own_index = |map: &OperandMap| {
            let results = map.map.results();
            results.len() == sizes.len() && (0..).zip(results).zip(sizes).all(is_own)
        };
        let maps = self.body[part][part].maps();
        maps.is_some_and(|maps| maps.iter().all(at_own_index))
    }

    /// Returns whether the body reads, for an element of the part, at most this element and no other part.
    fn stays_put(&self, part: usize) -> bool {
        self.direct[part].iter().all(|other| *other == part) && self.reads_own_index(part)
    }

    /// Returns the reads of each part of the operand by part `output` of the result, which the body does not pass on.
    fn of_output(&self, output: usize, name: &str) -> Vec<Reads> {
        // The parts that are reached through parts other than the output, and those that are reached through several.
        let (mut once, mut again) = (NumberSet::default(), NumberSet::default());
        for other in self.direct[output].iter().filter(|other| **other != output) {
            again.extend(&once.common(&self.reached[*other]));
            once.extend(&self.reached[*other]);
        }
        let ways = |part: usize| match (once.contains(part), again.contains(part)) {
            (false, _) => Ways::None,
            (true, false) => Ways::One,
            (true, true) => Ways::Several,
        };
        let keeps_indices = self.reads_own_index(output) && ways(output) == Ways::None;
        (0..self.sizes.len())
            .map(|part| self.of_part(output, part, ways(part), keeps_indices, name))
            .collect()
    }

    /// Returns the reads of part `part` by part `output`, which is not passed on unchanged; `ways` is the number of ways in
    /// which `part` is reached.
    fn of_part(
        &self,
        output: usize,
        part: usize,
        ways: Ways,
        keeps_indices: bool,
        name: &str,
    ) -> Reads {
        let whole = Reads::exactly(everything(&self.sizes[output], &self.sizes[part]));
        let at_most =
            |reads: &Reads, reason: &str| Dependence::Maybe(reason.into()).restrict(name, reads);
        let condition = &self.condition[part];
        if self.sizes[part].is_empty() && may_read(condition) && condition.is_exact() {
            return whole; // the condition reads the scalar before anything else does
        }
        if self.controlling.contains(part) {
            return at_most(&whole, ANYWHERE);
        }
        let own = self.own(part);
        match (output == part, &self.body[output][part]) {
            (true, reads) if keeps_indices && *reads == own => own,
            (true, _) if keeps_indices => at_most(&own, MANY),
            (true, _) => at_most(&whole, ANYWHERE),
            (false, _) if ways == Ways::None => Reads::NOTHING,
            // If the part is read directly, that is one of the ways, and here the only one.
            (false, reads @ Reads::Maps(maps))
                if keeps_indices
                    && ways == Ways::One
                    && may_read(reads)
                    && self.stays_put(part) =>
            {
                Reads::union(maps.iter().map(|map| for_all_values(map, name, MANY)))
            }
            (false, _) => at_most(&whole, ANYWHERE),
        }
    }
}

fn may_read(reads: &Reads) -> bool {
    *reads != Reads::NOTHING
}
