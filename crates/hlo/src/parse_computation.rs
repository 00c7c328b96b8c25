//! Instruction text to [`Instruction`], and lists of instructions to [`Computation`].
//!
//! ```text
//! instruction := ["ROOT"] name "=" operation attributes
//! operation   := [shape] opcode "(" (operand , .. | literal | integer) ")"
//! ```
//!
//! The shape of a result may be omitted if XLA infers it, or if the operation determines it (`implied_shape`); the computations
//! that it depends on must then precede the instruction. Operands are parsed in `parse_operand`.

use super::attribute::{Attributes, Signature};
use super::cursor::{quoted, wrong};
use super::doubtful;
use super::free_names::FreeNames;
use super::implied_shape;
use super::literal::Literal;
use super::module::{Computation, Instruction, InstructionId, Payload};
use super::opcode::Opcode;
use super::parse_async;
use super::parse_module::Reader;
use super::parse_shape::{at_shape, shape};
use super::shape::Shape;
use super::token::Token;
use affinor_maps::text::{Error, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The instructions of one computation under construction.
#[derive(Default)]
pub(super) struct Body<'a> {
    pub(super) instructions: Vec<Instruction>,
    pub(super) names: FxHashMap<&'a str, InstructionId>,
    root: Option<InstructionId>,
    /// Parameters with their numbers, in the order of the text.
    pub(super) parameters: Vec<(usize, InstructionId)>,
    pub(super) unnamed: Vec<InstructionId>,
    /// Operands that are parts of tuples, by tuple and index.
    pub(super) parts: FxHashMap<(InstructionId, i64), InstructionId>,
    /// Whether undefined operands may become parameters.
    pub(super) implicit_parameters: bool,
}

impl<'a> Body<'a> {
    /// Creates a body for instructions outside computations.
    pub(super) fn of_snippet() -> Body<'a> {
        Body { implicit_parameters: true, ..Body::default() }
    }

    pub(super) fn push(&mut self, instruction: Instruction) -> InstructionId {
        self.instructions.push(instruction);
        InstructionId(self.instructions.len() - 1)
    }

    /// Builds the computation from these instructions.
    pub(super) fn finish(
        mut self,
        name: Arc<str>,
        signature: Option<(Signature, Span)>,
        span: Span,
    ) -> Result<Computation, Error> {
        let Some(last) = self.instructions.len().checked_sub(1) else {
            return Err(wrong(span, "the computation has no root, since it has no instructions"));
        };
        let root = self.root.unwrap_or(InstructionId(last));
        if let Some((signature, span)) = &signature {
            let root = &self.instructions[root.0];
            if !root.shape.is_compatible(signature.result()) {
                return Err(wrong(
                    span.clone(),
                    format!(
                        "the computation is declared to return {}, but its root {} returns {}",
                        quoted(&signature.result().to_string()),
                        quoted(&root.name),
                        quoted(&root.shape.to_string())
                    ),
                ));
            }
        }
        let parameters = self.numbered_parameters()?;
        if !self.unnamed.is_empty() {
            let mut free = FreeNames::all_but(self.names.keys().copied());
            for id in self.unnamed {
                let instruction = &mut self.instructions[id.0];
                instruction.name = free.take(&match instruction.opcode {
                    Opcode::Parameter => "parameter".to_owned(),
                    // A part of a tuple is named as written, with characters allowed in definitions.
                    _ if !instruction.name.is_empty() => instruction.name.replace('#', "."),
                    ref opcode => format!("{opcode}.anon"),
                });
            }
        }
        Ok(Computation {
            name,
            signature: signature.map(|(signature, _)| signature),
            instructions: self.instructions,
            root,
            parameters,
            attributes: Attributes::default(),
            span,
        })
    }

    /// Returns the parameters in the order of their numbers: 0, 1, .. without gaps.
    fn numbered_parameters(&mut self) -> Result<Vec<InstructionId>, Error> {
        self.parameters.sort_by_key(|&(number, _)| number);
        let mut ids = Vec::with_capacity(self.parameters.len());
        for (expected, &(number, id)) in self.parameters.iter().enumerate() {
            let instruction = &self.instructions[id.0];
            if number < expected {
                return Err(instruction.error(format!("parameter {number} is defined twice")));
            }
            if number > expected {
                return Err(instruction
                    .error(format!(
                        "parameter {number} is defined, but parameter {expected} is not"
                    ))
                    .hint("parameters are numbered 0, 1, 2, .. without gaps"));
            }
            ids.push(id);
        }
        Ok(ids)
    }
}

