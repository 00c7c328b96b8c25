//! Tiles as text and as JSON, and the sizes of requested tiles.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Status, Text};
use crate::words::count as counted;
use affinor::expr::{Domain, Variable};
use affinor::num::Interval;
use affinor::text::json::Wide;
use affinor::text::{ErrorKind, Style, print_expr, print_interval, variable_names};
use affinor_ops::footprint::image::Basis;
use affinor_ops::footprint::tiling::{Grid, GridError, Side, Suggestions, TRIED, Tile};

/// The default maximum number of elements held at once.
pub const HELD: u64 = 16_384;

/// The verdict on a tile that is exactly the range of a map that is only an upper bound on the reads.
pub const SUPERSET: &str = "a cover, since the map is a superset of the reads";

/// Returns the failure for a [`GridError`], at the sizes of a tile.
pub fn grid_error(sizes: &Argument, error: &GridError) -> Failure {
    let kind = match error {
        GridError::Sizes | GridError::Rank { .. } | GridError::Result { .. } => ErrorKind::Arity,
        GridError::Unbounded => ErrorKind::TooLarge,
        GridError::Expr(_) => ErrorKind::Overflow,
    };
    let failure = sizes.wrong(kind, error.to_string());
    match error {
        GridError::Sizes | GridError::Rank { .. } | GridError::Result { .. } => {
            failure.hint("write the sizes of a tile as `1,32`, one for each dimension; `..,32` is 1 in each leading dimension")
        }
        GridError::Unbounded | GridError::Expr(_) => failure,
    }
}

/// Returns the numbers of the tiles of an array with these bounds.
pub fn tiles_of(grid: &Grid, bounds: &[Interval]) -> Result<Vec<Interval>, GridError> {
    let bounds = bounds.iter().take(grid.sizes().len()).enumerate();
    bounds.map(|(number, bounds)| grid.tiles(number, *bounds)).collect()
}

/// Returns `tiles of 1 x 32, t0 in [0, 3], t1 in [0, 0]`
pub fn grid_text(grid: &Grid, tiles: &[Interval]) -> Text {
    let tiles = tiles.iter().enumerate();
    let tiles = tiles.map(|(number, tiles)| format!("t{number} in {}", print_interval(*tiles)));
    let tiles = tiles.collect::<Vec<String>>().join(", ");
    let sizes = grid.sizes().iter().zip(grid.strides()).map(|(size, stride)| match stride {
        1 => size.to_string(),
        stride => format!("{size} (step {stride})"),
    });
    let sizes = sizes.collect::<Vec<String>>().join(" x ");
    match grid.sizes().is_empty() {
        true => Text::of(Role::Faint, "one tile, of a scalar"),
        false => Text::of(Role::Faint, format!("tiles of {sizes}, {tiles}")),
    }
}

/// Returns the condition under which a tile has reads, on the tile variables (`tiles` are all tiles of the array) and on runtime
/// variables: ` for t0 in [1, 3]`; empty if it always has.
fn conditions_text(tile: &Tile, tiles: &[Interval], style: Style) -> String {
    let values = tile.values.iter().filter(|value| value.is_one);
    let is_any = |variable: &Variable| {
        let mut values = values.clone().filter(|value| value.name == variable.name);
        let clamp = values.next().map(|value| value.clamp);
        clamp.is_none_or(|clamp| variable.bounds.contains_all(clamp))
    };
    let mut conditions: Vec<String> = Vec::new();
    for (number, variable) in tile.domain.variables().iter().enumerate() {
        let is_whole = match tiles.get(number) {
            Some(tiles) => *tiles == variable.bounds,
            None => is_any(variable),
        };
        if !is_whole {
            let bounds = print_interval(variable.bounds);
            conditions.push(format!("{} in {bounds}", variable.name));
        }
    }
    conditions.extend(constraints(&tile.domain, style));
    match conditions.is_empty() {
        true => String::new(),
        false => format!(" for {}", conditions.join(", ")),
    }
}

/// Returns `t0 mod 2 in [1, 1]`
fn constraints(domain: &Domain, style: Style) -> Vec<String> {
    let names = variable_names(domain);
    let constraints = domain.constraints().iter();
    let text = constraints.map(|constraint| {
        let expr = print_expr(&constraint.expr, &names, style);
        format!("{expr} in {}", print_interval(constraint.bounds))
    });
    text.collect()
}

/// Explains why a tile is a cover, if the map is exact.
pub fn several_values(tile: &Tile) -> Option<String> {
    let values = tile.values.iter().filter(|value| !value.is_one);
    let names: Vec<&str> = values.map(|value| &*value.name).collect();
    let verb = if names.len() == 1 { "has" } else { "have" };
    let names = names.join(", ");
    (!names.is_empty()).then(|| format!("{names} {verb} several values in a tile"))
}

