//! Builds a module from a chain of ops: one instruction per op, whose first operand is the result of the previous one.

use super::text::OpText;
use affinor::text::{Error, ErrorKind, Span};
use affinor_hlo as hlo;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::Module;
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use affinor_ops::named::is_pointwise;

/// A module of one computation, whose instructions with operands are the ops.
#[derive(Debug)]
pub struct OpModule {
    /// The module.
    pub module: Module,
    written: Written,
}

impl OpModule {
    /// Builds the instructions of `ops`, which were cut from `text`.
    ///
    /// # Errors
    /// At the place in `text` that is wrong or where something is missing.
    pub fn new(ops: &[OpText], text: &str) -> Result<OpModule, Error> {
        let mut written = Written::default();
        let mut result: Option<(String, Shape)> = None;
        let mut module = None;
        // Layouts that are not written are the default ones, as in the text of HLO; where some are, XLA's inference continues with
        // them, and the answer shows them.
        let is_written = |(_, span): &(Shape, Span)| text[span.clone()].contains('{');
        let has_layouts = ops.iter().any(|op| {
            op.operands.iter().any(is_written) || op.result.as_ref().is_some_and(is_written)
        });
        for (number, op) in ops.iter().enumerate() {
            let name = match ops[..number].iter().filter(|o| o.opcode == op.opcode).count() {
                0 => op.opcode.to_string(),
                earlier => format!("{}.{earlier}", op.opcode),
            };
            let before = written.clone();
            let opcode_at = written.instruction(&name, op, (result.as_ref(), None), text)?;
            let mut read = hlo::read_text(&written.text).map_err(|error| {
                let at_opcode = error.span.as_ref().map(|span| span.start) == Some(opcode_at);
                match at_opcode && op.result.is_none() {
                    true => op.wrong(op.span.clone(), needs_result(&op.opcode)),
                    false => written.blame(&Vec::from_iter(ops), error),
                }
            })?;
            let implied = read[read.entry()][read[read.entry()].root()].shape().to_string();
            let usual = implied.split_once('{').map(|(sizes, _)| sizes);
            if let Some(usual) = usual.filter(|_| !has_layouts && op.result.is_none()) {
                let mut other = before;
                other.instruction(&name, op, (result.as_ref(), Some(usual)), text)?;
                // A shape without a layout has the default one.
                if let Ok(with_default) = hlo::read_text(&other.text) {
                    (written, read) = (other, with_default);
                }
            }
            let entry = &read[read.entry()];
            result = Some((name, entry[entry.root()].shape().clone()));
            module = Some(read);
        }
        let module = module.ok_or_else(|| {
            Error::without_span(ErrorKind::Usage, "expected an op such as `transpose`")
        })?;
        Ok(OpModule { module, written })
    }

    /// Turns an error at a position of the module into an error at the corresponding position of the typed text.
    #[must_use]
    pub fn blame(&self, ops: &[OpText], error: Error) -> Error {
        self.written.blame(&Vec::from_iter(ops), error)
    }
}

fn needs_result(opcode: &Opcode) -> String {
    format!(
        "`{opcode}` needs `-> SHAPE`: its operands and attributes do not imply the shape, or do not match"
    )
}

/// The text of the module, with the sources of its parts.
#[derive(Clone, Default, Debug)]
pub struct Written {
    text: String,
    /// The copied parts: their positions in the module, and in the typed text.
    copied: Vec<(Span, usize)>,
    /// The end of the instruction of each op.
    ends: Vec<usize>,
    parameters: usize,
}

