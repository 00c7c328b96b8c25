//! Loop nests, and the elements that their loads and stores access over all iterations.
//!
//! Law: dimension `k` of an access counts the iterations of the loop at depth `k`, from 0, and the map leads from there to the
//! element. If the trip count of a loop depends on the outer loops, the map has constraints. Values that are loaded, stored or
//! loop-carried are not followed: the result of a loop is unknown. Source: MLIR, *affine dialect*, *scf dialect*.

use crate::body::{OrUnknown, Stop, unknown};
use crate::bounds::Bounds;
use crate::index::{Index, Known, checked, counter};
use crate::lower::{Site, captures};
use crate::points::{Count, Points, map_text, said};
use crate::site::fixed;
use crate::tree::{Op, Region};
use crate::types::Type;
use affinor::expr::Expr;
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, ceildiv};
use rustc_hash::FxHashSet;
use std::rc::Rc;

type Done = Result<(), Stop>;

/// The ops that are loops.
pub(crate) const LOOPS: [&str; 5] =
    ["affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel"];

/// The ops that access buffers, with the number of operands before the buffer.
pub(crate) const ACCESSES: [(&str, usize); 11] = [
    ("affine.load", 0),
    ("affine.prefetch", 0),
    ("affine.store", 1),
    ("affine.vector_load", 0),
    ("affine.vector_store", 1),
    ("memref.load", 0),
    ("memref.store", 1),
    ("vector.load", 0),
    ("vector.store", 1),
    ("vector.transfer_read", 0),
    ("vector.transfer_write", 1),
];

/// The loops around an op, outermost first.
#[derive(Clone, Default)]
struct Nest {
    /// The maximum trip count of each loop; `None` if only a constraint bounds it.
    counts: Vec<Option<i64>>,
    /// Constraints on the points.
    constraints: Vec<(Expr, Interval)>,
    /// Whether some points may not be reached.
    is_bound: bool,
    /// The reason why accesses in the nest are unknown, if they are.
    unknown: Option<String>,
}

/// Lowers a loop, with all ops in it.
pub(crate) fn nest(site: &mut Site<'_, '_, '_>) -> Done {
    let mut index = Index::default();
    let op = site.op;
    around(site, &mut index, &Nest::default(), op)?;
    carried(site)
}

/// Defines the results of a loop: each depends at most on all operands and all captured values.
fn carried(site: &mut Site<'_, '_, '_>) -> Done {
    let op = site.op;
    if op.results.is_empty() {
        return Ok(());
    }
    let mut used = captures(&op.regions);
    used.retain(|used| site.body.values.contains_key(used.name));
    // The buffers after the loop may contain anything that is used inside.
    let mut values = site.operands.clone();
    values.extend(site.body.uses(&used, op)?);
    let mut seen = FxHashSet::default();
    values.retain(|value| seen.insert(value.line));
    if values.iter().any(|value| !value.ty.is_array()) {
        return unknown("what a loop computes of values that are no arrays is not followed");
    }
    let names: Vec<_> = op.result_names().collect();
    for ((name, key, _), ty) in names.into_iter().zip(op.result_types()?) {
        let of_result = crate::site::sizes(&ty)?;
        let mut counts: Vec<Count> =
            of_result.iter().map(|size| size.map_or(Count::Open, Count::Fixed)).collect();
        let mut places = Vec::new();
        for (k, value) in values.iter().enumerate() {
            let first = counts.len();
            counts.extend(Count::of_operand(k, &value.ty.sizes));
            places.push((value.line, first..counts.len()));
        }
        let along = |range: std::ops::Range<usize>| -> String {
            let indices: Vec<String> = range.map(|k| format!("d{k}")).collect();
            map_text(counts.len(), &indices)
        };
        let points = Points {
            result: along(0..of_result.len()),
            reads: places.into_iter().map(|(line, range)| (line, Some(along(range)))).collect(),
            bounds: (0..values.len()).collect(),
            text: op.name.to_owned(),
            sizes: counts,
            ..Points::default()
        };
        let attributes = points.attributes("memref.access");
        let operands = points.operands();
        let line = site.body.push(&name, &ty.shape, "custom-call", &operands, &attributes, op);
        site.body.define(&key, line, ty);
    }
    Ok(())
}

/// Lowers an access outside of loops, whose value is followed.
pub(crate) fn single(site: &mut Site<'_, '_, '_>) -> Done {
    let op = site.op;
    let is_value = op.operand_types.iter().any(|ty| ty.text.starts_with("tensor"));
    if position(op)? > 0 && is_value {
        return unknown("an array that is written into is not followed");
    }
    let line = access(site, &mut Index::default(), &Nest::default(), op)?;
    let buffer = position(op)?;
    if buffer == 0 {
        let ty = accessed(site.operand(0)?.ty.as_ref(), op);
        site.define(line, Rc::new(ty));
    } else {
        site.body.is_written = true;
    }
    Ok(())
}

