//! Instructions that only move elements (reshapes, transposes, copies, bitcasts, and fusions of these), and whether they move
//! any.
//!
//! Law: such an instruction moves nothing exactly when each array of its output has the extent of the array that it reads, and
//! each element has the position of the element that it reads. A bitcast moves nothing by definition. Whether a copy that moves
//! nothing may be removed also depends on other writes to the memory, which are not considered here.

use super::bitcast::{Misplaced, check_unsplit, keeps_positions, same_extent};
use crate::indexing::{Exactness, OperandReads, Reads};
use affinor::expr::VariableKind;
use affinor::prove::{Budget, Verdict};
use affinor::text::Error;
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use affinor_layout::memory::Placement;

/// The elements moved by an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    /// Every element keeps its position.
    Nothing,
    /// The total size in bytes, padding included, of the output arrays to which elements are moved, with the cause.
    Bytes(i64, Cause),
    /// It was not decided, for this reason.
    Unknown(String),
}

/// The reason why elements are moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// An element's position in the second array differs from the position of its source in the first.
    Misplaced(Misplaced, Box<[Placement; 2]>),
    /// The arrays differ in extent: see [`same_extent`].
    Extent(Box<[Placement; 2]>),
}

/// Returns whether `instruction` belongs to the ops that only move elements.
#[must_use]
pub fn only_moves(module: &Module, instruction: &Instruction) -> bool {
    let is_move = |instruction: &Instruction| {
        matches!(
            instruction.opcode(),
            Opcode::Reshape | Opcode::Transpose | Opcode::Copy | Opcode::Bitcast
        )
    };
    let passes_on = |instruction: &Instruction| {
        matches!(instruction.opcode(), Opcode::Parameter | Opcode::Tuple | Opcode::GetTupleElement)
    };
    match instruction.opcode() {
        Opcode::Fusion => instruction.called("calls").is_ok_and(|body| {
            let mut inside = module[body].instructions();
            inside.all(|(_, each)| is_move(each) || passes_on(each))
        }),
        _ => is_move(instruction),
    }
}

/// Decides which elements an instruction that only moves elements moves; `reads` are its own reads.
///
/// # Errors
/// Kind `arity`, which cannot occur for reads of the instruction.
pub fn moved(
    computation: &Computation,
    instruction: &Instruction,
    reads: &[OperandReads],
    budget: &Budget,
) -> Result<Move, Error> {
    if *instruction.opcode() == Opcode::Bitcast {
        return Ok(Move::Nothing);
    }
    let (mut bytes, mut cause, mut unknown) = (0_i64, None, None);
    for entry in reads {
        match array_moved(computation, instruction, entry, budget)? {
            Move::Nothing => {}
            Move::Unknown(reason) => unknown = unknown.or(Some(reason)),
            Move::Bytes(more, why) => {
                cause = cause.or(Some(why));
                match bytes.checked_add(more) {
                    Some(sum) => bytes = sum,
                    None => unknown = unknown.or(Some(TOO_LARGE.to_owned())),
                }
            }
        }
    }
    Ok(match (unknown, cause) {
        (Some(reason), _) => Move::Unknown(reason),
        (None, Some(cause)) => Move::Bytes(bytes, cause),
        (None, None) => Move::Nothing,
    })
}

const TOO_LARGE: &str = "its arrays take more than 64 bits can count";

fn array_moved(
    computation: &Computation,
    instruction: &Instruction,
    entry: &OperandReads,
    budget: &Budget,
) -> Result<Move, Error> {
    let unknown = |reason: String| Ok(Move::Unknown(reason));
    let to = instruction.shape().at(&entry.output);
    let operand = computation.operands(instruction).nth(entry.operand);
    let from = operand.and_then(|operand| operand.shape().at(&entry.operand_path));
    let placed = |shape: Option<&Shape>| {
        let array = shape.and_then(|shape| shape.as_array());
        let array = array.ok_or("it has parts that are not arrays")?;
        Placement::new(array).map_err(|error| error.message)
    };
    let (from, to) = match (placed(from), placed(to)) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(reason), _) | (_, Err(reason)) => return unknown(reason),
    };
    if let Err(error) = check_unsplit(&from, &to) {
        return unknown(error.message);
    }
    let several = "it is not known to read one element for each".to_owned();
    let map = match &entry.reads {
        _ if to.elements() == 0 => return Ok(Move::Nothing),
        Reads::Unknown { reason } => return unknown(reason.to_string()),
        Reads::Maps(maps) => match maps.as_slice() {
            [only] if only.exactness == Exactness::Exact => &only.map,
            _ => return unknown(several),
        },
    };
    let variables = map.domain().variables().len();
    if map.domain().count(VariableKind::Dimension) != variables {
        return unknown(several);
    }
    let Some(bytes) = to.physical_bytes() else {
        return unknown(TOO_LARGE.to_owned());
    };
    if !same_extent(&from, &to) {
        return Ok(Move::Bytes(bytes, Cause::Extent(Box::new([from, to]))));
    }
    Ok(match keeps_positions(map, &from, &to, budget)? {
        Verdict::Proved => Move::Nothing,
        Verdict::Refuted(found) => {
            Move::Bytes(bytes, Cause::Misplaced(found, Box::new([from, to])))
        }
        Verdict::Unknown(reason) => Move::Unknown(reason.to_string()),
    })
}
