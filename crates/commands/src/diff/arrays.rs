//! Compares the reads of one value in two modules, array by array, and reports the differences.
//!
//! Three kinds of facts are distinguished: the elements read as data; the elements read only to locate data, which are not a
//! change if the data is the same for every index; and the values, about which reads are silent.

use crate::failure::Failure;
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::Call;
use crate::words::tuple;
use affinor::num::Fuel;
use affinor::prove::Budget;
use affinor::text::{Style, print_map};
use affinor_compare::agreement::{Change, KnownValue};
use affinor_compare::computed::Difference;
use affinor_ops::indexing::{OperandMap, OperandReads, Pair, Reads, TuplePath};
use serde_json::Value;
use std::collections::BTreeSet;

/// The maximum number of values in a sentence.
const SAID: usize = 4;

/// The reads to compare.
pub(super) struct Asked<'a> {
    /// The name of the value.
    pub(super) name: &'a str,
    /// The first fields of an answer about it.
    pub(super) object: Object,
    /// The reads on both sides.
    pub(super) reads: [&'a [OperandReads]; 2],
    /// The same reads without elements that are read only to locate data.
    pub(super) data: Option<[&'a [OperandReads]; 2]>,
    /// The parts of the output that are known to be computed in the same way: only reads that locate data may differ.
    pub(super) same_values: &'a BTreeSet<TuplePath>,
    /// Fuel for sample points, shared by all comparisons; `None` if each comparison has its own.
    pub(super) points: Option<Fuel>,
}

/// The findings about all reads of a value.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Found {
    pub(super) is_changed: bool,
    pub(super) is_unknown: bool,
    /// Indices are read from other places.
    pub(super) by_other_index: bool,
}

/// Compares the maps of both sides to one array.
pub(super) type ChangeOf<'a> = dyn FnMut([&[OperandMap]; 2], &Budget) -> Change + 'a;

/// Compares the reads of one value, array by array, and reports the differences.
pub(super) fn compare(
    call: &mut Call<'_>,
    asked: Asked<'_>,
    change_of: &mut ChangeOf<'_>,
) -> Result<Found, Failure> {
    let budget = Budget { fuel: asked.points.clone(), ..call.proof_budget() };
    let style = call.session.style;
    let mut keys: Vec<Pair> =
        asked.reads.iter().copied().flatten().map(OperandReads::pair).collect();
    keys.sort();
    keys.dedup();
    let mut all = Found::default();
    let mut indices = Vec::new();
    for pair in keys {
        let mut read = asked.reads.map(|list| reads(list, &pair));
        let mut found = between(&read, change_of, &budget);
        if found != Change::None
            && let Some(data) = asked.data
        {
            let data = data.map(|list| reads(list, &pair));
            let is_same = asked.same_values.contains(&pair.0);
            let of_data = match (is_same, data == read) {
                (true, _) => Change::None,
                (false, true) => found.clone(),
                (false, false) => between(&data, change_of, &budget),
            };
            if of_data == Change::None {
                call.go_on()?;
                if data != read {
                    let details = details(&asked.object, &pair, &read, style);
                    let what = what(&found);
                    indices.push(found_otherwise(asked.name, pair.1, details, &what));
                }
                continue;
            }
            (read, found) = (data, of_data);
        }
        call.go_on()?;
        let details = details(&asked.object, &pair, &read, style);
        let output = match &found {
            Change::None => continue,
            Change::Unknown(reason) => {
                all.is_unknown = true;
                call.emit(undecided(asked.name, pair.1, details, reason));
                continue;
            }
            Change::Rank => {
                let what = format!("its rank, or that of operand {}, has changed", pair.1);
                changed(asked.name, details, &what, None)
            }
            Change::At { output, element, by_first, values } => {
                let mut what = format!("{} of operand {}", what(&found), pair.1);
                what.push_str(&where_known(values));
                let point = Object::nested()
                    .with("output", output.clone())
                    .with("element", element.clone())
                    .with("read_by", if *by_first { "old" } else { "new" })
                    .with("values", values.iter().map(known).collect::<Vec<_>>());
                changed(asked.name, details, &what, Some(point))
            }
        };
        all.is_changed = true;
        let mut output = output;
        output.text.append(both(&read[0], &read[1], style));
        call.emit(output);
    }
    // These answers report that the data is the same.
    if !all.is_changed && !all.is_unknown {
        all.by_other_index = !indices.is_empty();
        indices.into_iter().for_each(|output| call.emit(output));
    }
    Ok(all)
}

fn reads(list: &[OperandReads], wanted: &Pair) -> Reads {
    let found = list.iter().find(|entry| entry.pair() == *wanted);
    found.map_or(Reads::NOTHING, |entry| entry.reads.clone())
}

fn between(reads: &[Reads; 2], change_of: &mut ChangeOf<'_>, budget: &Budget) -> Change {
    match reads {
        [Reads::Maps(before), Reads::Maps(after)] => change_of([before, after], budget),
        [Reads::Unknown { reason }, _] | [_, Reads::Unknown { reason }] => {
            Change::Unknown(reason.to_string())
        }
    }
}

/// Describes a change: `element (0) now reads (1)`
fn what(found: &Change) -> String {
    match found {
        Change::At { output, element, by_first, .. } => {
            let now = match by_first {
                true => "no longer reads",
                false => "now reads",
            };
            format!("element {} {now} {}", tuple(output), tuple(element))
        }
        _ => "it may read other elements".to_owned(),
    }
}

