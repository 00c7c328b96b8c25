//! Loads, stores and other accesses, over all iterations of the loops around them.

use crate::body::{OrUnknown, Stop, unknown};
use crate::exprs::{Known, checked, counter, map_over};
use crate::index::Index;
use crate::lower::Site;
use crate::outside::outside;
use crate::points::{Count, Points, dims, map_text, said};
use crate::site::{fixed, sizes};
use crate::tree::{Op, Use};
use crate::types::Type;
use crate::view::View;
use crate::views::{Part, through};
use affinor_maps::expr::{Expr, ExprKind};
use affinor_maps::num::{Interval, PLUS_INFINITY};

/// Maximum number of loops around an access.
pub(crate) const MAX_LOOPS: usize = 256;

/// The ops that access buffers, with the number of operands before the buffer.
pub(crate) const ACCESSES: [(&str, usize); 18] = [
    ("affine.load", 0),
    ("affine.prefetch", 0),
    ("affine.store", 1),
    ("affine.vector_load", 0),
    ("affine.vector_store", 1),
    ("memref.atomic_rmw", 1),
    ("memref.generic_atomic_rmw", 0),
    ("memref.load", 0),
    ("memref.store", 1),
    ("vector.compressstore", 0),
    ("vector.expandload", 0),
    ("vector.load", 0),
    ("vector.maskedload", 0),
    ("vector.maskedstore", 0),
    ("vector.store", 1),
    ("vector.transfer_read", 0),
    ("vector.transfer_write", 1),
    ("xtile.insert", 1),
];

/// The ops that are accesses inside loops; outside, they move arrays.
const INNER: [(&str, usize); 6] = [
    ("tensor.extract", 0),
    ("tensor.extract_slice", 0),
    ("tensor.insert", 1),
    ("tensor.insert_slice", 1),
    ("tensor.parallel_insert_slice", 1),
    ("xtile.extract", 0),
];

/// The loops around an op, outermost first.
#[derive(Clone, Default)]
pub(crate) struct Nest {
    /// The maximum trip count of each loop; `None` if only a constraint bounds it.
    pub(crate) counts: Vec<Option<i64>>,
    /// The name of each loop, which no other loop of the function has.
    pub(crate) names: Vec<String>,
    /// Constraints on the points.
    pub(crate) constraints: Vec<(Expr, Interval)>,
    /// Whether some points may not be reached.
    pub(crate) is_bound: bool,
    /// The reason why accesses in the nest are unknown, if they are.
    pub(crate) unknown: Option<String>,
}

/// Returns whether the op writes to its buffer.
pub(crate) fn writes(op: &Op<'_>) -> bool {
    ["store", "write", "insert", "atomic"].iter().any(|word| op.name.contains(word))
}

pub(crate) fn position(op: &Op<'_>) -> Result<usize, Stop> {
    match ACCESSES.iter().chain(&INNER).find(|(name, _)| *name == op.name) {
        Some((_, buffer)) => Ok(*buffer),
        None => unknown("it is not a known access"),
    }
}

/// Returns the indices of an access to a buffer of this rank.
fn indices<'a>(
    site: &mut Site<'_, '_, 'a>,
    index: &mut Index,
    buffer: usize,
    rank: usize,
    op: &Op<'a>,
) -> Result<Vec<Known>, Stop> {
    if let Some(group) = op.groups.first() {
        return Ok(index.each(site, group.start));
    }
    // The generic form has the map as an attribute.
    let map = op.named(&["map"]).map(|range| site.map_of(&range)).transpose()?;
    let count = map.as_ref().map_or(rank, |map| map.domain().variables().len());
    let mut operands = Vec::new();
    for used in op.operands.iter().skip(buffer + 1).take(count) {
        operands.push(index.value(site, used));
    }
    match map {
        None => Ok(operands),
        Some(map) => {
            let operands: Vec<Expr> = operands.into_iter().collect::<Result<_, _>>()?;
            Ok(crate::exprs::of_map(&map, &operands)?.into_iter().map(Ok).collect())
        }
    }
}

