//! The ranges of the values of an expression and its parts, and the number of bits that these take.
//!
//! Law: at a point of the domain whose coordinates fit in 64 bits, the value of each part, and each partial sum and product in
//! the order in which [`write`](super::write) writes them, lies in the interval found here. Constraints count only where the
//! domain is known to hold: in the results, not in the test whether it does. There a constraint bounds its expression, and each
//! variable that is a term of it by the range that the other terms leave.

use affinor_maps::expr::{Constraint, Divisor, Domain, Expr, ExprKind, IndexingMap};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use rustc_hash::{FxHashMap, FxHashSet};

/// A closed interval of 128-bit integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Values {
    /// The least.
    pub lo: i128,
    /// The greatest.
    pub hi: i128,
}

/// The bounds of one expression.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The range of its values.
    pub values: Values,
    /// The range that also includes all intermediate values computed from its operands.
    pub steps: Values,
}

/// The bounds of all parts of some expressions.
#[derive(Debug, Default)]
pub struct Facts {
    known: FxHashMap<Expr, Known>,
    /// The range of each variable.
    variables: Vec<Values>,
}

/// Number of rounds in which variable bounds are derived from constraints: some bounds follow from others.
const ROUNDS: usize = 3;

/// The range of a 64-bit variable.
const ANY: Values = Values { lo: i64::MIN as i128, hi: i64::MAX as i128 };

/// A part that does not fit in 128 bits.
pub type TooWide = Expr;

impl Values {
    fn point(value: i128) -> Values {
        let (lo, hi) = (value, value);
        Values { lo, hi }
    }

    /// Returns whether all values fit in a signed integer of this many bits, 32 or 64.
    #[must_use]
    pub fn fit(self, bits: u32) -> bool {
        let most = (1i128 << (bits - 1)) - 1;
        self.lo >= -most - 1 && self.hi <= most
    }

    /// Returns the number of bits of a signed integer that holds all values.
    fn bits(self) -> u32 {
        let of = |x: i128| 129 - (x ^ (x >> 127)).leading_zeros();
        of(self.lo).max(of(self.hi))
    }

    fn hull(self, other: Values) -> Values {
        let (lo, hi) = (self.lo.min(other.lo), self.hi.max(other.hi));
        Values { lo, hi }
    }

    fn of(ends: impl IntoIterator<Item = Option<i128>>) -> Option<Values> {
        let mut ends = ends.into_iter();
        let first = Values::point(ends.next()??);
        ends.try_fold(first, |all, end| Some(all.hull(Values::point(end?))))
    }

    fn add(self, other: Values) -> Option<Values> {
        Values::of([self.lo.checked_add(other.lo), self.hi.checked_add(other.hi)])
    }

    fn multiply(self, other: Values) -> Option<Values> {
        let pairs =
            [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)];
        Values::of(pairs.map(|(x, y)| x.checked_mul(y)))
    }

    /// Returns the range of quotients by positive divisors, rounded down or up.
    fn divide(self, divisors: Values, round: fn(i128, i128) -> i128) -> Option<Values> {
        let quotient = |x, divisor| Some(round(x, divisor));
        Values::of([
            quotient(self.lo, divisors.lo),
            quotient(self.lo, divisors.hi),
            quotient(self.hi, divisors.lo),
            quotient(self.hi, divisors.hi),
        ])
    }

    fn modulo(self, divisors: Values) -> Values {
        if self.lo >= 0 && self.hi < divisors.lo {
            return self;
        }
        let most = divisors.hi - 1;
        let hi = if self.lo >= 0 { most.min(self.hi) } else { most };
        Values { lo: 0, hi }
    }

    fn within(self, bounds: Interval) -> Values {
        let (lo, hi) = (bounds.lo().into(), bounds.hi().into());
        match (self.lo.max(lo), self.hi.min(hi)) {
            (lo, hi) if lo <= hi => Values { lo, hi },
            _ => Values::point(0), // no point exists at which it has a value
        }
    }
}

/// Returns `x / divisor` rounded up, for a positive divisor.
fn ceildiv(x: i128, divisor: i128) -> i128 {
    x.div_euclid(divisor) + i128::from(x.rem_euclid(divisor) != 0)
}

/// Returns the number of bits of a signed integer that holds all steps of the results of a map, at points whose coordinates fit
/// in 64 bits; `None` if this exceeds 64.
#[must_use]
pub fn bits(map: &IndexingMap) -> Option<u32> {
    let facts = Facts::of(map.domain(), map.results(), true).ok()?;
    let steps = facts.known.values().map(|known| known.steps.bits());
    Some(steps.max().unwrap_or(1)).filter(|bits| *bits <= 64)
}

