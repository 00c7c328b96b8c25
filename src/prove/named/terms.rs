//! Expressions as polynomials, in which divisions and minima are evaluated as far as the facts decide.
//!
//! Laws, which are rules that are proved: `(d*a + r) floordiv d` is `a + r floordiv d` (`div-extract`), and `a + t` where `d*t <=
//! r < d*t + d` (`div-strip`); `(c*x + y) floordiv (c*e) = x floordiv e` where `0 <= y < c` (`div-low`); `(x floordiv a + y)
//! floordiv b = (x + a*y) floordiv (a*b)` (`div-div`). Divisors are at least 1.

use super::facts::Facts;
use crate::expr::{Divisor, End, Expr, ExprKind};
use crate::prove::products::{Atom, Polynomial, Unknown};
use rustc_hash::FxHashMap;

/// Maximum number of laws that are applied to one quotient.
const LAWS: usize = 40;

/// Maximum number of steps of a division of polynomials.
const DIVISION: usize = 64;

/// Maximum number of missing terms of a multiple.
const PARTS: usize = 5;

/// Expressions of one domain, with their polynomials.
pub struct Terms<'b> {
    pub facts: Facts<'b>,
    known: FxHashMap<Expr, Polynomial>,
    /// Whether divisors are positive by hypothesis, and need no proof.
    pub divisors_are_positive: bool,
}

