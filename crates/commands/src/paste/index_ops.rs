//! Lines of MLIR that compute an index: `%r = affine.apply #map(%i)`, and index arithmetic of `arith`; also in loops.
//!
//! Law: each value is a map over the values that no line defines; those have the bounds of their loops, or none. Ops that round toward zero, may wrap, or
//! depend on memory are rejected by name.

use super::index_loops::{Head, Part, parts};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::{expr_error, part};
use crate::output::{Object, Output, Role, Text, clipped};
use crate::table::Call;
use crate::token::{Class, split};
use crate::words::count;
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::text::{Error, ErrorKind, Span, Style, is_name, print_map};
use affinor_mlir::{arithmetic, delinearized, linearized};
use std::collections::BTreeMap;

/// Returns whether all lines of a text are of this kind, or loops around such lines.
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
        // `affine.store` after it on the same line is another operation, which is not of this kind.
        let dialects = ["affine.", "arith.", "index.", "linalg.", "memref.", "scf.", "vector."];
        let is_op = |word: &&str| dialects.iter().any(|dialect| word.starts_with(dialect));
        name.trim_start().starts_with('%')
            && ops.iter().any(|name| op.starts_with(name))
            && op.split_whitespace().skip(1).find(is_op).is_none()
    };
    // Most texts are told by their first line.
    let first = text.trim_start().lines().next().unwrap_or_default();
    let is_loop = first.starts_with("affine.for ") || first.starts_with("scf.for ");
    if !is_loop && !is_one(first) {
        return false;
    }
    let parts = parts(text).unwrap_or_default();
    let is_meant = |part: &Part| match part {
        Part::Op(span) => is_one(&text[span.clone()]),
        Part::Head(_) | Part::End => true,
    };
    !parts.is_empty() && parts.iter().all(is_meant)
}

/// The maximal number of results of one line.
const MOST_RESULTS: usize = 100;

/// A value that no line defines.
struct Undefined {
    name: String,
    bounds: Interval,
}

/// A loop around the current line.
struct Loop {
    name: String,
    counter: Expr,
    /// The value that had its name before.
    before: Option<Expr>,
    /// The number of constraints of the loops around it.
    constraints: usize,
}

/// The values that lines define, and the variables that they depend on.
#[derive(Default)]
struct Values {
    known: BTreeMap<String, Expr>,
    variables: Vec<Undefined>,
    /// Constraints on the variables that are counters of loops.
    constraints: Vec<(Expr, Interval)>,
    /// Undefined values that are read as the constants in their names.
    assumed: Vec<String>,
    /// The loops around the current line, the innermost last.
    loops: Vec<Loop>,
}

/// Answers each line with the map of its value, which is named in the session.
pub fn answer(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let mut values = Values::default();
    let (mut named, mut innermost) = (Vec::new(), Vec::new());
    let all = parts(&argument.text).unwrap_or_default();
    for (one, next) in all.iter().zip(all.iter().skip(1).map(Some).chain([None])) {
        match one {
            Part::Op(span) => {
                for (name, value) in values.line(call, &part(argument, span.clone()))? {
                    named.push((name.clone(), values.map(&value)));
                    values.known.insert(name, value);
                }
            }
            Part::Head(head) => {
                values.enter(argument, head)?;
                if next == Some(&Part::End) {
                    innermost.push(values.iterations());
                }
            }
            Part::End => values.leave(),
        }
    }
    for name in &values.assumed {
        let said = format!("`%{name}` is not defined here, and read as the constant in its name");
        let json = None;
        call.emit(Output { json, ..Output::new(Text::of(Role::Faint, said), Object::new()) });
    }
    if named.is_empty() {
        let said = "nothing is read or written in the loops; their iterations:";
        call.emit(Output::new(Text::of(Role::Faint, said), Object::new().with("accesses", 0)));
        let mut lines =
            innermost.iter().map(|map| format!("count {}", print_map(map, Style::Plain)));
        return lines.try_for_each(|line| run(call, argument, &line));
    }
    for (name, map) in named {
        let map = call.simplifier()?.simplify(&map, &call.search_options()?).map;
        let text = print_map(&map, call.session.style);
        run(call, argument, &format!("let {} = {text}", word(call, &name)))?;
    }
    Ok(())
}

