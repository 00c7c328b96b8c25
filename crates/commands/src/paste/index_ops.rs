//! Lines of MLIR that compute an index: `%r = affine.apply #map(%i)`, and index arithmetic of `arith`.
//!
//! Law: each value is the map of what its line computes, over the values that no line defines; they have no bounds. What rounds
//! toward zero, wraps, or depends on memory is refused by name.

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
use std::collections::BTreeMap;

/// Whether all lines of a text are of this kind.
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
        ];
        name.trim_start().starts_with('%') && ops.iter().any(|name| op.starts_with(name))
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(is_one)
}

/// The values that lines define, and the variables that they are over.
#[derive(Default)]
struct Values {
    known: BTreeMap<String, Expr>,
    variables: Vec<String>,
}

/// Answers each line by the map of its value, which gets its name.
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
        let (name, results) = values.line(call, &line)?;
        // `%0:3` names `%0#0` and so on.
        let (name, is_list) = match name.as_deref().and_then(|name| name.split_once(':')) {
            Some((name, _)) => (Some(name.to_owned()), true),
            None => (name, false),
        };
        for (k, value) in results.into_iter().enumerate() {
            let name = match is_list {
                true => name.as_ref().map(|name| format!("{name}#{k}")),
                false => name.clone(),
            };
            named.push((name.clone(), value.clone()));
            if let Some(name) = name {
                values.known.insert(name, value);
            }
        }
    }
    for (name, value) in named {
        let map = values.map(&value);
        let map = call.simplifier()?.simplify(&map, &call.search_options()?).map;
        let text = print_map(&map, call.session.style);
        let line = match name {
            Some(name) => format!("let {} = {text}", word(call, &name)),
            None => format!("show {text}"),
        };
        let status = call.commands.run(call.session, &line, &mut *call.host);
        let status =
            status.map_err(|failure| argument.blame(Error { span: None, ..failure.error }))?;
        call.status = call.status.and(status);
    }
    Ok(())
}

/// The name in the session of what MLIR calls `%name`.
fn word(call: &Call<'_>, name: &str) -> String {
    let is_free = is_name(name) && call.commands.named(name).is_none();
    if is_free { name.to_owned() } else { format!("v_{}", name.replace(['.', '$', '-', '#'], "_")) }
}

