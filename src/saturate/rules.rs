//! Rules made ready for firing in an e-graph, by what their left sides begin with.

use crate::rule::matching::{Matcher, Operator};
use crate::rule::{RuleId, RuleSet, Statement, Term};

/// A rule that rewrites terms.
#[derive(Clone, Debug)]
pub struct Rewriting {
    /// Its number.
    pub rule: RuleId,
    pub(super) matcher: Matcher,
    /// What takes the place of the left side.
    pub(super) right: Term,
}

/// The rules of a set that rewrite terms.
#[derive(Clone, Debug, Default)]
pub struct Rewritings {
    all: Vec<Rewriting>,
}

impl Rewritings {
    /// Those of the rules for which `is_fired` that replace one term by another.
    pub fn of(rules: &RuleSet, is_fired: impl Fn(RuleId) -> bool) -> Rewritings {
        let numbered = (0u16..).map(RuleId).zip(rules.rules());
        let all = numbered.filter_map(|(id, rule)| {
            let mut rule = rule.clone();
            if let Statement::Fact(facts) = &rule.statement
                && std::env::var("FACTS").is_ok()
                && let [c] = facts.as_slice()
                && c.relation == crate::rule::Relation::Equal
                && matches!(
                    c.lhs,
                    Term::FloorDiv(..) | Term::Mod(..) | Term::Min(..) | Term::Max(..)
                )
            {
                rule.statement = Statement::Rewrite(c.lhs.clone(), c.rhs.clone());
            }
            let rule = &rule;
            let Statement::Rewrite(_, right) = &rule.statement else {
                return None;
            };
            if std::env::var("LIST").is_ok() {
                eprintln!("{} {:?}", rule.name, Matcher::new(rule).err());
            }
            let matcher = Matcher::new(rule).ok().filter(|_| is_fired(id))?;
            Some(Rewriting {
                rule: id,
                matcher,
                right: right.clone(),
            })
        });
        Rewritings { all: all.collect() }
    }

    /// Those whose left side begins with an operation, or is a sum (`None`), in the order of their files.
    pub(super) fn at(&self, root: Option<Operator>) -> impl Iterator<Item = &Rewriting> {
        let at_root = move |one: &&Rewriting| one.matcher.root() == root;
        self.all.iter().filter(at_root)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Rewriting> {
        self.all.iter()
    }
}
