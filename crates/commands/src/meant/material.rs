//! The parts of a question that are not English: maps, expressions, shapes, layouts, numbers, and the bounds of their variables.
//!
//! Law: nothing is lost. A question with a part of an unknown kind has no material at all.

use crate::bare::{is_cute, is_hlo, is_map, is_shape};
use crate::foreign::closing;
use affinor::text::is_name;
use affinor_code::read;

/// The kind of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An expression of code.
    Value,
    /// A map, with its arrow.
    Map,
    /// A comparison.
    Claim,
    /// A statement: an element and its value.
    Statement,
    /// A shape of HLO or MLIR.
    Shape,
    /// A layout of CuTe.
    Layout,
    /// An instruction of HLO.
    Instruction,
    /// The index of an element, in brackets.
    Index,
    /// A number.
    Number,
    /// A number of bytes, `64-byte`.
    Bytes,
    /// Loops with their statements, or their heads.
    Loops,
}

/// A part of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub kind: Kind,
    pub text: String,
}

/// A question, taken apart.
#[derive(Default, Debug)]
pub struct Material {
    pub parts: Vec<Part>,
    /// The bounds with the word in front of them, ` for i in [0, 7]`; may be empty.
    pub bounds: String,
    /// All other words, in lower case.
    pub words: Vec<String>,
}

/// The longest question, in bytes.
const MAX_BYTES: usize = 1_000;

/// The maximum number of words in bounds.
const MAX_WORDS: usize = 24;

/// Words in front of bounds, each with the one that code has.
const BOUND_WORDS: [(&str, &str); 14] = [
    ("for all ", "for"),
    ("for each ", "for"),
    ("for every ", "for"),
    ("for any ", "for"),
    ("for ", "for"),
    ("where ", "where"),
    ("with ", "where"),
    ("when ", "where"),
    ("if ", "where"),
    ("given that ", "where"),
    ("given ", "where"),
    ("assuming ", "where"),
    ("over ", "for"),
    ("", ","),
];

/// Takes a question apart.
pub fn material(question: &str) -> Option<Material> {
    if question.len() > MAX_BYTES {
        return None;
    }
    let (question, loops) = without_loops(question);
    let (question, bounds) = without_bounds(&question);
    let mut material = Material { bounds, ..Material::default() };
    for run in runs(&question, &mut material.words) {
        material.parts.extend(parts(&run)?);
    }
    material.parts.extend(loops.map(|text| Part { kind: Kind::Loops, text }));
    Some(material)
}

/// Splits loops of C or MLIR off a question: up to the end of their last statement, or of their heads.
fn without_loops(question: &str) -> (String, Option<String>) {
    let heads = ["for (", "for(", "affine.for ", "scf.for "];
    let Some(start) = heads.iter().filter_map(|head| question.find(head)).min() else {
        return (question.to_owned(), None);
    };
    let rest = &question[start..];
    let statement = rest.rfind([';', '}']).map_or(0, |at| at + 1);
    // A semicolon inside of a head ends no statement.
    let end = if depth(&rest[..statement]) == 0 && statement > 0 { statement } else { rest.len() };
    let loops = rest[..end].trim_end_matches(['?', '.', ' ']).to_owned();
    (
        format!("{} {}", question[..start].trim_end(), rest[end..].trim_start()).trim().to_owned(),
        Some(loops),
    )
}

/// Returns the heads of loops of C without their body.
pub fn heads(loops: &str) -> Option<&str> {
    let mut end = 0;
    while let Some(open) = loops[end..].find('(').map(|at| end + at) {
        if loops[end..open].trim() != "for" {
            break;
        }
        end = open + 1 + closing(&loops[open..])?;
    }
    (end > 0).then(|| &loops[..end])
}

