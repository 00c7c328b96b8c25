//! `simplify FILE.mlir`: the file with its affine maps and the indices of its accesses simplified, and everything else unchanged.
//!
//! Law: a map replaces another only if it is proved to be the same function, for all integers, and has fewer operations; it has
//! the same variables, so that its uses remain correct. Indices `%m[%i + 1]` are a map of the values in them. Comments and
//! strings are skipped.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::Call;
use crate::text_file::TextFile;
use crate::words::count;
use affinor::expr::IndexingMap;
use affinor::prove::{self, Verdict};
use affinor::text::{Span, Style, parse_map, print_map_strictly};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Returns whether the argument is a file of MLIR and not a map.
pub fn is_file(argument: &Argument) -> bool {
    let text = argument.text.trim();
    text.ends_with(".mlir") && !text.contains(['(', '<', '\n'])
}

/// Prints the file.
pub fn run(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let file = TextFile::read(call, argument)?;
    let text = file.text()?;
    let mut made = String::with_capacity(text.len());
    let (mut end, mut changed, mut undecided) = (0, 0_usize, 0_usize);
    let mut known: BTreeMap<&str, Simpler> = BTreeMap::new();
    let maps = maps(text);
    for span in &maps {
        let written = &text[span.clone()];
        if !known.contains_key(written) {
            let simpler = simpler(call, written)?;
            known.insert(written, simpler);
        }
        made.push_str(&text[end..span.start]);
        made.push_str(match known.get(written) {
            Some(Simpler::Proved(text)) => {
                changed += 1;
                text
            }
            Some(Simpler::Undecided) => {
                undecided += 1;
                written
            }
            _ => written,
        });
        end = span.end;
    }
    made.push_str(&text[end..]);
    let json = Object::new()
        .with("maps", maps.len())
        .with("simplified", changed)
        .with("undecided", undecided)
        .with("text", &made);
    let status = if undecided > 0 { Status::Undecided } else { Status::Done };
    let lines = made.strip_suffix('\n').unwrap_or(&made);
    call.emit(Output::new(Text::new().plain(lines), json).status(status));
    if undecided > 0 {
        let said =
            format!("{} left as written: not proved to be the same", count(undecided, "map"));
        call.emit(Output::new(Text::of(Role::Doubtful, format!("// {said}")), Object::new()));
    }
    Ok(())
}

/// The replacement of a map.
enum Simpler {
    Proved(String),
    Same,
    Undecided,
}

fn simpler(call: &mut Call<'_>, written: &str) -> Result<Simpler, Failure> {
    if let Some(indices) = Indices::of(written) {
        let simpler = simpler(call, &indices.map)?;
        return Ok(match simpler {
            Simpler::Proved(map) => indices.written(&map).map_or(Simpler::Same, Simpler::Proved),
            simpler => simpler,
        });
    }
    // Text that does not parse as a map is kept.
    let Ok(map) = parse_map(written) else { return Ok(Simpler::Same) };
    let options = call.search_options()?;
    let simplified: IndexingMap = call.simplifier()?.simplify(&map, &options).map;
    call.go_on()?;
    let Ok(text) = print_map_strictly(&simplified, Style::Mlir) else { return Ok(Simpler::Same) };
    // Parsing combines like terms: then only the text has fewer operations.
    let is_smaller = match simplified.cost().cmp(&map.cost()) {
        Ordering::Equal => operations(&text) < operations(written),
        order => order == Ordering::Less,
    };
    if !is_smaller {
        return Ok(Simpler::Same);
    }
    let reread = parse_map(&text).map_err(|error| call.failed(error))?;
    let verdict = prove::equal_functions(&map, &reread, &call.proof_budget());
    Ok(match verdict {
        Ok(Verdict::Proved) => Simpler::Proved(text),
        _ => Simpler::Undecided,
    })
}

/// Returns the number of operations in a text.
fn operations(text: &str) -> usize {
    let signs = text.replace("->", " ");
    let words = signs.split(|c: char| !c.is_ascii_alphabetic());
    let words = words.filter(|word| matches!(*word, "floordiv" | "ceildiv" | "mod")).count();
    words + signs.chars().filter(|c| "+-*".contains(*c)).count()
}

