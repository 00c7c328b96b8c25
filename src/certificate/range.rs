//! Intervals of sums, from facts about the domain.
//!
//! Facts: an interval for each variable, inequalities `sum >= 0` (the constraints, once they may be used), and intervals of sums
//! shown by earlier steps, which also apply to a part of a sum. Law: every value that the sum takes at a point of the domain lies
//! in its interval. Intervals of terms are added; in addition, `k*x - k*c*(x floordiv c)` is recognized as `k*(x mod c)`, `(x
//! floordiv a) floordiv b` as `x floordiv (a*b)`, each operand is substituted for a min or max in a sum, and parts of one
//! variable are evaluated at its values (`points`). The simplifier has faster ranges of its own, which these judge, so neither
//! uses the other.

use super::known::{Known, Steps};
use super::sum::{AtomId, Sum};
use super::values::{Atom, Values};
use super::witness::Witnesses;
use crate::num::Interval;
use rustc_hash::FxHashMap;

/// An interval and its dependencies.
type Fact = (Interval, Steps);

/// Facts about the domain.
#[derive(Default)]
pub struct Facts {
    /// Intervals by variable number.
    pub variables: Vec<Interval>,
    /// Nonnegative sums.
    pub constraints: Vec<Sum>,
    /// Shown intervals, by sum without constant whose first coefficient is positive.
    shown: FxHashMap<Sum, Fact>,
    /// Intervals computed since a fact was added.
    computed: FxHashMap<Sum, Fact>,
    /// Sums that were shown to be nonnegative since a fact was added (`sign`).
    pub(super) natural: FxHashMap<Sum, Steps>,
    /// Points of the domain.
    pub(super) witnesses: Witnesses,
    /// Whether no bound is derived from several constraints.
    pub(super) is_plain: bool,
    /// Current recursion depth.
    depth: u32,
    /// Current depth of case splits over operands of mins and maxes.
    distinguished: u32,
    /// Number of operands tried for the outermost interval.
    tried: usize,
}

/// Maximum nesting of quotients, mins and maxes that is evaluated; anything deeper is unbounded. Limits the stack for
/// any certificate.
const MAX_DEPTH: u32 = 200;

/// Maximum depth of case splits over operands of mins and maxes.
const MAX_DISTINGUISHED: u32 = 6;

/// Maximum number of operands tried for one interval: six mins of eight operands would need 262,144.
const MAX_TRIED: usize = 2_000;

impl Facts {
    pub fn new(is_plain: bool) -> Facts {
        Facts { is_plain, ..Facts::default() }
    }

    /// Records that a sum lies in `interval`, as `steps` show.
    pub fn show(&mut self, sum: &Sum, interval: Interval, steps: Steps) -> Option<()> {
        let (key, sign) = direction(sum)?;
        let interval = scaled(shifted(interval, sum.constant().checked_neg()?), sign);
        let merged = match self.shown.remove(&key) {
            Some((known, before)) => (known.intersect(interval), &before | &steps),
            None => (interval, steps),
        };
        self.shown.insert(key, merged);
        self.computed.clear();
        Some(())
    }

    /// Invalidates cached intervals; call after changing `variables` or `constraints`.
    pub fn forget(&mut self) {
        self.computed.clear();
        self.natural.clear();
        self.witnesses.forget();
    }

    /// Returns an interval that contains every value of a sum; adds its dependencies to `used`.
    pub fn range(
        &mut self,
        values: &Values<'_>,
        known: &Known,
        sum: &Sum,
        used: &mut Steps,
    ) -> Interval {
        if let Some((interval, steps)) = self.computed.get(sum) {
            values.spend(1 + steps.len());
            used.extend(steps);
            return *interval;
        }
        let cost = 8 + sum.terms().len();
        if self.depth >= MAX_DEPTH || values.spend(cost).is_none() {
            return Interval::ALL;
        }
        if self.depth == 0 {
            self.tried = 0;
        }
        self.depth += 1;
        let mut steps = Steps::new();
        let mut interval = self.by_terms(values, known, sum, &mut steps);
        interval = interval.intersect(self.by_remainders(values, known, sum, &mut steps));
        interval = interval.intersect(self.by_operands(values, known, sum, &mut steps));
        if sum.terms().iter().any(|(atom, _)| !matches!(values.atom(*atom), Atom::Variable(_))) {
            let by_values = self.by_values(values, known, sum, &mut steps);
            interval = interval.intersect(by_values.unwrap_or(Interval::ALL));
        }
        interval = self.by_shown(sum, interval, &mut steps);
        interval = self.by_constraints(values, known, sum, interval, &mut steps);
        self.depth -= 1;
        values.spend(steps.len());
        self.computed.insert(sum.clone(), (interval, steps.clone()));
        used.extend(&steps);
        interval
    }

