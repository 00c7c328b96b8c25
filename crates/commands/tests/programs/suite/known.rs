//! Programs whose offsets are known before they run: no answer may depend on values known only then.

use super::answers::{ask, text};
use super::arithmetic::apply;
use super::compare::Tally;
use super::judge;
use super::program::{Op, Program};
use super::random::Random;
use super::run::{Frame, Run};
use super::shape::Kind;

/// Asks all questions about a program with known offsets. Returns whether nothing wraps in it, in which case no map may have
/// a runtime variable.
///
/// # Errors
/// With the question, if an answer is wrong or depends on values known only at run time.
pub fn judge_known(
    program: &Program,
    seed: u64,
    with_check: bool,
    tally: &mut Tally,
) -> Result<bool, String> {
    judge(program, seed, with_check, tally)?;
    // Shrinking may have turned a value into an integer parameter.
    let is_known = takes_floats(program) && !wraps(program);
    if is_known {
        is_folded(program)?;
    }
    Ok(is_known)
}

/// Checks that the maps of the entry computation's instructions, and of its result, have no runtime variables.
fn is_folded(program: &Program) -> Result<(), String> {
    let module = program.to_string();
    for line in ["hlo model.hlo", "hlo model.hlo --entry"] {
        for object in ask(&[("model.hlo", &module)], line)? {
            let computation = object["computation"].as_str();
            let is_asked = computation.is_none_or(|name| name == program.entry().name);
            let entries =
                object["results"].as_array().map_or(std::slice::from_ref(&object), Vec::as_slice);
            let mut maps =
                entries.iter().flat_map(|entry| entry["maps"].as_array().into_iter().flatten());
            if let Some(map) = maps.find(|map| is_asked && map["runtime"] != serde_json::json!([]))
            {
                return Err(format!(
                    "{line}, {}: left to run time, {map}",
                    text(&object["instruction"])
                ));
            }
        }
    }
    Ok(())
}

/// Checks whether all parameters are floats, which are never offsets.
fn takes_floats(program: &Program) -> bool {
    let parameters = program.entry().parameters().into_iter();
    let mut arrays = parameters.flat_map(|shape| shape.leaves());
    arrays.all(|(_, array)| array.kind == Kind::F32)
}

/// Checks whether a value wraps, is divided by zero, or is negative and shifted.
fn wraps(program: &Program) -> bool {
    let run = Run::new(program, &mut Random::new(0));
    let of_frame = |frame: &Frame| {
        let instructions = &program.computations[frame.computation].instructions;
        let mut values = instructions.iter().zip(&frame.values);
        values.any(|(instruction, value)| {
            let Op::Pointwise(opcode, attribute) = instruction.op else {
                return false;
            };
            let of = |k: &usize, e: usize| {
                let elements = &frame.values[*k].leaves[0];
                elements[if elements.len() == 1 { 0 } else { e }]
            };
            let mut elements = value.leaves[0].iter().enumerate();
            elements.any(|(e, value)| {
                let operands: Vec<i64> = instruction.operands.iter().map(|k| of(k, e)).collect();
                apply(opcode, attribute, &operands) != *value
                    || (matches!(opcode, "divide" | "remainder") && operands[1] == 0)
                    || (opcode.starts_with("shift") && operands[0] < 0)
            })
        })
    };
    run.frames.values().any(of_frame)
}
