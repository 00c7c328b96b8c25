//! The accesses that a question is about, with the values in the question as bounds of their variables.
//!
//! Law: each value bounds some variable of each access that is asked about, or the question is an error: nothing in it is left out.

use crate::foreign::declared::declared;
use crate::seen::{Access, Value};
use crate::session::Session;
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use std::cmp::Ordering;

/// Variables of the axes of a grid, in maps.
const GRIDS: [&str; 5] = ["blockIdx_", "program_id_", "block_id_", "pid_", "get_group_id_"];

/// Variables of the axes of a block, in maps.
const BLOCKS: [&str; 3] = ["threadIdx_", "thread_id_", "get_local_id_"];

/// Variables of the work items of a whole grid.
const GLOBAL: [&str; 1] = ["global_id_"];

/// Single names of the threads of a block and of the programs of a grid.
const THREADS: [&str; 7] = ["tid", "thread", "lane", "t", "tx", "lane_id", "gid"];
const PROGRAMS: [&str; 6] = ["pid", "bid", "block", "b", "bx", "program"];

/// The units of a launch, in the order of [`FAMILIES`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agents {
    Blocks,
    Threads,
}

/// Returns the map with the value as bounds; `None` if no variable has it.
pub fn bounded(session: &Session, map: &IndexingMap, value: &Value) -> Option<IndexingMap> {
    match value {
        Value::Bound(name, lo, hi) => {
            let bounds = Interval::new(lo.unwrap_or(MINUS_INFINITY), hi.unwrap_or(PLUS_INFINITY));
            match named(session, map, name) {
                Some(id) => Some(with(map, id, bounds)),
                None => of_axis(map, name, bounds.as_point()?),
            }
        }
        Value::Program(ids) => {
            let axes = axes(map, &GRIDS, &PROGRAMS).or_else(|| unbounded(map, ids.len()))?;
            along(map, &axes, ids, Interval::point)
        }
        Value::Thread(ids) => along(map, &threads(map)?, ids, Interval::point),
        // `256 threads` are along x: the other axes have a single one.
        Value::Programs(counts) => {
            let map = &with_axes(map, counts, Agents::Blocks);
            let axes = axes(map, &GRIDS, &PROGRAMS).or_else(|| unbounded(map, counts.len()));
            sized(map, axes, counts, &["gridDim_", "num_programs_"])
        }
        Value::Threads(counts) => {
            let map = &with_axes(map, counts, Agents::Threads);
            sized(map, threads(map), counts, &["blockDim_", "get_local_size_"])
        }
        Value::Launch(grid, block) => {
            let threads = |map: &IndexingMap| bounded(session, map, &Value::Threads(block.clone()));
            let made = threads(map);
            let of = made.as_ref().unwrap_or(map);
            let made_of = has_blocks(of).then(|| Value::Programs(grid.clone()));
            made_of.and_then(|grid| bounded(session, of, &grid)).or(made)
        }
        Value::Global(counts) => sized(map, axes(map, &GLOBAL, &[]), counts, &["global_size_"]),
        Value::Sizes(_) | Value::Of(..) | Value::Lanes(_) | Value::Bytes(_) => None,
    }
}

/// The threads of a block along its axes that are taken if the code has their number as a size: accesses of warps do not depend on
/// it.
const TAKEN: [(&str, i64); 4] =
    [("blockDim_x", 256), ("blockDim_y", 1), ("blockDim_z", 1), ("num_programs_0", 1)];

/// The value of a size that bounds threads.
const MANY: i64 = 1024;

/// The value of a size that no thread reaches, in a condition of the code.
const GUARD: i64 = 1 << 20;

