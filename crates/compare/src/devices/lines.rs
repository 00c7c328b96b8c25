//! The text of a program, line by line. Lines that are the same are written once.

use affinor_hlo::module::Instruction;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The maximum number of lines of a program.
const LINES: usize = 40_000;

/// The number of a line in its computation.
pub(super) type Id = usize;

/// An instruction of the program.
#[derive(Clone)]
pub(super) struct Line<'m> {
    pub(super) shape: String,
    pub(super) opcode: String,
    /// The number of a parameter, or the text of a constant.
    pub(super) literal: String,
    pub(super) operands: Vec<Id>,
    /// The attributes, each after a comma.
    pub(super) rest: String,
    /// The instruction that this is, on some device.
    pub(super) of: Option<&'m Instruction>,
}

/// A computation that is being written.
#[derive(Default)]
pub(super) struct Lines<'m> {
    lines: Vec<Line<'m>>,
    known: BTreeMap<(String, Vec<Id>), Id>,
}

impl<'m> Lines<'m> {
    /// Adds a line, or finds the same one; `None` if there are too many.
    pub(super) fn add(&mut self, line: Line<'m>) -> Option<Id> {
        let Line { shape, opcode, literal, operands, rest, .. } = &line;
        let key = (format!("{shape} {opcode}({literal}){rest}"), operands.clone());
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let id = self.lines.len();
        (id < LINES).then_some(())?;
        self.lines.push(line);
        self.known.insert(key, id);
        Some(id)
    }

    /// Adds a line that is not an instruction of the module.
    pub(super) fn made(
        &mut self,
        shape: &str,
        opcode: &str,
        operands: &[Id],
        rest: &str,
    ) -> Option<Id> {
        self.add(Line {
            shape: shape.to_owned(),
            opcode: opcode.to_owned(),
            literal: String::new(),
            operands: operands.to_vec(),
            rest: rest.to_owned(),
            of: None,
        })
    }

    /// Adds a constant or a parameter, whose `literal` is a value or a number.
    pub(super) fn leaf(&mut self, shape: &str, opcode: &str, literal: &str) -> Option<Id> {
        self.add(Line {
            shape: shape.to_owned(),
            opcode: opcode.to_owned(),
            literal: literal.to_owned(),
            operands: Vec::new(),
            rest: String::new(),
            of: None,
        })
    }

    pub(super) fn get(&self, id: Id) -> &Line<'m> {
        &self.lines[id]
    }

    /// Returns the text of the computation. Names of instructions are kept, with a number if there are several.
    pub(super) fn text(&self, header: &str, root: Id) -> String {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut names: Vec<String> = Vec::with_capacity(self.lines.len());
        let mut text = format!("{header} {{\n");
        for (id, line) in self.lines.iter().enumerate() {
            let own = line.of.map_or("whole", Instruction::name);
            let mut name = own.to_owned();
            while line.of.is_none() || taken.contains(&name) {
                let count = counts.entry(own).or_default();
                *count += 1;
                name = format!("{own}.on{count}");
                if !taken.contains(&name) {
                    break;
                }
            }
            taken.insert(name.clone());
            let operands: Vec<&str> = line.operands.iter().map(|id| names[*id].as_str()).collect();
            let is_root = if id == root { "ROOT " } else { "" };
            let Line { shape, opcode, literal, rest, .. } = line;
            let operands = operands.join(", ");
            let _ =
                writeln!(text, " {is_root}{name} = {shape} {opcode}({literal}{operands}){rest}");
            names.push(name);
        }
        text.push_str("}\n");
        text
    }
}
