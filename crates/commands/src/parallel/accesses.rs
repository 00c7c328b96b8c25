//! The accesses of loops: of code, and of MLIR.
//!
//! Law: two counters of one name belong to one loop. A text of which this cannot be said is rejected.

use super::carried::Access;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::option::C;
use crate::paste::mlir::with_aliases;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::expr::{IndexingMap, VariableKind};
use affinor::text::{Error, ErrorKind};
use affinor_lines::bare::is_hlo;
use affinor_ops::indexing::{Analysis, Exactness, Reads};
use std::collections::BTreeSet;

/// Words of the heads of loops of MLIR.
const HEADS: [&str; 5] =
    ["affine.for ", "affine.parallel ", "scf.for ", "scf.forall ", "scf.parallel "];

/// The accesses of a text.
#[derive(Default)]
pub struct Accesses {
    pub known: Vec<Access>,
    /// The reasons why there may be more conflicts.
    pub unknown: Vec<String>,
}

/// Reads loops, of MLIR or of code.
///
/// # Errors
/// Of the text, and if two loops have one counter.
pub fn of_text(call: &mut Call<'_>, argument: &Argument) -> Result<Accesses, Failure> {
    match HEADS.iter().any(|head| argument.text.contains(head)) || is_hlo(&argument.text) {
        true => of_mlir(call, argument),
        false => of_code(call, argument),
    }
}

fn of_code(call: &Call<'_>, argument: &Argument) -> Result<Accesses, Failure> {
    let mut seen = BTreeSet::new();
    if let Some(name) = counted(&argument.text).into_iter().find(|name| !seen.insert(*name)) {
        return Err(two_loops(argument, name));
    }
    let code = call.code(argument, call.has(C))?;
    let mut accesses = Accesses::default();
    if let Some(name) = changed_scalar(&argument.text) {
        accesses.unknown.push(format!("`{name}` takes a value from one iteration to the next"));
    }
    if let Some(word) = left_early(&argument.text) {
        accesses.unknown.push(format!("`{word}` may end a loop, so its iterations have an order"));
    }
    for (name, error) in code.without_map {
        accesses.unknown.push(format!("`{name}` is not known: {}", error.message));
    }
    for value in code.values {
        let Some(access) = value.access else { continue };
        let free = value.free;
        accesses.known.extend(value.maps.into_iter().map(|map| Access {
            array: access.array.clone(),
            is_read: access.is_read,
            is_written: access.is_written,
            is_bound: access.is_bound,
            loops: loops_of_code(&map, &free),
            map,
        }));
    }
    Ok(accesses)
}

fn of_mlir(call: &mut Call<'_>, argument: &Argument) -> Result<Accesses, Failure> {
    if !is_one_nest(&argument.text) {
        return Err(two_loops(argument, "the loops of one depth"));
    }
    let text = with_aliases(call, &argument.text);
    let file = TextFile::typed(&text);
    let module = affinor_mlir::read(&file.bytes).map_err(|error| file.blame(error))?;
    module.notes().iter().for_each(|note| call.notice(&note.message));
    let (simplifier, search) = (call.simplifier()?, call.search_options()?);
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &search).map;
    let mut analysis = Analysis::new(&module, &simplify).ended_by(&call.host.interrupt());
    let mut accesses = Accesses::default();
    if text.contains("iter_args") {
        accesses.unknown.push("`iter_args` take values from one iteration to the next".to_owned());
    }
    for (id, computation) in module.computations() {
        for (at, instruction) in computation.instructions() {
            let Some(verb) = instruction.backend_config("access") else { continue };
            let verb = verb.as_str().unwrap_or_default();
            let buffer = instruction.operands().first();
            let array = buffer.map_or("?", |buffer| computation[*buffer].name()).to_owned();
            let reads = analysis.instruction(id, at).map_err(|error| file.blame(error))?;
            let Some(entry) = reads.iter().find(|entry| entry.operand == 0) else { continue };
            match &entry.reads {
                Reads::Unknown { reason } => {
                    accesses.unknown.push(format!("an access to `{array}` is not known: {reason}"));
                }
                Reads::Maps(maps) => accesses.known.extend(maps.iter().map(|read| Access {
                    array: array.clone(),
                    is_read: verb.contains("reads"),
                    is_written: verb.contains("writes"),
                    is_bound: read.exactness != Exactness::Exact,
                    loops: loops_of_mlir(&read.map),
                    map: read.map.clone(),
                })),
            }
        }
    }
    Ok(accesses)
}