/// Splits bounds off a question: the longest text after a word of bounds, a comma or at the start that code has as bounds.
fn without_bounds(question: &str) -> (String, String) {
    let is_start = |at: usize| at == 0 || question.as_bytes()[at - 1] == b' ';
    for at in (0..question.len()).filter(|at| is_start(*at) && depth(&question[..*at]) == 0) {
        let rest = &question[at..];
        for (word, own) in BOUND_WORDS {
            let Some(said) = rest.strip_prefix(word) else { continue };
            let is_listed = at == 0 || question[..at].trim_end().ends_with([',', ';', ':']);
            if word.is_empty() && !is_listed {
                continue;
            }
            if let Some((bounds, behind)) = longest_bounds(own, said) {
                let before = question[..at].trim_end().trim_end_matches([',', ';']);
                let behind = behind.trim_start().trim_start_matches([',', ';', ':']);
                let question = format!("{before} {}", behind.trim_start());
                return (question.trim().to_owned(), bounds);
            }
        }
    }
    (question.to_owned(), String::new())
}

/// Returns the longest beginning of `said` that is bounds, as code has them after a value, and the text after it.
fn longest_bounds<'t>(word: &str, said: &'t str) -> Option<(String, &'t str)> {
    let cuts = said.match_indices([' ', '?']).map(|(at, _)| at).chain([said.len()]);
    let cuts: Vec<usize> = cuts.take(MAX_WORDS).collect();
    cuts.iter().rev().find_map(|&cut| {
        let text = said[..cut].trim_end_matches(['?', '.', ',', ';', ':', ' ']);
        let has_unit = ["-byte", "-bit"].iter().any(|unit| text.contains(unit));
        let has_sign = text.contains(['<', '>', '[', '(']) && depth(text) == 0 && !has_unit;
        // A claim is no bound of its own: a bound of a comma names a single variable and its ends.
        let is_plain = word != "," || text.split(',').all(is_plain_bound) || text.contains(" in ");
        let bounds = match word {
            "," => format!(", {text}"),
            _ => format!(" {word} {text}"),
        };
        let is_read = || read(&format!("0{bounds}"), false, &|_| None).is_ok();
        (has_sign && is_plain && !is_map(text) && is_read()).then(|| (bounds, &said[cut..]))
    })
}

/// Whether a text compares a variable with numbers: `0 <= i < 8`, `i < 4`.
fn is_plain_bound(text: &str) -> bool {
    let sides: Vec<&str> = text.split(['<', '>', '=']).map(str::trim).collect();
    let sides = sides.iter().filter(|side| !side.is_empty());
    let (names, others): (Vec<&str>, Vec<&str>) = sides.partition(|side| is_name(side));
    names.len() == 1 && !others.is_empty() && others.iter().all(|side| side.parse::<i64>().is_ok())
}

/// Returns the nesting depth of brackets at the end of a text.
fn depth(text: &str) -> i32 {
    let count = |c: char| i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
    text.chars().map(count).sum()
}

/// Returns the runs of words that are not English; the others are added to `english`.
fn runs(question: &str, english: &mut Vec<String>) -> Vec<String> {
    let words: Vec<&str> = question.split_whitespace().collect();
    let word = |at: usize| words.get(at).copied().unwrap_or("");
    let is_operator = |word: &str| {
        matches!(word, "mod" | "floordiv" | "ceildiv" | "o")
            || !word.is_empty() && word.chars().all(|c| "+-*/%&|^<>=!".contains(c))
    };
    // `f32` and `32-bit` are words, `64-byte` is a number.
    let is_own = |word: &str| {
        let plain = word.trim_end_matches(['?', ',', ';', ':', '.']);
        let is_word = is_name(plain) || plain.strip_suffix("-bit").is_some_and(is_number);
        word.contains(|c: char| "+*/%&|^()[]<>=".contains(c))
            || word.contains(|c: char| c.is_ascii_digit()) && !is_word
    };
    let (mut runs, mut open): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut nested = 0;
    for at in 0..words.len() {
        let here = word(at);
        let ends = |word: &str| word.ends_with(['?', ',', ';', ':', '.']);
        let is_after = at > 0 && is_operator(word(at - 1));
        let is_beside = is_operator(word(at + 1)) && !ends(here) || is_after;
        let is_code = nested > 0 || is_own(here) || is_beside || is_operator(here);
        if !is_code {
            runs.extend(open.take());
            let word: String = here.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
            english.push(word.to_ascii_lowercase());
            continue;
        }
        nested = (nested + depth(here) + angles(here)).max(0);
        let is_end = nested == 0 && ends(here);
        let here = if is_end { here.trim_end_matches(['?', ',', ';', ':', '.']) } else { here };
        let run = open.get_or_insert_default();
        *run += if run.is_empty() { "" } else { " " };
        *run += here;
        if is_end {
            runs.extend(open.take());
        }
    }
    runs.extend(open);
    runs.retain(|run| !run.is_empty());
    runs
}

