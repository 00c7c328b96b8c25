//! Simplifies unions of maps: drops a map that another one covers, and extends a map by one value to absorb another one.
//!
//! Law: the union is preserved, and remains exact if it was.

use super::reads::{Exactness, OperandMap};
use super::times::{Lost, Times};
use super::union::{Key, Union};
use affinor::expr::{Domain, Expr, ExprKind, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use std::collections::BTreeSet;

/// Returns whether both unions have the same maps, up to proof, with the same exactness.
pub(super) fn same(lhs: &[OperandMap], rhs: &[OperandMap]) -> bool {
    let of = |maps: &[OperandMap], exact: bool| -> Vec<OperandMap> {
        let is_meant = |map: &&OperandMap| (map.exactness == Exactness::Exact) == exact;
        maps.iter().filter(is_meant).cloned().collect()
    };
    [true, false].iter().all(|exact| same_maps(&of(lhs, *exact), &of(rhs, *exact)))
}

fn same_maps(lhs: &[OperandMap], rhs: &[OperandMap]) -> bool {
    let within = |these: &[OperandMap], those: &[OperandMap]| {
        let mut union = Union::of_distinct(those.to_vec());
        let inserted = these.iter().all(|map| union.insert(map.clone()).is_ok());
        inserted && union.len() == those.len()
    };
    lhs.len() == rhs.len() && within(lhs, rhs) && within(rhs, lhs)
}

/// Returns the maps that no other map covers.
pub(super) fn without_covered(maps: Vec<OperandMap>) -> Vec<OperandMap> {
    let mut left: Vec<OperandMap> = Vec::new();
    for map in maps {
        if left.iter().any(|other| covers(other, &map)) {
            continue;
        }
        left.retain(|other| !covers(&map, other));
        left.push(map);
    }
    left
}

/// Returns whether `whole` syntactically covers the reads of `part`: each result of `whole` is that of `part`, or any value of
/// an interval that contains the values of `part`; and `whole` has no conditions beyond those of `part`.
fn covers(whole: &OperandMap, part: &OperandMap) -> bool {
    let (own, other) = (whole.map.domain(), part.map.domain());
    let dimensions = own.count(VariableKind::Dimension);
    let mut free: BTreeSet<VariableId> = own.ids(VariableKind::Range).collect();
    let bounded = own.constraints().iter();
    let indices = whole.runtime.iter().flat_map(|value| &value.index);
    for expr in bounded.map(|constraint| &constraint.expr).chain(indices) {
        free.retain(|id| !expr.variables().contains(id));
    }
    let ranges = own.ids(VariableKind::Range).count();
    let is_same_kind = (whole.runtime.is_empty() || whole.runtime == part.runtime)
        && free.len() == ranges
        && dimensions == other.count(VariableKind::Dimension)
        && (whole.exactness == Exactness::Exact || whole.exactness == part.exactness);
    let mut has = |(result, expr): (&Expr, &Expr)| match any_of(result, dimensions) {
        Some(id) => free.remove(&id) && own.range_of(result).contains_all(other.range_of(expr)),
        None => result == expr && !mentions_ranges(result, dimensions),
    };
    let within = |id: VariableId| own.bounds(id).contains_all(other.bounds(id));
    let (results, others) = (whole.map.results(), part.map.results());
    is_same_kind
        && results.len() == others.len()
        && own.ids(VariableKind::Dimension).all(within)
        && whole.runtime.iter().map(|runtime| runtime.variable).all(within)
        && results.iter().zip(others).all(&mut has)
        && own.constraints().iter().all(|constraint| {
            let mut known = other.constraints().iter();
            constraint.bounds.contains_all(other.range_of(&constraint.expr))
                || known.any(|one| {
                    one.expr == constraint.expr && constraint.bounds.contains_all(one.bounds)
                })
        })
}

/// Returns the range variable that the expression is equal to, up to a constant.
fn any_of(expr: &Expr, dimensions: usize) -> Option<VariableId> {
    let found = match expr.kind() {
        ExprKind::Sum(sum) => match sum.terms() {
            [(1 | -1, term)] => term.as_variable(),
            _ => None,
        },
        _ => expr.as_variable(),
    };
    found.filter(|id| id.index() >= dimensions)
}

fn mentions_ranges(expr: &Expr, dimensions: usize) -> bool {
    expr.variables().iter().any(|id| id.index() >= dimensions)
}

/// A map of a union, with the facts computed about it.
struct Part {
    map: OperandMap,
    key: Option<Key>,
    /// The map extended by one value, and its reads at that value alone; computed on demand.
    wider: Option<Vec<(OperandMap, Key)>>,
}

impl Part {
    fn of(map: OperandMap) -> Part {
        Part { key: Key::canonical(&map).ok(), map, wider: None }
    }
}

/// Returns the same union, with pairs of maps replaced by one map with one more value of a range variable, or of a constrained
/// sum.
pub(super) fn together(times: &Times<'_>, maps: Vec<OperandMap>) -> Result<Vec<OperandMap>, Lost> {
    let mut parts: Vec<Part> = maps.into_iter().map(Part::of).collect();
    let mut place = 0;
    while let Some(part) = parts.get_mut(place) {
        if part.wider.is_none() {
            part.wider = Some(widened(times, &part.map)?);
        }
        match joined(&parts, place) {
            Some((wider, other)) => {
                parts[place] = Part::of(wider);
                parts.remove(other);
                place = 0; // earlier parts may be adjacent to the wider one
            }
            None => place += 1,
        }
    }
    Ok(without_covered(parts.into_iter().map(|part| part.map).collect()))
}

/// Joins the map at `place` with the reads of another part; returns the joined map, and the place of that part.
fn joined(parts: &[Part], place: usize) -> Option<(OperandMap, usize)> {
    let part = &parts[place];
    part.wider.iter().flatten().find_map(|(wider, edge)| {
        let is_edge = |(other, one): &(usize, &Part)| {
            let is_same = || one.key.as_ref().is_some_and(|key| key.is_same(edge));
            *other != place && one.map.exactness == part.map.exactness && is_same()
        };
        let (other, _) = parts.iter().enumerate().find(is_edge)?;
        Some((wider.clone(), other))
    })
}

/// Returns the extensions of a map by one value of a range variable or a constrained sum, each with the reads at that value
/// alone.
fn widened(times: &Times<'_>, map: &OperandMap) -> Result<Vec<(OperandMap, Key)>, Lost> {
    let domain = map.map.domain();
    let mut found = Vec::new();
    if !map.runtime.is_empty() {
        return Ok(found);
    }
    let ranges = domain.ids(VariableKind::Range);
    let bounds = ranges.map(|id| (Expr::variable(id), domain.bounds(id)));
    let is_ranging = |expr: &Expr| mentions_ranges(expr, domain.count(VariableKind::Dimension));
    let constraints = domain.constraints().iter();
    let constraints = constraints
        .filter(|constraint| is_ranging(&constraint.expr))
        .map(|constraint| (constraint.expr.clone(), constraint.bounds));
    for (expr, bounds) in bounds.chain(constraints) {
        if !bounds.is_bounded() {
            continue;
        }
        for (value, more) in [
            (bounds.lo() - 1, Interval::new(bounds.lo() - 1, bounds.hi())),
            (bounds.hi() + 1, Interval::new(bounds.lo(), bounds.hi() + 1)),
        ] {
            let with = |bounds: Interval| {
                let mut variables = domain.variables().to_vec();
                if let Some(id) = expr.as_variable() {
                    variables[id.index()].bounds = bounds;
                }
                let mut other = Domain::new(variables);
                for constraint in domain.constraints() {
                    if constraint.expr != expr {
                        other.constrain(&constraint.expr, constraint.bounds);
                    }
                }
                other.constrain(&expr, bounds);
                OperandMap {
                    map: IndexingMap::new(other, map.map.results().to_vec()),
                    ..map.clone()
                }
            };
            let edge = times.tidied(&with(Interval::point(value)))?;
            let Some(edge) = edge.and_then(|edge| Key::canonical(&edge).ok()) else {
                continue;
            };
            if let Some(wider) = times.tidied(&with(more))? {
                found.push((wider, edge));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::covers;
    use crate::indexing::reads::{OperandMap, RuntimeVariable, ValueSource};
    use affinor::expr::VariableKind;
    use affinor::num::Interval;
    use affinor::text::parse_map;

    /// Returns the exact map of this text, whose runtime variables are scalars clamped to [0, 7].
    fn of(text: &str) -> OperandMap {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
        let runtime = map.domain().ids(VariableKind::Runtime).map(|variable| RuntimeVariable {
            variable,
            source: ValueSource::Operand { operand: 1, path: Vec::new() },
            index: Vec::new(),
            clamp: Interval::new(0, 7),
            is_choice: false,
        });
        OperandMap { runtime: runtime.collect(), ..OperandMap::exact(map) }
    }

    #[test]
    fn a_map_covers_one_with_fewer_reads_at_fewer_points() {
        let all = "(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 7]";
        for (whole, part, expected) in [
            (
                "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 9]",
                "(d0) -> (d0), domain: d0 in [0, 9]",
                true,
            ),
            (
                "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 8]",
                "(d0) -> (d0), domain: d0 in [0, 9]",
                false,
            ),
            (all, "(d0){rt0} -> (d0), domain: d0 in [2, 9], rt0 in [0, 3]", true),
            // Not at the values of the runtime variable that it excludes.
            ("(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 3]", all, false),
            (
                "(d0) -> (d0), domain: d0 in [0, 9]",
                "(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 3]",
                true,
            ),
            (
                "(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 7]",
                "(d0) -> (d0), domain: d0 in [0, 9]",
                false,
            ),
        ] {
            assert_eq!(covers(&of(whole), &of(part)), expected, "{whole} / {part}");
        }
    }
}
