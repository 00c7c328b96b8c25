//! `bind`: a map with some of its variables fixed.

use super::arguments::Argument;
use super::bindings::{HINT, bound, written};
use super::failure::Failure;
use super::given::part;
use super::option::C;
use super::simplify::simplified::simplified;
use super::table::{Call, Command, Kind, Parameter};
use super::token::{Class, split, words};
use super::width::{BITS, UNSIGNED};
use affinor::expr::IndexingMap;
use affinor::text::{ErrorKind, Span, parse_map_at};

pub const BIND: Command = Command {
    name: "bind",
    parameters: &[Parameter::required("NAME = VALUE, .. [in MAP]", Kind::Rest)],
    options: &[C.switch, BITS.switch, UNSIGNED.switch],
    summary: "fix variables of MAP, or of the last answer",
    details: "The bound variables are removed, and the result is simplified. A value must be in the range of its variable.",
    example: &[
        "bind n = 8 in <n>(d0) -> (d0 mod n), domain: n in [1, inf], d0 in [0, 2 * n - 1]",
        "bind rt0 = 5 in (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 7], rt0 in [0, 26]",
    ],
    makes_map: true,
    keys: "",
    run,
};

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
                .wrong(ErrorKind::Name, format!("no map to bind: {}", call.session.why_no_last()))
                .hint(HINT));
        }
        (None, Some(map)) => {
            call.session.recent.implied(format!("in {map}"));
            map.clone()
        }
        (Some(_), _) => read(call, &map_argument, &written(&given.text, &bindings))?,
    };
    let (bound, _) = bound(&map, &given, bindings)?;
    let output = simplified(call, &bound)?;
    call.emit(output);
    Ok(())
}

/// Returns the map, whose divisors may be positive for these values only.
fn read(
    call: &Call<'_>,
    argument: &Argument,
    values: &[(String, i64)],
) -> Result<IndexingMap, Failure> {
    call.map(argument).or_else(|failure| {
        if failure.error.kind != ErrorKind::Division {
            return Err(failure);
        }
        let values: Vec<(&str, i64)> = values.iter().map(|(name, x)| (name.as_str(), *x)).collect();
        parse_map_at(&argument.text, &values).map_err(|error| argument.blame(error))
    })
}

/// Returns the spans of the bindings, and of the map after `in`.
fn cut(text: &str) -> (Vec<Span>, Option<Span>) {
    let keyword = words(text, 0..text.len())
        .filter(|word| word.start > 0)
        .find(|word| &text[word.clone()] == "in");
    let end = keyword.as_ref().map_or(text.len(), |word| word.start);
    let bindings = split(text, 0..end, Class::Comma);
    (bindings, keyword.map(|word| word.end..text.len()))
}
