//! `tile` of maps and instructions with parameters, or with named sizes: for all their values.

use super::exact_for::{self, EXACT_FOR, Tiles};
use super::output::{SUPERSET, grid_error};
use super::programs::{FROM_ZERO, PID, Programs};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::{expr_error, part};
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::Call;
use crate::token::names;
use crate::token::{Class, split};
use crate::words::count as counted;
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Fuel, Interval};
use affinor::prove::ends_of;
use affinor::text::{Error, ErrorKind, Style, parse_symbolic_expr, print_expr, variable_names};
use affinor_ops::footprint::tiling::{
    GridError, Means, NoTile, STEPS, SideBySize, TileBySize, elements_by_size, tile_by_size,
};
use affinor_ops::indexing::{Exactness, OperandMap};
use serde_json::Value;
use std::sync::Arc;

/// The separator before the sizes along range variables.
const ALONG: char = '|';

/// A size of 1 in each leading dimension.
const LEADING: &str = "..";

/// Returns whether some of these sizes are not numbers.
pub fn has_names(sizes: &Argument) -> bool {
    names(&sizes.text).next().is_some_and(|name| name != "layout")
}

/// Answers with tiles of the map `of`. The sizes are expressions over its parameters, and over names that become parameters of at
/// least 1.
///
/// `array` has the bounds of the array that is divided, if they differ from the bounds of the map's dimensions.
///
/// # Errors
/// At the size that is wrong; if an expression is not representable, `--pid` does not support the array, or the work was
/// interrupted.
pub fn answer(
    call: &mut Call<'_>,
    of: &OperandMap,
    array: Option<&[Interval]>,
    (blamed, sizes): (&Argument, &Argument),
    means: &Means<'_>,
    simplify: &dyn Fn(&IndexingMap) -> IndexingMap,
) -> Result<Output, Failure> {
    let failed = |error| sizes.blame(expr_error(error));
    let map = with_sizes(&of.map, sizes)?;
    let rank = map.domain().count(VariableKind::Dimension);
    let (list, along) = read(&map, sizes, rank)?;
    let map = map.with_ranges_as_dimensions(along);
    let elements = elements_by_size(&map, &list).map_err(failed)?;
    call.session.last = Some(simplify(&elements));
    call.session.note_simplified(elements.clone());
    let style = call.session.style;
    if elements.domain().is_known_empty() {
        let json = Object::new().with("grid", Value::Null);
        return Ok(Output::new(Text::of(Role::Faint, "nothing is read"), json));
    }
    match tile_by_size(&elements, &map, means) {
        Ok(tile) => {
            let is_read = of.exactness == Exactness::Exact;
            let shown = list_text(&map, &list, style);
            let (mut text, mut json) = written(&tile, is_read, &shown, simplify, style);
            if call.has(PID) {
                let counts = counts(&map, &list[..rank], array, &tile.domain).map_err(failed)?;
                let counts = counts.ok_or_else(|| call.wrong_usage(FROM_ZERO))?;
                let names = variable_names(&tile.domain);
                let programs =
                    Programs { counts: &counts, tiles: list.len(), names: &names, style };
                json = programs.write(&mut text, json).map_err(failed)?;
            }
            if call.has(EXACT_FOR) && is_read {
                let given = of.map.domain().count(VariableKind::Parameter);
                let tiles = Tiles { map: &map, given, sizes: &list, are_exact: tile.is_exact };
                json = exact_for::write(&mut text, json, &tiles, means, style);
            }
            Ok(Output::new(text, json))
        }
        Err(none) => no_tile(call, blamed, &none),
    }
}

/// Returns the answer that no tile was found, with the reason.
///
/// # Errors
/// If an expression is not representable, or the work was interrupted.
fn no_tile(call: &Call<'_>, blamed: &Argument, none: &NoTile) -> Result<Output, Failure> {
    call.go_on()?;
    if let NoTile::Expr(error) = none {
        return Err(blamed.blame(expr_error(*error)));
    }
    let reason = none.to_string();
    let text = Text::of(Role::Doubtful, "unknown").plain(format!(": {reason}"));
    let json = Object::new().with("reason", reason);
    Ok(Output::new(text, json).status(Status::Undecided))
}

