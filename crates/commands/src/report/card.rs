//! One instruction on the page, filled in from the answers of commands about it.
//!
//! Numbers and structure come from an answer's JSON, sentences from its text.

use super::words::{Word, Words};
use crate::output::Output;
use crate::words::braces;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// A property by which instructions are counted and selected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// `hlo` reports a warning or an error.
    Warned,
    /// The maps of an operand are unknown.
    Unknown,
    /// A map is an upper bound.
    AtMost,
    /// Warps along the output take more transactions than the ideal.
    Uncoalesced,
    /// It only moves elements, and they could stay in place.
    Moves,
    /// It moves nothing.
    Free,
    /// A fusion may read an element more than once.
    Reread,
    /// An operand is read only in part.
    Partly,
}

/// The answers about one instruction.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Card {
    pub name: String,
    pub opcode: Word,
    pub shape: Word,
    /// The number of its computation.
    pub computation: usize,
    /// The name that a framework gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<Word>,
    /// The numbers of its operands; `calls` has the numbers of the computations that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<Array>,
    /// The lines of `hlo --tile`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiles: Vec<Word>,
    /// The answer of `hlo --free`, and the number of bytes moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<(Word, Option<u64>)>,
    /// Warnings, and reasons why an access is not counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Word>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub flags: BTreeSet<Flag>,
}

/// An array of an operand.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Array {
    pub operand: usize,
    /// The tuple path, such as `{1}`; empty if the operand is not a tuple.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The shape, for a part of a tuple.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<Word>,
    pub maps: Vec<Map>,
    /// The share that is read, if it is known, and the sentence about it.
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    pub used: Option<(Option<f64>, Word)>,
}

/// The reads of one array of the output from an array of an operand.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Map {
    /// The tuple path, such as `{0}`; empty if the output is not a tuple.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The map, or the reason why it is unknown.
    pub text: Word,
    /// Whether `text` is a map.
    pub is_map: bool,
    /// Further lines about the map.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Word>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
}

/// The counts of `coalesce`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Access {
    /// The ratio of transactions to the ideal.
    pub ratio: f64,
    /// Whether there are more transactions than the ideal.
    pub is_more: bool,
    pub lines: Vec<Word>,
}

impl Card {
    /// Adds an answer of `hlo`.
    pub fn hear_maps(&mut self, output: &Output, words: &mut Words) {
        let Some(json) = &output.json else { return };
        let text = output.text.to_string();
        let items = items(&text);
        let mut items = items.iter();
        for warning in items.by_ref().take(list(json.get("warnings")).len()) {
            self.flags.insert(Flag::Warned);
            self.notes.extend(words.lines(warning.iter().copied()));
        }
        for entry in list(json.get("results")) {
            let output = path(entry.get("output"));
            let maps = entry.get("maps");
            let is_unknown = maps.is_some_and(Value::is_string);
            let texts: Vec<(Word, bool)> = match list(maps) {
                _ if is_unknown => {
                    self.flags.insert(Flag::Unknown);
                    let reason = string(entry.get("reason"));
                    vec![(words.add(&format!("unknown: {reason}")), false)]
                }
                [] => vec![(words.add("nothing is read"), false)],
                maps => {
                    let is_bound = |map: &&Value| map.get("exact") == Some(&Value::Bool(false));
                    if maps.iter().any(|map| is_bound(&map)) {
                        self.flags.insert(Flag::AtMost);
                    }
                    let texts = maps.iter().map(|map| string(map.get("map")));
                    texts.map(|text| (words.add(text), true)).collect()
                }
            };
            for (text, is_map) in texts {
                let behind = items.next().and_then(|lines| lines.get(1..));
                let notes = words.lines(behind.unwrap_or_default().iter().copied());
                let map = Map { output: output.clone(), text, is_map, notes, access: None };
                self.array(entry).maps.push(map);
            }
        }
    }

