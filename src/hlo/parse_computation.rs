//! Instruction text to [`Instruction`], and lists of instructions to [`Computation`].
//!
//! ```text
//! instruction := ["ROOT"] name "=" operation attributes
//! operation   := shape opcode "(" (operand , .. | literal | integer) ")"
//! operand     := [shape] name | operation                    the latter without attributes
//! ```
//!
//! In a snippet that defines no parameter, an operand that is not defined becomes a parameter, so that
//! `add = f32[8] add(f32[8] x, f32[8] y)` stands for itself. In a snippet the shapes of results, and of such
//! operands, may be left out where the operation leaves no choice (`implied_shape`).

use super::attribute::{Attributes, Signature};
use super::cursor::{quoted, wrong};
use super::free_names::FreeNames;
use super::implied_shape;
use super::literal::Literal;
use super::module::{Computation, Instruction, InstructionId, Payload};
use super::opcode::Opcode;
use super::parse_module::Reader;
use super::parse_shape::{at_shape, shape};
use super::shape::Shape;
use super::token::Token;
use crate::text::{Error, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The instructions of one computation, while they are read.
#[derive(Default)]
pub(super) struct Body<'a> {
    instructions: Vec<Instruction>,
    names: FxHashMap<&'a str, InstructionId>,
    root: Option<InstructionId>,
    /// Parameters with their numbers, in the order of the text.
    parameters: Vec<(usize, InstructionId)>,
    unnamed: Vec<InstructionId>,
    /// Operands that are not defined may become parameters.
    implicit_parameters: bool,
    /// Shapes may be left out.
    implied_shapes: bool,
}

