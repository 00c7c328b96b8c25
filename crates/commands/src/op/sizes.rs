//! Shapes with named sizes, and conditions on the names: `f32[n, 4*m]`, and after the ops `domain: n mod 4 in [0, 0]`.
//!
//! ```text
//! named := chain [[","] "domain" ":" items]        items as in the domain of a map
//! shape := TYPE "[" [term ("," term)*] "]"         names are parameters, in the order in which they are met
//! ```
//!
//! Law: each name in a shape is a parameter in `[1, inf]`, and each name that occurs only in slices is in `[0, inf]`; the items
//! restrict them further. All of this is written as one map without dimensions, whose results are the sizes, and parsed as a map.

use super::text::{OpText, is_shape, read_chain_of, words};
use crate::output::clipped;
use crate::token::{Class, Pieces};
use affinor::expr::{Domain, Expr};
use affinor::text::token::{Token, Tokens};
use affinor::text::{Error, ErrorKind, Span, parse_map, parse_symbolic_expr};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;
use affinor_ops::named::NamedSlice;

/// A shape as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedShape {
    /// The type of the elements.
    pub element: ElementType,
    /// The position of each size.
    pub sizes: Vec<Span>,
}

/// An op with the sizes of its arrays.
pub struct SizedOp {
    /// The op as text.
    pub text: OpText<NamedShape>,
    /// The sizes of its operands, except for the operand that the previous op provides.
    pub operands: Vec<Vec<Expr>>,
    /// The sizes of the result, if they are given.
    pub result: Option<Vec<Expr>>,
    /// The intervals of a slice.
    pub slices: Vec<NamedSlice>,
}

/// Returns whether `text` has a named size, or conditions on names.
pub fn is_named(text: &str) -> bool {
    let has_name = |inside: &str| inside.contains(|c: char| c.is_alphabetic() || c == '_');
    let in_brackets = |word: &str| {
        let pieces = word.split('[').skip(1);
        let mut inside = pieces.map(|piece| piece.split(']').next().unwrap_or_default());
        inside.any(has_name)
    };
    let mut words = words(text, 0..text.len()).into_iter();
    words.any(|word| {
        let word = &text[word];
        is_shape(word) && in_brackets(word)
            || (word.starts_with('[') || word.starts_with("slice=")) && in_brackets(word)
    }) || facts_at(text).is_some()
}

/// Returns the position of the word `domain`, outside brackets.
fn facts_at(text: &str) -> Option<Span> {
    let mut pieces = Pieces::new(text).filter(|piece| piece.is_outside());
    let is_it = |word: &str| word == "domain" || word == "domain:";
    pieces.find_map(|piece| {
        (piece.class == Class::Word && is_it(&text[piece.span.clone()])).then_some(piece.span)
    })
}

