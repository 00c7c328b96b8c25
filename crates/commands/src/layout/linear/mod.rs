//! `layout` of linear layouts over bits, as defined by Triton's attributes.

mod operation;
mod places;

pub use operation::{is_linear, run_linear};

use super::options::{BANKS, BYTES, DRAW, SVG, WORD, banks};
use super::output::line;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Text};
use crate::picture::{picture_text, write_svg};
use crate::table::Call;
use crate::words::{count, tuple};
use affinor::expr::IndexingMap;
use affinor::text::{ErrorKind, Style, print_map};
use affinor_draw::{Extent, Grid, of_linear, of_offsets};
use affinor_layout::linear::LinearLayout;
use affinor_layout::linear::attribute::Encoding;
use places::signed;

/// The options supported for one layout.
const KNOWN: [&str; 9] =
    ["index", "lane", "warp", "block", "draw", "svg", "banks", "bytes", "word"];

/// Returns the first argument, followed by the second one, the shape of its tensor, if it is given.
///
/// # Errors
/// If there are more.
pub fn with_shape(call: &Call<'_>, first: &Argument) -> Result<Argument, Failure> {
    match &call.arguments.positional[..] {
        [] | [_] => Ok(first.clone()),
        [_, shape] => {
            let mut both = first.clone();
            both.text = format!("{} {}", first.text, shape.text);
            Ok(both)
        }
        [_, _, extra, ..] => {
            Err(extra.wrong(ErrorKind::Usage, "expected a layout and the shape of its tensor"))
        }
    }
}

/// Parses the attribute in `argument`.
///
/// # Errors
/// If it is not an attribute.
pub fn read(argument: &Argument) -> Result<Encoding, Failure> {
    Encoding::read(&argument.text).map_err(|error| argument.blame(error))
}

/// Answers about the layout in the arguments.
///
/// # Errors
/// Any error in the arguments.
pub fn answer(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let options = &call.arguments.options;
    if let Some((option, value)) = options.iter().find(|(option, _)| !KNOWN.contains(option)) {
        let message = format!("`--{option}` does not support Triton's layouts");
        let blamed = value.clone().unwrap_or_else(|| argument.clone());
        return Err(blamed.wrong(ErrorKind::Usage, message));
    }
    let encoding = read(argument)?;
    let map = encoding.map().map_err(|error| argument.blame(error))?;
    let layout = encoding.layout();
    let sizes = signed(&layout.shape());
    let mut text = Text::of(Role::Formula, layout.to_string());
    let mut json = Object::new().with("layout", layout.to_string()).with("sizes", &sizes);
    line(&mut text, "tensor", tuple(&sizes));
    (text, json) = match &encoding {
        Encoding::Threads(layout) => threads((text, json), layout),
        Encoding::TensorMemory(layout) => {
            let (words, inputs) = sizes_of(layout);
            line(&mut text, "memory", words);
            let free = free_of(layout, |name| name != "block");
            if let Some((words, _)) = &free {
                line(&mut text, "unused", format!("where these bits are set: {words}"));
            }
            let json = json.with("inputs", inputs);
            (text, json.with_some("unused", free.map(|(_, json)| json)))
        }
        Encoding::Memory(layout, paddings) => {
            let last = map.ranges().first().map_or(0, |range| range.hi().saturating_add(1));
            let mut size = format!("{} elements", 1_u64 << layout.input_bits());
            for padding in paddings {
                size.push_str(&format!(
                    ", {} free after each {}",
                    padding.elements, padding.interval
                ));
            }
            line(&mut text, "memory", size);
            (text, json.with("offsets", last))
        }
    };
    let word = match encoding {
        Encoding::Threads(_) => "element",
        Encoding::Memory(..) => "offset",
        Encoding::TensorMemory(_) => "place",
    };
    line(&mut text, word, print_map(&map, call.session.style));
    json = json.with("map", print_map(&map, Style::Plain));
    (text, json) = places::asked(call, &encoding, &map, (text, json))?;
    (text, json) = picture(call, argument, (&encoding, &map), (text, json))?;
    call.session.last = Some(map);
    call.emit(Output::new(text, json));
    Ok(())
}

/// Returns the sizes of dimensions, `32 of lane`.
fn sizes_of(layout: &LinearLayout) -> (String, Object) {
    let mut words = Vec::new();
    let mut json = Object::nested();
    for input in layout.inputs() {
        let size = 1_u64 << input.bases.len();
        words.push(format!("{} {size}", input.name));
        json = json.with(&input.name, size);
    }
    (words.join(", "), json)
}

