//! The normal form of maps.
//!
//! Law: [`Tidy::apply`] preserves, for the same tensors behind the runtime variables, the set of elements read, and is
//! idempotent up to the simplifier.

use super::projected::projected;
use super::reads::{OperandMap, RuntimeVariable};
use super::sequence::{with_indices, without_indices};
use affinor::expr::{
    Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind, interval_of,
};
use std::collections::BTreeSet;

/// A simplifier of maps: preserves the variables, the domain's points, and the values there.
pub type Simplify<'a> = &'a (dyn Fn(&IndexingMap) -> IndexingMap + Sync);

/// Normalizes maps.
#[derive(Clone, Copy)]
pub(super) struct Tidy<'a> {
    pub(super) simplify: Simplify<'a>,
    /// Whether it does not matter how often an element is read.
    pub(super) projects: bool,
}

impl Tidy<'_> {
    /// Simplifies, merges runtime variables for the same value, drops irrelevant range and runtime variables, and
    /// renames in order. `None` if the domain is empty.
    pub(super) fn apply(self, map: &OperandMap) -> Result<Option<OperandMap>, ExprError> {
        let simplified = (self.simplify)(&with_indices(map));
        if self.projects && !simplified.domain().is_known_empty() {
            let whole = without_indices(simplified.clone(), map);
            let fewer = projected(&whole)?;
            if fewer != whole {
                let simplified = (self.simplify)(&with_indices(&fewer));
                return Ok(self.left(simplified, &fewer)?.map(|tidied| tidied.map));
            }
        }
        Ok(self.left(simplified, map)?.map(|tidied| tidied.map))
    }

    /// As [`Tidy::apply`], of `map` [`with_indices`] that is simplified already.
    pub(super) fn left(
        self,
        simplified: IndexingMap,
        map: &OperandMap,
    ) -> Result<Option<Tidied>, ExprError> {
        if simplified.domain().is_known_empty() || has_an_impossible_constraint(simplified.domain())
        {
            return Ok(None);
        }
        let mut map = without_indices(simplified, map);
        let mut merges = Vec::new();
        while let Some((kept, merged)) = equal_values(&map.runtime) {
            map = merge(&map, kept, merged)?;
            merges.push((kept, merged));
        }
        let Tidied { map, mut variables } = without_unused(&map)?;
        // The last merges come first: a variable may have been merged twice.
        for (kept, merged) in merges.into_iter().rev() {
            variables[merged.index()] = variables[kept.index()];
        }
        Ok((!map.map.domain().is_known_empty()).then_some(Tidied { map, variables }))
    }
}

/// A map in normal form.
pub(super) struct Tidied {
    pub(super) map: OperandMap,
    /// For each variable of the map before, the one that has its value; `None` if none has.
    pub(super) variables: Vec<Option<VariableId>>,
}

/// Whether a constraint is unsatisfiable by intervals alone. Reads through an op that cannot happen must not depend on
/// the strength of the simplifier.
fn has_an_impossible_constraint(domain: &Domain) -> bool {
    let bounds = |id| domain.bounds(id);
    domain.constraints().iter().any(|constraint| {
        let values = interval_of(&constraint.expr, &bounds);
        values.intersect(constraint.bounds).is_empty()
    })
}

/// Two distinct variables for the same value, the one used first first.
fn equal_values(runtime: &[RuntimeVariable]) -> Option<(VariableId, VariableId)> {
    runtime.iter().enumerate().find_map(|(position, later)| {
        let same = |earlier: &&RuntimeVariable| {
            earlier.source == later.source
                && earlier.index == later.index
                && earlier.clamp == later.clamp
        };
        runtime[..position].iter().find(same).map(|earlier| (earlier.variable, later.variable))
    })
}

