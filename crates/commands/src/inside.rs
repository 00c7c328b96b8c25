//! `inside`: decides whether all elements that a map reads are in an array of a shape, and finds the guards needed for that.

use super::arguments::Argument;
use super::failure::Failure;
use super::given::{expr_error, part};
use super::option::C;
use super::output::{Object, Output, Role, Status, Text};
use super::table::{Call, Command, Kind, Parameter};
use super::token::{Class, split};
use super::verdict::{at, point_object};
use super::words::count;
use affinor::expr::{Domain, Expr, IndexingMap};
use affinor::num::{MINUS_INFINITY, PLUS_INFINITY};
use affinor::prove::{Fit, Verdict, fits, is_empty, wide_value_at};
use affinor::text::{
    ErrorKind, Style, parse_symbolic_expr, print_constraint, print_expr, variable_names,
};
use std::sync::Arc;

pub const INSIDE: Command = Command {
    name: "inside",
    parameters: &[Parameter::required("MAP", Kind::Map), Parameter::required("SHAPE", Kind::Point)],
    options: &[C.switch],
    summary: "decide whether MAP never reads outside an array of SHAPE, and which constraints that needs",
    details: "SHAPE has a size for each result, a number or in terms of the parameters of the map: `[8, n]`. It is proved that each\n\
              result is at least 0 and less than its size, at all points, or there is a point where it is not. For each\n\
              constraint of the domain, the answer shows whether the others imply it, whether all is inside without it, or a point\n\
              that would be outside.",
    example: &[
        "inside (i, j) -> (i * 96 + j), domain: i in [0, 10], j in [0, 95], i * 96 + j in [0, 999] ; [1000]",
        "inside <n>(i, j) -> (i * 96 + j), domain: n in [1, inf], i in [0, inf], j in [0, 95], n - i * 96 - j in [1, inf] ; [n]",
    ],
    makes_map: false,
    keys: r##"
    "reads_outside": {
      "description": "Of `inside`: the results that are not inside, each with a point where it is not, and a condition that would keep it inside.",
      "type": "array",
      "items": { "type": "object", "required": ["result", "value", "point", "inside_where"] }
    }"##,
    run,
};

/// The rooms of a result: the result itself, and its distance from its maximum. Both are at least 0 for elements inside.
type Rooms = [Expr; 2];

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let (argument, shape) = (call.argument(0)?.clone(), call.argument(1)?.clone());
    let map = call.map(&argument)?;
    let rooms = rooms(&map, &shape)?;
    let names = variable_names(map.domain());
    let style = call.session.style;
    let budget = call.proof_budget();
    let verdict = |domain: &Domain| {
        let exprs: Vec<Expr> = rooms.iter().flatten().cloned().collect();
        fits(domain, &exprs, [Some(0), None], &budget)
    };
    let found = verdict(map.domain());
    call.go_on()?;
    let (mut text, status) = match found.iter().find(|fit| matches!(fit, Fit::Leaves { .. })) {
        Some(_) => (Text::of(Role::Bad, "not inside"), Status::Wrong),
        None if found.contains(&Fit::Unknown) => {
            (Text::of(Role::Doubtful, "unknown"), Status::Undecided)
        }
        None => (Text::of(Role::Good, "proved: always inside"), Status::Done),
    };
    if status == Status::Done && is_empty(map.domain(), &budget) == Verdict::Proved {
        text.push(Role::Doubtful, ", but no values meet the conditions");
    }
    let shown = Shown { map: &map, rooms: &rooms, names: &names, style };
    let outside = shown.outside(&found, &mut text);
    let guards = shown.guards(call, status, &verdict, &mut text)?;
    let verdict = match status {
        Status::Done => "proved",
        Status::Wrong => "refuted",
        _ => "unknown",
    };
    let json = Object::new()
        .with("verdict", verdict)
        .with("reads_outside", outside)
        .with("constraints", guards);
    call.emit(Output::new(text, json).status(status));
    Ok(())
}

/// A map, and the rooms of its results in a shape, as they are printed.
struct Shown<'a> {
    map: &'a IndexingMap,
    rooms: &'a [Rooms],
    names: &'a [Arc<str>],
    style: Style,
}

