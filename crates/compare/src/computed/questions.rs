//! The questions of a comparison: whether two views are the same. Folds ask about the same arrays in many spaces.
//!
//! Law: two views are the same over a space if they are the same without a dimension that all maps bound alike and that no result
//! or constraint depends on, and with a dimension's only index in its place. The order of dimensions does not matter. Views that
//! are the same are so at any points: if each of two maps is one of two views that are the same, after the same map into their
//! space, they are the same, too.

use super::constant::Constant;
use super::frames::At;
use super::verdict::Verdict;
use affinor::expr::{Domain, Expr, ExprKind, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor_ops::indexing::OperandMap;
use std::collections::{BTreeMap, BTreeSet};

/// Two views over the same space; elements that equal the constant are excluded.
#[derive(PartialEq)]
pub(super) struct Question {
    pub(super) maps: [Vec<OperandMap>; 2],
    pub(super) without: Option<Constant>,
}

/// The questions about pairs of arrays that were answered.
#[derive(Default)]
pub(super) struct Answers(BTreeMap<[At; 2], Vec<(Question, Verdict)>>);

impl Answers {
    pub(super) fn add(&mut self, places: [At; 2], question: Question, verdict: Verdict) {
        self.0.entry(places).or_default().push((question, verdict));
    }

    /// Forgets the questions whose views were not found to be the same.
    pub(super) fn forget_open(&mut self) {
        self.0.values_mut().for_each(|all| all.retain(|(_, verdict)| verdict.is_same()));
    }

    /// Returns the answer to a question, which may follow from that to another.
    pub(super) fn find(&self, places: &[At; 2], question: &Question) -> Option<Verdict> {
        let known = self.0.get(places)?;
        let found = known.iter().find(|(known, _)| known == question);
        if let Some((_, verdict)) = found {
            return Some(verdict.clone());
        }
        let follows = known.iter().any(|(known, verdict)| {
            verdict.is_same()
                && known.without == question.without
                && is_part_of(question, known).unwrap_or_default()
        });
        follows.then_some(Verdict::Same)
    }
}

/// Returns whether some map from the space of a question into that of a wider one gives the views of the one from those of the
/// other; `None` if none is found.
fn is_part_of(question: &Question, wider: &Question) -> Option<bool> {
    let only = |maps: &'_ [OperandMap]| match maps {
        [one] if one.runtime.is_empty() => Some(one.map.clone()),
        _ => None,
    };
    let parts = [only(&question.maps[0])?, only(&question.maps[1])?];
    let whole = [only(&wider.maps[0])?, only(&wider.maps[1])?];
    let domain = whole[0].domain();
    let is_box = |domain: &Domain| domain.constraints().is_empty() && !domain.is_known_empty();
    (is_box(domain) && is_box(whole[1].domain())).then_some(())?;
    let mut places: Vec<Option<Expr>> = vec![None; domain.variables().len()];
    for (part, whole) in parts.iter().zip(&whole) {
        for (index, result) in part.results().iter().zip(whole.results()) {
            if let ExprKind::Variable(id) = result.kind() {
                places.get_mut(id.0 as usize)?.get_or_insert_with(|| index.clone());
            }
        }
    }
    let places = places.into_iter().collect::<Option<Vec<Expr>>>()?;
    Some(parts.iter().zip(&whole).all(|(part, whole)| {
        let is_inside =
            |(place, bounds): (&Expr, Interval)| bounds.contains_all(part.domain().range_of(place));
        let is_equal = |(index, result): (&Expr, &Expr)| {
            result.substitute(&places).is_ok_and(|result| result == *index)
        };
        part.domain() == parts[0].domain()
            && places.iter().zip(whole.domain().intervals()).all(is_inside)
            && part.results().iter().zip(whole.results()).all(is_equal)
    }))
}

/// Returns the sizes and the maps without those dimensions; `None` if all dimensions matter, and for maps that depend on runtime
/// values.
pub(super) fn without_context(
    sizes: &[i64],
    sides: [&[OperandMap]; 2],
) -> Option<(Vec<i64>, [Vec<OperandMap>; 2])> {
    let all = || sides.into_iter().flatten();
    let is_plain = |one: &OperandMap| {
        let domain = one.map.domain();
        let variables = domain.variables();
        one.runtime.is_empty()
            && !domain.is_known_empty()
            && variables.len() == sizes.len()
            && variables.iter().all(|variable| variable.kind == VariableKind::Dimension)
    };
    let first = all().next()?.map.domain();
    all().all(is_plain).then_some(())?;
    let are_bounded_alike =
        |id: VariableId| all().all(|one| one.map.domain().bounds(id) == first.bounds(id));
    let matters =
        |id: &VariableId| !are_bounded_alike(*id) || first.bounds(*id).as_point().is_none();
    let kept: Vec<VariableId> = in_order(all()).into_iter().filter(matters).collect();
    let ids = || (0..).map(VariableId).take(sizes.len());
    ids().all(|id| kept.contains(&id) || are_bounded_alike(id)).then_some(())?;
    (!kept.iter().copied().eq(ids())).then_some(())?;
    let number = |id: VariableId| (0..).zip(&kept).find(|(_, one)| **one == id);
    let places: Vec<Expr> = ids()
        .map(|id| match number(id) {
            Some((number, _)) => Expr::variable(VariableId(number)),
            None => Expr::constant(first.bounds(id).lo()),
        })
        .collect();
    let over_kept = |one: &OperandMap| {
        let variables = kept.iter().zip(0..).map(|(id, number)| {
            let bounds = one.map.domain().bounds(*id);
            Variable::new(format!("d{number}"), VariableKind::Dimension, bounds)
        });
        let domain = Domain::new(variables.collect());
        Some(OperandMap { map: one.map.substituted(domain, &places).ok()?, ..one.clone() })
    };
    let [old, new] = sides.map(|maps| maps.iter().map(over_kept).collect::<Option<Vec<_>>>());
    let sizes = kept.iter().map(|id| sizes[id.0 as usize]).collect();
    Some((sizes, [old?, new?]))
}

/// Returns the variables of results and constraints, in the order in which they first occur.
fn in_order<'m>(maps: impl Iterator<Item = &'m OperandMap>) -> Vec<VariableId> {
    let mut found = Vec::new();
    for one in maps {
        let constraints = one.map.domain().constraints().iter().map(|constraint| &constraint.expr);
        for expr in one.map.results().iter().chain(constraints) {
            let mut used = BTreeSet::new();
            expr.collect_variables(&mut used);
            found.extend(used.into_iter().filter(|id| !found.contains(id)).collect::<Vec<_>>());
        }
    }
    found
}