/// Parses a chain of ops with named sizes, and the domain of the names.
///
/// # Errors
/// At the place that is wrong.
pub fn read(text: &str) -> Result<(Domain, Vec<SizedOp>), Error> {
    let facts = facts_at(text).map(|span| span.start);
    let chain = text[..facts.unwrap_or(text.len())].trim_end();
    let chain = chain.strip_suffix(',').unwrap_or(chain);
    let ops = read_chain_of(chain, &read_shape)?;
    // The sizes in shapes come first: the names in them are at least 1.
    let mut sizes: Vec<Span> = Vec::new();
    let mut taken: Vec<Span> = Vec::new();
    let mut slices: Vec<Vec<[Option<Span>; 3]>> = Vec::new();
    for op in &ops {
        let shapes = op.operands.iter().chain(&op.result);
        shapes.for_each(|(shape, _)| sizes.extend(shape.sizes.iter().cloned()));
        let intervals = match op.opcode {
            Opcode::Slice => slices_of(op, text)?,
            _ => Vec::new(),
        };
        taken.extend(intervals.iter().flatten().flatten().cloned());
        slices.push(intervals);
    }
    let in_shapes = sizes.len();
    sizes.extend(taken);
    let (domain, mut values) = lowered(text, &sizes, in_shapes, facts)?;
    let mut taken = values.split_off(in_shapes).into_iter();
    let mut values = values.into_iter();
    let mut sized = Vec::new();
    for (text, intervals) in ops.into_iter().zip(slices) {
        let mut of =
            |shape: &NamedShape| -> Vec<Expr> { values.by_ref().take(shape.sizes.len()).collect() };
        let operands = text.operands.iter().map(|(shape, _)| of(shape)).collect();
        let result = text.result.as_ref().map(|(shape, _)| of(shape));
        let intervals = intervals.iter().map(|ends| {
            let [start, limit, stride] =
                ends.each_ref().map(|end| end.as_ref().and_then(|_| taken.next()));
            NamedSlice {
                start: start.unwrap_or(Expr::constant(0)),
                limit: limit.unwrap_or(Expr::constant(0)),
                stride: stride.unwrap_or(Expr::constant(1)),
            }
        });
        let slices = intervals.collect();
        sized.push(SizedOp { text, operands, result, slices });
    }
    Ok((domain, sized))
}

fn read_shape(text: &str, span: &Span) -> Result<NamedShape, Error> {
    let word = &text[span.clone()];
    let wrong = |message: String| {
        Error::new(ErrorKind::Shape, span.clone(), message)
            .hint("a shape with names as sizes is written `f32[n, 4*m]`")
    };
    let (Some(open), Some(inner)) = (word.find('['), word.strip_suffix(']')) else {
        return Err(wrong(match word.starts_with('(') {
            true => "a tuple has no sizes with names".to_owned(),
            false => {
                format!("expected a type and sizes, without a layout, found `{}`", clipped(word))
            }
        }));
    };
    let name = &word[..open];
    let Some(element) = ElementType::from_name(name) else {
        return Err(wrong(format!("unknown element type `{}`", clipped(name))));
    };
    let start = span.start + open + 1;
    let end = span.start + inner.len();
    let sizes = match text[start..end].trim().is_empty() {
        true => Vec::new(),
        false => pieces(text, start..end, b','),
    };
    Ok(NamedShape { element, sizes })
}

