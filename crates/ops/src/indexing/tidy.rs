//! The normal form of maps.
//!
//! Law: [`Tidy::apply`] preserves, for the same values of the tensors, the set of elements read, and is
//! idempotent up to the simplifier.

use super::projected::projected;
use super::reads::{OperandMap, RuntimeVariable};
use super::sequence::{with_indices, without_indices};
use affinor::expr::{
    Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind, interval_of,
};
use std::collections::BTreeSet;

/// A simplifier of maps: preserves the variables, the points of the domain, and the values there.
pub type Simplify<'a> = &'a (dyn Fn(&IndexingMap) -> IndexingMap + Sync);

/// Normalizes maps.
#[derive(Clone, Copy)]
pub(super) struct Tidy<'a> {
    pub(super) simplify: Simplify<'a>,
    /// Whether the number of reads of an element is irrelevant.
    pub(super) projects: bool,
}

impl Tidy<'_> {
    /// Simplifies, merges runtime variables for the same value, drops irrelevant range and runtime variables, and renames the
    /// others in order. Returns `None` if the domain is empty.
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

    /// [`Tidy::apply`] for a map whose [`with_indices`] is simplified already.
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
        // The last merges are replayed first, since a variable may have been merged twice.
        for (kept, merged) in merges.into_iter().rev() {
            variables[merged.index()] = variables[kept.index()];
        }
        Ok((!map.map.domain().is_known_empty()).then_some(Tidied { map, variables }))
    }
}

/// A map in normal form.
pub(super) struct Tidied {
    pub(super) map: OperandMap,
    /// For each variable of the original map, the variable that has its value; `None` if it was dropped.
    pub(super) variables: Vec<Option<VariableId>>,
}

/// Returns whether a constraint is unsatisfiable by intervals alone. Impossible reads through an op must be recognized
/// regardless of the strength of the simplifier.
fn has_an_impossible_constraint(domain: &Domain) -> bool {
    let bounds = |id| domain.bounds(id);
    domain.constraints().iter().any(|constraint| {
        let values = interval_of(&constraint.expr, &bounds);
        values.intersect(constraint.bounds).is_empty()
    })
}

/// Returns two distinct variables for the same value, the one used first coming first.
fn equal_values(runtime: &[RuntimeVariable]) -> Option<(VariableId, VariableId)> {
    runtime.iter().enumerate().find_map(|(position, later)| {
        let same = |earlier: &&RuntimeVariable| {
            earlier.source == later.source
                && earlier.index == later.index
                && earlier.clamp == later.clamp
                && earlier.is_choice == later.is_choice
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

/// Drops the range and runtime variables, and the parameters, that occur neither in a result, nor in a constraint, nor in the
/// index of a remaining runtime variable; names the others `d0.., s0.., rt0..` in order. A runtime variable whose value may be
/// outside its bounds is kept, since it restricts the domain.
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
    // Indices use earlier runtime variables only, so one pass from last to first suffices.
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
    // Variables are ordered by kind, so the remaining ones keep their kinds.
    for (number, id) in (0..).map(VariableId).zip(&keep) {
        variables[id.index()] = Some(number);
    }
    let map = reordered(map, &keep, values(map, |id| used.contains(&id)))?;
    Ok(Tidied { map, variables })
}

/// Returns the runtime variables of a map for which `stays` holds.
fn values(map: &OperandMap, stays: impl Fn(VariableId) -> bool) -> Vec<RuntimeVariable> {
    let values = map.runtime.iter();
    values.filter(|value| stays(value.variable)).cloned().collect()
}

/// Returns the map with exactly the variables `order`, in this order within each kind, renamed in order except for parameters.
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
