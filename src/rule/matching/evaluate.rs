//! Evaluates terms of a rule under bindings.

use super::{Bindings, Number, Operator, Terms};
use crate::num;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum};
use crate::rule::{Condition, Relation, Term};

/// Evaluates a term that is an integer; `None` if it is a named number, overflows, divides by a number below 1, or has
/// an unbound variable.
pub fn integer<T: Terms>(term: &Term, bindings: &Bindings<T::Atom>, terms: &mut T) -> Option<i64> {
    number(term, bindings, terms)?.integer()
}

/// Evaluates a term without expressions that are not constant; `None` if it overflows, divides by a number below 1, or
/// has an unbound variable.
pub fn number<T: Terms>(
    term: &Term,
    bindings: &Bindings<T::Atom>,
    terms: &mut T,
) -> Option<Number> {
    let mut pair =
        |x: &Term, y: &Term| Some((number(x, bindings, terms)?, number(y, bindings, terms)?));
    match term {
        Term::Integer(value) => Some(Number::Integer(*value)),
        Term::Constant(slot) => bindings.constant(*slot),
        Term::Expression(slot) => {
            let value = bindings.expression(*slot)?.as_constant()?;
            Some(Number::Integer(value))
        }
        Term::Sum(list) => list.iter().try_fold(Number::Integer(0), |total, x| {
            total.plus(number(x, bindings, terms)?, terms)
        }),
        Term::Product(x, y) => {
            let (x, y) = pair(x, y)?;
            x.times(y, terms)
        }
        Term::FloorDiv(x, c) => {
            let (x, c) = pair(x, c)?;
            x.floordiv(c, terms)
        }
        Term::Mod(x, c) => {
            let (x, c) = pair(x, c)?;
            let minus = c.times(Number::Integer(-1), terms)?;
            let multiple = x.floordiv(c, terms)?.times(minus, terms)?;
            x.plus(multiple, terms)
        }
        Term::Min(x, y) => pair(x, y).and_then(|(x, y)| chosen(x, y, i64::min)),
        Term::Max(x, y) => pair(x, y).and_then(|(x, y)| chosen(x, y, i64::max)),
        Term::Lo(slot) => terms.end(bindings.expression(*slot)?, false),
        Term::Hi(slot) => terms.end(bindings.expression(*slot)?, true),
    }
}

/// Returns the min or max of two integers.
fn chosen(x: Number, y: Number, choose: fn(i64, i64) -> i64) -> Option<Number> {
    Some(Number::Integer(choose(x.integer()?, y.integer()?)))
}

/// Evaluates a term to a sum over atoms.
pub fn sum_of<T: Terms>(
    term: &Term,
    bindings: &Bindings<T::Atom>,
    terms: &mut T,
) -> Option<Sum<T::Atom>> {
    match term {
        Term::Expression(slot) => bindings.expression(*slot).cloned(),
        Term::Integer(_) | Term::Constant(_) | Term::Lo(_) | Term::Hi(_) => {
            number(term, bindings, terms)?.sum(terms)
        }
        Term::Sum(_) | Term::Product(..) => {
            let mut total = Sum::default();
            add(&mut total, 1, term, bindings, terms)?;
            Some(total)
        }
        Term::FloorDiv(x, c) | Term::Mod(x, c) => {
            let operator = match term {
                Term::FloorDiv(..) => Operator::FloorDiv,
                _ => Operator::Mod,
            };
            let (x, c) = (sum_of(x, bindings, terms)?, number(c, bindings, terms)?);
            match (x.as_constant(), c) {
                (_, Number::Integer(..1)) => None,
                (Some(x), Number::Integer(c)) if operator == Operator::FloorDiv => {
                    Some(Sum::constant(num::floordiv(x, c)))
                }
                (Some(x), Number::Integer(c)) => Some(Sum::constant(num::modulo(x, c))),
                (_, Number::Named(_)) if !c.is_positive(terms) => None,
                _ => terms.operation(operator, &[x], c),
            }
        }
        Term::Min(x, y) | Term::Max(x, y) => {
            let least = matches!(term, Term::Min(..));
            let (x, y) = (sum_of(x, bindings, terms)?, sum_of(y, bindings, terms)?);
            match (x.as_constant(), y.as_constant()) {
                _ if x == y => Some(x),
                (Some(x), Some(y)) => Some(Sum::constant(if least { x.min(y) } else { x.max(y) })),
                _ => {
                    let operator = if least { Operator::Min } else { Operator::Max };
                    terms.operation(operator, &[x, y], Number::Integer(0))
                }
            }
        }
    }
}

/// Adds `factor * term` to `total`.
fn add<T: Terms>(
    total: &mut Sum<T::Atom>,
    factor: i64,
    term: &Term,
    bindings: &Bindings<T::Atom>,
    terms: &mut T,
) -> Option<()> {
    match term {
        Term::Expression(slot) => total.add(factor, bindings.expression(*slot)?),
        Term::Sum(list) => list.iter().try_for_each(|x| add(total, factor, x, bindings, terms)),
        Term::Product(x, y) => {
            let (times, of) = match number(x, bindings, terms) {
                Some(times) => (times, y),
                None => (number(y, bindings, terms)?, x),
            };
            match times {
                Number::Integer(times) => {
                    add(total, factor.checked_mul(times)?, of, bindings, terms)
                }
                named @ Number::Named(_) => {
                    let of = sum_of(of, bindings, terms)?;
                    total.add(factor, &named.scaled(&of, terms)?)
                }
            }
        }
        Term::FloorDiv(..) | Term::Mod(..) | Term::Min(..) | Term::Max(..)
            if term.has_expression() =>
        {
            total.add(factor, &sum_of(term, bindings, terms)?)
        }
        _ => match number(term, bindings, terms)? {
            Number::Integer(value) => {
                total.constant = total.constant.checked_add(factor.checked_mul(value)?)?;
                Some(())
            }
            Number::Named(name) => total.add(factor, &terms.named(name)?),
        },
    }
}