impl Shown<'_> {
    /// Adds the results that leave the shape, or may leave it, to the text; returns those that leave it.
    fn outside(&self, found: &[Fit], text: &mut Text) -> Vec<Object> {
        let mut outside = Vec::new();
        for (number, fit) in found.iter().enumerate() {
            let result = &self.map.results()[number / 2];
            let shown = print_expr(result, self.names, self.style);
            match fit {
                Fit::Always => {}
                Fit::Unknown => {
                    let side = if number % 2 == 0 { "below 0" } else { "beyond its size" };
                    text.push(Role::Doubtful, format!("\n  `{shown}` may be {side}"));
                }
                Fit::Leaves { point, .. } => {
                    let value = wide_value_at(self.map.domain(), result, point);
                    let value = value.map(|value| value.to_string()).unwrap_or_default();
                    text.push(Role::Plain, "\n  ");
                    text.push(Role::Formula, shown.as_str());
                    let place = at(point, self.map.domain());
                    text.push(Role::Plain, format!(" is {value} {place}").trim_end());
                    // The condition that excludes the points on this side.
                    let needed =
                        print_expr(&self.rooms[number / 2][number % 2], self.names, self.style);
                    text.push(Role::Faint, format!("; inside where {needed} >= 0"));
                    outside.push(
                        Object::nested()
                            .with("result", number / 2)
                            .with("value", value)
                            .with("point", point_object(point, self.map.domain()))
                            .with("inside_where", format!("{needed} >= 0")),
                    );
                }
            }
        }
        outside
    }

    /// Adds the constraints that are implied, needed or not needed to the text, and returns them.
    fn guards(
        &self,
        call: &Call<'_>,
        status: Status,
        verdict: &dyn Fn(&Domain) -> Vec<Fit>,
        text: &mut Text,
    ) -> Result<Vec<Object>, Failure> {
        let budget = call.proof_budget();
        let mut guards = Vec::new();
        for (number, constraint) in self.map.domain().constraints().iter().enumerate() {
            let others = without(self.map.domain(), number);
            let shown = print_constraint(constraint, self.names, self.style);
            let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
            let bounds = [
                (lo != MINUS_INFINITY).then(|| i128::from(lo)),
                (hi != PLUS_INFINITY).then(|| i128::from(hi)),
            ];
            let implied = fits(&others, std::slice::from_ref(&constraint.expr), bounds, &budget);
            let (word, point) = if implied == [Fit::Always] {
                ("implied by the others", None)
            } else if status != Status::Done {
                continue;
            } else {
                let left = verdict(&others);
                let outside = left.iter().find_map(|fit| match fit {
                    Fit::Leaves { point, .. } => Some(point.clone()),
                    _ => None,
                });
                match outside {
                    Some(point) => ("needed", Some(point)),
                    None if left.contains(&Fit::Unknown) => continue,
                    None => ("not needed to be inside", None),
                }
            };
            call.go_on()?;
            text.push(Role::Plain, "\n  ");
            text.push(Role::Formula, shown.as_str());
            text.push(Role::Plain, format!(" is {word}"));
            if let Some(point) = &point {
                text.push(Role::Plain, format!(": outside {}", at(point, &others)).trim_end());
            }
            guards.push(
                Object::nested()
                    .with("constraint", shown)
                    .with("needed", point.is_some())
                    .with("implied", word.starts_with("implied"))
                    .with_some("outside_without", point.map(|point| point_object(&point, &others))),
            );
        }
        Ok(guards)
    }
}

/// Returns a domain without one of its constraints.
fn without(domain: &Domain, number: usize) -> Domain {
    let mut others = Domain::new(domain.variables().to_vec());
    for (other, constraint) in domain.constraints().iter().enumerate() {
        if other != number {
            others.constrain(&constraint.expr, constraint.bounds);
        }
    }
    others
}

/// Returns the rooms of each result. A shape is `[8, n]`, `8, n` or `f32[8, n]{1, 0}`.
fn rooms(map: &IndexingMap, shape: &Argument) -> Result<Vec<Rooms>, Failure> {
    let text = &shape.text;
    let (start, end) = match text.find('[') {
        Some(open) => (open + 1, text[open..].find(']').map_or(text.len(), |close| open + close)),
        None => (0, text.len()),
    };
    let items = match text[start..end].trim().is_empty() {
        true => Vec::new(),
        false => split(text, start..end, Class::Comma),
    };
    if items.len() != map.results().len() {
        let message = format!(
            "the map has {}, the shape {}",
            count(map.results().len(), "result"),
            count(items.len(), "size")
        );
        return Err(shape.wrong(ErrorKind::Arity, message).hint("write a shape as `[8, 128]`"));
    }
    let names = variable_names(map.domain());
    let rooms = items.into_iter().zip(map.results()).map(|(item, result)| {
        let item = part(shape, item);
        let size = parse_symbolic_expr(&item.text, &names).map_err(|error| item.blame(error))?;
        if size.variables().iter().any(|id| !map.domain().is_parameter(*id)) {
            let message = "a size is a number, or in terms of the parameters of the map";
            return Err(item.wrong(ErrorKind::Shape, message));
        }
        let last = size.sub(&Expr::constant(1)).and_then(|last| last.sub(result));
        Ok([result.clone(), last.map_err(|error| item.blame(expr_error(error)))?])
    });
    rooms.collect()
}
