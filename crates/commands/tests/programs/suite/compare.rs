//! Maps of answers, compared with the elements that were read when the program ran.

use super::answers::{Lookup, Map, ask, path, text};
use super::program::{Computation, Program};
use super::run::{Frame, Reads, Run, Step};
use super::shape::{Array, Shape};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// The number of answers, by kind of question and kind of answer.
#[derive(Default, Debug)]
pub struct Tally {
    pub counts: BTreeMap<(String, &'static str), u64>,
}

impl Tally {
    pub fn add(&mut self, question: impl Into<String>, answer: &'static str) {
        *self.counts.entry((question.into(), answer)).or_default() += 1;
    }
}

/// A pair of arrays: for each element of `from`, the numbers of the elements that it reads of `to`.
pub struct Pair<'a> {
    pub from: &'a Array,
    pub to: &'a Array,
    pub reads: Vec<BTreeSet<usize>>,
}

impl Pair<'_> {
    /// Returns the inverse relation: the elements that read each element.
    pub fn inverse(&self) -> Pair<'_> {
        let mut reads = vec![BTreeSet::new(); self.to.count()];
        for (k, found) in self.reads.iter().enumerate() {
            for element in found {
                reads[*element].insert(k);
            }
        }
        Pair { from: self.to, to: self.from, reads }
    }

    pub fn is_empty(&self) -> bool {
        self.reads.iter().all(BTreeSet::is_empty)
    }
}

/// Returns the reads of leaf `output` from a leaf of operand `k`.
pub fn pair<'a>(
    from: &'a Shape,
    to: &'a Shape,
    reads: &[Vec<Reads>],
    (output, k, leaf): (usize, usize, usize),
) -> Pair<'a> {
    let of = |reads: &Reads| {
        let reads = reads.iter().filter(|at| (at.0, at.1) == (k, leaf));
        reads.map(|at| at.2).collect()
    };
    Pair {
        from: from.leaves()[output].1,
        to: to.leaves()[leaf].1,
        reads: reads[output].iter().map(of).collect(),
    }
}

/// Returns the number of the leaf at a path.
pub fn leaf(shape: &Shape, path: &[usize]) -> Option<usize> {
    shape.leaves().iter().position(|(at, _)| at == path)
}

/// Compares the object's `maps` with the elements that were read, and returns how exact the maps are.
pub fn compare(
    object: &Json,
    key: &str,
    pair: &Pair<'_>,
    lookup: &Lookup<'_>,
) -> Result<&'static str, String> {
    let Some(maps) = object["maps"].as_array() else {
        return Ok("unknown");
    };
    let is_memory = key == "memory_map";
    let dimensions = if is_memory { 1 } else { pair.from.sizes.len() };
    let mut left = pair.reads.clone();
    let mut is_exact = true;
    for json in maps {
        if is_memory && json[key].is_null() {
            return Ok("unknown");
        }
        let map = Map::new(json, key)?;
        is_exact &= map.is_exact;
        if map.is_too_large(dimensions, pair.from.count()) {
            return Ok("too large");
        }
        for (number, index) in pair.from.indices().enumerate() {
            let truth = &pair.reads[number];
            let mut wrong = None;
            let position = [pair.from.position(&index)];
            let at = if is_memory { &position[..] } else { &index };
            let mut found = |result: Vec<i64>| {
                let Some(element) = element(pair.to, &result, is_memory) else {
                    wrong = Some(format!("{result:?}, which is outside of {}", pair.to));
                    return;
                };
                left[number].remove(&element);
                if map.is_exact && !truth.contains(&element) {
                    wrong = Some(format!("{result:?}, which is not read"));
                }
            };
            map.results(at, &index, lookup, &mut found)?;
            if let Some(wrong) = wrong {
                return Err(format!("element {index:?} leads to {wrong}, by {json}"));
            }
        }
    }
    for (number, left) in left.iter().enumerate() {
        if let Some(element) = left.first() {
            let (from, to) = (pair.from.index(number), pair.to.index(*element));
            let word = if is_exact { "exact" } else { "at most" };
            return Err(format!("element {from:?} reads {to:?} as well: {word} {object}"));
        }
    }
    Ok(if is_exact { "exact" } else { "at most" })
}

/// Returns the number of the element at an index, or at a position in memory.
fn element(array: &Array, result: &[i64], is_memory: bool) -> Option<usize> {
    if is_memory {
        let [position] = result else { return None };
        let mut indices = array.indices();
        return indices.position(|index| array.position(&index) == *position);
    }
    let is_index = result.len() == array.sizes.len()
        && result.iter().zip(&array.sizes).all(|(i, size)| (0..*size).contains(i));
    is_index.then(|| array.number(result))
}

