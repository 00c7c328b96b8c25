//! `upstream`: the meaning of lines in another system's list of rules, whether they are true, and whether they are known here.

mod forms;
mod found;
mod known;
mod output;

use super::arguments::Argument;
use super::failure::Failure;
use super::table::{Call, Command, Kind, Parameter};
use super::text_file::TextFile;
use affinor::text::{Error, ErrorKind};
use affinor_workshop::upstream::List;
use found::Found;
use output::{Totals, line_output};

pub const UPSTREAM: Command = Command {
    name: "upstream",
    parameters: &[Parameter::required("FILE|LINES", Kind::Rest)],
    options: &[],
    summary: "state, judge and look up rules of another system: Halide, TVM, MLIR",
    details: "The argument is a file, or lines as these systems have them:\n\
              \x20 rewrite(lhs, rhs, condition)                                           Halide\n\
              \x20 TVM_TRY_REWRITE_IF(lhs, rhs, condition)                                TVM\n\
              \x20 lhs -> rhs if condition                                                plain, as MLIR's; / and % round down\n\
              The answer for each line has: the line in the grammar of rules; whether it is true for all integers, if division rounds\n\
              toward zero, and in 64 bits, each with a point where it fails; its truth for divisors below 1, if the system divides by\n\
              them and the line allows them (Halide: x/0 is 0); the rule that states it, or whether `simplify` finds both sides equal.\n\
              Comparisons become `<=>`, or facts; a condition with || becomes a rule for each case. A line that is not\n\
              integer arithmetic (select, ramp, floats) is named with the word that it fails at. A piece of a source file\n\
              can be given as it is.",
    example: &[
        "upstream (x mod a) floordiv a -> 0 if a > 0",
        "upstream rewrite((x / c0) / c2, x / fold(c0 * c2), c0 > 0 && c2 > 0 && !overflows(c0 * c2))",
    ],
    makes_map: false,
    keys: "",
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    lines(call, &argument)
}

/// Answers for each line of a list: a text, or the path of a file.
///
/// # Errors
/// If it has no line, the file cannot be read, or the user stops it.
pub fn lines(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let is_path = !argument.text.trim().contains(|c: char| c.is_whitespace() || c == '(');
    if is_path {
        let file = TextFile::read(call, argument)?;
        let text = file.text()?.to_owned();
        return answer(call, &text, file.blame(no_lines()));
    }
    answer(call, &argument.text, argument.blame(no_lines()))
}

fn no_lines() -> Error {
    let message = "no line of a list of rules was found";
    let error = Error::without_span(ErrorKind::Rule, message);
    error.hint("lines are rewrite(lhs, rhs, condition), or lhs -> rhs if condition")
}

/// Answers for each line of `text`, followed by the totals. `none` is the failure for a text without lines.
fn answer(call: &mut Call<'_>, text: &str, none: Failure) -> Result<(), Failure> {
    let list = List::of(text);
    if list.is_empty() {
        return Err(none);
    }
    let mut totals = Totals::default();
    call.each((0..list.len()).collect(), |call, number| {
        let Some(line) = list.line(number, &call.rule_budget()) else {
            return Ok(());
        };
        call.go_on()?;
        let found = match &line.says {
            Ok(says) => Ok(says
                .iter()
                .map(|stated| Found::of(call, stated))
                .collect::<Result<Vec<Found>, Failure>>()?),
            Err(error) => Err(error.clone()),
        };
        let output = line_output(text, &line, &found, &mut totals);
        call.emit(output);
        Ok(())
    })?;
    if list.len() > 1 {
        call.emit(totals.output());
    }
    Ok(())
}
