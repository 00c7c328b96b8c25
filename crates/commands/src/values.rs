//! `eval` and `range`: the values of a map at a point and over its domain.

use super::arguments::Argument;
use super::bindings;
use super::custom::CUSTOM;
use super::failure::Failure;
use super::given::{parse_point, part};
use super::instruction::{OPERAND, POSITIONS, each};
use super::option::{C, Flag};
use super::output::{Object, Output, Role, Text, clipped};
use super::table::{Call, Command, Kind, Parameter};
use super::token::{Class, split};
use super::words::{count, tuple};
use affinor::expr::{End, EvalError, Expr, IndexingMap, VariableKind};
use affinor::num::Interval;
use affinor::prove::{Tightness, ends, is_attained, tightness};
use affinor::text::{Error, ErrorKind, Span, print_expr, print_interval, variable_names};
use serde_json::Value;

const POINTS: Flag = Flag::new("points", "show the points at which the bounds are attained");

pub const RANGE: Command = Command {
    name: "range",
    parameters: &[Parameter::required("MAP", Kind::Map)],
    options: &[POINTS.switch, OPERAND.switch, POSITIONS.switch, CUSTOM.switch, C.switch],
    summary: "bound each result of MAP by an interval, and decide whether the bounds are tight",
    details: "The interval contains every value of the result over the domain. It is tight if both bounds are attained. For a map with\n\
              parameters, the bounds are in terms of these where such are found and proved; tight is one that is attained for all\n\
              values of the parameters for which the domain has a point.",
    example: &[
        "range model.hlo transpose.3",
        "range (d0) -> (d0 * 2, d0 mod 4), domain: d0 in [0, 9]",
    ],
    makes_map: false,
    keys: r##"
    "attained_at": {
      "description": "Of `range`: for each result whose interval is exact, points that have its ends (null for an infinite one).",
      "type": "array",
      "items": { "type": ["array", "null"], "items": { "type": ["array", "null"], "items": { "type": "integer" } } }
    }"##,
    run: run_range,
};

pub const EVAL: Command = Command {
    name: "eval",
    parameters: &[Parameter::required("MAP", Kind::Map), Parameter::optional("POINT", Kind::Point)],
    options: &[C.switch],
    summary: "evaluate MAP at POINT",
    details: "POINT lists the values of the dimensions, then of the range variables, the runtime variables, and the\n\
              parameters. Any of them may be given by name, `n = 8`; the others keep their order. A map is undefined\n\
              outside its domain.",
    example: &[
        "eval <n>(d0) -> (d0 floordiv n), domain: n in [1, inf], d0 in [0, 9] ; 7, n = 4",
        "eval (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 9] ; 7",
    ],
    makes_map: false,
    keys: "",
    run: run_eval,
};

fn run_range(call: &mut Call<'_>) -> Result<(), Failure> {
    if each(call, |call, read| ranges(call, &read.map.map))? {
        return Ok(());
    }
    let argument = call.argument(0)?.clone();
    let mut map = call.map(&argument)?;
    // If all names in the code are factors, as in `x * x % 8`, they are not known to be sizes.
    let mut variables = map.domain().variables().iter();
    let is_free = variables.all(|variable| {
        variable.kind == VariableKind::Parameter && variable.bounds == Interval::ALL
    });
    if is_free
        && call.is_code(&argument)
        && let Ok((indexed, _)) = map.with_ranges(|_| true)
    {
        map = indexed;
    }
    let output = ranges(call, &map)?;
    call.emit(output);
    Ok(())
}

/// Answers the range of each result of a map.
fn ranges(call: &mut Call<'_>, map: &IndexingMap) -> Result<Output, Failure> {
    let budget = call.proof_budget();
    let found = super::ends::ends(call, map)?;
    let mut ranges: Vec<Interval> = found.iter().map(|ends| ends.range).collect();
    let has_parameters = map.domain().count(VariableKind::Parameter) > 0;
    let mut named = match has_parameters {
        false => vec![[None, None]; ranges.len()],
        true => ends(map, &ranges, &budget),
    };
    for (range, ends) in ranges.iter_mut().zip(&named) {
        *range = with_numbers(*range, ends);
    }
    let mut smallest: Vec<Option<bool>> = match found.iter().all(|ends| ends.is_smallest) {
        true => vec![Some(true); found.len()],
        false => tightness(map, &ranges, &budget).into_iter().map(Tightness::is_smallest).collect(),
    };
    call.go_on()?;
    let mut text = Text::new();
    let names = variable_names(map.domain());
    let mut shown = Vec::new();
    let all = ranges.iter_mut().zip(&mut smallest).zip(&mut named).enumerate();
    for (number, ((range, smallest), named_ends)) in all {
        text.new_line();
        if has_parameters {
            // The bounds are tight if they are attained for all sizes, not just for some.
            let ends = ends_shown(named_ends, *range);
            let is_attained = |end: &Expr| is_attained(map, number, end, &budget);
            let mut is_tight = true;
            for (place, end) in [End::Lower, End::Upper].into_iter().enumerate() {
                if ends[place].as_ref().is_some_and(is_attained) {
                    continue;
                }
                match super::ends::by_size(call, map, number, end)? {
                    None => is_tight = false,
                    exact => named_ends[place] = exact,
                }
            }
            *smallest = match (is_tight, *smallest) {
                (true, _) => Some(true),
                (false, Some(true)) => None,
                (false, other) => other,
            };
        }
        *range = with_numbers(*range, named_ends);
        let named = named_ends.each_ref().map(|end| {
            let end = end.as_ref().filter(|end| end.as_constant().is_none())?;
            Some(print_expr(end, &names, call.session.style))
        });
        if let [None, None] = named {
            text.push(Role::Formula, print_interval(*range));
            shown.push(serde_json::json!(range));
        } else {
            let [lower, upper] = &named;
            let ends = [(lower, End::Lower, range.lo()), (upper, End::Upper, range.hi())];
            let ends = ends.map(|(named, end, number)| match named {
                Some(end) => (end.clone(), Value::from(end.as_str())),
                None if number == end.infinity() => (infinity(end), Value::Null),
                None => (number.to_string(), Value::from(number)),
            });
            text.push(Role::Formula, format!("[{}, {}]", ends[0].0, ends[1].0));
            shown.push(Value::from(ends.map(|(_, json)| json).to_vec()));
        }
        match smallest {
            Some(true) if range.is_empty() => text.push(Role::Faint, " the domain is empty"),
            Some(true) => {}
            Some(false) => text.push(Role::Doubtful, " not the smallest"),
            None => text.push(Role::Doubtful, " perhaps not the smallest"),
        }
        if let (true, false, Some(points)) =
            (call.has(POINTS), has_parameters, &found[number].attained)
        {
            let points = points.iter().flatten().map(|point| tuple(point));
            let points: Vec<String> = points.collect();
            if !points.is_empty() {
                text.push(Role::Plain, format!(" at {}", points.join(" and ")));
            }
        }
    }
    if text.is_empty() {
        text.push(Role::Faint, "the map has no results");
    }
    // With parameters, such a point is for one size only.
    let attained = found.into_iter().map(|ends| ends.attained.filter(|_| !has_parameters));
    let attained: Vec<_> = attained.collect();
    let json =
        Object::new().with("ranges", shown).with("tight", smallest).with("attained_at", attained);
    Ok(Output::new(text, json))
}

