//! The values that the comments of code state, as bounds of its accesses.
//!
//! Law: the question itself goes first: a comment about the same size is not used then. A comment that bounds no access of the code is
//! named in a note.

use super::bounded::{bounded, combined, declaration, has_blocks, is_global};
use super::facts::{states_size, unused};
use super::words::{Asked, Kind};
use crate::seen::{Access, Fact, Value};
use crate::session::Session;
use affinor::expr::IndexingMap;

/// Bounds accesses by the comments of the code, and by the sizes of arrays that the question states. Returns notes on comments
/// without a use.
pub fn state(session: &Session, asked: &mut Asked, accesses: &mut Vec<Access>) -> Vec<String> {
    let mut stated: Vec<(&str, Value)> = Vec::new();
    for Fact { text, values } in &session.code.facts {
        let is_other = |value: &&Value| !asked.values.iter().any(|own| is_of_same(own, value));
        stated.extend(values.iter().filter(is_other).map(|value| (text.as_str(), value.clone())));
    }
    let mut used: Vec<&str> = Vec::new();
    let mut unused_texts: Vec<&str> = Vec::new();
    let global = of_global(asked, accesses, &stated);
    for (text, value) in stated {
        // A single block or thread changes nothing, and loops are read again from their text.
        let is_used = match &value {
            Value::Programs(counts) | Value::Threads(counts) if counts.iter().all(|n| *n == 1) => {
                true
            }
            _ if is_of_loops(asked) => false,
            value if global.is_some() && is_of_launch(value) => global == Some(true),
            value => apply(session, asked, accesses, value),
        };
        if is_used { used.push(text) } else { unused_texts.push(text) }
    }
    unused_texts.retain(|text| states_size(text) && !used.contains(text));
    unused_texts.dedup();
    let note = |text: &str| format!("{}: it belongs to no variable here", unused(text));
    let mut notes: Vec<String> = unused_texts.into_iter().map(note).collect();
    let is_of_array = |value: &Value| matches!(value, Value::Of(..));
    for value in asked.values.extract_if(.., |value| is_of_array(value)).collect::<Vec<_>>() {
        if !apply(session, asked, accesses, &value)
            && let Value::Of(name, _) = value
        {
            // It is an array that the code does not access.
            asked.arrays.push(name);
        }
    }
    of_some(session, asked, accesses);
    notes.extend(unsized_arrays(session, asked, accesses));
    notes
}

fn is_of_launch(value: &Value) -> bool {
    matches!(value, Value::Programs(_) | Value::Threads(_) | Value::Launch(..))
}

/// Adds the sizes of groups and the numbers of them that comments state to the question, if the code has ids of the whole grid: only
/// together they bound these. Returns whether they are both there; `None` if the code has no such ids.
fn of_global(asked: &mut Asked, accesses: &[Access], stated: &[(&str, Value)]) -> Option<bool> {
    if !accesses.iter().any(|access| is_global(&access.map)) {
        return None;
    }
    let of_grid: Vec<Value> = stated
        .iter()
        .map(|(_, value)| value)
        .filter(|value| is_of_launch(value))
        .cloned()
        .collect();
    let has = |test: fn(&Value) -> bool| asked.values.iter().chain(&of_grid).any(test);
    let is_whole = has(|value| matches!(value, Value::Programs(_) | Value::Launch(..)))
        && has(|value| matches!(value, Value::Threads(_) | Value::Launch(..)))
        && accesses.iter().all(|access| is_global(&access.map));
    if is_whole {
        asked.values.extend(of_grid);
    }
    Some(is_whole)
}

/// Returns whether a question is about loops as a whole.
fn is_of_loops(asked: &Asked) -> bool {
    matches!(asked.kind, Kind::Parallel | Kind::Vectorized | Kind::Interchange)
}

/// Applies the values of the question that belong only to some accesses of the code: the others do not depend on them.
fn of_some(session: &Session, asked: &mut Asked, accesses: &mut [Access]) {
    let is_of_all = asked.arrays.is_empty() && asked.elements.is_empty() && !is_of_loops(asked);
    let is_apart =
        |access: &Access| combined(&access.map, &asked.values).len() == asked.values.len();
    if !is_of_all || !accesses.iter().all(is_apart) {
        return;
    }
    let is_of = |access: &Access, value: &Value| taking(session, &access.map, value).is_some();
    let is_of_some = |value: &Value| {
        accesses.iter().any(|access| is_of(access, value))
            && !accesses.iter().all(|access| is_of(access, value))
    };
    let (some, all) = std::mem::take(&mut asked.values).into_iter().partition(is_of_some);
    asked.values = all;
    let some: Vec<Value> = some;
    for value in some {
        apply(session, asked, accesses, &value);
    }
}

/// Removes accesses to arrays of unknown size from a question about bounds, if those of other arrays are known. Returns notes.
fn unsized_arrays(session: &Session, asked: &Asked, accesses: &mut Vec<Access>) -> Vec<String> {
    let is_sized =
        |access: &Access| access.within.is_some() || declaration(session, access).is_some();
    let is_of_all = asked.kind == Kind::Inside
        && asked.arrays.is_empty()
        && asked.elements.is_empty()
        && !asked.values.iter().any(|value| matches!(value, Value::Sizes(_)));
    if !is_of_all || !accesses.iter().any(is_sized) {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    for access in accesses.extract_if(.., |access| !is_sized(access)) {
        if !names.contains(&access.array) {
            names.push(access.array);
        }
    }
    let note = |name| format!("the size of `{name}` is not known: its elements are not decided");
    names.into_iter().map(note).collect()
}

/// Applies a value to all accesses that it belongs to; returns whether there are any, or may be.
fn apply(session: &Session, asked: &mut Asked, accesses: &mut [Access], value: &Value) -> bool {
    let mut is_used = false;
    match value {
        Value::Sizes(_) => {
            if asked.kind == Kind::Inside {
                asked.values.push(value.clone());
            }
            return true;
        }
        Value::Of(name, sizes) => {
            for access in accesses.iter_mut().filter(|access| access.array == *name) {
                is_used = true;
                if asked.kind == Kind::Inside {
                    // Only its sizes matter here.
                    access.declared = Some(format!("float sized[{}];", sizes.join("][")));
                }
            }
        }
        _ => {
            for access in accesses {
                for value in combined(&access.map, std::slice::from_ref(value)) {
                    if let Some((map, _)) = &mut access.within
                        && let Some(made) = taking(session, map, &value)
                    {
                        *map = made;
                    }
                    if let Some(made) = taking(session, &access.map, &value) {
                        access.map = made;
                        is_used = true;
                    }
                }
            }
        }
    }
    is_used
}

/// Returns the map with the value as bounds. A number of programs is not taken for the bound of an index with another name.
fn taking(session: &Session, map: &IndexingMap, value: &Value) -> Option<IndexingMap> {
    let is_grid = matches!(value, Value::Programs(_));
    (!is_grid || has_blocks(map)).then(|| bounded(session, map, value)).flatten()
}

/// Returns whether two values are about the same size or name.
fn is_of_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Bound(one, ..), Value::Bound(other, ..))
        | (Value::Of(one, _), Value::Of(other, _)) => one == other,
        (Value::Launch(..), Value::Programs(_) | Value::Threads(_))
        | (Value::Programs(_) | Value::Threads(_), Value::Launch(..)) => true,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
