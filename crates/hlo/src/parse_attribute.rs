//! Parses attributes to [`AttributeValue`], except for computations (see `parse_module`).
//!
//! Attributes that index maps depend on have a grammar and are checked here; a value that violates it is kept as text, with the
//! error. All others are kept as an integer, word, string or list if they have that form, otherwise as text.

use super::attribute::{
    Attribute, AttributeValue, Attributes, PaddingDimension, Signature, SignatureParameter,
    SliceRange,
};
use super::cursor::{Cursor, underscored, wrong};
use super::parse_convolution::{labels, window};
use super::parse_groups::{groups, iota_groups, mesh_groups};
use super::parse_shape::{at_shape, shape};
use super::token::Token;
use affinor_maps::text::{Error, Span};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Parses the value of the attribute called `name`.
pub(super) fn value(cursor: &mut Cursor<'_>, name: &str) -> Result<AttributeValue, Error> {
    let start = cursor.peek_span().start;
    let error = match typed(cursor, name) {
        None => return kept(cursor, name),
        Some(Ok(value)) => match cursor.at_end_of_value() {
            true => return Ok(value),
            false => cursor.expected("the end of the attribute"),
        },
        Some(Err(error)) => error,
    };
    // A value without an end cannot be kept: then its error is the error of the whole text.
    cursor.move_to(start);
    let skipped = cursor.raw_value().and_then(|_| cursor.raw_rest());
    skipped.map_err(|_| error.clone())?;
    let text = cursor.slice(start..cursor.end());
    Ok(AttributeValue::Wrong(text.into(), Box::new(error)))
}

/// Parses the value of an attribute that has a grammar of its own; `None` for any other.
fn typed(cursor: &mut Cursor<'_>, name: &str) -> Option<Result<AttributeValue, Error>> {
    Some(match name {
        "dimensions"
        | "lhs_batch_dims"
        | "rhs_batch_dims"
        | "lhs_contracting_dims"
        | "rhs_contracting_dims"
        | "lhs_ragged_dims"
        | "rhs_group_dims"
        | "offset_dims"
        | "collapsed_slice_dims"
        | "start_index_map"
        | "operand_batching_dims"
        | "start_indices_batching_dims"
        | "update_window_dims"
        | "inserted_window_dims"
        | "scatter_dims_to_operand_dims"
        | "input_batching_dims"
        | "scatter_indices_batching_dims"
        | "dynamic_slice_sizes"
        | "fft_length" => cursor.braced_integers().map(AttributeValue::Integers),
        "index"
        | "index_vector_dim"
        | "iota_dimension"
        | "feature_group_count"
        | "batch_group_count" => {
            let integer = cursor.expect_integer();
            integer.map(|(value, _)| AttributeValue::Integer(value))
        }
        "slice" => slices(cursor).map(AttributeValue::Slices),
        "padding" => padding(cursor).map(AttributeValue::Padding),
        "window" => window(cursor).map(AttributeValue::Window),
        "dim_labels" => labels(cursor).map(AttributeValue::Convolution),
        "entry_computation_layout" => entry_layout(cursor),
        _ => return None,
    })
}

fn entry_layout(cursor: &mut Cursor<'_>) -> Result<AttributeValue, Error> {
    cursor.expect(Token::OpenBrace)?;
    let signature = signature(cursor)?;
    cursor.expect(Token::CloseBrace)?;
    Ok(AttributeValue::Signature(Box::new(signature)))
}

/// Parses `(p: f32[8], q: s32[]) -> f32[]`; names, and the colons after them, are optional.
pub(super) fn signature(cursor: &mut Cursor<'_>) -> Result<Signature, Error> {
    cursor.expect(Token::OpenParenthesis)?;
    let parameters = cursor.list_until(Token::CloseParenthesis, |cursor| {
        let mut name = None;
        let is_type = cursor.peek_second() == Some(Token::OpenBracket) || at_shape(cursor);
        if cursor.peek() == Some(Token::Name) && !is_type {
            name = Some(cursor.expect_name("a name")?.0.into());
            cursor.take(Token::Colon);
        }
        let shape = shape(cursor)?;
        Ok(SignatureParameter { name, shape })
    })?;
    cursor.expect(Token::Arrow)?;
    let result = shape(cursor)?;
    Ok(Signature { parameters, result })
}

fn slices(cursor: &mut Cursor<'_>) -> Result<Vec<SliceRange>, Error> {
    cursor.expect(Token::OpenBrace)?;
    cursor.list_until(Token::CloseBrace, slice_range)
}

fn slice_range(cursor: &mut Cursor<'_>) -> Result<SliceRange, Error> {
    let open = cursor.expect(Token::OpenBracket)?;
    let (start, _) = cursor.expect_integer()?;
    cursor.expect(Token::Colon)?;
    let (limit, _) = cursor.expect_integer()?;
    let mut stride = 1;
    if cursor.take(Token::Colon) {
        stride = cursor.expect_integer()?.0;
    }
    let close = cursor.expect(Token::CloseBracket)?;
    let wrong = |message| Err(wrong(open.start..close.end, message));
    if stride < 1 {
        return wrong(format!("a stride is at least 1, not {stride}"));
    }
    if start < 0 || limit < start {
        return wrong(format!(
            "a slice starts at 0 or above and ends where it starts or above, not [{start}:{limit}]"
        ));
    }
    Ok(SliceRange { start, limit, stride })
}