/// Returns a map without the sizes of blocks, and what they are taken to be.
pub fn taken(map: &IndexingMap) -> (IndexingMap, Option<String>) {
    let of = |name: &str| TAKEN.iter().find(|(own, _)| *own == name).map(|(_, size)| *size);
    // A size that only bounds the threads, or guards accesses, leaves those of a full warp as they are.
    let is_bound = |id: VariableId| {
        let is_open = map.domain().bounds(id).hi() == PLUS_INFINITY;
        is_open && !map.results().iter().any(|result| result.variables().contains(&id))
    };
    let taken = |(id, name): (VariableId, &str)| {
        let is_program = name.starts_with("program_id_") || name.starts_with("pid");
        if is_program && map.domain().bounds(id).hi() == PLUS_INFINITY {
            return Some((id, name.to_owned(), 0));
        }
        let many = if map.domain().is_parameter(id) { MANY } else { GUARD };
        let is_thread = BLOCKS.iter().chain(&GRIDS).chain(&GLOBAL).any(|own| name.starts_with(own));
        let size = of(name).or_else(|| (!is_thread && is_bound(id)).then_some(many))?;
        Some((id, name.to_owned(), size))
    };
    let sizes: Vec<(VariableId, String, i64)> = ids(map).filter_map(taken).collect();
    let values: Vec<(VariableId, i64)> = sizes.iter().map(|(id, _, size)| (*id, *size)).collect();
    match with_values(map, &values) {
        Some(made) if !values.is_empty() => {
            let said: Vec<String> =
                sizes.iter().map(|(_, name, size)| format!("{name} = {size}")).collect();
            (made, Some(format!("{} is taken, as it is not stated", said.join(", "))))
        }
        _ => (map.clone(), None),
    }
}

/// Returns whether a map has ids of the work items of a whole grid.
pub fn is_global(map: &IndexingMap) -> bool {
    ids(map).any(|(_, name)| GLOBAL.iter().any(|start| name.starts_with(start)))
}

/// Returns the values for a map: over global ids, `4 groups of 64 work items` are 256 of them.
pub fn combined(map: &IndexingMap, values: &[Value]) -> Vec<Value> {
    let is_global = is_global(map);
    let split = values.iter().flat_map(|value| match value {
        Value::Launch(grid, block) if is_global => {
            vec![Value::Programs(grid.clone()), Value::Threads(block.clone())]
        }
        value => vec![value.clone()],
    });
    let values = &split.collect::<Vec<Value>>()[..];
    let counts = values.iter().find_map(|value| match value {
        Value::Programs(counts) => Some(counts),
        _ => None,
    });
    let Some(groups) = counts.filter(|_| is_global) else { return values.to_vec() };
    let of_threads = |value: &Value| matches!(value, Value::Threads(_));
    if !values.iter().any(of_threads) {
        return values.to_vec();
    }
    let others = values.iter().filter(|value| !matches!(value, Value::Programs(_)));
    let made = others.map(|value| match value {
        Value::Threads(counts) if counts.len() == groups.len() => Value::Threads(
            counts.iter().zip(groups).map(|(of, by)| of.saturating_mul(*by)).collect(),
        ),
        other => other.clone(),
    });
    made.collect()
}

/// The largest block that CUDA launches, along each axis.
const LARGEST: [(&str, i64); 3] =
    [("threadIdx_x", 1024), ("threadIdx_y", 1024), ("threadIdx_z", 64)];

/// Bounds the threads of CUDA without a bound by the largest block, and says so.
pub fn launchable(map: &IndexingMap) -> (IndexingMap, Option<String>) {
    let open = ids(map).filter(|(id, _)| map.domain().bounds(*id).hi() == PLUS_INFINITY);
    let size = |name: &str| LARGEST.iter().find(|(own, _)| *own == name).map(|(_, size)| *size);
    let open: Vec<(VariableId, &str, i64)> =
        open.filter_map(|(id, name)| Some((id, name, size(name)?))).collect();
    let bound = |map: IndexingMap, (id, _, size): &(VariableId, &str, i64)| {
        with(&map, *id, Interval::new(MINUS_INFINITY, size - 1))
    };
    let said: Vec<String> = open.iter().map(|(_, name, size)| format!("{name} < {size}")).collect();
    let note = format!("{}: no block of CUDA is larger", said.join(", "));
    (open.iter().fold(map.clone(), bound), (!said.is_empty()).then_some(note))
}