impl<'a> Reader<'a> {
    /// Parses one instruction into `body`.
    pub(super) fn instruction(&mut self, body: &mut Body<'a>) -> Result<(), Error> {
        let start = self.cursor.peek_span();
        let is_root =
            self.cursor.peek_text() == "ROOT" && self.cursor.peek_second() == Some(Token::Name);
        if is_root {
            self.cursor.advance();
            if body.root.is_some() {
                return Err(wrong(start, "a second instruction is marked `ROOT`")
                    .hint("a computation has one root"));
            }
        }
        let (name, name_span) = self.cursor.expect_label("an instruction")?;
        self.cursor.expect(Token::Equals)?;
        let (mut instruction, missing) = self.operation(body, start.start, name_span.clone())?;
        instruction.name = name.into();
        instruction.attributes = self.attributes(name)?;
        instruction.span = start.start..self.cursor.end();
        self.complete(body, &mut instruction, missing)?;
        let id = body.push(instruction);
        if body.names.insert(name, id).is_some() {
            return Err(wrong(
                name_span,
                format!("an instruction named {} is already defined", quoted(name)),
            )
            .hint("rename one of them"));
        }
        if is_root {
            body.root = Some(id);
        }
        if let Some(number) = body.instructions[id.0].parameter_number() {
            body.parameters.push((number, id));
            body.implicit_parameters = false;
        }
        Ok(())
    }

    /// Parses `[shape] opcode(..)`; returns the omitted parts. The caller fills in name and attributes, and [`Reader::complete`]
    /// the parts that depend on them.
    pub(super) fn operation(
        &mut self,
        body: &mut Body<'a>,
        start: usize,
        name_span: Span,
    ) -> Result<(Instruction, Missing), Error> {
        let mut missing = Missing::default();
        let is_missing = !at_shape(&mut self.cursor) && self.cursor.character_behind() == Some('(');
        let shape = match is_missing {
            true => {
                missing.shape = Some(self.cursor.peek_span());
                None
            }
            false => Some(shape(&mut self.cursor)?),
        };
        let (name, opcode_span) = self.cursor.expect_name("an opcode such as `add`")?;
        let mut opcode = Opcode::from_name(name);
        let mut wanted = opcode.operand_count();
        if let Opcode::Other(name) = &opcode
            && let Some((stage, wrapped)) = parse_async::stage(name)
        {
            wanted = match stage {
                Opcode::AsyncStart => wrapped.operand_count(),
                _ => stage.operand_count(),
            };
            missing.ended = (stage == Opcode::AsyncDone).then(|| wrapped.clone());
            missing.wrapped = (stage != Opcode::AsyncDone).then_some(wrapped);
            opcode = stage;
        }
        self.cursor.expect(Token::OpenParenthesis)?;
        let mut operands = Vec::new();
        let mut payload = Payload::None;
        match opcode {
            Opcode::Parameter => {
                let (number, span) = self.cursor.expect_integer()?;
                let number = usize::try_from(number).map_err(|_| {
                    wrong(span, format!("parameters are numbered from 0, not {number}"))
                })?;
                payload = Payload::ParameterNumber(number);
                self.cursor.expect(Token::CloseParenthesis)?;
            }
            Opcode::Constant => {
                let span = self.cursor.raw_until_parenthesis()?;
                let text = self.cursor.slice(span).trim().into();
                payload = Payload::Literal(Literal { text });
                self.cursor.expect(Token::CloseParenthesis)?;
            }
            _ => {
                let of_operands =
                    shape.as_ref().and_then(|shape| implied_shape::of_operand(&opcode, shape));
                operands = self.operands(body, of_operands.as_ref())?;
            }
        }
        let is_bound_later = shape.as_ref().is_some_and(|shape| !parse_async::has_result(shape))
            && matches!(parse_async::stage(name), Some((Opcode::AsyncStart, _)));
        if is_bound_later {
            opcode = Opcode::AsyncStart;
        } else if !wanted.allows(operands.len()) {
            let message = format!("{} takes {wanted}, found {}", quoted(name), operands.len());
            self.doubt.get_or_insert(wrong(opcode_span.clone(), message));
        }
        let of: Vec<_> = operands.iter().map(|id| &body.instructions[id.0]).collect();
        if let Some(wrapped) =
            shape.as_ref().and_then(|shape| parse_async::started(&opcode, shape, &of))
        {
            missing.wrapped = Some(wrapped);
            opcode = Opcode::AsyncStart;
        } else if let [operand] = of[..]
            && parse_async::ends(&opcode, operand)
        {
            missing.ended = parse_async::stage(name).map(|(_, ended)| ended);
            opcode = Opcode::AsyncDone;
        }
        let contradiction =
            shape.as_ref().and_then(|shape| parse_async::contradiction(&opcode, shape, &of));
        if let Some(message) = contradiction {
            self.doubt.get_or_insert(wrong(opcode_span, message));
        }
        let mut instruction = Instruction {
            name: "".into(),
            shape: shape.unwrap_or_else(|| Shape::Tuple(Vec::new())),
            opcode,
            operands,
            payload,
            attributes: Attributes::default(),
            span: start..self.cursor.end(),
            name_span,
        };
        if let Some(doubt) = self.doubt.take() {
            doubtful::doubt(&mut instruction, name);
            missing.wrapped = None;
            self.notes.push(doubt);
        }
        Ok((instruction, missing))
    }

