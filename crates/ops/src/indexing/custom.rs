//! The table of custom-calls with published semantics: the reads of a target, as maps or as the op that it implements.
//!
//! ```text
//! # a comment
//! "target" "other target": form
//! "my_kernel":
//!   {0} reads 1: (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 15]
//!   {0} may read 0{2}: affine_map<(d0, d1)[s0] -> (d0, s0)>
//! ```
//!
//! A line names a part of the result (omitted if the result is an array), an operand and its part, and a map, which is exact
//! after `reads` and an upper bound after `may read`. Several lines for a pair are a union; a pair without a line is not read.
//! The bounds of an `affine_map` come from the shapes: dimensions are indices of the result, and a variable that is a result of
//! the map is an index of the operand.
//!
//! Law: a map is used only if it fits the shapes: it has a dimension for each dimension of the result, a result for each
//! dimension of the operand, and stays within both. A later entry for a target takes the place of an earlier one.

use super::custom_forms::Form;
use super::op::{Entries, NoMap, Op, bounded_sizes};
use super::reads::{Exactness, OperandMap, Reads, TuplePath};
use affinor::expr::{Domain, Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind, parse_map};
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::shape::Shape;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The reads of custom-calls, by target.
#[derive(Clone, Debug, Default)]
pub struct CustomCalls {
    targets: BTreeMap<Arc<str>, Meaning>,
}

#[derive(Clone, Debug)]
enum Meaning {
    Form(Form),
    Maps(Arc<[Line]>),
}

/// A line of the table: the reads of a part of an operand by a part of the result.
#[derive(Clone, Debug)]
struct Line {
    output: TuplePath,
    operand: usize,
    path: TuplePath,
    is_exact: bool,
    map: IndexingMap,
    /// The number of the map in the table.
    number: usize,
}

impl CustomCalls {
    /// Returns the table of the library.
    #[must_use]
    pub fn published() -> Arc<CustomCalls> {
        static PUBLISHED: OnceLock<Arc<CustomCalls>> = OnceLock::new();
        let read =
            || Arc::new(CustomCalls::read(include_str!("custom_calls.txt")).unwrap_or_default());
        PUBLISHED.get_or_init(read).clone()
    }

    /// Reads a table.
    ///
    /// # Errors
    /// One error at its position.
    pub fn read(text: &str) -> Result<CustomCalls, Error> {
        let mut table = CustomCalls::default();
        let mut open: Option<(Vec<Arc<str>>, Vec<Line>)> = None;
        let mut offset = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let mut words = Words { text: line.trim_end(), at: 0, offset };
            offset += line.len();
            words.skip_spaces();
            if words.rest().is_empty() || words.rest().starts_with('#') {
                continue;
            }
            if words.rest().starts_with('"') {
                table.close(open.take());
                let targets = words.targets()?;
                match words.rest() {
                    "" => open = Some((targets, Vec::new())),
                    _ => table.add(&targets, &Meaning::Form(words.form()?)),
                }
                continue;
            }
            match &mut open {
                Some((_, lines)) => lines.push(words.line(number)?),
                None => {
                    let error = words.error("expected a target in quotes");
                    return Err(error.hint("write `\"my_target\":` before the lines of its maps"));
                }
            }
        }
        table.close(open);
        Ok(table)
    }

    /// Returns the table with the entries of `other`, which replace those for the same targets.
    #[must_use]
    pub fn extended_by(&self, other: CustomCalls) -> CustomCalls {
        let mut extended = self.clone();
        extended.targets.extend(other.targets);
        extended
    }

    fn close(&mut self, open: Option<(Vec<Arc<str>>, Vec<Line>)>) {
        if let Some((targets, lines)) = open {
            self.add(&targets, &Meaning::Maps(lines.into()));
        }
    }

    fn add(&mut self, targets: &[Arc<str>], meaning: &Meaning) {
        let entries = targets.iter().map(|target| (target.clone(), meaning.clone()));
        self.targets.extend(entries);
    }

    /// Returns the reads of a custom-call; `None` if its target is not in the table.
    pub(super) fn entries(&self, op: &Op<'_>) -> Option<Entries> {
        let attribute = op.instruction.attributes().get("custom_call_target")?;
        let AttributeValue::String(target) = attribute.value() else {
            return None;
        };
        Some(match self.targets.get(target)? {
            // Versions differ in the operands of a target: on a mismatch the reads are unknown, but the instruction is not
            // invalid.
            Meaning::Form(form) => form.entries(op).map_err(|error| match error {
                NoMap::Invalid(why) => {
                    NoMap::Unknown(format!("`{target}` is another one here: {why}"))
                }
                NoMap::Attribute(error) => NoMap::Unknown(error.message),
                unknown => unknown,
            }),
            Meaning::Maps(lines) => of_lines(op, target, lines),
        })
    }
}

