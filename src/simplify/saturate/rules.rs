//! Rules made ready for firing in an e-graph, by what their left sides begin with.

use crate::rule::matching::{Matcher, Operator};
use crate::rule::{Rule, RuleId, RuleSet, Statement, Term};

/// A rule that rewrites terms.
#[derive(Clone, Debug)]
pub struct Rewriting {
    pub rule: RuleId,
    /// What takes the place of the left side.
    pub right: Term,
}

/// Rules that differ in their right sides alone: what is found for one is found for all.
#[derive(Clone, Debug)]
pub struct Family {
    /// Where they may fire.
    pub matcher: Matcher,
    /// In the order of their files.
    pub members: Vec<Rewriting>,
}

/// The rules of a set that rewrite terms.
#[derive(Clone, Debug, Default)]
pub struct Rewritings {
    all: Vec<Family>,
    /// Positions by the operator that a left side begins with; those of sums last.
    by_root: [Vec<usize>; 5],
}

impl Rewritings {
    /// Those of the rules for which `is_fired` that replace one term by another.
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

    /// Those whose left side begins with an operation, or is a sum (`None`), and needs no other operations than
    /// these, one bit for each, in the order of their files.
    pub fn at(&self, root: Option<Operator>, operators: u8) -> impl Iterator<Item = &Family> {
        let place = root.map_or(Operator::ALL.len(), |operator| operator as usize);
        let at_root = self.by_root[place].iter().map(|index| &self.all[*index]);
        at_root.filter(move |one| one.matcher.needs_only(operators))
    }

    /// Is it one of them?
    pub fn has(&self, rule: RuleId) -> bool {
        let mut members = self.all.iter().flat_map(|family| &family.members);
        members.any(|member| member.rule == rule)
    }
}

/// Do two rules have the same left side, under the same conditions and with the same hints?
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