impl Values {
    fn line(
        &mut self,
        call: &Call<'_>,
        line: &Argument,
    ) -> Result<(Option<String>, Vec<Expr>), Failure> {
        let text = line.text.split("//").next().unwrap_or_default();
        let equals = text.find('=').filter(|_| text.trim_start().starts_with('%'));
        let name = equals.map(|at| text[..at].trim().trim_start_matches('%').to_owned());
        let rest = equals.map_or(0, |at| at + 1);
        let start = rest + text[rest..].len() - text[rest..].trim_start().len();
        let is_part = |c: char| c.is_alphanumeric() || "._".contains(c);
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |at| start + at);
        let has_many = name.as_ref().is_some_and(|name| name.contains(':'));
        let value = match &text[start..end] {
            op @ ("affine.apply" | "affine.min" | "affine.max" | "xla.apply_indexing") => {
                let results = self.applied(call, line, (text, end))?;
                match op {
                    "affine.min" => Expr::min(results),
                    "affine.max" => Expr::max(results),
                    _ if has_many => return Ok((name, results)),
                    _ => match <[Expr; 1]>::try_from(results) {
                        Ok([only]) => Ok(only),
                        Err(results) => {
                            let message = format!("the map has {} results, not one", results.len());
                            return Err(line.wrong(ErrorKind::Arity, message));
                        }
                    },
                }
            }
            "affine.delinearize_index" => {
                let basis = basis(line, text, end, "into")?;
                let operand = text[end..].split_once(" into").map_or(0, |(before, _)| before.len());
                let value = self.operand(line, text, end..end + operand)?;
                let parts = delinearized(&value, &basis).map_err(expr_error);
                return Ok((name, parts.map_err(|error| line.blame(error))?));
            }
            "affine.linearize_index" => {
                let basis = basis(line, text, end, "by")?;
                let (Some(from), Some(to)) = (text.find('['), text.find(']')) else {
                    let message = "expected the indices between brackets";
                    return Err(line.wrong(ErrorKind::Syntax, message));
                };
                let indices = self.operands(line, text, from + 1..to)?;
                // The first size does not count.
                let mut value = Ok(Expr::constant(0));
                let sizes = basis.iter().skip(usize::from(basis.len() == indices.len()));
                for (k, index) in indices.iter().enumerate() {
                    let scale =
                        if k == 0 { 1 } else { sizes.clone().nth(k - 1).copied().unwrap_or(1) };
                    value = value.and_then(|value: Expr| value.scale(scale)?.add(index));
                }
                value
            }
            op => self.arithmetic(line, (text, start..end), op)?,
        };
        let value = value.map_err(|error| line.blame(expr_error(error)))?;
        Ok((name, vec![value]))
    }

    /// The results of a map at operands.
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
            // The end of the map, which no arrow has behind its dash.
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

    /// The value of `%name`, or of an integer.
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

    /// An op of `arith`, whose operands stand before the colon.
    fn arithmetic(
        &mut self,
        line: &Argument,
        (text, at): (&str, Span),
        op: &str,
    ) -> Result<Result<Expr, ExprError>, Failure> {
        let end = text[at.end..].find(" : ").map_or(text.len(), |colon| at.end + colon);
        let operands = self.operands(line, text, at.end..end)?;
        let refused = |message: String, hint: &str| {
            let error = Error::new(ErrorKind::Unsupported, at.clone(), message);
            Err(line.blame(error.hint(hint)))
        };
        let constant = |x: &Expr| x.as_constant();
        let given = text[end..].trim_start_matches(" : ").trim();
        let is_read = match op {
            "arith.index_cast" => given.ends_with("to index"),
            _ => matches!(given, "index" | ""),
        };
        if op.starts_with("arith.") && !is_read {
            let hint = "values of type `index` are read, as integers";
            return refused(format!("`{op}` of `{}` may wrap", clipped(given)), hint);
        }
        Ok(match (op, operands.as_slice()) {
            ("arith.constant" | "arith.index_cast", [x]) => Ok(x.clone()),
            ("arith.addi", [x, y]) => x.add(y),
            ("arith.subi", [x, y]) => x.sub(y),
            ("arith.muli", [x, y]) => match (constant(x), constant(y)) {
                (Some(factor), _) => y.scale(factor),
                (_, Some(factor)) => x.scale(factor),
                _ => {
                    let hint = "index maps are quasi-affine: one factor is a constant";
                    return refused("a map cannot multiply two variables".to_owned(), hint);
                }
            },
            ("arith.floordivsi", [x, y]) if constant(y).is_some_and(|c| c > 0) => {
                x.floordiv(constant(y).unwrap_or(1))
            }
            ("arith.ceildivsi", [x, y]) if constant(y).is_some_and(|c| c > 0) => x
                .scale(-1)
                .and_then(|x| x.floordiv(constant(y).unwrap_or(1)))
                .and_then(|x| x.scale(-1)),
            ("arith.minsi", [x, y]) => Expr::min([x.clone(), y.clone()]),
            ("arith.maxsi", [x, y]) => Expr::max([x.clone(), y.clone()]),
            ("arith.divsi" | "arith.remsi", _) => {
                let hint = "`arith.floordivsi` and `affine.apply` with floordiv and mod round down";
                return refused(format!("`{op}` rounds toward zero"), hint);
            }
            _ => {
                let hint = "affine.apply, min and max are read, and of arith constant, index_cast, addi, subi, muli, \
                            floordivsi and ceildivsi by a positive constant, minsi, maxsi";
                return refused(format!("`{op}` is not read here"), hint);
            }
        })
    }

    /// A value as a map over the variables, in the order in which they were met.
    fn map(&self, value: &Expr) -> IndexingMap {
        let variables = self.variables.iter().map(|name| {
            let name = match is_name(name) {
                true => name.clone(),
                false => format!("v_{}", name.replace(['.', '$', '-', '#'], "_")),
            };
            Variable::new(name, VariableKind::Dimension, Interval::ALL)
        });
        let map = IndexingMap::new(Domain::new(variables.collect()), vec![value.clone()]);
        map.without_unused(&[VariableKind::Dimension])
    }
}

/// The numbers between the brackets behind `word`.
fn basis(line: &Argument, text: &str, start: usize, word: &str) -> Result<Vec<i64>, Failure> {
    let list = text[start..].split_once(&format!("{word} (")).map(|(_, rest)| rest);
    let list = list.and_then(|rest| rest.split_once(')')).map(|(list, _)| list);
    let numbers = list.and_then(|list| {
        list.split(',').map(|number| number.trim().parse().ok().filter(|n| *n > 0)).collect()
    });
    numbers.ok_or_else(|| {
        let message = format!("expected `{word} (` and positive numbers");
        line.wrong(ErrorKind::Syntax, message)
    })
}

/// The digits of a value: the last has the last size.
fn delinearized(value: &Expr, basis: &[i64]) -> Result<Vec<Expr>, ExprError> {
    let mut digits = Vec::new();
    let mut rest = value.clone();
    for size in basis.iter().skip(1).rev() {
        digits.push(rest.modulo(*size)?);
        rest = rest.floordiv(*size)?;
    }
    digits.push(rest);
    digits.reverse();
    Ok(digits)
}
