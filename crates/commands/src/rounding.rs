//! `--c` selects the rounding of `/` and `%` in code. Maps and statements have no such operators, so the option would have no
//! effect on them.

use super::arguments::{Argument, Arguments};
use super::bare::is_code;
use super::failure::Failure;
use super::option::C;
use super::table::Command;
use affinor::text::ErrorKind;

/// Rejects `--c` if no argument is code.
///
/// # Errors
/// [`ErrorKind::Usage`] at the first argument.
pub(super) fn refuse_without_code(command: &Command, arguments: &Arguments) -> Result<(), Failure> {
    let given = &arguments.positional;
    if !arguments.has(C.switch.name) || given.iter().any(|text| is_code(value_in(command, text))) {
        return Ok(());
    }
    let Some(first) = given.first() else {
        return Ok(()); // the parser reports more about a missing argument
    };
    let message = "`--c` selects the rounding of / and % in code, and this is not code";
    let failure = first.wrong(ErrorKind::Usage, message);
    Err(failure.hint(
        "leave it out, or type code, as in `i / 4 * 4 + i % 4`: the floordiv and mod of a map round down in every case",
    ))
}

/// Returns the part of an argument that may be code: the end of `let NAME = MAP` and `bind NAME = VALUE in MAP`.
fn value_in<'a>(command: &Command, argument: &'a Argument) -> &'a str {
    let text = argument.text.as_str();
    let value = match command.name {
        "let" => text.split_once('='),
        "bind" => text.split_once(" in "),
        _ => None,
    };
    value.map_or(text, |(_, value)| value)
}
