//! The interface for lowering an op: access to its operands and attributes, and construction of its instructions.

use crate::body::{Body, OrUnknown, Stop, Value, unknown};
use crate::lower::{Site, sharding_of};
use crate::row::{Attribute, Form};
use crate::token::Range;
use crate::tree::{Binding, Region};
use crate::types::Type;
use affinor_maps::text::Error;
use std::rc::Rc;

impl<'t, 'a> Site<'_, 't, 'a> {
    /// Operand `k`.
    pub(crate) fn operand(&self, k: usize) -> Result<Value<'t, 'a>, Stop> {
        match self.operands.get(k) {
            Some(value) => Ok(value.clone()),
            None => unknown(format!("it has {} operands", self.operands.len())),
        }
    }

    /// Returns the lines of the operands' instructions.
    pub(crate) fn lines(&self) -> Vec<usize> {
        self.operands.iter().map(|value| value.line).collect()
    }

    /// Returns the type of the result; fails unless the op has exactly one.
    pub(crate) fn result(&self) -> Result<Rc<Type>, Stop> {
        match &*self.op.result_types()? {
            [one] => Ok(one.clone()),
            types => unknown(format!("it has {} results", types.len())),
        }
    }

    /// Returns the sizes of the result; fails unless the op has exactly one.
    pub(crate) fn result_sizes(&self) -> Result<Vec<i64>, Stop> {
        let ty = self.result()?;
        fixed(&ty)
    }

    /// Returns a name for an auxiliary instruction: the name of the result, followed by `part`.
    pub(crate) fn name(&self, part: &str) -> String {
        let name = self.op.results.first().map_or(self.op.short(), |result| result.name);
        match part {
            "" => name.to_owned(),
            part => format!("{name}.{part}"),
        }
    }

    /// Adds an auxiliary instruction.
    pub(crate) fn push(
        &mut self,
        part: &str,
        shape: &str,
        opcode: &str,
        operands: &[usize],
        attributes: &str,
    ) -> usize {
        let name = self.name(part);
        self.body.push(&name, shape, opcode, operands, attributes, self.op)
    }

    /// Adds the instruction of the op; several results are defined as parts of a tuple.
    pub(crate) fn results(
        &mut self,
        opcode: &str,
        operands: &[usize],
        attributes: &str,
    ) -> Result<(), Error> {
        let attributes = format!("{attributes}{}", self.sharding());
        self.body.results(self.op, opcode, operands, &attributes)
    }

    /// Adds the instruction of the op, with a single result of this type.
    pub(crate) fn made(
        &mut self,
        ty: Rc<Type>,
        opcode: &str,
        operands: &[usize],
        attributes: &str,
    ) -> Result<(), Stop> {
        self.body.results_of(self.op, &[ty], opcode, operands, attributes);
        Ok(())
    }

    /// Maps the only result to its instruction.
    pub(crate) fn define(&mut self, line: usize, ty: Rc<Type>) {
        self.body.result(self.op, line, ty);
    }

    /// Defines the results as the first parts of the tuple at `line`.
    pub(crate) fn parts(&mut self, line: usize, types: &[Rc<Type>]) {
        self.body.parts(self.op, line, types);
    }

    /// Defines the only result as a copy of `value`.
    pub(crate) fn is(&mut self, value: &Value<'t, 'a>) -> Result<(), Stop> {
        let ty = self.result()?;
        let line = self.body.push(&self.name(""), &ty.shape, "copy", &[value.line], "", self.op);
        self.define(line, ty);
        Ok(())
    }

    pub(crate) fn sharding(&self) -> String {
        let named = self.op.named(&["mhlo.sharding"]);
        let text = named.and_then(|range| self.lowering.text.string(&range));
        text.and_then(sharding_of).unwrap_or_default()
    }

    /// Returns the attribute with any of these names.
    pub(crate) fn attribute(&self, names: &[&str]) -> Result<Range, Stop> {
        self.op
            .named(names)
            .or_unknown(|| format!("the attribute `{}` is missing", names.last().unwrap_or(&"")))
    }

    /// Returns a list of integers; empty if the attribute is missing.
    pub(crate) fn list(&self, names: &[&str]) -> Result<Vec<i64>, Stop> {
        match self.op.named(names) {
            None => Ok(Vec::new()),
            Some(range) => self.lowering.text.integers(&range).or_unknown(|| {
                format!("`{}` is not a list of integers", self.lowering.text.tokens.slice(&range))
            }),
        }
    }

    /// Returns a list of integers that is required.
    pub(crate) fn needed_list(&self, names: &[&str]) -> Result<Vec<i64>, Stop> {
        self.attribute(names)?;
        self.list(names)
    }

    pub(crate) fn integer(&self, names: &[&str]) -> Result<i64, Stop> {
        let range = self.attribute(names)?;
        match self.lowering.text.integer(&range) {
            Some(number) => Ok(number),
            None => {
                unknown(format!("`{}` is not an integer", self.lowering.text.tokens.slice(&range)))
            }
        }
    }

    /// Returns the value of a boolean attribute; `false` if it is missing.
    pub(crate) fn truth(&self, names: &[&str]) -> bool {
        let named = self.op.named(names);
        named.and_then(|range| self.lowering.text.truth(&range)).unwrap_or(false)
    }

    pub(crate) fn word(&self, names: &[&str]) -> Result<&'a str, Stop> {
        let range = self.attribute(names)?;
        self.lowering
            .text
            .word(&range)
            .or_unknown(|| format!("`{}` is not a word", self.lowering.text.tokens.slice(&range)))
    }

    /// Prints attributes: `, dimensions={0,1}, ..`.
    pub(crate) fn attributes(&mut self, table: &[Attribute]) -> Result<String, Stop> {
        let (mut printed, text) = (String::new(), self.lowering.text);
        for (hlo, names, form) in table {
            let entry = |site: &Self| -> Result<Option<Range>, Stop> {
                Ok(text.entry(
                    &site.attribute(&names[..1])?,
                    names.last().filter(|_| names.len() > 1).unwrap_or(hlo),
                ))
            };
            let value = match form {
                Form::List => braced(&self.needed_list(names)?),
                Form::Lists => braced(&self.list(names)?),
                Form::Number => braced(&[self.integer(names)?]),
                Form::Integer => self.integer(names)?.to_string(),
                Form::Truth => self.truth(names).to_string(),
                Form::Flag if !self.truth(names) => continue,
                Form::Flag => "true".to_owned(),
                Form::Word => self.word(names)?.to_owned(),
                Form::Token => text.tokens.word(self.attribute(names)?.start).to_owned(),
                Form::Entry | Form::EntryIfAny => {
                    let list = entry(self)?.map_or(Some(Vec::new()), |range| text.integers(&range));
                    let key = if names.len() > 1 { names[1] } else { hlo };
                    let list = list.or_unknown(|| format!("`{key}` is not a list"))?;
                    if list.is_empty() && matches!(form, Form::EntryIfAny) {
                        continue;
                    }
                    braced(&list)
                }
                Form::EntryNumber => {
                    let number = entry(self)?.map_or(Some(0), |range| text.integer(&range));
                    number.or_unknown(|| format!("`{hlo}` is not an integer"))?.to_string()
                }
                Form::Groups => {
                    let rows = text.rows(&self.attribute(names)?);
                    let rows = rows.or_unknown(|| format!("`{}` is not supported", names[0]))?;
                    let devices = |row: Vec<i64>| row.into_iter().filter(|device| *device >= 0);
                    let rows =
                        rows.into_iter().map(|row| braced(&devices(row).collect::<Vec<_>>()));
                    format!("{{{}}}", rows.collect::<Vec<_>>().join(","))
                }
                Form::Channel => {
                    let number = self.op.named(names).and_then(|range| {
                        text.integer(&text.entry(&range, "handle").unwrap_or(range))
                    });
                    match number.filter(|number| *number > 0) {
                        Some(number) => number.to_string(),
                        None => continue,
                    }
                }
                Form::Precision => {
                    let Some(range) = self.op.named(names) else { continue };
                    let words = text.meant(&range).map(|at| text.tokens.word(at));
                    let words = words.filter(|word| ["DEFAULT", "HIGH", "HIGHEST"].contains(word));
                    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
                    if words.iter().all(|word| word == "default") {
                        continue;
                    }
                    format!("{{{}}}", words.join(","))
                }
                Form::Computation(role) => format!("%{}", self.computation(0, role)?),
            };
            printed.push_str(&format!(", {hlo}={value}"));
        }
        Ok(printed)
    }

    /// Region `k`.
    pub(crate) fn region(&self, k: usize) -> Result<&'t Region<'a>, Stop> {
        self.op.regions.get(k).or_unknown(|| format!("it has {} regions", self.op.regions.len()))
    }

    /// Returns the computation of region `k`, with the parameters that the region states.
    pub(crate) fn computation(&mut self, k: usize, role: &str) -> Result<String, Stop> {
        let region = self.region(k)?;
        self.computation_of(region, role, &region.arguments)
    }

    /// Returns the computation of a region with these parameters. It captures at most constants.
    pub(crate) fn computation_of(
        &mut self,
        region: &'t Region<'a>,
        role: &str,
        arguments: &[Binding<'a>],
    ) -> Result<String, Stop> {
        let regions = std::slice::from_ref(region);
        if let Some((name, _)) = self.lowering.captured(self.body, regions).first() {
            return unknown(format!("its region uses `%{name}` from around it"));
        }
        let mut types = Vec::new();
        for argument in arguments {
            match &argument.ty {
                Some(ty) => types.push(ty.clone()),
                None => return unknown(format!("`%{}` has no type", argument.name)),
            }
        }
        let start = |body: &mut Body<'t, 'a>| {
            for (argument, ty) in arguments.iter().zip(types) {
                body.parameter(argument, ty, "");
            }
        };
        Ok(self.lowering.region(self.body, self.op, region, role, start)?)
    }
}

