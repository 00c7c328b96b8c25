//! Values for constants that occur only on the right side: the ends of the ranges that the conditions leave them, written with
//! `let`.

use super::blocks::flat;
use super::tree::product;
use affinor::rule::{Condition, Relation, Rule, Slot, Statement, Term};

/// Assigns values to the constants that matching does not bind: the least ones, then the greatest.
pub fn with_values(rule: &Rule) -> impl Iterator<Item = Rule> {
    [end_of_lower, end_of_upper].into_iter().filter_map(|end| {
        let mut told = rule.clone();
        for slot in unbound(rule) {
            let value = end(&bounds(&told, slot))?;
            told.witnesses.push((slot, value));
        }
        (!told.witnesses.is_empty()).then_some(told)
    })
}

/// Constants that the left side lacks.
fn unbound(rule: &Rule) -> Vec<Slot> {
    let Statement::Rewrite(left, _) = &rule.statement else {
        return Vec::new();
    };
    let slots = (0..).take(rule.constants.len());
    slots.filter(|slot| !has(left, &Term::Constant(*slot))).collect()
}

/// Upper and lower bounds of a constant.
#[derive(Default)]
struct Bounds {
    lower: Vec<Term>,
    upper: Vec<Term>,
}

fn end_of_lower(bounds: &Bounds) -> Option<Term> {
    let pair = |x, y| Term::Max(Box::new(x), Box::new(y));
    let mut lower = bounds.lower.clone();
    // A divisor is at least 1 anyway.
    if lower.iter().any(|bound| !matches!(bound, Term::Integer(_))) {
        lower.retain(|bound| !matches!(bound, Term::Integer(..=1)));
    }
    lower.into_iter().reduce(pair)
}

fn end_of_upper(bounds: &Bounds) -> Option<Term> {
    let pair = |x, y| Term::Min(Box::new(x), Box::new(y));
    bounds.upper.iter().cloned().reduce(pair)
}

/// Collects the bounds of a constant from the conditions in which every other constant has a value.
fn bounds(rule: &Rule, slot: Slot) -> Bounds {
    let constant = Term::Constant(slot);
    let is_told = |other: &Slot| rule.witnesses.iter().any(|(told, _)| told == other);
    let others: Vec<Term> = (unbound(rule).into_iter())
        .filter(|other| *other != slot && !is_told(other))
        .map(Term::Constant)
        .collect();
    let mut found = Bounds::default();
    for condition in &rule.conditions {
        let mut sides = condition.sides().into_iter();
        let is_open = others.iter().any(|other| sides.clone().any(|side| has(side, other)));
        if is_open || !sides.any(|side| has(side, &constant)) {
            continue;
        }
        let Condition { lhs, relation, rhs } = condition;
        add(&mut found, &constant, [lhs, rhs], *relation == Relation::Less);
        if *relation == Relation::Equal {
            add(&mut found, &constant, [rhs, lhs], false);
        }
    }
    found
}

/// Adds the bound that `less <= more` implies, or `less < more` if strict.
fn add(found: &mut Bounds, constant: &Term, [less, more]: [&Term; 2], is_strict: bool) {
    let mut terms = Vec::new();
    summands(more, false, &mut terms);
    summands(less, true, &mut terms);
    if is_strict {
        terms.push((true, Term::Integer(1)));
    }
    let (own, others): (Vec<_>, Vec<_>) =
        terms.into_iter().partition(|(_, term)| has(term, constant));
    let [(is_negative, own)] = own.as_slice() else {
        return;
    };
    let Some(factor) = cofactor(own, constant) else {
        return;
    };
    // The condition is `factor * t + rest >= 0`, or with `-factor`.
    let signed = |flip: bool| {
        let ends = others.iter().map(|(is_negative, term)| {
            let is_negative = *is_negative != flip;
            let end = extreme(term, is_negative != flip)?;
            Some(match is_negative {
                true => minus(end),
                false => end,
            })
        });
        ends.collect::<Option<Vec<Term>>>()
    };
    let is_one = factor == Term::Integer(1);
    let over = |mut terms: Vec<Term>, more: Option<Term>| {
        terms.extend(more);
        let numerator = flat(&Term::Sum(terms));
        match is_one {
            true => numerator,
            false => Term::FloorDiv(Box::new(numerator), Box::new(factor.clone())),
        }
    };
    if *is_negative {
        found.upper.extend(signed(false).map(|terms| over(terms, None)));
    } else if is_one {
        found.lower.extend(signed(true).map(|terms| over(terms, None)));
    } else {
        let up = Term::Sum(vec![factor.clone(), Term::Integer(-1)]);
        found.lower.extend(signed(true).map(|terms| over(terms, Some(up))));
    }
}

/// Collects the summands of a term, each with whether it is subtracted.
fn summands(term: &Term, is_negative: bool, into: &mut Vec<(bool, Term)>) {
    match term {
        Term::Sum(terms) => terms.iter().for_each(|term| summands(term, is_negative, into)),
        Term::Product(sign, x) if **sign == Term::Integer(-1) => summands(x, !is_negative, into),
        Term::Integer(0) => {}
        term => into.push((is_negative, term.clone())),
    }
}

/// Returns the cofactor of a constant in a product.
fn cofactor(term: &Term, constant: &Term) -> Option<Term> {
    if term == constant {
        return Some(Term::Integer(1));
    }
    let Term::Product(x, y) = term else {
        return None;
    };
    let (with, without) = if has(x, constant) { (x, y) } else { (y, x) };
    if has(without, constant) || without.has_expression() {
        return None;
    }
    Some(match cofactor(with, constant)? {
        Term::Integer(1) => (**without).clone(),
        inner => product((**without).clone(), inner),
    })
}

/// Returns the greatest (or least) value of a term whose factors are positive, in terms of the bounds of its expressions.
fn extreme(term: &Term, greatest: bool) -> Option<Term> {
    match term {
        Term::Expression(slot) if greatest => Some(Term::Hi(*slot)),
        Term::Expression(slot) => Some(Term::Lo(*slot)),
        Term::Product(x, y) if x.has_expression() != y.has_expression() => {
            Some(product(extreme(x, greatest)?, extreme(y, greatest)?))
        }
        term => (!term.has_expression()).then(|| term.clone()),
    }
}

fn minus(term: Term) -> Term {
    match term {
        Term::Integer(value) => Term::Integer(-value),
        term => product(Term::Integer(-1), term),
    }
}

fn has(term: &Term, part: &Term) -> bool {
    term.any(|inner| inner == part)
}
