//! A union of maps without repetition.
//!
//! Law: it reads what all the maps together read that were put in; an exact map stays exact.

use super::reads::{Exactness, OperandMap, Reads};
use super::tidy::{Tidy, reordered};
use crate::expr::{Expr, ExprError, VariableId};
use crate::map::VariableKind;

/// A set of maps, no two of which are equal up to the order of their range and runtime variables.
#[derive(Clone, Default, Debug)]
pub(super) struct Union {
    maps: Vec<OperandMap>,
    /// The same maps with their variables in canonical order.
    keys: Vec<OperandMap>,
}

impl Union {
    /// At most one map, in tidy form.
    pub(super) fn of_distinct(maps: Vec<OperandMap>) -> Union {
        Union {
            keys: maps.clone(),
            maps,
        }
    }

    /// Adds a tidy map. An exact map takes the place of an equal one that is not.
    pub(super) fn insert(&mut self, map: OperandMap) -> Result<(), ExprError> {
        let key = canonical(&map)?;
        let equal = |other: &OperandMap| other.map == key.map && other.runtime == key.runtime;
        match self.keys.iter().position(equal) {
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

/// The same reads in tidy form.
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

/// The map with range and runtime variables in the order in which results, indices and constraints
/// mention them.
fn canonical(map: &OperandMap) -> Result<OperandMap, ExprError> {
    let domain = map.map.domain();
    let several = |kind| domain.count(kind) > 1;
    if !several(VariableKind::Range) && !several(VariableKind::Runtime) {
        return Ok(map.clone());
    }
    let mut order: Vec<VariableId> = domain.ids(VariableKind::Dimension).collect();
    let indices = map.runtime.iter().flat_map(|runtime| &runtime.index);
    let constraints = domain
        .constraints()
        .iter()
        .map(|constraint| &constraint.expr);
    for expr in map.map.results().iter().chain(indices).chain(constraints) {
        in_order_of_mention(expr, &mut order);
    }
    let mut canonical = reordered(map, &order, map.runtime.clone())?;
    canonical.runtime.sort_by_key(|runtime| runtime.variable);
    Ok(canonical)
}

fn in_order_of_mention(expr: &Expr, order: &mut Vec<VariableId>) {
    if let Some(id) = expr.as_variable() {
        if !order.contains(&id) {
            order.push(id);
        }
    } else {
        expr.operands()
            .for_each(|operand| in_order_of_mention(operand, order));
    }
}

#[cfg(test)]
mod tests {
    use super::super::reads::{RuntimeVariable, ValueSource};
    use super::*;
    use crate::interval::Interval;
    use crate::map::IndexingMap;
    use crate::syntax::parse_map;

    /// How many of `texts` are different, as maps of one tensor whose runtime variables are parameters
    /// with the numbers of their clamps' upper ends.
    #[track_caller]
    fn check(texts: &[&str], different: usize) {
        let mut union = Union::default();
        for text in texts {
            let map: IndexingMap = parse_map(text).expect("a map");
            let domain = map.domain();
            let runtime = domain.ids(VariableKind::Runtime).map(|variable| {
                let clamp: Interval = domain.bounds(variable);
                let source = ValueSource::Operand {
                    operand: clamp.hi() as usize,
                    path: Vec::new(),
                };
                let index = Vec::new();
                RuntimeVariable {
                    variable,
                    source,
                    index,
                    clamp,
                }
            });
            let runtime = runtime.collect();
            let exactness = Exactness::Exact;
            union
                .insert(OperandMap {
                    map,
                    exactness,
                    runtime,
                })
                .expect("small numbers");
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
        // The same text for other tensors.
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
