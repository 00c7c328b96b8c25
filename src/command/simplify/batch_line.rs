//! A line of `simplify --jsonl`: `{"id", "vars": {"d0": [0, 9]}, "expr"}` or `{"id", "map"}`.
//!
//! Law: an error points into the line as it is written, behind the escapes of its strings.

use crate::expr::{Domain, IndexingMap, Variable, VariableKind};
use crate::num::Interval;
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

/// The error for a text that is not the JSON that it should be.
pub fn not_json(error: &serde_json::Error, line: &str) -> Error {
    let column = error.column().saturating_sub(1).min(line.len());
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    Error::new(
        ErrorKind::Encoding,
        column..(column + 1).min(line.len()).max(column),
        format!("this is not the JSON that is expected: {message}"),
    )
}

/// The string that `raw`, a part of `line`, stands for.
pub fn string(line: &str, raw: &RawValue) -> Result<String, Error> {
    serde_json::from_str(raw.get()).map_err(|_| {
        let start = offset(line, raw);
        let span = start..start + raw.get().len();
        Error::new(ErrorKind::Encoding, span, "expected a string")
    })
}

/// Where `raw`, which is borrowed from `line`, begins in it.
pub fn offset(line: &str, raw: &RawValue) -> usize {
    let start = raw.get().as_ptr() as usize - line.as_ptr() as usize;
    start.min(line.len())
}

/// An error in the text that the JSON string `raw` stands for, as an error in the line.
pub fn in_line(error: Error, line: &str, raw: &RawValue) -> Error {
    let start = offset(line, raw);
    let moved = error.span.clone().map(|span| {
        let [from, to] = [span.start, span.end].map(|at| start + escaped_offset(raw.get(), at));
        from..to
    });
    Error {
        span: moved,
        ..error
    }
}

/// The byte of the JSON string `literal`, quotes included, at which byte `at` of its value is written.
fn escaped_offset(literal: &str, at: usize) -> usize {
    let mut value = 0;
    let mut position = 1; // behind the quote
    while value < at && position < literal.len() {
        let rest = &literal[position..];
        let (written, meant) = if rest.starts_with("\\u") {
            let code = rest
                .get(2..6)
                .and_then(|hex| u32::from_str_radix(hex, 16).ok());
            match code {
                // The first half of a surrogate pair: two escapes, one character of four bytes.
                Some(0xd800..=0xdbff) => (12, 4),
                Some(code) => (6, char::from_u32(code).map_or(3, char::len_utf8)),
                None => (6, 1),
            }
        } else if rest.starts_with('\\') {
            (2, 1)
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            (length, length)
        };
        value += meant;
        position += written;
    }
    position.min(literal.len())
}

#[cfg(test)]
mod tests {
    use super::escaped_offset;

    #[test]
    fn positions_in_a_string_are_found_behind_its_escapes() {
        let literal = r#""a\"\u00fc\ud83d\ude00b""#; // the value is a"ü😀b
        for (at, written) in [(0, 1), (1, 2), (2, 4), (4, 10), (8, 22), (9, 23), (99, 24)] {
            assert_eq!(escaped_offset(literal, at), written, "{at}");
        }
    }
}
