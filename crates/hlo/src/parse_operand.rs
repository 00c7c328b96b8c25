//! Operands, in the parentheses of an operation.
//!
//! ```text
//! operand := [shape] name ("#" integer)* | operation         the latter without attributes
//! ```
//!
//! `x#1#0` is part 0 of part 1 of the tuple `x`: a get-tuple-element for each index, created only once even if it is written
//! repeatedly.
//!
//! In a snippet that defines no parameter, an operand that is not defined becomes a parameter, so that `add = f32[8] add(f32[8]
//! x, f32[8] y)` is complete; it needs no name, and no shape if the operation determines it. Elsewhere a shape without a name is
//! not an operand: it is dropped, as in XLA, with a note.

use super::attribute::{AttributeValue, Attributes};
use super::cursor::{quoted, wrong};
use super::module::{Instruction, InstructionId, Payload};
use super::opcode::Opcode;
use super::parse_computation::Body;
use super::parse_module::Reader;
use super::parse_shape::{at_shape, shape};
use super::shape::Shape;
use super::token::Token;
use affinor_maps::text::{Error, Span};

impl<'a> Reader<'a> {
    /// Parses operands up to and including the closing parenthesis. Operands without a shape of their own have the shape
    /// `implied`.
    pub(super) fn operands(
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
            operands.extend(self.operand(body, implied)?);
            self.cursor.leave();
            if self.cursor.take(Token::CloseParenthesis) {
                return Ok(operands);
            }
            if !self.cursor.take(Token::Comma) {
                return Err(self.cursor.expected("`,` or `)`"));
            }
        }
    }

    /// Parses an operand; `None` for a shape that denotes no value.
    fn operand(
        &mut self,
        body: &mut Body<'a>,
        implied: Option<&Shape>,
    ) -> Result<Option<InstructionId>, Error> {
        let start = self.cursor.peek_span().start;
        if self.at_operation() {
            return self.nested(body, start).map(Some);
        }
        let declared = match at_shape(&mut self.cursor) {
            true => Some(shape(&mut self.cursor)?),
            false => None,
        };
        let shape_span = start..self.cursor.end();
        let Some(shape) = declared else {
            let (name, span) = self.cursor.expect_label("an operand")?;
            return match (body.names.get(name), implied) {
                (Some(&id), _) => self.part(body, id).map(Some),
                (None, Some(shape)) if body.implicit_parameters => {
                    Ok(Some(named_parameter(body, name, shape.clone(), span)))
                }
                (None, _) if body.implicit_parameters => {
                    let hint = "write its shape before it, as in `f32[8,16] x`";
                    Err(undefined(name, span).hint(hint))
                }
                (None, _) => Err(undefined(name, span)),
            };
        };
        if self.at_operation() {
            self.cursor.move_to(start);
            return self.nested(body, start).map(Some);
        }
        if self.cursor.peek() == Some(Token::Name) {
            let (name, span) = self.cursor.expect_label("an operand")?;
            return match body.names.get(name) {
                Some(&id) => {
                    let id = self.part(body, id)?;
                    self.doubt =
                        self.doubt.take().or_else(|| differing(body, id, &shape, shape_span));
                    Ok(Some(id))
                }
                None if body.implicit_parameters => {
                    let span = start..span.end;
                    Ok(Some(named_parameter(body, name, shape, span)))
                }
                None => Err(undefined(name, span)),
            };
        }
        if body.implicit_parameters {
            let id = implicit_parameter(body, shape, shape_span);
            body.unnamed.push(id);
            return Ok(Some(id));
        }
        match self.cursor.peek() {
            Some(Token::Comma | Token::CloseParenthesis) => {
                let text = quoted(self.cursor.slice(shape_span.clone()));
                let message = format!("{text} names no operand, and is left out, as XLA does");
                let note = wrong(shape_span, message);
                self.notes.push(note.hint("write the name of an instruction after it"));
                Ok(None)
            }
            _ => Err(self.cursor.expected("the name of an operand")),
        }
    }

    /// Returns the part of `whole` that the indices after its name select.
    fn part(
        &mut self,
        body: &mut Body<'a>,
        mut whole: InstructionId,
    ) -> Result<InstructionId, Error> {
        while self.cursor.peek() == Some(Token::Hash) {
            let start = self.cursor.advance().start;
            let (number, span) = self.cursor.expect_integer()?;
            let span = start..span.end;
            if let Some(&known) = body.parts.get(&(whole, number)) {
                whole = known;
                continue;
            }
            let operand = &body.instructions[whole.0];
            let part = usize::try_from(number).ok().and_then(|part| operand.shape.at(&[part]));
            let Some(shape) = part.cloned() else {
                let [name, of] = [&*operand.name, &operand.shape.to_string()].map(quoted);
                let message = format!("{name} has the shape {of}, which has no part {number}");
                let error = wrong(span, message).hint("parts of a tuple are numbered from 0");
                self.doubt.get_or_insert(error);
                continue;
            };
            let name = format!("{}#{number}", operand.name).into();
            self.make([&shape], &span)?;
            let attributes = Attributes::of("index", AttributeValue::Integer(number), span.clone());
            let id = body.push(Instruction {
                name,
                shape,
                opcode: Opcode::GetTupleElement,
                operands: vec![whole],
                payload: Payload::None,
                attributes,
                name_span: span.clone(),
                span,
            });
            body.unnamed.push(id);
            body.parts.insert((whole, number), id);
            whole = id;
        }
        Ok(whole)
    }

    /// Returns whether the next token is the opcode of an operation.
    fn at_operation(&mut self) -> bool {
        self.cursor.peek() == Some(Token::Name)
            && !at_shape(&mut self.cursor)
            && self.cursor.character_behind() == Some('(')
    }

    /// Parses an instruction that is written in place of an operand.
    fn nested(&mut self, body: &mut Body<'a>, start: usize) -> Result<InstructionId, Error> {
        let name_span = start..self.cursor.peek_span().end;
        let outer = self.doubt.take();
        let (mut instruction, missing) = self.operation(body, start, name_span)?;
        self.complete(body, &mut instruction, missing)?;
        self.doubt = outer;
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

/// Returns an error if the shape of `id` differs from the one declared before the operand.
fn differing(body: &Body<'_>, id: InstructionId, declared: &Shape, span: Span) -> Option<Error> {
    let operand = &body.instructions[id.0];
    if operand.shape.is_compatible(declared) {
        return None;
    }
    Some(wrong(
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
