//! From an instruction to the maps of its op, by the column of `hlo::opcode_table` that names them.
//!
//! Law: the answer has an entry for each pair of an array of the output and an array of an operand, except that forwarding ops,
//! and loops for the parts that they pass on, list only the pairs they pass on. An op without a map has [`Reads::Unknown`] with
//! the reason; an instruction that contradicts its own shapes is an error. Fusions, calls, conditionals and loops read what
//! their computations read.

use super::custom::CustomCalls;
use super::op::{Callee, Entries, NoMap, Op};
use super::reads::{InstructionPlace, OperandReads, Reads};
use super::{
    batch_norm, bitcast, broadcast, called, collective, concatenate, convolution, dot,
    dot_variants, dynamic, element_range, fft, forward, gather, pad, pointwise, reduce,
    reduce_window, reshape, scan, scatter, select_and_scatter, slice, sort, transpose, triangular,
    unseen, update_slice, while_loop,
};
use affinor::text::Error;
use affinor_hlo::module::{Computation, Instruction};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::opcode_table::opcode_table;
use std::sync::Arc;

/// Returns the answer for an instruction, from a cache or by [`reads`].
pub(super) type OperationOf<'a> =
    dyn FnMut(InstructionPlace) -> Result<Arc<[OperandReads]>, Error> + 'a;

/// Returns the reads of an instruction's output from its operands; custom-calls are looked up in a table. Nothing is
/// simplified.
pub(super) fn reads(
    computation: &Computation,
    instruction: &Instruction,
    custom_calls: &CustomCalls,
    callee: &mut Callee<'_, '_>,
) -> Result<Arc<[OperandReads]>, Error> {
    let op = Op::new(computation, instruction);
    let opcode = instruction.opcode();
    let entries = match instruction.attributes().undefined_computation() {
        Some(missing) if runs_computations(opcode) => Err(NoMap::unknown(format!(
            "the computation `{}` is not in the text, nor are its reads",
            missing.name()
        ))),
        _ => match opcode {
            Opcode::CustomCall => custom_calls.entries(&op).map(|entries| entries.map(Into::into)),
            _ => None,
        }
        .unwrap_or_else(|| of_op(&op, callee)),
    };
    let entries = match entries {
        Err(NoMap::Dynamic) if dynamic::is_bounded(&op) => {
            dynamic::entries(&op, &mut of_op, callee).map(Into::into)
        }
        other => other,
    };
    let unknown = |reason: &str| {
        let reads = Reads::unknown(format!("`{}`: {reason}", instruction.name()));
        Ok(op.each_pair(&reads).into())
    };
    match entries {
        Ok(entries) => Ok(element_range::narrowed(entries, &op)),
        Err(NoMap::Invalid(message)) => Err(instruction.error(message)),
        Err(NoMap::Attribute(error)) => Err(error),
        Err(NoMap::Unknown(reason)) => unknown(&reason),
        Err(NoMap::Dynamic) => unknown("one of its dimensions has no bound"),
    }
}

/// Returns whether the reads of an op are those of its computations, so that nothing is known without them. Other ops use
/// computations only to combine or compare elements.
#[must_use]
pub fn runs_computations(opcode: &Opcode) -> bool {
    matches!(
        opcode,
        Opcode::AsyncStart | Opcode::Call | Opcode::Conditional | Opcode::Fusion | Opcode::While
    )
}

/// Returns the reason for the unknown reads of an op without an opcode. An op of MLIR, which has a dot in its name, may be a known
/// one that its reader could not follow.
pub fn no_op(name: &str) -> String {
    match name.contains('.') {
        true => format!("`{name}` is not followed"),
        false => format!("`{name}` is not a known op"),
    }
}

macro_rules! maps {
    (($op:ident, $callee:ident) $($variant:ident = $name:literal, $count:expr, $map:expr, $definition:expr
        $(, shape $shape:expr)? $(, values $values:ident)? $(, typed $typed:expr)?;)*) => {
        fn of_op($op: &Op<'_>, $callee: &mut Callee<'_, '_>) -> Result<Arc<[OperandReads]>, NoMap> {
            match $op.instruction.opcode() {
                $(Opcode::$variant => $map.map(Into::into),)*
                Opcode::Other(name) if $op.instruction.is_doubtful() => {
                    Err(NoMap::unknown(format!("it is not a valid `{name}`")))
                }
                Opcode::Other(name) => Err(NoMap::unknown(no_op(name))),
            }
        }
    };
}

opcode_table!(maps);

/// Returns the reads of an op whose operands, or result, have no elements, such as tokens.
fn nothing() -> Entries {
    Ok(Vec::new())
}