    /// Intersects `interval` with the one shown for the sum.
    fn by_shown(&self, sum: &Sum, interval: Interval, used: &mut Steps) -> Interval {
        let direction = direction(sum);
        let shown = direction.and_then(|(key, sign)| Some((self.shown.get(&key)?, sign)));
        let Some(((shown, from), sign)) = shown else {
            return interval;
        };
        let sharper = interval.intersect(shifted(scaled(*shown, sign), sum.constant()));
        if sharper != interval {
            used.extend(from);
        }
        sharper
    }

    pub(super) fn by_terms(
        &mut self,
        values: &Values<'_>,
        known: &Known,
        sum: &Sum,
        used: &mut Steps,
    ) -> Interval {
        let mut total = shifted(Interval::point(0), sum.constant());
        for (atom, coefficient) in sum.terms() {
            let range = self.of_atom(values, known, *atom, used);
            total = total.add(scaled(range, *coefficient));
        }
        total
    }

    pub(super) fn of_atom(
        &mut self,
        values: &Values<'_>,
        known: &Known,
        atom: AtomId,
        used: &mut Steps,
    ) -> Interval {
        let interval = match values.atom(atom) {
            Atom::Variable(id) => {
                let bounds = self.variables.get(id.index());
                bounds.copied().unwrap_or(Interval::ALL)
            }
            Atom::Quotient(of, divisor) => {
                let of = self.range(values, known, of, used);
                match divisor.as_integer().map(i64::try_from) {
                    Some(Ok(divisor)) => of.floordiv(divisor),
                    _ => of.floordiv_by(self.range(values, known, divisor, used)),
                }
            }
            Atom::Product(factors) => {
                let ranges = factors.iter();
                let ranges = ranges.map(|x| self.of_atom(values, known, *x, used));
                ranges.reduce(Interval::multiply).unwrap_or(Interval::ALL)
            }
            Atom::Extreme(least, list) => {
                let join = if *least { Interval::min } else { Interval::max };
                let ranges = list.iter().map(|x| self.range(values, known, x, used));
                ranges.reduce(join).unwrap_or(Interval::ALL)
            }
        };
        self.by_shown(&Sum::atom(atom), interval, used)
    }

    /// Intersects, over each min or max among the terms, the interval obtained by substituting each operand for it: the least of
    /// these intervals, or the greatest.
    fn by_operands(
        &mut self,
        values: &Values<'_>,
        known: &Known,
        sum: &Sum,
        used: &mut Steps,
    ) -> Interval {
        let mut interval = Interval::ALL;
        if sum.terms().len() < 2 || self.distinguished >= MAX_DISTINGUISHED {
            return interval;
        }
        self.distinguished += 1;
        for (atom, factor) in sum.terms() {
            let Atom::Extreme(least, list) = values.atom(*atom) else {
                continue;
            };
            let minus = factor.checked_neg();
            let rest = minus.and_then(|minus| sum.plus(minus, &Sum::atom(*atom)));
            let join = match *least == (*factor > 0) {
                true => Interval::min,
                false => Interval::max,
            };
            self.tried = self.tried.saturating_add(list.len());
            if self.tried > MAX_TRIED {
                break;
            }
            let ranges = list.iter().map(|x| {
                let whole = rest.as_ref().and_then(|rest| rest.plus(*factor, x));
                whole.map_or(Interval::ALL, |x| self.range(values, known, &x, used))
            });
            interval = interval.intersect(ranges.reduce(join).unwrap_or(Interval::ALL));
        }
        self.distinguished -= 1;
        interval
    }

    /// Like [`Facts::gathered`], with quotients by equal divisors in both orders.
    pub(super) fn by_remainders(
        &mut self,
        values: &Values<'_>,
        known: &Known,
        sum: &Sum,
        used: &mut Steps,
    ) -> Interval {
        let of = |(atom, _): &(AtomId, i128)| Some((*atom, values.integer_quotient_of(*atom)?.1));
        let mut quotients: Vec<(AtomId, i64)> = sum.terms().iter().filter_map(of).collect();
        quotients.sort_by_key(|(atom, divisor)| (*divisor, *atom));
        let one = self.gathered(values, known, sum, &quotients, used);
        quotients.sort_by_key(|(atom, divisor)| (*divisor, std::cmp::Reverse(*atom)));
        one.intersect(self.gathered(values, known, sum, &quotients, used))
    }

