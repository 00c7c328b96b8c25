//! A tile as text and as JSON, and the sizes that a tile was asked for with.

use super::arguments::Argument;
use super::compose::count as counted;
use super::failure::Failure;
use super::image::number;
use super::output::{Object, Role, Text};
use super::values::{pair, parse_point};
use crate::error::ErrorKind;
use crate::image::Basis;
use crate::interval::Interval;
use crate::map::Domain;
use crate::syntax::{Style, print_expr, print_interval, variable_names};
use crate::tiling::{Grid, GridError, Side, Suggestion, Tile};
use serde_json::Value;

/// The grid of tiles that `sizes` and `strides` ask for.
pub(super) fn grid(sizes: &Argument, strides: Option<&Argument>) -> Result<Grid, Failure> {
    let numbers = parse_point(sizes)?;
    let grid = match strides {
        None => Grid::of_sizes(numbers),
        Some(strides) => Grid::new(numbers, parse_point(strides)?),
    };
    grid.map_err(|error| grid_error(sizes, &error))
}

/// The failure behind a [`GridError`], about the sizes of a tile.
pub(super) fn grid_error(sizes: &Argument, error: &GridError) -> Failure {
    let kind = match error {
        GridError::Sizes | GridError::Rank { .. } => ErrorKind::Arity,
        GridError::Unbounded => ErrorKind::TooLarge,
        GridError::Expr(_) => ErrorKind::Overflow,
    };
    let failure = sizes.wrong(kind, error.to_string());
    match error {
        GridError::Sizes | GridError::Rank { .. } => {
            failure.hint("write the sizes of a tile as `1,32`, one for each dimension")
        }
        GridError::Unbounded | GridError::Expr(_) => failure,
    }
}

/// `t0 in [0, 3], t1 in [0, 1]: tiles of 1 x 32`
pub(super) fn grid_text(grid: &Grid, domain: &Domain) -> Text {
    let tiles = domain.variables().iter().take(grid.sizes().len());
    let tiles = tiles.map(|t| format!("{} in {}", t.name, print_interval(t.bounds)));
    let tiles = tiles.collect::<Vec<String>>().join(", ");
    let sizes = grid
        .sizes()
        .iter()
        .zip(grid.strides())
        .map(|(size, stride)| match stride {
            1 => size.to_string(),
            stride => format!("{size} (step {stride})"),
        });
    let sizes = sizes.collect::<Vec<String>>().join(" x ");
    match grid.sizes().is_empty() {
        true => Text::of(Role::Faint, "one tile, of a scalar"),
        false => Text::of(Role::Faint, format!("tiles of {sizes}, {tiles}")),
    }
}

/// `(t0 * 2 + [0, 1]) x [0, 15], 32 elements: exact (proved)`; `is_read` says that the map is exactly what is read.
pub(super) fn tile_text(tile: &Tile, is_read: bool, style: Style) -> Text {
    let sides = tile.sides.iter().map(|side| side_text(tile, side, style));
    let sides = sides.collect::<Vec<String>>().join(" x ");
    let sides = if tile.sides.is_empty() {
        "the scalar".to_owned()
    } else {
        sides
    };
    let most = match tile
        .sides
        .iter()
        .all(|side| side.last.is_none() && !is_cut(tile, side))
    {
        true => "",
        false => "at most ",
    };
    let size = tile
        .size()
        .map_or("more than 2^128 elements".to_owned(), |n| {
            counted(n, "element")
        });
    let mut text = Text::of(Role::Formula, sides).plain(format!(", {most}{size}: "));
    match (tile.basis, is_read) {
        (Basis::Cover, _) => text.push(Role::Doubtful, "a cover"),
        (_, false) => text.push(
            Role::Doubtful,
            "a cover, as the map is at most what is read",
        ),
        (basis, true) => {
            text.push(Role::Good, "exact");
            text.push(Role::Plain, format!(" ({})", basis.word()));
        }
    }
    text
}