/// Returns the reads of a custom-call according to the lines of a table.
fn of_lines(op: &Op<'_>, target: &str, lines: &[Line]) -> Entries {
    let mut entries = op.each_pair(&Reads::NOTHING);
    for line in lines {
        let blame = |why: String| {
            NoMap::Invalid(format!("line {} of the table for `{target}`: {why}", line.number))
        };
        let mut pairs = entries.iter_mut();
        let entry = pairs.find(|entry| {
            entry.output == line.output
                && entry.operand == line.operand
                && entry.operand_path == line.path
        });
        let entry = entry.ok_or_else(|| {
            blame("the custom-call has no such result, or no such operand".to_owned())
        })?;
        let array = |shape: &Shape, path: &[usize]| {
            let array = shape.at(path).and_then(|shape| shape.as_array());
            array.map(bounded_sizes)
        };
        let output = array(op.instruction.shape(), &line.output);
        let operand = array(op.operand(line.operand)?.shape(), &line.path);
        let (Some(output), Some(operand)) = (output, operand) else {
            return Err(blame("expected arrays".to_owned()));
        };
        let map = OperandMap {
            map: fitted(&line.map, &output?, &operand?).map_err(blame)?,
            exactness: match line.is_exact {
                true => Exactness::Exact,
                false => Exactness::AtMost {
                    reason: format!(
                        "`{}`: its table says that it may read this",
                        op.instruction.name()
                    )
                    .into(),
                },
            },
            runtime: Vec::new(),
        };
        let known = entry.reads.maps().unwrap_or_default().iter().cloned();
        entry.reads = Reads::union(known.chain([map]));
    }
    Ok(entries)
}

/// Returns the map for arrays of these sizes, with the bounds implied by these.
fn fitted(map: &IndexingMap, output: &[i64], operand: &[i64]) -> Result<IndexingMap, String> {
    let dimensions = map.domain().count(VariableKind::Dimension);
    if dimensions != output.len() || map.results().len() != operand.len() {
        return Err(format!(
            "a map from {dimensions} to {} dimension(s) for a result of sizes {output:?} and an operand of sizes {operand:?}",
            map.results().len()
        ));
    }
    if map.domain().count(VariableKind::Runtime) > 0 {
        return Err("expected a map without runtime variables".to_owned());
    }
    let name = |id: VariableId| &map.domain().variables()[id.index()].name;
    let mut domain: Domain = map.domain().clone();
    let mut within = |id: VariableId, size: i64, of: &str| {
        let (own, all) = (domain.bounds(id), Interval::of_size(size));
        let is_open = !own.is_bounded();
        domain.constrain(&Expr::variable(id), all);
        match is_open || all.contains_all(own) {
            true => Ok(()),
            false => Err(format!("`{}` lies in {own}, and {of} has size {size}", name(id))),
        }
    };
    for (k, size) in output.iter().enumerate() {
        within(VariableId(k as u32), *size, &format!("dimension {k} of the result"))?;
    }
    for (k, (result, size)) in map.results().iter().zip(operand).enumerate() {
        if let Some(id) = result.as_variable() {
            within(id, *size, &format!("dimension {k} of the operand"))?;
        }
    }
    if domain.is_known_empty() {
        return Ok(IndexingMap::new(domain, map.results().to_vec()));
    }
    if let Some(variable) = domain.variables().iter().find(|x| !x.bounds.is_bounded()) {
        return Err(format!(
            "`{}` is not an index of the operand by itself and has no bounds",
            variable.name
        ));
    }
    for (k, (result, size)) in map.results().iter().zip(operand).enumerate() {
        let range = domain.range_of(result);
        if !Interval::of_size(*size).contains_all(range) {
            return Err(format!(
                "result {k} lies in {range}, and dimension {k} of the operand has size {size}; a constraint in the domain keeps it within"
            ));
        }
    }
    Ok(IndexingMap::new(domain, map.results().to_vec()))
}

