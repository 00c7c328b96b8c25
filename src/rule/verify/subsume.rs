//! Subsumption: whether a rule is an instance of another.
//!
//! The text of the other rule is matched against it: an expression variable matches any term, a constant a term without
//! expressions, sums and products match in any order, and one expression of a sum may match several summands. No
//! arithmetic is done: `x + 0` is not `x`. The conditions of the other rule must be proved to follow from those of this
//! one.

use super::judge::{Verdict, judge};
use crate::prove::Budget;
use crate::rule::{Condition, Relation, Rule, Statement, Term};

/// Returns whether `general` makes `special` redundant: wherever `special` applies, `general` states the same, and is tried
/// with the same splits. A rule whose left side is a bare variable is never searched for, so it subsumes nothing.
#[must_use]
pub fn subsumes(general: &Rule, special: &Rule, budget: &Budget) -> bool {
    let looked_for = special.splits.iter().all(|split| general.splits.contains(split))
        && general.splits.is_empty() == special.splits.is_empty();
    let bare = matches!(general.statement, Statement::Rewrite(Term::Expression(_), _));
    looked_for
        && !bare
        && matches_of(general, special).iter().any(|instance| {
            general.conditions.iter().all(|condition| follows(condition, instance, special, budget))
        })
}

/// Returns the first of `earlier` rules that subsumes a rule.
#[must_use]
pub fn subsumed_by<'r>(rule: &Rule, earlier: &'r [Rule], budget: &Budget) -> Option<&'r Rule> {
    earlier.iter().find(|general| subsumes(general, rule, budget))
}

/// Terms for the variables of the general rule.
#[derive(Clone, Debug)]
struct Instance {
    constants: Vec<Option<Term>>,
    expressions: Vec<Option<Term>>,
}

impl Instance {
    fn with(&self, variable: &Term, value: &Term) -> Option<Instance> {
        let mut instance = self.clone();
        let slot = match variable {
            Term::Constant(slot) if !value.has_expression() => {
                instance.constants.get_mut(*slot as usize)?
            }
            Term::Expression(slot) => instance.expressions.get_mut(*slot as usize)?,
            _ => return None,
        };
        match slot {
            Some(known) => (known == value).then_some(instance),
            None => {
                *slot = Some(value.clone());
                Some(instance)
            }
        }
    }

    /// Substitutes into a term of the general rule.
    fn of(&self, term: &Term) -> Option<Term> {
        match term {
            Term::Constant(slot) => self.constants.get(*slot as usize)?.clone(),
            Term::Expression(slot) => self.expressions.get(*slot as usize)?.clone(),
            Term::Lo(_) | Term::Hi(_) => None,
            _ => term.with_operands(|part| self.of(part)),
        }
    }
}

/// Returns all instances of the general statement that equal the special one.
fn matches_of(general: &Rule, special: &Rule) -> Vec<Instance> {
    let ((kind, patterns), (other, terms)) = (taken_apart(general), taken_apart(special));
    if kind != other {
        return Vec::new();
    }
    let nothing = Instance {
        constants: vec![None; general.constants.len()],
        expressions: vec![None; general.expressions.len()],
    };
    let pairs = patterns.into_iter().zip(terms);
    pairs.fold(vec![nothing], |instances, (pattern, term)| {
        let found = |instance| matched(pattern, term, &instance);
        instances.into_iter().flat_map(found).collect()
    })
}

/// Decomposes a statement into its shape, which must agree, and its terms in order, which may be instances.
fn taken_apart(rule: &Rule) -> ((usize, Vec<Relation>), Vec<&Term>) {
    let conjunctions: [&[Condition]; 2] = match &rule.statement {
        Statement::Rewrite(lhs, rhs) => return ((0, Vec::new()), vec![lhs, rhs]),
        Statement::Equivalence(lhs, rhs) => [lhs, rhs],
        Statement::Fact(facts) => [facts, &[]],
    };
    let all = || conjunctions.into_iter().flatten();
    let relations = all().map(|condition| condition.relation).collect();
    let terms = all().flat_map(Condition::sides).collect();
    let split = 1 + conjunctions[0].len() * 2 + usize::from(conjunctions[1].is_empty());
    ((split, relations), terms)
}

/// Returns all ways to match a pattern with a term.
fn matched(pattern: &Term, term: &Term, instance: &Instance) -> Vec<Instance> {
    let both = |x: &Term, y: &Term, a: &Term, b: &Term| -> Vec<Instance> {
        let first = matched(x, a, instance);
        first.iter().flat_map(|found| matched(y, b, found)).collect()
    };
    match (pattern, term) {
        (Term::Constant(_) | Term::Expression(_), _) => {
            instance.with(pattern, term).into_iter().collect()
        }
        (Term::Integer(x), Term::Integer(y)) if x == y => vec![instance.clone()],
        (Term::Sum(patterns), Term::Sum(terms)) => {
            let terms: Vec<&Term> = terms.iter().collect();
            summands(patterns, &terms, instance)
        }
        (Term::Product(x, y), Term::Product(a, b))
        | (Term::Min(x, y), Term::Min(a, b))
        | (Term::Max(x, y), Term::Max(a, b)) => [both(x, y, a, b), both(x, y, b, a)].concat(),
        (Term::FloorDiv(x, y), Term::FloorDiv(a, b)) | (Term::Mod(x, y), Term::Mod(a, b)) => {
            both(x, y, a, b)
        }
        _ => Vec::new(),
    }
}

/// Returns all ways to match patterns with summands in any order. If the last pattern is an expression, it may match the sum of
/// the rest.
fn summands(patterns: &[Term], terms: &[&Term], instance: &Instance) -> Vec<Instance> {
    let [pattern, others @ ..] = patterns else {
        return if terms.is_empty() { vec![instance.clone()] } else { Vec::new() };
    };
    if others.is_empty() && terms.len() > 1 && matches!(pattern, Term::Expression(_)) {
        let rest = Term::Sum(terms.iter().map(|term| (*term).clone()).collect());
        return matched(pattern, &rest, instance);
    }
    let mut found = Vec::new();
    for (position, term) in terms.iter().enumerate() {
        let mut rest = terms.to_vec();
        rest.remove(position);
        for instance in matched(pattern, term, instance) {
            found.extend(summands(others, &rest, &instance));
        }
    }
    found
}

/// Returns whether an instance of a condition of the general rule follows from the conditions of the special one.
fn follows(condition: &Condition, instance: &Instance, special: &Rule, budget: &Budget) -> bool {
    let (Some(lhs), Some(rhs)) = (instance.of(&condition.lhs), instance.of(&condition.rhs)) else {
        return false; // it has a variable that the statement does not mention
    };
    let wanted = Condition { lhs, relation: condition.relation, rhs };
    if special.conditions.contains(&wanted) {
        return true;
    }
    let question = Rule { statement: Statement::Fact(vec![wanted]), ..special.clone() };
    judge(&question, budget) == Verdict::Proved
}