/// A run of a program, in which the sources of runtime variables are looked up.
pub struct Ran<'a> {
    pub program: &'a Program,
    pub run: &'a Run,
}

impl<'a> Ran<'a> {
    pub fn computation(&self, name: &str) -> Option<usize> {
        let computations = &self.program.computations;
        computations.iter().position(|found| found.name == name)
    }

    pub fn instruction(&self, computation: usize, name: &str) -> Option<usize> {
        let instructions = &self.program.computations[computation].instructions;
        instructions.iter().position(|found| found.name == name)
    }

    /// Returns the value of a runtime variable at `index`, in the frame at `at`. The map is that of the instruction `asked`,
    /// or of the computation; `operands` are the instructions of its operands (or parameters).
    pub fn value(
        &self,
        at: &[Step],
        asked: Option<usize>,
        operands: &[usize],
        json: &Json,
        index: &[i64],
    ) -> Result<Option<i64>, String> {
        let frame = &self.run.frames[at];
        for (key, path_key) in [("operand", "operand_path"), ("parameter", "parameter_path")] {
            if let Some(k) = json[key].as_u64() {
                let instruction = operands[k as usize];
                return element_of(frame, instruction, &path(&json[path_key]), index).map(Some);
            }
        }
        let mut through = Vec::new();
        for step in json["through"].as_array().into_iter().flatten() {
            let computation = self.computation(text(&step["computation"]));
            let computation = computation.ok_or_else(|| format!("no such step: {step}"))?;
            let instruction = self.instruction(computation, text(&step["instruction"]));
            let instruction = instruction.ok_or_else(|| format!("no such step: {step}"))?;
            through.push((computation, instruction, 0));
        }
        // Sources in a computation that the instruction calls are named relative to the instruction.
        let inside = asked.map(|k| (frame.computation, k, 0));
        let computation = self.computation(text(&json["computation"]));
        let frames = [None, inside].into_iter().filter_map(|inside| {
            let place: Vec<Step> = at.iter().copied().chain(inside).collect();
            self.run.frames.get(&[&place[..], &through].concat())
        });
        let mut frames = frames.filter(|frame| Some(frame.computation) == computation);
        let Some(frame) = frames.next() else {
            return Ok(None);
        };
        let instruction = self.instruction(frame.computation, text(&json["instruction"]));
        let instruction = instruction.ok_or_else(|| format!("no such instruction: {json}"))?;
        element_of(frame, instruction, &path(&json["path"]), index).map(Some)
    }
}

fn element_of(
    frame: &Frame,
    instruction: usize,
    path: &[usize],
    index: &[i64],
) -> Result<i64, String> {
    let value = &frame.values[instruction];
    let leaf = leaf(&value.shape, path).ok_or("a source without such a part")?;
    let array = value.shape.leaves()[leaf].1;
    let number = element(array, index, false)
        .ok_or_else(|| format!("a runtime variable of element {index:?} of {array}"))?;
    Ok(value.leaves[leaf][number])
}

/// The options of `hlo` about instructions, each with the key of its maps and whether the maps go from operand to output.
const QUESTIONS: &[(&str, &str, bool)] = &[
    ("", "map", false),
    (" --direction input-to-output", "map", true),
    (" --memory", "memory_map", false),
    (" --memory --direction input-to-output", "memory_map", true),
];

/// Maximum number of frames of a computation that are compared.
pub const FRAMES: usize = 4;

/// Compares the maps of all instructions, in both directions and in memory order.
pub fn instructions(ran: &Ran<'_>, text_of: &str, tally: &mut Tally) -> Result<(), String> {
    for (options, key, is_backwards) in QUESTIONS {
        let objects = ask(&[("model.hlo", text_of)], &format!("hlo model.hlo{options}"))?;
        let place = |object: &Json| {
            let found = (text(&object["computation"]), text(&object["instruction"]));
            (found.0.to_owned(), found.1.to_owned())
        };
        let objects: BTreeMap<(String, String), &Json> =
            objects.iter().map(|object| (place(object), object)).collect();
        let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, frame) in &ran.run.frames {
            let seen = seen.entry(frame.computation).or_default();
            *seen += 1;
            if *seen > FRAMES {
                continue;
            }
            let computation = &ran.program.computations[frame.computation];
            for (k, instruction) in computation.instructions.iter().enumerate() {
                if instruction.operands.is_empty() {
                    continue;
                }
                let name = (computation.name.clone(), instruction.name.clone());
                let object = objects.get(&name);
                let object = object.ok_or_else(|| format!("no answer for {name:?}"))?;
                let asked = Asked { ran, at, computation, number: k };
                let place = |error| format!("hlo{options}, {}: {error}", instruction.name);
                let found = asked.compare(object, key, *is_backwards, tally);
                found.map_err(place)?;
            }
        }
    }
    Ok(())
}

