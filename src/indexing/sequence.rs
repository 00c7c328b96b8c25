//! One read after another: composing the maps of two ops, and bringing the result into shape.
//!
//! Laws: the composition of exact maps is exact; [`Tidy::apply`] keeps, for each value of the runtime
//! variables, the set of elements that a map says are read.
//!
//! The index of a runtime variable is an expression over the variables of its map. It is composed
//! and simplified as one more result of the map, so that it never loses its variable: identity
//! is by tensor and index, not by position.

use super::reads::{OperandMap, Reads, RuntimeVariable};
use crate::expr::{Expr, ExprError, VariableId, interval_of};
use crate::map::{ComposeError, Domain, IndexingMap, Variable, VariableKind};
use std::collections::BTreeSet;

/// What simplifies a map: it keeps the variables, the domain's points, and the values there.
pub type Simplify<'a> = &'a dyn Fn(&IndexingMap) -> IndexingMap;

/// `second` after `first`. Nothing is simplified.
pub(super) fn compose(first: &OperandMap, second: &OperandMap) -> Result<OperandMap, ComposeError> {
    let composed = first.map.then(&with_indices(second))?;
    let (domain, mut results) = composed.into_parts();
    let mut indices = results.split_off(second.map.results().len()).into_iter();
    // The numbering that `then` documents: dimensions of the first; ranges, then runtime variables,
    // of the second before those of the first.
    let (ranges, runtimes) = (VariableKind::Range, VariableKind::Runtime);
    let dimensions = first.map.domain().count(VariableKind::Dimension);
    let second_ranges = second.map.domain().count(ranges);
    let second_runtimes = second.map.domain().count(runtimes);
    let first_ranges = first.map.domain().count(ranges);
    let of_first = |id: VariableId| {
        let index = id.index();
        let shift = if index < dimensions {
            0
        } else if index < dimensions + first_ranges {
            second_ranges
        } else {
            second_ranges + second_runtimes
        };
        VariableId((index + shift) as u32)
    };
    let of_second = |id: VariableId| {
        let second_dimensions = second.map.domain().count(VariableKind::Dimension);
        let after = id.index() - second_dimensions; // runtime variables are no dimensions
        VariableId((dimensions + after + first_ranges) as u32)
    };
    let renumbered: Vec<Expr> = (0..first.map.domain().variables().len())
        .map(|index| Expr::variable(of_first(VariableId(index as u32))))
        .collect();
    let mut runtime = Vec::with_capacity(first.runtime.len() + second.runtime.len());
    for variable in &first.runtime {
        let index: Result<Vec<Expr>, ExprError> = variable
            .index
            .iter()
            .map(|index| index.substitute(&renumbered))
            .collect();
        runtime.push(RuntimeVariable {
            variable: of_first(variable.variable),
            index: index?,
            ..variable.clone()
        });
    }
    for variable in &second.runtime {
        runtime.push(RuntimeVariable {
            variable: of_second(variable.variable),
            index: indices.by_ref().take(variable.index.len()).collect(),
            ..variable.clone()
        });
    }
    Ok(OperandMap {
        map: IndexingMap::new(domain, results),
        exactness: first.exactness.and(&second.exactness),
        runtime,
    })
}

/// The map with the indices of all runtime variables as further results.
fn with_indices(map: &OperandMap) -> IndexingMap {
    let indices = map.runtime.iter().flat_map(|runtime| &runtime.index);
    let results = map.map.results().iter().chain(indices).cloned();
    IndexingMap::new(map.map.domain().clone(), results.collect())
}

/// The inverse of [`with_indices`]: takes `map`'s results apart as `like`'s were put together.
fn without_indices(map: IndexingMap, like: &OperandMap) -> OperandMap {
    let (domain, mut results) = map.into_parts();
    let mut indices = results.split_off(like.map.results().len()).into_iter();
    let runtime = like.runtime.iter().map(|runtime| RuntimeVariable {
        index: indices.by_ref().take(runtime.index.len()).collect(),
        ..runtime.clone()
    });
    let runtime = runtime.collect();
    OperandMap {
        map: IndexingMap::new(domain, results),
        exactness: like.exactness.clone(),
        runtime,
    }
}

/// Brings a map into the shape in which it is kept and compared.
#[derive(Clone, Copy)]
pub(super) struct Tidy<'a> {
    pub(super) simplify: Simplify<'a>,
}

impl Tidy<'_> {
    /// Simplified, with one runtime variable for each value, without range and runtime variables that do
    /// not matter, with names in order. `None` when the map is nowhere defined.
    pub(super) fn apply(self, map: &OperandMap) -> Result<Option<OperandMap>, ExprError> {
        let simplified = (self.simplify)(&with_indices(map));
        if simplified.domain().is_known_empty() || has_an_impossible_constraint(simplified.domain())
        {
            return Ok(None);
        }
        let mut map = without_indices(simplified, map);
        while let Some((kept, merged)) = equal_values(&map.runtime) {
            map = merge(&map, kept, merged)?;
        }
        let map = without_unused(&map)?;
        Ok((!map.map.domain().is_known_empty()).then_some(map))
    }

    /// [`Tidy::apply`] on each map of a union.
    pub(super) fn reads(self, reads: &Reads) -> Result<Reads, ExprError> {
        let Reads::Maps(maps) = reads else {
            return Ok(reads.clone());
        };
        let mut union = Union::default();
        for map in maps {
            if let Some(map) = self.apply(map)? {
                union.insert(map)?;
            }
        }
        Ok(Reads::Maps(union.into_maps()))
    }
}