/// Returns `(t0 * 2 + [0, 1]) x [0, 15], 32 elements for t0 in [1, 3]: exact (proved)`; `tiles` are all tiles of the array, and
/// `is_read` is whether the map is exact.
pub fn tile_text(tile: &Tile, tiles: &[Interval], is_read: bool, style: Style) -> Text {
    let sides = tile.sides.iter().map(|side| side_text(tile, side, style));
    let sides = sides.collect::<Vec<String>>().join(" x ");
    let sides = if tile.sides.is_empty() { "the scalar".to_owned() } else { sides };
    let most =
        match tile.sides.iter().all(|side| side.last.is_none() && side.is_whole(&tile.domain)) {
            true => "",
            false => "at most ",
        };
    let size = tile.size().map_or("more than 2^128 elements".to_owned(), |n| counted(n, "element"));
    let conditions = conditions_text(tile, tiles, style);
    let size = format!(", {most}{size}{conditions}: ");
    let mut text = Text::of(Role::Formula, sides).plain(size);
    match (tile.basis, is_read) {
        (Basis::Cover, _) => {
            text.push(Role::Doubtful, "a cover");
            if let Some(reason) = several_values(tile) {
                text.push(Role::Plain, format!(", as {reason}"));
            }
        }
        (_, false) => text.push(Role::Doubtful, SUPERSET),
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
    if !side.is_whole(&tile.domain) {
        text.push_str(&format!(" within {}", print_interval(side.within)));
    }
    let is_plain =
        side.offset.as_constant().is_some() && side.last.is_none() && side.is_whole(&tile.domain);
    if is_plain || tile.sides.len() == 1 { text } else { format!("({text})") }
}

/// Adds `grid`, `constraints`, `sides`, `elements`, `exact` and `basis`: tiles and values of runtime variables outside of the
/// bounds in `grid`, or that do not satisfy the constraints, have no reads.
pub fn tile_object(json: Object, tile: &Tile, is_read: bool, style: Style) -> Object {
    let names = variable_names(&tile.domain);
    let variables = tile.domain.variables().iter();
    let grid = variables
        .fold(Object::nested(), |grid, variable| grid.with(&variable.name, variable.bounds));
    let side = |side: &Side| {
        let last = side.last.as_ref().map(|last| print_expr(last, &names, style));
        Object::nested()
            .with("offset", print_expr(&side.offset, &names, style))
            .with("size", side.size)
            .with("stride", side.stride)
            .with_some("last", last)
            .with("within", side.within)
    };
    let exact = tile.is_exact() && is_read;
    let basis = if exact { tile.basis } else { Basis::Cover };
    json.with("grid", grid)
        .with("constraints", constraints(&tile.domain, style))
        .with("sides", tile.sides.iter().map(side).collect::<Vec<Object>>())
        .with("elements", tile.size().map(Wide))
        .with("exact", exact)
        .with("basis", basis)
}

/// Returns the answer with the suggested sizes; undecided if the search was cut short.
pub fn suggestions_output(
    mut text: Text,
    json: Object,
    indent: &str,
    suggestions: &Suggestions,
) -> Output {
    text.append(suggestions_text(indent, suggestions));
    let output = Output::new(text, suggestions_object(json, suggestions));
    match suggestions.stopped {
        None => output,
        Some(_) => output.status(Status::Undecided),
    }
}

/// Returns the suggested sizes, best first; a line for each, indented by `indent`.
fn suggestions_text(indent: &str, suggestions: &Suggestions) -> Text {
    let mut text = Text::new();
    for suggestion in suggestions.found.iter().take(SHOWN) {
        text.new_line();
        text.push(Role::Plain, indent);
        let sizes: Vec<String> = suggestion.sizes.iter().map(i64::to_string).collect();
        text.push(Role::Formula, sizes.join(","));
        let held = counted(suggestion.elements, "element");
        text.push(Role::Plain, format!(": {held} including its reads"));
    }
    if suggestions.found.is_empty() {
        text.push(Role::Plain, indent);
        text.push(Role::Doubtful, "found no sizes whose footprint is a tile");
    }
    if let Some(stopped) = suggestions.stopped {
        let stopped = format!("\n{indent}the search stopped at its bound ({stopped})");
        text.push(Role::Doubtful, stopped);
    } else if !suggestions.is_all {
        let tried = format!("\n{indent}only the {TRIED} largest sizes that fit were tried");
        text.push(Role::Faint, tried);
    }
    text
}

/// The maximal number of printed suggestions.
const SHOWN: usize = 8;

/// Adds `suggestions`, `complete` and, if not all sizes were tried, `stopped_at`.
fn suggestions_object(json: Object, suggestions: &Suggestions) -> Object {
    let stopped_at = match (suggestions.stopped, suggestions.is_all) {
        (Some(stopped), _) => Some(stopped.to_string()),
        (None, false) => Some(format!("the {TRIED} largest sizes that fit")),
        (None, true) => None,
    };
    json.with("suggestions", &suggestions.found)
        .with("complete", stopped_at.is_none())
        .with_some("stopped_at", stopped_at)
}