impl Facts {
    /// Computes the bounds of `exprs` and their parts: if `holds`, at points of `domain`; otherwise at points within the bounds
    /// of its variables.
    ///
    /// # Errors
    /// A part that may exceed 128 bits.
    pub fn of<'e>(
        domain: &Domain,
        exprs: impl IntoIterator<Item = &'e Expr>,
        holds: bool,
    ) -> Result<Facts, TooWide> {
        let mut facts = Facts {
            variables: domain.intervals().map(|bounds| ANY.within(bounds)).collect(),
            ..Facts::default()
        };
        if holds && !domain.is_known_empty() {
            for _ in 0..ROUNDS {
                let constraints = domain.constraints().iter();
                constraints.for_each(|constraint| facts.narrow(domain, constraint));
                facts.known.clear(); // the ranges of the variables may have become narrower
            }
        }
        for expr in exprs {
            facts.add(domain, expr, holds)?;
        }
        Ok(facts)
    }

    /// Narrows the range of each variable that is a term of a constraint, using the ranges of the other terms.
    fn narrow(&mut self, domain: &Domain, constraint: &Constraint) {
        let ExprKind::Sum(sum) = constraint.expr.kind() else {
            return;
        };
        let term = |facts: &mut Facts, coefficient: i64, x: &Expr| {
            facts.add(domain, x, false).ok()?;
            facts.known(x).values.multiply(Values::point(coefficient.into()))
        };
        let terms = sum.terms().iter().map(|(coefficient, x)| term(self, *coefficient, x));
        let Some(terms) = terms.collect::<Option<Vec<Values>>>() else {
            return; // an operand is too wide for any conclusion
        };
        let constant = Values::point(sum.constant().into());
        let Some(total) = terms.iter().try_fold(constant, |total, term| total.add(*term)) else {
            return;
        };
        for ((coefficient, x), term) in sum.terms().iter().zip(&terms) {
            let Some(values) = x.as_variable().and_then(|id| self.variables.get_mut(id.index()))
            else {
                continue;
            };
            // The greatest and least value of `coefficient * x`, unless the constraint's bound is infinite.
            let bounds = constraint.bounds;
            let (rest_lo, rest_hi) = (total.lo - term.lo, total.hi - term.hi);
            let most = (bounds.hi() != PLUS_INFINITY).then(|| i128::from(bounds.hi()) - rest_lo);
            let least = (bounds.lo() != MINUS_INFINITY).then(|| i128::from(bounds.lo()) - rest_hi);
            let factor = i128::from(*coefficient);
            let (lo, hi) = match factor > 0 {
                true => (
                    least.map(|least| ceildiv(least, factor)),
                    most.map(|most| most.div_euclid(factor)),
                ),
                false => (
                    most.map(|most| ceildiv(-most, -factor)),
                    least.map(|least| (-least).div_euclid(-factor)),
                ),
            };
            let (lo, hi) =
                (values.lo.max(lo.unwrap_or(values.lo)), values.hi.min(hi.unwrap_or(values.hi)));
            if lo <= hi {
                *values = Values { lo, hi };
            }
        }
    }

    /// Returns the bounds of an expression; an unknown expression has the range of a 64-bit variable.
    #[must_use]
    pub fn known(&self, expr: &Expr) -> Known {
        let unknown = Known { values: ANY, steps: ANY };
        self.known.get(expr).copied().unwrap_or(unknown)
    }

    /// Checks whether all steps fit in this many bits.
    ///
    /// # Errors
    /// A part that does not fit although its own parts do.
    pub fn fit<'e>(
        &self,
        exprs: impl IntoIterator<Item = &'e Expr>,
        bits: u32,
    ) -> Result<(), TooWide> {
        let mut seen: FxHashSet<&Expr> = FxHashSet::default();
        let mut pending: Vec<&Expr> = exprs.into_iter().collect();
        let exceeds = |expr: &Expr| !self.known(expr).steps.fit(bits);
        while let Some(mut expr) = pending.pop() {
            if !seen.insert(expr) {
                continue;
            }
            if exceeds(expr) {
                while let Some(inner) = expr.operands().find(|operand| exceeds(operand)) {
                    expr = inner;
                }
                return Err(expr.clone());
            }
            pending.extend(expr.operands());
        }
        Ok(())
    }

    fn add(&mut self, domain: &Domain, expr: &Expr, holds: bool) -> Result<(), TooWide> {
        if self.known.contains_key(expr) {
            return Ok(());
        }
        for operand in expr.operands() {
            self.add(domain, operand, holds)?;
        }
        let mut known = self.computed(expr).ok_or_else(|| expr.clone())?;
        if holds && let Some(bounds) = constrained(domain, expr) {
            known.values = known.values.within(bounds);
        }
        self.known.insert(expr.clone(), known);
        Ok(())
    }

    fn computed(&self, expr: &Expr) -> Option<Known> {
        let of = |x: &Expr| self.known(x).values;
        let simple = |values: Values| Known { values, steps: values };
        let divided =
            |x: &Expr, divisor: &Divisor, op: &dyn Fn(Values, Values) -> Option<Values>| {
                let divisors = match divisor {
                    Divisor::Integer(value) => Values::point((*value).into()),
                    Divisor::Named(expr) => of(expr),
                };
                let positive = divisors.within(Interval::at_least(1));
                let positive = Values { lo: positive.lo.max(1), hi: positive.hi.max(1) };
                let values = op(of(x), positive)?;
                let steps = values.hull(of(x)).hull(divisors);
                Some(Known { values, steps })
            };
        Some(match expr.kind() {
            ExprKind::Constant(value) => simple(Values::point((*value).into())),
            ExprKind::Variable(id) => {
                simple(self.variables.get(id.index()).copied().unwrap_or(ANY))
            }
            ExprKind::Sum(sum) => {
                let mut total: Option<Values> = None;
                let mut steps = Values::point(0);
                for (coefficient, x) in sum.terms() {
                    let coefficient = i128::from(*coefficient);
                    let term = of(x).multiply(Values::point(coefficient))?;
                    let written = of(x).multiply(Values::point(coefficient.abs()))?;
                    let so_far = match total {
                        Some(total) => total.add(term)?,
                        None => term,
                    };
                    steps = steps.hull(of(x)).hull(term).hull(written).hull(so_far);
                    total = Some(so_far);
                }
                let values = total?.add(Values::point(sum.constant().into()))?;
                let steps = steps.hull(values);
                Known { values, steps }
            }
            ExprKind::Product(factors) => {
                let mut product = Values::point(1);
                let mut steps = product;
                for factor in factors {
                    product = product.multiply(of(factor))?;
                    steps = steps.hull(of(factor)).hull(product);
                }
                let values = product;
                Known { values, steps }
            }
            ExprKind::FloorDiv(x, c) => divided(x, c, &|x, c| x.divide(c, i128::div_euclid))?,
            ExprKind::CeilDiv(x, c) => divided(x, c, &|x, c| x.divide(c, ceildiv))?,
            ExprKind::Mod(x, c) => divided(x, c, &|x, c| Some(x.modulo(c)))?,
            ExprKind::Min(list) | ExprKind::Max(list) => {
                let is_min = matches!(expr.kind(), ExprKind::Min(_));
                let all = list.iter().map(of);
                let steps = all.clone().reduce(Values::hull)?;
                let chosen = |x: Values, y: Values| match is_min {
                    true => Values { lo: x.lo.min(y.lo), hi: x.hi.min(y.hi) },
                    false => Values { lo: x.lo.max(y.lo), hi: x.hi.max(y.hi) },
                };
                let values = all.reduce(chosen)?;
                Known { values, steps }
            }
        })
    }
}

