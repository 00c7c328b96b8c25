//! A line of `simplify --jsonl`: `{"id", "vars": {"d0": [0, 9]}, "expr"}`, possibly with named sizes, or `{"id", "map"}`.
//!
//! Law: an error points into the line as it is written, with the escapes of its strings.

use super::batch_sizes::Sizes;
use affinor::expr::IndexingMap;
use affinor::text::json::{Entries, in_line, not_json, string};
use affinor::text::{Error, ErrorKind, parse_expr, parse_map, parse_symbolic_expr};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A line as it is written. Texts are kept raw, so that positions in them can be found.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(default)]
    id: Value,
    #[serde(borrow)]
    vars: Option<Entries<'a>>,
    #[serde(borrow)]
    params: Option<Entries<'a>>,
    #[serde(borrow)]
    multiple_of: Option<Entries<'a>>,
    #[serde(borrow)]
    facts: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    expr: Option<&'a RawValue>,
    #[serde(borrow)]
    map: Option<&'a RawValue>,
}

/// The id alone, for a line that is otherwise invalid.
#[derive(Deserialize)]
struct Identified {
    #[serde(default)]
    id: Value,
}

/// The query in a line.
pub struct Task {
    /// The map to simplify.
    pub map: IndexingMap,
    /// Whether it was given as `vars` and `expr`: the answer is then an expression.
    pub is_expression: bool,
}

