//! Shape text to [`Shape`].
//!
//! Source: XLA, `hlo_parser.cc` (`ParseShape`, `ParseLayout`) and measurements of it:
//!
//! ```text
//! shape  := "(" [shape ("," shape)*] ")" | "b(" array ")" | "token[]" | "opaque[]" | array
//! array  := type "[" [size ("," size)*] "]" [layout]
//! size   := integer | "<=" integer | "?"
//! layout := "{" [integer ("," integer)*] [":" attribute*] "}"
//! attribute, in this order, each at most once:
//!   "D(" .. ")"                  level types, dropped
//!   "T" ("(" (integer | "*") , .. ")")+
//!   "L(" integer ")"   "#(" type ")"   "*(" type ")"   "E(" integer ")"   "S(" integer ")"
//!   "SC" ("(" integer ":" integer , .. ")")+
//!   "M(" integer ")"
//! ```
//!
//! A `{` is a layout only before an integer or `:`. As in XLA, inside tuples (and only there) `#(..)`, `*(..)` and splits outside
//! the dimension are refused. Unlike XLA, which accepts them, tile sizes of 0 and orders of dimensions that are not permutations
//! are refused.

use super::cursor::{Cursor, quoted};
use super::element_type::ElementType;
use super::layout::{Layout, LayoutAttributes, SplitConfig, Tile, TileDimension};
use super::shape::{ArrayShape, Dimension, Shape};
use super::token::Token;
use affinor_maps::text::{Error, ErrorKind, Span};

/// Parses a shape that makes up the whole text.
pub(super) fn whole_shape(text: &str) -> Result<Shape, Error> {
    let mut cursor = Cursor::new(text, ErrorKind::Shape);
    let shape = shape(&mut cursor)?;
    let at_brace = cursor.peek() == Some(Token::OpenBrace);
    cursor.expect_end("the shape").map_err(|error| {
        if at_brace {
            error.hint("a layout lists the dimensions, the most minor first, as in `{1,0}`")
        } else {
            error
        }
    })?;
    Ok(shape)
}

/// Returns whether a shape starts here.
pub(super) fn at_shape(cursor: &mut Cursor<'_>) -> bool {
    match cursor.peek() {
        Some(Token::OpenParenthesis) => true,
        Some(Token::Name) => match cursor.peek_text() {
            "b" => is_buffer(cursor),
            "token" | "opaque" => cursor.character_behind() == Some('['),
            name => {
                ElementType::from_name(name).is_some() && cursor.character_behind() == Some('[')
            }
        },
        _ => false,
    }
}

/// Returns whether the next token `b` begins `b(..)`, and is not a name.
fn is_buffer(cursor: &mut Cursor<'_>) -> bool {
    let end = cursor.peek_span().end;
    cursor.slice(end..end + 1) == "("
}

/// Parses a shape and leaves the rest of the text. Errors are of kind `shape`.
pub(super) fn shape(cursor: &mut Cursor<'_>) -> Result<Shape, Error> {
    let kind = std::mem::replace(&mut cursor.kind, ErrorKind::Shape);
    let result = any_shape(cursor, false);
    cursor.kind = kind;
    result
}

fn any_shape(cursor: &mut Cursor<'_>, in_tuple: bool) -> Result<Shape, Error> {
    if cursor.take(Token::OpenParenthesis) {
        let elements = cursor.nested(|cursor| {
            cursor.list_until(Token::CloseParenthesis, |cursor| any_shape(cursor, true))
        })?;
        return Ok(Shape::Tuple(elements));
    }
    if cursor.peek() != Some(Token::Name) {
        return Err(cursor.expected("a shape such as `f32[8,16]`"));
    }
    match cursor.peek_text() {
        "token" => without_dimensions(cursor, Shape::Token),
        "opaque" => without_dimensions(cursor, Shape::Opaque),
        "b" if is_buffer(cursor) => {
            cursor.advance();
            cursor.expect(Token::OpenParenthesis)?;
            let array = array_shape(cursor, in_tuple)?;
            cursor.expect(Token::CloseParenthesis)?;
            Ok(Shape::Buffer(array))
        }
        _ => Ok(Shape::Array(array_shape(cursor, in_tuple)?)),
    }
}

fn without_dimensions(cursor: &mut Cursor<'_>, shape: Shape) -> Result<Shape, Error> {
    cursor.advance();
    cursor.expect(Token::OpenBracket)?;
    cursor.expect(Token::CloseBracket)?;
    Ok(shape)
}

