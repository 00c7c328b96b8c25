//! Ops that move elements. Each obeys the law stated in the file of `indexing` of the same name.

use super::facts::Facts;
use super::op::{NamedOp, NamedReads, invalid, unwritable};
use super::over::MapOver;
use affinor::expr::{End, Expr, IndexingMap};
use affinor::num::Interval;
use affinor::text::Error;
use affinor_hlo::attribute::PaddingDimension;
use affinor_hlo::opcode::Opcode;

/// Returns the answer for an op that reads each operand through one map.
fn each(
    sizes: Vec<Expr>,
    maps: impl IntoIterator<Item = Result<IndexingMap, Error>>,
) -> Result<NamedReads, Error> {
    let maps: Result<Vec<IndexingMap>, Error> = maps.into_iter().collect();
    let maps = maps?.into_iter().enumerate().collect();
    Ok(NamedReads { sizes, maps })
}

/// Returns the sizes of operand `k`.
pub(super) fn operand<'a>(op: &NamedOp<'a>, k: usize) -> Result<&'a [Expr], Error> {
    let sizes = op.operands.get(k).map(Vec::as_slice);
    sizes.ok_or_else(|| invalid(format!("operand {k} is missing")))
}

/// Returns the sizes of the result: the given ones, which must equal `implied`, or else `implied`.
pub(super) fn result(
    op: &NamedOp<'_>,
    facts: &mut Facts<'_>,
    implied: Vec<Expr>,
) -> Result<Vec<Expr>, Error> {
    match op.result {
        None => Ok(implied),
        Some(given) => {
            require_equal(facts, given, &implied, "the result")?;
            Ok(given.to_vec())
        }
    }
}

/// Requires two lists of sizes to be equal; `what` describes the owner of the first list.
pub(super) fn require_equal(
    facts: &mut Facts<'_>,
    found: &[Expr],
    implied: &[Expr],
    what: &str,
) -> Result<(), Error> {
    if found.len() != implied.len() {
        return Err(invalid(format!(
            "expected {} dimension(s) for {what}, found {}",
            implied.len(),
            found.len()
        )));
    }
    for (k, (x, y)) in found.iter().zip(implied).enumerate() {
        facts.require_equal(x, y, &format!("dimension {k} of {what}"))?;
    }
    Ok(())
}

fn given<'a>(op: &NamedOp<'a>) -> Result<&'a [Expr], Error> {
    let message = || {
        invalid(format!("`{}` needs `-> SHAPE`", op.opcode))
            .hint(format!("nothing else says how large the result of `{}` is", op.opcode))
    };
    op.result.ok_or_else(message)
}

/// Returns the reads of an elementwise op. Each operand has the result's sizes; the predicate of a select and the bounds of a
/// clamp may be scalars.
pub(super) fn pointwise(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let scalars: &[usize] = match op.opcode {
        Opcode::Clamp => &[0, 2],
        Opcode::Select => &[0],
        _ => &[],
    };
    let is_scalar = |k: usize| scalars.contains(&k) && op.operands[k].is_empty();
    let full = (0..op.operands.len()).find(|k| !is_scalar(*k)).unwrap_or(0);
    let sizes = result(op, facts, operand(op, full)?.to_vec())?;
    for (k, operand) in op.operands.iter().enumerate() {
        if !is_scalar(k) {
            require_equal(facts, operand, &sizes, &format!("operand {k}"))?;
        }
    }
    let maps = (0..op.operands.len()).map(|k| {
        let map = MapOver::new(facts, &sizes, &[])?;
        let results = match is_scalar(k) {
            true => Vec::new(),
            false => map.dimensions(),
        };
        Ok(map.finish(results))
    });
    let maps: Vec<Result<IndexingMap, Error>> = maps.collect();
    each(sizes, maps)
}

/// An iota reads nothing.
pub(super) fn iota(op: &NamedOp<'_>) -> Result<NamedReads, Error> {
    let sizes = given(op)?.to_vec();
    let maps = Vec::new();
    Ok(NamedReads { sizes, maps })
}

pub(super) fn transpose(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let operand = operand(op, 0)?;
    let order = op.instruction.dimensions(operand.len())?;
    if order.len() != operand.len() {
        return Err(invalid(format!(
            "transpose orders {} dimension(s) of an operand of rank {}",
            order.len(),
            operand.len()
        )));
    }
    let sizes = order.iter().map(|k| operand[*k].clone()).collect();
    let sizes = result(op, facts, sizes)?;
    let map = MapOver::new(facts, &sizes, &[])?;
    let mut results = map.dimensions();
    for (index, k) in map.dimensions().into_iter().zip(&order) {
        results[*k] = index;
    }
    each(sizes, [Ok(map.finish(results))])
}