fn side_text(tile: &Tile, side: &Side, style: Style) -> String {
    let names = variable_names(&tile.domain);
    let span = (side.size - 1).saturating_mul(side.stride);
    let step = match side.stride {
        1 => String::new(),
        stride => format!(" step {stride}"),
    };
    let offset = print_expr(&side.offset, &names, style);
    let mut text = match side.offset.as_constant() {
        Some(first) => format!("[{first}, {}]{step}", i128::from(first) + i128::from(span)),
        None if side.size == 1 => offset,
        None => format!("{offset} + [0, {span}]{step}"),
    };
    if let Some(last) = &side.last {
        text.push_str(&format!(" up to {}", print_expr(last, &names, style)));
    }
    if is_cut(tile, side) {
        text.push_str(&format!(" within {}", print_interval(side.within)));
    }
    let is_plain =
        side.offset.as_constant().is_some() && side.last.is_none() && !is_cut(tile, side);
    if is_plain || tile.sides.len() == 1 {
        text
    } else {
        format!("({text})")
    }
}

/// Does a part of some tile lie outside of what is read at all?
fn is_cut(tile: &Tile, side: &Side) -> bool {
    let offsets = tile.domain.range_of(&side.offset);
    let span = (side.size - 1).saturating_mul(side.stride);
    let ends = offsets.add(Interval::new(0, span));
    let ends = match &side.last {
        Some(last) => Interval::new(ends.lo(), ends.hi().min(tile.domain.range_of(last).hi())),
        None => ends,
    };
    !side.within.contains_all(ends)
}

/// Adds `grid`, `sides`, `elements`, `exact` and `basis`.
pub(super) fn tile_object(json: Object, tile: &Tile, is_read: bool, style: Style) -> Object {
    let names = variable_names(&tile.domain);
    let variables = tile.domain.variables().iter();
    let grid = variables.fold(Object::nested(), |grid, variable| {
        grid.with(&variable.name, pair(variable.bounds))
    });
    let side = |side: &Side| {
        let last = side
            .last
            .as_ref()
            .map(|last| print_expr(last, &names, style));
        let object = Object::nested()
            .with("offset", print_expr(&side.offset, &names, style))
            .with("size", side.size)
            .with("stride", side.stride)
            .with_some("last", last)
            .with("within", pair(side.within));
        Value::from(object)
    };
    let exact = tile.is_exact() && is_read;
    let basis = if exact { tile.basis } else { Basis::Cover };
    json.with("grid", grid)
        .with("sides", tile.sides.iter().map(side).collect::<Vec<Value>>())
        .with("elements", tile.size().map(number))
        .with("exact", exact)
        .with("basis", basis.word())
}

/// The sizes that were found, the best first; a line for each, begun by `indent`.
pub(super) fn suggestions_text(indent: &str, found: &[Suggestion], is_all: bool) -> Text {
    let mut text = Text::new();
    for suggestion in found.iter().take(SHOWN) {
        text.new_line();
        text.push(Role::Plain, indent);
        let sizes: Vec<String> = suggestion.sizes.iter().map(i64::to_string).collect();
        text.push(Role::Formula, sizes.join(","));
        let held = counted(suggestion.elements, "element");
        text.push(Role::Plain, format!(": {held} with what it reads"));
    }
    if found.is_empty() {
        text.push(Role::Plain, indent);
        text.push(
            Role::Doubtful,
            "no sizes were found for which everything that is read is a tile",
        );
    }
    if !is_all {
        text.push(
            Role::Faint,
            format!("\n{indent}only the 64 largest sizes that fit were tried"),
        );
    }
    text
}

/// Suggestions that are shown.
const SHOWN: usize = 8;

/// Adds `suggestions` and `complete`.
pub(super) fn suggestions_object(json: Object, found: &[Suggestion], is_all: bool) -> Object {
    let suggestion = |found: &Suggestion| {
        let object = Object::nested()
            .with("sizes", found.sizes.clone())
            .with("elements", number(found.elements));
        Value::from(object)
    };
    json.with(
        "suggestions",
        found.iter().map(suggestion).collect::<Vec<Value>>(),
    )
    .with("complete", is_all)
}