fn is_number(text: &str) -> bool {
    text.parse::<u64>().is_ok()
}

/// Types of MLIR and CuTe whose parameters are in angle brackets.
const TYPES: [&str; 8] =
    ["affine_map", "affine_set", "memref", "tensor", "vector", "Layout", "blocked", "dot_op"];

/// Returns the number of angle brackets that a word opens, less those that it closes.
fn angles(word: &str) -> i32 {
    let opened = word.match_indices('<').filter(|(at, _)| {
        let before = &word[..*at];
        TYPES.iter().any(|name| before.ends_with(name))
            || before.ends_with("#mma")
            || word[at + 1..].starts_with('{')
    });
    let opened = i32::try_from(opened.count()).unwrap_or(0);
    let closed = word.matches("}>").count() + word.matches(")>").count();
    let of_type = word.ends_with('>')
        && !word.ends_with("->")
        && !word.ends_with("}>")
        && !word.ends_with(")>");
    opened - i32::try_from(closed).unwrap_or(0) - i32::from(of_type || word.ends_with(">>"))
}

/// Returns `#ttg.blocked<..> : 32x64` for `tensor<32x64xf16, #ttg.blocked<..>>`.
fn encoded(text: &str) -> Option<String> {
    let (sizes, layout) = text.strip_prefix("tensor<")?.strip_suffix('>')?.split_once(", #")?;
    let (sizes, _) = sizes.rsplit_once('x')?;
    Some(format!("#{} : {sizes}", layout.trim()))
}

/// Returns the parts of a run; `None` if its kind is not known.
fn parts(run: &str) -> Option<Vec<Part>> {
    if let Some(text) = encoded(run) {
        return Some(vec![Part { kind: Kind::Layout, text }]);
    }
    let bytes = ["-bytes", "-byte", "-B", "B"].iter().find_map(|unit| run.strip_suffix(unit));
    if let Some(bytes) = bytes.filter(|bytes| is_number(bytes)) {
        return Some(vec![Part { kind: Kind::Bytes, text: bytes.to_owned() }]);
    }
    // A name and its value: the value is asked about.
    if let Some((name, value)) = run.split_once(" = ")
        && is_name(name)
        && let Some(kind) = kind(value)
    {
        return Some(vec![Part { kind, text: value.to_owned() }]);
    }
    if let Some(kind) = kind(run) {
        return Some(vec![Part { kind, text: run.to_owned() }]);
    }
    // Several parts beside each other: a shape and an index.
    let at = run.match_indices(' ').map(|(at, _)| at).find(|at| {
        depth(&run[..*at]) == 0 && kind(&run[..*at]).is_some_and(|kind| kind != Kind::Value)
    })?;
    let mut found = parts(&run[..at])?;
    found.extend(parts(run[at..].trim_start())?);
    Some(found)
}

fn kind(text: &str) -> Option<Kind> {
    let inner = text.strip_prefix(['(', '[']).and_then(|inner| inner.strip_suffix([')', ']']));
    let are_numbers = |list: &str| list.split(',').all(|part| part.trim().parse::<i64>().is_ok());
    Some(match text {
        _ if text.parse::<i64>().is_ok() => Kind::Number,
        _ if inner.is_some_and(|inner| inner.contains(',') && are_numbers(inner)) => Kind::Index,
        _ if is_map(text) && text.contains("->") || text.starts_with("affine_set<") => Kind::Map,
        _ if is_cute(text) && text.contains(':') => Kind::Layout,
        _ if is_hlo(text) => Kind::Instruction,
        _ if is_shape(text) || text.starts_with("memref<") => Kind::Shape,
        // A result of a program that is not here.
        _ if text.ends_with(']') && !text[text.find('[')?..].contains(char::is_alphabetic) => {
            return None;
        }
        _ if text.contains(" = ") && text.split_once(" = ")?.0.ends_with(']') => Kind::Statement,
        _ => match read(text, false, &|_| None).ok()?.relation {
            Some(_) => Kind::Claim,
            None => Kind::Value,
        },
    })
}