/// Returns the map to the ids of the programs of the grid, or of the threads of a block.
pub fn programs(map: &IndexingMap, is_of_grid: bool) -> Option<IndexingMap> {
    let ids = if is_of_grid { axes(map, &GRIDS, &PROGRAMS) } else { threads(map) };
    let results = ids?.into_iter().map(Expr::variable).collect();
    Some(IndexingMap::new(map.domain().clone(), results))
}

/// Returns the map with the size of a block or grid along one axis, `blockDim.x`, as the bound of the index along it.
fn of_axis(map: &IndexingMap, name: &str, size: i64) -> Option<IndexingMap> {
    let (kind, axis) = name.rsplit_once(['.', '_'])?;
    let at = ["x", "y", "z"].iter().position(|letter| *letter == axis)?;
    let indices = match kind {
        "blockDim" => &BLOCKS[..],
        "gridDim" => &GRIDS,
        _ => return None,
    };
    let is_one = |name: &str| {
        let mut axes = indices.iter().filter_map(|start| name.strip_prefix(start));
        axes.any(|own| own == axis || own == at.to_string())
    };
    let (id, _) = ids(map).find(|(_, name)| is_one(name))?;
    Some(with(map, id, Interval::of_size(size)))
}

/// Indices of blocks and of threads that belong together.
const FAMILIES: [[&str; 2]; 4] = [
    ["blockIdx_", "threadIdx_"],
    ["block_id_", "thread_id_"],
    ["get_group_id_", "get_local_id_"],
    ["program_id_", "program_id_"],
];

/// Returns whether a map has indices of blocks or programs, or of threads, which have blocks around them.
pub fn has_blocks(map: &IndexingMap) -> bool {
    let is_of = |name: &str| FAMILIES.iter().flatten().any(|start| name.starts_with(start));
    axes(map, &GRIDS, &PROGRAMS).is_some() || ids(map).any(|(_, name)| is_of(name))
}

/// Returns the map with an index for each axis of the blocks, or of the threads, that is no part of the code: all of them do the
/// same there.
fn with_axes(map: &IndexingMap, counts: &[i64], of: Agents) -> IndexingMap {
    let letters = ["x", "y", "z"];
    let is_of = |name: &str, start: &str| {
        let axis = name.strip_prefix(start);
        axis.is_some_and(|axis| letters.contains(&axis) || matches!(axis, "0" | "1" | "2"))
    };
    let is_known = |family: &&[&str; 2]| {
        ids(map).any(|(_, name)| family.iter().any(|start| is_of(name, start)))
    };
    let Some(family) = FAMILIES.iter().find(is_known) else { return map.clone() };
    let start = family[of as usize];
    // Triton has no threads.
    if family[0] == family[1] && of == Agents::Threads {
        return map.clone();
    }
    let missing = counts.iter().enumerate().filter_map(|(at, count)| {
        let names = [format!("{start}{}", letters.get(at)?), format!("{start}{at}")];
        let is_there = ids(map).any(|(_, own)| names.iter().any(|name| name == own));
        let [letter, number] = names;
        let name =
            if family[0].ends_with("id_") && family[0] != "block_id_" { number } else { letter };
        (*count > 1 && !is_there).then_some((name, *count))
    });
    missing
        .fold(map.clone(), |map, (name, count)| with_dimension(&map, &name, count).unwrap_or(map))
}

/// Returns the map with one more dimension after its own, on which nothing depends.
fn with_dimension(map: &IndexingMap, name: &str, size: i64) -> Option<IndexingMap> {
    let mut own: Vec<Variable> = map.domain().variables().to_vec();
    let is_dimension = |one: &Variable| one.kind == VariableKind::Dimension;
    let place = own.iter().rposition(is_dimension).map_or(0, |at| at + 1);
    own.insert(place, Variable::new(name, VariableKind::Dimension, Interval::of_size(size)));
    let count = own.len() - 1;
    let places: Vec<Expr> = (0..count)
        .map(|at| Expr::variable(VariableId((at + usize::from(at >= place)) as u32)))
        .collect();
    map.substituted(Domain::new(own), &places).ok()
}

