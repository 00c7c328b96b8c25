//! `bind`: a map with some of its variables fixed.

use super::arguments::Argument;
use super::failure::Failure;
use super::given::expr_error;
use super::given::part;
use super::output::clipped;
use super::simplify::simplified::simplified;
use super::table::{Call, Command, Kind, Parameter};
use super::token::{Class, split, words};
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
                    "no map to bind: no command has returned a map yet",
                )
                .hint(HINT));
        }
        (None, Some(map)) => map.clone(),
        (Some(_), _) => call.map(&map_argument)?,
    };
    let (bound, _) = with_values(&map, &given, bindings)?;
    let output = simplified(call, &bound)?;
    call.emit(output);
    Ok(())
}

/// `map` with the values in all of `given`: `rt0 = 5, rt1 = 3`; and these values.
///
/// # Errors
/// For what is no value of a variable of the map.
pub fn bound(map: &IndexingMap, given: &Argument) -> Result<(IndexingMap, Values), Failure> {
    let bindings = split(&given.text, 0..given.text.len(), Class::Comma);
    with_values(map, given, bindings)
}

/// Values by the names of variables.
pub type Values = Vec<(String, i64)>;

fn with_values(
    map: &IndexingMap,
    given: &Argument,
    bindings: Vec<Span>,
) -> Result<(IndexingMap, Values), Failure> {
    let mut values: Vec<(VariableId, i64)> = Vec::new();
    for span in bindings {
        let binding = part(given, span);
        let (id, value) = read(map, &binding)?;
        if values.iter().any(|(other, _)| *other == id) {
            return Err(binding.wrong(ErrorKind::Name, "this variable already has a value"));
        }
        values.push((id, value));
    }
    let bound = map
        .bound(&values)
        .map_err(|error| given.blame(expr_error(error)))?;
    let variables = map.domain().variables();
    let name = |id: &VariableId| variables[id.index()].name.to_string();
    let named = values.iter().map(|(id, value)| (name(id), *value));
    Ok((bound, named.collect()))
}

/// Where the bindings stand, and the map behind `in`.
fn cut(text: &str) -> (Vec<Span>, Option<Span>) {
    let keyword = words(text, 0..text.len())
        .filter(|word| word.start > 0)
        .find(|word| &text[word.clone()] == "in");
    let end = keyword.as_ref().map_or(text.len(), |word| word.start);
    let bindings = split(text, 0..end, Class::Comma);
    (bindings, keyword.map(|word| word.end..text.len()))
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
            "expected a 64-bit integer",
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