/// Returns the parts of a text between separators outside brackets.
fn pieces(text: &str, span: Span, separator: u8) -> Vec<Span> {
    let (mut depth, mut start, mut pieces) = (0usize, span.start, Vec::new());
    for (at, byte) in (span.start..).zip(text[span.clone()].bytes()) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if byte == separator && depth == 0 => {
                pieces.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(start..span.end);
    pieces
}

/// Parses the intervals `[start:limit:stride]` of a slice; the stride may be missing.
fn slices_of(op: &OpText<NamedShape>, text: &str) -> Result<Vec<[Option<Span>; 3]>, Error> {
    let mut intervals = op.positional.clone();
    for attribute in &op.attributes {
        let written = &text[attribute.clone()];
        let list = written.strip_prefix("slice={").and_then(|list| list.strip_suffix('}'));
        let (Some(list), true) = (list, intervals.is_empty()) else {
            return Err(op.wrong(attribute.clone(), "expected intervals such as `[0:n:2]`"));
        };
        let start = attribute.end - 1 - list.len();
        intervals = pieces(text, start..attribute.end - 1, b',');
    }
    let mut slices = Vec::new();
    for interval in intervals {
        let written = &text[interval.clone()];
        let start = interval.start + (written.len() - written.trim_start().len());
        let written = written.trim();
        let inner = written.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let parts = inner.map(|inner| pieces(text, start + 1..start + 1 + inner.len(), b':'));
        slices.push(match parts.as_deref() {
            Some([start, limit]) => [Some(start.clone()), Some(limit.clone()), None],
            Some([start, limit, stride]) => [start, limit, stride].map(|end| Some(end.clone())),
            _ => return Err(op.wrong(interval, "expected an interval such as `[0:n:2]`")),
        });
    }
    Ok(slices)
}

/// A text assembled from parts of another text.
#[derive(Default)]
struct Joined {
    text: String,
    /// The position of each part in this text, and in the other one.
    parts: Vec<(Span, Span)>,
}

impl Joined {
    fn copy(&mut self, from: &str, span: Span) {
        let start = self.text.len();
        self.text += &from[span.clone()];
        self.parts.push((start..self.text.len(), span));
    }

    /// Turns an error in this text into an error in the other text.
    fn blame(&self, error: Error) -> Error {
        let span = error.span.clone().unwrap_or_default();
        let holds = |(own, _): &&(Span, Span)| own.start <= span.start && span.end <= own.end;
        let found = self.parts.iter().find(holds).map(|(own, there)| {
            there.start + span.start - own.start..there.start + span.end - own.start
        });
        // A token missing at the end of a part is reported after that part.
        let before = |(own, _): &&(Span, Span)| own.end <= span.start;
        let last = self.parts.iter().rfind(before);
        let span = found.or(last.map(|(_, there)| there.end..there.end));
        Error { span, ..error }
    }
}

/// Returns the values of `sizes`, and the domain of their parameters. The first `in_shapes` sizes occur in shapes.
fn lowered(
    text: &str,
    sizes: &[Span],
    in_shapes: usize,
    facts: Option<usize>,
) -> Result<(Domain, Vec<Expr>), Error> {
    let names = names(text, sizes);
    let of_shapes = self::names(text, &sizes[..in_shapes]).len();
    let known: Vec<&str> = names.iter().map(|name| &text[name.clone()]).collect();
    for size in sizes {
        let written = &text[size.clone()];
        parse_symbolic_expr(written, &known).map_err(|error| error.shifted(size.start))?;
    }
    let mut joined = Joined::default();
    let list = |joined: &mut Joined, spans: &[Span], after: &dyn Fn(usize) -> &'static str| {
        for (k, span) in spans.iter().enumerate() {
            joined.text += if k == 0 { "" } else { ", " };
            joined.copy(text, span.clone());
            joined.text += after(k);
        }
    };
    joined.text += "<";
    list(&mut joined, &names, &|_| "");
    joined.text += ">() -> (";
    list(&mut joined, sizes, &|_| "");
    joined.text += "), domain: ";
    list(&mut joined, &names, &|k| match k < of_shapes {
        true => " in [1, inf]",
        false => " in [0, inf]",
    });
    if let Some(start) = facts {
        let colon = text[start..].find(':').map_or(text.len(), |at| start + at);
        if text[start..colon].trim() != "domain" {
            let span = start..start + "domain".len();
            let error = Error::new(ErrorKind::Syntax, span, "expected `:` after `domain`");
            return Err(error.hint("write `domain: n mod 4 in [0, 0]` after the ops"));
        }
        joined.text += if names.is_empty() { "" } else { ", " };
        joined.copy(text, colon + 1..text.len());
    }
    let map = parse_map(&joined.text).map_err(|error| joined.blame(error))?;
    Ok(map.into_parts())
}

/// Returns the names in `sizes`, each at its first occurrence.
fn names(text: &str, sizes: &[Span]) -> Vec<Span> {
    let mut names: Vec<Span> = Vec::new();
    for size in sizes {
        let mut tokens = Tokens::new(&text[size.clone()]);
        while tokens.token() != Token::End {
            let (token, span) = (tokens.token(), tokens.span());
            tokens.advance();
            let span = size.start + span.start..size.start + span.end;
            let is_known = names.iter().any(|name| text[name.clone()] == text[span.clone()]);
            if token == Token::Name && tokens.token() != Token::LeftParen && !is_known {
                names.push(span);
            }
        }
    }
    names
}