impl<'b> Terms<'b> {
    pub fn new(facts: Facts<'b>) -> Terms<'b> {
        Terms { facts, known: FxHashMap::default(), divisors_are_positive: true }
    }

    /// Returns a polynomial with the value of `expr` at each point; `None` if a coefficient is too large, or a divisor
    /// is not known to be positive.
    pub fn polynomial(&mut self, expr: &Expr) -> Option<Polynomial> {
        if let Some(known) = self.known.get(expr) {
            return self.facts.without_solved(known.clone());
        }
        let polynomial = match expr.kind() {
            ExprKind::Constant(value) => Polynomial::constant(i128::from(*value)),
            ExprKind::Variable(id) => Polynomial::unknown(Unknown::try_from(id.0).ok()?),
            ExprKind::Sum(sum) => {
                let mut total = Polynomial::constant(i128::from(sum.constant()));
                for (coefficient, term) in sum.terms() {
                    let term = self.polynomial(term)?;
                    total = total.plus(i128::from(*coefficient), &term)?;
                }
                total
            }
            ExprKind::Product(factors) => {
                let mut product = Polynomial::constant(1);
                for factor in factors {
                    product = product.times(&self.polynomial(factor)?)?;
                }
                product
            }
            ExprKind::FloorDiv(x, divisor) => {
                let (x, divisor) = self.operands(x, divisor)?;
                self.quotient(x, divisor)?
            }
            ExprKind::CeilDiv(x, divisor) => {
                let (x, divisor) = self.operands(x, divisor)?;
                self.quotient(x.plus(1, &divisor)?.shifted(-1)?, divisor)?
            }
            ExprKind::Mod(x, divisor) => {
                let (x, divisor) = self.operands(x, divisor)?;
                let quotient = self.quotient(x.clone(), divisor.clone())?;
                x.plus(-1, &divisor.times(&quotient)?)?
            }
            ExprKind::Min(list) => self.folded(list, Terms::min)?,
            ExprKind::Max(list) => self.folded(list, Terms::max)?,
        };
        let polynomial = self.facts.without_solved(polynomial)?;
        self.known.insert(expr.clone(), polynomial.clone());
        Some(polynomial)
    }

    fn operands(&mut self, x: &Expr, divisor: &Divisor) -> Option<(Polynomial, Polynomial)> {
        let x = self.polynomial(x)?;
        let divisor = match divisor {
            Divisor::Integer(value) => Polynomial::constant(i128::from(*value)),
            Divisor::Named(expr) => self.polynomial(expr)?,
        };
        if self.divisors_are_positive {
            self.facts.assume(Atom::not_negative(divisor.shifted(-1)?))?;
        } else if !self.facts.is_positive(&divisor) {
            return None;
        }
        Some((x, divisor))
    }

    fn folded(
        &mut self,
        list: &[Expr],
        choose: fn(&mut Self, Polynomial, Polynomial) -> Option<Polynomial>,
    ) -> Option<Polynomial> {
        let (first, rest) = list.split_first()?;
        let mut chosen = self.polynomial(first)?;
        for other in rest {
            let other = self.polynomial(other)?;
            chosen = choose(self, chosen, other)?;
        }
        Some(chosen)
    }

    /// Returns `x + y - min(x, y)`.
    fn max(&mut self, x: Polynomial, y: Polynomial) -> Option<Polynomial> {
        let least = self.min(x.clone(), y.clone())?;
        x.plus(1, &y)?.plus(-1, &least)
    }

    /// Returns `x`, `y`, or one of them plus the minimum of the difference and 0.
    fn min(&mut self, x: Polynomial, y: Polynomial) -> Option<Polynomial> {
        let (x, y) = (self.facts.without_solved(x)?, self.facts.without_solved(y)?);
        let difference = x.plus(-1, &y)?;
        if self.facts.is_natural(&difference) {
            return Some(y);
        }
        if self.facts.is_natural(&difference.scaled(-1)?) {
            return Some(x);
        }
        if !self.facts.has_room() {
            return None;
        }
        let oriented = difference.clone().oriented()?;
        let base = if oriented == difference { y } else { x };
        let unknowns = &mut self.facts.unknowns;
        let least = unknowns.min(oriented.clone(), Polynomial::default())?;
        self.facts.evaluate_new();
        self.facts.assume(Atom::not_negative(least.scaled(-1)?))?;
        let excess = oriented.plus(-1, &least)?;
        self.facts.assume(Atom::not_negative(excess))?;
        base.plus(1, &least)
    }

    /// Returns `x floordiv d`, where `d` is at least 1.
    fn quotient(&mut self, x: Polynomial, d: Polynomial) -> Option<Polynomial> {
        let (mut x, mut d) = (self.facts.without_solved(x)?, self.facts.without_solved(d)?);
        let mut total = Polynomial::default();
        for _ in 0..LAWS {
            if d.as_constant().is_some_and(|d| d < 1) {
                return None; // no point has this divisor
            }
            if d.as_constant() == Some(1) {
                return total.plus(1, &x);
            }
            let (multiple, rest) = divided(&x, &d)?;
            if let Some(value) = self.value(&x, &d, &multiple)? {
                return total.plus(1, &value);
            }
            total = total.plus(1, &multiple)?;
            x = rest;
            if let Some(smaller) = self.without_factor(&x, &d)? {
                (x, d) = smaller;
            } else if let Some(flat) = self.flat(&x, &d)? {
                (x, d) = flat;
            } else {
                break;
            }
        }
        if !self.facts.has_room() {
            return None;
        }
        let known = self.facts.unknowns.quotients.len();
        let quotient = self.facts.unknowns.quotient(x.clone(), d.clone())?;
        if known < self.facts.unknowns.quotients.len() {
            self.facts.evaluate_new();
            self.facts.note_size(&quotient, [&x, &d]);
            self.bound(&quotient, &x, &d)?;
        }
        total.plus(1, &quotient)
    }

    /// Adds bounds of a new quotient, in terms of sizes.
    fn bound(&mut self, quotient: &Polynomial, x: &Polynomial, d: &Polynomial) -> Option<()> {
        if self.facts.is_natural(x) {
            self.facts.assume(Atom::not_negative(quotient.clone()))?;
        }
        let Some(greatest) = self.facts.end_of(x, End::Upper) else {
            return Some(());
        };
        let (end, _) = divided(&greatest, d)?;
        for end in [end.shifted(-1)?, end] {
            let room = end.plus(-1, quotient)?;
            if self.facts.is_natural(&room) {
                return self.facts.assume(Atom::not_negative(room));
            }
        }
        Some(())
    }

    /// Returns the value of `x floordiv d`, if it is a part of `multiple` plus a constant integer.
    fn value(
        &mut self,
        x: &Polynomial,
        d: &Polynomial,
        multiple: &Polynomial,
    ) -> Option<Option<Polynomial>> {
        let terms = multiple.terms().len().min(PARTS);
        for left_out in 0..1u32 << terms {
            let mut part = multiple.with_constant(0);
            for (place, (monomial, c)) in multiple.terms().iter().take(terms).enumerate() {
                if left_out >> place & 1 == 1 {
                    part = part.plus(-c, &Polynomial::monomial(monomial.clone()))?;
                }
            }
            let rest = x.plus(-1, &d.times(&part)?)?;
            let Some(block) = self.facts.block(&rest, d) else {
                continue;
            };
            let low = rest.plus(-block, d)?;
            let left = d.plus(-1, &low)?.shifted(-1)?;
            if self.facts.is_natural(&low) && self.facts.is_natural(&left) {
                return Some(Some(part.shifted(block)?));
            }
        }
        Some(None)
    }

    /// Returns `(x', e)` with the same quotient, where `d = c*e` and `x = c*x' + y`.
    fn without_factor(
        &mut self,
        x: &Polynomial,
        d: &Polynomial,
    ) -> Option<Option<(Polynomial, Polynomial)>> {
        for factor in d.factors(x) {
            let (coefficient, monomial) = match factor.as_monomial() {
                Some((coefficient, monomial)) => (coefficient, monomial.clone()),
                None => (factor.constant, Default::default()),
            };
            let (part, is_all) = x.divided(coefficient, &monomial);
            let rest = x.plus(-1, &part.times(&factor)?)?;
            let (smaller, true) = d.divided(coefficient, &monomial) else {
                continue;
            };
            let is_within = is_all
                || self.facts.is_natural(&rest)
                    && self.facts.is_natural(&factor.plus(-1, &rest)?.shifted(-1)?);
            if is_within && self.facts.is_positive(&factor) {
                return Some(Some((part, smaller)));
            }
        }
        Some(None)
    }

    /// Returns the numerator and divisor of the merged quotient for a numerator `q + y`.
    fn flat(&mut self, x: &Polynomial, d: &Polynomial) -> Option<Option<(Polynomial, Polynomial)>> {
        let mut quotients = x.terms().iter().filter_map(|(monomial, coefficient)| {
            let [unknown] = monomial.unknowns() else {
                return None;
            };
            let quotient = self.facts.quotient(*unknown)?;
            (*coefficient == 1).then_some(quotient)
        });
        let (Some(inner), None) = (quotients.next(), quotients.next()) else {
            return Some(None);
        };
        let rest = x.plus(-1, &Polynomial::unknown(inner.quotient))?;
        let numerator = inner.numerator.plus(1, &inner.divisor.times(&rest)?)?;
        Some(Some((numerator, inner.divisor.times(d)?)))
    }
}

/// Returns `(a, r)` with `x = d*a + r`, by the greatest monomial of `d`.
fn divided(x: &Polynomial, d: &Polynomial) -> Option<(Polynomial, Polynomial)> {
    let (mut multiple, mut rest) = (Polynomial::default(), x.clone());
    if let Some(d) = d.as_constant() {
        let terms = x.terms().iter();
        let terms = terms.map(|(monomial, c)| (monomial.clone(), c / d));
        let terms = terms.filter(|(_, c)| *c != 0);
        multiple = Polynomial::of_sorted(x.constant.div_euclid(d), terms);
        rest = x.plus(-d, &multiple)?;
        return Some((multiple, rest));
    }
    let Some((lead, leading)) = d.leading() else {
        return Some((multiple, rest));
    };
    for _ in 0..DIVISION {
        let terms = rest.terms().iter().rev();
        let Some(step) = terms
            .filter(|(_, c)| (c / leading) != 0 && (d.terms().len() == 1 || c % leading == 0))
            .find_map(|(monomial, c)| Some((monomial.without(&lead)?, c / leading)))
        else {
            break;
        };
        let step = Polynomial::monomial(step.0).scaled(step.1)?;
        multiple = multiple.plus(1, &step)?;
        rest = rest.plus(-1, &step.times(d)?)?;
    }
    Some((multiple, rest))
}
