//! What two modules read, compared: instruction by instruction, or their results.

use super::pairs::{Differs, Pair, pairs};
use super::same::{Same, Text as ModuleText};
use crate::command::custom::custom_calls;
use crate::command::failure::Failure;
use crate::command::hlo::asked::Shaper;
use crate::command::option::Flag;
use crate::command::output::{Object, Output, Role, Status, Text};
use crate::command::table::Call;
use crate::command::text_file::TextFile;
use crate::command::words::{count, tuple};
use crate::expr::IndexingMap;
use crate::hlo;
use crate::hlo::module::Module;
use crate::hlo::shape::Shape;
use crate::num::Fuel;
use crate::ops::agreement::{Change, change};
use crate::ops::indexing::{
    Analysis, CustomCalls, OperandMap, OperandReads, Origin, Origins, Reads, Scope, Simplify,
    TuplePath,
};
use crate::ops::pairing::Pairing;
use crate::prove::Budget;
use crate::text::{Style, print_map};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

pub const ENTRY: Flag = Flag::new("entry", "compare only the composed entry maps");

/// Most instructions of a module whose calls are written out.
const INLINED: usize = 200_000;

/// Most steps for points at which all results of two modules are compared.
const POINTS: u64 = 40_000_000;

/// One of both modules.
struct Side<'m> {
    module: &'m Module,
    file: &'m TextFile,
    analysis: Analysis<'m>,
}

/// How much was found.
#[derive(Default)]
pub struct Tally {
    pub compared: usize,
    pub changed: usize,
    /// Of those that changed, how many have another shape, and how many other operands.
    reshaped: usize,
    rewired: usize,
    added: usize,
    removed: usize,
    pub unknown: usize,
}

/// Compares two modules: their instructions, or what their results read. `name` is what the results are called, if they are
/// compared whatever the options.
pub fn compare_files(
    call: &mut Call<'_>,
    files: &[TextFile; 2],
    name: Option<&str>,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let [old, new] = files;
    let old_module = hlo::read(&old.bytes).map_err(|error| old.blame(error))?;
    let new_module = hlo::read(&new.bytes).map_err(|error| new.blame(error))?;
    let shaper = Shaper::new(call)?;
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let interrupt = call.host.interrupt();
    let custom_calls = custom_calls(call)?;
    let side = |module, file| Side {
        module,
        file,
        analysis: Analysis::new(module, &simplify)
            .with_custom_calls(&custom_calls)
            .ended_by(&interrupt),
    };
    let mut sides = [side(&old_module, old), side(&new_module, new)];
    match (name, call.has(ENTRY)) {
        (None, false) => compare_instructions(call, &mut sides, tally),
        (name, _) => {
            let name = name.unwrap_or("the result");
            compare_entries(call, &mut sides, name, (&simplify, &custom_calls), tally)
        }
    }
}

