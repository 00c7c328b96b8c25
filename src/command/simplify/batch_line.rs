//! A line of `simplify --jsonl`: `{"id", "vars": {"d0": [0, 9]}, "expr"}` or `{"id", "map"}`.
//!
//! Law: an error points into the line as it is written, behind the escapes of its strings.

use crate::expr::{Domain, IndexingMap, Variable, VariableKind};
use crate::num::Interval;
use crate::text::json::{in_line, not_json, string};
use crate::text::{Error, ErrorKind, is_name, parse_expr, parse_map};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A line as it is written. The texts stay where they are, so that positions in them can be found.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(default)]
    id: Value,
    vars: Option<Map<String, Value>>,
    #[serde(borrow)]
    expr: Option<&'a RawValue>,
    #[serde(borrow)]
    map: Option<&'a RawValue>,
}

/// The id alone, for a line that is wrong otherwise.
#[derive(Deserialize)]
struct Identified {
    #[serde(default)]
    id: Value,
}

/// What a line asks for.
pub struct Task {
    /// The map to simplify.
    pub map: IndexingMap,
    /// Was it given as `vars` and `expr`? Then the answer is an expression.
    pub is_expression: bool,
}

impl Task {
    /// The id of a line (`null` if it has none), and what it asks for.
    pub fn read(line: &str) -> (Value, Result<Task, Error>) {
        let request: Request<'_> = match serde_json::from_str(line) {
            Ok(request) => request,
            Err(error) => {
                let identified: Result<Identified, _> = serde_json::from_str(line);
                let id = identified.map_or(Value::Null, |identified| identified.id);
                return (id, Err(not_json(&error, line)));
            }
        };
        let task = match (request.map, request.expr, request.vars) {
            (Some(map), None, None) => Task::from_map(line, map),
            (None, Some(expr), Some(vars)) => Task::from_expression(line, expr, &vars),
            _ => Err(Error::new(
                ErrorKind::Encoding,
                0..line.len(),
                "expected either `map`, or `vars` and `expr`",
            )
            .hint("write {\"id\": .., \"vars\": {\"d0\": [0, 9]}, \"expr\": \"d0 mod 4\"}")),
        };
        (request.id, task)
    }

    fn from_map(line: &str, raw: &RawValue) -> Result<Task, Error> {
        let text = string(line, raw)?;
        let map = parse_map(&text).map_err(|error| in_line(error, line, raw))?;
        Ok(Task {
            map,
            is_expression: false,
        })
    }

    fn from_expression(
        line: &str,
        raw: &RawValue,
        vars: &Map<String, Value>,
    ) -> Result<Task, Error> {
        let mut variables = Vec::with_capacity(vars.len());
        for (name, bounds) in vars {
            let wrong = |kind, message: String| Error::new(kind, 0..line.len(), message);
            if !is_name(name) {
                let message = format!("`{name}` cannot be the name of a variable");
                return Err(wrong(ErrorKind::Name, message));
            }
            let pair = bounds.as_array().map(Vec::as_slice);
            let Some([Some(lo), Some(hi)]) = pair.map(|pair| match pair {
                [lo, hi] => [lo.as_i64(), hi.as_i64()],
                _ => [None, None],
            }) else {
                let message = format!("the bounds of `{name}` are not two 64-bit integers");
                return Err(wrong(ErrorKind::Domain, message).hint("write [lo, hi]"));
            };
            let bounds = Interval::new(lo, hi);
            variables.push(Variable::new(
                name.as_str(),
                VariableKind::Dimension,
                bounds,
            ));
        }
        let text = string(line, raw)?;
        let names: Vec<&str> = vars.keys().map(String::as_str).collect();
        let expr = parse_expr(&text, &names).map_err(|error| in_line(error, line, raw))?;
        Ok(Task {
            map: IndexingMap::new(Domain::new(variables), vec![expr]),
            is_expression: true,
        })
    }
}