fn array_shape(cursor: &mut Cursor<'_>, in_tuple: bool) -> Result<ArrayShape, Error> {
    let element_type = element_type(cursor)?;
    cursor.expect(Token::OpenBracket)?;
    let dimensions = cursor.list_until(Token::CloseBracket, dimension)?;
    let array = ArrayShape::new(element_type, dimensions);
    let is_layout = cursor.peek() == Some(Token::OpenBrace)
        && cursor.character_behind().is_some_and(|c| c.is_ascii_digit() || c == '-' || c == ':');
    if !is_layout {
        return Ok(array);
    }
    let start = cursor.peek_span().start;
    let layout = layout(cursor, array.rank(), in_tuple)?;
    let span = start..cursor.end();
    let array = array.with_layout(layout).map_err(|error| at(error, span.clone()))?;
    if in_tuple && !splits_are_inside(&array) {
        return Err(wrong(
            span,
            "an array in a tuple is split at an index that its dimension does not have",
        )
        .hint(
            "`SC(dimension:index,..)` numbers the dimensions as they lie in memory, major first",
        ));
    }
    Ok(array)
}

fn splits_are_inside(array: &ArrayShape) -> bool {
    let major_to_minor: Vec<_> = array.layout().minor_to_major().iter().rev().collect();
    array.layout().splits().iter().all(|split| {
        let dimension = usize::try_from(split.dimension())
            .ok()
            .and_then(|physical| array.dimensions().get(**major_to_minor.get(physical)?));
        let size = dimension.map(|dimension| dimension.size().unwrap_or(i64::MAX));
        size.is_some_and(|size| split.indices().iter().all(|&index| index < size))
    })
}

fn element_type(cursor: &mut Cursor<'_>) -> Result<ElementType, Error> {
    if cursor.peek() != Some(Token::Name) {
        return Err(cursor.expected("an element type such as `f32`"));
    }
    let name = cursor.peek_text();
    let Some(element_type) = ElementType::from_name(name) else {
        let error = wrong(cursor.peek_span(), format!("unknown element type {}", quoted(name)));
        let lower = name.to_ascii_lowercase();
        return Err(match ElementType::from_name(&lower) {
            Some(_) => error.hint(format!("write `{lower}`")),
            None => error.hint("element types are `pred`, `s32`, `u8`, `f32`, `bf16`, `c64`, .."),
        });
    };
    cursor.advance();
    Ok(element_type)
}

fn dimension(cursor: &mut Cursor<'_>) -> Result<Dimension, Error> {
    if cursor.take(Token::Question) {
        return Ok(Dimension::UNBOUNDED);
    }
    let make = if cursor.take(Token::AtMost) { Dimension::at_most } else { Dimension::fixed };
    if cursor.peek() != Some(Token::Integer) {
        return Err(cursor.expected("a size such as `8`, `<=8` or `?`"));
    }
    let (size, span) = cursor.expect_integer()?;
    make(size).ok_or_else(|| wrong(span, format!("a size is at least 0, not {size}")))
}

fn layout(cursor: &mut Cursor<'_>, rank: usize, in_tuple: bool) -> Result<Layout, Error> {
    let open = cursor.expect(Token::OpenBrace)?;
    let mut order = Vec::new();
    if cursor.peek() != Some(Token::Colon) {
        loop {
            let (number, span) = cursor.expect_integer()?;
            order.push(
                usize::try_from(number)
                    .map_err(|_| wrong(span, "dimensions are numbered from 0"))?,
            );
            if !cursor.take(Token::Comma) {
                break;
            }
        }
    }
    let span = open.start..cursor.end();
    if order.len() != rank {
        return Err(wrong(
            span,
            format!("expected {rank} dimensions in the layout, found {}", order.len()),
        )
        .hint("list each dimension number once, the most minor first, as in `{1,0}`"));
    }
    let mut layout = Layout::new(order).map_err(|error| at(error, span))?;
    if cursor.take(Token::Colon) {
        layout = layout.with_attributes(layout_attributes(cursor, in_tuple)?);
    }
    if cursor.peek() == Some(Token::CloseBrace) {
        cursor.advance();
        return Ok(layout);
    }
    Err(cursor
        .expected("`}`")
        .hint("after the colon come D T L # * E S SC M, in this order, each at most once"))
}

