//! The accesses that a question about code is about: those of the arrays and elements in it, with its values as bounds.

use super::bounded::{bounded, combined, declaration};
use super::elements::LAST;
use super::line::unsupported;
use super::words::{Asked, Kind};
use crate::seen::{Access, Value};
use crate::session::Session;
use affinor::expr::{Expr, IndexingMap, VariableId};
use affinor::num::Interval;
use affinor::text::Error;

/// Returns the accesses that a question is about, with its values as bounds.
pub fn subjects(session: &Session, asked: &Asked, given: &[Access]) -> Result<Vec<Access>, Error> {
    let mut found: Vec<Access> = given.to_vec();
    let is_array = |access: &Access, name: &str| access.array == name;
    for name in asked
        .arrays
        .iter()
        .filter(|name| !given.iter().any(|access| access.of.as_deref() == Some(name.as_str())))
    {
        if !given.iter().any(|access| is_array(access, name)) {
            return Err(unsupported(format!("the code has no access to `{name}`")));
        }
    }
    let named: Vec<&String> = asked.arrays.iter().collect();
    // `is y[i] in bounds` names an array; `C[3, 5]` of another one is a point.
    let (points, others): (Vec<_>, Vec<_>) = asked
        .elements
        .iter()
        .partition(|(_, index)| index.iter().all(|part| part.parse::<i64>().is_ok()));
    for (name, _) in &others {
        if !given.iter().any(|access| is_array(access, name)) {
            return Err(unsupported(format!("the code has no access to `{name}`")));
        }
    }
    if !named.is_empty() || !others.is_empty() {
        let names = || named.iter().copied().chain(others.iter().map(|(name, _)| name));
        let is_named = |access: &Access| names().any(|name| is_array(access, name));
        // A result is asked about by all that it reads.
        let is_result = |access: &Access| names().any(|name| access.of.as_ref() == Some(name));
        match found.iter().any(is_named) {
            true => found.retain(is_named),
            false => found.retain(is_result),
        }
    }
    let of_points = !points.is_empty();
    if asked.is_read && !asked.is_written && !of_points {
        found.retain(|access| access.is_read || !access.is_written);
    }
    let only_writes = asked.is_written || asked.kind == Kind::Injective && !asked.is_read;
    if only_writes && asked.kind != Kind::Point {
        let has_writes = found.iter().any(|access| access.is_written);
        // Values that are no accesses, `pid * 4`, are what is asked about themselves.
        let is_access = found.iter().any(|access| access.is_read);
        match (has_writes, asked.is_written && is_access) {
            (true, _) => found.retain(|access| access.is_written),
            (false, true) => return Err(unsupported("the code writes no element that is known")),
            (false, false) => {}
        }
    }
    if found.is_empty() {
        return Err(unsupported("the code has no such access"));
    }
    for (name, index) in &points {
        found = at_point(found, given, name, index, asked.kind)?;
    }
    // The banks are those of shared memory, the sectors those of global memory.
    let is_shared = |access: &Access| {
        let text = declaration(session, access).map(|(text, _)| text);
        text.is_some_and(|text| {
            ["__shared__", "__local", "threadgroup "].iter().any(|word| text.contains(word))
        })
    };
    let wants = match asked.kind {
        Kind::Banks => Some(true),
        Kind::Coalesced => Some(false),
        _ => None,
    };
    if let Some(wanted) = wants.filter(|_| found.iter().any(is_shared))
        && found.iter().any(|access| is_shared(access) == wanted)
    {
        found.retain(|access| is_shared(access) == wanted);
    }
    for access in &mut found {
        for value in combined(&access.map, &asked.values) {
            if matches!(value, Value::Sizes(_) | Value::Lanes(_) | Value::Bytes(_)) {
                continue;
            }
            // The index in each dimension has the bounds of the position, and perhaps no other variables.
            if let Some((within, sizes)) = access.within.take() {
                let made = bounded(session, &within, &value).unwrap_or(within);
                access.within = Some((made, sizes));
            }
            let made = bounded(session, &access.map, &value);
            access.map = made.ok_or_else(|| no_variable(&access.map, &value))?;
        }
    }
    Ok(found)
}