/// Lists the free bits of each of these dimensions, in words and as an object; `None` if no bit is free.
fn free_of(layout: &LinearLayout, is_asked: fn(&str) -> bool) -> Option<(String, Object)> {
    let mut words = Vec::new();
    let mut json = Object::nested();
    let free = layout.inputs().iter().zip(layout.free());
    for (input, mask) in free.filter(|(input, _)| is_asked(&input.name)) {
        let bits: Vec<i64> =
            (0..input.bases.len()).filter(|bit| mask >> bit & 1 == 1).map(|bit| 1 << bit).collect();
        if !bits.is_empty() {
            let listed: Vec<String> = bits.iter().map(i64::to_string).collect();
            words.push(format!("{} {}", input.name, listed.join(", ")));
        }
        json = json.with(&input.name, bits);
    }
    (!words.is_empty()).then(|| (words.join("; "), json))
}

fn threads((mut text, json): (Text, Object), layout: &LinearLayout) -> (Text, Object) {
    let (words, inputs) = sizes_of(layout);
    line(&mut text, "threads", words);
    let copies = 1_u64 << layout.elimination().kernel().len();
    let is_whole = layout.is_surjective();
    let held = match (copies, is_whole) {
        (1, true) => "each element once".to_owned(),
        (copies, true) => format!("each element {copies} times"),
        (copies, false) => format!("not all elements, each of the others {}", count_times(copies)),
    };
    let free = free_of(layout, |_| true);
    line(
        &mut text,
        "holds",
        match &free {
            Some((words, _)) => format!("{held}; the same with and without {words}"),
            None => held,
        },
    );
    let contiguity = layout.contiguity();
    if let Some(found) = contiguity {
        let elements = count(usize::try_from(found.elements).unwrap_or(usize::MAX), "element");
        line(
            &mut text,
            "vector",
            format!("{elements} in a row along dim {}, in each lane", found.output),
        );
    }
    let json = json
        .with("inputs", inputs)
        .with("copies", copies)
        .with("all_held", is_whole)
        .with_some("free", free.map(|(_, json)| json))
        .with_some("contiguous", contiguity.map(|found| found.elements))
        .with_some("along", contiguity.map(|found| found.output));
    (text, json)
}

fn count_times(copies: u64) -> String {
    match copies {
        1 => "once".to_owned(),
        copies => format!("{copies} times"),
    }
}

fn picture(
    call: &mut Call<'_>,
    argument: &Argument,
    (encoding, map): (&Encoding, &IndexingMap),
    (mut text, mut json): (Text, Object),
) -> Result<(Text, Object), Failure> {
    let banks = banks(call)?;
    let is_drawn = call.has(DRAW) || call.has(&SVG);
    for option in [BANKS.switch, BYTES.switch, WORD.switch] {
        let is_asked = call.arguments.has(option.name);
        if is_asked && (!is_drawn || banks.is_none() || !matches!(encoding, Encoding::Memory(..))) {
            let message = format!(
                "`--{}` goes with `--banks` and `--draw` or `--svg` of a layout of memory",
                option.name
            );
            let failure = call.wrong_usage(message);
            return Err(failure.hint("`banks THREADS in MEMORY` counts the conflicts of an access"));
        }
    }
    let title = argument.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if is_drawn && matches!(encoding, Encoding::TensorMemory(_)) {
        let message = "tensor memory is not drawn";
        return Err(argument.wrong(ErrorKind::Unsupported, message));
    }
    let grid = |extent: Extent| -> Result<Grid, Failure> {
        match encoding {
            Encoding::Threads(layout) | Encoding::TensorMemory(layout) => {
                Ok(of_linear(layout, title.clone(), extent))
            }
            Encoding::Memory(..) => of_offsets(map, banks, title.clone(), extent)
                .map_err(|error| argument.wrong(ErrorKind::Overflow, error.to_string())),
        }
    };
    if call.has(DRAW) {
        let drawn = picture_text(&grid(Extent::TERMINAL)?, call.session.ascii);
        json = json.with("picture", drawn.to_string());
        text.push(Role::Plain, "\n\n");
        text.append(drawn);
    }
    if let Some(path) = call.text_of(&SVG).cloned() {
        write_svg(call, &[grid(Extent::FILE)?], &path)?;
        line(&mut text, "svg", format!("written to {}", path.text));
        json = json.with("svg", path.text.as_str());
    }
    Ok((text, json))
}
