//! `layout inverse`, `compose` and `convert` of linear layouts: Triton's attributes, and maps that are sums of bits.

use super::read;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::expr_error;
use crate::layout::output::line;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use affinor::text::{ErrorKind, Style, print_map};
use affinor_layout::linear::attribute::Encoding;
use affinor_layout::linear::{Conversion, Inverse, LinearLayout, Way, recognised};

/// Whether operands are about linear layouts: one is an attribute, or a map to several results, of which no CuTe layout is one.
pub fn is_linear(call: &Call<'_>, name: &str, operands: &[Argument]) -> bool {
    let is_attribute = |operand: &Argument| Encoding::is_meant(&operand.text);
    let is_wide = |operand: &Argument| {
        let is_map =
            operand.text.contains("->") || call.session.maps.contains_key(operand.text.trim());
        is_map && call.map(operand).is_ok_and(|map| map.results().len() > 1)
    };
    name == "convert"
        || operands.iter().any(is_attribute)
        || (matches!(name, "inverse" | "compose") && operands.iter().any(is_wide))
}

/// The linear function of an operand.
fn function(call: &Call<'_>, operand: &Argument) -> Result<LinearLayout, Failure> {
    if Encoding::is_meant(&operand.text) {
        return read(operand)?.function().map_err(|error| operand.blame(error));
    }
    let map = call.map(operand)?;
    recognised(&map).map_err(|why| {
        let message = format!("this map is not linear over bits: {why}");
        let failure = operand.wrong(ErrorKind::Shape, message);
        failure.hint("`inverse MAP` and `compose MAP ; MAP` take any map")
    })
}

/// The answer of an operation.
///
/// # Errors
/// Any error in the arguments.
pub fn run_linear(
    call: &mut Call<'_>,
    name: &Argument,
    operands: &[Argument],
) -> Result<(), Failure> {
    let expected = |usage: &str| {
        name.wrong(ErrorKind::Usage, format!("expected `layout {} {usage}`", name.text))
    };
    if let Some((option, _)) = call.arguments.options.first() {
        let message = format!("`--{option}` does not support linear layouts");
        return Err(call.wrong_usage(message));
    }
    match (&*name.text, operands) {
        ("inverse", [only]) => {
            let inverse = function(call, only)?.inverse();
            let inverse =
                inverse.map_err(|why| only.wrong(ErrorKind::TooLarge, why.to_string()))?;
            let kind = match inverse {
                Inverse::Exact(_) => "inverse",
                Inverse::Pseudo(_) => "pseudo-inverse: A P A = A, and free bits are 0",
            };
            emit(call, name, inverse.layout(), Some(kind))
        }
        ("inverse", _) => Err(expected("A")),
        ("compose", [outer, inner]) => {
            let (first, second) = (function(call, inner)?, function(call, outer)?);
            let both = first.then(&second);
            let both = both.map_err(|why| inner.wrong(ErrorKind::Shape, why.to_string()))?;
            emit(call, name, &both, None)
        }
        ("compose", _) => Err(expected("A ; B")),
        ("convert", [from, to]) => convert(call, from, to),
        ("convert", _) => Err(expected("A ; B")),
        (other, _) => {
            let message = format!("`layout {other}` does not support linear layouts");
            let failure = name.wrong(ErrorKind::Unsupported, message);
            Err(failure.hint("it is one of inverse, compose, convert and equal"))
        }
    }
}

fn emit(
    call: &mut Call<'_>,
    name: &Argument,
    layout: &LinearLayout,
    kind: Option<&str>,
) -> Result<(), Failure> {
    let map = layout.map().map_err(|error| name.blame(expr_error(error)))?;
    let mut text = Text::of(Role::Formula, print_map(&map, call.session.style));
    if let Some(kind) = kind {
        line(&mut text, "kind", kind);
    }
    line(&mut text, "bases", layout.to_string());
    let json = Object::new()
        .with("operation", name.text.as_str())
        .with_some("kind", kind.map(|kind| kind.split(':').next().unwrap_or(kind)))
        .with("layout", layout.to_string())
        .with("answer", "linear")
        .with("map", print_map(&map, Style::Plain));
    call.session.last = Some(map);
    call.emit(Output::new(text, json));
    Ok(())
}

fn convert(call: &mut Call<'_>, from: &Argument, to: &Argument) -> Result<(), Failure> {
    let layouts = [from, to].map(|operand| match Encoding::is_meant(&operand.text) {
        true => match read(operand)? {
            Encoding::Threads(layout) => Ok(layout),
            Encoding::Memory(..) => {
                let message = "`layout convert` is about registers, not about memory";
                let failure = operand.wrong(ErrorKind::Unsupported, message);
                Err(failure.hint("`banks THREADS in MEMORY` counts the conflicts of an access"))
            }
        },
        false => function(call, operand),
    });
    let [before, after] = layouts;
    let (before, after) = (before?, after?);
    let found = before.conversion(&after);
    let found = found.map_err(|why| to.wrong(ErrorKind::Shape, why.to_string()))?;
    let Conversion { way, before: stored, after: loaded, moved, is_reached } = found;
    let (word, said) = match way {
        Way::Nothing => ("nothing", "nothing moves: both layouts are one"),
        Way::Registers => ("registers", "each lane has its elements already, in other registers"),
        Way::Shuffles => ("shuffles", "elements go from lane to lane of a warp"),
        Way::Shared => ("shared", "elements go from warp to warp, by shared memory"),
        Way::Cluster => ("cluster", "elements go from block to block of a cluster"),
    };
    let mut text = Text::of(Role::Formula, word);
    text.push(Role::Plain, format!(": {said}"));
    line(
        &mut text,
        "lane",
        format!(
            "{stored} different elements before, {loaded} after; at most {moved} from other lanes"
        ),
    );
    let rounds = match way {
        Way::Shuffles if is_reached => Some(format!("{moved}, the smallest number")),
        Way::Shuffles => Some(format!("{moved} at the least")),
        _ => None,
    };
    if let Some(rounds) = rounds {
        line(&mut text, "shuffles", rounds);
    }
    if matches!(way, Way::Shared | Way::Cluster) {
        line(
            &mut text,
            "memory",
            format!("a lane stores {stored} elements and loads {loaded}, with a barrier between"),
        );
    }
    let json = Object::new()
        .with("operation", "convert")
        .with("answer", word)
        .with("before", stored)
        .with("after", loaded)
        .with("moved", moved)
        .with("smallest", is_reached);
    call.emit(Output::new(text, json));
    Ok(())
}
