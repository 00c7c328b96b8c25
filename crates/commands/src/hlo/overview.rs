//! A long answer on a terminal begins with a line for each computation, and totals.
//!
//! Law: only an answer that does not fit on the screen has an overview; all others are unchanged.

use super::options::{CHECK, COMPUTATION, DIRECTION, EXPLAIN, INSTRUCTION, MEMORY, OPCODE};
use super::summary::{Known, Summary};
use crate::host::Screen;
use crate::instruction::OPERAND;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use affinor_hlo::module::{ComputationId, Module};

/// The answers about a module, held back until it is known whether they fit.
pub(super) struct Overview {
    screen: Screen,
    rows: usize,
    computations: Vec<(ComputationId, Summary)>,
    held: Vec<Output>,
}

impl Overview {
    /// Begins an overview; `None` if the output is not a terminal, or the options request details.
    pub(super) fn new(call: &Call<'_>) -> Option<Overview> {
        let details = [
            CHECK.switch,
            COMPUTATION.switch,
            DIRECTION.switch,
            EXPLAIN.switch,
            INSTRUCTION.switch,
            MEMORY.switch,
            OPCODE.switch,
            OPERAND.switch,
        ];
        let is_plain = !details.iter().any(|other| call.arguments.has(other.name));
        let screen = call.host.screen().filter(|_| is_plain)?;
        Some(Overview { screen, rows: 0, computations: Vec::new(), held: Vec::new() })
    }

    /// Counts an instruction of this computation.
    pub(super) fn count(&mut self, id: ComputationId, known: Option<Known>) {
        if self.computations.last().is_none_or(|(last, _)| *last != id) {
            self.computations.push((id, Summary::default()));
        }
        if let Some((_, summary)) = self.computations.last_mut() {
            match known {
                Some(known) => summary.add(known),
                None => summary.add_wrong(),
            }
        }
    }

    /// Holds an answer back.
    pub(super) fn hold(&mut self, output: Output) {
        let columns = self.screen.columns.max(1);
        let text = output.text.to_string();
        let rows = text.lines().map(|line| line.chars().count().div_ceil(columns).max(1));
        self.rows += rows.sum::<usize>();
        self.held.push(output);
    }

    /// Emits the answers that were held back, if they fit together with `totals`. Otherwise emits the lines about computations
    /// and the totals, and the answers only if the terminal stops after each screenful.
    pub(super) fn emit(self, call: &mut Call<'_>, module: &Module, totals: Output) {
        let fits = self.rows + totals.text.to_string().lines().count() < self.screen.rows;
        if fits {
            self.held.into_iter().for_each(|output| call.emit(output));
            call.emit(totals);
            return;
        }
        let mut text = Text::new();
        for (id, summary) in &self.computations {
            let entry = if *id == module.entry() { " (entry)" } else { "" };
            text.push(Role::Name, module[*id].name());
            text.push(Role::Plain, format!("{entry}: {}\n", summary.counts()));
        }
        text.append(totals.text);
        let status = self.held.iter().map(|output| output.status);
        let status = status.fold(totals.status, |one, other| one.and(other));
        let hint = match self.screen.is_paged {
            true => "the maps follow; --instruction and --opcode ask for some of them",
            false => {
                "--instruction and --opcode show the maps of some instructions, `| less` those of all"
            }
        };
        text.push(Role::Faint, format!("\n{hint}"));
        call.emit(Output::new(text, Object::new()).status(status));
        if self.screen.is_paged {
            self.held.into_iter().for_each(|output| call.emit(output));
        }
    }
}