impl Task {
    /// Returns the id of a line (`null` if it has no id), and its query.
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
            (Some(map), None, None) => {
                let of_sizes = [
                    request.params.is_some(),
                    request.multiple_of.is_some(),
                    request.facts.is_some(),
                ];
                match of_sizes.contains(&true) {
                    false => Task::from_map(line, map),
                    true => Err(Error::new(
                        ErrorKind::Encoding,
                        0..line.len(),
                        "`params`, `multiple_of` and `facts` do not go with `map`",
                    )
                    .hint("facts about the parameters are constraints of the map's domain")),
                }
            }
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
        Ok(Task { map, is_expression: false })
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
            // A divisor that is a parameter becomes positive.
            map: IndexingMap::new(domain, vec![expr]),
            is_expression: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the line parses to this map.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let task = Task::read(line).1.map(|task| task.map.to_string());
        assert_eq!(task.as_deref(), Ok(expected), "{line}");
    }

    /// Checks that the line is rejected with this message at the text `marked`.
    #[track_caller]
    fn reject(line: &str, message: &str, marked: &str) {
        let Err(error) = Task::read(line).1 else {
            panic!("{line} is read");
        };
        assert_eq!(error.message, message, "{line}");
        let found = error.span.and_then(|span| line.get(span));
        assert_eq!(found, Some(marked), "{line}");
    }

    #[test]
    fn lines_with_sizes() {
        check(
            r#"{"params": {"n": [1, null], "m": [1, null]}, "multiple_of": {"n": 4}, "facts": ["n <= m"],
                "vars": {"d0": [0, "m - 1"], "d1": [0, "n - 1"]}, "expr": "(d0 * n + d1) floordiv n"}"#,
            "<n, m>(d0, d1) -> ((d0 * n + d1) floordiv n), domain: n in [1, inf], m in [1, inf], d0 in [0, m - 1], d1 in [0, n - 1], n - m in [-inf, 0], n mod 4 in [0, 0]",
        );
        // Divisors are positive.
        check(
            r#"{"params": {"n": [0, null], "m": [null, 9]}, "vars": {"x": [null, 3]}, "expr": "x mod n + x floordiv (m * (n + 1))"}"#,
            "<n, m>(x) -> (x floordiv (m * (n + 1)) + x mod n), domain: n in [1, inf], m in [-inf, 9], x in [-inf, 3], m * (n + 1) in [1, inf]",
        );
        let facts = |facts: &str, expected: &str| {
            let line = format!(
                r#"{{"params": {{"n": [0, null], "m": [0, null]}}, "facts": [{facts}], "vars": {{}}, "expr": "n + m"}}"#
            );
            check(&line, &format!("<n, m>() -> (n + m), domain: {expected}"));
        };
        facts(r#""n < m""#, "n in [0, inf], m in [0, inf], n - m in [-inf, -1]");
        facts(r#""n>m+2""#, "n in [0, inf], m in [0, inf], n - m in [3, inf]");
        facts(r#""n = 7", "m == n""#, "n in [7, 7], m in [0, inf], -n + m in [0, 0]");
        facts(r#""m >= n""#, "n in [0, inf], m in [0, inf], -n + m in [0, inf]");
        facts(r#""n mod 4 == 1""#, "n in [0, inf], m in [0, inf], n mod 4 in [1, 1]");
        // The second fact moves the lower bound to 1, which the first one excludes; the last one excludes no bound.
        facts(r#""n != 1", "n != 0", "m != 9""#, "n in [2, inf], m in [0, inf]");
        facts(r#""n * m != 0""#, "n in [0, inf], m in [0, inf], n * m in [1, inf]");
        facts(r#""3 != 3""#, "empty");
        facts(r#""3 < 4""#, "n in [0, inf], m in [0, inf]");
        check(
            r#"{"vars": {"x": [0, null]}, "expr": "x mod 3"}"#,
            "(x) -> (x mod 3), domain: x in [0, inf]",
        );
        check(
            r#"{"params": {}, "vars": {"x": [0, 7], "y": [2, 3]}, "expr": "x floordiv y"}"#,
            "<>(x, y) -> (x floordiv y), domain: x in [0, 7], y in [2, 3]",
        );
        check(
            r#"{"map": "<n>(d0) -> (d0 mod n), domain: n in [1, inf], d0 in [0, n]"}"#,
            "<n>(d0) -> (d0 mod n), domain: n in [1, inf], d0 in [0, n]",
        );
    }

    #[test]
    fn lines_with_wrong_sizes() {
        reject(
            r#"{"params": {"n": [0]}, "vars": {}, "expr": "n"}"#,
            "the bounds of `n` are not two 64-bit integers",
            "[0]",
        );
        reject(
            r#"{"params": {"n": [0, true]}, "vars": {}, "expr": "n"}"#,
            "the bounds of `n` are not two 64-bit integers",
            "[0, true]",
        );
        reject(
            r#"{"vars": {"x": [0, "9"]}, "expr": "x"}"#,
            "the bounds of `x` are not two 64-bit integers",
            r#"[0, "9"]"#,
        );
        reject(
            r#"{"params": {"n": [0, 1]}, "vars": {"n": [0, 9]}, "expr": "n"}"#,
            "`n` is both a variable and a parameter",
            "[0, 1]",
        );
        reject(
            r#"{"params": {"n": [0, 1], "n": [2, 3]}, "vars": {}, "expr": "n"}"#,
            "`n` is given twice",
            "[2, 3]",
        );
        reject(
            r#"{"vars": {"x": [0, 1], "x": [2, 3]}, "expr": "x"}"#,
            "`x` is given twice",
            "[2, 3]",
        );
        reject(
            r#"{"params": {"n m": [0, 1]}, "vars": {}, "expr": "1"}"#,
            "invalid variable name `n m`",
            "[0, 1]",
        );
        reject(
            r#"{"params": {"mod": [0, 1]}, "vars": {}, "expr": "1"}"#,
            "invalid variable name `mod`",
            "[0, 1]",
        );
        reject(
            r#"{"params": {"n": [0, 1]}, "vars": {"x": [0, "x"]}, "expr": "n"}"#,
            "the bound of `x` is not over other parameters",
            r#""x""#,
        );
        reject(
            r#"{"params": {"n": [0, 1]}, "vars": {"x": [0, 1], "y": [0, "n + x"]}, "expr": "n"}"#,
            "the bound of `y` is not over other parameters",
            r#""n + x""#,
        );
        reject(
            r#"{"params": {"n": [0, 1]}, "vars": {"x": [0, "n + q"]}, "expr": "n"}"#,
            "unknown variable `q`",
            "q",
        );
        reject(
            r#"{"params": {"n": [0, 1]}, "vars": {"x": [0, "n -"]}, "expr": "n"}"#,
            "expected a name, a number, `-` or `(`, found the end of the text",
            "",
        );
        for (given, marked) in [
            (r#"{"n": 0}"#, "0"),
            (r#"{"x": 2}"#, "2"),
            (r#"{"q": 2}"#, "2"),
            (r#"{"n": "4"}"#, r#""4""#),
        ] {
            let name = &given[2..3];
            reject(
                &format!(
                    r#"{{"params": {{"n": [0, 1]}}, "multiple_of": {given}, "vars": {{"x": [0, 1]}}, "expr": "n"}}"#
                ),
                &format!("`multiple_of` does not give a parameter `{name}` a positive integer"),
                marked,
            );
        }
        reject(
            r#"{"params": {"n": [0, 1]}, "facts": [3], "vars": {}, "expr": "n"}"#,
            "expected a string",
            "3",
        );
        reject(
            r#"{"params": {"n": [0, 1]}, "facts": ["n <= "], "vars": {}, "expr": "n"}"#,
            "expected a name, a number, `-` or `(`, found the end of the text",
            "",
        );
        let with_map = r#"{"map": "(d0) -> (d0), domain: d0 in [0, 1]", "facts": ["d0 < 1"]}"#;
        reject(with_map, "`params`, `multiple_of` and `facts` do not go with `map`", with_map);
        reject(
            r#"{"params": {"n": [0, 1]}, "facts": ["n + 1"], "vars": {}, "expr": "n"}"#,
            "expected a comparison",
            "n + 1",
        );
        reject(
            r#"{"params": {"n": [0, 1]}, "facts": ["n <= q"], "vars": {}, "expr": "n"}"#,
            "unknown variable `q`",
            "q",
        );
        reject(
            r#"{"params": {"n": [0, 1]}, "vars": {}, "expr": "n mod 0"}"#,
            "division by zero",
            "0",
        );
        reject(
            r#"{"vars": {"x": [1, 9]}, "expr": "x mod x"}"#,
            "the divisor must be an integer literal",
            "x",
        );
        reject(
            r#"{"map": "<n>(d0) -> (d0 mod n), domain: n in [0, inf], d0 in [0, n]"}"#,
            "the divisor `n` is not known to be positive",
            "n",
        );
    }
}
