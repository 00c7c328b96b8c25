//! Unions of maps without duplicates.
//!
//! Law: a union has the reads of all inserted maps; an exact map stays exact.

use super::reads::{Exactness, OperandMap, Reads, RuntimeVariable};
use super::sequence::with_indices;
use super::tidy::{Tidy, reordered};
use affinor::expr::{Expr, ExprError, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::prove::{Answers, Budget, Verdict, equal_functions, sample_points};
use std::cell::OnceCell;

/// The budget to decide whether two maps with different texts are equal: no solver.
const EQUALITY: Budget = Budget {
    points: 500,
    samples: 50,
    forms: true,
    solver_steps: 0,
    interrupt: None,
    fuel: None,
    answers: Answers::NONE,
};

/// Maximum number of failed proofs per union; after that, only texts are compared.
const FAILED_PROOFS: u32 = 16;

/// Number of points at which maps are compared before a proof is attempted, and of samples to find them.
const POINTS: usize = 4;
const DRAWN: u64 = 200;

/// A set of maps, no two of which are known to be equal up to the order of their range and runtime variables.
#[derive(Clone, Default, Debug)]
pub(super) struct Union {
    maps: Vec<OperandMap>,
    /// The same maps with their variables in canonical order.
    keys: Vec<Key>,
    failed_proofs: u32,
}

impl Union {
    /// Wraps maps in tidy form that are known to be distinct.
    pub(super) fn of_distinct(maps: Vec<OperandMap>) -> Union {
        Union { keys: maps.iter().cloned().map(Key::of).collect(), maps, failed_proofs: 0 }
    }

    /// Inserts a tidy map. An exact map replaces an equal inexact one. Maps are equal if they have the same text, or if they
    /// are proved to be the same function.
    pub(super) fn insert(&mut self, map: OperandMap) -> Result<(), ExprError> {
        let key = Key::canonical(&map)?;
        let known = self.keys.iter().position(|other| other.has_text_of(&key));
        let known = known.or_else(|| self.proved_equal(&key));
        match known {
            Some(position) if map.exactness == Exactness::Exact => {
                self.maps[position].exactness = map.exactness;
            }
            Some(_) => {}
            None => {
                self.maps.push(map);
                self.keys.push(key);
            }
        }
        Ok(())
    }

    /// Returns the position of a map with a different text that is proved equal.
    fn proved_equal(&mut self, key: &Key) -> Option<usize> {
        for (position, other) in self.keys.iter().enumerate() {
            if self.failed_proofs >= FAILED_PROOFS {
                return None;
            }
            if other.may_equal(key) {
                if is_proved_equal(&other.map, &key.map) {
                    return Some(position);
                }
                self.failed_proofs += 1;
            }
        }
        None
    }

    pub(super) fn len(&self) -> usize {
        self.maps.len()
    }

    pub(super) fn maps(&self) -> &[OperandMap] {
        &self.maps
    }

    pub(super) fn into_maps(self) -> Vec<OperandMap> {
        self.maps
    }
}

/// Returns the same reads in tidy form.
pub(super) fn tidied(tidy: Tidy<'_>, reads: &Reads) -> Result<Reads, ExprError> {
    let Reads::Maps(maps) = reads else {
        return Ok(reads.clone());
    };
    let mut union = Union::default();
    for map in maps {
        if let Some(map) = tidy.apply(map)? {
            union.insert(map)?;
        }
    }
    Ok(Reads::Maps(union.into_maps()))
}

/// A map with its variables in canonical order.
#[derive(Clone, Debug)]
pub(super) struct Key {
    map: OperandMap,
    /// Some points of the map's domain, computed on demand.
    inside: OnceCell<Vec<Vec<i64>>>,
}

impl Key {
    fn of(map: OperandMap) -> Key {
        Key { map, inside: OnceCell::new() }
    }

    /// Returns the key of a tidy map.
    pub(super) fn canonical(map: &OperandMap) -> Result<Key, ExprError> {
        canonical(map).map(Key::of)
    }

    /// Returns whether both are known to be the same function, as maps of a union.
    pub(super) fn is_same(&self, other: &Key) -> bool {
        self.has_text_of(other) || self.may_equal(other) && is_proved_equal(&self.map, &other.map)
    }

    fn has_text_of(&self, other: &Key) -> bool {
        self.map.map == other.map.map && self.map.runtime == other.map.runtime
    }

    /// Returns whether both, with their variables matched by position, have equal results and equal indices of the same tensors
    /// at a few points. `false` if no points are available, since a proof costs much more.
    fn may_equal(&self, other: &Key) -> bool {
        let same_value = |(lhs, rhs): (&RuntimeVariable, &RuntimeVariable)| {
            lhs.source == rhs.source && lhs.clamp == rhs.clamp && lhs.variable == rhs.variable
        };
        let (lhs, rhs) = (&self.map, &other.map);
        let variables = |map: &OperandMap| map.map.domain().variables().len();
        variables(lhs) == variables(rhs)
            && parameters(lhs).eq(parameters(rhs))
            && lhs.runtime.len() == rhs.runtime.len()
            && lhs.runtime.iter().zip(&rhs.runtime).all(same_value)
            && self.agrees_inside(other)
            && other.agrees_inside(self)
    }

    fn agrees_inside(&self, other: &Key) -> bool {
        let (lhs, rhs) = (&self.map.map, &other.map.map);
        let inside = self.inside.get_or_init(|| points_inside(lhs));
        let agrees = |point: &Vec<i64>| {
            rhs.domain().contains(point) == Ok(true) && lhs.eval(point) == rhs.eval(point)
        };
        !inside.is_empty() && inside.iter().all(agrees)
    }
}

/// Returns the names of parameters: parameters are matched by name, other variables by position.
fn parameters(map: &OperandMap) -> impl Iterator<Item = &str> {
    let variables = map.map.domain().variables().iter();
    variables.filter(|one| one.kind == VariableKind::Parameter).map(|one| &*one.name)
}

/// Returns a few points of the domain of a map; empty if they are hard to find.
fn points_inside(map: &IndexingMap) -> Vec<Vec<i64>> {
    let domain = map.domain();
    let variables = domain.variables().iter();
    let bounds: Vec<Interval> = variables.map(|variable| variable.bounds).collect();
    let inside = sample_points(&bounds, DRAWN).filter(|point| domain.contains(point) == Ok(true));
    inside.take(POINTS).collect()
}

fn is_proved_equal(lhs: &OperandMap, rhs: &OperandMap) -> bool {
    equal_functions(&with_indices(lhs), &with_indices(rhs), &EQUALITY) == Ok(Verdict::Proved)
}

/// Returns the map with parameters ordered by name, and range and runtime variables by their first mention in results, indices
/// and constraints. Unmentioned variables follow, ordered by their bounds and sources: their bounds restrict the domain, so a
/// key must include them.
fn canonical(map: &OperandMap) -> Result<OperandMap, ExprError> {
    let domain = map.map.domain();
    let several = |kind| domain.count(kind) > 1;
    if ![VariableKind::Range, VariableKind::Runtime, VariableKind::Parameter]
        .into_iter()
        .any(several)
    {
        return Ok(map.clone());
    }
    let mut order: Vec<VariableId> = domain.ids(VariableKind::Dimension).collect();
    let indices = map.runtime.iter().flat_map(|runtime| &runtime.index);
    let constraints = domain.constraints().iter().map(|constraint| &constraint.expr);
    for expr in map.map.results().iter().chain(indices).chain(constraints) {
        in_order_of_mention(expr, &mut order);
    }
    order.extend(unmentioned(map, &order));
    order.sort_by_key(|id| match domain.is_parameter(*id) {
        true => domain.variables().get(id.index()).map(|named| named.name.clone()),
        false => None,
    });
    let mut canonical = reordered(map, &order, map.runtime.clone())?;
    canonical.runtime.sort_by_key(|runtime| runtime.variable);
    Ok(canonical)
}

/// Returns the variables that are not in `mentioned`, in an order that does not depend on their numbers unless they are
/// indistinguishable.
fn unmentioned(map: &OperandMap, mentioned: &[VariableId]) -> Vec<VariableId> {
    let domain = map.map.domain();
    let all = (0..domain.variables().len() as u32).map(VariableId);
    let mut rest: Vec<VariableId> = all.filter(|id| !mentioned.contains(id)).collect();
    rest.sort_by_cached_key(|id| {
        let value = map.runtime.iter().find(|value| value.variable == *id);
        let value = value.map(|value| {
            let clamp = (value.clamp.lo(), value.clamp.hi());
            (value.source.clone(), clamp, value.index.clone())
        });
        let bounds = domain.bounds(*id);
        (value, bounds.lo(), bounds.hi())
    });
    rest
}

fn in_order_of_mention(expr: &Expr, order: &mut Vec<VariableId>) {
    if let Some(id) = expr.as_variable() {
        if !order.contains(&id) {
            order.push(id);
        }
    } else {
        expr.operands().for_each(|operand| in_order_of_mention(operand, order));
    }
}

#[cfg(test)]
mod tests {
    use super::super::reads::ValueSource;
    use super::*;
    use affinor::text::parse_map;

    /// Checks the number of distinct maps among `texts`: maps of one tensor whose runtime variables are the parameters with the
    /// numbers of their upper bounds, clamped from 0 to these.
    #[track_caller]
    fn check(texts: &[&str], different: usize) {
        let mut union = Union::default();
        for text in texts {
            let map: IndexingMap = parse_map(text).expect("a map");
            let domain = map.domain();
            let runtime = domain.ids(VariableKind::Runtime).map(|variable| {
                let clamp = Interval::new(0, domain.bounds(variable).hi());
                let source =
                    ValueSource::Operand { operand: clamp.hi() as usize, path: Vec::new() };
                let index = Vec::new();
                RuntimeVariable { variable, source, index, clamp, is_choice: false }
            });
            let runtime = runtime.collect();
            let exactness = Exactness::Exact;
            union.insert(OperandMap { map, exactness, runtime }).expect("small numbers");
        }
        assert_eq!(union.len(), different);
    }

    #[test]
    fn the_order_of_range_and_runtime_variables_does_not_matter() {
        check(
            &[
                "(d0)[s0, s1] -> (s0, s1, d0), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 2]",
                "(d0)[s0, s1] -> (s1, s0, d0), domain: d0 in [0, 3], s0 in [0, 2], s1 in [0, 1]",
            ],
            1,
        );
        check(
            &[
                "(d0){rt0, rt1} -> (rt0, d0 + rt1), domain: d0 in [0, 3], rt0 in [0, 7], rt1 in [0, 5]",
                "(d0){rt0, rt1} -> (rt1, d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 5], rt1 in [0, 7]",
            ],
            1,
        );
        // Unmentioned runtime variables restrict the domain.
        check(
            &[
                "(d0){rt0, rt1} -> (d0), domain: d0 in [0, 3], rt0 in [0, 7], rt1 in [0, 5]",
                "(d0){rt0, rt1} -> (d0), domain: d0 in [0, 3], rt0 in [0, 5], rt1 in [0, 7]",
            ],
            1,
        );
    }

    #[test]
    fn a_variable_that_nothing_mentions_keeps_its_bounds() {
        // Two thirds of a concatenation, as read by a gather: `rt1` selects the operand.
        check(
            &[
                "(d0){rt0, rt1} -> (rt0, d0), domain: d0 in [0, 3], rt0 in [0, 5], rt1 in [1, 7]",
                "(d0){rt0, rt1} -> (rt0, d0), domain: d0 in [0, 3], rt0 in [0, 5], rt1 in [2, 7]",
                "(d0){rt0, rt1} -> (rt0, d0), domain: d0 in [0, 3], rt0 in [0, 5], rt1 in [1, 7]",
            ],
            2,
        );
        check(
            &[
                "(d0)[s0, s1] -> (d0), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 2]",
                "(d0)[s0, s1] -> (d0), domain: d0 in [0, 3], s0 in [0, 2], s1 in [0, 1]",
                "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [1, 7]",
                "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [2, 7]",
            ],
            3,
        );
    }

    #[test]
    fn one_function_in_two_texts_is_one_map() {
        check(
            &[
                "(d0, d1) -> ((d0 * 4 + d1) floordiv 8, (d0 * 4 + d1) mod 8), domain: d0 in [0, 1999], d1 in [0, 3]",
                "(d0, d1) -> (d0 floordiv 2, d0 mod 2 * 4 + d1), domain: d0 in [0, 1999], d1 in [0, 3]",
            ],
            1,
        );
        check(
            &[
                "(d0) -> (d0), domain: d0 in [0, 9]",
                "(d0) -> (d0), domain: d0 in [-5, 20], d0 * 2 in [-1, 19]",
                "(d0) -> (d0), domain: d0 in [-5, 20], d0 * 2 in [-1, 20]",
            ],
            2,
        );
    }

    #[test]
    fn different_maps_stay_apart() {
        check(
            &[
                "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 2]",
                "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 2], s1 in [0, 1]",
                "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 2], s0 in [0, 2], s1 in [0, 1]",
            ],
            3,
        );
        // The same text for different tensors.
        check(
            &[
                "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 7]",
                "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 5]",
            ],
            2,
        );
    }

    #[test]
    fn an_exact_map_takes_the_place_of_a_wider_one() {
        let map = crate::indexing::builder::identity(&[3]);
        let mut union = Union::default();
        for map in [
            OperandMap::at_most(map.clone(), "tests"),
            OperandMap::exact(map.clone()),
            OperandMap::at_most(map, "tests"),
        ] {
            union.insert(map).expect("small numbers");
        }
        assert_eq!(union.maps().len(), 1);
        assert_eq!(union.maps()[0].exactness, Exactness::Exact);
    }
}
