//! `while (i < n) { ..; i += step; }`: the loop over the values of `i`, which a single statement of its body steps.
//!
//! Law: before that statement, `i` is its value before the loop plus a multiple of the step, and the condition holds. Any
//! other loop is an error, since the number of its iterations is unknown.

use super::extent::closed;
use super::induction::Step;
use super::kernel::Kernel;
use super::memory::Head;
use super::program::Reader;
use affinor_maps::text::ast::{NodeKind, Relation};
use affinor_maps::text::{Error, ErrorKind};

impl<'t> Reader<'t> {
    /// Parses the header after `while`; the stepped name becomes the loop's variable.
    pub fn while_loop(
        &mut self,
        kernel: &mut Kernel<'t>,
        column: Option<usize>,
    ) -> Result<(), Error> {
        let word = self.tokens().current().clone();
        self.tokens().advance();
        let tokens = self.tokens().clone();
        let end = match tokens.by_lines {
            true => (0..tokens.len()).find(|at| tokens.ahead(*at).text == ":").unwrap_or(0),
            false => closed(&tokens, 0),
        };
        let is_block = tokens.by_lines || tokens.ahead(end).text == "{";
        let mut steps = if is_block { self.steps(column) } else { Vec::new() };
        let is_tested = |name: &str| (0..end).any(|at| tokens.ahead(at).text == name);
        let is_own = |step: &Step| step.inner.is_none() && is_tested(step.name);
        let Some(own) = steps.iter().position(is_own) else {
            let message = "the number of iterations of this `while` is not known";
            let error = Error::new(ErrorKind::Unsupported, word.span, message);
            return Err(error.hint("write it as `for (int i = 0; i < n; i += step)`, or step one variable of its condition at the end of its body"));
        };
        let own = steps.remove(own);
        let (conditions, loops) = (self.conditions.len(), self.loops.len());
        self.change_in_loop(column);
        self.parser.memory().unknown.remove(own.name);
        self.loops.push(own.name);
        self.counted.push(own.name);
        self.parser.bound.push(own.name.to_owned());
        let variable = self.parser.push(NodeKind::Name(own.name), word.span)?;
        let condition = self.condition()?;
        let is_one = *self.parser.terms.kind(own.by) == NodeKind::Integer(1);
        let (lower, upper) = if own.is_up { (own.start, variable) } else { (variable, own.start) };
        self.compared(lower, Relation::LessEqual, upper)?;
        self.checked_end(condition, own.name, own.is_up, is_one)?;
        if let Some(of) = self.types.get(own.name).copied() {
            self.check_type(condition, own.name, of)?;
        }
        if !is_one {
            self.stepped(upper, lower, own.by)?;
        }
        let step = (!is_one).then_some(own.by);
        self.head = Some(Head { variable, first: own.start, step, is_up: own.is_up });
        self.enter_loop(kernel, column, [conditions, loops], steps)
    }
}