    /// Fills in the parts of `instruction` that follow from its operands and attributes: its shape, and the computation that an
    /// asynchronous operation wraps.
    pub(super) fn complete(
        &mut self,
        body: &Body<'a>,
        instruction: &mut Instruction,
        missing: Missing,
    ) -> Result<(), Error> {
        let mut wrapped = missing.wrapped;
        if instruction.opcode == Opcode::AsyncUpdate
            && !parse_async::bind(instruction, &body.instructions)
        {
            wrapped = None;
        }
        if instruction.opcode == Opcode::AsyncDone {
            let ended = missing.ended.unwrap_or_else(|| Opcode::from_name("async"));
            parse_async::finish(instruction, &body.instructions, &ended);
        }
        if let Some(wrapped) = wrapped {
            match parse_async::has_result(&instruction.shape) {
                true => self.wrap(body, instruction, &wrapped)?,
                false => parse_async::call_as_written(instruction, &wrapped),
            }
        }
        if let Some(opcode) = missing.shape {
            let operands = instruction.operands.iter();
            let operands: Vec<_> = operands.map(|id| &body.instructions[id.0].shape).collect();
            // A result that joins its operands is counted before it is built, any other afterwards.
            let joins =
                matches!(instruction.opcode, Opcode::Tuple | Opcode::Sort | Opcode::Scatter);
            if joins {
                self.make(operands.iter().copied(), &instruction.span)?;
            }
            let given = implied_shape::Given {
                instruction,
                operands,
                callee: &|reference| self.computation_of(reference),
            };
            let inferred = implied_shape::of_result(&given);
            instruction.shape = match (inferred, instruction.attributes.wrong()) {
                (Some(shape), _) => shape,
                // The cause may be the error of an attribute.
                (None, Some(error)) => return Err(error.clone()),
                (None, None) => return Err(self.without_shape(opcode)),
            };
            if !joins {
                self.make([&instruction.shape], &instruction.span)?;
            }
        }
        Ok(())
    }

    /// Makes `instruction` run the operation `wrapped`.
    fn wrap(
        &mut self,
        body: &Body<'a>,
        instruction: &mut Instruction,
        wrapped: &Opcode,
    ) -> Result<(), Error> {
        let operands = instruction.operands.iter();
        let operands: Vec<_> = operands.map(|id| &body.instructions[id.0]).collect();
        let shapes = operands.iter().map(|operand| &operand.shape);
        self.make(shapes.chain([&instruction.shape]), &instruction.span)?;
        match parse_async::wrapped(instruction, &operands, wrapped) {
            Ok(computation) => {
                let computation = self.push_unnamed(computation, parse_async::WRAPPED.to_owned());
                parse_async::call(instruction, computation);
            }
            Err(doubt) => {
                doubtful::doubt(instruction, &format!("{wrapped}-start"));
                self.notes.push(doubt);
            }
        }
        Ok(())
    }

    /// Returns the error at `opcode` that the shape is missing and cannot be inferred.
    fn without_shape(&self, opcode: Span) -> Error {
        let found = quoted(self.cursor.slice(opcode.clone()));
        let message = format!("expected a shape such as `f32[8,16]`, found {found}");
        wrong(opcode, message).hint("write the shape of the result before the opcode")
    }
}

/// The omitted parts of an operation.
#[derive(Default)]
pub(super) struct Missing {
    /// The opcode before which the shape is missing.
    shape: Option<Span>,
    /// The operation that an asynchronous instruction runs, if it is not in a computation of its own.
    wrapped: Option<Opcode>,
    /// The operation whose result a done instruction returns, according to its name.
    ended: Option<Opcode>,
}
