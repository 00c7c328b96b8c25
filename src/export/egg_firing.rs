//! How a rule is fired in an e-graph: which variables its left side tells, and how the others get values.
//!
//! Law: what is worked out here is a hint. The exported crate evaluates every condition at what a hint gives.

use crate::rule::{Condition, Relation, Rule, Slot, Statement, Term};
use std::collections::BTreeSet;

/// How a rule is fired.
pub(super) struct Firing<'r> {
    pub left: &'r Term,
    pub right: &'r Term,
    /// Expressions that a condition defines as an operation.
    pub defined: Vec<(Slot, &'r Term)>,
    /// Values for constants, in the order in which they can be found.
    pub tried: Vec<(Slot, Hint)>,
}

/// A value to try.
pub(super) enum Hint {
    /// As `let` says.
    Value(Term),
    /// The quotient that leaves nothing over.
    Exactly { value: Term, divisor: Term },
    /// The greatest `u` with `factor*u <= bound`.
    Greatest { bound: Term, factor: Term },
    /// A `u` for which `modulus` divides `factor*u + rest`.
    Solution {
        factor: Term,
        rest: Term,
        modulus: Term,
    },
}

/// What is done about sums.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sums {
    /// They are linear forms: laws of sums are no rewrites.
    Forms,
    /// They are terms, which laws of sums rewrite.
    Terms,
}

/// How to fire a rule, or why it is not.
pub(super) fn firing(rule: &Rule, sums: Sums) -> Result<Firing<'_>, String> {
    let (left, right) = match &rule.statement {
        Statement::Rewrite(left, right) => (left, right),
        Statement::Equivalence(..) => {
            return Err("it replaces comparisons, and terms alone are rewritten".to_owned());
        }
        Statement::Fact(facts) => match facts.as_slice() {
            [equation] if equation.relation == Relation::Equal => (&equation.lhs, &equation.rhs),
            [_] => return Err("it is a comparison: there is nothing to replace".to_owned()),
            _ => return Err("it is several comparisons: there is nothing to replace".to_owned()),
        },
    };
    let is_law = matches!(rule.statement, Statement::Fact(_));
    match left {
        Term::Sum(_) | Term::Product(..) if is_law && sums == Sums::Forms => {
            return Err(
                "its left side is a sum, and sums are the same linear form in any case".into(),
            );
        }
        Term::Integer(_) | Term::Constant(_) | Term::Expression(_) => {
            return Err("its left side is any term".to_owned());
        }
        _ => {}
    }
    let defined = definitions(rule, left);
    let mut known = Known {
        defined: &defined,
        ..Known::default()
    };
    known.equated(rule);
    // What an operation tells can be needed by a factor that was looked at before it.
    for _ in 0..2 {
        known.read(left);
    }
    let (constants, expressions) = (known.constants, known.expressions);
    let tried = hints(rule, constants);
    let missing = rule.constants.iter().zip(0..).find(|(_, slot)| {
        !tried.1.contains(slot) // neither told by the left side nor tried
    });
    let lost = rule.expressions.iter().zip(0..);
    let mut lost = lost.filter(|(_, slot)| !expressions.contains(slot));
    match missing.or_else(|| lost.next()) {
        Some((name, _)) => Err(format!(
            "neither its left side, nor `let`, nor an equation gives `{name}` a value"
        )),
        None => Ok(Firing {
            left,
            right,
            defined,
            tried: tried.0,
        }),
    }
}

/// Expressions of the left side that a condition says are an operation.
fn definitions<'r>(rule: &'r Rule, left: &Term) -> Vec<(Slot, &'r Term)> {
    let in_left = |slot: Slot| {
        let mut found = false;
        left.visit(&mut |part| found |= *part == Term::Expression(slot));
        found
    };
    let define = |condition: &'r Condition| match (&condition.lhs, &condition.rhs) {
        (term @ (Term::FloorDiv(..) | Term::Mod(..)), Term::Expression(slot))
            if condition.relation == Relation::Equal && in_left(*slot) =>
        {
            Some((*slot, term))
        }
        _ => None,
    };
    rule.conditions.iter().filter_map(define).collect()
}

/// What matching a left side tells.
#[derive(Default)]
struct Known<'d> {
    defined: &'d [(Slot, &'d Term)],
    constants: BTreeSet<Slot>,
    expressions: BTreeSet<Slot>,
    /// Constants in equations: those are solved, not guessed.
    equated: BTreeSet<Slot>,
}

impl Known<'_> {
    fn equated(&mut self, rule: &Rule) {
        let equations = rule.conditions.iter();
        for equation in equations.filter(|condition| condition.relation == Relation::Equal) {
            for side in [&equation.lhs, &equation.rhs] {
                self.equated.extend(constants_of(side));
            }
        }
    }

    fn read(&mut self, term: &Term) {
        match term {
            Term::Integer(_) | Term::Lo(_) | Term::Hi(_) => {}
            Term::Constant(slot) => {
                self.constants.insert(*slot);
            }
            Term::Expression(slot) => {
                self.expressions.insert(*slot);
                let defined = self.defined.iter().find(|(known, _)| known == slot);
                if let Some((_, term)) = defined {
                    self.read(term);
                }
            }
            Term::Sum(terms) => terms.iter().for_each(|term| self.read(term)),
            Term::Product(x, y) if !x.has_expression() && y.has_expression() => {
                self.read(y);
                let mut factors = constants_of(x);
                let guessed = match &**y {
                    Term::Expression(slot) => {
                        let is_defined = self.defined.iter().any(|(known, _)| known == slot);
                        is_defined || factors.is_disjoint(&self.equated)
                    }
                    _ => true,
                };
                factors.retain(|factor| !self.constants.contains(factor));
                if guessed && factors.len() <= 1 {
                    self.constants.extend(factors);
                }
            }
            Term::Product(..) if !term.has_expression() => {
                let mut factors = constants_of(term);
                factors.retain(|factor| !self.constants.contains(factor));
                if factors.len() <= 2 {
                    self.constants.extend(factors);
                }
            }
            Term::Product(x, y) => {
                self.read(x);
                self.read(y);
            }
            Term::FloorDiv(x, y) | Term::Mod(x, y) => {
                self.read(y);
                self.read(x);
            }
            Term::Min(x, y) | Term::Max(x, y) => {
                self.read(x);
                self.read(y);
            }
        }
    }
}