/// Returns the box of all elements that a map reads, in terms of its parameters.
///
/// # Errors
/// If an expression is not representable, or the work was interrupted.
pub fn image(call: &Call<'_>, blamed: &Argument, map: &IndexingMap) -> Result<Output, Failure> {
    let simplifier = call.simplifier()?;
    let search = call.search_options()?;
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &search).map;
    let fuel = Fuel::new(STEPS, &call.host.interrupt());
    let means = Means::new(&simplify, call.proof_budget(), &fuel);
    let local = map.with_ranges(|id| !map.domain().is_parameter(id));
    let (local, _) = local.map_err(|error| blamed.blame(expr_error(error)))?;
    let tile = match tile_by_size(&local, &local, &means) {
        Ok(tile) => tile,
        Err(none) => return no_tile(call, blamed, &none),
    };
    let style = call.session.style;
    let names = variable_names(&tile.domain);
    let mut text = sides_text(&tile, style);
    let count = elements(&tile, &simplify).map(|count| print_expr(&count, &names, style));
    if let Some(count) = &count {
        text.push(Role::Plain, format!(", {count} elements"));
    }
    text.push(Role::Plain, "\n");
    match tile.is_exact {
        true => text.push(Role::Good, "exactly the elements read"),
        false => text.push(Role::Doubtful, "a cover: not all of it may be read"),
    }
    let sides: Vec<Object> =
        tile.sides.iter().map(|side| side_object(side, &names, style)).collect();
    let json = Object::new()
        .with("sides", sides)
        .with("elements", count)
        .with("basis", if tile.is_exact { "proved" } else { "cover" });
    Ok(Output::new(text, json))
}

/// Returns the map with a new parameter for each unknown name in the sizes.
fn with_sizes(map: &IndexingMap, sizes: &Argument) -> Result<IndexingMap, Failure> {
    let own = map.domain();
    let mut parameters: Vec<Variable> =
        own.ids(VariableKind::Parameter).map(|id| own.variables()[id.index()].clone()).collect();
    for name in names(&sizes.text) {
        let mut others = own.variables().iter().chain(&parameters);
        match others.find(|other| &*other.name == name) {
            Some(other) if other.kind != VariableKind::Parameter => {
                let message = format!(
                    "`{name}` is a variable of the map, and a size is the same for all points"
                );
                return Err(sizes.wrong(ErrorKind::Name, message));
            }
            Some(_) => {}
            None => {
                let bounds = Interval::at_least(1);
                parameters.push(Variable::new(name, VariableKind::Parameter, bounds));
            }
        }
    }
    let with = map.with_parameters_of(&Domain::new(parameters));
    with.map_err(|error| sizes.blame(expr_error(error)))
}

/// Parses the sizes, one for each dimension followed by those along range variables, and returns the number of the latter.
fn read(map: &IndexingMap, given: &Argument, rank: usize) -> Result<(Vec<Expr>, usize), Failure> {
    let (of_array, along) = match given.text.find(ALONG) {
        None => (0..given.text.len(), None),
        Some(at) => (0..at, Some(at + ALONG.len_utf8()..given.text.len())),
    };
    let names: Vec<Arc<str>> = variable_names(map.domain());
    let size = |span: std::ops::Range<usize>| -> Result<Expr, Failure> {
        let item = part(given, span);
        let text = item.text.clone();
        let expr = parse_symbolic_expr(&text, &names).map_err(|error| item.blame(error))?;
        let mut used = expr.variables().into_iter();
        if !used.all(|id| map.domain().is_parameter(id)) {
            let message = "a size is an expression over parameters";
            return Err(item.wrong(ErrorKind::Name, message));
        }
        if map.domain().is_positive(&expr) {
            return Ok(expr);
        }
        if expr.as_constant().is_some() {
            return Err(grid_error(&item, &GridError::Sizes));
        }
        let unknown = map.domain().unknown_factor(&expr);
        let shown = print_expr(&unknown, &names, Style::Plain);
        let message = format!(
            "it is not known that the size is at least 1: `{shown} in [1, inf]` is missing"
        );
        Err(item.blame(Error::new(ErrorKind::Division, 0..text.len(), message)))
    };
    let mut items = split(&given.text, of_array, Class::Comma);
    let has_leading = items.first().is_some_and(|item| given.text[item.clone()].trim() == LEADING);
    if has_leading {
        items.remove(0);
    }
    let leading = match rank.checked_sub(items.len()) {
        Some(leading) if leading == 0 || has_leading => leading,
        _ => {
            let error = GridError::Rank { given: items.len(), dimensions: rank };
            return Err(grid_error(given, &error));
        }
    };
    let mut sizes = vec![Expr::constant(1); leading];
    for item in items {
        sizes.push(size(item)?);
    }
    let ranges = map.domain().count(VariableKind::Range);
    let along = along.map_or(Vec::new(), |span| split(&given.text, span, Class::Comma));
    let along: Vec<_> = along.into_iter().take(ranges).collect();
    let count = along.len();
    for item in along {
        sizes.push(size(item)?);
    }
    Ok((sizes, count))
}