/// Returns the sizes of an array, which must all be fixed.
pub(crate) fn fixed(ty: &Type) -> Result<Vec<i64>, Stop> {
    match ty.fixed() {
        Some(sizes) => Ok(sizes),
        None if ty.is_array() => unknown(format!("the sizes of `{}` are not fixed", ty.text)),
        None => unknown(format!("`{}` is not an array of HLO", ty.text)),
    }
}

/// Returns the sizes of an array; `None` for those that are not fixed.
pub(crate) fn sizes(ty: &Type) -> Result<&[Option<i64>], Stop> {
    match ty.is_array() {
        true => Ok(&ty.sizes),
        false => unknown(format!("`{}` is not an array of HLO", ty.text)),
    }
}

/// Prints `, slice={[0:2:1],..}` for starts, ends and strides.
pub(crate) fn ranges(list: impl IntoIterator<Item = (i64, i64, i64)>) -> String {
    let list = list.into_iter().map(|(start, end, stride)| format!("[{start}:{end}:{stride}]"));
    format!(", slice={{{}}}", list.collect::<Vec<_>>().join(","))
}

/// Prints `, dimensions={1,2,3}`.
pub(crate) fn dimensions(list: &[i64]) -> String {
    format!(", dimensions={}", braced(list))
}

/// Prints `{1,2,3}`.
pub(crate) fn braced(list: &[i64]) -> String {
    let list: Vec<String> = list.iter().map(i64::to_string).collect();
    format!("{{{}}}", list.join(","))
}
