//! Rules with one change.

use affinor::rule::{Condition, Relation, Rule, Statement, Term};

/// A changed rule, and a description of the change.
pub struct Mutant {
    pub change: String,
    pub rule: Rule,
}

/// Returns every rule that differs from `rule` by a dropped or loosened condition, or by one operation or literal of its
/// statement.
pub fn mutants(rule: &Rule) -> Vec<Mutant> {
    let mut all = Vec::new();
    let mut add = |change: String, rule: Rule| all.push(Mutant { change, rule });
    for position in 0..rule.conditions.len() {
        let written = rule.write_condition(&rule.conditions[position]);
        let mut dropped = rule.clone();
        dropped.conditions.remove(position);
        add(format!("without {written}"), dropped);
        for loosened in loosened(&rule.conditions[position]) {
            let mut changed = rule.clone();
            changed.conditions[position] = loosened;
            let now = changed.write_condition(&changed.conditions[position]);
            add(format!("{written} becomes {now}"), changed);
        }
    }
    let mut changed_terms = Vec::new();
    match &rule.statement {
        Statement::Rewrite(lhs, rhs) => {
            for lhs in changes(lhs) {
                changed_terms.push(Statement::Rewrite(lhs, rhs.clone()));
            }
            for rhs in changes(rhs) {
                changed_terms.push(Statement::Rewrite(lhs.clone(), rhs));
            }
        }
        Statement::Equivalence(lhs, rhs) => {
            for lhs in changed_conditions(lhs) {
                changed_terms.push(Statement::Equivalence(lhs, rhs.clone()));
            }
            for rhs in changed_conditions(rhs) {
                changed_terms.push(Statement::Equivalence(lhs.clone(), rhs));
            }
        }
        Statement::Fact(facts) => {
            changed_terms.extend(changed_conditions(facts).into_iter().map(Statement::Fact));
        }
    }
    for statement in changed_terms {
        let mut changed = rule.clone();
        changed.statement = statement;
        add(changed.write_statement(), changed);
    }
    all
}

fn loosened(condition: &Condition) -> Vec<Condition> {
    let Condition { lhs, relation, rhs } = condition.clone();
    let more = Term::Sum(vec![rhs.clone(), Term::Integer(1)]);
    match relation {
        Relation::LessEqual => vec![Condition { lhs, relation, rhs: more }],
        Relation::Less => vec![Condition { lhs, relation: Relation::LessEqual, rhs }],
        Relation::Equal => vec![
            Condition { lhs: lhs.clone(), relation: Relation::LessEqual, rhs: rhs.clone() },
            Condition { lhs: rhs, relation: Relation::LessEqual, rhs: lhs },
        ],
    }
}

/// Returns lists of comparisons with one change each. A term that several of them compare, as in `0 <= x mod c < c`, is changed
/// in all of them.
fn changed_conditions(conditions: &[Condition]) -> Vec<Vec<Condition>> {
    let mut all = Vec::new();
    let mut seen: Vec<&Term> = Vec::new();
    for term in conditions.iter().flat_map(|one| [&one.lhs, &one.rhs]) {
        if seen.contains(&term) {
            continue;
        }
        seen.push(term);
        for changed in changes(term) {
            let in_place = |side: &Term| match side == term {
                true => changed.clone(),
                false => side.clone(),
            };
            let with = |one: &Condition| Condition {
                lhs: in_place(&one.lhs),
                relation: one.relation,
                rhs: in_place(&one.rhs),
            };
            all.push(conditions.iter().map(with).collect());
        }
    }
    for (position, condition) in conditions.iter().enumerate() {
        let relation = match condition.relation {
            Relation::LessEqual => Relation::Less,
            Relation::Less => Relation::LessEqual,
            Relation::Equal => continue,
        };
        let mut list = conditions.to_vec();
        list[position].relation = relation;
        all.push(list);
    }
    all
}

/// Returns every term that differs in one place: floordiv and mod exchanged, min and max exchanged, a sign flipped, a divisor or
/// a literal increased by one, or the whole term increased by one.
fn changes(term: &Term) -> Vec<Term> {
    let mut all = inner(term);
    all.push(plus_one(term));
    all
}

fn inner(term: &Term) -> Vec<Term> {
    let boxed = |x: &Term| Box::new(x.clone());
    let mut all = Vec::new();
    match term {
        Term::Integer(value) => {
            if let Some(next) = value.checked_add(1) {
                all.push(Term::Integer(next));
            }
        }
        Term::Constant(_) | Term::Expression(_) | Term::Lo(_) | Term::Hi(_) => {}
        Term::Sum(terms) => {
            for (position, part) in terms.iter().enumerate() {
                let mut with = |changed: Term| {
                    let mut list = terms.clone();
                    list[position] = changed;
                    all.push(Term::Sum(list));
                };
                with(Term::Product(Box::new(Term::Integer(-1)), boxed(part)));
                for changed in inner(part) {
                    with(changed);
                }
            }
        }
        Term::Product(x, y) => pair(x, y, &Term::Product, &mut all),
        Term::FloorDiv(x, y) => {
            all.push(Term::Mod(x.clone(), y.clone()));
            all.push(Term::FloorDiv(x.clone(), Box::new(plus_one(y))));
            pair(x, y, &Term::FloorDiv, &mut all);
        }
        Term::Mod(x, y) => {
            all.push(Term::FloorDiv(x.clone(), y.clone()));
            all.push(Term::Mod(x.clone(), Box::new(plus_one(y))));
            pair(x, y, &Term::Mod, &mut all);
        }
        Term::Min(x, y) => {
            all.push(Term::Max(x.clone(), y.clone()));
            pair(x, y, &Term::Min, &mut all);
        }
        Term::Max(x, y) => {
            all.push(Term::Min(x.clone(), y.clone()));
            pair(x, y, &Term::Max, &mut all);
        }
    }
    all
}

fn pair(x: &Term, y: &Term, make: &dyn Fn(Box<Term>, Box<Term>) -> Term, all: &mut Vec<Term>) {
    for changed in inner(x) {
        all.push(make(Box::new(changed), Box::new(y.clone())));
    }
    for changed in inner(y) {
        all.push(make(Box::new(x.clone()), Box::new(changed)));
    }
}

fn plus_one(term: &Term) -> Term {
    Term::Sum(vec![term.clone(), Term::Integer(1)])
}
