//! What an op reads, defined as *Operation semantics* says it: a relation between the index `d` of an
//! element of the result and the index `i` of an element of an operand.
//!
//! A definition is data ([`Definition`]): sums of indices that are equal, in the direction that needs no
//! division. `slice` says `i = start + stride * d`, `pad` says `d = low + (interior + 1) * i`, `reshape` says
//! that both have the same position. Index maps are judged by these definitions, so they are part of what
//! has to be trusted: they share no code with the maps, and each is a few lines beside the sentence of
//! the semantics that it says.
//!
//! Modules in dependency order: `relation` and `access` (what a definition is), `solve` (without the loop indices that equations
//! give), `used` and `combiner` (computations that combine elements), `op` (what it looks at), one file for each family of ops, `evaluate` (what one element reads), `as_map` (for provers), `interpret` and `values` (what an element of a
//! whole small module depends on), `compose` (fusions, calls, conditionals), `iterate` (loops).
//!
//! ```
//! use affinor::{hlo, ops::definition};
//!
//! let module = hlo::read(b"p = f32[9] parameter(0) \n s = f32[4] slice(p), slice={[1:9:2]}")?;
//! let entry = &module[module.entry()];
//! let slice = definition::of(&module, entry, &entry[entry.root()]).unwrap();
//! assert_eq!(slice.accesses()[0].reads.conditions().len(), 1); // i - 2 * d - 1 = 0
//! # Ok::<(), affinor::text::Error>(())
//! ```

mod access;
mod as_map;
mod collective;
mod combiner;
mod compose;
mod contraction;
mod elementwise;
mod evaluate;
mod fiber;
mod interpret;
mod iterate;
mod movement;
mod offsets;
mod op;
mod opaque;
mod passing;
mod position;
mod relation;
mod solve;
mod triangle;
mod used;
mod values;
mod window;

pub use access::{Access, Certainty, Definition, Role};
pub use compose::Definitions;
pub use evaluate::{Lookup, elements};
pub use interpret::{Dependence, Interpreter, Known, ParameterElement};
pub use op::NoDefinition;
pub use relation::{Condition, Index, Relation, Source, Sum, TuplePath, Value};

use crate::hlo::module::{Computation, Instruction, Module};
use crate::hlo::opcode::Opcode;
use op::Op;

/// What `instruction`, which stands in `computation` of `module`, reads of its operands.
///
/// # Errors
/// [`NoDefinition::Invalid`] if it contradicts its shapes or attributes, with the place in the text;
/// [`NoDefinition::Unknown`] if no relation says what its op reads.
pub fn of(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
) -> Result<Definition, NoDefinition> {
    let op = Op {
        module,
        computation,
        instruction,
    };
    definition(&op).map_err(|error| match error {
        NoDefinition::Invalid(mut error) => {
            error.span.get_or_insert_with(|| instruction.name_span());
            NoDefinition::Invalid(error)
        }
        unknown => unknown,
    })
}

fn definition(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    match op.instruction.opcode() {
        Opcode::Clamp | Opcode::Select => elementwise::with_scalars(op),
        opcode if opcode.kind().is_elementwise() => elementwise::pointwise(op),
        Opcode::Map => elementwise::map(op),
        Opcode::BitcastConvert => elementwise::bitcast_convert(op),
        Opcode::BatchNormGrad | Opcode::BatchNormInference | Opcode::BatchNormTraining => {
            elementwise::batch_norm(op)
        }
        Opcode::Broadcast => movement::broadcast(op),
        Opcode::Concatenate => movement::concatenate(op),
        Opcode::Pad => movement::pad(op),
        Opcode::Reverse => movement::reverse(op),
        Opcode::Slice => movement::slice(op),
        Opcode::Transpose => movement::transpose(op),
        Opcode::Bitcast => position::bitcast(op),
        Opcode::Reshape => position::reshape(op),
        Opcode::Dot => contraction::dot(op),
        Opcode::RaggedDot => contraction::ragged_dot(op),
        Opcode::ScaledDot => contraction::scaled_dot(op),
        Opcode::Cholesky => triangle::cholesky(op),
        Opcode::TriangularSolve => triangle::triangular_solve(op),
        Opcode::Reduce => contraction::reduce(op),
        Opcode::Convolution => window::convolution(op),
        Opcode::ReduceWindow => window::reduce_window(op),
        Opcode::SelectAndScatter => window::select_and_scatter(op),
        Opcode::DynamicSlice => offsets::dynamic_slice(op),
        Opcode::DynamicUpdateSlice => offsets::dynamic_update_slice(op),
        Opcode::Gather => offsets::gather(op),
        Opcode::Scatter => offsets::scatter(op),
        Opcode::AllGather => collective::all_gather(op),
        Opcode::AllReduce | Opcode::AllReduceStart => collective::all_reduce(op),
        Opcode::AllToAll => collective::all_to_all(op),
        Opcode::CollectivePermute if op.operand_count() > 1 => {
            Err(op.unknown("where its slices go in a given array is not defined here"))
        }
        Opcode::CollectiveBroadcast | Opcode::CollectivePermute => collective::permute(op),
        Opcode::ReduceScatter => collective::reduce_scatter(op),
        Opcode::Fft => fiber::fft(op),
        Opcode::Sort => fiber::sort(op),
        Opcode::Topk => fiber::topk(op),
        Opcode::RaggedAllToAll => opaque::ragged_all_to_all(op),
        Opcode::Rng => opaque::random(op),
        Opcode::RngBitGenerator => opaque::anything(
            op.instruction,
            op.computation.operands(op.instruction),
            "it depends on the algorithm",
        ),
        Opcode::Scan => opaque::anything(
            op.instruction,
            op.computation.operands(op.instruction),
            "it depends on what each iteration reads",
        ),
        Opcode::AddDependency
        | Opcode::AllReduceDone
        | Opcode::AsyncUpdate
        | Opcode::Copy
        | Opcode::Domain => passing::operand(op, 0),
        Opcode::CopyStart => passing::start(op, &[0, 1]),
        Opcode::Send => passing::start(op, &[0]),
        Opcode::CopyDone => passing::done(op, 0),
        Opcode::AllGatherDone | Opcode::AsyncDone | Opcode::CollectivePermuteDone => {
            passing::done(op, 1)
        }
        Opcode::GetTupleElement => passing::get_tuple_element(op),
        Opcode::OptBarrier => passing::barrier(op),
        Opcode::Tuple => passing::tuple(op),
        Opcode::AfterAll
        | Opcode::Outfeed
        | Opcode::RngGetAndUpdateState
        | Opcode::SendDone
        | Opcode::Constant
        | Opcode::Iota
        | Opcode::Parameter
        | Opcode::PartitionId
        | Opcode::ReplicaId => Ok(Definition::default()),
        // "The size of the given dimension" is in the shape, unless it is known only at run time.
        Opcode::GetDimensionSize => op.operand(0).map(|_| Definition::default()),
        Opcode::Call | Opcode::Conditional | Opcode::Fusion | Opcode::While => {
            Err(op.unknown("it is composed of other ops"))
        }
        _ => Err(op.unknown("no definition is stated")),
    }
}