/// Returns the type of the elements accessed in one iteration; several elements for a vector.
pub(crate) fn accessed(buffer: &Type, op: &Op<'_>) -> Type {
    let vectors = op.arrow_types.iter().flatten().chain(&op.operand_types);
    // Those of truth values are masks, unless there are no others.
    let vectors = vectors.filter(|ty| ty.text.starts_with("vector"));
    match vectors.min_by_key(|ty| ty.element == "pred" && buffer.element != "pred") {
        Some(vector) => (**vector).clone(),
        None => Type::array_like::<i64>(buffer, &[]),
    }
}

/// Returns the operands after the indices: the padding value and the mask of a transfer, the mask of a store.
fn behind<'o, 'a>(op: &'o Op<'a>, buffer: usize, rank: usize) -> &'o [Use<'a>] {
    let end = op.indices.first().map_or(buffer + 1 + rank, |range| range.end);
    op.operands.get(end..).unwrap_or_default()
}

/// Returns whether a mask may exclude elements.
fn is_masked(op: &Op<'_>, behind: &[Use<'_>]) -> bool {
    match op.short() {
        "transfer_read" => behind.len() > 1,
        "transfer_write" => !behind.is_empty(),
        name => ["masked", "expand", "compress"].iter().any(|word| name.starts_with(word)),
    }
}

/// Returns the reads of other values in place of elements that are outside of the buffer or masked, and of the mask.
fn others(
    site: &Site<'_, '_, '_>,
    index: &Index,
    op: &Op<'_>,
    behind: &[Use<'_>],
    (loops, vector): (usize, std::ops::Range<usize>),
    of_vector: &[i64],
) -> Result<Vec<(usize, Option<String>)>, Stop> {
    let is_within = op.named(&["in_bounds"]).and_then(|range| site.lowering.text.integers(&range));
    let is_padded = is_within.is_none_or(|list| list.contains(&0)) || is_masked(op, behind);
    let mut reads = Vec::new();
    for used in behind.iter().filter(|used| is_padded && !index.is_hidden(used.name)) {
        let Some(value) = site.body.values.get(used.name) else { continue };
        let map = match value.ty.fixed() {
            Some(sizes) if sizes.is_empty() => map_text(loops, &[]),
            Some(sizes) if sizes == of_vector => map_text(loops, &dims(vector.clone())),
            _ => return unknown("its mask has other sizes than its vector"),
        };
        reads.push((value.line, Some(map)));
    }
    Ok(reads)
}

/// Returns the verb for an access: whether it reads or writes its buffer.
fn verb(op: &Op<'_>, is_read: bool) -> &'static str {
    match is_read {
        true => "reads",
        false if op.name.contains("atomic") => "reads and writes",
        false => "writes",
    }
}

/// Says which iteration is outside.
fn said_of(point: &[i64], index: &[i64], ty: &Type) -> String {
    let list = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let at: Vec<String> = point.iter().enumerate().map(|(k, at)| format!("d{k} = {at}")).collect();
    let at = if at.is_empty() { String::new() } else { format!("at {} ", at.join(", ")) };
    let (index, ty) = (list(index), &ty.text);
    format!("{at}the index is ({index}), outside of {ty}; the map leaves such iterations out")
}

pub(crate) fn access_name<'a>(op: &Op<'a>) -> &'a str {
    op.results.first().map_or(op.short(), |result| result.name)
}

/// The points of an access: the iterations of the loops, then the elements of its slice or vector.
struct Space {
    sizes: Vec<Option<i64>>,
    /// Constraints on the points.
    constraints: Vec<(Expr, Interval)>,
}

/// The indices of an access in its view, each known or not, and the sizes of its vector.
type Indexed = (Vec<Result<Expr, Stop>>, Vec<i64>);