impl Written {
    /// Writes the instruction of `op`, with the shape that it is known to have; returns the position of its opcode.
    fn instruction(
        &mut self,
        name: &str,
        op: &OpText,
        (before, implied): (Option<&(String, Shape)>, Option<&str>),
        text: &str,
    ) -> Result<usize, Error> {
        self.text += &format!("{name} = ");
        if let Some((shape, span)) = &op.result {
            self.copy(&shape.to_string(), span);
            self.text.push(' ');
        } else if let Some(implied) = implied {
            self.text += &format!("{implied} ");
        }
        let opcode_at = self.text.len();
        self.text += &format!("{}(", op.opcode);
        let mut shapes: Vec<Shape> = Vec::new();
        let mut separator = "";
        if let Some((name, shape)) = before {
            self.text += name;
            shapes.push(shape.clone());
            separator = ", ";
        }
        for (shape, span) in &op.operands {
            self.text += separator;
            self.copy(&shape.to_string(), span);
            self.name_parameter();
            shapes.push(shape.clone());
            separator = ", ";
        }
        for shape in op.form().map_or(Vec::new(), |form| form.filled_in(&shapes)) {
            self.text += &format!("{separator}{shape}");
            self.name_parameter();
            separator = ", ";
        }
        self.text.push(')');
        self.attributes(op, text)?;
        self.text.push('\n');
        self.ends.push(self.text.len());
        Ok(opcode_at)
    }

    /// Writes an instruction in place of `op`, which has named sizes, with scalars of these types and its attributes. Returns the
    /// module that ends with this instruction.
    ///
    /// # Errors
    /// At the place in `text`, from which `op` was cut, that is wrong.
    pub fn stand_in<S>(
        &mut self,
        op: &OpText<S>,
        operands: &[ElementType],
        result: Option<ElementType>,
        text: &str,
    ) -> Result<Module, Error> {
        let shape = result.map(|result| format!("{}[] ", result.name()));
        let operands = operands.iter().enumerate();
        let operands = operands.map(|(k, operand)| format!("{}[] p{k}", operand.name()));
        let operands: Vec<String> = operands.collect();
        self.text = format!("op = {}", shape.unwrap_or_default());
        let opcode_at = self.text.len();
        match is_pointwise(&op.opcode) {
            true => self.text += &format!("{}({})", op.opcode, operands.join(", ")),
            // The scalar shapes do not fit ops that are not pointwise; only the attributes of these ops are used.
            false => self.text += "custom-call()",
        }
        self.copied.clear();
        self.ends.clear();
        self.attributes(op, text)?;
        self.text.push('\n');
        hlo::read_text(&self.text).map_err(|error| {
            let at_opcode = error.span.as_ref().map(|span| span.start) == Some(opcode_at);
            match at_opcode && result.is_none() {
                true => op.wrong(op.span.clone(), needs_result(&op.opcode)),
                false => self.blame(&[op], error),
            }
        })
    }

    /// Writes the attributes: the named ones, the positional one, and those that are filled in.
    fn attributes<S>(&mut self, op: &OpText<S>, text: &str) -> Result<(), Error> {
        let mut names: Vec<&str> = Vec::new();
        for span in &op.attributes {
            let written = &text[span.clone()];
            names.push(written.split('=').next().unwrap_or_default());
            self.text += ", ";
            self.copy(written, span);
        }
        if let (Some(first), Some(last)) = (op.positional.first(), op.positional.last()) {
            let whole = first.start..last.end;
            let Some(name) = op.form().and_then(|form| form.positional) else {
                let message =
                    format!("the attributes of `{}` need names, as in `name=value`", op.opcode);
                return Err(op.wrong(whole, message));
            };
            if names.contains(&name) {
                return Err(op.wrong(whole, format!("`{name}` is given twice")));
            }
            names.push(name);
            let values: Vec<&str> = op.positional.iter().map(|span| &text[span.clone()]).collect();
            let ranges = values.iter().all(|value| value.starts_with('['));
            self.text += &format!(", {name}=");
            match ranges {
                true => self.copy(&format!("{{{}}}", values.join(", ")), &whole),
                false if values.len() == 1 => self.copy(values[0], &whole),
                false => {
                    let message =
                        format!("expected one value for `{name}`, found {}", values.len());
                    return Err(op.wrong(whole, message));
                }
            }
        }
        let Some(form) = op.form() else {
            return Ok(());
        };
        let missing: Vec<String> = form
            .required
            .iter()
            .filter(|name| !names.contains(name))
            .map(|name| format!("`{name}=..`"))
            .collect();
        if !missing.is_empty() {
            let message = format!("`{}` needs {}", op.opcode, missing.join(" and "));
            return Err(op.wrong(op.span.clone(), message));
        }
        for name in form.computations.iter().filter(|name| !names.contains(*name)) {
            self.text += &format!(", {name}=any");
        }
        Ok(())
    }

