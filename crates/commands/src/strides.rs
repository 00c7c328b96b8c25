//! `strides`: the change of each result of a map per step of each variable.
//!
//! Law: a stride is a number, or an expression in parameters, only if the result changes by exactly that at every step within
//! the domain, that is, if the difference simplifies to it. Otherwise it is an interval that contains all differences.

use super::ends::ends;
use super::failure::Failure;
use super::option::C;
use super::output::{Object, Output, Role, Text};
use super::table::{Call, Command, Kind, Parameter};
use affinor::expr::{Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind, print_expr, print_interval, variable_names};
use serde_json::{Value, json};

pub const STRIDES: Command = Command {
    name: "strides",
    parameters: &[Parameter::required("MAP", Kind::Map)],
    options: &[C.switch],
    summary: "show the stride of each result of MAP in each variable",
    details: "The other variables keep their values, and both ends of the step are in the domain. A stride is a number or an\n\
              expression in parameters if it is the same at every step; otherwise an interval contains the differences.\n\
              `no step` marks a variable with a single value.",
    example: &["strides (d0, d1) -> (d0 * 8 + d1, d1 mod 4), domain: d0 in [0, 3], d1 in [0, 7]"],
    makes_map: false,
    keys: r##"
    "strides_by_variable": {
      "description": "Of `strides`: for each variable, by how much each result grows per step: a number, a text in parameters, an interval of all differences, or null where there is no step.",
      "type": "object",
      "additionalProperties": { "type": "array", "items": { "type": ["integer", "string", "array", "null"] } }
    }"##,
    run,
};

/// The change of a result per step.
enum Stride {
    /// The same change at every step.
    Same(Expr),
    /// A change within this interval at each step.
    Differs(Interval),
    /// A variable without steps.
    None,
}

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let map = call.map(&argument)?;
    let names = variable_names(map.domain());
    let variables = (0..).map(VariableId).zip(map.domain().variables());
    let variables = variables.filter(|(_, found)| found.kind != VariableKind::Parameter);
    let (mut rows, mut fields, mut differs) = (Vec::new(), Object::nested(), false);
    for (id, variable) in variables {
        let strides = strides(call, &map, id)?;
        differs |= strides.iter().any(|stride| matches!(stride, Stride::Differs(_)));
        let shown = strides.iter().map(|stride| match stride {
            Stride::Same(expr) => print_expr(expr, &names, call.session.style),
            Stride::Differs(interval) => print_interval(*interval),
            Stride::None => "no step".to_owned(),
        });
        let shown: Vec<String> = shown.collect();
        let values = strides.iter().zip(&shown).map(|(stride, shown)| match stride {
            Stride::Same(expr) => expr.as_constant().map_or(json!(shown), Value::from),
            Stride::Differs(interval) => json!(interval),
            Stride::None => Value::Null,
        });
        fields = fields.with(&variable.name, values.collect::<Value>());
        rows.push((variable.name.to_string(), shown));
    }
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = Text::new();
    for (name, shown) in rows {
        text.new_line();
        text.push(Role::Name, format!("{name:width$}"));
        let is_alone = shown.iter().all(|stride| stride == "no step") && !shown.is_empty();
        text.push(Role::Plain, "  ");
        text.push(
            Role::Formula,
            match &shown[..] {
                _ if is_alone => "no step".to_owned(),
                [only] => only.clone(),
                several => format!("({})", several.join(", ")),
            },
        );
    }
    if text.is_empty() {
        text.push(Role::Faint, "the map has no variables");
    }
    if differs {
        text.push(Role::Faint, "\nan interval: the steps differ, and it contains all of them");
    }
    call.emit(Output::new(text, Object::new().with("strides_by_variable", fields)));
    Ok(())
}

/// Returns the stride of each result along one variable.
fn strides(call: &Call<'_>, map: &IndexingMap, id: VariableId) -> Result<Vec<Stride>, Failure> {
    let Some(differences) = differences(map, id) else {
        let message = "the difference of two values is beyond 64 bits";
        return Err(call.failed(Error::without_span(ErrorKind::Overflow, message)));
    };
    let simplified = call.simplifier()?.simplify(&differences, &call.search_options()?).map;
    call.go_on()?;
    if simplified.domain().is_known_empty() {
        return Ok(simplified.results().iter().map(|_| Stride::None).collect());
    }
    let domain = simplified.domain();
    let is_same = |expr: &Expr| expr.variables().iter().all(|id| domain.is_parameter(*id));
    let bounds = match simplified.results().iter().all(is_same) {
        true => Vec::new(),
        false => ends(call, &simplified)?,
    };
    let results = simplified.results().iter().enumerate();
    let strides = results.map(|(number, expr)| match bounds.get(number).map(|ends| ends.range) {
        Some(range) if !is_same(expr) => match range.as_point() {
            Some(value) => Stride::Same(Expr::constant(value)),
            None => Stride::Differs(range),
        },
        _ => Stride::Same(expr.clone()),
    });
    Ok(strides.collect())
}

/// Returns the map from a point to the change of each result when the variable increases by one, over the points at which
/// both values exist.
fn differences(map: &IndexingMap, id: VariableId) -> Option<IndexingMap> {
    let domain = map.domain();
    let places = (0..).map(VariableId).take(domain.variables().len());
    let places = places.map(|place| match place == id {
        true => Expr::sum(1, [(1, Expr::variable(place))]).ok(),
        false => Some(Expr::variable(place)),
    });
    let moved = map.over(domain, &places.collect::<Option<Vec<Expr>>>()?)?;
    let mut both = moved.domain().clone();
    for constraint in domain.constraints() {
        both.constrain(&constraint.expr, constraint.bounds);
    }
    let pairs = moved.results().iter().zip(map.results());
    let results = pairs.map(|(after, before)| after.sub(before).ok());
    Some(IndexingMap::new(both, results.collect::<Option<Vec<Expr>>>()?))
}
