//! Prints sums and terms of rules as readable expressions. Need not be trusted.

use super::Instance;
use super::sum::{AtomId, Sum};
use super::values::{Atom, Values};
use crate::expr::{Expr, ExprError};
use crate::rule::Term;
use rustc_hash::FxHashMap;

/// Chooses how sums are printed: as in the input, if they occur there.
#[derive(Default)]
pub struct Shown {
    /// Forms in the input.
    known: FxHashMap<Sum, Expr>,
    /// Forms as printed.
    done: FxHashMap<Sum, Expr>,
}

impl Shown {
    /// Collects the expressions read so far, with the smallest form of each sum.
    pub fn of(values: &Values<'_>) -> Shown {
        let mut known: FxHashMap<Sum, Expr> = FxHashMap::default();
        for (expr, sum) in values.written() {
            if values.spend(1 + sum.terms().len()).is_none() {
                break;
            }
            let is_smaller = |other: &Expr| (expr.cost(), expr) < (other.cost(), other);
            if known.get(sum).is_none_or(is_smaller) {
                known.insert(sum.clone(), expr.clone());
            }
        }
        Shown { known, done: FxHashMap::default() }
    }

    /// Returns a sum as an expression, as in the input or with remainders, whichever is smaller; `None` on overflow, or
    /// if the fuel is spent.
    pub fn sum(&mut self, values: &Values<'_>, sum: &Sum) -> Option<Expr> {
        values.spend(1 + sum.terms().len())?;
        if let Some(done) = self.done.get(sum) {
            return Some(done.clone());
        }
        let made = self.made(values, sum);
        let known = self.known.get(sum).cloned();
        let expr = match (made, known) {
            (Some(made), Some(known)) if made.cost() < known.cost() => Some(made),
            (made, known) => known.or(made),
        }?;
        self.done.insert(sum.clone(), expr.clone());
        Some(expr)
    }

    fn made(&mut self, values: &Values<'_>, sum: &Sum) -> Option<Expr> {
        let mut rest = sum.clone();
        let mut parts = Vec::with_capacity(sum.terms().len());
        let mut quotients: Vec<AtomId> = sum.terms().iter().map(|(atom, _)| *atom).collect();
        quotients.retain(|atom| values.integer_quotient_of(*atom).is_some());
        quotients.sort_by_key(|atom| std::cmp::Reverse(values.order(*atom)));
        for atom in quotients {
            let Some((of, modulus)) = values.integer_quotient_of(atom) else {
                continue;
            };
            // k*x - k*c*(x floordiv c) is k*(x mod c)
            let times = rest.multiplicity(of);
            let factor = times.checked_mul(i128::from(modulus))?;
            if times != 0 && rest.coefficient(atom) == factor.checked_neg()? {
                let minus = times.checked_neg()?;
                rest = rest.plus(minus, of)?.plus(factor, &Sum::atom(atom))?;
                let of = self.sum(values, of)?;
                parts.push((i64::try_from(times).ok()?, of.modulo(modulus).ok()?));
            }
        }
        for (atom, coefficient) in rest.terms() {
            let factor = i64::try_from(*coefficient).ok()?;
            parts.push(self.atom(values, *atom, factor)?);
        }
        Expr::sum(i64::try_from(rest.constant()).ok()?, parts).ok()
    }

    /// Returns `factor * atom` as a factor and an expression.
    fn atom(&mut self, values: &Values<'_>, atom: AtomId, factor: i64) -> Option<(i64, Expr)> {
        let (minus, alone) = (factor.checked_neg()?, Sum::atom(atom));
        if let Some(known) = self.known.get(&alone) {
            return Some((factor, known.clone()));
        }
        if let Some(known) = self.known.get(&alone.scaled(-1)?) {
            return Some((minus, known.clone()));
        }
        Some(match values.atom(atom) {
            Atom::Variable(id) => (factor, Expr::variable(*id)),
            Atom::Quotient(of, divisor) => {
                let is_negative = of.terms().iter().all(|(_, c)| *c < 0);
                let divisor = self.sum(values, divisor)?;
                match factor < 0 && is_negative {
                    true => {
                        let of = self.sum(values, &of.scaled(-1)?)?;
                        (minus, of.ceildiv_by(&divisor).ok()?)
                    }
                    false => {
                        let of = self.sum(values, of)?;
                        (factor, of.floordiv_by(&divisor).ok()?)
                    }
                }
            }
            Atom::Product(factors) => {
                let factors = factors.iter().map(|x| self.sum(values, &Sum::atom(*x)));
                let factors: Vec<Expr> = factors.collect::<Option<_>>()?;
                (factor, Expr::product(factors).ok()?)
            }
            Atom::Extreme(least, list) => {
                let list = list.iter().map(|x| self.sum(values, x));
                let list: Vec<Expr> = list.collect::<Option<_>>()?;
                let extreme = if *least { Expr::min } else { Expr::max };
                (factor, extreme(list).ok()?)
            }
        })
    }
}

/// Substitutes the bindings into a term of a rule, without simplifying.
pub fn written(term: &Term, instance: &Instance) -> Result<Expr, ExprError> {
    let value = |term: &Term| written(term, instance);
    // Unbound variables were rejected earlier.
    match term {
        Term::Integer(value) => Ok(Expr::constant(*value)),
        Term::Constant(slot) => {
            let value = instance.constants.get(*slot as usize);
            value.cloned().ok_or(ExprError::Overflow)
        }
        Term::Expression(slot) => {
            let value = instance.expressions.get(*slot as usize);
            value.cloned().ok_or(ExprError::Overflow)
        }
        Term::Sum(terms) => {
            let terms: Result<Vec<_>, _> = terms.iter().map(|x| Ok((1, value(x)?))).collect();
            Expr::sum(0, terms?)
        }
        Term::Product(x, y) => {
            let (x, y) = (value(x)?, value(y)?);
            match (x.as_constant(), y.as_constant()) {
                (Some(factor), _) => y.scale(factor),
                (None, Some(factor)) => x.scale(factor),
                (None, None) => Expr::product([x, y]),
            }
        }
        Term::FloorDiv(x, c) => value(x)?.floordiv_by(&value(c)?),
        Term::Mod(x, c) => value(x)?.modulo_by(&value(c)?),
        Term::Min(x, y) => Expr::min([value(x)?, value(y)?]),
        Term::Max(x, y) => Expr::max([value(x)?, value(y)?]),
        Term::Lo(_) | Term::Hi(_) => Err(ExprError::Overflow), // only in hints
    }
}