fn two_loops(argument: &Argument, name: &str) -> Failure {
    let message = format!("{name} may belong to two loops");
    let error = Error::without_span(ErrorKind::Unsupported, message);
    argument.blame(error.hint("ask about one nest of loops, or give each loop its own counter"))
}

/// Returns the counters of the loops around an access of MLIR, the outermost first.
fn loops_of_mlir(map: &IndexingMap) -> Vec<String> {
    let variables = map.domain().variables().iter();
    let counters = variables.filter(|one| one.kind == VariableKind::Dimension);
    counters.map(|one| one.name.to_string()).collect()
}

/// Returns the counters of the loops around an access of code, the outermost first: of the grid, the block, the loops, and the
/// elements of a vector. Other values, which nothing binds, are the same in all iterations.
fn loops_of_code(map: &IndexingMap, free: &[String]) -> Vec<String> {
    let level = |name: &str| {
        let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
        match () {
            () if starts(&["blockIdx", "program_id", "pid"]) => Some(0),
            () if starts(&["threadIdx"]) => Some(1),
            () if starts(&["arange"]) => Some(3),
            () => (!free.iter().any(|one| one == name)).then_some(2),
        }
    };
    let variables = map.domain().variables().iter();
    let dimensions = variables.filter(|one| one.kind != VariableKind::Parameter);
    let mut loops: Vec<(i32, String)> =
        dimensions.filter_map(|one| Some((level(&one.name)?, one.name.to_string()))).collect();
    loops.sort_by_key(|(level, _)| *level);
    loops.into_iter().map(|(_, name)| name).collect()
}

/// Returns the counters of the loops of code: `for (int i = 0; ..`, `for i in ..`.
fn counted(text: &str) -> Vec<&str> {
    let mut counters = Vec::new();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in text.match_indices("for") {
        if text[..at].ends_with(is_part) {
            continue;
        }
        let rest = &text[at + 3..];
        let end = rest.find([';', ':', '{']).unwrap_or(rest.len());
        let head = &rest[..end];
        let before = head.find('=').or_else(|| head.find(" in ")).unwrap_or(0);
        let name = head[..before].trim_end().rsplit(|c| !is_part(c)).next().unwrap_or_default();
        counters.extend(Some(name).filter(|name| !name.is_empty()));
    }
    counters
}

/// Returns the text without the heads of loops of C, which are in parentheses.
fn bodies(text: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, _) in text.match_indices("for") {
        let Some(open) = text[at + 3..].find(|c: char| c != ' ').map(|skipped| at + 3 + skipped)
        else {
            continue;
        };
        if at < start || !text[open..].starts_with('(') {
            continue;
        }
        let mut depth = 0i32;
        let close = text[open..].find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        parts.push(&text[start..at]);
        start = close.map_or(text.len(), |length| open + length + 1);
    }
    parts.push(&text[start..]);
    parts
}

/// Returns a name without an index whose value a statement of code takes from an earlier iteration: `s += a[i]`, `s++`, or
/// `b[i] = t; t = a[i]`.
fn changed_scalar(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let has = |text: &str, name: &str| text.split(|c| !is_part(c)).any(|word| word == name);
    // `float t` uses no value.
    let uses = |text: &str, name: &str| text.contains(['=', '[', '(']) && has(text, name);
    let parts = bodies(text).into_iter();
    let statements = parts.flat_map(|part| part.split(['\n', ';', '{', '}', ':']));
    let statements: Vec<&str> = statements.map(|one| one.trim_matches([' ', '\t', ')'])).collect();
    statements.iter().enumerate().find_map(|(at, statement)| {
        let end = statement.find(|c| !is_part(c)).unwrap_or(statement.len());
        let (name, rest) = (&statement[..end], statement[end..].trim_start());
        let step = statement.trim_end_matches("++").trim_end_matches("--");
        if !name.is_empty() && step.len() < statement.len() && step.trim_end() == name {
            return Some(name);
        }
        let (operator, value) = rest.split_once('=')?;
        let is_changed = match operator.trim() {
            "" if value.starts_with('=') => false,
            "" => has(value, name) || statements[..at].iter().any(|one| uses(one, name)),
            "<" | ">" | "!" => false,
            operator => operator.chars().all(|c| "+-*/%&|^<>@".contains(c)),
        };
        (!name.is_empty() && is_changed).then_some(name)
    })
}

