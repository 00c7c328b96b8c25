//! The assumptions under which terms over letters are enumerated: few conditions at a time, in many combinations.

use super::tree::product;
use affinor::rule::{Condition, Relation, Slot, Term};

/// The constants and expressions that terms are built from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Letters {
    /// The number of constants.
    pub constants: Slot,
    /// The number of expressions.
    pub expressions: Slot,
}

/// Assumptions on one or two letters at once.
type Group = Vec<Condition>;

/// A set of assumptions made together.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// The conditions without each group in turn: a conjecture that holds under one of these does not need the dropped group.
    pub weaker: Vec<Vec<Condition>>,
}

/// Returns the combinations of at most `most` groups of conditions, smallest first; all constants are positive in addition.
pub fn assumptions(letters: Letters, most: usize) -> Vec<Assumption> {
    let groups = groups(letters);
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..most {
        let end = all.len();
        for shorter in start..end {
            let next = all[shorter].last().map_or(0, |last| last + 1);
            for group in next..groups.len() {
                let mut longer = all[shorter].clone();
                longer.push(group);
                all.push(longer);
            }
        }
        start = end;
    }
    let positive = (0..letters.constants).map(|slot| compare(integer(1), constant(slot)));
    let positive: Vec<Condition> = positive.collect();
    let with = |picked: &[usize]| -> Vec<Condition> {
        let picked = picked.iter().flat_map(|group| groups[*group].iter());
        positive.iter().chain(picked).cloned().collect()
    };
    let without = |picked: &[usize], left_out: usize| {
        let others = picked.iter().filter(|group| **group != left_out);
        with(&others.copied().collect::<Vec<usize>>())
    };
    let assumptions = all.iter().map(|picked| Assumption {
        conditions: with(picked),
        weaker: picked.iter().map(|group| without(picked, *group)).collect(),
    });
    assumptions.collect()
}

fn groups(letters: Letters) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let constants: Vec<Term> = (0..letters.constants).map(constant).collect();
    for slot in 0..letters.expressions {
        let x = || Term::Expression(slot);
        let mut add = |conditions: Group| groups.push(conditions);
        for c in &constants {
            add(vec![compare(integer(0), x()), less(x(), c.clone())]);
        }
        if let [c, d, ..] = &constants[..] {
            let all = product(c.clone(), d.clone());
            add(vec![compare(integer(0), x()), less(x(), all.clone())]);
            // The letter lies in one block of a divisor; the number of the block is a constant.
            let above = Term::Sum(vec![all.clone(), c.clone()]);
            add(vec![compare(all, x()), less(x(), above)]);
        }
        for c in &constants {
            let rest = Term::Mod(Box::new(x()), Box::new(c.clone()));
            add(vec![equal(rest, integer(0))]);
        }
        add(vec![compare(integer(0), x()), compare(x(), integer(1))]);
        add(vec![compare(integer(0), x())]);
        for other in 0..letters.expressions {
            if other != slot {
                add(vec![compare(x(), Term::Expression(other))]);
            }
        }
        for c in &constants {
            add(vec![compare(x(), c.clone())]);
            add(vec![compare(c.clone(), x())]);
        }
    }
    if let [c, d, ..] = &constants[..] {
        let rest = Term::Mod(Box::new(d.clone()), Box::new(c.clone()));
        groups.push(vec![equal(rest, integer(0))]);
        groups.push(vec![compare(c.clone(), d.clone())]);
        groups.push(vec![compare(d.clone(), c.clone())]);
    }
    groups
}

fn integer(value: i64) -> Term {
    Term::Integer(value)
}

fn constant(slot: Slot) -> Term {
    Term::Constant(slot)
}

fn compare(lhs: Term, rhs: Term) -> Condition {
    let relation = Relation::LessEqual;
    Condition { lhs, relation, rhs }
}

fn less(lhs: Term, rhs: Term) -> Condition {
    let relation = Relation::Less;
    Condition { lhs, relation, rhs }
}

fn equal(lhs: Term, rhs: Term) -> Condition {
    let relation = Relation::Equal;
    Condition { lhs, relation, rhs }
}