fn list_text(map: &IndexingMap, sizes: &[Expr], style: Style) -> String {
    let names = variable_names(map.domain());
    let sizes: Vec<String> = sizes.iter().map(|size| print_expr(size, &names, style)).collect();
    sizes.join(" x ")
}

/// Returns the number of tiles of these sizes in each dimension of an array, over the variables of `tile`; `None` if its indices
/// do not begin at 0, or have no upper bound.
fn counts(
    map: &IndexingMap,
    sizes: &[Expr],
    array: Option<&[Interval]>,
    tile: &Domain,
) -> Result<Option<Vec<Expr>>, ExprError> {
    let domain = map.domain();
    let behind = |domain: &Domain| domain.variables().len() - domain.count(VariableKind::Parameter);
    let (from, to) = (behind(domain), behind(tile));
    let places: Vec<Expr> = (0..domain.variables().len())
        .map(|id| Expr::variable(VariableId((to + id.saturating_sub(from)) as u32)))
        .collect();
    let mut counts = Vec::new();
    for (number, size) in sizes.iter().enumerate() {
        let [first, last] = match array.and_then(|array| array.get(number)) {
            Some(bounds) => [bounds.lo(), bounds.hi()].map(|end| vec![Expr::constant(end)]),
            None => {
                let id = VariableId(number as u32);
                ends_of(domain, id, &|other| domain.is_parameter(other))
            }
        };
        let begins = first.iter().all(|end| end.as_constant() == Some(0)) && !first.is_empty();
        if !begins || last.is_empty() {
            return Ok(None);
        }
        let count = Expr::min(last)?.floordiv_by(size)?.add(&Expr::constant(1))?;
        counts.push(count.substitute(&places)?);
    }
    Ok(Some(counts))
}

/// Returns the tile as text and as JSON.
fn written(
    tile: &TileBySize,
    is_read: bool,
    sizes: &str,
    simplify: &dyn Fn(&IndexingMap) -> IndexingMap,
    style: Style,
) -> (Text, Object) {
    let names = variable_names(&tile.domain);
    let print = |expr: &Expr| print_expr(expr, &names, style);
    let grid = grid(tile, style);
    let bounds: Vec<String> =
        grid.iter().map(|(name, [lo, hi])| format!("{name} in [{lo}, {hi}]")).collect();
    let tiles = match bounds.is_empty() {
        true => format!("tiles of {sizes}\n"),
        false => format!("tiles of {sizes}, {}\n", bounds.join(", ")),
    };
    let mut text = Text::of(Role::Faint, tiles);
    text.append(sides_text(tile, style));
    let count = elements(tile, simplify);
    let most = if tile.sides.iter().all(is_whole) { "" } else { "at most " };
    let count = count.map(|count| match count.as_constant() {
        Some(count) => (count.to_string(), counted(count, "element")),
        None => (print(&count), format!("{} elements", print(&count))),
    });
    if let Some((_, count)) = &count {
        text.push(Role::Plain, format!(", {most}{count}"));
    }
    text.push(Role::Plain, ": ");
    let is_exact = tile.is_exact && is_read;
    match (tile.is_exact, is_read) {
        (true, true) => {
            text.push(Role::Good, "exact");
            text.push(Role::Plain, " (proved)");
        }
        (true, false) => text.push(Role::Doubtful, SUPERSET),
        (false, _) => text.push(Role::Doubtful, "a cover"),
    }
    let sides: Vec<Object> =
        tile.sides.iter().map(|side| side_object(side, &names, style)).collect();
    let grid =
        grid.into_iter().fold(Object::nested(), |grid, (name, bounds)| grid.with(&name, bounds));
    let mut json = Object::new()
        .with("grid", grid)
        .with("sides", sides)
        .with("elements", count.map(|(count, _)| count))
        .with("exact", is_exact)
        .with("basis", if is_exact { "proved" } else { "cover" });
    let runtime: Vec<&str> = tile
        .domain
        .variables()
        .iter()
        .filter(|variable| variable.kind == VariableKind::Runtime)
        .map(|variable| &*variable.name)
        .collect();
    if !runtime.is_empty() {
        let verb = if runtime.len() == 1 { "is" } else { "are" };
        let assumed = format!("{} {verb} assumed constant within each tile", runtime.join(", "));
        text.push(Role::Faint, format!("\n{assumed}"));
        json = json.with("assumes", assumed);
    }
    (text, json)
}

