//! The values and instructions of a computation under construction.

use crate::emit::{Line, Names};
use crate::tree::{Binding, Op, Use};
use crate::types::{Type, joined};
use affinor_maps::text::{Error, ErrorKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The reason why an op is not lowered.
pub(crate) enum Stop {
    /// The text is invalid.
    Wrong(Box<Error>),
    /// The op is not understood, for this reason.
    Unknown(String),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Wrong(Box::new(error))
    }
}

/// Returns [`Stop::Unknown`] with a reason.
pub(crate) fn unknown<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Unknown(reason.into()))
}

/// Converts a missing value to [`Stop::Unknown`].
pub(crate) trait OrUnknown<T> {
    fn or_unknown<R: Into<String>>(self, reason: impl FnOnce() -> R) -> Result<T, Stop>;
}

impl<T> OrUnknown<T> for Option<T> {
    fn or_unknown<R: Into<String>>(self, reason: impl FnOnce() -> R) -> Result<T, Stop> {
        self.ok_or_else(|| Stop::Unknown(reason().into()))
    }
}

/// Returns the error for a value that is not defined.
pub(crate) fn not_defined(used: &Use<'_>) -> Error {
    let message = format!("`%{}` is not defined", used.name);
    let error = Error::new(ErrorKind::Hlo, used.span.clone(), message);
    error.hint("define it above, or correct its name")
}

/// A value of a computation.
#[derive(Clone)]
pub(crate) struct Value<'t, 'a> {
    /// The line of the instruction.
    pub(crate) line: usize,
    pub(crate) ty: Rc<Type>,
    /// The op that computes it, if the op has no regions, and no other result that is not index arithmetic.
    pub(crate) source: Option<&'t Op<'a>>,
}

/// A computation under construction.
#[derive(Default)]
pub(crate) struct Body<'t, 'a> {
    pub(crate) name: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) names: Names,
    pub(crate) values: FxHashMap<String, Value<'t, 'a>>,
    pub(crate) parameters: usize,
    /// Whether undefined values become parameters.
    pub(crate) is_snippet: bool,
    /// Whether buffers may have been written to.
    pub(crate) is_written: bool,
    /// The integers that some instructions compute which are no `arith.constant`, by line.
    pub(crate) constants: FxHashMap<usize, i64>,
    /// The op of the function.
    pub(crate) function: Option<&'t Op<'a>>,
    /// The ids of threads and blocks, each with their number if it is known, in the order of their loops.
    pub(crate) thread_counts: Vec<(String, Option<i64>)>,
    /// The names of loops.
    pub(crate) loops: Names,
    /// The values that are such an id, with the number of their loop.
    pub(crate) threads: Vec<(String, usize)>,
    /// The lines of values that each thread has its own of: their first dimensions are the loops of the threads.
    pub(crate) by_thread: FxHashSet<usize>,
    /// Notes that the module does not have yet.
    pub(crate) notes: Vec<Error>,
    /// Undefined values that were read as constants, and not reported yet.
    pub(crate) assumed: Vec<&'a str>,
    /// Values that the computation returns after those of the region.
    pub(crate) handed_on: Vec<String>,
}

impl<'t, 'a> Body<'t, 'a> {
    /// Adds an instruction; returns its line.
    pub(crate) fn push(
        &mut self,
        name: &str,
        shape: &str,
        opcode: &str,
        operands: &[usize],
        attributes: &str,
        op: &Op<'a>,
    ) -> usize {
        let named = op.results.first().map_or(&op.name_span, |result| &result.span);
        let names = operands.iter().filter_map(|line| self.lines.get(*line));
        let names: Vec<String> = names.map(|line| format!("%{}", line.name)).collect();
        let code = format!("{shape} {opcode}({}){attributes}", names.join(", "));
        self.push_leaf(name, code, (named.clone(), place(op)))
    }

    /// Adds a `parameter` or a `constant`, whose argument is not a list of operands.
    pub(crate) fn push_leaf(&mut self, name: &str, code: String, spans: (Span, Span)) -> usize {
        let name = self.names.take(name);
        self.lines.push(Line { name, code, name_span: spans.0, span: spans.1 });
        self.lines.len() - 1
    }

    /// Adds a parameter for an argument.
    pub(crate) fn parameter(&mut self, argument: &Binding<'a>, ty: Rc<Type>, attributes: &str) {
        let code = format!("{} parameter({}){attributes}", ty.shape, self.parameters);
        self.parameters += 1;
        let span = argument.span.clone();
        let line = self.push_leaf(argument.name, code, (span.clone(), span));
        self.define(argument.name, line, ty);
    }

    /// Adds the instruction of an op; several results are defined as parts of a tuple.
    pub(crate) fn results(
        &mut self,
        op: &'t Op<'a>,
        opcode: &str,
        operands: &[usize],
        attributes: &str,
    ) -> Result<(), Error> {
        self.results_of(op, &op.result_types()?, opcode, operands, attributes);
        Ok(())
    }