/// An instruction in a frame.
pub struct Asked<'a> {
    pub ran: &'a Ran<'a>,
    pub at: &'a [Step],
    pub computation: &'a Computation,
    pub number: usize,
}

impl Asked<'_> {
    fn compare(
        &self,
        object: &Json,
        key: &str,
        is_backwards: bool,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let frame = &self.ran.run.frames[self.at];
        let instruction = &self.computation.instructions[self.number];
        let reads = &frame.reads[self.number];
        let mut entries = BTreeMap::new();
        for entry in object["results"].as_array().into_iter().flatten() {
            let operand = entry["operand"].as_u64().unwrap_or_default() as usize;
            let place = (path(&entry["output"]), operand, path(&entry["operand_path"]));
            entries.insert(place, entry);
        }
        for (output, (output_path, _)) in instruction.shape.leaves().into_iter().enumerate() {
            for (k, operand) in instruction.operands.iter().enumerate() {
                let shape = &self.computation.instructions[*operand].shape;
                for (leaf, (leaf_path, _)) in shape.leaves().into_iter().enumerate() {
                    let pair = pair(&instruction.shape, shape, reads, (output, k, leaf));
                    let place = (output_path.clone(), k, leaf_path);
                    let Some(entry) = entries.get(&place) else {
                        if pair.is_empty() {
                            continue;
                        }
                        return Err(format!("nothing is said of {place:?}, which is read"));
                    };
                    let lookup = |json: &Json, index: &[i64]| {
                        self.ran.value(
                            self.at,
                            Some(self.number),
                            &instruction.operands,
                            json,
                            index,
                        )
                    };
                    let found = match is_backwards {
                        true => compare(entry, key, &pair.inverse(), &lookup),
                        false => compare(entry, key, &pair, &lookup),
                    };
                    let question = match (key, is_backwards) {
                        ("map", false) => text(&object["opcode"]),
                        ("map", true) => "(back)",
                        _ => "(memory)",
                    };
                    tally.add(question, found?);
                }
            }
        }
        Ok(())
    }
}

/// Compares the maps of the whole program.
pub fn entry(ran: &Ran<'_>, text_of: &str, tally: &mut Tally) -> Result<(), String> {
    for (options, key) in [("", "map"), (" --memory", "memory_map")] {
        let line = format!("hlo model.hlo --entry{options}");
        let objects = ask(&[("model.hlo", text_of)], &line)?;
        let computation = ran.program.entry();
        let parameters = computation.parameters();
        let places: Vec<usize> = parameter_places(computation);
        let frame = ran.run.entry();
        let mut entries = BTreeMap::new();
        for entry in &objects {
            let parameter = entry["parameter"].as_u64().unwrap_or_default() as usize;
            let place = (path(&entry["output"]), parameter, path(&entry["parameter_path"]));
            entries.insert(place, entry);
        }
        let root = &computation.root().shape;
        for (output, (output_path, _)) in root.leaves().into_iter().enumerate() {
            for (k, shape) in parameters.iter().enumerate() {
                for (leaf, (leaf_path, _)) in shape.leaves().into_iter().enumerate() {
                    let pair = pair(root, shape, &frame.whole, (output, k, leaf));
                    let place = (output_path.clone(), k, leaf_path);
                    let error = |error| format!("{line}, {place:?}: {error}");
                    let Some(entry) = entries.get(&place) else {
                        return Err(error("nothing is said".to_owned()));
                    };
                    let lookup =
                        |json: &Json, index: &[i64]| ran.value(&[], None, &places, json, index);
                    let found = compare(entry, key, &pair, &lookup).map_err(error)?;
                    tally.add(format!("(entry{options})"), found);
                }
            }
        }
    }
    Ok(())
}

/// Returns the instructions of the parameters, by parameter number.
pub fn parameter_places(computation: &Computation) -> Vec<usize> {
    let instructions = computation.instructions.iter().enumerate();
    let mut found: Vec<(usize, usize)> = instructions
        .filter_map(|(place, instruction)| match instruction.op {
            super::program::Op::Parameter(k) => Some((k, place)),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, place)| place).collect()
}
