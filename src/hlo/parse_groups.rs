//! Groups of devices: `replica_groups` and `source_target_pairs`.
//!
//! ```text
//! groups := "{" ["{" integers "}" , ..] "}"
//!         | "[" integers "]" "<=" "[" integers "]" ["T" "(" integers ")"]
//!         | "mesh" "[" ['name' "=" size , ..] "]" [[","] "device_ids" "=" "(" .. ")"] "{" [axis , ..] "}"
//! axis   := 'name' [":" "(" size ")" size]                    the size before it within the axis, and its own
//! ```
//!
//! Source: XLA, `replica_group.cc` and `mesh_and_axis.cc`.

use super::attribute::{AttributeValue, IotaGroups, MeshGroups};
use super::cursor::Cursor;
use super::token::Token;
use crate::text::{Error, Span};

/// `{{0,1},{2,3}}`
pub(super) fn groups(cursor: &Cursor<'_>, span: &Span) -> Option<AttributeValue> {
    cursor
        .whole_list(span, Cursor::braced_integers)
        .map(AttributeValue::Groups)
}

/// `[2,4]<=[4,2]T(1,0)`
pub(super) fn iota_groups(cursor: &Cursor<'_>, span: &Span) -> Option<AttributeValue> {
    let mut inner = cursor.within(span.clone());
    inner.expect(Token::OpenBracket).ok()?;
    let dimensions = inner.integers_until(Token::CloseBracket).ok()?;
    inner.expect(Token::AtMost).ok()?;
    inner.expect(Token::OpenBracket).ok()?;
    let reshape = inner.integers_until(Token::CloseBracket).ok()?;
    let mut transpose = None;
    if inner.peek_text() == "T" {
        inner.advance();
        inner.expect(Token::OpenParenthesis).ok()?;
        transpose = Some(inner.integers_until(Token::CloseParenthesis).ok()?);
    }
    inner
        .at_end()
        .then_some(AttributeValue::IotaGroups(IotaGroups {
            dimensions,
            reshape,
            transpose,
        }))
}

/// `mesh['x'=2,'y'=4] {'y'}`; nothing is taken if it is not of that form.
pub(super) fn mesh_groups(cursor: &mut Cursor<'_>) -> Option<MeshGroups> {
    if cursor.peek_text() != "mesh" {
        return None;
    }
    let start = cursor.peek_span().start;
    let group_size = mesh(cursor).ok().flatten();
    match group_size.filter(|_| cursor.at_end_of_value()) {
        Some(group_size) => Some(MeshGroups {
            text: cursor.slice(start..cursor.end()).into(),
            group_size,
        }),
        None => {
            cursor.move_to(start);
            None
        }
    }
}

/// The size of the groups, if it is a positive number and the axes are those of the mesh.
fn mesh(cursor: &mut Cursor<'_>) -> Result<Option<i64>, Error> {
    cursor.advance();
    cursor.expect(Token::OpenBracket)?;
    let axes = cursor.list_until(Token::CloseBracket, |cursor| {
        let name = cursor.expect(Token::Axis)?;
        cursor.expect(Token::Equals)?;
        Ok((cursor.slice(name), cursor.expect_integer()?.0))
    })?;
    cursor.take(Token::Comma);
    if cursor.peek_text() == "device_ids" {
        cursor.advance();
        cursor.expect(Token::Equals)?;
        cursor.expect(Token::OpenParenthesis)?;
        cursor.raw_until_parenthesis()?;
        cursor.expect(Token::CloseParenthesis)?;
    }
    cursor.expect(Token::OpenBrace)?;
    let sizes = cursor.list_until(Token::CloseBrace, |cursor| {
        let name = cursor.expect(Token::Axis)?;
        let name = cursor.slice(name);
        let of_mesh = axes.iter().find(|(axis, _)| *axis == name);
        let size = of_mesh.map_or(0, |(_, size)| *size);
        if !cursor.take(Token::Colon) {
            return Ok(size);
        }
        cursor.expect(Token::OpenParenthesis)?;
        let (before, _) = cursor.expect_integer()?;
        cursor.expect(Token::CloseParenthesis)?;
        let (own, _) = cursor.expect_integer()?;
        let fits = before
            .checked_mul(own)
            .is_some_and(|part| part > 0 && size % part == 0);
        Ok(if fits { own } else { 0 })
    })?;
    let product = sizes
        .iter()
        .try_fold(1_i64, |all, size| all.checked_mul(*size));
    Ok(product.filter(|size| *size > 0))
}