pub(super) fn reverse(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let operand = operand(op, 0)?;
    let reversed = op.instruction.dimensions(operand.len())?;
    let sizes = result(op, facts, operand.to_vec())?;
    let map = MapOver::new(facts, &sizes, &[])?;
    let mut results = map.dimensions();
    for k in reversed {
        let last = map.size(&sizes[k])?.add(&Expr::constant(-1));
        results[k] = last.and_then(|last| last.sub(&results[k])).map_err(unwritable)?;
    }
    each(sizes, [Ok(map.finish(results))])
}

pub(super) fn broadcast(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let (operand, sizes) = (operand(op, 0)?, given(op)?);
    let dimensions = match operand.is_empty() {
        true => op.instruction.optional_dimensions("dimensions", sizes.len())?,
        false => op.instruction.dimensions(sizes.len())?,
    };
    let kept: Vec<Expr> = dimensions.iter().map(|k| sizes[*k].clone()).collect();
    require_equal(facts, operand, &kept, "the operand")?;
    let map = MapOver::new(facts, sizes, &[])?;
    let indices = map.dimensions();
    let results = dimensions.iter().map(|k| indices[*k].clone()).collect();
    each(sizes.to_vec(), [Ok(map.finish(results))])
}

pub(super) fn slice(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let operand = operand(op, 0)?;
    if op.slices.len() != operand.len() {
        return Err(invalid(format!(
            "slice has {} interval(s) for an operand of rank {}",
            op.slices.len(),
            operand.len()
        )));
    }
    let (zero, one) = (Expr::constant(0), Expr::constant(1));
    let mut implied = Vec::new();
    for (k, (slice, size)) in op.slices.iter().zip(operand).enumerate() {
        let what = format!("the slice of dimension {k}");
        facts.require_at_most(&zero, &slice.start, &what)?;
        facts.require_at_most(&slice.start, &slice.limit, &what)?;
        facts.require_at_most(&slice.limit, size, &what)?;
        facts.require_at_most(&one, &slice.stride, &what)?;
        let width = slice.limit.sub(&slice.start);
        let count = width.and_then(|width| width.ceildiv_by(&slice.stride));
        implied.push(count.map_err(unwritable)?);
    }
    let sizes = result(op, facts, implied)?;
    let map = MapOver::new(facts, &sizes, &[])?;
    let mut results = Vec::new();
    for (slice, index) in op.slices.iter().zip(map.dimensions()) {
        let (start, stride) = (map.size(&slice.start)?, map.size(&slice.stride)?);
        let moved = index.times(&stride).and_then(|index| index.add(&start));
        results.push(moved.map_err(unwritable)?);
    }
    each(sizes, [Ok(map.finish(results))])
}

pub(super) fn concatenate(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let first = operand(op, 0)?;
    let [along] = op.instruction.dimensions(first.len())?[..] else {
        return Err(invalid("expected 1 dimension to concatenate along"));
    };
    let mut sizes = first.to_vec();
    let mut offsets = vec![Expr::constant(0)];
    for (k, operand) in op.operands.iter().enumerate() {
        let mut implied = first.to_vec();
        if let (Some(own), Some(place)) = (operand.get(along), implied.get_mut(along)) {
            *place = own.clone();
            sizes[along] = offsets[k].add(own).map_err(unwritable)?;
            offsets.push(sizes[along].clone());
        }
        require_equal(facts, operand, &implied, &format!("operand {k}"))?;
    }
    let sizes = result(op, facts, sizes)?;
    let maps = offsets.windows(2).map(|ends| {
        let mut before_end = sizes.clone();
        before_end[along] = ends[1].clone();
        let mut map = MapOver::new(facts, &before_end, &[])?;
        let mut results = map.dimensions();
        let start = map.size(&ends[0])?;
        map.bound(&results[along], End::Lower, &start)?;
        results[along] = results[along].sub(&start).map_err(unwritable)?;
        Ok(map.finish(results))
    });
    let maps: Vec<Result<IndexingMap, Error>> = maps.collect();
    each(sizes, maps)
}

/// Groups of dimensions with equal products, as small as can be shown; within each group, a position is linearised and
/// delinearised.
pub(super) fn reshape(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let (from, to) = (given(op)?, operand(op, 0)?);
    let whole = |sizes: &[Expr]| Expr::product(sizes.iter().cloned()).map_err(unwritable);
    let what = "the number of elements";
    facts.require_equal(&whole(from)?, &whole(to)?, what)?;
    let groups = groups(facts, from, to)?;
    let mut map = MapOver::new(facts, from, &[])?;
    let indices = map.dimensions();
    let mut results = vec![Expr::constant(0); to.len()];
    for (lhs, rhs) in groups {
        let mut position = Expr::constant(0);
        for k in lhs.clone() {
            let next = position.times(&map.size(&from[k])?);
            position = next.and_then(|next| next.add(&indices[k])).map_err(unwritable)?;
        }
        let mut unit = Expr::constant(1);
        // An index of a dimension of size 1 is 0.
        let digits = rhs.filter(|k| to[*k].as_constant() != Some(1));
        let digits: Vec<usize> = digits.collect();
        for k in digits.iter().copied().rev() {
            let size = map.size(&to[k])?;
            let mut digit = position.clone();
            if unit.as_constant() != Some(1) {
                digit = map.floordiv(&digit, &unit)?;
            }
            if Some(&k) != digits.first() {
                digit = map.modulo(&digit, &size)?;
            }
            results[k] = digit;
            unit = unit.times(&size).map_err(unwritable)?;
        }
    }
    each(from.to_vec(), [Ok(map.finish(results))])
}

