//! Rewrites compiled for the e-graph, indexed by the root of their left sides.

use super::size::Shape;
use crate::rule::matching::{Matcher, Operator, Outline};
use crate::rule::{Rule, RuleId, RuleSet, Statement, Term};
use serde::{Deserialize, Serialize};

/// A rewrite.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rewriting {
    pub rule: RuleId,
    /// Whether the search tries it.
    pub is_tried: bool,
    /// The number of operations by which the right side may seem to exceed the known form.
    pub larger: u32,
    /// The right side.
    pub right: Term,
    pub size: Shape,
}

/// Rules that differ only in their right sides: matches are shared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Family {
    /// The compiled left side.
    pub matcher: Matcher,
    /// Members in the order of their files.
    pub members: Vec<Rewriting>,
}

impl Family {
    /// Returns the members that the search tries.
    pub fn tried(&self) -> impl Iterator<Item = &Rewriting> + Clone {
        self.members.iter().filter(|member| member.is_tried)
    }

    /// Returns whether one of several forms of a value can match.
    pub fn has_room(&self, forms: &[Outline]) -> bool {
        forms.iter().any(|form| self.matcher.has_room(form))
    }
}

/// The rewrites of a rule set.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Rewritings {
    all: Vec<Family>,
    /// Family indices by the root operator of the left side; those of sums come last.
    by_root: [Vec<usize>; 5],
    /// The indices of families with a rule that the search tries, in the same arrangement.
    tried: [Vec<usize>; 5],
}

impl Rewritings {
    /// Compiles the rewrites for which `is_fired` holds.
    pub fn of(rules: &RuleSet, is_fired: impl Fn(RuleId) -> bool) -> Rewritings {
        let mut all: Vec<Family> = Vec::new();
        for (id, rule) in (0u16..).map(RuleId).zip(rules.rules()) {
            let Statement::Rewrite(_, right) = &rule.statement else {
                continue;
            };
            if !is_fired(id) {
                continue;
            }
            let member = Rewriting {
                rule: id,
                is_tried: rule.role.is_tried(),
                larger: rule.larger,
                right: right.clone(),
                size: Shape::of(right),
            };
            let is_like = |family: &&mut Family| {
                let first = family.members.first();
                first.is_some_and(|first| is_alike(rules.rule(first.rule), rule))
            };
            // A rule similar to another can be matched if that rule can.
            if let Some(family) = all.iter_mut().find(is_like) {
                family.members.push(member);
            } else if let Ok(matcher) = Matcher::new(rule) {
                all.push(Family { matcher, members: vec![member] });
            }
        }
        let mut by_root: [Vec<usize>; 5] = Default::default();
        for (index, one) in all.iter().enumerate() {
            by_root[place(one.matcher.root())].push(index);
        }
        // A family is ordered by its first rule, here the first that is tried.
        let tried = by_root.clone().map(|mut indices| {
            let first = |index: &usize| all[*index].tried().next().map(|one| one.rule);
            indices.retain(|index| first(index).is_some());
            indices.sort_by_key(first);
            indices
        });
        Rewritings { all, by_root, tried }
    }

    /// Iterates over the families whose left side has this root operator, or is a sum (`None`), and has only these
    /// operators (one bit each), in the order of their files.
    pub fn at(&self, root: Option<Operator>, operators: u8) -> impl Iterator<Item = &Family> {
        self.among(&self.by_root[place(root)], operators)
    }

    /// Like [`Rewritings::at`], for the families with a rule that the search tries.
    pub fn tried_at(&self, root: Option<Operator>, operators: u8) -> impl Iterator<Item = &Family> {
        self.among(&self.tried[place(root)], operators)
    }

    fn among<'r>(
        &'r self,
        indices: &'r [usize],
        operators: u8,
    ) -> impl Iterator<Item = &'r Family> {
        let families = indices.iter().map(|index| &self.all[*index]);
        families.filter(move |one| one.matcher.needs_only(operators))
    }

    /// Returns whether it contains a rule.
    pub fn has(&self, rule: RuleId) -> bool {
        let mut members = self.all.iter().flat_map(|family| &family.members);
        members.any(|member| member.rule == rule)
    }
}

/// Returns the position of a root in an index.
fn place(root: Option<Operator>) -> usize {
    root.map_or(Operator::ALL.len(), |operator| operator as usize)
}

/// Returns whether two rules have the same left side, conditions and hints.
fn is_alike(x: &Rule, y: &Rule) -> bool {
    let is_same = match (&x.statement, &y.statement) {
        (Statement::Rewrite(x, _), Statement::Rewrite(y, _)) => x == y,
        _ => false,
    };
    is_same
        && x.conditions == y.conditions
        && (&x.splits, &x.witnesses) == (&y.splits, &y.witnesses)
        && x.constants.len() == y.constants.len()
        && x.expressions.len() == y.expressions.len()
}