/// Describes the values at which a change occurs: ` where operand 1 is 9 and operand 2 at (3) is 0`
fn where_known(values: &[KnownValue]) -> String {
    let said = |known: &KnownValue| {
        let parts: String = known.path.iter().map(|part| format!(" part {part}")).collect();
        let at = match known.index.is_empty() {
            true => String::new(),
            false => format!(" at {}", tuple(&known.index)),
        };
        format!("operand {}{parts}{at} is {}", known.operand, known.value)
    };
    let mut all: Vec<String> = values.iter().take(SAID).map(said).collect();
    if values.len() > SAID {
        all.push(format!("{} more have values that `--json` lists", values.len() - SAID));
    }
    match all.split_last() {
        None => String::new(),
        Some((last, [])) => format!(" where {last}"),
        Some((last, others)) => format!(" where {} and {last}", others.join(", ")),
    }
}

fn known(value: &KnownValue) -> Value {
    let object = Object::nested()
        .with("operand", value.operand)
        .with("operand_path", value.path.clone())
        .with("index", value.index.clone())
        .with("value", value.value);
    Value::from(object)
}

fn details(object: &Object, pair: &Pair, read: &[Reads; 2], style: Style) -> Object {
    object
        .clone()
        .with("output", pair.0.clone())
        .with("operand", pair.1)
        .with("operand_path", pair.2.clone())
        .with("old", maps(&read[0], style))
        .with("new", maps(&read[1], style))
}

/// Returns the maps as text; `unknown` if no claim is made.
fn maps(reads: &Reads, style: Style) -> Value {
    match reads.maps() {
        None => Value::from("unknown"),
        Some(maps) => maps.iter().map(|map| print_map(&map.map, style)).collect(),
    }
}

/// Lists the old and the new reads.
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

/// Reports a change; `point` is missing if no element demonstrates it.
pub(super) fn changed(name: &str, object: Object, what: &str, point: Option<Object>) -> Output {
    let text = Text::of(Role::Name, name).with(Role::Bad, " changed").plain(format!(": {what}"));
    let json = schema(object)
        .with("change", "changed")
        .with("what", what)
        .with_some("counterexample", point);
    Output::new(text, json).status(Status::Wrong)
}

/// Reports that the same data is located by other reads.
fn found_otherwise(name: &str, operand: usize, object: Object, what: &str) -> Output {
    let text = Text::of(Role::Name, name)
        .plain(format!(": it reads the same data, but as an index, {what} of operand {operand}"));
    let json = schema(object).with("change", "index").with("what", what);
    Output::new(text, json)
}

/// Reports that two instructions at matching places are not the same function.
pub(super) fn computed_otherwise(name: &str, object: Object, found: &Difference) -> Output {
    let place = match found.old == found.new {
        true => format!("`{}`", found.new),
        false => format!("`{}`, now `{}`", found.old, found.new),
    };
    let text = Text::of(Role::Name, name)
        .with(Role::Bad, " computed differently")
        .plain(format!(": the reads are the same, but at {place} {}", found.what));
    let instructions =
        Object::nested().with("old", found.old.as_str()).with("new", found.new.as_str());
    let json = schema(object)
        .with("change", "computed_otherwise")
        .with("what", found.what.as_str())
        .with("instructions", instructions);
    Output::new(text, json).status(Status::Wrong)
}

/// Reports that the elements are the same, but possibly on other devices.
pub(super) fn other_devices(name: &str, object: Object) -> Output {
    let reason = "it reads the same elements, but on which devices is not compared";
    unknown(name, object, reason, reason)
}

/// Reports that the module was partitioned: each device holds parts of the arrays.
pub(super) fn partitioned(name: &str, object: Object, devices: i64) -> Output {
    let reason = format!(
        "it is compiled for {devices} devices, and each holds parts of the arrays: neither the parts nor their joint result are compared"
    );
    unknown(name, object, &reason, &reason)
}

/// Reports the same computation up to rounding.
pub(super) fn rounded(name: &str, object: Object) -> Output {
    let text = Text::of(Role::Name, name)
        .plain(": it is the same computation of numbers, but floats may be rounded differently");
    Output::new(text, schema(object).with("change", "rounded"))
}

/// Reports that the reads are the same, while nothing is known about the values.
pub(super) fn values_unknown(name: &str, object: Object, reason: &str) -> Output {
    let text = Text::of(Role::Name, name)
        .plain(": the reads are the same; equality of the values is")
        .with(Role::Doubtful, " not known")
        .plain(format!(": {reason}"));
    let json = schema(object).with("change", "values_unknown").with("reason", reason);
    Output::new(text, json)
}

fn undecided(name: &str, operand: usize, object: Object, reason: &str) -> Output {
    unknown(name, object, &format!("the reads of operand {operand}: {reason}"), reason)
}

fn unknown(name: &str, object: Object, shown: &str, reason: &str) -> Output {
    let text =
        Text::of(Role::Name, name).with(Role::Doubtful, " unknown").plain(format!(": {shown}"));
    let json = schema(object).with("change", "unknown").with("reason", reason);
    Output::new(text, json).status(Status::Undecided)
}

pub(super) fn alone(name: &str, what: &str) -> Output {
    let text = Text::of(Role::Name, name).with(Role::Bad, format!(" {what}"));
    let json = Object::new().with("instruction", name).with("change", what);
    Output::new(text, json).status(Status::Wrong)
}

/// Returns the fields of `object` as a complete answer.
fn schema(object: Object) -> Object {
    let fields: serde_json::Map<String, Value> = object.into();
    let whole = Object::new();
    fields.into_iter().fold(whole, |whole, (key, value)| whole.with(&key, value))
}
