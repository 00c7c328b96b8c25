//! A line of `simplify --jsonl`: `{"id", "vars": {"d0": [0, 9]}, "expr"}`, also with sizes that have names, or
//! `{"id", "map"}`.
//!
//! Law: an error points into the line as it is written, behind the escapes of its strings.

use super::batch_sizes::Sizes;
use crate::expr::IndexingMap;
use crate::text::json::{in_line, not_json, string};
use crate::text::{Error, ErrorKind, parse_expr, parse_map, parse_symbolic_expr};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A line as it is written. The texts stay where they are, so that positions in them can be found.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(default)]
    id: Value,
    vars: Option<Map<String, Value>>,
    params: Option<Map<String, Value>>,
    multiple_of: Option<Map<String, Value>>,
    #[serde(borrow)]
    facts: Option<Vec<&'a RawValue>>,
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
            (None, Some(expr), Some(vars)) => {
                let sizes = Sizes {
                    line,
                    vars: &vars,
                    params: request.params.as_ref(),
                    multiple_of: request.multiple_of.as_ref(),
                    facts: request.facts.as_deref().unwrap_or_default(),
                };
                Task::from_expression(expr, &sizes)
            }
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

    fn from_expression(raw: &RawValue, sizes: &Sizes<'_>) -> Result<Task, Error> {
        let (line, domain, names) = (sizes.line, sizes.domain()?, sizes.names());
        let text = string(line, raw)?;
        let expr = match sizes.params {
            Some(_) => parse_symbolic_expr(&text, &names),
            None => parse_expr(&text, &names),
        };
        let expr = expr.map_err(|error| in_line(error, line, raw))?;
        Ok(Task {
            // A parameter that divides is positive.
            map: IndexingMap::new(domain, vec![expr]),
            is_expression: true,
        })
    }
}