    /// Adds the instruction of an op with results of these types.
    pub(crate) fn results_of(
        &mut self,
        op: &'t Op<'a>,
        types: &[Rc<Type>],
        opcode: &str,
        operands: &[usize],
        attributes: &str,
    ) {
        let name = match (&*op.results, types.len()) {
            ([result, _, ..], _) => format!("{}.all", result.name),
            ([result], _) => result.name.to_owned(),
            ([], _) => op.short().to_owned(),
        };
        let line = self.push(&name, &joined(types), opcode, operands, attributes, op);
        match types {
            [ty] => self.result(op, line, ty.clone()),
            _ => self.parts(op, line, types),
        }
    }

    /// Maps the only result of an op to its instruction.
    pub(crate) fn result(&mut self, op: &'t Op<'a>, line: usize, ty: Rc<Type>) {
        let Some(result) = op.results.first() else { return };
        let source = Some(op).filter(|op| op.regions.is_empty());
        self.values.insert(result.name.to_owned(), Value { line, ty, source });
    }

    /// Maps the results of an op to the first parts of the tuple at `line`.
    pub(crate) fn parts(&mut self, op: &'t Op<'a>, line: usize, types: &[Rc<Type>]) {
        let tuple = self.lines.get(line).map_or(String::new(), |line| line.name.clone());
        for ((k, (name, key, span)), ty) in op.result_names().enumerate().zip(types) {
            let code = format!("{} get-tuple-element(%{tuple}), index={k}", ty.shape);
            let line = self.push_leaf(&name, code, (span, place(op)));
            self.define(&key, line, ty.clone());
        }
    }

    /// Maps a value to its instruction.
    pub(crate) fn define(&mut self, name: &str, line: usize, ty: Rc<Type>) {
        self.values.insert(name.to_owned(), Value { line, ty, source: None });
    }

    /// Returns the values that `op` uses.
    pub(crate) fn uses(
        &mut self,
        uses: &[Use<'a>],
        op: &Op<'a>,
    ) -> Result<Vec<Value<'t, 'a>>, Error> {
        let mut values = Vec::with_capacity(uses.len());
        for (k, used) in uses.iter().enumerate() {
            if let Some(value) = self.values.get(used.name) {
                values.push(match self.is_written && value.ty.is_buffer() {
                    true => self.written(value.clone(), used, op),
                    false => value.clone(),
                });
                continue;
            }
            let ty = op.operand_type(k).filter(|_| self.is_snippet);
            let Some(ty) = ty else {
                return Err(not_defined(used));
            };
            self.undefined(used, ty);
            values.extend(self.values.get(used.name).cloned());
        }
        Ok(values)
    }

    /// Makes an undefined value a parameter; an index such as `%c4` is the constant that MLIR prints by this name.
    pub(crate) fn undefined(&mut self, used: &Use<'a>, ty: Rc<Type>) {
        let Use { name, span } = used.clone();
        let number = name.strip_prefix('c').filter(|_| ty.text == "index");
        if let Some(Ok(number)) = number.map(str::parse::<i64>) {
            let code = format!("{} constant({number})", ty.shape);
            let line = self.push_leaf(name, code, (span.clone(), span));
            self.constants.insert(line, number);
            self.define(name, line, ty);
            self.assumed.push(name);
            return;
        }
        self.parameter(&Binding { name, span, ty: None, attributes: None }, ty, "");
    }

    /// Adds a note to `op` about the values that were read as constants since the last one.
    pub(crate) fn report_assumed(&mut self, op: &Op<'a>) {
        let names: Vec<String> = self.assumed.drain(..).map(|name| format!("`%{name}`")).collect();
        if let [first, ..] = &*names {
            let (are, each) = match names.len() {
                1 => ("is", "the constant in its name"),
                _ => ("are", "the constants in their names"),
            };
            let example = first.trim_matches(['`', '%', 'c']);
            let names = names.join(", ");
            let message = format!("{names} {are} not defined here, and read as {each}");
            let hint = format!("{first} = arith.constant {example} : index").replace('`', "");
            self.notes.push(op.error(message).hint(format!("to be sure, add `{hint}` above")));
        }
    }

    /// Returns the unknown content of a buffer that may have been written to.
    fn written(&mut self, value: Value<'t, 'a>, used: &Use<'a>, op: &Op<'a>) -> Value<'t, 'a> {
        self.notes.push(op.error(format!("`%{}` may have been written to", used.name)));
        let name = format!("{}.written", used.name);
        let line = self.push(&name, &value.ty.shape, "memref.written", &[value.line], "", op);
        Value { line, ..value }
    }

    /// Combines values in a tuple, unless there is exactly one.
    pub(crate) fn joined(&mut self, values: &[Value<'t, 'a>], op: &Op<'a>) -> usize {
        match values {
            [one] => one.line,
            _ => {
                let types: Vec<Rc<Type>> = values.iter().map(|value| value.ty.clone()).collect();
                let lines: Vec<usize> = values.iter().map(|value| value.line).collect();
                let name = match op.results.first() {
                    Some(result) => format!("{}.operands", result.name),
                    None => "results".to_owned(),
                };
                self.push(&name, &joined(&types), "tuple", &lines, "", op)
            }
        }
    }
}

/// Returns the span of an op; for an op with regions, it ends at the op's name.
pub(crate) fn place(op: &Op<'_>) -> Span {
    match op.regions.is_empty() {
        true => op.span.clone(),
        false => op.span.start..op.name_span.end,
    }
}
