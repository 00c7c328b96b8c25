//! Rewrites compiled for the e-graph, indexed by the root of their left sides.

use super::size::Shape;
use crate::rule::matching::{Matcher, Operator};
use crate::rule::{Rule, RuleId, RuleSet, Statement, Term};

/// A rewrite.
#[derive(Clone, Debug)]
pub struct Rewriting {
    pub rule: RuleId,
    /// The right side.
    pub right: Term,
    pub size: Shape,
}

/// Rules that differ only in their right sides: matches are shared.
#[derive(Clone, Debug)]
pub struct Family {
    /// The compiled left side.
    pub matcher: Matcher,
    /// Members in the order of their files.
    pub members: Vec<Rewriting>,
}

/// The rewrites of a rule set.
#[derive(Clone, Debug, Default)]
pub struct Rewritings {
    all: Vec<Family>,
    /// Indices by the root operator of a left side; those of sums last.
    by_root: [Vec<usize>; 5],
}

impl Rewritings {
    /// Compiles the rules for which `is_fired` that are rewrites.
    pub fn of(rules: &RuleSet, is_fired: impl Fn(RuleId) -> bool) -> Rewritings {
        let mut all: Vec<Family> = Vec::new();
        for (id, rule) in (0u16..).map(RuleId).zip(rules.rules()) {
            let Statement::Rewrite(_, right) = &rule.statement else {
                continue;
            };
            let Some(matcher) = Matcher::new(rule).ok().filter(|_| is_fired(id)) else {
                continue;
            };
            let member = Rewriting {
                rule: id,
                right: right.clone(),
                size: Shape::of(right),
            };
            let is_like = |family: &&mut Family| {
                let first = family.members.first();
                first.is_some_and(|first| is_alike(rules.rule(first.rule), rule))
            };
            match all.iter_mut().find(is_like) {
                Some(family) => family.members.push(member),
                None => all.push(Family {
                    matcher,
                    members: vec![member],
                }),
            }
        }
        let mut by_root: [Vec<usize>; 5] = Default::default();
        for (index, one) in all.iter().enumerate() {
            let root = one.matcher.root();
            let place = root.map_or(Operator::ALL.len(), |operator| operator as usize);
            by_root[place].push(index);
        }
        Rewritings { all, by_root }
    }

    /// Iterates over the families whose left side has this root operator, or is a sum (`None`), and has only these
    /// operators (one bit each), in the order of their files.
    pub fn at(&self, root: Option<Operator>, operators: u8) -> impl Iterator<Item = &Family> {
        let place = root.map_or(Operator::ALL.len(), |operator| operator as usize);
        let at_root = self.by_root[place].iter().map(|index| &self.all[*index]);
        at_root.filter(move |one| one.matcher.needs_only(operators))
    }

    /// Whether a rule is among them.
    pub fn has(&self, rule: RuleId) -> bool {
        let mut members = self.all.iter().flat_map(|family| &family.members);
        members.any(|member| member.rule == rule)
    }
}

/// Whether two rules have the same left side, conditions and hints.
fn is_alike(x: &Rule, y: &Rule) -> bool {
    let left = |rule: &Rule| match &rule.statement {
        Statement::Rewrite(left, _) => Some(left.clone()),
        _ => None,
    };
    left(x) == left(y)
        && x.conditions == y.conditions
        && (&x.splits, &x.witnesses) == (&y.splits, &y.witnesses)
        && x.constants.len() == y.constants.len()
        && x.expressions.len() == y.expressions.len()
}