fn threads(map: &IndexingMap) -> Option<Vec<VariableId>> {
    axes(map, &BLOCKS, &THREADS).or_else(|| axes(map, &GLOBAL, &[]))
}

/// Bounds the variables along axes, and the parameters that are their numbers.
fn sized(
    map: &IndexingMap,
    axes: Option<Vec<VariableId>>,
    counts: &[i64],
    sizes: &[&str],
) -> Option<IndexingMap> {
    let of_size = |count: i64| Interval::of_size(count);
    let made = axes.and_then(|axes| {
        let mut counts = counts.to_vec();
        counts.resize(axes.len().max(counts.len()), 1);
        along(map, &axes, &counts, of_size)
    });
    let is_bounded = made.is_some();
    let mut map = made.unwrap_or_else(|| map.clone());
    let mut values = Vec::new();
    for (count, letter) in counts.iter().zip(["x", "y", "z"]) {
        let variables = map.domain().variables().iter().enumerate();
        let is_size = |name: &str| sizes.iter().any(|size| name == format!("{size}{letter}"));
        values.extend(
            variables
                .filter(|(_, one)| is_size(&one.name))
                .map(|(at, _)| (VariableId(at as u32), *count)),
        );
    }
    if !values.is_empty() {
        map = with_values(&map, &values)?;
    }
    (is_bounded || !values.is_empty()).then_some(map)
}

/// Bounds the variables along as many axes as there are numbers.
fn along(
    map: &IndexingMap,
    axes: &[VariableId],
    numbers: &[i64],
    bounds: impl Fn(i64) -> Interval,
) -> Option<IndexingMap> {
    if axes.len() != numbers.len() {
        return None;
    }
    let places = axes.iter().zip(numbers);
    Some(places.fold(map.clone(), |map, (id, number)| with(&map, *id, bounds(*number))))
}

/// Returns the map with values for parameters. What bounded a variable by them is then the bound of the variable.
fn with_values(map: &IndexingMap, values: &[(VariableId, i64)]) -> Option<IndexingMap> {
    let mut map = map.bound(values).ok()?;
    for constraint in map.domain().constraints().to_vec() {
        for at in 0..map.domain().variables().len() {
            let variable = Expr::variable(VariableId(at as u32));
            let rest = constraint.expr.sub(&variable).ok().and_then(|rest| rest.as_constant());
            let ends = rest.map(|rest| constraint.bounds.add(Interval::point(-rest)));
            map = ends.map_or(map.clone(), |ends| map.restricted(&variable, ends));
        }
    }
    Some(map)
}

fn with(map: &IndexingMap, id: VariableId, bounds: Interval) -> IndexingMap {
    // A size has one value.
    if let (true, Some(value)) = (map.domain().is_parameter(id), bounds.as_point())
        && let Some(map) = with_values(map, &[(id, value)])
    {
        return map;
    }
    map.restricted(&Expr::variable(id), bounds)
}

fn ids(map: &IndexingMap) -> impl Iterator<Item = (VariableId, &str)> {
    let variables = map.domain().variables().iter().enumerate();
    variables.map(|(at, one)| (VariableId(at as u32), &*one.name))
}

/// Returns the variable of a name, also of a name of the session that stands for a single variable, as `pid = tl.program_id(0)`.
fn named(session: &Session, map: &IndexingMap, name: &str) -> Option<VariableId> {
    let find = |name: &str| ids(map).find(|(_, own)| *own == name).map(|(id, _)| id);
    let own = name.replace('.', "_");
    find(&own).or_else(|| {
        let of = session.map(name)?;
        let [result] = of.results() else { return None };
        let variable = result.as_variable()?;
        find(&of.domain().variables().get(variable.index())?.name)
    })
}

