//! The accesses of loops: of code, and of MLIR.
//!
//! Law: two counters of one name belong to one loop. A text of which this cannot be said is rejected.

use super::carried::Access;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::expr_error;
use crate::option::C;
use crate::paste::mlir::with_aliases;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::expr::{IndexingMap, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind};
use affinor_code::{Loop, order};
use affinor_lines::bare::is_hlo;
use affinor_ops::indexing::{Analysis, Exactness, Reads};
use std::collections::{BTreeMap, BTreeSet};

/// Words of the heads of loops of MLIR.
const HEADS: [&str; 5] =
    ["affine.for ", "affine.parallel ", "scf.for ", "scf.forall ", "scf.parallel "];

/// Ops of MLIR beside those of `arith`, `index`, `math` and `vector` that access no array, or are followed.
const FOLLOWED: [&str; 29] = [
    "affine.apply",
    "affine.delinearize_index",
    "affine.for",
    "affine.if",
    "affine.linearize_index",
    "affine.load",
    "affine.max",
    "affine.min",
    "affine.parallel",
    "affine.prefetch",
    "affine.store",
    "affine.vector_load",
    "affine.vector_store",
    "affine.yield",
    "func.func",
    "func.return",
    "memref.cast",
    "memref.collapse_shape",
    "memref.dim",
    "memref.expand_shape",
    "memref.load",
    "memref.reinterpret_cast",
    "memref.store",
    "memref.subview",
    "memref.transpose",
    "scf.for",
    "scf.if",
    "scf.parallel",
    "scf.yield",
];

/// A loop, or a dimension of a grid or a vector.
#[derive(Clone, Default)]
pub struct Counter {
    /// Whether later iterations have greater values; `None` if iterations have no order, or it is not known.
    pub is_up: Option<bool>,
    /// Why its iterations may have an order beside that of accesses.
    pub reason: Option<String>,
    /// The arrays of which each iteration has its own.
    pub own: BTreeSet<String>,
}

