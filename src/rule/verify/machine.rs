//! The truth of a rule under machine semantics: truncating division, and 64 bits.
//!
//! Both are claims about the rule's own text, judged like any rule. Euclidean division needs no claim of its own:
//! divisors are positive, and there it agrees with floor division.

use crate::rule::{Condition, Relation, Rule, Slot, Statement, Term};

/// Rewrites every division to round toward zero: `t floordiv c` becomes `max(t, 0) floordiv c - max(-t, 0) floordiv c`,
/// with the remainder to match.
#[must_use]
pub fn truncating(rule: &Rule) -> Rule {
    let mut rule = rule.clone();
    let conditions = |list: &mut Vec<Condition>| {
        for condition in list {
            condition.lhs = truncated(&condition.lhs);
            condition.rhs = truncated(&condition.rhs);
        }
    };
    conditions(&mut rule.conditions);
    match &mut rule.statement {
        Statement::Rewrite(lhs, rhs) => {
            *lhs = truncated(lhs);
            *rhs = truncated(rhs);
        }
        Statement::Equivalence(lhs, rhs) => {
            conditions(lhs);
            conditions(rhs);
        }
        Statement::Fact(facts) => conditions(facts),
    }
    rule
}

/// States that a rewrite computes nothing outside the range of its left side: for every bound `m`, if all variables and all parts
/// of the left side are in `[-m - 1, m]`, so is each part of the right side. Sums are evaluated from left to right. `None` for
/// laws that rewrite no value.
///
/// Side conditions are exempt: they are decided in wider arithmetic.
#[must_use]
pub fn in_range(rule: &Rule) -> Option<Rule> {
    let Statement::Rewrite(lhs, rhs) = &rule.statement else {
        return None;
    };
    let mut claim = rule.clone();
    let bound = Term::Constant(Slot::try_from(claim.constants.len()).ok()?);
    claim.constants.push("bound!".to_owned()); // a name that cannot be typed
    let mut known: Vec<Term> = Vec::new();
    parts(lhs, &mut known);
    let mut new: Vec<Term> = Vec::new();
    parts(rhs, &mut new);
    let slots = |names: &[String]| (0..=Slot::MAX).take(names.len());
    let variables = slots(&rule.constants).map(Term::Constant);
    let expressions = slots(&rule.expressions).map(Term::Expression);
    for variable in variables.chain(expressions) {
        if !known.contains(&variable) {
            known.push(variable);
        }
    }
    new.retain(|part| !known.contains(part) && !matches!(part, Term::Integer(_)));
    let at_most = |lhs: Term, rhs: Term| Condition { lhs, relation: Relation::LessEqual, rhs };
    let within = |part: Term| {
        let below = Term::Sum(vec![minus(bound.clone()), Term::Integer(-1)]);
        [at_most(below, part.clone()), at_most(part, bound.clone())]
    };
    let least = at_most(Term::Integer(largest_literal(rule)), bound.clone());
    claim.conditions.push(least);
    claim.conditions.extend(known.into_iter().flat_map(within));
    claim.statement = Statement::Fact(new.into_iter().flat_map(within).collect());
    Some(claim)
}

/// Rewrites every division in a term to round toward zero, as in [`truncating`].
#[must_use]
pub fn truncated(term: &Term) -> Term {
    let toward_zero = |x: &Term, divisor: &Term| {
        let positive = |x: Term| Term::Max(Box::new(x), Box::new(Term::Integer(0)));
        let divided = |x: Term| Term::FloorDiv(Box::new(positive(x)), Box::new(divisor.clone()));
        Term::Sum(vec![divided(x.clone()), minus(divided(minus(x.clone())))])
    };
    match term {
        Term::FloorDiv(x, divisor) => toward_zero(&truncated(x), &truncated(divisor)),
        Term::Mod(x, divisor) => {
            let (x, divisor) = (truncated(x), truncated(divisor));
            let quotient = toward_zero(&x, &divisor);
            let multiple = Term::Product(Box::new(divisor), Box::new(quotient));
            Term::Sum(vec![x, minus(multiple)])
        }
        _ => {
            let parts = term.with_operands(|part| Some(truncated(part)));
            parts.unwrap_or_else(|| term.clone())
        }
    }
}

fn minus(term: Term) -> Term {
    Term::Product(Box::new(Term::Integer(-1)), Box::new(term))
}

/// Returns the term that a summand subtracts: the `y` of `-y`.
pub fn subtracted(summand: &Term) -> Option<&Term> {
    match summand {
        Term::Product(sign, y) if **sign == Term::Integer(-1) => Some(y),
        _ => None,
    }
}

/// Collects every intermediate value of a term, including the term.
fn parts(term: &Term, list: &mut Vec<Term>) {
    match term {
        Term::Sum(terms) => {
            for term in terms {
                // `x - y` is one operation: no machine computes `-y` for it.
                parts(subtracted(term).unwrap_or(term), list);
            }
            for count in 2..terms.len() {
                list.push(Term::Sum(terms[..count].to_vec()));
            }
        }
        _ => term.operands().for_each(|operand| parts(operand, list)),
    }
    list.push(term.clone());
}

/// Returns the largest literal, so that the range contains all literals.
fn largest_literal(rule: &Rule) -> i64 {
    let mut largest = 1;
    for term in rule.stated_terms() {
        term.visit(&mut |part| {
            if let Term::Integer(value) = part {
                largest = largest.max(value.saturating_abs());
            }
        });
    }
    largest
}
