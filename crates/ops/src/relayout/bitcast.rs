//! Queries about two layouts: is a reshape or a transpose between them a bitcast, and with which map?
//!
//! Law: an op from `from` to `to` with the map `m` (from indices of `to` to indices of `from`) is a bitcast exactly if both
//! have as many positions of as many bits in the same memory space, and each element `d` of `to` has the position of element
//! `m(d)` of `from`. Padding may hold anything.

use super::{listed, map_of};
use affinor::expr::IndexingMap;
use affinor::prove::{Budget, Reason, Verdict, equal_functions};
use affinor::text::{Error, ErrorKind};
use affinor_layout::memory::Placement;

/// An element at a different position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misplaced {
    /// The index of the element in the result.
    pub element: Vec<i64>,
    /// The position of the element in the result.
    pub position: i64,
    /// The index of the source element in the operand.
    pub source: Vec<i64>,
    /// The position of the source element in the operand.
    pub source_position: i64,
}

/// A transpose between two shapes, with a verdict on whether it is a bitcast.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transposition {
    /// The attribute `dimensions` of the op.
    pub dimensions: Vec<usize>,
    /// Whether it is a bitcast.
    pub verdict: Verdict<Misplaced>,
}

/// The candidate bitcasts between two shapes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bitcast {
    /// Whether both shapes have the [`same_extent`]. If not, no op between them is a bitcast.
    pub same_extent: bool,
    /// The reshape; `None` if the numbers of elements differ.
    pub reshape: Option<Verdict<Misplaced>>,
    /// Transposes other than the identity; the one that preserves the memory order first. At most `MOST_TRANSPOSES` are tried.
    pub transposes: Vec<Transposition>,
}

/// Maximum number of transposes per query.
pub const MOST_TRANSPOSES: usize = 24;

/// Decides whether the reshape, and each transpose, from `from` to `to` is a bitcast.
///
/// # Errors
/// Kind `overflow` if a map is not representable; [`check_unsplit`].
pub fn bitcast(from: &Placement, to: &Placement, budget: &Budget) -> Result<Bitcast, Error> {
    check_unsplit(from, to)?;
    let reshape = match from.elements() == to.elements() {
        false => None,
        true => {
            let map = op_map(from, to, "reshape(p)")?;
            Some(op_keeps_positions(&map, from, to, budget)?)
        }
    };
    let mut transposes = Vec::new();
    for dimensions in permutations(from, to) {
        let op = format!("transpose(p), dimensions={{{}}}", listed(&dimensions));
        let map = op_map(from, to, &op)?;
        transposes.push(Transposition {
            verdict: op_keeps_positions(&map, from, to, budget)?,
            dimensions,
        });
    }
    Ok(Bitcast { same_extent: same_extent(from, to), reshape, transposes })
}

/// Returns the map of a bitcast: from the indices of `to` to the element of `from` at the same position, undefined
/// where that is padding. Not simplified. `None` if the positions differ in number or width.
///
/// # Errors
/// Kind `overflow` if a map is not representable.
pub fn bitcast_map(from: &Placement, to: &Placement) -> Result<Option<IndexingMap>, Error> {
    if !same_extent(from, to) {
        return Ok(None);
    }
    let map = to.position().then(from.element());
    map.map(Some).map_err(|error| {
        let message = format!("the map of the bitcast cannot be written: {error}");
        Error::without_span(ErrorKind::Overflow, message)
    })
}

/// Returns whether both placements have equally many positions of equally many bits, in the same memory space.
#[must_use]
pub fn same_extent(from: &Placement, to: &Placement) -> bool {
    let space = |placement: &Placement| placement.shape().layout().memory_space();
    from.positions() == to.positions()
        && from.bits_per_position() == to.bits_per_position()
        && space(from) == space(to)
}