fn layout_attributes(cursor: &mut Cursor<'_>, in_tuple: bool) -> Result<LayoutAttributes, Error> {
    let mut attributes = LayoutAttributes::PLAIN;
    if take_letter(cursor, "D") {
        cursor.expect(Token::OpenParenthesis)?;
        cursor.raw_until_parenthesis()?;
        cursor.expect(Token::CloseParenthesis)?;
    }
    if take_letter(cursor, "T") {
        attributes.tiles = groups(cursor, |cursor| {
            let dimensions = cursor.list_until(Token::CloseParenthesis, tile_dimension)?;
            Ok(Tile { dimensions })
        })?;
    }
    if take_letter(cursor, "L") {
        attributes.tail_padding_alignment = number(cursor, 1, "an alignment")?;
    }
    attributes.index_type = integer_type(cursor, Token::Hash, in_tuple)?;
    attributes.pointer_type = integer_type(cursor, Token::Star, in_tuple)?;
    if take_letter(cursor, "E") {
        attributes.element_bits = number(cursor, 0, "a number of bits")?;
    }
    if take_letter(cursor, "S") {
        attributes.memory_space = number(cursor, 0, "a memory space")?;
    }
    if take_letter(cursor, "SC") {
        attributes.splits = groups(cursor, split)?;
    }
    if cursor.peek() == Some(Token::Name) && cursor.peek_text() == "P" {
        return Err(wrong(cursor.peek_span(), "a shape cannot have a physical shape `P(..)`")
            .hint("it belonged to sparse layouts, which XLA has removed"));
    }
    if take_letter(cursor, "M") {
        attributes.metadata_prefix_bytes = number(cursor, 0, "a number of bytes")?;
    }
    Ok(attributes)
}

fn take_letter(cursor: &mut Cursor<'_>, letter: &str) -> bool {
    let found = cursor.peek() == Some(Token::Name) && cursor.peek_text() == letter;
    if found {
        cursor.advance();
    }
    found
}

/// Parses one or more groups in parentheses; `group` takes the closing one.
fn groups<'a, T>(
    cursor: &mut Cursor<'a>,
    mut group: impl FnMut(&mut Cursor<'a>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    cursor.expect(Token::OpenParenthesis)?;
    let mut all = vec![group(cursor)?];
    while cursor.take(Token::OpenParenthesis) {
        all.push(group(cursor)?);
    }
    Ok(all)
}

fn tile_dimension(cursor: &mut Cursor<'_>) -> Result<TileDimension, Error> {
    if cursor.take(Token::Star) {
        return Ok(TileDimension::Combine);
    }
    if cursor.peek() != Some(Token::Integer) {
        return Err(cursor.expected("a tile size such as `128`, or `*`"));
    }
    Ok(TileDimension::Size(at_least(cursor, 1, "a tile size")?))
}

fn split(cursor: &mut Cursor<'_>) -> Result<SplitConfig, Error> {
    let dimension = at_least(cursor, 0, "a dimension number")?;
    cursor.expect(Token::Colon)?;
    let indices = cursor
        .list_until(Token::CloseParenthesis, |cursor| at_least(cursor, 0, "a split index"))?;
    Ok(SplitConfig { dimension, indices })
}

/// Parses `(n)`.
fn number(cursor: &mut Cursor<'_>, least: i64, what: &str) -> Result<i64, Error> {
    cursor.expect(Token::OpenParenthesis)?;
    let value = at_least(cursor, least, what)?;
    cursor.expect(Token::CloseParenthesis)?;
    Ok(value)
}

fn at_least(cursor: &mut Cursor<'_>, least: i64, what: &str) -> Result<i64, Error> {
    let (value, span) = cursor.expect_integer()?;
    if value < least {
        return Err(wrong(span, format!("{what} is at least {least}, not {value}")));
    }
    Ok(value)
}

/// Parses `#(type)` or `*(type)`, if `sign` comes next.
fn integer_type(
    cursor: &mut Cursor<'_>,
    sign: Token,
    in_tuple: bool,
) -> Result<Option<ElementType>, Error> {
    let span = cursor.peek_span();
    if !cursor.take(sign) {
        return Ok(None);
    }
    if in_tuple {
        return Err(wrong(span, format!("an array in a tuple cannot have {sign} in its layout"))
            .hint("it belonged to sparse layouts, which XLA has removed"));
    }
    cursor.expect(Token::OpenParenthesis)?;
    let span = cursor.peek_span();
    let element_type = element_type(cursor)?;
    if !element_type.is_signed_integer() && !element_type.is_unsigned_integer() {
        return Err(wrong(span, format!("expected an integer type, found `{element_type}`")));
    }
    cursor.expect(Token::CloseParenthesis)?;
    Ok(Some(element_type))
}

fn wrong(span: Span, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Shape, span, message)
}

fn at(mut error: Error, span: Span) -> Error {
    error.span = Some(span);
    error
}