    /// Adds an answer of `hlo --utilisation`.
    pub fn hear_use(&mut self, output: &Output, is_fusion: bool, words: &mut Words) {
        let Some(json) = &output.json else { return };
        let text = output.text.to_string();
        let items = items(&text);
        for (entry, lines) in list(json.get("utilisation")).iter().zip(&items) {
            let share = entry.get("share").and_then(Value::as_f64);
            let line = lines.first().copied().unwrap_or_default();
            let name = string(entry.get("name"));
            let heading = format!("{name}{}: ", path(entry.get("operand_path")));
            let sentence = line.strip_prefix(&heading).unwrap_or(line);
            let sentence = match share {
                // The page draws its own bar.
                Some(_) => sentence.split_once(' ').map_or(sentence, |(_, rest)| rest),
                None => sentence,
            };
            let most = entry.get("greatest").and_then(|most| most.get("number"));
            if is_fusion && most.is_some_and(|most| most.as_u64() != Some(0) && most != 1) {
                self.flags.insert(Flag::Reread);
            }
            if share.is_some_and(|share| share < 1.0) {
                self.flags.insert(Flag::Partly);
            }
            self.array(entry).used = Some((share, words.add(sentence)));
        }
    }

    /// Adds an answer of `hlo --tile`.
    pub fn hear_tiles(&mut self, output: &Output, words: &mut Words) {
        self.tiles = words.lines(items(&output.text.to_string()).concat());
    }

    /// Adds an answer of `hlo --free`.
    pub fn hear_moves(&mut self, output: &Output, words: &mut Words) {
        let Some(json) = &output.json else { return };
        let line = words.add(&items(&output.text.to_string()).concat().join(" "));
        let bytes = json.get("bytes").and_then(Value::as_u64);
        self.moves = Some((line, bytes));
        match json.get("moves") {
            Some(Value::Bool(true)) => self.flags.insert(Flag::Moves),
            Some(Value::Bool(false)) => self.flags.insert(Flag::Free),
            _ => false,
        };
    }

    /// Adds an answer of `coalesce`; returns whether it is about a map of the card.
    pub fn hear_access(&mut self, output: &Output, words: &mut Words) -> bool {
        let Some(json) = &output.json else {
            return false;
        };
        let (Some(of), Some(ratio)) = (json.get("of"), json.get("ratio").and_then(Value::as_f64))
        else {
            return true; // for other values, `hlo` has no map either
        };
        let text = output.text.to_string();
        let is_heading =
            |line: &&str| !["if always", "accesses"].iter().any(|w| line.starts_with(w));
        let lines = words.lines(text.lines().skip_while(is_heading));
        let access =
            Access { ratio, is_more: json.get("transactions") != json.get("ideal"), lines };
        if access.is_more {
            self.flags.insert(Flag::Uncoalesced);
        }
        let (text, output) = (words.add(string(of.get("map"))), path(of.get("output")));
        let maps = self.array(of).maps.iter_mut();
        let mut maps = maps.filter(|map| map.text == text && map.output == output);
        match maps.find(|map| map.access.is_none()) {
            Some(map) => map.access = Some(access),
            None => return false,
        }
        true
    }

    /// Returns the array that an entry is about.
    fn array(&mut self, entry: &Value) -> &mut Array {
        let operand = entry.get("operand").and_then(Value::as_u64);
        let operand = operand.and_then(|operand| usize::try_from(operand).ok());
        let (operand, path) = (operand.unwrap_or(0), path(entry.get("operand_path")));
        let mut arrays = self.arrays.iter();
        let found = arrays.position(|array| array.operand == operand && array.path == path);
        let place = found.unwrap_or_else(|| {
            self.arrays.push(Array { operand, path, shape: None, maps: Vec::new(), used: None });
            self.arrays.len() - 1
        });
        &mut self.arrays[place]
    }
}

/// Returns the text of an answer about an instruction below its heading: items at four spaces, each with its lines.
fn items(text: &str) -> Vec<Vec<&str>> {
    let heading = |line: &&str| !line.starts_with("  ");
    let mut items: Vec<Vec<&str>> = Vec::new();
    for line in text.lines().skip_while(heading).skip(1) {
        let is_first = !line.starts_with("     ");
        match items.last_mut().filter(|_| !is_first) {
            Some(item) => item.push(line.trim_start()),
            None => items.push(vec![line.trim_start()]),
        }
    }
    items
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn string(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Formats a tuple path as the commands do: `{1,0}`.
fn path(value: Option<&Value>) -> String {
    let numbers = list(value).iter().filter_map(Value::as_u64);
    let numbers: Vec<usize> = numbers.filter_map(|n| usize::try_from(n).ok()).collect();
    braces(&numbers)
}
