//! Brings folds whose dimensions were permuted, split or merged to the same dimensions.
//!
//! Law: a folded dimension is traversed as the product of others, in row-major order: each of its indices corresponds to one
//! tuple of indices of the others. Dimensions may be traversed in any order.

use super::folded::{Folded, domain_over, reordered};
use affinor::expr::{Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;

/// Maximum number of dimensions whose orders are all tried.
const ORDERED: usize = 4;

/// Returns the operands of two folds over the same dimensions, in all orders of the dimensions of one of them.
pub(super) fn in_orders(sides: &[Vec<Folded>; 2]) -> Vec<[Vec<Folded>; 2]> {
    let overs = sides.each_ref().map(|folded| dimensions(folded));
    let sorted = overs.each_ref().map(|over| {
        let mut sizes = without_ones(over);
        sizes.sort_unstable();
        sizes
    });
    let mut found = Vec::new();
    // If no dimension was split or merged, only dimensions of the same size correspond.
    let is_whole = sorted[0] == sorted[1];
    for side in if is_whole { 1..2 } else { 0..2 } {
        for order in permutations(overs[side].len()) {
            let of_operand = |of: &Folded| match of.over == overs[side] {
                true => in_order(of, &order),
                false => Some(of.clone()),
            };
            let Some(turned) = sides[side].iter().map(of_operand).collect() else {
                continue;
            };
            let mut pair = sides.clone();
            pair[side] = turned;
            let [one, other] = pair.each_ref().map(|folded| without_ones(&dimensions(folded)));
            if !is_whole || one == other {
                found.push(aligned(pair));
            }
        }
    }
    found
}

/// Returns all orders of this many dimensions; only the given one if there are too many.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count > ORDERED {
        return vec![(0..count).collect()];
    }
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let longer = orders.iter().flat_map(|order| {
            let free = (0..count).filter(|k| !order.contains(k));
            free.map(|k| [&order[..], &[k]].concat())
        });
        orders = longer.collect();
    }
    orders
}

fn in_order(folded: &Folded, order: &[usize]) -> Option<Folded> {
    let rank = folded.map.domain().variables().len().checked_sub(order.len())?;
    let map = reordered(&folded.map, rank, order)?;
    let over = order.iter().map(|k| folded.over[*k]).collect();
    Some(Folded { at: folded.at.clone(), over, map })
}

/// Returns the sizes of the folded dimensions.
fn dimensions(folded: &[Folded]) -> Vec<i64> {
    let overs = folded.iter().map(|of| of.over.clone());
    overs.max_by_key(Vec::len).unwrap_or_default()
}

fn without_ones(sizes: &[i64]) -> Vec<i64> {
    sizes.iter().copied().filter(|size| *size != 1).collect()
}

/// Returns the operands of two folds, over dimensions of the same sizes if the sizes of one fold are products of those of the
/// other.
pub(super) fn aligned(sides: [Vec<Folded>; 2]) -> [Vec<Folded>; 2] {
    let overs = sides.each_ref().map(|folded| dimensions(folded));
    if overs[0] == overs[1] {
        return sides;
    }
    let Some(parts) = refinement(&overs[0], &overs[1]) else {
        return sides;
    };
    let split = |side: usize| -> Option<Vec<Folded>> {
        let of_operand = |folded: &Folded| match folded.over == overs[side] {
            true => split(folded, &parts),
            false => Some(folded.clone()),
        };
        sides[side].iter().map(of_operand).collect()
    };
    match [split(0), split(1)] {
        [Some(old), Some(new)] => [old, new],
        _ => sides,
    }
}

/// Returns sizes such that the sizes of both lists are products of consecutive ones, without sizes of 1.
fn refinement(one: &[i64], other: &[i64]) -> Option<Vec<i64>> {
    let is_empty = |sizes: &[i64]| sizes.iter().any(|size| *size < 1);
    (!is_empty(one) && !is_empty(other)).then_some(())?;
    let (mut one, mut other) = (without_ones(one), without_ones(other));
    let mut parts = Vec::new();
    while let (Some(x), Some(y)) = (one.pop(), other.pop()) {
        let (least, most) = (x.min(y), x.max(y));
        (most % least == 0).then_some(())?;
        parts.push(least);
        let rest = most / least;
        if rest > 1 {
            if x > y { one.push(rest) } else { other.push(rest) }
        }
    }
    parts.reverse();
    (one.is_empty() && other.is_empty()).then_some(parts)
}

/// Returns the operand of a fold over these dimensions instead.
fn split(folded: &Folded, parts: &[i64]) -> Option<Folded> {
    let old = folded.map.domain();
    let rank = old.variables().len().checked_sub(folded.over.len())?;
    let mut variables = Vec::new();
    let mut push = |bounds: Interval| {
        let name = format!("d{}", variables.len());
        variables.push(Variable::new(name, VariableKind::Dimension, bounds));
    };
    old.variables()[..rank].iter().for_each(|variable| push(variable.bounds));
    parts.iter().for_each(|size| push(Interval::of_size(*size)));
    let variable = |number: usize| Some(Expr::variable(VariableId(u32::try_from(number).ok()?)));
    // The indices of the old dimensions, the minor ones first.
    let mut places = Vec::new();
    let mut next = parts.len();
    for size in folded.over.iter().rev() {
        let (mut place, mut stride) = (Expr::constant(0), 1_i64);
        while stride < *size {
            next = next.checked_sub(1)?;
            place = place.add(&variable(rank + next)?.scale(stride).ok()?).ok()?;
            stride = stride.checked_mul(parts[next])?;
        }
        (stride == *size).then_some(())?;
        places.push(place);
    }
    (next == 0).then_some(())?;
    let own: Vec<Expr> = (0..rank).map(variable).collect::<Option<_>>()?;
    let places: Vec<Expr> = own.into_iter().chain(places.into_iter().rev()).collect();
    let domain = domain_over(variables, old, |expr| expr.substitute(&places).ok())?;
    let results = folded.map.results().iter().map(|result| result.substitute(&places).ok());
    let map = IndexingMap::new(domain, results.collect::<Option<_>>()?);
    Some(Folded { at: folded.at.clone(), over: parts.to_vec(), map })
}
