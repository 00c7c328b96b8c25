//! Lines of MLIR that compute an index: `%r = affine.apply #map(%i)`, and index arithmetic of `arith`.
//!
//! Law: each value is a map over the values that no line defines; those have no bounds. Ops that round toward zero, may wrap, or
//! depend on memory are rejected by name.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::{expr_error, part};
use crate::output::clipped;
use crate::table::Call;
use crate::token::{Class, split};
use crate::words::count;
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind, Span, is_name, print_map};
use affinor_mlir::{arithmetic, delinearized, linearized};
use std::collections::BTreeMap;

/// Returns whether all lines of a text are of this kind.
pub fn is_index_ops(text: &str) -> bool {
    let is_one = |line: &str| {
        let Some((name, op)) = line.split_once('=') else { return false };
        let op = op.trim_start();
        let ops = [
            "affine.apply",
            "affine.min",
            "affine.max",
            "affine.delinearize_index",
            "affine.linearize_index",
            "xla.apply_indexing",
            "arith.",
            "index.",
        ];
        name.trim_start().starts_with('%') && ops.iter().any(|name| op.starts_with(name))
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(is_one)
}

/// The maximal number of results of one line.
const MOST_RESULTS: usize = 100;

/// The values that lines define, and the variables that they depend on.
#[derive(Default)]
struct Values {
    known: BTreeMap<String, Expr>,
    variables: Vec<String>,
}

/// Answers each line with the map of its value, which is named in the session.
pub fn answer(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let mut values = Values::default();
    let mut start = 0;
    let mut named = Vec::new();
    for line in argument.text.split('\n') {
        let span = start..start + line.len();
        start = span.end + 1;
        let line = part(argument, span);
        if line.text.trim().is_empty() {
            continue;
        }
        for (name, value) in values.line(call, &line)? {
            values.known.insert(name.clone(), value.clone());
            named.push((name, value));
        }
    }
    for (name, value) in named {
        let map = values.map(&value);
        let map = call.simplifier()?.simplify(&map, &call.search_options()?).map;
        let text = print_map(&map, call.session.style);
        let line = format!("let {} = {text}", word(call, &name));
        let status = call.commands.run(call.session, &line, &mut *call.host);
        let status =
            status.map_err(|failure| argument.blame(Error { span: None, ..failure.error }))?;
        call.status = call.status.and(status);
    }
    Ok(())
}

/// Returns the name in the session of MLIR's `%name`.
fn word(call: &Call<'_>, name: &str) -> String {
    match call.commands.named(name) {
        None => in_names(name),
        Some(_) => format!("v_{name}"),
    }
}

/// Turns the name of a value of MLIR into a valid name of a map or a variable.
fn in_names(name: &str) -> String {
    match is_name(name) {
        true => name.to_owned(),
        false => format!("v_{}", name.replace(['.', '$', '-', '#'], "_")),
    }
}

/// Returns the names of the results: `%0:2` are `0#0` and `0#1`, and `%a, %b` are `a` and `b`.
fn names(line: &Argument, left: &str) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for item in left.split(',') {
        let name = item.trim().trim_start_matches('%');
        match name.split_once(':') {
            None => names.push(name.to_owned()),
            Some((name, count)) => match count.parse() {
                Ok(count @ 1..=MOST_RESULTS) => {
                    names.extend((0..count).map(|k| format!("{name}#{k}")));
                }
                _ => {
                    let message = format!("expected a number of results from 1 to {MOST_RESULTS}");
                    return Err(line.wrong(ErrorKind::Syntax, message));
                }
            },
        }
    }
    Ok(names)
}