/// Returns the word of code that may end a loop before its last access.
fn left_early(text: &str) -> Option<&'static str> {
    let first = text.find("for")?;
    let inside = text.get(first..text.rfind('[')?)?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let has = |word: &&&str| inside.split(|c| !is_part(c)).any(|one| one == **word);
    ["break", "return", "goto"].iter().find(has).copied()
}

/// Returns whether each loop but the outermost one is inside of the one before it.
fn is_one_nest(text: &str) -> bool {
    let (mut depth, mut least, mut of_last) = (0usize, usize::MAX, None);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                least = least.min(depth);
            }
            _ if HEADS.iter().any(|head| text[at..].starts_with(head)) => {
                if of_last.is_some_and(|last| least <= last) {
                    return false;
                }
                (of_last, least) = (Some(depth), usize::MAX);
            }
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_that_share_a_counter() {
        for (text, expected) in [
            ("for i in range(8):\n  for j in range(4):\n    A[i] = j", &["i", "j"][..]),
            ("for i in range(8):\n  A[i] = 0\nfor i in range(4):\n  A[i] = 1", &["i", "i"]),
            ("for (int i = 0; i < n; i++) for (int j = i; j < n; j++) A[j] = 0;", &["i", "j"]),
            (
                "for (i = 0; i < n; i++) A[i] = 0; for (size_t i = 0; i < n; ++i) B[i] = 0;",
                &["i", "i"],
            ),
            ("before[i] = 0", &[]),
        ] {
            assert_eq!(counted(text), expected, "{text}");
        }
        for (text, expected) in [
            ("for i in range(8):\n  s += A[i]", Some("s")),
            ("for (int i = 0; i < 8; i++) { s = s + A[i]; }", Some("s")),
            ("for (int i = 0; i < 8; i += 2) n++;", Some("n")),
            ("for (int i = 0; i < 8; i++) { float t = A[i]; B[i] = t; A[i] += t; }", None),
            ("for i in range(8): t = A[i]", None),
            ("for i in range(8):\n  B[i] = t\n  t = A[i]", Some("t")),
            ("for i in range(8):\n  t = A[i]\n  B[i] = t", None),
            ("float t; for (int i = 0; i < 8; i++) { t = A[i]; B[i] = t; }", None),
            ("if (t <= 4) A[i] = t == s;", None),
        ] {
            assert_eq!(changed_scalar(text), expected, "{text}");
        }
        for (text, expected) in [
            ("for (int i = 0; i < 8; i++) { if (A[i] > t) break; B[i] = 0; }", Some("break")),
            ("if (i >= n) return; for (int j = 0; j < 8; j++) B[j] = 0;", None),
            ("def f(A):\n  for i in range(8):\n    A[i] = 0\n  return A", None),
        ] {
            assert_eq!(left_early(text), expected, "{text}");
        }
        for (text, expected) in [
            (
                "affine.for %i = 0 to 8 {\n  affine.for %j = 0 to 4 {\n    %a = arith.addi %i, %j {x = 1} : index\n  }\n}",
                true,
            ),
            ("affine.for %i = 0 to 8 {\n}\naffine.for %j = 0 to 4 {\n}", false),
            (
                "func.func @f() {\n affine.for %i = 0 to 8 {\n  affine.for %j = 0 to 4 {\n  }\n  affine.for %k = 0 to 4 {\n  }\n }\n}",
                false,
            ),
        ] {
            assert_eq!(is_one_nest(text), expected, "{text}");
        }
    }
}