fn compare_entries(
    call: &mut Call<'_>,
    sides: &mut [Side<'_>; 2],
    name: &str,
    (simplify, custom_calls): (Simplify<'_>, &Arc<CustomCalls>),
    tally: &mut Tally,
) -> Result<(), Failure> {
    let entries = sides.each_ref().map(|side| side.module.entry());
    if same(sides).computations(entries) {
        tally.compared += 1;
        return Ok(());
    }
    if let Some(what) = other_signature(sides) {
        tally.compared += 1;
        tally.changed += 1;
        let object = Object::nested().with("computation", sides[0].module[entries[0]].name());
        call.emit(changed(name, object, &what, None));
        return Ok(());
    }
    let shown = same_results(call, sides, simplify, custom_calls);
    let roots = sides.each_ref().map(|side| {
        let entry = &side.module[side.module.entry()];
        entry[entry.root()].shape()
    });
    let arrays = roots.map(|root| root.arrays().into_iter().map(|(path, _)| path));
    if arrays
        .into_iter()
        .flatten()
        .all(|path| shown.contains(&path))
    {
        tally.compared += 1;
        return Ok(());
    }
    let reads = sides.each_mut().map(|side| {
        let reads = side.analysis.computation(side.module.entry());
        reads.map_err(|error| side.file.blame(error))
    });
    let [old, new] = reads;
    let object = Object::nested().with("computation", sides[0].module[entries[0]].name());
    let asked = Asked {
        name,
        object,
        same_op: false,
        points: Some(call.proof_budget().own_fuel(POINTS)),
    };
    let (interrupt, mut origins) = (call.host.interrupt(), Origins::default());
    let mut trace = |side: usize, maps: &[OperandMap]| -> MapOrigins {
        let module = sides[side].module;
        let scope = Scope {
            side,
            module,
            loops: &[],
        };
        let of_map = |map| origins.of_map(&scope, map, simplify, &interrupt);
        maps.iter().map(of_map).collect()
    };
    let [old, new] = [old?, new?].map(|reads| -> Vec<OperandReads> {
        let open = |entry: &&OperandReads| !shown.contains(&entry.output);
        reads.iter().filter(open).cloned().collect()
    });
    compare(call, asked, &old, &new, &mut trace, tally)
}

/// What differs in the shapes of the parameters and of the result, so that there is nothing to compare.
fn other_signature(sides: &[Side<'_>; 2]) -> Option<String> {
    let [old, new] = sides
        .each_ref()
        .map(|side| &side.module[side.module.entry()]);
    let (was, is) = (old.parameters().len(), new.parameters().len());
    if was != is {
        return Some(format!("it had {was} parameters, and has {is}"));
    }
    let parameters = old.parameters().iter().zip(new.parameters()).enumerate();
    let parameters = parameters.map(|(number, (old_id, new_id))| {
        let shapes = [old[*old_id].shape(), new[*new_id].shape()];
        (format!("the shape of parameter {number}"), shapes)
    });
    let root = [old[old.root()].shape(), new[new.root()].shape()];
    let mut all = parameters.chain([("its shape".to_owned(), root)]);
    all.find_map(|(what, [was, is])| {
        let sizes = |shape: &Shape| -> Vec<_> {
            let arrays = shape.arrays().into_iter();
            arrays.map(|(path, array)| (path, array.sizes())).collect()
        };
        (sizes(was) != sizes(is)).then(|| format!("{what} was {was}, and is {is}"))
    })
}

/// The arrays of the results that are shown to read the same, step by step.
fn same_results(
    call: &Call<'_>,
    sides: &[Side<'_>; 2],
    simplify: Simplify<'_>,
    custom_calls: &Arc<CustomCalls>,
) -> BTreeSet<TuplePath> {
    let inlined = sides.each_ref().map(|side| side.module.inlined(INLINED));
    let [Some(old), Some(new)] = &inlined else {
        return BTreeSet::new();
    };
    let interrupt = call.host.interrupt();
    let analyses = [old, new].map(|module| {
        Analysis::new(module, simplify)
            .with_custom_calls(custom_calls)
            .ended_by(&interrupt)
    });
    Pairing::new([old, new], analyses, simplify, &call.proof_budget()).same_results()
}

fn compare_instructions(
    call: &mut Call<'_>,
    sides: &mut [Side<'_>; 2],
    tally: &mut Tally,
) -> Result<(), Failure> {
    let pairs = pairs(sides[0].module, sides[1].module);
    let mut same_ops = same(sides);
    call.each(pairs, |call, pair| {
        let (name, places) = match &pair {
            Pair::Both { name, old, new, .. } => (name, [*old, *new]),
            Pair::Removed { name } => {
                tally.removed += 1;
                call.emit(alone(name, "removed"));
                return Ok(());
            }
            Pair::Added { name } => {
                tally.added += 1;
                call.emit(alone(name, "added"));
                return Ok(());
            }
        };
        let mut found = Vec::new();
        for (side, (computation, instruction)) in sides.iter_mut().zip(places) {
            match side.analysis.instruction(computation, instruction) {
                Ok(reads) => found.push(reads),
                Err(error) => call.report(&side.file.blame(error)),
            }
        }
        let [old, new] = found.as_slice() else {
            tally.unknown += 1;
            return Ok(());
        };
        let object = Object::nested().with("instruction", name.as_str());
        if let Pair::Both {
            differs: Some(what),
            ..
        } = &pair
        {
            tally.compared += 1;
            tally.changed += 1;
            let (Differs::Shape(text) | Differs::Operands(text)) = what;
            match what {
                Differs::Shape(_) => tally.reshaped += 1,
                Differs::Operands(_) => tally.rewired += 1,
            }
            call.emit(changed(name, object, text, None));
            return Ok(());
        }
        let same_op = same_ops.instructions(places);
        let asked = Asked {
            name,
            object,
            same_op,
            points: None,
        };
        compare(call, asked, old, new, &mut |_, _| Vec::new(), tally)
    })
}

/// What is the same in both modules.
fn same<'m>(sides: &[Side<'m>; 2]) -> Same<'m> {
    Same::new(sides.each_ref().map(|side| ModuleText {
        module: side.module,
        bytes: &side.file.bytes,
    }))
}

/// The origins of the runtime variables of each of several maps.
type MapOrigins = Vec<Vec<Option<Origin>>>;

/// What is compared.
struct Asked<'a> {
    /// What it is called.
    name: &'a str,
    /// Where an answer about it begins.
    object: Object,
    /// Is it the same operation on the same operands, so that it reads the same even where no claim is made?
    same_op: bool,
    /// Steps for points of all comparisons together; without it, each comparison has its own.
    points: Option<Fuel>,
}

/// Compares what one value reads, array by array.
fn compare(
    call: &mut Call<'_>,
    asked: Asked<'_>,
    old: &[OperandReads],
    new: &[OperandReads],
    trace: &mut dyn FnMut(usize, &[OperandMap]) -> MapOrigins,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let Asked {
        name,
        object,
        same_op,
        points,
    } = asked;
    let budget = Budget {
        fuel: points,
        ..call.proof_budget()
    };
    tally.compared += 1;
    let key = |entry: &OperandReads| {
        (
            entry.output.clone(),
            entry.operand,
            entry.operand_path.clone(),
        )
    };
    let mut keys: Vec<_> = old.iter().chain(new).map(key).collect();
    keys.sort();
    keys.dedup();
    let reads = |list: &[OperandReads], wanted: &_| {
        let found = list.iter().find(|entry| key(entry) == *wanted);
        found.map_or(Reads::NOTHING, |entry| entry.reads.clone())
    };
    let (mut is_changed, mut is_unknown) = (false, false);
    for pair in keys {
        let (before, after) = (reads(old, &pair), reads(new, &pair));
        let found = match (&before, &after) {
            _ if same_op => Change::None,
            (Reads::Maps(before), Reads::Maps(after)) => {
                let origins = [trace(0, before), trace(1, after)];
                let sides = [(&before[..], &origins[0][..]), (after, &origins[1])];
                change(sides[0], sides[1], &budget)
            }
            (Reads::Unknown { reason }, _) | (_, Reads::Unknown { reason }) => {
                Change::Unknown(reason.to_string())
            }
        };
        call.go_on()?;
        let details = object
            .clone()
            .with("output", pair.0.clone())
            .with("operand", pair.1)
            .with("operand_path", pair.2.clone())
            .with("old", maps(&before, call.session.style))
            .with("new", maps(&after, call.session.style));
        match found {
            Change::None => {}
            Change::Rank => {
                is_changed = true;
                let what = format!("its rank, or that of operand {}, has changed", pair.1);
                let mut output = changed(name, details, &what, None);
                output
                    .text
                    .append(both(&before, &after, call.session.style));
                call.emit(output);
            }
            Change::Unknown(reason) => {
                is_unknown = true;
                call.emit(undecided(name, pair.1, details, &reason));
            }
            Change::At {
                output,
                element,
                by_first,
            } => {
                is_changed = true;
                let (now, by) = match by_first {
                    true => ("no longer reads", "old"),
                    false => ("now reads", "new"),
                };
                let what = format!(
                    "element {} {now} {} of operand {}",
                    tuple(&output),
                    tuple(&element),
                    pair.1
                );
                let point = Object::nested()
                    .with("output", output)
                    .with("element", element)
                    .with("read_by", by);
                let mut output = changed(name, details, &what, Some(point));
                output
                    .text
                    .append(both(&before, &after, call.session.style));
                call.emit(output);
            }
        }
    }
    tally.changed += usize::from(is_changed);
    tally.unknown += usize::from(is_unknown && !is_changed);
    Ok(())
}

/// The maps as text; `unknown` where no claim is made.
fn maps(reads: &Reads, style: Style) -> Value {
    match reads.maps() {
        None => Value::from("unknown"),
        Some(maps) => maps.iter().map(|map| print_map(&map.map, style)).collect(),
    }
}

/// What was read, and what is read now.
fn both(before: &Reads, after: &Reads, style: Style) -> Text {
    let mut text = Text::new();
    for (word, reads) in [("old", before), ("new", after)] {
        let maps = reads.maps().unwrap_or_default();
        if maps.is_empty() {
            text.push(Role::Faint, format!("\n  {word} nothing"));
        }
        for map in maps {
            text.push(Role::Plain, format!("\n  {word} "));
            text.push(Role::Formula, print_map(&map.map, style));
        }
    }
    text
}

/// Without a `point` where no element shows it.
fn changed(name: &str, object: Object, what: &str, point: Option<Object>) -> Output {
    let text = Text::of(Role::Name, name)
        .with(Role::Bad, " changed")
        .plain(format!(": {what}"));
    let json = schema(object)
        .with("change", "changed")
        .with("what", what)
        .with_some("counterexample", point);
    Output::new(text, json).status(Status::Wrong)
}

fn undecided(name: &str, operand: usize, object: Object, reason: &str) -> Output {
    let text = Text::of(Role::Name, name)
        .with(Role::Doubtful, " unknown")
        .plain(format!(": what it reads of operand {operand}: {reason}"));
    let json = schema(object)
        .with("change", "unknown")
        .with("reason", reason);
    Output::new(text, json).status(Status::Undecided)
}

fn alone(name: &str, what: &str) -> Output {
    let text = Text::of(Role::Name, name).with(Role::Bad, format!(" {what}"));
    let json = Object::new().with("instruction", name).with("change", what);
    Output::new(text, json).status(Status::Wrong)
}

/// `object` as a whole answer.
fn schema(object: Object) -> Object {
    let fields: serde_json::Map<String, Value> = object.into();
    let whole = Object::new();
    fields
        .into_iter()
        .fold(whole, |whole, (key, value)| whole.with(&key, value))
}

pub fn summary(tally: &Tally) -> Output {
    let other = tally.changed - tally.reshaped - tally.rewired;
    let same = tally.compared - (tally.changed + tally.unknown).min(tally.compared);
    let said = [
        (same, "the same"),
        (other, "changed"),
        (tally.rewired, "of other operands"),
        (tally.reshaped, "of another shape"),
        (tally.added, "added"),
        (tally.removed, "removed"),
        (tally.unknown, "unknown"),
    ];
    let found = said.iter().filter(|(number, _)| *number > 0);
    let found: Vec<String> = found
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let compared = count(tally.compared, "value");
    let differs = said[1..].iter().any(|(number, _)| *number > 0);
    let text = match differs {
        false => Text::of(Role::Good, "nothing differs").plain(format!(": {compared} compared")),
        true => Text::new().plain(format!("{compared} compared: {}", found.join(", "))),
    };
    let json = Object::new()
        .with("compared", tally.compared)
        .with("changed", tally.changed)
        .with("other_operands", tally.rewired)
        .with("other_shape", tally.reshaped)
        .with("added", tally.added)
        .with("removed", tally.removed)
        .with("unknown", tally.unknown);
    Output::new(text, json)
}