impl Values {
    /// Returns the values of a line with their names.
    fn line(&mut self, call: &Call<'_>, line: &Argument) -> Result<Vec<(String, Expr)>, Failure> {
        let text = line.text.split("//").next().unwrap_or_default();
        let (left, _) = text.split_once('=').unwrap_or_default();
        let names = names(line, left)?;
        let rest = left.len() + 1;
        let start = rest + text[rest..].len() - text[rest..].trim_start().len();
        let is_part = |c: char| c.is_alphanumeric() || "._".contains(c);
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |at| start + at);
        let results = match &text[start..end] {
            "affine.apply" | "xla.apply_indexing" => self.applied(call, line, (text, end))?,
            op @ ("affine.min" | "affine.max") => {
                let results = self.applied(call, line, (text, end))?;
                if results.is_empty() {
                    return Err(line.wrong(ErrorKind::Arity, "the map has no results"));
                }
                let value = match op {
                    "affine.min" => Expr::min(results),
                    _ => Expr::max(results),
                };
                vec![value.map_err(|error| line.blame(expr_error(error)))?]
            }
            "affine.delinearize_index" => {
                let (value, basis) = self.with_basis(line, (text, end), "into")?;
                let digits = match value.as_slice() {
                    [value] => delinearized(value, &basis, names.len()),
                    _ => None,
                };
                of_basis(line, digits)?
            }
            "affine.linearize_index" => {
                let (digits, basis) = self.with_basis(line, (text, end), "by")?;
                vec![of_basis(line, linearized(&digits, &basis))?]
            }
            op => vec![self.arithmetic(line, (text, start..end), op)?],
        };
        if results.len() != names.len() {
            let results = count(results.len(), "result");
            let message = format!("{results} cannot have {}", count(names.len(), "name"));
            return Err(line.wrong(ErrorKind::Arity, message));
        }
        Ok(names.into_iter().zip(results).collect())
    }

    /// Returns the values and the basis of `disjoint [%i, %j] by (4, 8)`, or `%i into (4, 8)`.
    fn with_basis(
        &mut self,
        line: &Argument,
        (text, start): (&str, usize),
        word: &str,
    ) -> Result<(Vec<Expr>, Vec<i64>), Failure> {
        let found = text[start..].split_once(&format!(" {word} ("));
        let list = found.and_then(|(_, basis)| basis.split_once(')'));
        let basis = list.map(|(list, _)| list.split(',').filter(|size| !size.trim().is_empty()));
        let basis: Option<Result<Vec<i64>, _>> =
            basis.map(|sizes| sizes.map(|size| size.trim().parse()).collect());
        let (Some((given, _)), Some(Ok(basis))) = (found, basis) else {
            let message = format!("expected `{word}` and the basis, numbers in brackets");
            return Err(line.wrong(ErrorKind::Syntax, message));
        };
        // Indices are in a list; a value that is split is not.
        let list = given.find('[').zip(given.find(']')).filter(|(open, close)| open < close);
        let inside = match (list, word) {
            (Some((open, close)), "by") => open + 1..close,
            (None, "into") => 0..given.len(),
            _ => {
                let message = "expected `[%i, %j] by (..)` or `%i into (..)`";
                return Err(line.wrong(ErrorKind::Syntax, message));
            }
        };
        let values = self.operands(line, text, start + inside.start..start + inside.end)?;
        Ok((values, basis))
    }

    /// Returns the results of a map applied to operands.
    fn applied(
        &mut self,
        call: &Call<'_>,
        line: &Argument,
        (text, start): (&str, usize),
    ) -> Result<Vec<Expr>, Failure> {
        let wrong = |at: Span, message: &str| {
            let error = Error::new(ErrorKind::Syntax, at, message);
            line.blame(error.hint("write `%r = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)`"))
        };
        let behind = &text[start..];
        let open = match behind.trim_start().starts_with('#') {
            true => behind.find('('),
            // The map ends at the first `>(` that is not part of an arrow.
            false => behind
                .match_indices(">(")
                .map(|(at, _)| at + 1)
                .find(|at| !behind[..at - 1].ends_with('-')),
        };
        let Some(open) = open.map(|at| start + at) else {
            return Err(wrong(start..text.len(), "expected a map and its operands"));
        };
        let map = call.map(&part(line, start..open))?;
        let Some(close) = text[open..].find(')').map(|at| open + at) else {
            return Err(wrong(open..text.len(), "the operands are not closed"));
        };
        let mut places = self.operands(line, text, open + 1..close)?;
        let symbols = &text[close + 1..];
        if let (Some(from), Some(to)) = (symbols.find('['), symbols.find(']'))
            && from < to
            && symbols[..from].trim().is_empty()
        {
            places.extend(self.operands(line, text, close + 2 + from..close + 1 + to)?);
        }
        let variables = map.domain().variables();
        let kinds: Vec<VariableKind> = variables.iter().map(|variable| variable.kind).collect();
        if kinds.contains(&VariableKind::Range) && kinds.contains(&VariableKind::Parameter) {
            let message = "a symbol is a factor or divisor here, and another one is not";
            return Err(line.wrong(ErrorKind::Unsupported, message));
        }
        if places.len() != variables.len() {
            let message = format!(
                "the map has {}, and is given {}",
                count(variables.len(), "variable"),
                count(places.len(), "operand")
            );
            return Err(line.wrong(ErrorKind::Arity, message));
        }
        let results = map.results().iter().map(|result| result.substitute(&places));
        let results: Result<Vec<Expr>, ExprError> = results.collect();
        results.map_err(|error| line.blame(expr_error(error)))
    }

    fn operands(&mut self, line: &Argument, text: &str, span: Span) -> Result<Vec<Expr>, Failure> {
        let items = split(text, span, Class::Comma);
        let items = items.into_iter().filter(|item| !text[item.clone()].trim().is_empty());
        items.map(|item| self.operand(line, text, item)).collect()
    }

    /// Returns the value of `%name`, or of an integer.
    fn operand(&mut self, line: &Argument, text: &str, span: Span) -> Result<Expr, Failure> {
        let given = text[span.clone()].trim();
        if let Ok(number) = given.parse() {
            return Ok(Expr::constant(number));
        }
        let Some(name) = given.strip_prefix('%') else {
            let error = Error::new(ErrorKind::Syntax, span, "expected an operand such as `%i`");
            return Err(line.blame(error));
        };
        if let Some(known) = self.known.get(name) {
            return Ok(known.clone());
        }
        let place = self.variables.iter().position(|known| known == name);
        let place = place.unwrap_or_else(|| {
            self.variables.push(name.to_owned());
            self.variables.len() - 1
        });
        Ok(Expr::variable(VariableId(u32::try_from(place).unwrap_or(u32::MAX))))
    }

    /// Evaluates an op of `arith`, whose operands precede the colon.
    fn arithmetic(
        &mut self,
        line: &Argument,
        (text, at): (&str, Span),
        op: &str,
    ) -> Result<Expr, Failure> {
        let end = text[at.end..].find(" : ").map_or(text.len(), |colon| at.end + colon);
        let operands = self.operands(line, text, at.end..end)?;
        let refused = |message: String, hint: &str| {
            let error = Error::new(ErrorKind::Unsupported, at.clone(), message);
            Err(line.blame(error.hint(hint)))
        };
        let given = text[end..].trim_start_matches(" : ").trim();
        let is_read = match op {
            "arith.index_cast" => given.ends_with("to index"),
            _ => matches!(given, "index" | ""),
        };
        if op.starts_with("arith.") && !is_read {
            let hint = "values of type `index` are read, as integers";
            return refused(format!("`{op}` of `{}` may wrap", clipped(given)), hint);
        }
        if let Some(value) = arithmetic(op, &operands) {
            return value.map_err(|error| line.blame(expr_error(error)));
        }
        match (op, operands.as_slice()) {
            ("arith.constant" | "arith.index_cast", [x]) => Ok(x.clone()),
            ("arith.muli", [_, _]) => {
                let hint = "index maps are quasi-affine: one factor is a constant";
                refused("a map cannot multiply two variables".to_owned(), hint)
            }
            ("arith.divsi" | "arith.remsi", _) => {
                let hint = "`arith.floordivsi` and `affine.apply` with floordiv and mod round down";
                refused(format!("`{op}` rounds toward zero"), hint)
            }
            _ => {
                let hint = "affine.apply, min and max are read, and of arith constant, index_cast, addi, subi, muli, \
                            floordivsi and ceildivsi by a positive constant, minsi, maxsi";
                refused(format!("`{op}` is not read here"), hint)
            }
        }
    }

    /// Returns a value as a map over the variables, in the order of their first use.
    fn map(&self, value: &Expr) -> IndexingMap {
        let variables = self
            .variables
            .iter()
            .map(|name| Variable::new(in_names(name), VariableKind::Dimension, Interval::ALL));
        let map = IndexingMap::new(Domain::new(variables.collect()), vec![value.clone()]);
        map.without_unused(&[VariableKind::Dimension])
    }
}

/// Returns the value, or the error that the basis and the indices do not match.
fn of_basis<T>(line: &Argument, found: Option<Result<T, ExprError>>) -> Result<T, Failure> {
    match found {
        Some(found) => found.map_err(|error| line.blame(expr_error(error))),
        None => {
            let message =
                "the basis has positive sizes, one for each index, or for each but the first";
            Err(line.wrong(ErrorKind::Arity, message))
        }
    }
}
