//! `eval` and `range`: the values of a map at a point and over its domain.

use super::failure::Failure;
use super::given::parse_point;
use super::output::{Object, Output, Role, Text, clipped};
use super::table::{Call, Command, Kind, Parameter};
use super::words::{count, tuple};
use crate::expr::{EvalError, IndexingMap};
use crate::prove::{Tightness, tightness};
use crate::text::{Error, ErrorKind, print_expr, print_interval, variable_names};
use serde_json::Value;

pub const RANGE: Command = Command {
    name: "range",
    parameters: &[Parameter::required("MAP", Kind::Map)],
    options: &[],
    summary: "bound each result of MAP by an interval, and say whether the bounds are tight",
    details: "The interval contains every value of the result over the domain. It is tight if both bounds are attained.",
    example: &["range (d0) -> (d0 * 2, d0 mod 4), domain: d0 in [0, 9]"],
    makes_map: false,
    run: run_range,
};

pub const EVAL: Command = Command {
    name: "eval",
    parameters: &[
        Parameter::required("MAP", Kind::Map),
        Parameter::optional("POINT", Kind::Point),
    ],
    options: &[],
    summary: "evaluate MAP at POINT",
    details: "POINT lists the values of the dimensions, then of the range variables, then of the runtime variables. A map is\n\
              undefined outside its domain.",
    example: &["eval (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 9] ; 7"],
    makes_map: false,
    run: run_eval,
};

fn run_range(call: &mut Call<'_>) -> Result<(), Failure> {
    let map = call.map(call.argument(0)?)?;
    let ranges = map.ranges();
    let smallest: Vec<Option<bool>> = tightness(&map, &ranges, &call.proof_budget())
        .into_iter()
        .map(Tightness::is_smallest)
        .collect();
    call.go_on()?;
    let mut text = Text::new();
    for (range, smallest) in ranges.iter().zip(&smallest) {
        text.new_line();
        text.push(Role::Formula, print_interval(*range));
        match smallest {
            Some(true) => {}
            Some(false) => text.push(Role::Doubtful, " not the smallest"),
            None => text.push(Role::Doubtful, " perhaps not the smallest"),
        }
    }
    if text.is_empty() {
        text.push(Role::Faint, "the map has no results");
    }
    let json = Object::new()
        .with("ranges", &ranges)
        .with("tight", smallest);
    call.emit(Output::new(text, json));
    Ok(())
}

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
        Output::new(
            Text::of(Role::Formula, tuple(&values)),
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
                format!("the value of `{}` does not fit in 64 bits", clipped(&shown)),
            )
        }
        EvalError::Divisor(expr) => {
            let names = variable_names(map.domain());
            let shown = print_expr(expr, &names, call.session.style);
            let message = format!("the divisor `{}` is not positive there", clipped(&shown));
            Error::without_span(ErrorKind::Division, message)
        }
        EvalError::Missing(_) => Error::without_span(ErrorKind::Arity, error.to_string()),
    }
}
