//! A program and a changed copy: the answers of `diff` are compared with the elements that each of them reads.

use super::answers::{ask, numbers, path, text};
use super::compare::{Ran, Tally, leaf};
use super::moved::moved;
use super::program::{Op, Program};
use super::random::Random;
use super::run::Run;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the program with one attribute, constant or order of operands changed.
pub fn changed(program: &Program, random: &mut Random) -> Option<Program> {
    let mut changed = program.clone();
    for _ in 0..20 {
        let k = random.below(changed.computations.len());
        let computation = &mut changed.computations[k];
        let n = random.below(computation.instructions.len());
        let shapes: Vec<_> = computation.instructions.iter().map(|i| i.shape.clone()).collect();
        let instruction = &mut computation.instructions[n];
        let operands = &mut instruction.operands;
        let first = operands.first().and_then(|k| shapes[*k].array());
        let rank = first.map_or(0, |array| array.sizes.len());
        let is_changed = match &mut instruction.op {
            Op::Constant(values) if !values.is_empty() => {
                let at = random.below(values.len());
                values[at] = i64::from(values[at] == 0);
                true
            }
            Op::Slice(sides) if rank > 0 => {
                let at = random.below(rank);
                let [start, limit, _] = &mut sides[at];
                let has_room = first.is_some_and(|array| *limit < array.sizes[at]);
                if has_room {
                    (*start, *limit) = (*start + 1, *limit + 1);
                }
                has_room
            }
            Op::Moved(opcode, attribute) if rank > 0 => {
                let sizes = first.map_or(&[][..], |array| &array.sizes);
                let size = instruction.shape.array().map(|array| array.sizes.clone());
                let (new, new_sizes) = (moved(opcode).draw)(random, sizes)?;
                let is_other = new != *attribute && size == Some(new_sizes);
                if is_other {
                    *attribute = new;
                }
                is_other
            }
            Op::Pointwise("compare", direction) => {
                *direction = match *direction {
                    "direction=LT" => "direction=LE",
                    _ => "direction=LT",
                };
                true
            }
            Op::Pad(sides) if rank > 0 => {
                let at = random.below(rank);
                let [low, high, _] = &mut sides[at];
                (*low, *high) = (*low + 1, *high - 1);
                true
            }
            _ => {
                let count = operands.len();
                let (a, b) = (random.below(count.max(1)), random.below(count.max(1)));
                let differ = count > 1 && operands[a] != operands[b];
                let swaps = differ && shapes[operands[a]] == shapes[operands[b]];
                if swaps {
                    operands.swap(a, b);
                }
                swaps
            }
        };
        if is_changed {
            return Some(changed);
        }
    }
    None
}

/// Checks the answers of `diff` about two programs, for the instructions of the entry computation.
pub fn differ(old: &Program, new: &Program, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let runs = [old, new].map(|program| Run::new(program, &mut Random::new(seed)));
    let texts = [old.to_string(), new.to_string()];
    let files = [("old.hlo", &*texts[0]), ("new.hlo", &*texts[1])];
    let objects = ask(&files, "diff old.hlo new.hlo")?;
    let mut said: BTreeMap<&str, Vec<&Json>> = BTreeMap::new();
    for object in &objects {
        said.entry(text(&object["instruction"])).or_default().push(object);
    }
    let [old_run, new_run] = &runs;
    let (before, after) = (old_run.entry(), new_run.entry());
    let ran = Ran { program: old, run: old_run };
    for (k, instruction) in old.entry().instructions.iter().enumerate() {
        let name = format!("{}/{}", old.entry().name, instruction.name);
        let lines = said.get(&*name).map_or(&[][..], |lines| lines);
        let operands = instruction.operands.iter();
        let mut values = operands.map(|k| (&before.values[*k].leaves, &after.values[*k].leaves));
        let is_comparable = values.all(|(before, after)| before == after);
        let differs = before.reads[k] != after.reads[k];
        if is_comparable && differs && lines.is_empty() {
            return Err(format!("diff: {name} reads something else, and nothing is said"));
        }
        tally.add("(diff)", if lines.is_empty() { "same" } else { "changed" });
        for line in lines {
            let point = &line["counterexample"];
            if !is_checkable(line) {
                continue;
            }
            let operand = line["operand"].as_u64().unwrap_or_default() as usize;
            let from = &ran.program.entry().instructions[instruction.operands[operand]].shape;
            let output = leaf(&instruction.shape, &path(&line["output"])).ok_or("no such part")?;
            let read = leaf(from, &path(&line["operand_path"])).ok_or("no such part")?;
            let index = numbers(&point["output"]);
            let number = instruction.shape.leaves()[output].1.number(&index);
            let element = from.leaves()[read].1.number(&numbers(&point["element"]));
            let found: BTreeSet<&str> = [("old", before), ("new", after)]
                .into_iter()
                .filter(|(_, frame)| {
                    frame.reads[k][output][number].contains(&(operand, read, element))
                })
                .map(|(word, _)| word)
                .collect();
            if found != BTreeSet::from([text(&point["read_by"])]) {
                return Err(format!("diff: {name} is read by {found:?}: {line}"));
            }
        }
    }
    Ok(())
}

