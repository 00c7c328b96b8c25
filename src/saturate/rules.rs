//! Rules made ready for firing in an e-graph, by what their left sides begin with.

use crate::rule::matching::{Matcher, Operator};
use crate::rule::{RuleId, RuleSet, Statement, Term};

/// A rule that rewrites terms.
#[derive(Clone, Debug)]
pub struct Rewriting {
    /// Its number.
    pub rule: RuleId,
    /// Where it may fire.
    pub matcher: Matcher,
    /// What takes the place of the left side.
    pub right: Term,
}

/// The rules of a set that rewrite terms.
#[derive(Clone, Debug, Default)]
pub struct Rewritings {
    all: Vec<Rewriting>,
    /// Positions by the operator that a left side begins with; those of sums last.
    by_root: [Vec<usize>; 5],
}

impl Rewritings {
    /// Those of the rules for which `is_fired` that replace one term by another.
    pub fn of(rules: &RuleSet, is_fired: impl Fn(RuleId) -> bool) -> Rewritings {
        let numbered = (0u16..).map(RuleId).zip(rules.rules());
        let all = numbered.filter_map(|(id, rule)| {
            let Statement::Rewrite(_, right) = &rule.statement else {
                return None;
            };
            let matcher = Matcher::new(rule).ok().filter(|_| is_fired(id))?;
            Some(Rewriting {
                rule: id,
                matcher,
                right: right.clone(),
            })
        });
        let all: Vec<Rewriting> = all.collect();
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
    pub fn at(&self, root: Option<Operator>, operators: u8) -> impl Iterator<Item = &Rewriting> {
        let place = root.map_or(Operator::ALL.len(), |operator| operator as usize);
        let at_root = self.by_root[place].iter().map(|index| &self.all[*index]);
        at_root.filter(move |one| one.matcher.needs_only(operators))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Rewriting> {
        self.all.iter()
    }
}
