//! Nests of loops, and which elements the loads and stores in them touch over all iterations.
//!
//! Law: dimension `k` of an access counts the iterations of the loop at depth `k`, from 0, and the map leads from there to the element.
//! Where a loop runs less often for some values of the outer ones, the map has constraints. Values that are loaded, stored or carried
//! are not followed: the result of a loop is unknown. Source: MLIR, *affine dialect*, *scf dialect*.

use crate::body::{OrUnknown, Stop, unknown};
use crate::index::{Index, checked, counter};
use crate::lower::Site;
use crate::points::{Points, identity, map_text, said};
use crate::token::{Range, Token};
use crate::tree::{Op, Region};
use crate::types::Type;
use affinor::expr::Expr;
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, ceildiv};
use std::rc::Rc;

type Done = Result<(), Stop>;

/// The ops that are loops.
pub(crate) const LOOPS: [&str; 5] =
    ["affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel"];

/// The accesses, and how many values stand in front of the buffer.
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

/// Loops around an op, outermost first.
#[derive(Clone, Default)]
struct Nest {
    /// At most how often each runs.
    counts: Vec<i64>,
    /// Constraints on the points.
    constraints: Vec<(Expr, Interval)>,
    /// Some may not be reached.
    is_bound: bool,
    /// The reason why the accesses in it are unknown, if they are.
    unknown: Option<String>,
}

/// A loop, with all ops in it.
pub(crate) fn nest(site: &mut Site<'_, '_, '_>) -> Done {
    let mut index = Index::default();
    let op = site.op;
    around(site, &mut index, &Nest::default(), op)?;
    match op.results.is_empty() {
        true => Ok(()),
        false => unknown("what a loop computes is not followed"),
    }
}

/// An access outside of loops, whose value is followed.
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

/// The loop `op` inside of `nest`.
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
            // Which iterations get there is not looked at.
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

/// Adds an instruction of an unknown operation in the place of an op in a loop, with the values from outside that it uses.
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
    let tokens = &site.lowering.text.tokens;
    let end = op.tokens.clone().find(|at| tokens.is(*at, "{")).unwrap_or(op.tokens.end);
    let mut at = op.tokens.start;
    let many = tokens.get(at) == Some(Token::OpenParenthesis);
    let variables = if many { tokens.inside(at).len().div_ceil(2) } else { 1 };
    let names = region.arguments.get(..variables).or_unknown(|| "its variables are not read")?;
    at = tokens.behind(at);
    let (mut lower, mut upper, mut steps) = (Vec::new(), Vec::new(), vec![1; variables]);
    let (to, step) = (find(site, at..end, "to"), find(site, at..end, "step"));
    if let Some(to) = to {
        lower = bounds(site, index, at + 1..to, many)?;
        upper = bounds(site, index, to + 1..step.unwrap_or(end), many)?;
    } else if tokens.is(at, "in") {
        upper = bounds(site, index, at + 1..end, many)?;
        lower = vec![vec![Expr::constant(0)]; upper.len()];
    }
    if let Some(step) = step {
        let given = bounds(site, index, step + 1..end, many)?;
        steps.clear();
        for step in given {
            match step.first().and_then(Expr::as_constant).filter(|step| *step > 0) {
                Some(step) => steps.push(step),
                None => return unknown("its step is not a known positive number"),
            }
        }
    }
    if [lower.len(), upper.len(), steps.len()] != [variables; 3] {
        return unknown("its bounds are not read");
    }
    for (k, argument) in names.iter().enumerate() {
        one(index, nest, argument.name, (&lower[k], &upper[k]), steps[k])?;
    }
    Ok(())
}

/// One loop: `max(lower..) <= variable < min(upper..)`.
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
    let span = ends
        .and_then(|(least, most)| most.checked_sub(least))
        .or_unknown(|| format!("how often the loop over `%{name}` runs is not known"))?;
    let start = match lower {
        [one] => one.clone(),
        _ if step == 1 => Expr::constant(least.unwrap_or(0)),
        _ => return unknown("it has several lower bounds, and a step"),
    };
    let counted = counter(nest.counts.len()).scale(step).and_then(|counted| counted.add(&start));
    let value = checked(counted)?;
    nest.counts.push(ceildiv(span.max(0), step));
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

