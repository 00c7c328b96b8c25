//! Computations that an op runs once: what they read of their parameters is what the op reads of
//! its operands.
//!
//! Laws: a fusion, a call and an async-start read what their computation reads. A conditional reads its
//! predicate and, of the operand of each branch, at most what the branch reads: one branch runs.
//! Source: XLA, *Operation semantics*, `Call`, `Conditional`, `AsyncStart`.

use super::builder::scalar;
use super::op::{Callee, Entries, NoMap, Op, arrays, bounded_sizes, check_parameters, same_sizes};
use super::reads::{OperandReads, Reads, TuplePath, ValueSource};
use super::reducer::Dependence;
use crate::hlo::module::{Computation, ComputationId, Instruction};
use crate::hlo::shape::Shape;
use std::rc::Rc;

/// What the computation that attribute `name` refers to reads.
pub(super) fn inside(
    op: &Op<'_>,
    name: &str,
    callee: &mut Callee<'_, '_>,
) -> Result<Rc<[OperandReads]>, NoMap> {
    let id = op.instruction.called(name)?;
    of(id, &op.operands, op.instruction.shape(), callee)
}

/// What a computation reads that is called with these operands and gives this result.
fn of(
    id: ComputationId,
    operands: &[&Instruction],
    result: &Shape,
    callee: &mut Callee<'_, '_>,
) -> Result<Rc<[OperandReads]>, NoMap> {
    let (computation, reads) = callee(id)?;
    let shapes: Vec<&Shape> = operands.iter().map(|operand| operand.shape()).collect();
    check_call(computation, &shapes, result)?;
    Ok(reads)
}

/// Refuses a call of a computation whose parameters or result have other sizes.
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
    match same_sizes(computation[computation.root()].shape(), result) {
        true => Ok(()),
        false => Err(NoMap::invalid(format!(
            "the result does not have the shape of the result of the computation `{name}`"
        ))),
    }
}

/// What a conditional reads: the predicate (or the number of the branch), then an operand for each branch.
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
        entries.push(OperandReads {
            output,
            operand: 0,
            operand_path: TuplePath::new(),
            reads: Reads::exactly(scalar(&bounded_sizes(array)?)),
        });
    }
    let runs = match branches.len() {
        1 => Dependence::Yes,
        _ => Dependence::Maybe("only one branch runs".into()),
    };
    for (branch, operand) in branches.into_iter().zip(1..) {
        let argument = op.operand(operand)?;
        let reads = of(branch, &[argument], op.instruction.shape(), callee)?;
        entries.extend(reads.iter().map(|entry| OperandReads {
            operand,
            reads: runs.restrict(op.instruction.name(), &renumbered(&entry.reads, operand)),
            ..entry.clone()
        }));
    }
    entries.sort_by(|x, y| (&x.output, x.operand).cmp(&(&y.output, y.operand)));
    Ok(entries)
}

/// What is read with the only parameter of the computation as operand number `operand`.
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

/// What an async-start reads, whose result is `((operands), result, ..)`: the operands as they are, and
/// what its computation reads for the result.
pub(super) fn async_start(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let shape = op.instruction.shape();
    let result = shape.at(&[1]).ok_or_else(|| {
        NoMap::invalid("expected a tuple of operands and result as the result of `async-start`")
    })?;
    let mut entries = Vec::new();
    for (k, operand) in op.operands.iter().enumerate() {
        match shape.at(&[0, k]) {
            Some(part) if same_sizes(part, operand.shape()) => {
                entries.extend(super::forward::whole(&[0, k], k, operand.shape()));
            }
            _ => {
                return Err(NoMap::invalid(format!(
                    "operand {k} is not a part of the result"
                )));
            }
        }
    }
    let reads = of(
        op.instruction.called("calls")?,
        &op.operands,
        result,
        callee,
    )?;
    entries.extend(reads.iter().map(|entry| OperandReads {
        output: [&[1], &entry.output[..]].concat(),
        ..entry.clone()
    }));
    Ok(entries)
}
