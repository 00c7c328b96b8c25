//! `eval` and `range`: the values of a map at a point and over its domain.

use super::arguments::Argument;
use super::compose::count;
use super::failure::Failure;
use super::output::{Object, Output, Role, Text};
use super::session::Call;
use super::table::{Command, Kind, Parameter};
use crate::error::{Error, ErrorKind};
use crate::expr::EvalError;
use crate::map::IndexingMap;
use crate::syntax::{print_expr, variable_names};
use serde_json::Value;

/// `eval`
pub const EVAL: Command = Command {
    name: "eval",
    parameters: &[
        Parameter {
            name: "MAP",
            kind: Kind::Map,
            required: true,
        },
        Parameter {
            name: "POINT",
            kind: Kind::Point,
            required: false,
        },
    ],
    options: &[],
    summary: "the results of MAP at POINT",
    details: "POINT is a list of integers: for the dimensions, then the range variables, then the runtime\n\
              variables. Outside its domain a map has no value.",
    example: &["eval (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 9] ; 7"],
    makes_map: false,
    run: run_eval,
};

fn run_eval(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?;
    let map = call.map(argument)?;
    let place = call.arguments.positional.get(1).unwrap_or(argument);
    let point = match call.arguments.positional.get(1) {
        Some(point) => parse_point(point)?,
        None => Vec::new(),
    };
    let expected = map.domain().variables().len();
    if point.len() != expected {
        return Err(place
            .wrong(
                ErrorKind::Arity,
                format!(
                    "the map has {}, the point has {}",
                    count(expected, "variable"),
                    count(point.len(), "coordinate")
                ),
            )
            .hint("give a value for each dimension, range variable and runtime variable, in this order"));
    }
    let failed = |error: &EvalError| argument.blame(eval_error(&map, call, error));
    let output = if map.domain().contains(&point).map_err(|e| failed(&e))? {
        let values = map.eval(&point).map_err(|e| failed(&e))?;
        let list: Vec<String> = values.iter().map(i64::to_string).collect();
        Output::new(
            Text::of(Role::Formula, format!("({})", list.join(", "))),
            Object::new().with("result", values),
        )
    } else {
        Output::new(
            Text::of(Role::Doubtful, "outside the domain"),
            Object::new()
                .with("result", Value::Null)
                .with("outside", true),
        )
    };
    call.emit(output);
    Ok(())
}

fn eval_error(map: &IndexingMap, call: &Call<'_>, error: &EvalError) -> Error {
    match error {
        EvalError::Overflow(expr) => {
            let names = variable_names(map.domain());
            let shown = print_expr(expr, &names, call.session.style);
            Error::without_span(
                ErrorKind::Overflow,
                format!("the value of `{}` is beyond 64 bits", clipped(&shown)),
            )
        }
        EvalError::Missing(_) => Error::without_span(ErrorKind::Arity, error.to_string()),
    }
}

/// `3, -4`, also in brackets.
fn parse_point(argument: &Argument) -> Result<Vec<i64>, Failure> {
    let text = argument.text.as_str();
    let inner = text.trim();
    let inner = match inner.strip_prefix('(').and_then(|s| s.strip_suffix(')')) {
        Some(inner) => inner,
        None => inner,
    };
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut position = text.find(inner).unwrap_or(0);
    let mut point = Vec::new();
    for item in inner.split(',') {
        let number = item.trim();
        let start = position + item.len() - item.trim_start().len();
        position += item.len() + 1;
        let value = number.parse::<i64>().map_err(|error| {
            let span = start..start + number.len();
            let is_large = matches!(
                error.kind(),
                std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow
            );
            let error = if is_large {
                Error::new(ErrorKind::Overflow, span, "this integer is beyond 64 bits")
            } else {
                Error::new(ErrorKind::Syntax, span, "expected an integer")
                    .hint("write a point as `3,4`")
            };
            argument.blame(error)
        })?;
        point.push(value);
    }
    Ok(point)
}

/// At most 200 characters of `text`.
#[must_use]
pub fn clipped(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