/// Returns the bounds of the tile variables, as text.
fn grid(tile: &TileBySize, style: Style) -> Vec<(String, [String; 2])> {
    let names = variable_names(&tile.domain);
    let domain = &tile.domain;
    let bounds = |id: VariableId| {
        let [lower, upper] = ends_of(domain, id, &|other| domain.is_parameter(other));
        let shown = |ends: Vec<Expr>, is_lower: bool| match (ends.is_empty(), is_lower) {
            (true, true) => "-inf".to_owned(),
            (true, false) => "inf".to_owned(),
            (false, true) => {
                Expr::max(ends).map_or("?".to_owned(), |x| print_expr(&x, &names, style))
            }
            (false, false) => {
                Expr::min(ends).map_or("?".to_owned(), |x| print_expr(&x, &names, style))
            }
        };
        [shown(lower, true), shown(upper, false)]
    };
    let tiles = domain.ids(VariableKind::Dimension);
    tiles.map(|id| (names[id.index()].to_string(), bounds(id))).collect()
}

/// Returns the boxes of a tile: `(t0 * b + [0, b - 1]) x [0, n - 1]`
fn sides_text(tile: &TileBySize, style: Style) -> Text {
    let sides = tile.sides.iter().map(|side| {
        let text = side_text(&tile.domain, side, style);
        let is_plain = side.offset.as_constant().is_some() && is_whole(side);
        match is_plain || tile.sides.len() == 1 {
            true => text,
            false => format!("({text})"),
        }
    });
    let sides = sides.collect::<Vec<String>>().join(" x ");
    Text::of(Role::Formula, if tile.sides.is_empty() { "the scalar".to_owned() } else { sides })
}

fn side_text(domain: &Domain, side: &SideBySize, style: Style) -> String {
    let names = variable_names(domain);
    let print = |expr: &Expr| print_expr(expr, &names, style);
    let step = match side.stride.as_constant() {
        Some(1) => String::new(),
        _ => format!(" step {}", print(&side.stride)),
    };
    let span = side.size.sub(&Expr::constant(1)).and_then(|less| less.times(&side.stride));
    let first = side.offset.as_constant();
    let end = span.and_then(|span| Expr::sum(first.unwrap_or(0), [(1, span)]));
    let end = end.map_or("?".to_owned(), |end| print(&end));
    let mut text = match first {
        Some(first) => format!("[{first}, {end}]{step}"),
        None if side.size.as_constant() == Some(1) => print(&side.offset),
        None => format!("{} + [0, {end}]{step}", print(&side.offset)),
    };
    if let Some(last) = &side.last {
        text.push_str(&format!(" up to {}", print(last)));
    }
    let within = side.within.each_ref().map(|end| end.as_ref().map(print));
    match within {
        [None, None] => {}
        [lower, upper] => {
            let (lower, upper) = (lower.unwrap_or("-inf".into()), upper.unwrap_or("inf".into()));
            text.push_str(&format!(" within [{lower}, {upper}]"));
        }
    }
    text
}

fn side_object(side: &SideBySize, names: &[Arc<str>], style: Style) -> Object {
    let print = |expr: &Expr| print_expr(expr, names, style);
    let within = side.within.each_ref().map(|end| end.as_ref().map(print));
    Object::nested()
        .with("offset", print(&side.offset))
        .with("size", number(&side.size, names, style))
        .with("stride", number(&side.stride, names, style))
        .with_some("last", side.last.as_ref().map(print))
        .with("within", within)
}

fn is_whole(side: &SideBySize) -> bool {
    side.last.is_none() && side.within == [None, None]
}

fn number(expr: &Expr, names: &[Arc<str>], style: Style) -> Value {
    match expr.as_constant() {
        Some(value) => Value::from(value),
        None => Value::from(print_expr(expr, names, style)),
    }
}

/// Returns the number of elements of the largest tile.
fn elements(tile: &TileBySize, simplify: &dyn Fn(&IndexingMap) -> IndexingMap) -> Option<Expr> {
    // A side that is empty for some parameters may have a negative size there.
    let sizes = tile.sides.iter();
    let sizes = sizes.map(|side| Expr::max([side.size.clone(), Expr::constant(0)]));
    let count = Expr::product(sizes.collect::<Result<Vec<_>, _>>().ok()?).ok()?;
    simplify(&IndexingMap::new(tile.domain.clone(), vec![count])).into_parts().1.pop()
}