    fn name_parameter(&mut self) {
        self.text += &format!(" p{}", self.parameters);
        self.parameters += 1;
    }

    fn copy(&mut self, piece: &str, span: &Span) {
        let start = self.text.len();
        self.text += piece;
        self.copied.push((start..self.text.len(), span.start));
    }

    /// Moves an error to the typed text: to the copied part, or to the op of the instruction.
    pub fn blame<S>(&self, ops: &[&OpText<S>], error: Error) -> Error {
        let Some(span) = error.span.clone() else {
            return error;
        };
        let holds =
            |copied: &&(Span, usize)| copied.0.start <= span.start && span.end <= copied.0.end;
        let found = match self.copied.iter().find(holds) {
            Some((copied, typed)) => {
                typed + span.start - copied.start..typed + span.end - copied.start
            }
            None => {
                let number = self.ends.iter().filter(|end| **end <= span.start).count();
                match ops.get(number).or(ops.last()) {
                    Some(op) => op.span.clone(),
                    None => return error,
                }
            }
        };
        Error { span: Some(found), ..error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::forms::form;
    use crate::op::mutants::{Tried, judged};
    use crate::op::text::read_chain;
    use affinor::expr::IndexingMap;
    use affinor_compare::agreement::Judgement;
    use affinor_definition::Definitions;
    use affinor_ops::indexing::Analysis;

    /// Maximum number of elements of all arrays of an example for which mutants are tried.
    const FEW_ELEMENTS: i64 = 500;

    fn build(text: &str) -> Result<OpModule, Error> {
        OpModule::new(&read_chain(text)?, text)
    }

    /// The maps of each op whose row has an example are proved on that example, and not if they are mutated.
    #[test]
    fn the_maps_of_each_example_are_proved_and_others_are_not() {
        let mut tried = Tried::default();
        for opcode in Opcode::LISTED {
            let Some(form) = form(opcode) else { continue };
            let text = format!("{opcode} {}", form.example);
            let built = build(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let (module, entry) = (&built.module, built.module.entry());
            let body = &module[entry];
            let reads = Analysis::new(module, &IndexingMap::clone).instruction(entry, body.root());
            let reads = reads.unwrap_or_else(|error| panic!("{text}: {error}"));
            let mut definitions = Definitions::new(module);
            let judgements = judged(&mut definitions, body, &reads);
            assert!(!judgements.is_empty(), "{text}");
            for (entry, judgement) in reads.iter().zip(judgements) {
                assert_eq!(judgement, Some(Judgement::Proved), "{text}: {entry:?}");
            }
            let arrays = body.instructions().flat_map(|(_, one)| one.shape().arrays());
            let elements = arrays.map(|(_, array)| array.element_count().unwrap_or(i64::MAX));
            if elements.fold(0, i64::saturating_add) <= FEW_ELEMENTS {
                tried.mutants_of(&text, &mut definitions, body, &reads);
            }
        }
        // For larger examples some mutants stay unknown.
        let (wrong, open) = (tried.wrong, tried.open.len());
        assert!(wrong >= 400 && open * 10 <= wrong, "{wrong} wrong, of these {open} unknown");
    }

    #[track_caller]
    fn check_fails(text: &str, marked: &str, message: &str) {
        let error = build(text).expect_err(text);
        let span = error.span.clone().unwrap_or(0..0);
        assert_eq!((&text[span], error.message.as_str()), (marked, message));
    }

    #[test]
    fn errors_mark_what_was_typed() {
        check_fails(
            "reshape f32[4] -> f32[2,2] | transpose {0,1,}",
            "}",
            "expected an integer, found `}`",
        );
        check_fails(
            "transpose f32[2,3] {1,0} | transpose dimensions={1,x}",
            "x",
            "expected an integer, found `x`",
        );
        check_fails("transpose f32[2,3] {1,0} | pad", "pad", "`pad` needs `padding=..`");
        check_fails(
            "add f32[2] f32[3]",
            "add",
            "`add` needs `-> SHAPE`: its operands and attributes do not imply the shape, or do not match",
        );
        check_fails("", "", "expected an op such as `transpose`");
    }
}
