//! Computations that an op runs once: the reads of an op from its operands are those of its computation from its parameters.
//!
//! Laws: a fusion, a call and an async-start have the reads of their computation. A conditional reads its predicate, and reads
//! the operand of the chosen branch as the branch does: the predicate is a runtime variable of the branch's maps, bounded by
//! the values that choose the branch. A truth value chooses branch 0 if it is true, else branch 1; a number chooses the branch
//! with this number, or the last one if no such branch exists.
//! Source: XLA, *Operation semantics*, `Call`, `Conditional`, `AsyncStart`.

use super::builder::scalar;
use super::op::{
    Callee, Entries, NoMap, Op, arrays, bounded_sizes, check_parameters, entry_of, require,
    same_sizes,
};
use super::reads::{OperandMap, OperandReads, Reads, ValueSource};
use affinor::num::Interval;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Computation, ComputationId, Instruction};
use affinor_hlo::shape::Shape;
use std::sync::Arc;

/// Returns the reads of the computation that attribute `name` refers to.
pub(super) fn inside(
    op: &Op<'_>,
    name: &str,
    callee: &mut Callee<'_, '_>,
) -> Result<Arc<[OperandReads]>, NoMap> {
    let id = op.instruction.called(name)?;
    of(id, &op.operands, op.instruction.shape(), callee)
}

/// Returns the reads of a computation that is called with these operands and returns this result.
fn of(
    id: ComputationId,
    operands: &[&Instruction],
    result: &Shape,
    callee: &mut Callee<'_, '_>,
) -> Result<Arc<[OperandReads]>, NoMap> {
    let (computation, reads) = callee(id)?;
    let shapes: Vec<&Shape> = operands.iter().map(|operand| operand.shape()).collect();
    check_call(computation, &shapes, result)?;
    Ok(reads)
}

/// Rejects a call of a computation whose parameters or result have other sizes.
pub(super) fn check_call(
    computation: &Computation,
    operands: &[&Shape],
    result: &Shape,
) -> Result<(), NoMap> {
    let (name, parameters) = (computation.name(), computation.parameters());
    check_parameters(computation, operands.len())?;
    for (k, (parameter, operand)) in parameters.iter().zip(operands).enumerate() {
        if !same_sizes(computation[*parameter].shape(), operand) {
            return Err(NoMap::invalid(format!(
                "operand {k} does not have the shape of parameter {k} of the computation `{name}`"
            )));
        }
    }
    require(same_sizes(computation[computation.root()].shape(), result), || {
        format!("the result does not have the shape of the result of the computation `{name}`")
    })
}

/// Returns the reads of a conditional from its predicate, then from the operand of each branch.
pub(super) fn conditional(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let branches = op.instruction.branches()?;
    if op.operands.len() != branches.len() + 1 {
        return Err(NoMap::invalid(format!(
            "expected an operand for the choice and one for each of {} branch(es), found {}",
            branches.len(),
            op.operands.len()
        )));
    }
    op.check_scalar(0)?;
    let mut entries = Vec::new();
    for (output, array) in arrays(op.instruction.shape()) {
        let reads = Reads::exactly(scalar(&bounded_sizes(array)?));
        entries.push(entry_of(&output, 0, reads));
    }
    let truth = op.operand_array(0)?.element_type() == ElementType::Pred;
    let count = branches.len();
    if truth && count != 2 {
        return Err(NoMap::invalid(format!(
            "expected 2 branches for a truth value, found {count}"
        )));
    }
    for (number, branch) in branches.into_iter().enumerate() {
        let argument = op.operand(number + 1)?;
        let reads = of(branch, &[argument], op.instruction.shape(), callee)?;
        let (all, chosen) = choosing(number as i64, count as i64, truth);
        entries.extend(reads.iter().map(|entry| {
            let Reads::Maps(maps) = renumbered(&entry.reads, number + 1) else {
                return OperandReads { operand: number + 1, ..entry.clone() };
            };
            let maps = maps.iter().flat_map(|map| {
                let of_values = |values: &Interval| if_chosen(map, *values, all);
                chosen.iter().map(of_values).collect::<Vec<_>>()
            });
            OperandReads { operand: number + 1, reads: Reads::union(maps), ..entry.clone() }
        }));
    }
    entries.sort_by(|x, y| (&x.output, x.operand).cmp(&(&y.output, y.operand)));
    Ok(entries)
}

/// Returns the bounds of the predicate, and the intervals of its values that choose branch `number` of `count`.
fn choosing(number: i64, count: i64, truth: bool) -> (Interval, Vec<Interval>) {
    if truth {
        return (Interval::new(0, 1), vec![Interval::point(1 - number)]);
    }
    let all = Interval::new(-1, count);
    let chosen = match (number == 0, number + 1 == count) {
        (true, true) => vec![all],
        (false, true) => vec![Interval::point(-1), Interval::new(number, count)],
        _ => vec![Interval::point(number)],
    };
    (all, chosen)
}

/// Restricts `map` to the case that operand 0, clamped to `all`, is in `values`.
fn if_chosen(map: &OperandMap, values: Interval, all: Interval) -> OperandMap {
    match values == all {
        true => map.clone(),
        false => map.where_operand_0(Vec::new(), values, all, false),
    }
}

/// Returns the same reads, with the only parameter of the computation as operand `operand`.
pub(super) fn renumbered(reads: &Reads, operand: usize) -> Reads {
    let Reads::Maps(maps) = reads else {
        return reads.clone();
    };
    let mut maps = maps.clone();
    for runtime in maps.iter_mut().flat_map(|map| &mut map.runtime) {
        if let ValueSource::Operand { operand: of, .. } = &mut runtime.source {
            *of = operand;
        }
    }
    Reads::Maps(maps)
}

/// Returns the reads of an async-start, whose result is `((operands), result, ..)`: the operands are passed on unchanged, and
/// the result has the reads of the computation.
pub(super) fn async_start(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let shape = op.instruction.shape();
    let result = shape.at(&[1]).ok_or_else(|| {
        NoMap::invalid("expected a tuple of operands and result as the result of `async-start`")
    })?;
    let mut entries = Vec::new();
    for k in 0..op.operands.len() {
        entries.extend(super::forward::operand_in_result(op, k, &[0, k])?);
    }
    if result.as_tuple().is_some_and(<[_]>::is_empty) {
        // The result is bound by an async-update.
        return Ok(entries);
    }
    let called = op.instruction.called("calls")?;
    let reads = of(called, &op.operands, result, callee)?;
    entries.extend(
        reads.iter().map(|entry| OperandReads {
            output: [&[1], &entry.output[..]].concat(),
            ..entry.clone()
        }),
    );
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which branch runs for each value, in the order of `values`.
    #[track_caller]
    fn check(count: i64, truth: bool, values: impl Iterator<Item = i64>, runs: &[i64]) {
        for (value, run) in values.zip(runs) {
            for number in 0..count {
                let (all, chosen) = choosing(number, count, truth);
                let forced = value.clamp(all.lo(), all.hi());
                let chosen = chosen.iter().filter(|values| values.contains(forced)).count();
                assert_eq!(chosen, usize::from(number == *run), "{value} of {count}");
            }
        }
    }

    #[test]
    fn each_value_chooses_one_branch() {
        check(2, true, 0..=1, &[1, 0]);
        check(3, false, -3..=5, &[2, 2, 2, 0, 1, 2, 2, 2, 2]);
        check(2, false, -1..=2, &[1, 0, 1, 1]);
        check(1, false, -1..=1, &[0, 0, 0]);
    }
}