fn padding(cursor: &mut Cursor<'_>) -> Result<Vec<PaddingDimension>, Error> {
    if cursor.peek() != Some(Token::Pattern) {
        return Err(cursor.expected("a padding such as `1_4_1x4_8_0`"));
    }
    let span = cursor.advance();
    let text = cursor.slice(span.clone());
    text.split('x')
        .map(|dimension| {
            let numbers = underscored(dimension, &span)?;
            let (low, high, interior) = match numbers[..] {
                [low, high] => (low, high, 0),
                [low, high, interior] => (low, high, interior),
                _ => {
                    return Err(wrong(
                        span.clone(),
                        "each dimension of a padding is `low_high` or `low_high_interior`",
                    ));
                }
            };
            if interior < 0 {
                return Err(wrong(
                    span.clone(),
                    format!("interior padding is at least 0, not {interior}"),
                ));
            }
            Ok(PaddingDimension { low, high, interior })
        })
        .collect()
}

/// Keeps an attribute without a grammar of its own. A value of unknown form extends up to the next attribute.
fn kept(cursor: &mut Cursor<'_>, name: &str) -> Result<AttributeValue, Error> {
    if let Some(groups) = mesh_groups(cursor) {
        return Ok(AttributeValue::MeshGroups(groups));
    }
    let span = cursor.raw_value()?;
    if cursor.raw_rest()? {
        let span = span.start..cursor.end();
        let is_literal = name == "literal" && shape(&mut cursor.within(span.clone())).is_ok();
        let text = cursor.slice(span).into();
        return Ok(match is_literal {
            true => AttributeValue::Text(text),
            false => AttributeValue::Unread(text),
        });
    }
    let form = match name {
        "sharding" | "backend_config" => None,
        "metadata" | "frontend_attributes" => record(cursor, &span),
        "replica_groups" | "source_target_pairs" => {
            let form = groups(cursor, &span).or_else(|| iota_groups(cursor, &span));
            return Ok(form.unwrap_or_else(|| AttributeValue::Unread(cursor.slice(span).into())));
        }
        _ => plain(cursor, &span),
    };
    Ok(form.unwrap_or_else(|| AttributeValue::Text(cursor.slice(span).into())))
}

/// Parses a value that has the form of an integer, word, string or list.
pub(super) fn plain(cursor: &Cursor<'_>, span: &Span) -> Option<AttributeValue> {
    let mut inner = cursor.within(span.clone());
    let text = cursor.slice(span.clone());
    let token = inner.peek()?;
    if token == Token::OpenBrace {
        let integer = |cursor: &mut Cursor<'_>| Ok(cursor.expect_integer()?.0);
        return cursor
            .whole_list(span, integer)
            .map(AttributeValue::Integers)
            .or_else(|| cursor.whole_list(span, word).map(AttributeValue::Words))
            .or_else(|| groups(cursor, span));
    }
    inner.advance();
    if !inner.at_end() {
        return None;
    }
    match (token, text) {
        (Token::Integer, _) => text.parse().ok().map(AttributeValue::Integer),
        (Token::Name, "true") => Some(AttributeValue::Boolean(true)),
        (Token::Name, "false") => Some(AttributeValue::Boolean(false)),
        (Token::Name, _) => Some(AttributeValue::Word(text.into())),
        (Token::String, _) => {
            let inside = text.strip_prefix('"')?.strip_suffix('"')?;
            Some(AttributeValue::String(inside.into()))
        }
        _ => None,
    }
}

fn word(cursor: &mut Cursor<'_>) -> Result<Arc<str>, Error> {
    let span = cursor.expect(Token::Name)?;
    Ok(cursor.slice(span).into())
}

/// Parses `{name=value name=value}`, with or without commas.
pub(super) fn record(cursor: &Cursor<'_>, span: &Span) -> Option<AttributeValue> {
    let mut inner = cursor.within(span.clone());
    inner.expect(Token::OpenBrace).ok()?;
    let mut list = Vec::new();
    let mut names = FxHashSet::default();
    while !inner.take(Token::CloseBrace) {
        let name = inner.expect(Token::Name).ok()?;
        let start = name.start;
        let name = inner.slice(name);
        if !names.insert(name) {
            return None;
        }
        inner.expect(Token::Equals).ok()?;
        let value = inner.raw_value().ok()?;
        let end = value.end;
        list.push(Attribute {
            name: name.into(),
            value: plain(&inner, &value)
                .unwrap_or_else(|| AttributeValue::Text(inner.slice(value).into())),
            span: start..end,
        });
        inner.take(Token::Comma);
    }
    inner.at_end().then_some(AttributeValue::Record(Attributes { list }))
}