/// Returns the indices of an access in its view, each known or not, and the sizes of its vector, which is not indexed yet; the
/// dimensions of a slice are added to the points.
fn indexed<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    op: &'t Op<'a>,
    (buffer, view): (usize, &View),
    space: &mut Space,
) -> Result<Indexed, Stop> {
    if op.name == "memref.copy" {
        let whole: Option<Vec<i64>> = view.sizes.iter().copied().collect();
        let whole = whole.or_unknown(|| "the sizes of the copied buffer are not fixed")?;
        return Ok((whole.iter().map(|_| Ok(Expr::constant(0))).collect(), whole));
    }
    if !op.name.ends_with("_slice") && op.dialect() != "xtile" {
        let indices = indices(site, index, buffer, view.sizes.len(), op)?;
        return Ok((indices, fixed(&accessed(&view.ty, op))?));
    }
    let part = Part::of(site, index, op, buffer + 1)?;
    let ty = match buffer {
        0 => op.arrow_types.as_ref().and_then(|types| types.first()),
        _ => op.operand_types.first(),
    };
    let ty = ty.or_unknown(|| "its type is not stated")?;
    let Space { sizes, constraints } = space;
    let at: Vec<Expr> = (0..ty.sizes.len()).map(|k| counter(sizes.len() + k)).collect();
    let (indices, lengths) = part.indices(ty, &at)?;
    for ((at, size), length) in at.iter().zip(&ty.sizes).zip(&lengths) {
        if size.is_some() {
            sizes.push(*size);
            continue;
        }
        let most = Some(index.range(sizes, length).hi()).filter(|most| *most < PLUS_INFINITY);
        sizes.push(most.map(|most| most.max(0)));
        let all = match length.kind() {
            ExprKind::Min(lengths) => lengths.to_vec(),
            _ => vec![length.clone()],
        };
        for length in all {
            constraints.push((checked(length.sub(at))?, Interval::new(1, PLUS_INFINITY)));
        }
    }
    let known = |index: Option<Expr>| index.or_unknown(|| "an offset is not known");
    Ok((indices.into_iter().map(known).collect(), Vec::new()))
}

/// Adds the elements of a vector of these sizes to the indices, each along its dimension of the buffer, and to the points.
fn along_vector(
    site: &Site<'_, '_, '_>,
    op: &Op<'_>,
    indices: &mut [Result<Expr, Stop>],
    vector: &[i64],
    sizes: &mut Vec<Option<i64>>,
) -> Result<(), Stop> {
    let along = match op.named(&["permutation_map"]) {
        Some(range) => {
            let map = site.map_of(&range)?;
            map.results().iter().map(|result| Some(result.as_variable()?.index())).collect()
        }
        None => {
            let first = indices.len().saturating_sub(vector.len());
            (first..indices.len()).map(Some).collect::<Vec<_>>()
        }
    };
    if along.len() != vector.len() {
        return unknown("its vector and its map differ in rank");
    }
    // A dimension of the vector along no dimension of the buffer repeats the same elements.
    for (dimension, size) in along.into_iter().zip(vector) {
        let result = dimension.and_then(|dimension| indices.get_mut(dimension));
        if let Some(result) = result
            && let Ok(index) = result
        {
            *result = checked(index.add(&counter(sizes.len())));
        }
        sizes.push(Some(*size));
    }
    Ok(())
}

