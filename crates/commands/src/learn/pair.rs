//! Two forms of a map, and the lines of `learn --jsonl` that specify them.

use crate::simplify::batch_line::Task;
use affinor::expr::{Expr, IndexingMap, VariableId, VariableKind};
use affinor::text::json::{in_line, not_json, string};
use affinor::text::{Error, ErrorKind, parse_expr, parse_map, parse_symbolic_expr};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A map and a smaller map on its domain.
pub struct Pair {
    /// The map.
    pub map: IndexingMap,
    /// The equal, smaller map.
    pub smaller: IndexingMap,
}

/// The fields of a line beyond those of `simplify --jsonl`.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    smaller: Option<&'a RawValue>,
}

impl Pair {
    /// Returns the id of a line (`null` if it has no id), and its pair.
    pub fn read(line: &str) -> (Value, Result<Pair, Error>) {
        let (id, task) = Task::read(line);
        (id, task.and_then(|task| Pair::of_task(line, task)))
    }

    fn of_task(line: &str, task: Task) -> Result<Pair, Error> {
        let request: Request<'_> =
            serde_json::from_str(line).map_err(|error| not_json(&error, line))?;
        let Some(raw) = request.smaller else {
            let message = "expected `smaller`";
            let error = Error::new(ErrorKind::Encoding, 0..line.len(), message);
            return Err(error.hint("give the smaller form: {.., \"smaller\": \"d0 mod 4\"}"));
        };
        let text = string(line, raw)?;
        let map = task.map;
        let smaller = match task.is_expression {
            true => smaller_expression(&map, &text),
            false => smaller_map(&map, &text),
        };
        let smaller = smaller.map_err(|error| in_line(error, line, raw))?;
        Ok(Pair { map, smaller })
    }
}

/// Parses an expression over the variables of the map, on its domain.
fn smaller_expression(map: &IndexingMap, text: &str) -> Result<IndexingMap, Error> {
    let domain = map.domain();
    let names: Vec<&str> = domain.variables().iter().map(|one| &*one.name).collect();
    let expr = match domain.count(VariableKind::Parameter) {
        0 => parse_expr(text, &names)?,
        _ => parse_symbolic_expr(text, &names)?,
    };
    Ok(IndexingMap::new(domain.clone(), vec![expr]))
}

fn smaller_map(map: &IndexingMap, text: &str) -> Result<IndexingMap, Error> {
    let other = read_map(text, &parse_map)?;
    beside(map, &other, text)
}

/// Reads a map, possibly without a domain.
///
/// # Errors
/// The errors of `read`.
pub fn read_map<T, E>(text: &str, read: &impl Fn(&str) -> Result<T, E>) -> Result<T, E> {
    read(text).or_else(|error| read(&format!("affine_map<{}>", text.trim())).map_err(|_| error))
}

/// Returns the second map on the domain of the first, with variables matched by name, else by position.
///
/// # Errors
/// If it has other variables, or a different number of results.
pub fn beside(map: &IndexingMap, other: &IndexingMap, text: &str) -> Result<IndexingMap, Error> {
    let names: Vec<&str> = map.domain().variables().iter().map(|one| &*one.name).collect();
    let others = other.domain().variables();
    let place = |(place, name): (usize, &str)| {
        let by_name = names.iter().position(|known| *known == name);
        let id = by_name.or((others.len() == names.len()).then_some(place))?;
        Some(Expr::variable(VariableId(u32::try_from(id).ok()?)))
    };
    let places = others.iter().map(|one| &*one.name).enumerate().map(place);
    let over = places.collect::<Option<Vec<Expr>>>().and_then(|places| {
        let results = other.results().iter().map(|result| result.substitute(&places));
        let results = results.collect::<Result<Vec<Expr>, _>>().ok()?;
        Some(IndexingMap::new(map.domain().clone(), results))
    });
    let same = over.filter(|over| over.results().len() == map.results().len());
    same.ok_or_else(|| {
        let message = "its variables, or its number of results, differ from those of the first map";
        let error = Error::new(ErrorKind::Unsupported, 0..text.len(), message);
        error.hint("use the variables of the first map")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the line yields this smaller map.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let pair = Pair::read(line).1.map(|pair| pair.smaller.to_string());
        assert_eq!(pair.as_deref(), Ok(expected), "{line}");
    }

    /// Checks that the line is rejected with this message.
    #[track_caller]
    fn reject(line: &str, message: &str) {
        let error = Pair::read(line).1.map(|pair| pair.smaller.to_string());
        assert_eq!(error.map_err(|error| error.message), Err(message.to_owned()), "{line}");
    }

    #[test]
    fn lines() {
        check(
            r#"{"vars": {"d0": [0, 7]}, "expr": "d0 mod 8", "smaller": "d0"}"#,
            "(d0) -> (d0), domain: d0 in [0, 7]",
        );
        check(
            r#"{"params": {"n": [1, null]}, "vars": {"d0": [0, "n - 1"]}, "expr": "(d0 + n) mod n", "smaller": "d0 mod n"}"#,
            "<n>(d0) -> (d0 mod n), domain: n in [1, inf], d0 in [0, n - 1]",
        );
        check(
            r#"{"map": "(d0, d1) -> (d0 mod 8, d1), domain: d0 in [0, 7], d1 in [0, 1]", "smaller": "(a, b) -> (a, b)"}"#,
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 1]",
        );
        reject(r#"{"vars": {"d0": [0, 7]}, "expr": "d0 mod 8"}"#, "expected `smaller`");
        reject(
            r#"{"vars": {"d0": [0, 7]}, "expr": "d0 mod 8", "smaller": "d1"}"#,
            "unknown variable `d1`",
        );
        reject(
            r#"{"map": "(d0) -> (d0 mod 8), domain: d0 in [0, 7]", "smaller": "(d0) -> (d0, d0)"}"#,
            "its variables, or its number of results, differ from those of the first map",
        );
    }
}