fn position(op: &Op<'_>) -> Result<usize, Stop> {
    match ACCESSES.iter().find(|(name, _)| *name == op.name) {
        Some((_, buffer)) => Ok(*buffer),
        None => unknown("it is no access that is known"),
    }
}

/// Lowers the loop `op` inside of `nest`.
fn around<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    nest: &Nest,
    op: &'t Op<'a>,
) -> Done {
    let mut inner = nest.clone();
    index.hide(op);
    if let Err(Stop::Unknown(reason)) = entered(site, index, &mut inner, op) {
        inner.unknown = Some(reason);
    }
    op.regions.iter().try_for_each(|region| inside(site, index, &inner, region))
}

fn inside<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    nest: &Nest,
    region: &'t Region<'a>,
) -> Done {
    for op in &region.ops {
        if LOOPS.contains(&op.name) {
            around(site, index, nest, op)?;
        } else if ACCESSES.iter().any(|(name, _)| *name == op.name) {
            site.body.is_written |= position(op)? > 0;
            index.hide(op);
            if let Err(Stop::Unknown(reason)) = access(site, index, nest, op) {
                unfollowed(site, index, op, &reason);
            }
        } else if matches!(op.name, "affine.if" | "scf.if") {
            // It is not determined which iterations reach these regions.
            let bound = Nest { is_bound: true, ..nest.clone() };
            index.hide(op);
            op.regions.iter().try_for_each(|region| inside(site, index, &bound, region))?;
        } else if !index.define(site, op) && !op.is_return() {
            index.hide(op);
            let is_computed = ["arith.", "math.", "index."].iter().any(|d| op.name.starts_with(d));
            if !is_computed || !op.regions.is_empty() {
                unfollowed(site, index, op, "inside of a loop it is not followed");
                site.body.is_written = true;
            }
        }
    }
    Ok(())
}

/// Adds an instruction of unknown operation for an op in a loop, with the captured values that it uses as operands.
fn unfollowed<'a>(site: &mut Site<'_, '_, 'a>, index: &Index, op: &Op<'a>, reason: &str) {
    site.lowering.note(op, reason);
    let mut lines = Vec::new();
    for (k, used) in op.operands.iter().enumerate() {
        let value = index.outside(site, used, op.operand_type(k));
        lines.extend(value.ok().map(|value| value.line));
    }
    let is_access = position(op).is_ok();
    let ty = match is_access {
        true => op.operand_types.iter().find(|ty| ty.is_buffer()).map(|ty| accessed(ty, op).shape),
        false => op.result_types().ok().and_then(|types| Some(types.first()?.shape.clone())),
    };
    let shape = ty.unwrap_or_else(|| Type::unstated().shape);
    site.body.push(access_name(op), &shape, op.name, &lines, "", op);
}

/// Adds the loops of `op` to `nest`, and its variables to `index`.
fn entered<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    nest: &mut Nest,
    op: &'t Op<'a>,
) -> Done {
    let region = op.regions.first().or_unknown(|| "it has no region")?;
    let Bounds { lower, upper, steps } = Bounds::of(site, index, op)?;
    let names = region.arguments.get(..lower.len());
    let names = names.or_unknown(|| "its variables are not read")?;
    if steps.len() != lower.len() || upper.len() != lower.len() || lower.is_empty() {
        return unknown("its bounds are not read");
    }
    if steps.iter().any(|step| *step < 1) {
        return unknown("its step is not a known positive number");
    }
    for (k, argument) in names.iter().enumerate() {
        one(index, nest, argument.name, (&lower[k], &upper[k]), steps[k])?;
    }
    Ok(())
}

/// Adds one loop: `max(lower..) <= variable < min(upper..)`.
fn one(
    index: &mut Index,
    nest: &mut Nest,
    name: &str,
    (lower, upper): (&[Expr], &[Expr]),
    step: i64,
) -> Done {
    let ranges = |exprs: &[Expr]| -> Vec<Interval> {
        exprs.iter().map(|expr| Index::range(&nest.counts, expr)).collect()
    };
    let least = ranges(lower).iter().map(|range| range.lo()).max();
    let most = ranges(upper).iter().map(|range| range.hi()).min();
    let ends =
        least.zip(most).filter(|(least, most)| *least > MINUS_INFINITY && *most < PLUS_INFINITY);
    let span = ends.and_then(|(least, most)| most.checked_sub(least));
    let start = match (lower, least.filter(|least| *least > MINUS_INFINITY)) {
        ([one], _) => one.clone(),
        (_, Some(least)) if step == 1 => Expr::constant(least),
        _ => return unknown(format!("where the loop over `%{name}` begins is not known")),
    };
    let counted = counter(nest.counts.len()).scale(step).and_then(|counted| counted.add(&start));
    let value = checked(counted)?;
    nest.counts.push(span.map(|span| ceildiv(span.max(0), step)));
    let from = |low: i64| Interval::new(low, PLUS_INFINITY);
    if lower.len() > 1 {
        for lower in lower {
            nest.constraints.push((checked(value.sub(lower))?, from(0)));
        }
    }
    if lower.iter().chain(upper).any(|bound| bound.as_constant().is_none()) {
        for upper in upper {
            nest.constraints.push((checked(upper.sub(&value))?, from(1)));
        }
    }
    index.set(name, value);
    Ok(())
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
            Ok(crate::index::of_map(&map, &operands)?.into_iter().map(Ok).collect())
        }
    }
}

