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

use super::attribute::{AttributeValue, IotaGroups, MeshAxis, MeshDevices, MeshGroups};
use super::cursor::Cursor;
use super::token::Token;
use affinor_maps::text::{Error, Span};

/// `{{0,1},{2,3}}`
pub(super) fn groups(cursor: &Cursor<'_>, span: &Span) -> Option<AttributeValue> {
    cursor.whole_list(span, Cursor::braced_integers).map(AttributeValue::Groups)
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
    inner.at_end().then_some(AttributeValue::IotaGroups(IotaGroups {
        dimensions,
        reshape,
        transpose,
    }))
}

/// Parses `mesh['x'=2,'y'=4] {'y'}`; takes nothing if the text does not have this form.
pub(super) fn mesh_groups(cursor: &mut Cursor<'_>) -> Option<MeshGroups> {
    if cursor.peek_text() != "mesh" {
        return None;
    }
    let start = cursor.peek_span().start;
    let groups = mesh(cursor).ok().flatten();
    match groups.filter(|_| cursor.at_end_of_value()) {
        Some(groups) => {
            Some(MeshGroups { text: cursor.slice(start..cursor.end()).into(), ..groups })
        }
        None => {
            cursor.move_to(start);
            None
        }
    }
}

/// Parses the groups, if their size is positive and the axes belong to the mesh.
fn mesh(cursor: &mut Cursor<'_>) -> Result<Option<MeshGroups>, Error> {
    cursor.advance();
    cursor.expect(Token::OpenBracket)?;
    let of_mesh = cursor.list_until(Token::CloseBracket, |cursor| {
        let name = cursor.expect(Token::Axis)?;
        cursor.expect(Token::Equals)?;
        Ok((cursor.slice(name), cursor.expect_integer()?.0))
    })?;
    cursor.take(Token::Comma);
    let mut devices = MeshDevices::InOrder;
    if cursor.peek_text() == "device_ids" {
        cursor.advance();
        cursor.expect(Token::Equals)?;
        cursor.expect(Token::OpenParenthesis)?;
        let span = cursor.raw_until_parenthesis()?;
        devices = mesh_devices(cursor.within(span)).unwrap_or(MeshDevices::Unread);
        cursor.expect(Token::CloseParenthesis)?;
    }
    cursor.expect(Token::OpenBrace)?;
    let axes = cursor.list_until(Token::CloseBrace, |cursor| {
        let name = cursor.expect(Token::Axis)?;
        let name = cursor.slice(name);
        let axis = of_mesh.iter().position(|(axis, _)| *axis == name);
        let whole = axis.map_or(0, |axis| of_mesh[axis].1);
        let (mut before, mut size) = (1, whole);
        if cursor.take(Token::Colon) {
            cursor.expect(Token::OpenParenthesis)?;
            before = cursor.expect_integer()?.0;
            cursor.expect(Token::CloseParenthesis)?;
            size = cursor.expect_integer()?.0;
        }
        let part = before.checked_mul(size).filter(|part| *part > 0);
        let fits = part.is_some_and(|part| size > 0 && whole % part == 0);
        Ok(axis.filter(|_| fits).map(|axis| MeshAxis { axis, before, size }))
    })?;
    let Some(axes) = axes.into_iter().collect::<Option<Vec<MeshAxis>>>() else {
        return Ok(None);
    };
    let mut sizes = axes.iter().map(|axis| axis.size);
    let product = sizes.try_fold(1_i64, |all, size| all.checked_mul(size));
    Ok(product.map(|group_size| MeshGroups {
        text: "".into(),
        group_size,
        sizes: of_mesh.iter().map(|(_, size)| *size).collect(),
        devices,
        axes,
    }))
}

/// Parses the contents of the parentheses of `device_ids=(..)`.
fn mesh_devices(mut inner: Cursor<'_>) -> Result<MeshDevices, Error> {
    if !inner.take(Token::OpenBracket) {
        let id = |cursor: &mut Cursor<'_>| Ok(cursor.expect_integer()?.0);
        let mut ids = vec![id(&mut inner)?];
        while inner.take(Token::Comma) {
            ids.push(id(&mut inner)?);
        }
        inner.expect_end("a device")?;
        return Ok(MeshDevices::Listed(ids));
    }
    let sizes = inner.integers_until(Token::CloseBracket)?;
    let mut order = Vec::new();
    if !inner.at_end() && inner.peek_text() == "T" {
        inner.advance();
        inner.expect(Token::OpenParenthesis)?;
        order = inner.integers_until(Token::CloseParenthesis)?;
    }
    inner.expect_end("`)`")?;
    Ok(MeshDevices::Transposed(sizes, order))
}
