//! Folds of one array as other operations.
//!
//! Law: each text computes the same bits as its operation, including for NaN; of floats up to rounding if `is_rounded`.

use super::texts::{array, listed};
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use std::fmt::Write;

/// Maximum number of truth values whose fold is written out.
const TRUTHS: i64 = 8;

/// Rewrites a fold over dimensions of size 1 whose initial value has no effect, or the sum of negated numbers (floats only if
/// `is_rounded`, since a sum of zeros may have another sign).
pub(super) fn text(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
    is_rounded: bool,
) -> Option<String> {
    let [operand, start] = instruction.operands() else {
        return None;
    };
    let ((of, sizes), (like, kept)) =
        (array(&computation[*operand], &[])?, array(instruction, &[])?);
    (of == like).then_some(())?;
    let folded = instruction.dimensions(sizes.len()).ok()?;
    let found = few_truths(module, computation, instruction)
        .or_else(|| sum_of_negated(module, computation, instruction, is_rounded));
    if found.is_some() {
        return found;
    }
    folded.iter().all(|k| sizes.get(*k) == Some(&1)).then_some(())?;
    let opcode = operator(module, instruction)?;
    let words = computation[*start].literal()?.words()?;
    let [word] = words.as_slice() else {
        return None;
    };
    let element_type = instruction.shape().as_array()?.element_type();
    let is_whole = element_type.is_signed_integer() || element_type.is_unsigned_integer();
    let changes_nothing = match (opcode, word.as_str()) {
        (Opcode::And, "true" | "1") | (Opcode::Or, "false" | "0") => of == "pred",
        (Opcode::Add, "0") => is_whole,
        (Opcode::Add, "-0") | (Opcode::Maximum, "-inf") | (Opcode::Minimum, "inf") => {
            element_type.is_float()
        }
        (Opcode::Multiply, "1") => is_whole || element_type.is_float(),
        _ => false,
    };
    changes_nothing.then(|| {
        let (sizes, kept) = (listed(sizes), listed(kept));
        format!(
            "HloModule r\nENTRY e {{\n x = {of}[{sizes}] parameter(0)\n z = {of}[] parameter(1)\n ROOT r = {of}[{kept}] reshape(x)\n}}\n"
        )
    })
}

/// Rewrites a fold of few truth values as operations on two of them at a time.
fn few_truths(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
) -> Option<String> {
    let [operand, start] = instruction.operands() else {
        return None;
    };
    let (of, sizes) = array(&computation[*operand], &[])?;
    let [count] = sizes[..] else {
        return None;
    };
    let (_, kept) = array(instruction, &[])?;
    let opcode = operator(module, instruction)?;
    let word = computation[*start].literal()?.words()?.pop()?;
    let changes_nothing = match opcode {
        Opcode::And => matches!(word.as_str(), "true" | "1"),
        Opcode::Or => matches!(word.as_str(), "false" | "0"),
        _ => false,
    };
    let is_fitting =
        of == "pred" && kept.is_empty() && changes_nothing && (2..=TRUTHS).contains(&count);
    is_fitting.then_some(())?;
    let mut text = format!(
        "HloModule t\nENTRY e {{\n x = pred[{count}] parameter(0)\n z = pred[] parameter(1)\n"
    );
    for k in 0..count {
        let _ = write!(
            text,
            " s{k} = pred[1] slice(x), slice={{[{k}:{}]}}\n t{k} = pred[] reshape(s{k})\n",
            k + 1
        );
        let _ = match k {
            0 => writeln!(text, " r0 = pred[] copy(t0)"),
            _ => writeln!(text, " r{k} = pred[] {opcode}(r{}, t{k})", k - 1),
        };
    }
    let _ = writeln!(text, " ROOT r = pred[] copy(r{})\n}}", count - 1);
    Some(text)
}

fn sum_of_negated(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
    is_rounded: bool,
) -> Option<String> {
    let [operand, start] = instruction.operands() else {
        return None;
    };
    let ((of, sizes), (_, kept)) = (array(&computation[*operand], &[])?, array(instruction, &[])?);
    let element_type = instruction.shape().as_array()?.element_type();
    let is_number = element_type.is_signed_integer()
        || element_type.is_unsigned_integer()
        || is_rounded && element_type.is_float();
    let is_sum = *operator(module, instruction)? == Opcode::Add;
    let word = computation[*start].literal()?.words()?.pop()?;
    let is_negated = *computation[*operand].opcode() == Opcode::Negate;
    (is_number && is_sum && is_negated && word == "0").then_some(())?;
    let folded = listed(instruction.dimensions(sizes.len()).ok()?);
    let (sizes, kept) = (listed(sizes), listed(kept));
    Some(format!(
        "HloModule r\nENTRY e {{\n x = {of}[{sizes}] parameter(0)\n z = {of}[] parameter(1)\n n = {of}[{sizes}] negate(x)\n \
         s = {of}[{kept}] reduce(n, z), dimensions={{{folded}}}, to_apply=given0\n ROOT r = {of}[{kept}] negate(s)\n}}\n"
    ))
}

/// Returns the operation on its two parameters that the combiner is.
fn operator<'m>(module: &'m Module, instruction: &Instruction) -> Option<&'m Opcode> {
    let body = &module[instruction.called("to_apply").ok()?];
    let root = &body[body.root()];
    let [a, b] = root.operands() else {
        return None;
    };
    let numbers = [a, b].map(|id| body[*id].parameter_number());
    (numbers == [Some(0), Some(1)] || numbers == [Some(1), Some(0)]).then_some(root.opcode())
}
