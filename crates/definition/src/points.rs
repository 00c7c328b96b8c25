//! Custom-calls that state their loops: structured ops and accesses of MLIR.
//!
//! "The iteration space is mapped to operands by indexing maps" (MLIR, `linalg.generic`): an element of the result reads an
//! element of an operand if the maps send some point of the loops to both. A quotient is the integer with
//! `c * q <= x < c * q + c`, and a remainder `x - c * q`. The names of the config are those of `custom_points` of the crate
//! that has the maps.

use super::access::{Access, Certainty, Definition};
use super::named::Array;
use super::offsets::of_its_type;
use super::op::{NoDefinition, Op};
use super::relation::{Relation, Source, Sum, Value, d, i};
use affinor_maps::expr::{Expr, ExprKind, IndexingMap, VariableKind};
use affinor_maps::num::{Interval, MINUS_INFINITY};
use affinor_maps::text::parse_map;

pub(super) fn points(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let config = |key: &str| op.instruction.backend_config(key);
    let numbers = |key: &str| -> Option<Vec<i64>> {
        config(key)?.as_array()?.iter().map(|number| number.as_i64()).collect()
    };
    let points = config("points");
    let points = points.as_ref().and_then(|points| points.as_array());
    let points = points.ok_or_else(|| op.unknown("its loops are not stated"))?;
    let symbols = numbers("symbols").unwrap_or_default();
    let symbols: Vec<usize> = symbols.iter().filter_map(|k| usize::try_from(*k).ok()).collect();
    let bounds = numbers("bounds").unwrap_or_default();
    let result = config("result");
    let result = result.as_ref().and_then(|result| result.as_str());
    let result = parse_map(result.ok_or_else(|| op.unknown("its result has no map"))?)?;
    let reads = config("reads");
    let reads = reads.as_ref().and_then(|reads| reads.as_array());
    let reads = reads.ok_or_else(|| op.unknown("its reads are not stated"))?;
    let none = || op.unknown("its loops are not stated");
    let mut accesses = Vec::new();
    for (k, read) in reads.iter().enumerate().take(op.operand_count()) {
        let Some(text) = read.as_str() else {
            if symbols.contains(&k) {
                accesses.push(op.chosen_by(k)?);
            }
            continue;
        };
        let read = parse_map(text)?;
        let mut relation = op.relation(k)?;
        let mut places = Vec::new();
        for point in points {
            places.push(match (point.as_i64(), point.as_array().map(Vec::as_slice)) {
                (Some(size), _) => relation.over(size),
                // The size of a dimension of an operand.
                (_, Some([operand, dimension])) if op.given.is_some() => {
                    let [operand, dimension] = [operand, dimension]
                        .map(|value| value.as_u64().and_then(|x| usize::try_from(x).ok()));
                    let operand = operand.ok_or_else(none)?;
                    let dimension = dimension.ok_or_else(none)?;
                    let place = relation.over_interval(Interval::at_least(0));
                    let size = op.size(&mut relation, Array::Operand(operand), dimension)?;
                    relation.within(place.clone() - size, Interval::new(MINUS_INFINITY, -1))?;
                    place
                }
                // The size of the dimension of the result that the loop indexes.
                _ if op.given.is_some() && point.is_null() => {
                    relation.over_interval(Interval::at_least(0))
                }
                _ => return Err(none()),
            });
        }
        if places.len() != read.domain().count(VariableKind::Dimension) {
            return Err(op.unknown("its maps have other loops"));
        }
        for (dimension, of_loops) in result.results().iter().enumerate() {
            let sum = sum(op, &mut relation, of_loops, &places)?;
            relation.equate(d(dimension), sum)?;
        }
        for symbol in symbols.iter().take(read.domain().count(VariableKind::Range)) {
            if let Some(named) = op.symbol(&mut relation, *symbol)? {
                places.push(named);
                continue;
            }
            places.push(relation.value(Value {
                source: Source::Operand(*symbol),
                path: Vec::new(),
                index: Vec::new(),
                clamp: of_its_type(op, *symbol, Interval::ALL)?,
                is_free: true,
            })?);
        }
        bound(op, &mut relation, &read, &places)?;
        for (dimension, index) in read.results().iter().enumerate() {
            let sum = sum(op, &mut relation, index, &places)?;
            relation.equate(i(dimension), sum)?;
        }
        let access = Access::new(k, relation);
        let is_bound = bounds.iter().any(|bound| usize::try_from(*bound) == Ok(k));
        accesses.push(match is_bound {
            true => Access {
                certainty: Certainty::bound("which points read it is not stated"),
                ..access
            },
            false => access,
        });
    }
    Ok(accesses.into_iter().collect())
}

/// Adds the constraints of the map's domain: only its points read.
fn bound(
    op: &Op<'_>,
    relation: &mut Relation,
    read: &IndexingMap,
    places: &[Sum],
) -> Result<(), NoDefinition> {
    for constraint in read.domain().constraints() {
        let sum = sum(op, relation, &constraint.expr, places)?;
        relation.within(sum, constraint.bounds)?;
    }
    for (variable, place) in read.domain().variables().iter().zip(places) {
        if variable.bounds != Interval::ALL {
            relation.within(place.clone(), variable.bounds)?;
        }
    }
    Ok(())
}

/// Converts an expression over the loops to a sum over indices, with a loop index for each quotient.
fn sum(
    op: &Op<'_>,
    relation: &mut Relation,
    expr: &Expr,
    places: &[Sum],
) -> Result<Sum, NoDefinition> {
    let not_affine = || op.unknown("an index of it is not an affine expression");
    Ok(match expr.kind() {
        ExprKind::Constant(value) => Sum::from(*value),
        ExprKind::Variable(id) => places.get(id.index()).cloned().ok_or_else(not_affine)?,
        ExprKind::Sum(terms) => {
            let mut total = Sum::from(terms.constant());
            for (coefficient, term) in terms.terms() {
                total = total + sum(op, relation, term, places)? * *coefficient;
            }
            total
        }
        ExprKind::FloorDiv(x, divisor) | ExprKind::Mod(x, divisor) => {
            let by = divisor.as_integer().ok_or_else(not_affine)?;
            let x = sum(op, relation, x, places)?;
            let quotient = quotient(relation, &x, by).ok_or_else(not_affine)?;
            let remainder = x - quotient.clone() * by;
            relation.within(remainder.clone(), Interval::of_size(by))?;
            match expr.kind() {
                ExprKind::Mod(..) => remainder,
                _ => quotient,
            }
        }
        ExprKind::CeilDiv(x, divisor) => {
            let by = divisor.as_integer().ok_or_else(not_affine)?;
            let x = sum(op, relation, x, places)? * -1;
            let quotient = quotient(relation, &x, by).ok_or_else(not_affine)?;
            relation.within(x - quotient.clone() * by, Interval::of_size(by))?;
            quotient * -1
        }
        ExprKind::Product(_) | ExprKind::Min(_) | ExprKind::Max(_) => return Err(not_affine()),
    })
}

/// Adds a loop index with the possible values of `x floordiv by`.
fn quotient(relation: &mut Relation, x: &Sum, by: i64) -> Option<Sum> {
    let range = relation.range(x);
    range.is_bounded().then(|| relation.over_interval(range.floordiv(by)))
}