/// Returns the type of the elements accessed in one iteration; several elements for a vector.
fn accessed(buffer: &Type, op: &Op<'_>) -> Type {
    let vector = op.operand_types.iter().find(|ty| ty.text.starts_with("vector"));
    match vector {
        Some(vector) => (**vector).clone(),
        None => Type::array_like::<i64>(buffer, &[]),
    }
}

/// Returns the padding value for elements of a vector outside of the buffer; `None` if the vector is always inside.
fn padding(site: &Site<'_, '_, '_>, op: &Op<'_>) -> Option<usize> {
    let is_within = op.named(&["in_bounds"]).and_then(|range| site.lowering.text.integers(&range));
    let is_padded = is_within.is_none_or(|list| list.contains(&0));
    let used = op.operands.last().filter(|_| op.name == "vector.transfer_read" && is_padded)?;
    site.body
        .values
        .get(used.name)
        .filter(|value| value.ty.sizes.is_empty())
        .map(|value| value.line)
}

fn access_name<'a>(op: &Op<'a>) -> &'a str {
    op.results.first().map_or(op.short(), |result| result.name)
}

/// Adds an access, over all iterations of the loops around it; returns its line.
fn access<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    nest: &Nest,
    op: &'t Op<'a>,
) -> Result<usize, Stop> {
    let buffer = position(op)?;
    let used = op.operands.get(buffer).or_unknown(|| "its buffer is missing")?;
    let ty = op.operand_types.iter().find(|ty| ty.is_buffer()).cloned();
    let value = match std::ptr::eq(op, site.op) {
        // Outside of loops, it reads the current content of the buffer.
        true => site.operand(buffer)?,
        false => index.outside(site, used, ty)?,
    };
    if let Some(reason) = &nest.unknown {
        return unknown(format!("of a loop around it {reason}"));
    }
    let element = accessed(&value.ty, op);
    let mut sizes = nest.counts.clone();
    let mut results = indices(site, index, buffer, value.ty.sizes.len(), op)?;
    let of_buffer = crate::site::sizes(&value.ty)?;
    let of_vector = fixed(&element)?;
    let along = match op.named(&["permutation_map"]) {
        Some(range) => {
            let map = site.map_of(&range)?;
            map.results().iter().map(|result| Some(result.as_variable()?.index())).collect()
        }
        None => {
            let first = results.len().saturating_sub(of_vector.len());
            (first..results.len()).map(Some).collect::<Vec<_>>()
        }
    };
    if along.len() != of_vector.len() {
        return unknown("its vector has another rank than its map");
    }
    // A dimension of the vector along no dimension of the buffer repeats the same elements.
    for (dimension, size) in along.into_iter().zip(&of_vector) {
        let result = dimension.and_then(|dimension| results.get_mut(dimension));
        if let Some(result) = result
            && let Ok(index) = result
        {
            *result = checked(index.add(&counter(sizes.len())));
        }
        sizes.push(Some(*size));
    }
    // An unknown index may be any index of its dimension.
    let rank = sizes.len();
    let mut counts: Vec<Count> =
        sizes.iter().map(|count| count.map_or(Count::Open, Count::Fixed)).collect();
    let shape = value.ty.with_sizes(&counts);
    let mut known = Vec::new();
    let mut is_bound = nest.is_bound;
    for (k, index) in results.into_iter().enumerate() {
        known.push(match (index, of_buffer.get(k)) {
            (Ok(index), _) => index,
            (Err(Stop::Unknown(_)), Some(size)) => {
                is_bound = true;
                sizes.push(*size);
                counts.push(size.map_or(Count::Size(0, k), Count::Fixed));
                counter(sizes.len() - 1)
            }
            (Err(stop), _) => return Err(stop),
        });
    }
    let (map, symbols) = index.map(&sizes, &known, &nest.constraints)?;
    let mut reads = vec![(value.line, Some(said(&map)))];
    reads.extend(symbols.iter().map(|line| (*line, None)));
    let symbols = (1..reads.len()).collect();
    let mut bounds = if is_bound { vec![0] } else { Vec::new() };
    if let Some(padding) = padding(site, op) {
        bounds.push(reads.len());
        reads.push((padding, Some(map_text(sizes.len(), &[]))));
    }
    let own: Vec<String> = (0..rank).map(|k| format!("d{k}")).collect();
    let result = map_text(counts.len(), &own);
    let points = Points { result, symbols, bounds, text: op.name.to_owned(), reads, sizes: counts };
    let name = access_name(op);
    let attributes = points.attributes("memref.access");
    Ok(site.body.push(name, &shape, "custom-call", &points.operands(), &attributes, op))
}