/// Checks that neither array is split between memories: positions then do not determine the location of elements.
///
/// # Errors
/// Kind `shape`.
pub fn check_unsplit(from: &Placement, to: &Placement) -> Result<(), Error> {
    let is_split = |placement: &&Placement| !placement.shape().layout().splits().is_empty();
    match [from, to].iter().any(is_split) {
        true => {
            let message = "bitcasts of an array that is split between memories are not decided";
            Err(Error::without_span(ErrorKind::Shape, message))
        }
        false => Ok(()),
    }
}

/// Returns the sizes of the result of a transpose.
#[must_use]
pub fn transposed_sizes(sizes: &[i64], dimensions: &[usize]) -> Vec<i64> {
    dimensions.iter().map(|d| sizes[*d]).collect()
}

fn op_map(from: &Placement, to: &Placement, op: &str) -> Result<Option<IndexingMap>, Error> {
    if from.elements() == 0 {
        return Ok(None);
    }
    let element_type = from.shape().element_type();
    let (from, to) = (listed(from.sizes()), listed(to.sizes()));
    map_of(&format!("p = {element_type}[{from}] parameter(0)\nresult = {element_type}[{to}] {op}"))
        .map(Some)
}

/// Calls [`keeps_positions`] for the map of an op. Without a map there are no elements, so the answer is proved.
fn op_keeps_positions(
    map: &Option<IndexingMap>,
    from: &Placement,
    to: &Placement,
    budget: &Budget,
) -> Result<Verdict<Misplaced>, Error> {
    match map {
        Some(map) => keeps_positions(map, from, to, budget),
        None => Ok(Verdict::Proved),
    }
}

/// Decides whether each element of `to` has the position of the element of `from` to which the map of an op sends it.
///
/// # Errors
/// Kind `arity` if `map` does not map each index of `to` to one index of `from`; [`check_unsplit`].
pub fn keeps_positions(
    map: &IndexingMap,
    from: &Placement,
    to: &Placement,
    budget: &Budget,
) -> Result<Verdict<Misplaced>, Error> {
    check_unsplit(from, to)?;
    let Ok(read) = map.then(from.position()) else {
        return Ok(Verdict::Unknown(Reason::Overflow));
    };
    Ok(match equal_functions(to.position(), &read, budget)? {
        Verdict::Proved => Verdict::Proved,
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
        Verdict::Refuted(found) => {
            let single = |results: Option<Vec<i64>>| results.and_then(|r| r.first().copied());
            let source = map.eval(&found.point);
            match (single(found.left), single(found.right), source) {
                (Some(position), Some(source_position), Ok(source)) => {
                    Verdict::Refuted(Misplaced {
                        element: found.point,
                        position,
                        source,
                        source_position,
                    })
                }
                _ => Verdict::Unknown(Reason::Overflow),
            }
        }
    })
}

/// Returns the transposes from `from` to `to` other than the identity; the one that keeps the order of the dimensions in
/// memory comes first.
fn permutations(from: &Placement, to: &Placement) -> Vec<Vec<usize>> {
    let rank = from.sizes().len();
    if rank != to.sizes().len() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut in_order = vec![0; rank];
    let orders = [to, from].map(|placement| placement.shape().layout().minor_to_major());
    for (result, operand) in orders[0].iter().zip(orders[1]) {
        in_order[*result] = *operand;
    }
    let fits = |dimensions: &[usize]| transposed_sizes(from.sizes(), dimensions) == to.sizes();
    if fits(&in_order) && !in_order.is_sorted() {
        found.push(in_order);
    }
    let mut pending = vec![Vec::new()];
    while let Some(start) = pending.pop() {
        if found.len() >= MOST_TRANSPOSES {
            break;
        }
        if start.len() == rank {
            if !start.is_sorted() && !found.contains(&start) {
                found.push(start);
            }
            continue;
        }
        let size = to.sizes()[start.len()];
        let next = (0..rank).rev().filter(|d| from.sizes()[*d] == size);
        for dimension in next.filter(|d| !start.contains(d)) {
            pending.push([start.as_slice(), &[dimension]].concat());
        }
    }
    found
}