/// Is there a constraint that no values of the variables satisfy, seen by their intervals alone? What
/// cannot be read through an op need not be known, whatever the simplifier sees.
fn has_an_impossible_constraint(domain: &Domain) -> bool {
    let bounds = |id| domain.bounds(id);
    domain.constraints().iter().any(|constraint| {
        let values = interval_of(&constraint.expr, &bounds);
        values.intersect(constraint.bounds).is_empty()
    })
}

/// Two different variables for the same value, the one that is mentioned first first.
fn equal_values(runtime: &[RuntimeVariable]) -> Option<(VariableId, VariableId)> {
    runtime.iter().enumerate().find_map(|(position, later)| {
        let same = |earlier: &&RuntimeVariable| {
            earlier.source == later.source
                && earlier.index == later.index
                && earlier.clamp == later.clamp
        };
        runtime[..position]
            .iter()
            .find(same)
            .map(|earlier| (earlier.variable, later.variable))
    })
}

/// `merged` becomes `kept`, which then satisfies what both did.
fn merge(map: &OperandMap, kept: VariableId, merged: VariableId) -> Result<OperandMap, ExprError> {
    let domain = map.map.domain();
    let mut renumbered: Vec<Expr> = all_variables(domain).map(Expr::variable).collect();
    if let Some(image) = renumbered.get_mut(merged.index()) {
        *image = Expr::variable(kept);
    }
    let mut both = Domain::new(domain.variables().to_vec());
    both.constrain(&Expr::variable(kept), domain.bounds(merged));
    let runtime = map
        .runtime
        .iter()
        .filter(|runtime| runtime.variable != merged)
        .cloned()
        .collect();
    substitute(map, both, &renumbered, runtime)
}

fn all_variables(domain: &Domain) -> impl Iterator<Item = VariableId> {
    (0..domain.variables().len() as u32).map(VariableId)
}

/// `map` over the variables of `domain`, with `images[i]` in the place of variable `i`.
fn substitute(
    map: &OperandMap,
    mut domain: Domain,
    images: &[Expr],
    runtime: Vec<RuntimeVariable>,
) -> Result<OperandMap, ExprError> {
    for constraint in map.map.domain().constraints() {
        domain.constrain(&constraint.expr.substitute(images)?, constraint.bounds);
    }
    let apply = |list: &[Expr]| -> Result<Vec<Expr>, ExprError> {
        list.iter().map(|expr| expr.substitute(images)).collect()
    };
    let mut renumbered = Vec::with_capacity(runtime.len());
    for variable in runtime {
        let image = images.get(variable.variable.index());
        renumbered.push(RuntimeVariable {
            variable: image
                .and_then(Expr::as_variable)
                .unwrap_or(variable.variable),
            index: apply(&variable.index)?,
            ..variable
        });
    }
    Ok(OperandMap {
        map: IndexingMap::new(domain, apply(map.map.results())?),
        exactness: map.exactness.clone(),
        runtime: renumbered,
    })
}

/// Without the range and runtime variables that neither a result, nor a constraint, nor the index of
/// a runtime variable that stays mentions; the others named `d0.., s0.., rt0..` in order.
fn without_unused(map: &OperandMap) -> Result<OperandMap, ExprError> {
    let domain = map.map.domain();
    let mut used = BTreeSet::new();
    for result in map.map.results() {
        result.collect_variables(&mut used);
    }
    for constraint in domain.constraints() {
        constraint.expr.collect_variables(&mut used);
    }
    // Indices mention earlier runtime variables only, so one pass from the last to the first is enough.
    for runtime in map.runtime.iter().rev() {
        if used.contains(&runtime.variable) {
            for index in &runtime.index {
                index.collect_variables(&mut used);
            }
        }
    }
    let stays = |id: VariableId, kind| kind == VariableKind::Dimension || used.contains(&id);
    let keep: Vec<VariableId> = all_variables(domain)
        .zip(domain.variables())
        .filter(|(id, variable)| stays(*id, variable.kind))
        .map(|(id, _)| id)
        .collect();
    let runtime = map
        .runtime
        .iter()
        .filter(|runtime| used.contains(&runtime.variable))
        .cloned()
        .collect();
    reordered(map, &keep, runtime)
}

/// The map with exactly the variables `order`, in this order within each kind, named in order.
fn reordered(
    map: &OperandMap,
    order: &[VariableId],
    runtime: Vec<RuntimeVariable>,
) -> Result<OperandMap, ExprError> {
    let domain = map.map.domain();
    let mut images: Vec<Expr> = all_variables(domain).map(Expr::variable).collect();
    let mut variables = Vec::with_capacity(order.len());
    for (kind, stem) in [
        (VariableKind::Dimension, "d"),
        (VariableKind::Range, "s"),
        (VariableKind::Runtime, "rt"),
    ] {
        let of_kind = order
            .iter()
            .filter(|id| kind_of(domain, **id) == Some(kind));
        for (number, id) in of_kind.enumerate() {
            if let Some(image) = images.get_mut(id.index()) {
                *image = Expr::variable(VariableId(variables.len() as u32));
            }
            let name = format!("{stem}{number}");
            variables.push(Variable::new(name, kind, domain.bounds(*id)));
        }
    }
    substitute(map, Domain::new(variables), &images, runtime)
}

fn kind_of(domain: &Domain, id: VariableId) -> Option<VariableKind> {
    domain
        .variables()
        .get(id.index())
        .map(|variable| variable.kind)
}

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
            Some(position) if map.exactness == super::reads::Exactness::Exact => {
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