/// Runs a line in place of the argument.
fn run(call: &mut Call<'_>, argument: &Argument, line: &str) -> Result<(), Failure> {
    let status = call.commands.run(call.session, line, &mut *call.host);
    let status = status.map_err(|failure| argument.blame(Error { span: None, ..failure.error }))?;
    call.status = call.status.and(status);
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
        // MLIR prints a constant by this name.
        let value = match name.strip_prefix('c').map(str::parse) {
            Some(Ok(number)) => {
                self.assumed.push(name.to_owned());
                Expr::constant(number)
            }
            _ => self.variable(name, Interval::ALL),
        };
        self.known.insert(name.to_owned(), value.clone());
        Ok(value)
    }

    /// Adds a variable.
    fn variable(&mut self, name: &str, bounds: Interval) -> Expr {
        self.variables.push(Undefined { name: name.to_owned(), bounds });
        Expr::variable(VariableId(u32::try_from(self.variables.len() - 1).unwrap_or(u32::MAX)))
    }

    /// Begins a loop: its counter is a variable.
    fn enter(&mut self, argument: &Argument, head: &Head) -> Result<(), Failure> {
        let text = &*argument.text;
        let lower = self.operand(argument, text, head.lower.clone())?;
        let upper = self.operand(argument, text, head.upper.clone())?;
        let step = match &head.step {
            None => Expr::constant(1),
            Some(step) => self.operand(argument, text, step.clone())?,
        };
        let Some(step) = step.as_constant().filter(|step| *step >= 1) else {
            let span = head.step.clone().unwrap_or(head.name.clone());
            let message = "the step of a loop is a number of at least 1 here";
            let error = Error::new(ErrorKind::Unsupported, span.clone(), message);
            let step = &text[span];
            let hint = format!("define it in a line above: `{step} = arith.constant 1 : index`");
            let is_named = step.starts_with('%');
            return Err(argument.blame(if is_named { error.hint(hint) } else { error }));
        };
        let last = upper.as_constant().map_or(PLUS_INFINITY, |end| end.saturating_sub(1));
        let bounds = Interval::new(lower.as_constant().unwrap_or(MINUS_INFINITY), last);
        let name = &text[head.name.clone()];
        let (counter, constraints) = (self.variable(name, bounds), self.constraints.len());
        let wrong = |error: ExprError| argument.blame(expr_error(error));
        let run = counter.sub(&lower).map_err(wrong)?;
        if lower.as_constant().is_none() {
            self.constraints.push((run.clone(), Interval::at_least(0)));
        }
        if upper.as_constant().is_none() {
            let left = upper.sub(&counter).map_err(wrong)?;
            self.constraints.push((left, Interval::at_least(1)));
        }
        if step > 1 {
            self.constraints.push((run.modulo(step).map_err(wrong)?, Interval::point(0)));
        }
        let (name, before) = (name.to_owned(), self.known.insert(name.to_owned(), counter.clone()));
        self.loops.push(Loop { name, counter, before, constraints });
        Ok(())
    }

    /// Ends the innermost loop.
    fn leave(&mut self) {
        let Some(Loop { name, before, constraints, .. }) = self.loops.pop() else { return };
        self.constraints.truncate(constraints);
        match before {
            Some(before) => drop(self.known.insert(name, before)),
            None => drop(self.known.remove(&name)),
        }
    }

    /// Returns the iterations of the loops around the current line, as a map from the counters to themselves.
    fn iterations(&self) -> IndexingMap {
        let counters = self.loops.iter().map(|one| one.counter.clone());
        self.over(counters.collect()).without_unused(&[VariableKind::Dimension])
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
                refused(format!("`{op}` is not supported here"), hint)
            }
        }
    }

    /// Returns a value as a map over the variables that it needs, in the order of their first use.
    fn map(&self, value: &Expr) -> IndexingMap {
        self.over(vec![value.clone()]).without_unused(&[VariableKind::Dimension])
    }

    fn over(&self, results: Vec<Expr>) -> IndexingMap {
        let variables = self.variables.iter().map(|Undefined { name, bounds }| {
            Variable::new(in_names(name), VariableKind::Dimension, *bounds)
        });
        let mut domain = Domain::new(variables.collect());
        for (expr, bounds) in &self.constraints {
            domain.constrain(expr, *bounds);
        }
        IndexingMap::new(domain, results)
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