/// The indices of an access as a map of the values in them.
struct Indices<'t> {
    map: String,
    /// The values as they are written: `%i`, `symbol(%n)`.
    values: Vec<&'t str>,
}

impl<'t> Indices<'t> {
    /// Parses indices such as `[%i floordiv 2, symbol(%n) + 1]`
    fn of(written: &'t str) -> Option<Indices<'t>> {
        let mut rest = written.strip_prefix('[')?.strip_suffix(']')?;
        let (mut results, mut values) = (String::new(), Vec::new());
        while let Some(c) = rest.chars().next() {
            let length = match c {
                '%' => value_length(rest)?,
                _ if rest.starts_with("symbol(") => rest.find(')')? + 1,
                _ => {
                    results.push(c);
                    rest = &rest[c.len_utf8()..];
                    continue;
                }
            };
            let (value, behind) = rest.split_at_checked(length)?;
            let known = values.iter().position(|known| *known == value);
            let number = known.unwrap_or(values.len());
            if known.is_none() {
                values.push(value);
            }
            results.push_str(&format!("v{number}"));
            rest = behind;
        }
        let names: Vec<String> = (0..values.len()).map(|k| format!("v{k}")).collect();
        let map = format!("affine_map<({}) -> ({results})>", names.join(", "));
        (!values.is_empty()).then_some(Indices { map, values })
    }

    /// Returns the results of a map of these values, as indices.
    fn written(&self, map: &str) -> Option<String> {
        let (_, results) = map.split_once("-> (")?;
        let results = results.strip_suffix(")>")?;
        let mut made = String::from("[");
        let mut words = results.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
        let mut add = |word: &str| {
            let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
            let number = word[..end].trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let is_value = end > number.len() && !number.is_empty();
            match (is_value, number.parse::<usize>()) {
                (true, Ok(number)) => made.push_str(self.values.get(number)?),
                _ => made.push_str(&word[..end]),
            }
            made.push_str(&word[end..]);
            Some(())
        };
        words.try_for_each(&mut add)?;
        made.push(']');
        Some(made)
    }
}

/// Returns the length of a value: `%12`, `%12#1`, `%arg3`.
fn value_length(text: &str) -> Option<usize> {
    let is_number = text[1..].starts_with(|c: char| c.is_ascii_digit());
    let is_part = |c: char| match is_number {
        true => c.is_ascii_digit() || c == '#',
        false => c.is_ascii_alphanumeric() || "$._-#".contains(c),
    };
    let length = text[1..].find(|c: char| !is_part(c)).map_or(text.len(), |end| end + 1);
    (length > 1).then_some(length)
}

/// The accesses whose indices are affine.
const ACCESSES: [&str; 5] = [
    "affine.load ",
    "affine.store ",
    "affine.prefetch ",
    "affine.vector_load ",
    "affine.vector_store ",
];

/// Returns the brackets after the name of an access at `at`, on the same line.
fn indices(text: &str, at: usize) -> Option<Span> {
    let rest = text.get(at..)?;
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    ACCESSES.iter().find(|name| line.starts_with(**name))?;
    let (start, end) = (line.find('[')?, line.find(']')?);
    let is_plain = start < end && !line[..end].contains([':', '"', '/', '{']);
    is_plain.then_some(at + start..at + end + 1)
}

/// Returns the positions of `affine_map<..>` and of indices, in order.
fn maps(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let (mut at, mut found) = (0, Vec::new());
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"//") {
            at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        } else if rest[0] == b'"' {
            at = behind_string(bytes, at);
        } else if rest.starts_with(b"affine_map<") {
            // If this map is not closed, no later one is.
            let Some(end) = behind_map(bytes, at + b"affine_map<".len()) else { break };
            found.push(at..end);
            at = end;
        } else if rest.starts_with(b"affine.")
            && let Some(span) = indices(text, at)
        {
            at = span.end;
            found.push(span);
        } else {
            at += 1;
        }
    }
    found
}

fn behind_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' | b'\n' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Returns the position after the first `>` that is not part of an arrow.
fn behind_map(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = bytes.get(start..)?;
    let ends = |(at, byte): (usize, &u8)| *byte == b'>' && at > 0 && rest[at - 1] != b'-';
    let end = rest.iter().enumerate().position(ends)?;
    Some(start + end + 1)
}
