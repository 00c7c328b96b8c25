//! How the reduction emitter of XLA assigns the threads of a GPU to the operand of a reduce.
//!
//! Law: each element of the operand belongs to exactly one point of the map. From minor to major the dimensions that are
//! reduced (R) and those that are kept (K) form groups, each of which counts as one dimension:
//!
//! * rows, `R`, `R K` or `R K R`. If the row is a power of two of at most a warp's elements, 256 threads take as many rows at
//!   once as fit. Otherwise a row has one thread for every 16 elements, rounded up to whole warps, and at most 1,024; with up
//!   to 256 threads per row, a block takes several rows. Each thread then takes up to 16 elements, with a stride of the number
//!   of threads per row.
//! * columns, `K R` or `K R K`: 32 x 32 threads, x along the kept dimension, y along the reduced one, which is walked in
//!   steps of 32. If the minor group divides 32, up to 128 threads walk over both minor groups as over one array.
//!
//! XLA first rewrites other orders into one of these. Source: XLA, `backends/gpu/codegen/emitters/reduction.cc`, for NVIDIA
//! GPUs; its choice of a vector of several elements depends on the device, and is 1 here unless it is given.

use super::walk::{Walk, Walked, digits, dimension, put, too_large, variable};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, VariableId};
use affinor::num;
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind};

/// Lanes of a warp.
const WARP: i64 = 32;

/// Threads of a block that takes several rows.
const TARGET: i64 = 256;

/// Maximum number of threads per row.
const MOST: i64 = 1_024;

/// Elements of a thread along a row.
const EACH: i64 = 16;

/// Threads that walk over narrow columns.
const NARROW: i64 = 128;

/// The dimensions of a group with their sizes, minor first, and the number of elements.
struct Group {
    dimensions: Vec<(usize, i64)>,
    size: i64,
}

