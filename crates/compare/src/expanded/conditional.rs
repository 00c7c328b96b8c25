//! A conditional as the choice between the results of all its branches.
//!
//! Law: the branches only compute values, so that it makes no difference whether those that are not chosen run. An index that is
//! out of range selects the last branch.

use super::texts::{array, listed};
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::is_pointwise;
use std::fmt::Write;

/// Returns the operation as a computation of its operands.
pub(super) fn text(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
) -> Option<String> {
    let branches = instruction.branches().ok()?;
    let called: Vec<_> = instruction.attributes().computations().map(|x| x.target()).collect();
    let last = branches.len().checked_sub(1)?;
    let operands: Vec<&Instruction> = computation.operands(instruction).collect();
    let (choice, _) = array(operands.first()?, &[])?;
    let is_pure = branches
        .iter()
        .all(|id| module[*id].instructions().all(|(_, one)| is_computed(one.opcode())));
    (is_pure && operands.len() == branches.len() + 1).then_some(())?;
    let mut text = format!("HloModule c\nENTRY e {{\n c = {choice}[] parameter(0)\n");
    let result = instruction.shape();
    for (number, branch) in branches.iter().enumerate() {
        let given = called.iter().position(|target| *target == Some(*branch))?;
        let operand = operands.get(number + 1)?.shape();
        let _ = write!(
            text,
            " a{number} = {operand} parameter({})\n r{number} = {result} call(a{number}), to_apply=given{given}\n",
            number + 1
        );
        if number < last {
            let _ = match choice {
                "pred" => writeln!(text, " p{number} = pred[] copy(c)"),
                _ => writeln!(
                    text,
                    " n{number} = {choice}[] constant({number})\n p{number} = pred[] compare(c, n{number}), direction=EQ"
                ),
            };
        }
    }
    let parts = result.as_tuple().map(<[_]>::len);
    let mut chosen = Vec::new();
    for part in 0..parts.unwrap_or(1) {
        let path = parts.map(|_| part);
        let (of, sizes) = array(instruction, path.as_slice())?;
        let shape = format!("{of}[{}]", listed(&sizes));
        let of_branch = |number: usize| format!("r{number}.{part}");
        for number in 0..=last {
            let _ = match parts {
                Some(_) => writeln!(
                    text,
                    " {} = {shape} get-tuple-element(r{number}), index={part}",
                    of_branch(number)
                ),
                None => writeln!(text, " {} = {shape} copy(r{number})", of_branch(number)),
            };
        }
        let mut name = of_branch(last);
        for number in (0..last).rev() {
            let _ = write!(
                text,
                " p{number}.{part} = pred[{}] broadcast(p{number}), dimensions={{}}\n \
                 s{number}.{part} = {shape} select(p{number}.{part}, {}, {name})\n",
                listed(&sizes),
                of_branch(number)
            );
            name = format!("s{number}.{part}");
        }
        chosen.push((name, shape));
    }
    let names = listed(chosen.iter().map(|(name, _)| name));
    let shapes = listed(chosen.iter().map(|(_, shape)| shape));
    let _ = match parts {
        Some(_) => writeln!(text, " ROOT r = ({shapes}) tuple({names})\n}}"),
        None => writeln!(text, " ROOT r = {shapes} copy({names})\n}}"),
    };
    Some(text)
}

/// Returns whether the operation has no effect but its result, and always ends.
fn is_computed(opcode: &Opcode) -> bool {
    use Opcode as O;
    let moves = matches!(
        opcode,
        O::Bitcast
            | O::Broadcast
            | O::Concatenate
            | O::Constant
            | O::Copy
            | O::DynamicSlice
            | O::DynamicUpdateSlice
            | O::Gather
            | O::GetTupleElement
            | O::Iota
            | O::Pad
            | O::Parameter
            | O::Reshape
            | O::Reverse
            | O::Slice
            | O::Transpose
            | O::Tuple
    );
    let folds = matches!(opcode, O::Convolution | O::Dot | O::Reduce | O::ReduceWindow);
    moves || folds || is_pointwise(opcode)
}
