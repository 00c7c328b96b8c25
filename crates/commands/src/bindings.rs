//! Values of variables, as typed: `rt0 = 5, n = 8`.

use super::arguments::Argument;
use super::failure::Failure;
use super::given::{expr_error, part};
use super::output::clipped;
use super::token::{Class, split};
use super::words::nearest;
use affinor::expr::{Expr, IndexingMap, VariableId};
use affinor::text::{Error, ErrorKind, Span, Style, print_expr, print_interval, variable_names};

/// The hint on the notation.
pub const HINT: &str = "write `bind rt0 = 5 in MAP`, or `bind d0 = 3, s0 = 1` for the last answer";

/// Values, each with the name of its variable.
pub type Values = Vec<(String, i64)>;

/// Returns the map with all bindings of `given` applied, and these bindings.
///
/// # Errors
/// The errors of [`bound`].
pub fn bound_by(map: &IndexingMap, given: &Argument) -> Result<(IndexingMap, Values), Failure> {
    let spans = split(&given.text, 0..given.text.len(), Class::Comma);
    bound(map, given, spans)
}

/// Returns the map with the bindings at `spans` of `given` applied, and these bindings.
///
/// # Errors
/// If a binding is malformed, or its variable is not in the map.
pub fn bound(
    map: &IndexingMap,
    given: &Argument,
    spans: Vec<Span>,
) -> Result<(IndexingMap, Values), Failure> {
    let mut values: Vec<(VariableId, i64)> = Vec::new();
    for span in spans {
        let binding = part(given, span);
        let (id, value) = read(map, &binding)?;
        if values.iter().any(|(other, _)| *other == id) {
            return Err(binding.wrong(ErrorKind::Name, "this variable already has a value"));
        }
        let variable = &map.domain().variables()[id.index()];
        if !variable.bounds.contains(value) {
            let bounds = print_interval(variable.bounds);
            let message = format!("`{}` lies in {bounds}, and {value} does not", variable.name);
            let at = binding.text.find('=').map_or(0, |equals| equals + 1);
            let at = binding.text.len() - binding.text[at..].trim_start().len();
            let error = Error::new(ErrorKind::Domain, at..binding.text.len(), message);
            return Err(binding.blame(error));
        }
        values.push((id, value));
    }
    if let Some(divisor) = map.unmet_divisor(&values) {
        return Err(unmet(map, given, &divisor, &values));
    }
    let bound = map.bound(&values).map_err(|error| given.blame(expr_error(error)))?;
    let variables = map.domain().variables();
    let name = |id: &VariableId| variables[id.index()].name.to_string();
    let named = values.iter().map(|(id, value)| (name(id), *value));
    Ok((bound, named.collect()))
}

/// Returns the failure for values with which a divisor is not positive.
fn unmet(
    map: &IndexingMap,
    given: &Argument,
    divisor: &Expr,
    values: &[(VariableId, i64)],
) -> Failure {
    let names = variable_names(map.domain());
    let divisor_text = print_expr(divisor, &names, Style::Plain);
    let used = divisor.variables();
    let blamed = values.iter().filter(|(id, _)| used.contains(id));
    let blamed = blamed.map(|(id, value)| format!("{} = {value}", names[id.index()]));
    let blamed: Vec<String> = blamed.collect();
    let message = format!(
        "the divisor `{}` is not positive for {}",
        clipped(&divisor_text),
        blamed.join(", ")
    );
    given.wrong(ErrorKind::Division, message)
}

/// Returns the well-formed bindings as names with values.
#[must_use]
pub fn written(given: &str, spans: &[Span]) -> Vec<(String, i64)> {
    let bindings = spans.iter().filter_map(|span| {
        let (name, value) = given.get(span.clone())?.split_once('=')?;
        Some((name.trim().to_owned(), value.trim().parse().ok()?))
    });
    bindings.collect()
}

/// Parses `NAME = VALUE`.
///
/// # Errors
/// If the text is malformed, or the map has no such variable.
pub fn read(map: &IndexingMap, binding: &Argument) -> Result<(VariableId, i64), Failure> {
    let Some((name, value)) = binding.text.split_once('=') else {
        return Err(binding.wrong(ErrorKind::Syntax, "expected `NAME = VALUE`").hint(HINT));
    };
    let variables = map.domain().variables();
    let name = name.trim();
    let Some(position) = variables.iter().position(|variable| &*variable.name == name) else {
        let failure =
            binding.wrong(ErrorKind::Name, format!("the map has no variable `{}`", clipped(name)));
        let near = nearest(name, variables.iter().map(|variable| &*variable.name));
        let known: Vec<&str> = variables.iter().map(|variable| &*variable.name).collect();
        return Err(match near {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint(format!("it has {}", clipped(&known.join(", ")))),
        });
    };
    let at = binding.text.len() - value.trim_start().len();
    let Ok(number) = value.trim().parse::<i64>() else {
        let error =
            Error::new(ErrorKind::Syntax, at..binding.text.len(), "expected a 64-bit integer");
        return Err(binding.blame(error.hint(HINT)));
    };
    Ok((VariableId(position as u32), number))
}
