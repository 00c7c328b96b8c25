//! The answers of `layout` about a CuTe layout.

use super::options::{BANKS, BYTES, DRAW, INDEX, SVG, TILE, WORD, banks, index_in};
use super::output::line;
use super::shown::shown;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Text};
use crate::picture::{picture_text, write_svg};
use crate::table::Call;
use crate::words::tuple;
use affinor::num::Interval;
use affinor::text::{ErrorKind, Style, print_interval, print_map};
use affinor_draw::{Banks, Extent, Grid, NotATile, of_cute, of_threads};
use affinor_layout::cute::Layout;

/// Answers about the layout in `argument`.
///
/// # Errors
/// Any error in the arguments.
pub fn answer(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let drawing = [
        INDEX.switch,
        DRAW.switch,
        SVG.switch,
        BANKS.switch,
        BYTES.switch,
        WORD.switch,
        TILE.switch,
    ];
    let known = |name: &str| drawing.iter().any(|option| option.name == name);
    let options = call.arguments.options.iter();
    if let Some((option, value)) = options.clone().find(|(option, _)| !known(option)) {
        let message = format!("`--{option}` does not support CuTe layouts");
        let blamed = value.clone().unwrap_or_else(|| argument.clone());
        return Err(blamed.wrong(ErrorKind::Usage, message));
    }
    let layout = Layout::read(&argument.text).map_err(|error| argument.blame(error))?;
    let map = shown(call, &layout)?;
    let offsets = layout.offsets();
    let between = offsets.map_or(Interval::ALL, |offsets| offsets.interval);
    let are_met = offsets.is_some_and(|offsets| offsets.are_met);
    let elements = layout.sizes().iter().try_fold(1_i64, |n, size| n.checked_mul(*size));
    let mut text = Text::of(Role::Formula, layout.to_string());
    line(&mut text, "sizes", tuple(&layout.sizes()));
    line(
        &mut text,
        "offsets",
        format!(
            "in {}{}",
            print_interval(between),
            match between.hi().checked_add(1) {
                Some(cosize) if are_met => format!(", cosize {cosize}"),
                _ => ", perhaps not the smallest".to_owned(),
            }
        ),
    );
    line(&mut text, "offset", print_map(&map, call.session.style));
    let mut json = Object::new()
        .with("shape", layout.to_string())
        .with("sizes", layout.sizes())
        .with("elements", elements)
        .with("offsets", between)
        .with("tight", are_met)
        .with("map", print_map(&map, Style::Plain));
    if let Some(given) = call.text_of(&INDEX).cloned() {
        let index = index_in(&given, &layout.sizes())?;
        let at = map.eval(&index);
        let at = at.map_err(|error| given.wrong(ErrorKind::Overflow, error.to_string()))?;
        let offset = at.first().copied().unwrap_or(0);
        line(&mut text, "index", format!("element {} is at offset {offset}", tuple(&index)));
        json = json.with("index", index).with("linear", offset);
    }
    if call.has(&SVG) || call.has(DRAW) {
        let picture = Picture::asked(call, argument)?;
        if call.has(DRAW) {
            let mut drawn = Text::new();
            for grid in picture.of(&layout, Extent::TERMINAL)? {
                drawn.new_line();
                drawn.append(picture_text(&grid, call.session.ascii));
            }
            json = json.with("picture", drawn.to_string());
            text.push(Role::Plain, "\n\n");
            text.append(drawn);
        }
        if let Some(path) = call.text_of(&SVG).cloned() {
            write_svg(call, &picture.of(&layout, Extent::FILE)?, &path)?;
            line(&mut text, "svg", format!("written to {}", path.text));
            json = json.with("svg", path.text.as_str());
        }
    } else if let Some((option, _)) = options_of_pictures(call).next() {
        let message = format!("`--{option}` goes with `--draw` or `--svg`");
        return Err(call.wrong_usage(message));
    }
    call.session.last = Some(map);
    call.emit(Output::new(text, json));
    Ok(())
}

/// Returns the options that control the drawing.
fn options_of_pictures<'c>(
    call: &'c Call<'_>,
) -> impl Iterator<Item = &'c (&'static str, Option<Argument>)> {
    call.arguments.options.iter().filter(|(option, _)| *option != INDEX.switch.name)
}

/// The settings of a drawing.
struct Picture {
    /// The argument with the layout, for errors.
    layout: Argument,
    banks: Option<Banks>,
    /// The sizes of a tile, with their argument.
    tile: Option<([i64; 2], Argument)>,
}

impl Picture {
    fn asked(call: &Call<'_>, layout: &Argument) -> Result<Picture, Failure> {
        let banks = banks(call)?;
        let tile = match call.value(&TILE)?.zip(call.text_of(&TILE)) {
            None => None,
            Some((_, given)) if banks.is_some() => {
                let message = "a picture shows threads or banks, not both";
                return Err(given.wrong(ErrorKind::Usage, message));
            }
            Some((sizes, given)) => match sizes.as_slice() {
                [rows, columns] if *rows > 0 && *columns > 0 => {
                    Some(([*rows, *columns], given.clone()))
                }
                _ => {
                    let message = "expected two sizes, such as `16,8`";
                    return Err(given.wrong(ErrorKind::Arity, message));
                }
            },
        };
        Ok(Picture { layout: layout.clone(), banks, tile })
    }

    fn of(&self, layout: &Layout, extent: Extent) -> Result<Vec<Grid>, Failure> {
        let Some((sizes, given)) = &self.tile else {
            let grids = of_cute(layout, self.banks, extent);
            return grids.map_err(|error| self.layout.blame(error));
        };
        let grid = of_threads(layout, *sizes, extent).map_err(|error| {
            let (blamed, kind) = match error {
                NotATile::Modes(_) => (&self.layout, ErrorKind::Arity),
                NotATile::Outside { .. } => (given, ErrorKind::Shape),
                NotATile::TooMany => (given, ErrorKind::TooLarge),
                NotATile::Eval(_) => (&self.layout, ErrorKind::Overflow),
            };
            blamed.wrong(kind, error.to_string())
        });
        Ok(vec![grid?])
    }
}