/// Returns whether the line has a counterexample, and all its maps are without runtime variables.
fn is_checkable(line: &Json) -> bool {
    let is_fixed = |key: &str| {
        let maps = line[key].as_array();
        maps.is_some_and(|maps| !maps.iter().any(|map| text(map).contains('{')))
    };
    !line["counterexample"].is_null() && is_fixed("old") && is_fixed("new")
}

/// Checks the answer of `diff --entry` about two programs.
pub fn entries_differ(
    old: &Program,
    new: &Program,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), String> {
    let run = |seed| [old, new].map(|program| Run::new(program, &mut Random::new(seed)));
    let runs = run(seed);
    let texts = [old.to_string(), new.to_string()];
    let files = [("old.hlo", &*texts[0]), ("new.hlo", &*texts[1])];
    let objects = ask(&files, "diff old.hlo new.hlo --entry")?;
    let summary = objects.last().ok_or("diff --entry says nothing")?;
    let count = |key: &str| summary[key].as_u64().unwrap_or_default();
    let whole = runs.each_ref().map(|run| &run.entry().whole);
    // Reads that are the same must be the same for all values of the tensors.
    let is_other = |runs: &[Run; 2]| runs[0].entry().whole != runs[1].entry().whole;
    let more = || (1..4_u64).any(|more| is_other(&run(seed ^ more << 40)));
    let differs = is_other(&runs) || ((count("changed"), count("unknown")) == (0, 0) && more());
    let found = match (count("changed"), count("unknown")) {
        // The same data may be found by another index.
        (0, 0) if differs && count("other_index") == 0 => {
            return Err("diff --entry: the result reads something else, and nothing is said".into());
        }
        (0, 0) => "same",
        (0, _) => "unknown",
        _ => "changed",
    };
    tally.add("(diff --entry)", found);
    if is_other(&runs) {
        tally.add("(runs)", "differ");
    }
    let entry = new.entry();
    for line in &objects[..objects.len() - 1] {
        let point = &line["counterexample"];
        if !is_checkable(line) {
            continue;
        }
        let root = &entry.instructions[entry.instructions.len() - 1].shape;
        let operand = line["operand"].as_u64().unwrap_or_default() as usize;
        let from = entry.parameters()[operand];
        let output = leaf(root, &path(&line["output"])).ok_or("no such part")?;
        let read = leaf(from, &path(&line["operand_path"])).ok_or("no such part")?;
        let number = root.leaves()[output].1.number(&numbers(&point["output"]));
        let element = from.leaves()[read].1.number(&numbers(&point["element"]));
        let readers: Vec<&str> = (["old", "new"].into_iter().zip(whole))
            .filter(|(_, whole)| whole[output][number].contains(&(operand, read, element)))
            .map(|(word, _)| word)
            .collect();
        if readers != [text(&point["read_by"])] {
            return Err(format!("diff --entry: it is read by {readers:?}: {line}"));
        }
    }
    Ok(())
}