    /// Returns the interval of `rest + k * remainder + ..`, with the quotients of the sum and their numerators combined to
    /// remainders one by one.
    fn gathered(
        &mut self,
        values: &Values<'_>,
        known: &Known,
        sum: &Sum,
        quotients: &[(AtomId, i64)],
        used: &mut Steps,
    ) -> Interval {
        let (mut rest, mut total) = (sum.clone(), Interval::point(0));
        for (position, (atom, divisor)) in quotients.iter().enumerate() {
            if values.spend(1 + position + rest.terms().len()).is_none() {
                return Interval::ALL;
            }
            let numerator = values.quotient_of(*atom).map(|(numerator, _)| numerator);
            let finer = quotients[..position].iter().rev().find(|(other, c)| {
                let same = values.quotient_of(*other).map(|(x, _)| x) == numerator;
                same && c < divisor && divisor % c == 0
            });
            let (part, modulus) = match (finer, numerator) {
                (Some((parent, c)), _) => (Sum::atom(*parent), divisor / c),
                (None, Some(numerator)) => (numerator.clone(), *divisor),
                (None, None) => continue,
            };
            let times = rest.multiplicity(&part);
            let without = times.checked_neg().and_then(|minus| rest.plus(minus, &part));
            let added = times.checked_mul(i128::from(modulus));
            let without = without.and_then(|x| x.plus(added?, &Sum::atom(*atom)));
            if let (true, Some(without)) = (times != 0, without) {
                let mut remainder = self.range(values, known, &part, used).modulo(modulus);
                if let Some(sum) = part.plus(-i128::from(modulus), &Sum::atom(*atom)) {
                    remainder = self.by_shown(&sum, remainder, used);
                }
                total = total.add(scaled(remainder, times));
                rest = without;
            }
        }
        if rest == *sum {
            return Interval::ALL;
        }
        total.add(self.by_terms(values, known, &rest, used))
    }

    /// Intersects `interval` with each constraint that differs from the sum or its negation by an integer, or by fewer terms than
    /// the sum has.
    fn by_constraints(
        &mut self,
        values: &Values<'_>,
        known: &Known,
        sum: &Sum,
        interval: Interval,
        used: &mut Steps,
    ) -> Interval {
        let mut interval = interval;
        for index in 0..self.constraints.len() {
            if values.spend(1).is_none() {
                break;
            }
            for sign in [1, -1] {
                let mut steps = Steps::new();
                let Some(difference) = sum.plus(-sign, &self.constraints[index]) else { continue };
                let apart = match known.integer(values, &difference, &mut steps) {
                    Some(value) => shifted(Interval::point(0), value),
                    None if !self.is_plain
                        && is_near(sum, &self.constraints[index], &difference) =>
                    {
                        self.by_terms(values, known, &difference, &mut steps)
                    }
                    None => continue,
                };
                let side = match sign {
                    1 => Interval::new(apart.lo(), Interval::ALL.hi()),
                    _ => Interval::new(Interval::ALL.lo(), apart.hi()),
                };
                let sharper = interval.intersect(side);
                if sharper != interval {
                    interval = sharper;
                    used.extend(steps);
                }
            }
        }
        interval
    }
}

/// Returns whether a sum differs from a sum of several terms by fewer terms than it has.
fn is_near(sum: &Sum, other: &Sum, difference: &Sum) -> bool {
    other.terms().len() > 1 && difference.terms().len() < sum.terms().len()
}

/// Returns `(terms, sign)` such that the terms of a sum are `sign * terms`, and the first coefficient is positive.
fn direction(sum: &Sum) -> Option<(Sum, i128)> {
    let sign = sum.terms().first().map_or(1, |(_, c)| c.signum());
    Some((sum.without_constant().scaled(sign)?, sign))
}

/// Returns `{x + value}`; unbounded if the value does not fit in 64 bits.
fn shifted(interval: Interval, value: i128) -> Interval {
    i64::try_from(value).map_or(Interval::ALL, |value| interval.add(Interval::point(value)))
}

/// Returns `{factor * x}`; unbounded if the factor does not fit in 64 bits.
fn scaled(interval: Interval, factor: i128) -> Interval {
    i64::try_from(factor).map_or(Interval::ALL, |factor| interval.scale(factor))
}