/// Returns a range with those ends that are constants for all sizes.
fn with_numbers(range: Interval, ends: &[Option<Expr>; 2]) -> Interval {
    let [lower, upper] = ends.each_ref().map(|end| end.as_ref().and_then(Expr::as_constant));
    Interval::new(lower.unwrap_or(range.lo()), upper.unwrap_or(range.hi()))
}

/// Returns the ends of a result as expressions in the parameters, or else as constants; `None` for an infinite end.
fn ends_shown(named: &[Option<Expr>; 2], range: Interval) -> [Option<Expr>; 2] {
    let [lower, upper] = named.clone();
    let plain = |number: i64, end: End| (number != end.infinity()).then(|| Expr::constant(number));
    [
        lower.or_else(|| plain(range.lo(), End::Lower)),
        upper.or_else(|| plain(range.hi(), End::Upper)),
    ]
}

fn infinity(end: End) -> String {
    match end {
        End::Lower => "-inf".to_owned(),
        End::Upper => "inf".to_owned(),
    }
}

fn run_eval(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?;
    let map = call.map(argument)?;
    let place = call.arguments.positional.get(1).unwrap_or(argument);
    let point = read_point(&map, call.arguments.positional.get(1), place)?;
    let failed = |error: &EvalError| argument.blame(eval_error(&map, call, error));
    let output = if map.domain().contains(&point).map_err(|e| failed(&e))? {
        let values = map.eval(&point).map_err(|e| failed(&e))?;
        Output::new(Text::of(Role::Formula, tuple(&values)), Object::new().with("result", values))
    } else {
        Output::new(
            Text::of(Role::Doubtful, "outside the domain"),
            Object::new().with("result", Value::Null).with("outside", true),
        )
    };
    call.emit(output);
    Ok(())
}

/// Parses numbers separated by commas, then `NAME = VALUE` separated by commas. The numbers are the values of the other
/// variables.
fn read_point(
    map: &IndexingMap,
    point: Option<&Argument>,
    place: &Argument,
) -> Result<Vec<i64>, Failure> {
    let mut values: Vec<Option<i64>> = vec![None; map.domain().variables().len()];
    let mut numbers = Vec::new();
    if let Some(point) = point {
        let items = split(&point.text, 0..point.text.len(), Class::Comma);
        let is_named = |item: &Span| point.text[item.clone()].contains('=');
        let first = items.iter().position(is_named).unwrap_or(items.len());
        for item in &items[first..] {
            let item = part(point, item.clone());
            let (id, value) = bindings::read(map, &item)?;
            if values[id.index()].replace(value).is_some() {
                return Err(item.wrong(ErrorKind::Name, "this variable already has a value"));
            }
        }
        if let Some(last) = items[..first].last() {
            numbers = parse_point(&part(point, 0..last.end))?;
        }
    }
    let expected = values.iter().filter(|value| value.is_none()).count();
    if numbers.len() != expected {
        let named = match values.len() - expected {
            0 => String::new(),
            named => format!(" and {}", count(named, "named value")),
        };
        return Err(place
            .wrong(
                ErrorKind::Arity,
                format!(
                    "the map has {}, the point has {}{named}",
                    count(values.len(), "variable"),
                    count(numbers.len(), "coordinate")
                ),
            )
            .hint("give a value for each dimension, range variable, runtime variable and parameter, in this order"));
    }
    let mut numbers = numbers.into_iter();
    let point = values.into_iter().map(|value| value.or_else(|| numbers.next()));
    Ok(point.map(Option::unwrap_or_default).collect())
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