/// Adds an access to the buffer that is this operand, over all iterations of the loops around it; returns its line.
pub(crate) fn access<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    nest: &Nest,
    op: &'t Op<'a>,
    buffer: usize,
) -> Result<usize, Stop> {
    let is_read = !writes(op) && buffer == 0;
    let used = op.operands.get(buffer).or_unknown(|| "its buffer is missing")?;
    let is_copy = op.name == "memref.copy";
    let types = op.operand_types.iter().chain(op.arrow_types.iter().flatten());
    let of_buffer = || types.into_iter().find(|ty| ty.is_buffer()).cloned();
    let ty = if is_copy { op.operand_type(buffer) } else { of_buffer() };
    let view = match std::ptr::eq(op, site.op) && is_read {
        // Outside of loops, it reads the current content of the buffer.
        true => site.operand(buffer).map(|value| View::whole(value.line, value.ty))?,
        false => through(site, index, used, ty, 0)?,
    };
    if let Some(reason) = &nest.unknown {
        return unknown(format!("of a loop around it {reason}"));
    }
    if let (Some(reason), true) = (&view.changed, is_read) {
        return unknown(reason.clone());
    }
    sizes(&view.ty)?;
    let mut space = Space { sizes: nest.counts.clone(), constraints: nest.constraints.clone() };
    let (mut results, of_vector) = indexed(site, index, op, (buffer, &view), &mut space)?;
    along_vector(site, op, &mut results, &of_vector, &mut space.sizes)?;
    let Space { mut sizes, mut constraints } = space;
    if sizes.len() > 2 * MAX_LOOPS - 64 {
        return unknown("its vector has too many dimensions");
    }
    let rank = sizes.len();
    let mut counts: Vec<Count> =
        sizes.iter().map(|count| count.map_or(Count::Open, Count::Fixed)).collect();
    let shape = view.ty.with_sizes(&counts);
    let mut known = Vec::new();
    for index in results {
        known.push(match index {
            Ok(index) => Some(index),
            Err(Stop::Unknown(_)) => None,
            Err(stop) => return Err(stop),
        });
    }
    let is_transfer = op.short().starts_with("transfer_");
    if !view.is_whole() && is_transfer {
        // Outside of the view, nothing is accessed.
        for (index, size) in known.iter().zip(&view.sizes) {
            let size = size.or_unknown(|| "the sizes of the view are not fixed")?;
            constraints.extend(index.clone().map(|index| (index, Interval::of_size(size))));
        }
    }
    // A mask may exclude any element.
    let behind = behind(op, buffer, view.sizes.len());
    let mut is_bound = nest.is_bound || is_masked(op, behind);
    let mut indices = Vec::new();
    for (k, (index, size)) in view.at(&known)?.into_iter().zip(&view.ty.sizes).enumerate() {
        // An unknown index may be any index of its dimension.
        indices.push(index.unwrap_or_else(|| {
            is_bound = true;
            sizes.push(*size);
            counts.push(size.map_or(Count::Size(0, k), Count::Fixed));
            counter(sizes.len() - 1)
        }));
    }
    let known = indices;
    // A transfer has a padding value for elements outside, unless it says that there are none.
    if !is_bound && !is_transfer {
        let array = (&known[..], &view.ty.sizes[..]);
        if let Some((point, index)) = outside(&sizes, &constraints, array) {
            site.lowering.note(op, &said_of(&point, &index, &view.ty));
        }
    }
    let symbols = index.symbols_of(known.iter().chain(constraints.iter().map(|(expr, _)| expr)));
    let map = map_over(&sizes, &known, &constraints, &symbols)?;
    let mut reads = vec![(view.line, Some(said(&map)))];
    reads.extend(index.lines(&symbols).into_iter().map(|line| (line, None)));
    let symbols = (1..reads.len()).collect();
    let mut bounds = if is_bound { vec![0] } else { Vec::new() };
    if is_read && !is_copy {
        let vector = (sizes.len(), rank - of_vector.len()..rank);
        for read in others(site, index, op, behind, vector, &of_vector)? {
            bounds.push(reads.len());
            reads.push(read);
        }
    }
    let result = map_text(counts.len(), &dims(0..rank));
    let access = Some((verb(op, is_read), nest.names.clone()));
    let text = op.name.to_owned();
    site.body.report_assumed(op);
    let points = Points { result, symbols, bounds, access, text, reads, sizes: counts };
    let name = access_name(op);
    let attributes = points.attributes("memref.access");
    Ok(site.body.push(name, &shape, "custom-call", &points.operands(), &attributes, op))
}