impl<'a> Body<'a> {
    /// For instructions outside of computations.
    pub(super) fn of_snippet() -> Body<'a> {
        Body {
            implicit_parameters: true,
            implied_shapes: true,
            ..Body::default()
        }
    }

    fn push(&mut self, instruction: Instruction) -> InstructionId {
        self.instructions.push(instruction);
        InstructionId(self.instructions.len() - 1)
    }

    /// The computation that consists of these instructions.
    pub(super) fn finish(
        mut self,
        name: Arc<str>,
        signature: Option<(Signature, Span)>,
        span: Span,
    ) -> Result<Computation, Error> {
        let Some(last) = self.instructions.len().checked_sub(1) else {
            return Err(wrong(
                span,
                "the computation has no root, since it has no instructions",
            ));
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
                instruction.name = free.take(instruction.opcode.name());
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

    /// The parameters in the order of their numbers: 0, 1, .. without gaps.
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
    /// Read one instruction into `body`.
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
        let (name, name_span) = self.cursor.expect_name("an instruction")?;
        self.cursor.expect(Token::Equals)?;
        let without_shape = self.without_shape();
        let mut instruction = match &without_shape {
            None => {
                let shape = shape(&mut self.cursor)?;
                self.operation(body, Some(shape), start.start, name_span.clone())?
            }
            Some(_) if body.implied_shapes => {
                self.operation(body, None, start.start, name_span.clone())?
            }
            Some(error) => return Err(error.clone()),
        };
        instruction.name = name.into();
        instruction.attributes = self.attributes(name)?;
        instruction.span = start.start..self.cursor.end();
        if let Some(error) = without_shape {
            let operands: Vec<&Shape> = instruction
                .operands
                .iter()
                .map(|id| &body.instructions[id.0].shape)
                .collect();
            let implied = implied_shape::of_result(&instruction, &operands);
            instruction.shape = implied.ok_or(error)?;
        }
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

    /// At an opcode where the shape of a result should be: that it is missing.
    fn without_shape(&mut self) -> Option<Error> {
        let missing = !at_shape(&mut self.cursor) && self.cursor.character_behind() == Some('(');
        missing.then(|| {
            let error = self.cursor.expected("a shape such as `f32[8,16]`");
            error.hint("write the shape of the result before the opcode")
        })
    }

    /// `opcode(..)`, after its shape; name and attributes, and a shape that was left out (here an empty tuple),
    /// are filled in by the caller.
    fn operation(
        &mut self,
        body: &mut Body<'a>,
        shape: Option<Shape>,
        start: usize,
        name_span: Span,
    ) -> Result<Instruction, Error> {
        let (opcode, opcode_span) = self.cursor.expect_name("an opcode such as `add`")?;
        let opcode = Opcode::from_name(opcode);
        self.cursor.expect(Token::OpenParenthesis)?;
        let mut operands = Vec::new();
        let mut payload = Payload::None;
        match opcode {
            Opcode::Parameter => {
                let (number, span) = self.cursor.expect_integer()?;
                let number = usize::try_from(number).map_err(|_| {
                    wrong(
                        span,
                        format!("parameters are numbered from 0, not {number}"),
                    )
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
                let of_operands = shape
                    .as_ref()
                    .and_then(|shape| implied_shape::of_operand(&opcode, shape));
                operands = self.operands(body, of_operands.as_ref())?;
            }
        }
        let wanted = opcode.operand_count();
        if !wanted.allows(operands.len()) {
            return Err(wrong(
                opcode_span,
                format!("`{opcode}` takes {wanted}, found {}", operands.len()),
            ));
        }
        Ok(Instruction {
            name: "".into(),
            shape: shape.unwrap_or_else(|| Shape::Tuple(Vec::new())),
            opcode,
            operands,
            payload,
            attributes: Attributes::default(),
            span: start..self.cursor.end(),
            name_span,
        })
    }

    /// Operands up to the closing parenthesis, which is taken too. Without a shape of their own they have the
    /// shape `implied`.
    fn operands(
        &mut self,
        body: &mut Body<'a>,
        implied: Option<&Shape>,
    ) -> Result<Vec<InstructionId>, Error> {
        let mut operands = Vec::new();
        if self.cursor.take(Token::CloseParenthesis) {
            return Ok(operands);
        }
        loop {
            self.cursor.enter()?;
            operands.push(self.operand(body, implied)?);
            self.cursor.leave();
            if self.cursor.take(Token::CloseParenthesis) {
                return Ok(operands);
            }
            if !self.cursor.take(Token::Comma) {
                return Err(self.cursor.expected("`,` or `)`"));
            }
        }
    }

    fn operand(
        &mut self,
        body: &mut Body<'a>,
        implied: Option<&Shape>,
    ) -> Result<InstructionId, Error> {
        let start = self.cursor.peek_span().start;
        let declared = match at_shape(&mut self.cursor) {
            true => Some(shape(&mut self.cursor)?),
            false => None,
        };
        let shape_span = start..self.cursor.end();
        let Some(shape) = declared else {
            let (name, span) = self.cursor.expect_name("an operand")?;
            return match (body.names.get(name), implied) {
                (Some(&id), _) => Ok(id),
                (None, Some(shape)) if body.implicit_parameters => {
                    Ok(named_parameter(body, name, shape.clone(), span))
                }
                (None, _) if body.implicit_parameters => {
                    let hint = "write its shape before it, as in `f32[8,16] x`";
                    Err(undefined(name, span).hint(hint))
                }
                (None, _) => Err(undefined(name, span)),
            };
        };
        if self.cursor.peek() == Some(Token::Name) {
            if self.cursor.character_behind() == Some('(') {
                let instruction = self.operation(body, Some(shape), start, shape_span)?;
                return self.unnamed(body, instruction);
            }
            let (name, span) = self.cursor.expect_name("an operand")?;
            return match body.names.get(name) {
                Some(&id) => agreeing(body, id, &shape, shape_span),
                None if body.implicit_parameters => {
                    Ok(named_parameter(body, name, shape, start..span.end))
                }
                None => Err(undefined(name, span)),
            };
        }
        if body.implicit_parameters {
            let id = implicit_parameter(body, shape, shape_span);
            body.unnamed.push(id);
            return Ok(id);
        }
        Err(self.cursor.expected("the name of an operand"))
    }

    /// Add an instruction that was written in place of an operand.
    fn unnamed(
        &self,
        body: &mut Body<'a>,
        instruction: Instruction,
    ) -> Result<InstructionId, Error> {
        let number = instruction.parameter_number();
        let id = body.push(instruction);
        body.unnamed.push(id);
        if let Some(number) = number {
            body.parameters.push((number, id));
        }
        Ok(id)
    }
}

fn named_parameter<'a>(
    body: &mut Body<'a>,
    name: &'a str,
    shape: Shape,
    span: Span,
) -> InstructionId {
    let id = implicit_parameter(body, shape, span);
    body.instructions[id.0].name = name.into();
    body.names.insert(name, id);
    id
}

fn implicit_parameter(body: &mut Body<'_>, shape: Shape, span: Span) -> InstructionId {
    let number = body.parameters.len();
    let id = body.push(Instruction {
        name: "".into(),
        shape,
        opcode: Opcode::Parameter,
        operands: Vec::new(),
        payload: Payload::ParameterNumber(number),
        attributes: Attributes::default(),
        name_span: span.clone(),
        span,
    });
    body.parameters.push((number, id));
    id
}

/// `id`, when its shape is the one declared in front of the operand.
fn agreeing(
    body: &Body<'_>,
    id: InstructionId,
    declared: &Shape,
    span: Span,
) -> Result<InstructionId, Error> {
    let operand = &body.instructions[id.0];
    if operand.shape.is_compatible(declared) {
        return Ok(id);
    }
    Err(wrong(
        span,
        format!(
            "the operand is declared as {}, but {} has the shape {}",
            quoted(&declared.to_string()),
            quoted(&operand.name),
            quoted(&operand.shape.to_string())
        ),
    ))
}

fn undefined(name: &str, span: Span) -> Error {
    wrong(span, format!("the operand {} is not defined", quoted(name)))
        .hint("an instruction is defined in the same computation, before its users")
}