/// The accesses of a text.
#[derive(Default)]
pub struct Accesses {
    pub known: Vec<Access>,
    pub counters: BTreeMap<String, Counter>,
    /// Why there may be more accesses.
    pub unknown: Option<String>,
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
    let order = order(&argument.text).map_err(|error| argument.blame(error))?;
    let mut accesses = Accesses::default();
    for Loop { counters, is_up, reason, arrays } in order.loops {
        for name in counters {
            let counter = Counter { is_up, reason: reason.clone(), own: arrays.clone() };
            if accesses.counters.insert(name.clone(), counter).is_some() {
                return Err(two_loops(argument, &name));
            }
        }
    }
    let code = call.code(argument, call.has(C))?;
    let unknown = code.without_map.first();
    accesses.unknown =
        unknown.map(|(name, error)| format!("`{name}` is not known: {}", error.message));
    let own = |is_block: bool| {
        let arrays = order.arrays.iter().filter(|(_, is_shared)| is_block || !**is_shared);
        arrays.map(|(name, _)| name.clone()).collect::<BTreeSet<String>>()
    };
    for value in code.values {
        let Some(access) = value.access else { continue };
        for map in value.maps {
            let loops = loops_of_code(&map, &value.free);
            accesses.known.push(Access {
                array: access.array.clone(),
                is_read: access.is_read,
                is_written: access.is_written,
                is_bound: access.is_bound,
                loops,
                repeated: Vec::new(),
                map,
            });
        }
    }
    // Each block, thread and program runs all statements.
    let all = accesses.known.iter().flat_map(|access| access.loops.iter());
    let mut grid: BTreeSet<String> =
        all.filter(|name| level(name).is_some_and(|level| level < 2)).cloned().collect();
    grid.extend(order.grid);
    for name in &grid {
        let bounds = accesses.known.iter().filter_map(|access| access.bounds_of(name));
        let some = bounds.reduce(Interval::hull).unwrap_or(Interval::at_least(0));
        let some = some.intersect(Interval::at_least(0));
        for access in &mut accesses.known {
            access.repeat(name, some).map_err(|error| argument.blame(expr_error(error)))?;
            access.loops.sort_by_key(|name| level(name).unwrap_or(2));
        }
    }
    for name in accesses.known.iter().flat_map(|access| &access.loops) {
        let level = level(name);
        let of_others = order.of_others.as_ref().filter(|_| level.is_none());
        let other = || Counter {
            is_up: None,
            reason: of_others.or(order.of_grid.as_ref()).cloned(),
            own: own(level == Some(0)),
        };
        accesses.counters.entry(name.clone()).or_insert_with(other);
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
    let mut accesses = Accesses { unknown: not_followed(&text), ..Accesses::default() };
    for (id, computation) in module.computations() {
        for (at, instruction) in computation.instructions() {
            let Some(verb) = instruction.backend_config("access") else { continue };
            let verb = verb.as_str().unwrap_or_default();
            let buffer = instruction.operands().first();
            let array = buffer.map_or("?", |buffer| computation[*buffer].name()).to_owned();
            let reads = analysis.instruction(id, at).map_err(|error| file.blame(error))?;
            let Some(entry) = reads.iter().find(|entry| entry.operand == 0) else { continue };
            let maps = match &entry.reads {
                Reads::Unknown { reason } => {
                    let reason = format!("an access to `{array}` is not known: {reason}");
                    accesses.unknown = Some(reason);
                    continue;
                }
                Reads::Maps(maps) => maps,
            };
            for read in maps.iter() {
                let loops = loops_of_mlir(&read.map);
                for name in &loops {
                    let counter = Counter { is_up: Some(true), ..Counter::default() };
                    accesses.counters.insert(name.clone(), counter);
                }
                accesses.known.push(Access {
                    array: array.clone(),
                    is_read: verb.contains("reads"),
                    is_written: verb.contains("writes"),
                    is_bound: read.exactness != Exactness::Exact,
                    loops,
                    repeated: Vec::new(),
                    map: read.map.clone(),
                });
            }
        }
    }
    Ok(accesses)
}

/// Returns the reason that a text of MLIR has an op that may access an array, or takes a value from one iteration to the next.
fn not_followed(text: &str) -> Option<String> {
    if text.contains("iter_args") {
        return Some("`iter_args` take values from one iteration to the next".to_owned());
    }
    let first = HEADS.iter().filter_map(|head| text.find(head)).min().unwrap_or(0);
    let is_part = |c: char| c.is_alphanumeric() || "._$".contains(c);
    let mut at = 0;
    for word in text.split(|c| !is_part(c)) {
        let start = at;
        at += word.len() + text[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        let is_name = text[..start].ends_with(['%', '#', '!', '@', '^']);
        let is_op = word.contains('.') && word.starts_with(|c: char| c.is_ascii_lowercase());
        let is_known = FOLLOWED.contains(&word)
            || ["arith.", "index.", "math.", "vector."].iter().any(|of| word.starts_with(of))
            || word.starts_with("memref.alloc") && start < first;
        if !is_name && (word == "call" || is_op && !is_known) {
            return Some(format!("`{word}` may access an array"));
        }
    }
    None
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

/// Returns the level of a variable of a grid (0), a block (1) or a vector (3); loops are between them.
fn level(name: &str) -> Option<i32> {
    let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match () {
        () if starts(&["blockIdx", "program_id", "pid"]) => Some(0),
        () if starts(&["threadIdx"]) => Some(1),
        () if starts(&["arange"]) => Some(3),
        () => None,
    }
}

/// Returns the counters of the loops around an access of code, the outermost first: of the grid, the block, the loops, and the
/// elements of a vector. Other values, which nothing binds, are the same in all iterations.
fn loops_of_code(map: &IndexingMap, free: &[String]) -> Vec<String> {
    let level =
        |name: &str| level(name).or_else(|| (!free.iter().any(|one| one == name)).then_some(2));
    let variables = map.domain().variables().iter();
    let dimensions = variables.filter(|one| one.kind != VariableKind::Parameter);
    let mut loops: Vec<(i32, String)> =
        dimensions.filter_map(|one| Some((level(&one.name)?, one.name.to_string()))).collect();
    loops.sort_by_key(|(level, _)| *level);
    loops.into_iter().map(|(_, name)| name).collect()
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
    fn loops_that_are_one_nest() {
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

    #[test]
    fn ops_that_may_access_arrays() {
        for (text, expected) in [
            ("affine.for %i = 0 to 8 {\n %a.b = affine.load %A[%i] : memref<8xf32, #x.y>\n}", None),
            ("%A = memref.alloc() : memref<8xf32>\naffine.for %i = 0 to 8 {\n}", None),
            (
                "affine.for %i = 0 to 8 {\n %A = memref.alloc() : memref<8xf32>\n}",
                Some("memref.alloc"),
            ),
            (
                "affine.for %i = 0 to 8 {\n func.call @f(%A) : (memref<8xf32>) -> ()\n}",
                Some("func.call"),
            ),
            ("affine.for %i = 0 to 8 {\n call @f(%A) : (memref<8xf32>) -> ()\n}", Some("call")),
            (
                "affine.for %i = 0 to 8 {\n linalg.fill ins(%c : f32) outs(%A : memref<8xf32>)\n}",
                Some("linalg.fill"),
            ),
            ("scf.for %i = %a to %b step %c iter_args(%s = %t) -> (f32) {\n}", Some("iter_args")),
        ] {
            let found = not_followed(text);
            assert_eq!(found.is_some(), expected.is_some(), "{text}: {found:?}");
            let has =
                |found: &String| expected.is_some_and(|op| found.contains(&format!("`{op}`")));
            assert!(found.iter().all(has), "{text}: {found:?}");
        }
    }
}
