//! The arrays that `--entry` is restricted to: `--output`, and `--parameter` or `--operand`.
//!
//! Law: an option that is given several times requests the union.

use super::options::{OUTPUT, PARAMETER};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::instruction::{OPERAND, bare, unknown};
use crate::output::{Object, Output, Role, Text, clipped};
use crate::table::Call;
use crate::words::{braces, count};
use affinor::text::ErrorKind;
use affinor_hlo::module::{Computation, Instruction};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use affinor_ops::indexing::{AskedPairs, TuplePath};

/// Returns the requested pairs of the entry computation.
///
/// # Errors
/// For a part that the result does not have, and an unknown parameter.
pub(super) fn asked_pairs(call: &Call<'_>, entry: &Computation) -> Result<AskedPairs, Failure> {
    let outputs = call.texts_of(&OUTPUT);
    let parts = outputs.iter().map(|given| output(given, entry));
    let parameters = [call.texts_of(&PARAMETER), call.texts_of(&OPERAND)].concat();
    let numbers = parameters.iter().map(|given| parameter(given, entry));
    let (parts, numbers): (Vec<TuplePath>, Vec<usize>) =
        (parts.collect::<Result<_, _>>()?, numbers.collect::<Result<_, _>>()?);
    Ok(AskedPairs {
        outputs: (!parts.is_empty()).then_some(parts),
        parameters: (!numbers.is_empty()).then_some(numbers),
    })
}

/// Parses a part of the result: `1`, `1,0`, `{1,0}`, or the name of the operand of the tuple that is the result.
fn output(given: &Argument, entry: &Computation) -> Result<TuplePath, Failure> {
    let (text, root) = (bare(given), &entry[entry.root()]);
    let of_tuple = || match root.opcode() {
        Opcode::Tuple => root.operands(),
        _ => &[],
    };
    let names = || of_tuple().iter().map(|id| entry[*id].name());
    let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let numbers = match inside.trim() {
        "" => Some(TuplePath::new()),
        inside => inside.split(',').map(|number| number.trim().parse().ok()).collect(),
    };
    if let Some(path) = numbers {
        if root.shape().at(&path).is_some() {
            return Ok(path);
        }
        let message = format!("the result has no part {}", clipped(&braces(&path)));
        let failure = given.wrong(ErrorKind::Name, message);
        return Err(match root.shape() {
            Shape::Tuple(parts) if !parts.is_empty() => {
                failure.hint(format!("its parts are {{0}} to {{{}}}", parts.len() - 1))
            }
            _ => failure.hint("it is not a tuple"),
        });
    }
    if let Some(number) = names().position(|name| name == text) {
        return Ok(vec![number]);
    }
    match root.name() == text {
        true => Ok(TuplePath::new()),
        false => Err(unknown("output", given, names().chain([root.name()]))),
    }
}

/// Parses a parameter of the entry, given by its name or its number.
fn parameter(given: &Argument, entry: &Computation) -> Result<usize, Failure> {
    let text = bare(given);
    let names = || entry.parameters().iter().map(|id| entry[*id].name());
    let number = || text.parse().ok().filter(|number| *number < entry.parameters().len());
    let found = names().position(|name| name == text).or_else(number);
    found.ok_or_else(|| unknown("parameter", given, names()))
}

/// Returns the number of requested pairs of an array of `result` and an array of `operands` that are not among the `listed` ones:
/// they have no reads.
pub(super) fn unlisted<'s>(
    asked: &AskedPairs,
    result: &Shape,
    operands: impl Iterator<Item = &'s Instruction>,
    listed: usize,
) -> usize {
    asked.count(result, operands.map(Instruction::shape)).saturating_sub(listed)
}

/// Returns `3 other pairs: nothing is read`
pub(super) fn unlisted_text(pairs: usize) -> Text {
    let text = Text::new().plain(format!("    {}: ", count(pairs, "other pair")));
    text.with(Role::Faint, "nothing is read")
}

/// Returns the line and the object about `pairs` pairs without reads.
pub(super) fn unlisted_output(pairs: usize) -> Output {
    Output::new(unlisted_text(pairs), Object::new().with("unread_pairs", pairs))
}