type Range = std::ops::Range<usize>;

/// Splits both lists into groups with equal products; the last pair of ranges holds the remainder.
fn groups(facts: &Facts<'_>, from: &[Expr], to: &[Expr]) -> Result<Vec<(Range, Range)>, Error> {
    let mut groups = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < from.len() && j < to.len() {
        let (i_end, j_end) = smallest(facts, &from[i..], &to[j..])?;
        groups.push((i..i + i_end, j..j + j_end));
        (i, j) = (i + i_end, j + j_end);
    }
    // The remaining dimensions on one side have the product 1, so their indices are 0.
    Ok(groups)
}

/// Returns the lengths of the shortest prefixes with equal products; the full lengths if no such prefixes are known.
fn smallest(facts: &Facts<'_>, from: &[Expr], to: &[Expr]) -> Result<(usize, usize), Error> {
    for total in 2..=from.len() + to.len() {
        for i in 1..=from.len().min(total - 1) {
            let j = total - i;
            if j > to.len() {
                continue;
            }
            let product = |sizes: &[Expr]| Expr::product(sizes.iter().cloned());
            let (lhs, rhs) = (product(&from[..i]), product(&to[..j]));
            if facts.are_equal(&lhs.map_err(unwritable)?, &rhs.map_err(unwritable)?)? {
                return Ok((i, j));
            }
        }
    }
    Ok((from.len(), to.len()))
}

pub(super) fn pad(op: &NamedOp<'_>, facts: &mut Facts<'_>) -> Result<NamedReads, Error> {
    let operand = operand(op, 0)?;
    if op.operands.get(1).is_some_and(|value| !value.is_empty()) {
        return Err(invalid("expected a scalar as operand 1"));
    }
    let paddings = op.instruction.padding(operand.len())?;
    let mut implied = Vec::new();
    for (k, (padding, size)) in paddings.iter().zip(operand).enumerate() {
        let what = format!("the padding of dimension {k}");
        if padding.interior > 0 {
            facts.require_at_most(&Expr::constant(1), size, &what)?;
        }
        let last = last_held(padding, size)?;
        let padded = last.add(&Expr::constant(1));
        let padded = padded.and_then(|end| end.add(&Expr::constant(padding.high)));
        let padded = padded.map_err(unwritable)?;
        facts.require_at_most(&Expr::constant(0), &padded, &what)?;
        implied.push(padded);
    }
    let sizes = result(op, facts, implied)?;
    let mut maps = Vec::new();
    // Dimensions before the axis are at an element, the axis is not, and dimensions after it are free, so the cases are
    // disjoint.
    let mut before = MapOver::new(facts, &sizes, &[])?;
    let mut results = before.dimensions();
    for (k, (padding, size)) in paddings.iter().zip(operand).enumerate() {
        let index = results[k].clone();
        let (first, stride) = (Expr::constant(padding.low), padding.interior + 1);
        let last = before.size(&last_held(padding, size)?)?;
        let held = index.sub(&first).map_err(unwritable)?;
        if padding.low > 0 {
            let mut low = before.clone();
            low.constrain(&index, Interval::new(0, padding.low - 1));
            maps.push((1, low.finish(Vec::new())));
        }
        if padding.high > 0 {
            let mut high = before.clone();
            let beyond = last.add(&Expr::constant(1)).map_err(unwritable)?;
            high.bound(&index, End::Lower, &beyond)?;
            high.constrain(&index, Interval::at_least(padding.low.max(0)));
            maps.push((1, high.finish(Vec::new())));
        }
        before.constrain(&index, Interval::at_least(padding.low.max(0)));
        before.bound(&index, End::Upper, &last)?;
        if stride > 1 {
            let rest = held.modulo(stride).map_err(unwritable)?;
            let mut between = before.clone();
            between.constrain(&rest, Interval::new(1, stride - 1));
            maps.push((1, between.finish(Vec::new())));
            before.constrain(&rest, Interval::new(0, 0));
        }
        results[k] = held.floordiv(stride).map_err(unwritable)?;
    }
    maps.insert(0, (0, before.finish(results)));
    Ok(NamedReads { sizes, maps })
}

/// Returns the index of the padded dimension that holds the last element: `low + (interior + 1) * (size - 1)`.
fn last_held(padding: &PaddingDimension, size: &Expr) -> Result<Expr, Error> {
    let last = size.add(&Expr::constant(-1));
    let last = last.and_then(|last| last.scale(padding.interior + 1));
    let last = last.and_then(|last| last.add(&Expr::constant(padding.low)));
    last.map_err(unwritable)
}