/// A parser of a line of a table.
struct Words<'t> {
    text: &'t str,
    at: usize,
    /// The offset of the line in the table.
    offset: usize,
}

impl<'t> Words<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn error(&self, message: impl Into<String>) -> Error {
        let start = self.offset + self.at;
        let end = self.offset + self.text.len();
        Error::new(ErrorKind::Syntax, start..end.max(start), message)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
            self.skip_spaces();
        }
        found
    }

    /// Parses `"a" "b":`.
    fn targets(&mut self) -> Result<Vec<Arc<str>>, Error> {
        let mut targets = Vec::new();
        while self.take("\"") {
            let Some(length) = self.rest().find('"') else {
                return Err(self.error("expected `\"` after the target"));
            };
            targets.push(self.rest()[..length].into());
            self.at += length + 1;
            self.skip_spaces();
        }
        match self.take(":") {
            true => Ok(targets),
            false => Err(self.error("expected another target in quotes, or `:`")),
        }
    }

    fn form(&mut self) -> Result<Form, Error> {
        let form = Form::from_name(self.rest());
        form.ok_or_else(|| {
            let names: Vec<&str> = Form::ALL.iter().map(|(name, _)| *name).collect();
            let error = self.error("expected the op that it stands for, or a new line and maps");
            error.hint(format!("known ones: {}", names.join(", ")))
        })
    }

    /// Parses `{0} reads 1: MAP`.
    fn line(&mut self, number: usize) -> Result<Line, Error> {
        let output = self.path()?;
        let is_exact = match (self.take("reads "), self.take("may read ")) {
            (true, _) => true,
            (_, true) => false,
            _ => {
                let error = self.error("expected `reads` or `may read`");
                return Err(error.hint("write `{0} reads 1: (d0) -> (d0), domain: d0 in [0, 7]`"));
            }
        };
        let operand = self.number()?;
        let path = self.path()?;
        if !self.take(":") {
            return Err(self.error("expected `:` and a map"));
        }
        let map = parse_map(self.rest()).map_err(|error| error.shifted(self.offset + self.at))?;
        Ok(Line { output, operand, path, is_exact, map, number })
    }

    /// Parses `{0,1}`, or nothing.
    fn path(&mut self) -> Result<TuplePath, Error> {
        let mut path = TuplePath::new();
        if !self.take("{") {
            return Ok(path);
        }
        loop {
            path.push(self.number()?);
            match (self.take("}"), self.take(",")) {
                (true, _) => return Ok(path),
                (_, true) => {}
                _ => return Err(self.error("expected `,` or `}`")),
            }
        }
    }

    fn number(&mut self) -> Result<usize, Error> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest()[..digits].parse();
        let number =
            number.map_err(|_| self.error("expected the number of an operand or of a part"))?;
        self.at += digits;
        self.skip_spaces();
        Ok(number)
    }
}
