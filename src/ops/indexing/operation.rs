//! From an instruction to the maps of its op: the one table of ops.
//!
//! Law: the answer has an entry for each pair of an array of the output and an array of an operand,
//! except that forwarding ops, and loops for what they pass on, list only the pairs they pass on. An op without a map answers
//! [`Reads::Unknown`] with the reason; an instruction that contradicts its own shapes is an error.
//! Fusions, calls, conditionals and loops read what their computations read.

use super::op::{Callee, Entries, NoMap, Op};
use super::reads::{InstructionPlace, OperandReads, Reads};
use super::{
    batch_norm, bitcast, broadcast, called, collective, concatenate, convolution, dot,
    dot_variants, fft, forward, gather, pad, pointwise, reduce, reduce_window, reshape, scatter,
    select_and_scatter, slice, sort, transpose, triangular, unseen, update_slice, while_loop,
};
use crate::hlo::module::{Computation, Instruction};
use crate::hlo::opcode::Opcode;
use crate::text::Error;
use std::sync::Arc;

/// What gives the answer for an instruction, known or worked out with [`reads`].
pub(super) type OperationOf<'a> =
    dyn FnMut(InstructionPlace) -> Result<Arc<[OperandReads]>, Error> + 'a;

/// What the output of an instruction reads of its operands. Nothing is simplified.
pub(super) fn reads(
    computation: &Computation,
    instruction: &Instruction,
    callee: &mut Callee<'_, '_>,
) -> Result<Arc<[OperandReads]>, Error> {
    let op = Op::new(computation, instruction);
    let opcode = instruction.opcode();
    let undefined = instruction.attributes().undefined_computation();
    let entries = match (opcode, undefined) {
        (opcode, Some(reference)) if runs_computations(opcode) => {
            let name = reference.name();
            Err(NoMap::unknown(format!(
                "the computation `{name}` is not in the text, and with it what it reads"
            )))
        }
        (Opcode::Fusion, _) => called::inside(&op, "calls", callee),
        (Opcode::Call, _) => called::inside(&op, "to_apply", callee),
        _ => of_op(&op, callee).map(Arc::from),
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

/// Does an operation read what its computations read, so that nothing is known without them? Others use them to
/// combine or compare elements.
#[must_use]
pub fn runs_computations(opcode: &Opcode) -> bool {
    matches!(
        opcode,
        Opcode::AsyncStart | Opcode::Call | Opcode::Conditional | Opcode::Fusion | Opcode::While
    )
}

fn of_op(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    use Opcode as O;
    match op.instruction.opcode() {
        O::Parameter | O::Constant | O::Iota => Ok(Vec::new()),
        O::PartitionId | O::ReplicaId | O::RngGetAndUpdateState => Ok(Vec::new()),
        O::Tuple => Ok(forward::tuple(op)),
        O::GetTupleElement => forward::get_tuple_element(op),
        O::OptBarrier | O::Domain | O::Copy | O::AddDependency => forward::pass_on(op),
        O::CopyStart => forward::copy_start(op),
        O::Send => forward::send(op),
        O::CopyDone => forward::done(op, 0),
        O::AsyncDone | O::AllGatherDone | O::CollectivePermuteDone => forward::done(op, 1),
        O::AsyncUpdate | O::AllReduceDone => forward::pass_on(op),
        // Tokens hold no elements.
        O::AfterAll | O::SendDone | O::Outfeed => Ok(Vec::new()),
        opcode if opcode.kind().is_elementwise() => pointwise::entries(op),
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
        O::ScaledDot => dot_variants::scaled_entries(op),
        O::RaggedDot => dot_variants::ragged_entries(op),
        O::Convolution => convolution::entries(op),
        O::Sort => sort::entries(op, callee),
        O::Topk => sort::top_entries(op),
        O::Fft => fft::entries(op),
        O::TriangularSolve => triangular::solve_entries(op),
        O::Cholesky => triangular::cholesky_entries(op),
        O::BatchNormGrad | O::BatchNormInference | O::BatchNormTraining => batch_norm::entries(op),
        O::While => while_loop::entries(op, callee),
        O::Conditional => called::conditional(op, callee),
        O::AsyncStart => called::async_start(op, callee),
        O::AllGather | O::AllReduce | O::AllReduceStart | O::AllToAll => collective::entries(op),
        O::CollectiveBroadcast | O::ReduceScatter => collective::entries(op),
        O::CollectivePermute | O::CollectivePermuteStart if op.operands.len() > 1 => {
            Err(NoMap::unknown(
                "a collective-permute into a given array needs the offsets of its slices",
            ))
        }
        O::CollectivePermute => collective::entries(op),
        O::AllGatherStart | O::CollectivePermuteStart => collective::start_entries(op),
        O::RaggedAllToAll => collective::ragged_entries(op),
        O::Rng => unseen::random(op),
        O::RngBitGenerator => unseen::anything(
            op,
            "what the generator reads of its state depends on the algorithm",
        ),
        O::Scan => unseen::anything(
            op,
            "what an iteration reads is not followed through all earlier ones",
        ),
        O::GetDimensionSize => unseen::dimension_size(op),
        O::SetDimensionSize => unseen::set_dimension_size(op),
        O::DynamicReshape => Err(NoMap::unknown(
            "where its elements lie depends on sizes known only at run time, and maps divide by numbers alone",
        )),
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
