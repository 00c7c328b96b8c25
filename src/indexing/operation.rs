//! From an instruction to the maps of its op: the one table of ops.
//!
//! Law: the answer has an entry for each pair of an array of the output and an array of an operand,
//! except that forwarding ops list only the pairs they pass on. An op without a map answers
//! [`Reads::Unknown`] with the reason; an instruction that contradicts its own shapes is an error.
//! Fusions and calls are not ops of their own: they read what their computation reads.

use super::op::{Callee, Entries, NoMap, Op, check_parameters, same_sizes};
use super::reads::{InstructionPlace, OperandReads, Reads};
use super::{
    bitcast, broadcast, concatenate, convolution, dot, forward, gather, pad, pointwise, reduce,
    reduce_window, reshape, scatter, select_and_scatter, slice, transpose, update_slice,
};
use crate::error::Error;
use crate::hlo::module::{Computation, Instruction};
use crate::hlo::opcode::Opcode;
use std::rc::Rc;

/// What gives the answer for an instruction, known or worked out with [`reads`].
pub(super) type OperationOf<'a> =
    dyn FnMut(InstructionPlace) -> Result<Rc<[OperandReads]>, Error> + 'a;

/// What the output of an instruction reads of its operands. Nothing is simplified.
pub(super) fn reads(
    computation: &Computation,
    instruction: &Instruction,
    callee: &mut Callee<'_, '_>,
) -> Result<Rc<[OperandReads]>, Error> {
    let op = Op::new(computation, instruction);
    let entries = match instruction.opcode() {
        Opcode::Fusion => inside(&op, "calls", callee),
        Opcode::Call => inside(&op, "to_apply", callee),
        _ => of_op(&op, callee).map(Rc::from),
    };
    match entries {
        Ok(entries) => Ok(entries),
        Err(NoMap::Invalid(message)) => Err(instruction.error(message)),
        Err(NoMap::Attribute(error)) => Err(error),
        Err(NoMap::Unknown(reason)) => {
            let reads = Reads::unknown(format!("`{}`: {reason}", instruction.name()));
            Ok(op.each_pair(&reads).into())
        }
    }
}

fn of_op(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    use Opcode as O;
    match op.instruction.opcode() {
        O::Parameter | O::Constant | O::Iota => Ok(Vec::new()),
        O::PartitionId | O::ReplicaId | O::RngGetAndUpdateState => Ok(Vec::new()),
        O::Tuple => Ok(forward::tuple(op)),
        O::GetTupleElement => forward::get_tuple_element(op),
        O::OptBarrier | O::Domain | O::Copy => forward::pass_on(op),
        opcode if pointwise::is_pointwise(opcode) => pointwise::entries(op),
        O::Map => pointwise::map_entries(op, callee),
        O::Broadcast => broadcast::entries(op),
        O::Transpose => transpose::transpose_entries(op),
        O::Reverse => transpose::reverse_entries(op),
        O::Reshape => op.single(reshape::output_to_operand),
        O::Bitcast => bitcast::entries(op),
        O::BitcastConvert => bitcast::convert_entries(op),
        O::Slice => slice::entries(op),
        O::DynamicSlice => slice::dynamic_entries(op),
        O::DynamicUpdateSlice => update_slice::entries(op),
        O::Concatenate => concatenate::entries(op),
        O::Pad => pad::entries(op),
        O::Reduce => reduce::entries(op, callee),
        O::ReduceWindow => reduce_window::entries(op, callee),
        O::SelectAndScatter => select_and_scatter::entries(op, callee),
        O::Gather => gather::entries(op),
        O::Scatter => scatter::entries(op, callee),
        O::Dot => dot::entries(op),
        O::Convolution => convolution::entries(op),
        O::CustomCall => Err(NoMap::unknown(
            "what a custom-call reads is known to its target alone",
        )),
        O::Infeed | O::Recv | O::RecvDone => {
            Err(NoMap::unknown("it brings in data from outside the module"))
        }
        O::Other(name) => Err(NoMap::unknown(format!("`{name}` is not a known op"))),
        opcode => Err(NoMap::unknown(format!("`{opcode}` has no map yet"))),
    }
}

/// What the computation that attribute `name` refers to reads.
fn inside(
    op: &Op<'_>,
    name: &str,
    callee: &mut Callee<'_, '_>,
) -> Result<Rc<[OperandReads]>, NoMap> {
    let (computation, reads) = callee(op.instruction.called(name)?)?;
    let (name, parameters) = (computation.name(), computation.parameters());
    check_parameters(computation, op.operands.len())?;
    for (k, (parameter, operand)) in parameters.iter().zip(&op.operands).enumerate() {
        if !same_sizes(computation[*parameter].shape(), operand.shape()) {
            return Err(NoMap::invalid(format!(
                "operand {k} does not have the shape of parameter {k} of the computation `{name}`"
            )));
        }
    }
    let root = computation[computation.root()].shape();
    if !same_sizes(root, op.instruction.shape()) {
        return Err(NoMap::invalid(format!(
            "the result does not have the shape of the result of the computation `{name}`"
        )));
    }
    Ok(reads)
}
