//! The runtime variables of a map at the elements of tiles, and whether each is uniform in a tile.

use super::extremes::{End, Locals};
use crate::indexing::{OperandMap, RuntimeVariable, Simplify, ValueSource};
use affinor::expr::{Expr, ExprError, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The source of a runtime variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TileValue {
    /// The name of the runtime variable, and of the tile's variable if it is uniform there.
    pub name: Arc<str>,
    /// The tensor that holds the value.
    pub source: ValueSource,
    /// The index of the element: over the tile variables if the value is uniform in a tile, otherwise also over the elements of
    /// the tile and range variables.
    pub index: IndexingMap,
    /// The interval to which the element is clamped.
    pub clamp: Interval,
    /// Whether the variable is uniform in each tile.
    pub is_one: bool,
}

/// The runtime variables of a map at the elements of tiles.
pub(super) struct Values {
    /// Runtime variables with simplified indices: free of local variables if uniform in a tile.
    runtime: Vec<RuntimeVariable>,
    /// Variables with several values in a tile.
    pub(super) varying: BTreeSet<VariableId>,
}

impl Values {
    /// Collects the runtime variables of `elements`, a map at the elements of tiles, in an order in which each index uses only
    /// earlier variables.
    pub(super) fn of(
        elements: &IndexingMap,
        runtime: Vec<RuntimeVariable>,
        simplify: Simplify<'_>,
    ) -> Result<Values, ExprError> {
        let mut values =
            Values { runtime: Vec::with_capacity(runtime.len()), varying: BTreeSet::new() };
        for mut value in runtime {
            match values.one_index(elements, &value, simplify)? {
                Some(index) => value.index = index,
                None => {
                    values.varying.insert(value.variable);
                }
            }
            values.runtime.push(value);
        }
        Ok(values)
    }

    /// Returns the index of `value` without local variables; `None` if it may differ within a tile.
    fn one_index(
        &self,
        elements: &IndexingMap,
        value: &RuntimeVariable,
        simplify: Simplify<'_>,
    ) -> Result<Option<Vec<Expr>>, ExprError> {
        let domain = elements.domain();
        let locals = Locals {
            domain,
            is_cut: false,
            is_local: &|id| {
                let kind = domain.variables().get(id.index()).map(|v| v.kind);
                kind == Some(VariableKind::Range) || self.varying.contains(&id)
            },
        };
        if !value.index.iter().any(|index| locals.are_in(index)) {
            return Ok(Some(value.index.clone()));
        }
        let mut ends = Vec::with_capacity(2 * value.index.len());
        for end in [End::Least, End::Greatest] {
            for index in &value.index {
                ends.push(locals.extreme(index, end)?);
            }
        }
        let ends = simplify(&IndexingMap::new(domain.clone(), ends));
        let (least, greatest) = ends.results().split_at(value.index.len());
        let is_one = least == greatest && !least.iter().any(|index| locals.are_in(index));
        Ok(is_one.then(|| least.to_vec()))
    }

    /// Rewrites the variables over a tile. `places` maps each non-local variable of `elements` to the tile's variable; `tile`
    /// is the tile's domain.
    pub(super) fn of_tile(
        &self,
        elements: &OperandMap,
        tile: &OperandMap,
        places: &[Expr],
    ) -> Result<Vec<TileValue>, ExprError> {
        let value = |value: &RuntimeVariable| {
            let is_one = !self.varying.contains(&value.variable);
            let index = match is_one {
                false => elements.index_map(value)?,
                true => {
                    let index = value.index.iter().map(|index| index.substitute(places));
                    tile.index_map(&RuntimeVariable {
                        index: index.collect::<Result<_, _>>()?,
                        ..value.clone()
                    })?
                }
            };
            let variables = elements.map.domain().variables();
            let name = variables.get(value.variable.index());
            Ok(TileValue {
                name: name.map_or_else(|| "?".into(), |variable| variable.name.clone()),
                source: value.source.clone(),
                index,
                clamp: value.clamp,
                is_one,
            })
        };
        self.runtime.iter().map(value).collect()
    }
}
