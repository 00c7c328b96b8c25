//! The typed form of an op: `reshape f32[4,8] -> f32[32]`; the ops of a chain are separated by `|`.
//!
//! ```text
//! chain := op ("|" op)*
//! op    := opcode (SHAPE | POSITIONAL | NAME=VALUE)* ["->" SHAPE]     separated by spaces and commas
//! ```
//!
//! This splits the text and classifies each word; `module` builds instructions from the words, and `sizes` reads named sizes.

use super::forms::{Form, form};
use crate::output::clipped;
use crate::token::{Class, Piece, Pieces, runs, split};
use crate::words::nearest;
use affinor::text::{Error, ErrorKind, Span};
use affinor_hlo as hlo;
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;

/// One op of a chain, with shapes of type `S`. Spans refer to the given text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpText<S = Shape> {
    /// The opcode.
    pub opcode: Opcode,
    /// The position of the opcode.
    pub span: Span,
    /// The shapes of its operands, except for the operand that the previous op provides.
    pub operands: Vec<(S, Span)>,
    /// Words such as `{1,0}` or `[0:4]`, in order.
    pub positional: Vec<Span>,
    /// Attributes `name=value`, in order.
    pub attributes: Vec<Span>,
    /// The shape after `->`.
    pub result: Option<(S, Span)>,
}

impl<S> OpText<S> {
    /// Returns the syntax of this op.
    #[must_use]
    pub fn form(&self) -> Option<Form> {
        form(&self.opcode)
    }

    /// Returns an error at `span`, with an example of this op as the hint.
    #[must_use]
    pub fn wrong(&self, span: Span, message: impl Into<String>) -> Error {
        let error = Error::new(ErrorKind::Hlo, span, message);
        match self.form() {
            Some(form) => error.hint(format!("for example `op {} {}`", self.opcode, form.example)),
            None => error.hint(format!(
                "write `op {} SHAPE, .. -> SHAPE`, with attributes as HLO has them, `name=value`",
                self.opcode
            )),
        }
    }
}

/// Splits a chain of ops into their parts.
///
/// # Errors
/// At the first word that is wrong.
pub fn read_chain(text: &str) -> Result<Vec<OpText>, Error> {
    read_chain_of(text, &shape_at)
}

/// Splits a chain of ops whose shapes are parsed by `shape`.
///
/// # Errors
/// At the first word that is wrong.
pub fn read_chain_of<S>(text: &str, shape: ReadShape<'_, S>) -> Result<Vec<OpText<S>>, Error> {
    let mut ops = Vec::new();
    for part in split(text, 0..text.len(), Class::Bar) {
        ops.push(read_op(text, part, ops.is_empty(), shape)?);
    }
    Ok(ops)
}

/// A parser for the shape at a position of a text.
type ReadShape<'f, S> = &'f dyn Fn(&str, &Span) -> Result<S, Error>;

fn read_op<S>(
    text: &str,
    part: Span,
    is_first: bool,
    read_shape: ReadShape<'_, S>,
) -> Result<OpText<S>, Error> {
    let mut words = words(text, part.clone()).into_iter();
    let Some(span) = words.next() else {
        return Err(Error::new(ErrorKind::Hlo, part, "expected an op such as `transpose`")
            .hint("for example `op transpose f32[2,3,4] {2,0,1}`"));
    };
    let name = &text[span.clone()];
    let opcode = Opcode::from_name(name);
    if let Opcode::Other(_) = opcode {
        let message = format!("unknown op `{}`", clipped(name));
        let error = Error::new(ErrorKind::Name, span, message);
        return Err(match nearest(name, Opcode::LISTED.iter().map(Opcode::name)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("use HLO opcodes, as in `op reshape f32[4,8] -> f32[32]`"),
        });
    }
    let mut op = OpText {
        opcode,
        span,
        operands: Vec::new(),
        positional: Vec::new(),
        attributes: Vec::new(),
        result: None,
    };
    while let Some(word) = words.next() {
        let written = &text[word.clone()];
        if written == "->" {
            let shape = words.next();
            let Some(shape) = shape.filter(|shape| is_shape(&text[shape.clone()])) else {
                return Err(op.wrong(word, "expected the shape of the result after `->`"));
            };
            if op.result.is_some() {
                return Err(op.wrong(word, "the shape of the result is given twice"));
            }
            op.result = Some((read_shape(text, &shape)?, shape));
        } else if is_shape(written) {
            op.operands.push((read_shape(text, &word)?, word));
        } else if has_equals(written) {
            op.attributes.push(word);
        } else if written
            .starts_with(|c: char| c == '{' || c == '[' || c == '-' || c.is_ascii_digit())
        {
            op.positional.push(word);
        } else {
            let message = format!(
                "expected a shape, `name=value` or `-> SHAPE`, found `{}`",
                clipped(written)
            );
            return Err(op.wrong(word, message));
        }
    }
    let wanted = op.opcode.operand_count();
    let count = op.operands.len() + usize::from(!is_first);
    if !wanted.allows(count) && !op.form().is_some_and(|form| form.completes(count)) {
        let message = format!("`{}` takes {wanted}, and {count} are given", op.opcode);
        return Err(op.wrong(op.span.clone(), message));
    }
    Ok(op)
}

/// Returns the words between spaces and commas outside brackets; `->` is a word of its own.
pub fn words(text: &str, part: Span) -> Vec<Span> {
    let is_gap =
        |piece: &Piece| piece.is_outside() && (piece.is_space() || piece.class == Class::Comma);
    let mut words = Vec::new();
    for Span { start, end } in runs(text, part, is_gap) {
        match text[start..end].starts_with("->") && end > start + 2 {
            true => words.extend([start..start + 2, start + 2..end]),
            false => words.push(start..end),
        }
    }
    words
}

/// Returns whether the word looks like a shape: a tuple, or a type with sizes.
pub fn is_shape(word: &str) -> bool {
    let name = word.find('[').unwrap_or(0);
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
    word.starts_with('(')
        || is_name(&word[..name]) && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether the word has a `=` outside brackets.
fn has_equals(word: &str) -> bool {
    Pieces::new(word).any(|piece| piece.class == Class::Equals && piece.is_outside())
}

fn shape_at(text: &str, span: &Span) -> Result<Shape, Error> {
    hlo::read_shape(&text[span.clone()]).map_err(|error| error.shifted(span.start))
}