/// Returns the variables along the axes of a grid or a block, in order.
fn axes(map: &IndexingMap, names: &[&str], single: &[&str]) -> Option<Vec<VariableId>> {
    let mut found: Vec<(String, VariableId)> = ids(map)
        .filter(|(_, name)| {
            names.iter().any(|start| {
                name.strip_prefix(start).is_some_and(|axis| !axis.is_empty() && axis.len() < 3)
            })
        })
        .map(|(id, name)| (name.to_owned(), id))
        .collect();
    // `pid_m` and `pid_n` have the order in which they are listed, the axes that of their letters.
    if !found.iter().any(|(name, _)| name.starts_with("pid_")) {
        found.sort();
    }
    if found.is_empty() {
        found.extend(
            ids(map)
                .filter(|(id, name)| {
                    // A loop has its own bounds.
                    single.contains(name) && map.domain().bounds(*id).hi() == PLUS_INFINITY
                })
                .map(|(id, name)| (name.to_owned(), id)),
        );
    }
    (!found.is_empty()).then(|| found.into_iter().map(|(_, id)| id).collect())
}

/// Returns the variables without bounds, as the indices of a grid are, if they are so many. Threads and sizes are no such indices.
fn unbounded(map: &IndexingMap, count: usize) -> Option<Vec<VariableId>> {
    let is_thread = |name: &str| {
        BLOCKS.iter().chain(&GLOBAL).any(|start| name.starts_with(start)) || THREADS.contains(&name)
    };
    let is_open = |(id, name): &(VariableId, &str)| {
        let domain = map.domain();
        domain.bounds(*id).hi() == PLUS_INFINITY && !domain.is_parameter(*id) && !is_thread(name)
    };
    let open: Vec<VariableId> = ids(map).filter(is_open).map(|(id, _)| id).collect();
    (open.len() == count).then_some(open)
}

/// Returns the map with a variable of this name as a parameter, of which a map has one value.
pub fn with_parameter(map: &IndexingMap, name: &str) -> Option<IndexingMap> {
    let (id, _) = ids(map).find(|(_, own)| *own == name)?;
    if map.domain().is_parameter(id) {
        return Some(map.clone());
    }
    let variables = map.domain().variables();
    let mut own: Vec<Variable> = variables.to_vec();
    let moved = own.remove(id.index());
    own.push(Variable::new(moved.name.clone(), VariableKind::Parameter, moved.bounds));
    let last = own.len() - 1;
    let place = |at: usize| match at.cmp(&id.index()) {
        Ordering::Less => at,
        Ordering::Equal => last,
        Ordering::Greater => at - 1,
    };
    let places: Vec<Expr> =
        (0..variables.len()).map(|at| Expr::variable(VariableId(place(at) as u32))).collect();
    map.substituted(Domain::new(own), &places).ok()
}

/// Returns the sizes of an array that was declared, and its declaration.
pub fn declaration<'s>(
    session: &'s Session,
    access: &'s Access,
) -> Option<(&'s str, Vec<&'s str>)> {
    let text = access.declared.as_ref().or_else(|| session.arrays.get(&access.array))?;
    Some((text, declared(text)?.sizes))
}

/// Returns the map to the position in memory of an array of these sizes, in row-major order.
pub fn linear(map: &IndexingMap, sizes: &[&str]) -> Option<IndexingMap> {
    if map.results().len() == 1 {
        return Some(map.clone());
    }
    if sizes.len() != map.results().len() {
        return None;
    }
    let mut position = Expr::constant(0);
    for (size, result) in sizes.iter().zip(map.results()) {
        let size: i64 = size.parse().ok()?;
        position = Expr::sum(0, [(size, position), (1, result.clone())]).ok()?;
    }
    Some(IndexingMap::new(map.domain().clone(), vec![position]))
}