/// Merges `merged` into `kept`, which then satisfies the constraints of both.
fn merge(map: &OperandMap, kept: VariableId, merged: VariableId) -> Result<OperandMap, ExprError> {
    let domain = map.map.domain();
    let mut renumbered: Vec<Expr> = all_variables(domain).map(Expr::variable).collect();
    if let Some(image) = renumbered.get_mut(merged.index()) {
        *image = Expr::variable(kept);
    }
    let mut both = Domain::new(domain.variables().to_vec());
    both.constrain(&Expr::variable(kept), domain.bounds(merged));
    map.substituted(both, &renumbered, values(map, |id| id != merged))
}

fn all_variables(domain: &Domain) -> impl Iterator<Item = VariableId> {
    (0..domain.variables().len() as u32).map(VariableId)
}

/// Without the range and runtime variables, and the parameters, that neither a result, nor a constraint, nor the index of
/// a runtime variable that stays mentions; the others named `d0.., s0.., rt0..` in order. A runtime
/// variable whose value may lie outside its bounds stays: it says where the map is defined.
fn without_unused(map: &OperandMap) -> Result<Tidied, ExprError> {
    let domain = map.map.domain();
    let mut used = BTreeSet::new();
    for result in map.map.results() {
        result.collect_variables(&mut used);
    }
    for constraint in domain.constraints() {
        constraint.expr.collect_variables(&mut used);
    }
    for runtime in &map.runtime {
        let bounds = domain.bounds(runtime.variable);
        if !bounds.contains_all(runtime.clamp) {
            used.insert(runtime.variable);
        }
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
    let mut variables = vec![None; domain.variables().len()];
    // Kinds stand in their order, so the variables that stay keep theirs.
    for (number, id) in (0..).map(VariableId).zip(&keep) {
        variables[id.index()] = Some(number);
    }
    let map = reordered(map, &keep, values(map, |id| used.contains(&id)))?;
    Ok(Tidied { map, variables })
}

/// The runtime variables of a map for which `stays` holds.
fn values(map: &OperandMap, stays: impl Fn(VariableId) -> bool) -> Vec<RuntimeVariable> {
    let values = map.runtime.iter();
    values.filter(|value| stays(value.variable)).cloned().collect()
}

/// The map with exactly the variables `order`, in this order within each kind, named in order but for parameters.
pub(super) fn reordered(
    map: &OperandMap,
    order: &[VariableId],
    runtime: Vec<RuntimeVariable>,
) -> Result<OperandMap, ExprError> {
    let domain = map.map.domain();
    let mut images: Vec<Expr> = all_variables(domain).map(Expr::variable).collect();
    let mut variables = Vec::with_capacity(order.len());
    let named = order.iter().filter(|id| kind_of(domain, **id) == Some(VariableKind::Parameter));
    let named = named.filter_map(|id| Some((*id, domain.variables().get(id.index())?)));
    let named: Vec<(VariableId, &Variable)> = named.collect();
    let mut place = |id: VariableId, variable: Variable| {
        if let Some(image) = images.get_mut(id.index()) {
            *image = Expr::variable(VariableId(variables.len() as u32));
        }
        variables.push(variable);
    };
    for (kind, stem) in
        [(VariableKind::Dimension, "d"), (VariableKind::Range, "s"), (VariableKind::Runtime, "rt")]
    {
        let of_kind = order.iter().filter(|id| kind_of(domain, **id) == Some(kind));
        let names = (0u32..).map(|number| format!("{stem}{number}"));
        let names = names.filter(|name| named.iter().all(|(_, taken)| *taken.name != **name));
        for (name, id) in names.zip(of_kind) {
            place(*id, Variable::new(name, kind, domain.bounds(*id)));
        }
    }
    for (id, variable) in &named {
        place(*id, Variable::clone(variable));
    }
    map.substituted(Domain::new(variables), &images, runtime)
}

fn kind_of(domain: &Domain, id: VariableId) -> Option<VariableKind> {
    domain.variables().get(id.index()).map(|x| x.kind)
}
