//! `draw`: a picture of the reads of a map.

use super::arguments::Argument;
use super::bare::is_shape;
use super::custom::CUSTOM;
use super::failure::Failure;
use super::given::parse_point;
use super::instruction::{OPERAND, POSITIONS, each};
use super::option::{C, Setting, integers, text};
use super::output::{Object, Output, Role, clipped};
use super::picture::{picture_text, write_svg};
use super::table::{Call, Command, Kind, Parameter};
use super::words::{count, tuple};
use affinor::expr::{IndexingMap, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind, Style, print_map};
use affinor_draw::{Extent, MOST_POINTS, TooManyPoints, of_reads, sizes_read};

const TILE: Setting<Vec<i64>> = Setting::new(
    "tile",
    "N,M",
    "draw the elements read by a tile of this size starting at POINT",
    integers,
);

const SIZES: Setting<Argument> =
    Setting::new("sizes", "N,M", "sizes of the operand (default: the range of MAP)", text);

const SVG: Setting<Argument> = Setting::new("svg", "FILE", "write the picture to a file", text);

pub const DRAW: Command = Command {
    name: "draw",
    parameters: &[Parameter::required("MAP", Kind::Map), Parameter::optional("POINT", Kind::Point)],
    options: &[
        TILE.switch,
        SIZES.switch,
        SVG.switch,
        OPERAND.switch,
        POSITIONS.switch,
        CUSTOM.switch,
        C.switch,
    ],
    summary: "draw the operand and the elements that MAP reads",
    details: "POINT gives a value for each dimension, and the elements read by that element of the output are drawn; without POINT,\n\
              the elements read by any element of the output. A cell shows how often it is read. Range and runtime variables range over their bounds.\n\
              For an instruction of a module, each operand is drawn.",
    example: &[
        "draw (d0, d1)[s0] -> (d0 * 2 + s0, d1), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 1] ; 1,2",
    ],
    makes_map: false,
    keys: "",
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let mut is_written = false;
    let is_module = each(call, |call, read| {
        if std::mem::replace(&mut is_written, call.arguments.has(SVG.switch.name)) {
            let message = "there is one file, and a picture for each map of the instruction";
            return Err(call.wrong_usage(message).hint("choose an operand by `--operand`"));
        }
        let of_array =
            read.bounds[1].as_ref().map(|all| all.iter().map(|own| own.hi() + 1).collect());
        let sizes = sizes(call, &read.map.map, of_array)?;
        picture(
            call,
            &read.blamed,
            &read.map.map,
            (call.arguments.positional.get(2).cloned(), &sizes),
        )
    })?;
    if is_module {
        return Ok(());
    }
    let argument = call.argument(0)?.clone();
    if is_shape(&argument.text) {
        let shape = clipped(argument.text.trim());
        let failure = argument.wrong(ErrorKind::Usage, format!("`{shape}` is a shape, not a map"));
        return Err(failure.hint(format!("`layout {shape} --draw` draws it")));
    }
    let map = call.map(&argument)?;
    let sizes = sizes(call, &map, None)?;
    let output =
        picture(call, &argument, &map, (call.arguments.positional.get(1).cloned(), &sizes))?;
    call.emit(output);
    Ok(())
}

/// Returns the picture of an operand of these sizes, in which the elements read by the output, or by the tile at a point, are
/// marked.
fn picture(
    call: &mut Call<'_>,
    argument: &Argument,
    map: &IndexingMap,
    (point, sizes): (Option<Argument>, &[i64]),
) -> Result<Output, Failure> {
    let (within, about) = region(call, map, point.as_ref())?;
    let title = format!("read for {about}");
    let drawn = |extent| {
        of_reads(map, &within, sizes, title.clone(), extent).map_err(|error| {
            let kind = match error {
                TooManyPoints::Points => ErrorKind::TooLarge,
                TooManyPoints::Eval(_) => ErrorKind::Overflow,
            };
            let failure = argument.wrong(kind, error.to_string());
            failure.hint("give a point, as in `draw MAP ; 3,4`")
        })
    };
    let grid = drawn(Extent::TERMINAL)?;
    let mut text = picture_text(&grid, call.session.ascii);
    let mut json = Object::new()
        .with("map", print_map(map, Style::Plain))
        .with("sizes", sizes)
        .with("picture", text.to_string());
    if let Some(path) = call.text_of(&SVG).cloned() {
        write_svg(call, &[drawn(Extent::FILE)?], &path)?;
        text.push(Role::Faint, format!("\nwritten to {}", clipped(&path.text)));
        json = json.with("svg", path.text.as_str());
    }
    Ok(Output::new(text, json))
}

/// Returns the part of the domain that is drawn, and its description.
fn region(
    call: &Call<'_>,
    map: &IndexingMap,
    point: Option<&Argument>,
) -> Result<(Vec<Interval>, String), Failure> {
    let domain = map.domain();
    let mut within: Vec<Interval> = domain.intervals().collect();
    let Some(given) = point else {
        return Ok((within, "all elements of the output".to_owned()));
    };
    let dimensions = domain.count(VariableKind::Dimension);
    let start = parse_point(given)?;
    let size = call.value(&TILE)?;
    let tile = size.clone().unwrap_or_else(|| vec![1; start.len()]);
    if start.len() != dimensions || tile.len() != dimensions {
        let message = format!("expected {}, one for each dimension", count(dimensions, "number"));
        return Err(given.wrong(ErrorKind::Arity, message));
    }
    for (place, (start, size)) in within.iter_mut().zip(start.iter().zip(&tile)) {
        let last = size.checked_sub(1).filter(|more| *more >= 0);
        let Some(last) = last.and_then(|more| start.checked_add(more)) else {
            return Err(given.wrong(ErrorKind::Arity, "tile sizes must be at least 1"));
        };
        *place = place.intersect(Interval::new(*start, last));
    }
    let about = match size {
        None => format!("element {} of the output", tuple(&start)),
        Some(_) => format!("the tile {} at {} of the output", tuple(&tile), tuple(&start)),
    };
    Ok((within, about))
}

/// Returns the sizes of the operand: the given sizes, the sizes of its array, or those of the ranges of the map.
fn sizes(
    call: &Call<'_>,
    map: &IndexingMap,
    of_array: Option<Vec<i64>>,
) -> Result<Vec<i64>, Failure> {
    if let Some(given) = call.text_of(&SIZES) {
        let sizes = parse_point(given)?;
        let fits = sizes.len() == map.results().len() && sizes.iter().all(|size| *size >= 0);
        if !fits {
            let message =
                format!("expected {}, one for each result", count(map.results().len(), "size"));
            return Err(given.wrong(ErrorKind::Arity, message));
        }
        return Ok(sizes);
    }
    of_array.or_else(|| sizes_read(map)).ok_or_else(|| {
        call.failed(
            Error::without_span(
                ErrorKind::TooLarge,
                format!("the map is unbounded; a picture has at most {MOST_POINTS} points"),
            )
            .hint("give the sizes of the operand, as in `--sizes 8,16`"),
        )
    })
}