/// A variable of the walk: its name and size.
type Part = (&'static str, i64);

/// The index in one group, as a sum of parts, each times a factor.
type Index = Vec<(usize, i64)>;

pub(super) fn reduction(walk: &Walk<'_>) -> Result<Walked, Error> {
    let usage = |message: &str| Error::without_span(ErrorKind::Usage, message.to_owned());
    if walk.reduced.is_empty() {
        let error = usage("nothing is reduced here");
        return Err(error.hint("the preset walks over the operand of a reduce"));
    }
    if walk.block.is_some() {
        return Err(usage("the reduction emitter chooses the threads of a block itself"));
    }
    let (groups, is_row) = groups(walk)?;
    let vector = walk.vector.unwrap_or(1).max(1);
    let size = |place: usize| groups.get(place).map_or(1, |group| group.size.max(1));
    let (minor, middle, major) = (size(0), size(1), size(2));
    let divided = match is_row || WARP % minor != 0 {
        true => minor,
        false => minor.checked_mul(middle).ok_or_else(too_large)?,
    };
    if divided % vector != 0 {
        return Err(usage("the vector size does not divide the minor dimension"));
    }
    match is_row {
        true => rows(walk, &groups, (minor, middle, major), vector),
        false if WARP % minor == 0 => narrow(walk, &groups, (minor, middle, major), vector),
        false => columns(walk, &groups, (minor, middle, major), vector),
    }
}

/// Returns the groups, minor first, and whether the first one is reduced.
fn groups(walk: &Walk<'_>) -> Result<(Vec<Group>, bool), Error> {
    let mut groups: Vec<(bool, Group)> = Vec::new();
    for dimension in walk.minor_to_major {
        let size = walk.sizes.get(*dimension).copied().unwrap_or(1);
        let is_reduced = walk.reduced.contains(dimension);
        // A dimension of size 1 belongs to any group.
        match groups.last_mut() {
            Some((last, group)) if *last == is_reduced || size == 1 => {
                group.dimensions.push((*dimension, size));
                group.size = group.size.checked_mul(size).ok_or_else(too_large)?;
            }
            Some((last, group)) if group.size == 1 => {
                *last = is_reduced;
                group.dimensions.push((*dimension, size));
                group.size = size;
            }
            _ => {
                let dimensions = vec![(*dimension, size)];
                groups.push((is_reduced, Group { dimensions, size }));
            }
        }
    }
    let is_row = groups.first().is_some_and(|(is_reduced, _)| *is_reduced);
    let is_known = groups.len() <= 3 && groups.iter().any(|(is_reduced, _)| *is_reduced);
    match is_known {
        true => Ok((groups.into_iter().map(|(_, group)| group).collect(), is_row)),
        false if groups.len() < 2 => {
            let message = "only dimensions of size 1 are reduced";
            Err(Error::without_span(ErrorKind::Usage, message))
        }
        false => {
            let message = "the reduced elements are not contiguous in memory";
            let error = Error::without_span(ErrorKind::Usage, message.to_owned());
            Err(error.hint("`--preset loop` walks over the result"))
        }
    }
}

fn rows(
    walk: &Walk<'_>,
    groups: &[Group],
    (minor, kept, major): (i64, i64, i64),
    vector: i64,
) -> Result<Walked, Error> {
    let is_short = minor.count_ones() == 1 && minor <= WARP * vector;
    let across = match is_short {
        true => minor / vector,
        false => {
            let warps = num::ceildiv(num::ceildiv(minor, EACH), WARP);
            (warps * WARP).min(MOST)
        }
    };
    let beside = match (across * 2 <= TARGET, is_short) {
        (false, false) => 1,
        _ => kept.min((TARGET / across).max(1)),
    };
    let vectors = minor / vector;
    let steps = (EACH / vector).max(1).min(num::ceildiv(vectors, across));
    let tile = steps.checked_mul(across).ok_or_else(too_large)?;
    let parts = [
        ("thread_x", across),
        ("thread_y", beside),
        ("block", num::ceildiv(kept, beside)),
        ("block_x", num::ceildiv(vectors, tile)),
        ("step", steps),
        ("major", major),
        ("vector", vector),
    ];
    let along = vec![(0, vector), (3, tile * vector), (4, across * vector), (6, 1)];
    let indices = vec![along, vec![(1, 1), (2, beside)], vec![(5, 1)]];
    walked(walk, &parts, (groups, &indices), 2)
}

fn columns(
    walk: &Walk<'_>,
    groups: &[Group],
    (minor, reduced, major): (i64, i64, i64),
    vector: i64,
) -> Result<Walked, Error> {
    let parts = [
        ("thread_x", WARP),
        ("thread_y", WARP),
        ("block", major),
        ("block_x", num::ceildiv(minor, WARP * vector)),
        ("step", num::ceildiv(reduced, WARP)),
        ("major", 1),
        ("vector", vector),
    ];
    let along = vec![(0, vector), (3, WARP * vector), (6, 1)];
    let indices = vec![along, vec![(1, 1), (4, WARP)], vec![(2, 1)]];
    walked(walk, &parts, (groups, &indices), 2)
}

/// Returns the parts for columns whose minor group divides a warp.
fn narrow(
    walk: &Walk<'_>,
    groups: &[Group],
    (minor, reduced, major): (i64, i64, i64),
    mut vector: i64,
) -> Result<Walked, Error> {
    let mut threads = NARROW;
    let mut rows = vector * threads / minor;
    while rows > WARP && vector % 2 == 0 {
        vector /= 2;
        rows /= 2;
    }
    if rows > WARP {
        threads /= rows / WARP;
    }
    let all = minor.checked_mul(reduced).ok_or_else(too_large)?;
    let parts = [
        ("thread_x", threads),
        ("thread_y", 1),
        ("block", major),
        ("block_x", 1),
        ("step", num::ceildiv(all, threads * vector)),
        ("major", 1),
        ("vector", vector),
    ];
    let both = Group {
        dimensions: groups.iter().take(2).flat_map(|group| group.dimensions.clone()).collect(),
        size: all,
    };
    let mut merged = vec![both];
    merged.extend(
        groups
            .iter()
            .skip(2)
            .map(|group| Group { dimensions: group.dimensions.clone(), size: group.size }),
    );
    let indices = vec![vec![(0, vector), (4, threads * vector), (6, 1)], vec![(2, 1)]];
    walked(walk, &parts, (&merged, &indices), 1)
}

/// Returns the map of these parts; the first `threads` parts number threads and the last is the vector.
fn walked(
    walk: &Walk<'_>,
    parts: &[Part],
    (groups, indices): (&[Group], &[Index]),
    threads: usize,
) -> Result<Walked, Error> {
    let variables = parts.iter().map(|(name, size)| dimension(name, *size));
    let mut domain = Domain::new(variables.collect());
    let map = || -> Result<IndexingMap, ExprError> {
        let mut results = vec![Expr::constant(0); walk.sizes.len()];
        for (group, index) in groups.iter().zip(indices) {
            let term = |(part, factor): &(usize, i64)| (*factor, variable(*part as u32));
            let index_of = Expr::sum(0, index.iter().map(term))?;
            let most = index.iter().try_fold(0_i64, |most, (part, factor)| {
                let last = factor.checked_mul(parts[*part].1 - 1)?;
                most.checked_add(last)
            });
            if most.ok_or(ExprError::Overflow)? >= group.size {
                domain.constrain(&index_of, Interval::of_size(group.size));
            }
            for (dimension, digit) in digits(&index_of, &group.dimensions)? {
                put(&mut results, dimension, digit);
            }
        }
        Ok(IndexingMap::new(domain, results))
    };
    let map = map().map_err(|_| too_large())?;
    // Drops variables with a single value, except threads.
    let fixed = parts.iter().enumerate().skip(threads).filter(|(_, (_, size))| *size == 1);
    let fixed: Vec<usize> = fixed.map(|(place, _)| place).collect();
    let values: Vec<(VariableId, i64)> =
        fixed.iter().map(|place| (VariableId(*place as u32), 0)).collect();
    let map = map.bound(&values).map_err(|_| too_large())?;
    let vector = parts.len() - 1;
    let vector = match fixed.contains(&vector) {
        true => Vec::new(),
        false => vec![VariableId((vector - fixed.len()) as u32)],
    };
    let threads = (0..threads as u32).map(VariableId).collect();
    Ok((map, threads, vector))
}
