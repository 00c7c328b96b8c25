//! Evaluates terms of a rule under bindings.

use super::{Bindings, Operator, Terms};
use crate::num;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum};
use crate::rule::{Condition, Relation, Term};

/// Evaluates a term that is an integer; `None` if it overflows, divides by a number below 1, or has an unbound
/// variable.
pub fn integer<T: Terms>(term: &Term, bindings: &Bindings<T::Atom>, terms: &mut T) -> Option<i64> {
    let mut pair =
        |x: &Term, y: &Term| Some((integer(x, bindings, terms)?, integer(y, bindings, terms)?));
    match term {
        Term::Integer(value) => Some(*value),
        Term::Constant(slot) => bindings.constant(*slot),
        Term::Expression(slot) => bindings.expression(*slot)?.as_constant(),
        Term::Sum(list) => list.iter().try_fold(0i64, |total, x| {
            total.checked_add(integer(x, bindings, terms)?)
        }),
        Term::Product(x, y) => pair(x, y).and_then(|(x, y)| x.checked_mul(y)),
        Term::FloorDiv(x, c) => {
            let (x, c) = pair(x, c)?;
            (c >= 1).then(|| num::floordiv(x, c))
        }
        Term::Mod(x, c) => {
            let (x, c) = pair(x, c)?;
            (c >= 1).then(|| num::modulo(x, c))
        }
        Term::Min(x, y) => pair(x, y).map(|(x, y)| x.min(y)),
        Term::Max(x, y) => pair(x, y).map(|(x, y)| x.max(y)),
        Term::Lo(slot) => {
            let lo = terms.range(bindings.expression(*slot)?).lo();
            (lo != MINUS_INFINITY).then_some(lo)
        }
        Term::Hi(slot) => {
            let hi = terms.range(bindings.expression(*slot)?).hi();
            (hi != PLUS_INFINITY).then_some(hi)
        }
    }
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
            integer(term, bindings, terms).map(Sum::constant)
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
            let (x, c) = (sum_of(x, bindings, terms)?, integer(c, bindings, terms)?);
            match x.as_constant() {
                _ if c < 1 => None,
                Some(x) if operator == Operator::FloorDiv => {
                    Some(Sum::constant(num::floordiv(x, c)))
                }
                Some(x) => Some(Sum::constant(num::modulo(x, c))),
                None => terms.operation(operator, &[x], c),
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
                    terms.operation(operator, &[x, y], 0)
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
        Term::Sum(list) => list
            .iter()
            .try_for_each(|x| add(total, factor, x, bindings, terms)),
        Term::Product(x, y) => match integer(x, bindings, terms) {
            Some(times) => add(total, factor.checked_mul(times)?, y, bindings, terms),
            None => {
                let times = integer(y, bindings, terms)?;
                add(total, factor.checked_mul(times)?, x, bindings, terms)
            }
        },
        Term::FloorDiv(..) | Term::Mod(..) | Term::Min(..) | Term::Max(..)
            if term.has_expression() =>
        {
            total.add(factor, &sum_of(term, bindings, terms)?)
        }
        _ => {
            let value = integer(term, bindings, terms)?;
            total.constant = total.constant.checked_add(factor.checked_mul(value)?)?;
            Some(())
        }
    }
}

/// Splits a summand into `(factor, body)`; a body of `None` means that the summand is the integer `factor`.
pub fn factor_of<'t, T: Terms>(
    term: &'t Term,
    bindings: &Bindings<T::Atom>,
    terms: &mut T,
) -> Option<(i64, Option<&'t Term>)> {
    if let Term::Product(x, y) = term {
        let (times, other) = match integer(x, bindings, terms) {
            Some(times) => (times, y),
            None => (integer(y, bindings, terms)?, x),
        };
        let (inner, body) = factor_of(other, bindings, terms)?;
        return Some((times.checked_mul(inner)?, body));
    }
    match term {
        Term::Integer(_) | Term::Constant(_) => Some((integer(term, bindings, terms)?, None)),
        _ => Some((1, Some(term))),
    }
}

/// Whether a side condition follows from the ranges (`difference-least`, `difference-less`); `false` also if unknown.
pub fn establishes<T: Terms>(
    condition: &Condition,
    bindings: &Bindings<T::Atom>,
    terms: &mut T,
) -> bool {
    // Most conditions compare a bound expression with an integer, and need no difference.
    let ends = condition.relation != Relation::Equal
        && !(condition.lhs.has_expression() && condition.rhs.has_expression());
    if ends
        && let Some(lhs) = range_of(&condition.lhs, bindings, terms)
        && let Some(rhs) = range_of(&condition.rhs, bindings, terms)
    {
        return is_below(lhs, condition.relation, rhs);
    }
    let (Some(lhs), Some(rhs)) = (
        sum_of(&condition.lhs, bindings, terms),
        sum_of(&condition.rhs, bindings, terms),
    ) else {
        // A side that is not a term of `terms` still has a range.
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
        Relation::LessEqual => terms.range(&difference).lo() >= 0,
        Relation::Less => terms.range(&difference).lo() >= 1,
    }
}

/// Whether `relation` holds between the upper end of one range and the lower end of another, both of them finite.
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
    let mut pair = |x: &Term, y: &Term| {
        Some((
            values_of(x, bindings, terms)?,
            values_of(y, bindings, terms)?,
        ))
    };
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

/// The range of an integer term or of an expression variable.
fn range_of<T: Terms>(
    term: &Term,
    bindings: &Bindings<T::Atom>,
    terms: &mut T,
) -> Option<Interval> {
    match term {
        Term::Expression(slot) => Some(terms.range(bindings.expression(*slot)?)),
        _ if !term.has_expression() => integer(term, bindings, terms).map(Interval::point),
        _ => None,
    }
}