/// Returns the bounds of the constraint on exactly this expression.
fn constrained(domain: &Domain, expr: &Expr) -> Option<Interval> {
    let list = domain.constraints();
    let found = list.binary_search_by(|constraint| constraint.expr.cmp(expr));
    Some(list[found.ok()?].bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor_maps::text::parse_map;

    /// Checks the range of the only result and the number of bits of its steps, or the reason why they exceed 128.
    #[track_caller]
    fn check(map: &str, expected: Result<(i128, i128, u32), &str>) {
        let map = parse_map(map).unwrap();
        let facts = Facts::of(map.domain(), map.results(), true);
        let found = facts.map(|facts| {
            let known = facts.known(&map.results()[0]);
            let bits = [32, 64].into_iter().find(|bits| facts.fit(map.results(), *bits).is_ok());
            (known.values.lo, known.values.hi, bits.unwrap_or(128))
        });
        let expected = expected.map_err(|text| parse_map(text).unwrap().results()[0].clone());
        assert_eq!(found, expected);
    }

    #[test]
    fn values_and_steps_are_bounded() {
        let most = i128::from(i64::MAX);
        check("(a) -> (a * 4 - 1), domain: a in [-2, 3]", Ok((-9, 11, 32)));
        check("(a) -> (-(a mod 8)), domain: a in [-2, 30]", Ok((-7, 0, 32)));
        check("(a) -> (a ceildiv 4), domain: a in [-5, 5]", Ok((-1, 2, 32)));
        check("(a) -> (min(a, 4000000000)), domain: a in [0, 5]", Ok((0, 5, 64)));
        // A partial sum counts, and so does an expression before its constraint bounds it.
        let long = "(a, b) -> (a + b - 9223372036854775807), domain: a in [1, inf], b in [0, 1]";
        check(long, Ok((1 - most, 1, 128)));
        let bounded = "(a) -> (a * 2), domain: a in [0, 4611686018427387904], a * 2 in [0, 6]";
        check(bounded, Ok((0, 6, 32)));
        check("<n>(a) -> (a * n), domain: n in [1, inf], a in [0, inf]", Ok((0, most * most, 128)));
        check("<n>(a) -> (a floordiv n), domain: n in [2, inf], a in [-9, 9]", Ok((-5, 4, 64)));
        check(
            "<n>(a) -> (a * n * n + 1), domain: n in [1, inf], a in [0, inf]",
            Err("<n>(a) -> (a * n * n), domain: n in [1, inf], a in [0, inf]"),
        );
    }
}
