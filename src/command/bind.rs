//! `bind`: a map with some of its variables fixed.

use super::arguments::Argument;
use super::failure::Failure;
use super::given::expr_error;
use super::given::part;
use super::output::clipped;
use super::scan::outline;
use super::simplify::simplified::simplified;
use super::table::{Call, Command, Kind, Parameter};
use super::words::nearest;
use crate::expr::{IndexingMap, VariableId};
use crate::text::{Error, ErrorKind, Span, print_interval};

pub const BIND: Command = Command {
    name: "bind",
    parameters: &[Parameter::required("NAME = VALUE, .. [in MAP]", Kind::Rest)],
    options: &[],
    summary: "fix variables of MAP, or of the last answer",
    details: "The bound variables are removed, and the result is simplified. A value must be in the range of its variable.",
    example: &["bind rt0 = 5 in (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 7], rt0 in [0, 26]"],
    makes_map: true,
    run,
};

const HINT: &str = "write `bind rt0 = 5 in MAP`, or `bind d0 = 3, s0 = 1` for the last answer";

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let given = call.argument(0)?.clone();
    let (bindings, map_at) = cut(&given.text);
    let last = Argument::word("_", 1);
    let map_argument = match &map_at {
        Some(span) => part(&given, span.clone()),
        None => last,
    };
    let map = match (&map_at, &call.session.last) {
        (None, None) => {
            return Err(given
                .wrong(
                    ErrorKind::Name,
                    "there is no last answer yet whose variables could be fixed",
                )
                .hint(HINT));
        }
        (None, Some(map)) => map.clone(),
        (Some(_), _) => call.map(&map_argument)?,
    };
    let mut values: Vec<(VariableId, i64)> = Vec::new();
    for span in bindings {
        let binding = part(&given, span);
        let (id, value) = read(&map, &binding)?;
        if values.iter().any(|(other, _)| *other == id) {
            return Err(binding.wrong(ErrorKind::Name, "this variable has a value already"));
        }
        values.push((id, value));
    }
    let bound = map
        .bound(&values)
        .map_err(|error| given.blame(expr_error(error)))?;
    let output = simplified(call, &bound)?;
    call.emit(output);
    Ok(())
}

/// Where the bindings stand, and the map behind `in`.
fn cut(text: &str) -> (Vec<Span>, Option<Span>) {
    let outside = outline(text);
    let is_space = |at: usize| outside.get(at).is_none_or(u8::is_ascii_whitespace);
    let keyword = (1..text.len().saturating_sub(1))
        .find(|at| &outside[*at..*at + 2] == b"in" && is_space(at - 1) && is_space(at + 2));
    let end = keyword.unwrap_or(text.len());
    let mut bindings = Vec::new();
    let mut start = 0;
    let commas = (0..end).filter(|at| outside[*at] == b',').chain([end]);
    for comma in commas {
        bindings.push(start..comma);
        start = comma + 1;
    }
    (bindings, keyword.map(|at| at + 2..text.len()))
}

/// `NAME = VALUE`
fn read(map: &IndexingMap, binding: &Argument) -> Result<(VariableId, i64), Failure> {
    let Some((name, value)) = binding.text.split_once('=') else {
        return Err(binding
            .wrong(ErrorKind::Syntax, "expected `NAME = VALUE`")
            .hint(HINT));
    };
    let variables = map.domain().variables();
    let name = name.trim();
    let Some(position) = variables
        .iter()
        .position(|variable| &*variable.name == name)
    else {
        let failure = binding.wrong(
            ErrorKind::Name,
            format!("the map has no variable `{}`", clipped(name)),
        );
        let near = nearest(name, variables.iter().map(|variable| &*variable.name));
        let known: Vec<&str> = variables.iter().map(|variable| &*variable.name).collect();
        return Err(match near {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint(format!("it has {}", clipped(&known.join(", ")))),
        });
    };
    let at = binding.text.len() - value.trim_start().len();
    let Ok(number) = value.trim().parse::<i64>() else {
        let error = Error::new(
            ErrorKind::Syntax,
            at..binding.text.len(),
            "expected an integer of 64 bits",
        );
        return Err(binding.blame(error.hint(HINT)));
    };
    let bounds = variables[position].bounds;
    if !bounds.contains(number) {
        let error = Error::new(
            ErrorKind::Domain,
            at..binding.text.len(),
            format!(
                "`{name}` lies in {}, and {number} does not",
                print_interval(bounds)
            ),
        );
        return Err(binding.blame(error));
    }
    Ok((VariableId(position as u32), number))
}