/// Splits a summand into `(factor, body)`; a body of `None` means that the summand is the number `factor`.
pub fn factor_of<'t, T: Terms>(
    term: &'t Term,
    bindings: &Bindings<T::Atom>,
    terms: &mut T,
) -> Option<(Number, Option<&'t Term>)> {
    if let Term::Product(x, y) = term {
        let (times, other) = match number(x, bindings, terms) {
            Some(times) => (times, y),
            None => (number(y, bindings, terms)?, x),
        };
        let (inner, body) = factor_of(other, bindings, terms)?;
        return Some((times.times(inner, terms)?, body));
    }
    match term {
        Term::Integer(_) | Term::Constant(_) => Some((number(term, bindings, terms)?, None)),
        _ => Some((Number::ONE, Some(term))),
    }
}

/// Returns whether a side condition follows from the ranges (`difference-least`, `difference-less`); `false` if unknown.
pub fn establishes<T: Terms>(
    condition: &Condition,
    bindings: &Bindings<T::Atom>,
    terms: &mut T,
) -> bool {
    // Most conditions compare a bound expression with an integer, and need no difference.
    let step = match condition.relation {
        Relation::Equal => None,
        Relation::LessEqual => Some(0),
        Relation::Less => Some(1),
    };
    if let Some(step) = step {
        let end = |term: &Term, terms: &mut T| match term.has_expression() {
            false => integer(term, bindings, terms),
            true => None,
        };
        match (&condition.lhs, &condition.rhs) {
            (Term::Expression(slot), rhs) => {
                let bound = end(rhs, terms).and_then(|rhs| rhs.checked_sub(step));
                if let (Some(bound), Some(x)) = (bound, bindings.expression(*slot)) {
                    return terms.is_at_most(x, bound);
                }
            }
            (lhs, Term::Expression(slot)) => {
                let bound = end(lhs, terms).and_then(|lhs| lhs.checked_add(step));
                if let (Some(bound), Some(x)) = (bound, bindings.expression(*slot)) {
                    return terms.is_at_least(x, bound);
                }
            }
            (lhs, rhs) => {
                if let (Some(lhs), Some(rhs)) = (end(lhs, terms), end(rhs, terms)) {
                    return condition.relation.holds(lhs, rhs);
                }
            }
        }
    }
    let (Some(lhs), Some(rhs)) =
        (sum_of(&condition.lhs, bindings, terms), sum_of(&condition.rhs, bindings, terms))
    else {
        // A side that is not one of `terms` still has a range.
        let sides = [&condition.lhs, &condition.rhs].map(|x| values_of(x, bindings, terms));
        let [Some(lhs), Some(rhs)] = sides else {
            return false;
        };
        return match condition.relation {
            Relation::Equal => lhs == rhs && lhs.as_point().is_some(),
            relation => is_below(lhs, relation, rhs),
        };
    };
    let Some(difference) = rhs.plus(-1, &lhs) else {
        return false;
    };
    match condition.relation {
        Relation::Equal => difference.is_zero() || terms.range(&difference) == Interval::point(0),
        Relation::LessEqual => terms.is_at_least(&difference, 0),
        Relation::Less => terms.is_at_least(&difference, 1),
    }
}

/// Returns whether `relation` holds between the upper bound of one range and the lower bound of another, both finite.
fn is_below(lhs: Interval, relation: Relation, rhs: Interval) -> bool {
    let (hi, lo) = (lhs.hi(), rhs.lo());
    hi != PLUS_INFINITY && lo != MINUS_INFINITY && relation.holds(hi, lo)
}

/// Returns an interval that contains the values of any term.
fn values_of<T: Terms>(
    term: &Term,
    bindings: &Bindings<T::Atom>,
    terms: &mut T,
) -> Option<Interval> {
    if let Some(sum) = sum_of(term, bindings, terms) {
        return Some(terms.range(&sum));
    }
    let mut pair =
        |x: &Term, y: &Term| Some((values_of(x, bindings, terms)?, values_of(y, bindings, terms)?));
    match term {
        Term::Sum(list) => list.iter().try_fold(Interval::point(0), |total, x| {
            Some(total.add(values_of(x, bindings, terms)?))
        }),
        Term::Product(x, y) => {
            let (factor, of) = match integer(x, bindings, terms) {
                Some(factor) => (factor, y),
                None => (integer(y, bindings, terms)?, x),
            };
            Some(values_of(of, bindings, terms)?.scale(factor))
        }
        Term::FloorDiv(x, c) => {
            let c = integer(c, bindings, terms).filter(|c| *c >= 1)?;
            Some(values_of(x, bindings, terms)?.floordiv(c))
        }
        Term::Mod(x, c) => {
            let c = integer(c, bindings, terms).filter(|c| *c >= 1)?;
            let residue = sum_of(x, bindings, terms).and_then(|x| terms.residue(&x, c));
            match residue {
                Some(residue) => Some(Interval::point(residue)),
                None => Some(values_of(x, bindings, terms)?.modulo(c)),
            }
        }
        Term::Min(x, y) => pair(x, y).map(|(x, y)| x.min(y)),
        Term::Max(x, y) => pair(x, y).map(|(x, y)| x.max(y)),
        _ => None,
    }
}