/// The constants in a term.
pub(super) fn constants_of(term: &Term) -> BTreeSet<Slot> {
    let mut slots = BTreeSet::new();
    term.visit(&mut |part| {
        if let Term::Constant(slot) = part {
            slots.insert(*slot);
        }
    });
    slots
}

/// Values to try for constants that are not known, and all that are known then.
fn hints(rule: &Rule, mut known: BTreeSet<Slot>) -> (Vec<(Slot, Hint)>, BTreeSet<Slot>) {
    let mut hints = Vec::new();
    for (slot, term) in &rule.witnesses {
        if known.insert(*slot) {
            hints.push((*slot, Hint::Value(term.clone())));
        }
    }
    let all = 0..Slot::try_from(rule.constants.len()).unwrap_or(Slot::MAX);
    while let Some((slot, hint)) = next_hint(rule, &known, all.clone()) {
        known.insert(slot);
        hints.push((slot, hint));
    }
    (hints, known)
}

fn next_hint(
    rule: &Rule,
    known: &BTreeSet<Slot>,
    all: std::ops::Range<Slot>,
) -> Option<(Slot, Hint)> {
    let open: Vec<Slot> = all.filter(|slot| !known.contains(slot)).collect();
    let open_in = |term: &Term| {
        let slots = constants_of(term);
        open.iter().filter(|slot| slots.contains(slot)).count()
    };
    let equations = || {
        let all = rule.conditions.iter();
        all.filter(|condition| condition.relation == Relation::Equal)
    };
    for slot in &open {
        for equation in equations() {
            let difference = minus(equation.lhs.clone(), equation.rhs.clone());
            if open_in(&difference) == 1
                && let Some((divisor, rest)) = linear(&difference, *slot)
            {
                let value = negative(rest);
                return Some((*slot, Hint::Exactly { value, divisor }));
            }
        }
    }
    for slot in &open {
        for condition in &rule.conditions {
            if condition.relation == Relation::LessEqual
                && open_in(&condition.lhs) == 1
                && open_in(&condition.rhs) == 0
                && let Some((factor, rest)) = linear(&condition.lhs, *slot)
            {
                let bound = minus(condition.rhs.clone(), rest);
                return Some((*slot, Hint::Greatest { bound, factor }));
            }
        }
    }
    for slot in &open {
        for equation in equations() {
            let (of, other) = (&equation.lhs, &equation.rhs);
            if open_in(of) == 1
                && open_in(other) == 1
                && let (Some((factor, rest)), Term::Product(modulus, _)) =
                    (linear(of, *slot), other)
                && open_in(modulus) == 0
            {
                let modulus = (**modulus).clone();
                return Some((
                    *slot,
                    Hint::Solution {
                        factor,
                        rest,
                        modulus,
                    },
                ));
            }
        }
    }
    None
}

/// `factor` and `rest` of `factor*slot + rest`; `None` if the term is another, or the constant is not in it.
pub(super) fn linear(term: &Term, slot: Slot) -> Option<(Term, Term)> {
    let has = |term: &Term| constants_of(term).contains(&slot);
    match term {
        Term::Constant(known) if *known == slot => Some((Term::Integer(1), Term::Integer(0))),
        Term::Sum(terms) => {
            let (with, without): (Vec<&Term>, Vec<&Term>) =
                terms.iter().partition(|term| has(term));
            let [with] = with.as_slice() else {
                return None;
            };
            let (factor, rest) = linear(with, slot)?;
            let all = std::iter::once(rest).chain(without.into_iter().cloned());
            Some((factor, sum(all.collect())))
        }
        Term::Product(x, y) if has(x) != has(y) => {
            let (with, other) = if has(x) { (x, y) } else { (y, x) };
            let (factor, rest) = linear(with, slot)?;
            Some((product(other, factor), product(other, rest)))
        }
        _ => None,
    }
}

fn sum(mut terms: Vec<Term>) -> Term {
    terms.retain(|term| *term != Term::Integer(0));
    match terms.as_slice() {
        [] => Term::Integer(0),
        [term] => term.clone(),
        _ => Term::Sum(terms),
    }
}

fn product(x: &Term, y: Term) -> Term {
    match (x, y) {
        (_, Term::Integer(0)) => Term::Integer(0),
        (x, Term::Integer(1)) => x.clone(),
        (x, y) => Term::Product(Box::new(x.clone()), Box::new(y)),
    }
}

fn negative(term: Term) -> Term {
    product(&Term::Integer(-1), term)
}

fn minus(x: Term, y: Term) -> Term {
    sum(vec![x, negative(y)])
}
