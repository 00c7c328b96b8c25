//! A fold of several arrays as one fold for each array that is folded independently of the others.
//!
//! Law: a result is computed from the elements and the initial value of one operand, if the combiner computes it from these alone.

use super::texts::{array, listed};
use affinor_hlo::module::{Computation, Instruction, InstructionId, Module};
use affinor_ops::indexing::{SILENT, is_pointwise};
use std::fmt::Write;

/// Returns the operation as a computation of its operands; `None` unless some array is folded independently.
pub(super) fn text(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
) -> Option<String> {
    let count = instruction.operands().len() / 2;
    let body = &module[instruction.called("to_apply").ok()?];
    let operands: Vec<&Instruction> = computation.operands(instruction).collect();
    let is_plain = count > 1 && operands.len() == 2 * count && body.parameters().len() == 2 * count;
    is_plain.then_some(())?;
    let results = body[body.root()].operands();
    (results.len() == count).then_some(())?;
    let combiners: Vec<Option<String>> =
        (0..count).map(|k| combiner(body, results[k], [k, count + k])).collect();
    combiners.iter().any(Option::is_some).then_some(())?;
    let mut text = "HloModule r\n".to_owned();
    for (k, combiner) in combiners.iter().enumerate() {
        let _ = combiner.as_ref().map(|lines| write!(text, "fold{k} {{\n{lines}}}\n"));
    }
    text += "ENTRY e {\n";
    for (k, operand) in operands.iter().enumerate() {
        let (of, sizes) = array(operand, &[])?;
        let _ = writeln!(text, " p{k} = {of}[{}] parameter({k})", listed(sizes));
    }
    let rank = operands.first()?.shape().as_array()?.rank();
    let dimensions = listed(instruction.dimensions(rank).ok()?);
    let shapes: Vec<String> = (0..count)
        .map(|k| array(instruction, &[k]).map(|(of, sizes)| format!("{of}[{}]", listed(sizes))))
        .collect::<Option<_>>()?;
    let all = listed((0..2 * count).map(|k| format!("p{k}")));
    let tuple = format!("({})", listed(&shapes));
    let _ =
        writeln!(text, " w = {tuple} reduce({all}), dimensions={{{dimensions}}}, to_apply=given0");
    for (k, shape) in shapes.iter().enumerate() {
        let _ = match combiners[k] {
            Some(_) => writeln!(
                text,
                " r{k} = {shape} reduce(p{k}, p{}), dimensions={{{dimensions}}}, to_apply=fold{k}",
                count + k
            ),
            None => writeln!(text, " r{k} = {shape} get-tuple-element(w), index={k}"),
        };
    }
    let names = listed((0..count).map(|k| format!("r{k}")));
    let _ = writeln!(text, " ROOT r = {tuple} tuple({names})\n}}");
    Some(text)
}

/// Returns the instructions that compute one result from two of the parameters.
fn combiner(body: &Computation, root: InstructionId, numbers: [usize; 2]) -> Option<String> {
    let mut needed = vec![false; body.instructions().len()];
    *needed.get_mut(root.index())? = true;
    let mut text = String::new();
    // Operands come before their users.
    let all: Vec<(InstructionId, &Instruction)> = body.instructions().collect();
    for (id, one) in all.iter().rev() {
        if needed[id.index()] {
            one.operands().iter().for_each(|operand| needed[operand.index()] = true);
        }
    }
    for (number, place) in numbers.into_iter().zip(0..) {
        let (of, _) = array(&body[*body.parameters().get(number)?], &[])?;
        let _ =
            writeln!(text, " v{} = {of}[] parameter({place})", body.parameters()[number].index());
    }
    for (id, one) in all {
        if !needed[id.index()] {
            continue;
        }
        if let Some(number) = one.parameter_number() {
            numbers.contains(&number).then_some(())?;
            continue;
        }
        let (of, sizes) = array(one, &[])?;
        let v = id.index();
        let operands = listed(one.operands().iter().map(|id| format!("v{}", id.index())));
        let is_scalar = sizes.is_empty() && (is_pointwise(one.opcode()) || one.literal().is_some());
        is_scalar.then_some(())?;
        let first = if id == root { " ROOT" } else { "" };
        let _ = match one.literal() {
            Some(literal) => {
                writeln!(text, "{first} v{v} = {of}[] constant({})", literal.text())
            }
            None => {
                let said = one.attributes().iter().filter(|x| !SILENT.contains(&x.name()));
                let said: String = said.map(|attribute| format!(", {attribute}")).collect();
                writeln!(text, "{first} v{v} = {of}[] {}({operands}){said}", one.opcode())
            }
        };
    }
    if body[root].parameter_number().is_some() {
        let (of, _) = array(&body[root], &[])?;
        let _ = writeln!(text, " ROOT r = {of}[] copy(v{})", root.index());
    }
    Some(text)
}