/// Returns the accesses at the points at which an element of an array is accessed, or is the result.
fn at_point(
    found: Vec<Access>,
    given: &[Access],
    name: &str,
    index: &[String],
    kind: Kind,
) -> Result<Vec<Access>, Error> {
    let numbers: Vec<i64> = index.iter().filter_map(|part| part.parse().ok()).collect();
    // `[4, 2]` alone is an element of the last result.
    let last = given.last().and_then(|access| access.of.as_deref());
    let mut arrays = found.iter().map(|access| access.array.as_str());
    let first = arrays.next().filter(|first| arrays.all(|array| array == *first));
    let name = match name {
        // `element 3` alone is one of the last result, or of the only array.
        LAST => last.or(first).unwrap_or(name).to_owned(),
        _ => name.to_owned(),
    };
    let name = name.as_str();
    let same = |access: &Access| access.array == name;
    let at = |access: &Access, own: &[Expr]| {
        let on = |map: &IndexingMap| {
            let results = own.iter().zip(&numbers);
            let point = |map: IndexingMap, (result, at): (&Expr, &i64)| {
                map.restricted(result, Interval::point(*at))
            };
            results.fold(map.clone(), point)
        };
        let within = access.within.as_ref();
        let within = within.filter(|(map, _)| variables(map) == variables(&access.map));
        let within = within.map(|(map, sizes)| (on(map), sizes.clone()));
        Access { map: on(&access.map), within, ..access.clone() }
    };
    let wrong =
        || unsupported(format!("`{name}` has no element with {} indices here", numbers.len()));
    // A result, whose indices are the dimensions of the maps; also the array that a result is written to.
    let results: Vec<&Access> =
        given.iter().filter(|access| access.of.as_deref() == Some(name)).collect();
    let is_destination = |access: &&Access| {
        access.of.is_some()
            && same(access)
            && access
                .map
                .results()
                .iter()
                .enumerate()
                .all(|(at, result)| result.as_variable().is_some_and(|id| id.index() == at))
    };
    let result = match results.first() {
        Some(access) => access.of.clone(),
        None => given.iter().find(is_destination).and_then(|access| access.of.clone()),
    };
    if let Some(result) = result {
        let mut made = Vec::new();
        for access in found {
            if access.of.as_ref() != Some(&result) {
                continue;
            }
            let count = access.map.domain().variables().len();
            let dimensions: Vec<Expr> =
                (0..numbers.len()).map(|at| Expr::variable(VariableId(at as u32))).collect();
            if numbers.len() > count {
                return Err(wrong());
            }
            made.push(at(&access, &dimensions));
        }
        // The former content of the result is not read of others.
        let others = made.iter().any(|access| !same(access));
        made.retain(|access| !others || !same(access));
        return Ok(made);
    }
    let owners: Vec<&Access> = given.iter().filter(|access| same(access)).collect();
    let owners = match owners.iter().any(|access| access.is_written) {
        true => owners.into_iter().filter(|access| access.is_written).collect(),
        false => owners,
    };
    // Of intermediate values and the result, the result.
    let is_of_last = |access: &&Access| access.of.is_some() && access.of.as_deref() == last;
    let owners = match owners.len() > 1 && owners.iter().any(is_of_last) {
        true => owners.into_iter().filter(is_of_last).collect(),
        false => owners,
    };
    let [owner] = owners[..] else {
        return Err(match owners.is_empty() {
            true => unsupported(format!("the code has no access to `{name}`")),
            false => unsupported(format!("the code accesses `{name}` at several places")),
        });
    };
    if owner.map.results().len() != numbers.len() {
        return Err(wrong());
    }
    if kind == Kind::Point || !found.iter().any(|access| !same(access)) {
        return Ok(vec![at(owner, owner.map.results())]);
    }
    // The other accesses of the same statement have the same variables.
    let others = found.into_iter().filter(|access| !same(access) || access.is_read);
    let mut made = Vec::new();
    for access in others {
        if variables(&access.map) != variables(&owner.map) {
            let message =
                format!("`{}` and `{name}` are accessed in different loops", access.array);
            return Err(unsupported(message));
        }
        made.push(at(&access, owner.map.results()));
    }
    Ok(made)
}

/// Returns the names of the variables of a map.
fn variables(map: &IndexingMap) -> Vec<&str> {
    map.domain().variables().iter().map(|one| &*one.name).collect()
}

fn no_variable(map: &IndexingMap, value: &Value) -> Error {
    let names: Vec<String> =
        map.domain().variables().iter().map(|one| format!("`{}`", one.name)).collect();
    let what = match value {
        Value::Bound(name, ..) => format!("`{name}`"),
        Value::Program(_) => "a program".to_owned(),
        Value::Thread(_) => "a thread".to_owned(),
        Value::Programs(_) => "a number of programs".to_owned(),
        _ => "a number of threads".to_owned(),
    };
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    unsupported(format!("{what} of the question belongs to no variable of the access"))
        .hint(format!("its variables are {names}: say their bounds, as `for x in range(8)`"))
}