/// Where a word stands outside of brackets.
fn find(site: &Site<'_, '_, '_>, range: Range, word: &str) -> Option<usize> {
    let tokens = &site.lowering.text.tokens;
    let mut at = range.start;
    while at < range.end {
        if tokens.is(at, word) {
            return Some(at);
        }
        at = tokens.behind(at);
    }
    None
}

/// The bounds of each loop, of which the largest or the smallest counts.
fn bounds(
    site: &mut Site<'_, '_, '_>,
    index: &mut Index,
    range: Range,
    many: bool,
) -> Result<Vec<Vec<Expr>>, Stop> {
    let tokens = &site.lowering.text.tokens;
    if many {
        let items = tokens.list(tokens.inside(range.start));
        return items
            .into_iter()
            .map(|item| match tokens.is(item.start, "max") || tokens.is(item.start, "min") {
                true => {
                    let parts = tokens.list(tokens.inside(item.start + 1));
                    parts.into_iter().map(|part| index.inline(site, part)).collect()
                }
                false => Ok(vec![index.inline(site, item)?]),
            })
            .collect();
    }
    let extreme = ["max", "min"].iter().any(|word| tokens.is(range.start, word));
    let start = range.start + usize::from(extreme);
    Ok(vec![match tokens.get(start) {
        Some(Token::Integer | Token::Value) => vec![index.inline(site, start..start + 1)?],
        _ => index.applied(site, start)?,
    }])
}

/// The elements that one access has in an iteration: of vectors several.
fn accessed(buffer: &Type, op: &Op<'_>) -> Type {
    let vector = op.operand_types.iter().find(|ty| ty.text.starts_with("vector"));
    match vector {
        Some(vector) => (**vector).clone(),
        None => Type::array_like(buffer, &[]),
    }
}

/// The value that a vector has where it lies outside of the buffer; none if it never does.
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

/// An access, over all iterations of the loops around it; its line.
fn access<'t, 'a>(
    site: &mut Site<'_, 't, 'a>,
    index: &mut Index,
    nest: &Nest,
    op: &'t Op<'a>,
) -> Result<usize, Stop> {
    let buffer = position(op)?;
    let (Some(used), Some(group)) = (op.operands.get(buffer), op.groups.first()) else {
        return unknown("its buffer or its indices are missing");
    };
    let ty = op.operand_types.iter().find(|ty| ty.is_buffer()).cloned();
    let value = match std::ptr::eq(op, site.op) {
        // By itself it reads the present content of the buffer.
        true => site.operand(buffer)?,
        false => index.outside(site, used, ty)?,
    };
    if let Some(reason) = &nest.unknown {
        return unknown(format!("of a loop around it {reason}"));
    }
    let mut results = index.list(site, group.start)?;
    let element = accessed(&value.ty, op);
    let mut sizes = nest.counts.clone();
    let of_vector = crate::site::fixed(&element)?;
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
    // A dimension of the vector that is along none of the buffer repeats the same elements.
    for (dimension, size) in along.into_iter().zip(&of_vector) {
        if let Some(result) = dimension.and_then(|dimension| results.get_mut(dimension)) {
            *result = checked(result.add(&counter(sizes.len())))?;
        }
        sizes.push(*size);
    }
    crate::site::fixed(&value.ty)?;
    let (map, symbols) = index.map(&sizes, &results, &nest.constraints)?;
    let mut reads = vec![(value.line, Some(said(&map)))];
    reads.extend(symbols.iter().map(|line| (*line, None)));
    let symbols = (1..reads.len()).collect();
    let mut bounds = if nest.is_bound { vec![0] } else { Vec::new() };
    if let Some(padding) = padding(site, op) {
        bounds.push(reads.len());
        reads.push((padding, Some(map_text(sizes.len(), &[]))));
    }
    let points = Points {
        result: identity(sizes.len()),
        symbols,
        bounds,
        text: op.name.to_owned(),
        reads,
        sizes,
    };
    let name = access_name(op);
    let shape = Type::array_like(&value.ty, &points.sizes).shape;
    let attributes = points.attributes("memref.access");
    Ok(site.body.push(name, &shape, "custom-call", &points.operands(), &attributes, op))
}
