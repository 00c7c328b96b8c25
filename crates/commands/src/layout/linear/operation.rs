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
use affinor_layout::linear::{
    BANK_BITS, Conversion, Exchange, Inverse, LinearLayout, Plan, Shuffles, Way, recognised,
};

/// Returns whether the operands are linear layouts: one is an attribute, or a map to several results, which is never a CuTe
/// layout.
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

/// Returns the linear function of an operand.
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

/// Answers an operation.
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
            Encoding::Memory(..) | Encoding::TensorMemory(_) => {
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
    let (word, said) = match found.way {
        Way::Nothing => ("nothing", "nothing moves: both layouts are one"),
        Way::Registers => ("registers", "each lane has its elements already, in other registers"),
        Way::Shuffles => ("shuffles", "elements go from lane to lane of a warp"),
        Way::Shared => ("shared", "elements go from warp to warp, by shared memory"),
        Way::Cluster => ("cluster", "elements go from block to block of a cluster"),
    };
    let mut text = Text::of(Role::Formula, word);
    text.push(Role::Plain, format!(": {said}"));
    let Conversion { before: stored, after: loaded, moved, .. } = found;
    let lane = format!(
        "{stored} different elements before, {loaded} after; at most {moved} from other lanes"
    );
    line(&mut text, "lane", lane);
    let mut json = Object::new()
        .with("operation", "convert")
        .with("answer", word)
        .with("before", stored)
        .with("after", loaded)
        .with("moved", moved)
        .with("smallest", found.shuffles().is_some_and(|(_, is_smallest)| is_smallest));
    match found.way {
        Way::Shuffles => {
            let rounds = match found.shuffles() {
                Some((count, true)) => format!("{count}, the smallest number"),
                Some((count, false)) => format!("{count}, at least {moved} are needed"),
                None => format!("{moved} at the least"),
            };
            line(&mut text, "shuffles", rounds);
            json = json.with_some("shuffles", found.shuffles().map(|(count, _)| count));
        }
        Way::Shared | Way::Cluster => {
            let message = format!(
                "a lane stores {stored} elements and loads {loaded}, with a barrier between"
            );
            line(&mut text, "memory", message);
        }
        Way::Nothing | Way::Registers => {}
    }
    (text, json) = match &found.plan {
        Some(Plan::Shuffles(plan)) => rounds(to, (&before, &after), plan, (text, json))?,
        Some(Plan::Exchange(plan)) => passes(plan, (text, json)),
        None => (text, json),
    };
    call.emit(Output::new(text, json));
    Ok(())
}

/// Adds the register that each lane receives in each round, with its source.
fn rounds(
    blamed: &Argument,
    (before, after): (&LinearLayout, &LinearLayout),
    plan: &Shuffles,
    (mut text, json): (Text, Object),
) -> Result<(Text, Object), Failure> {
    let too_large =
        |why: &dyn std::fmt::Display| blamed.wrong(ErrorKind::TooLarge, why.to_string());
    let moves = plan.moves(before, after).map_err(|why| too_large(&why))?;
    let Some(moves) = moves else {
        return Ok((text, json));
    };
    let map = moves.map().map_err(|why| too_large(&why))?;
    line(
        &mut text,
        "moves",
        format!("to register, from register, of lane: {}", print_map(&map, Style::Plain)),
    );
    let kept = plan.kept.map_or(0, |bits| 1_u64 << bits);
    if plan.count() > 0 && kept > 0 {
        line(&mut text, "rounds", format!("those below {kept} stay within a lane"));
    }
    let json = json.with("moves", print_map(&map, Style::Plain)).with("kept", kept);
    Ok((text, json))
}

/// Adds the number of passes of the accesses, and the memory that they use.
fn passes(plan: &Exchange, (mut text, json): (Text, Object)) -> (Text, Object) {
    let [store, load] = plan.least;
    let least = match [store, load] == [plan.store, plan.load] {
        true => "the smallest numbers".to_owned(),
        false => format!("at least {store} and {load} are needed"),
    };
    let message = format!(
        "a warp stores in {} and loads in {}, with {} banks of one element each; {least}",
        plan.store,
        plan.load,
        1 << BANK_BITS
    );
    line(&mut text, "passes", message);
    line(&mut text, "elements", plan.memory.to_string());
    let json = json
        .with("store", plan.store)
        .with("load", plan.load)
        .with("memory", plan.memory.to_string());
    (text, json)
}
