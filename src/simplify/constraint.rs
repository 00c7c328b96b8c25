//! Bounds on a sum, and rules that replace them by equivalent ones.

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use super::question::{Answer, Question};
use crate::num;
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::rule::matching::Stated;
use smallvec::SmallVec;

/// `sum in bounds`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    pub sum: Linear,
    /// The bounds, each possibly infinite.
    pub bounds: Interval,
}

/// Returns a bound as part of a query; its bounds may be contradictory.
fn stated(sum: &Linear, ends: [i64; 2]) -> Stated<AtomId> {
    let sum = sum.clone();
    Stated { sum, ends }
}

/// A congruence `of mod modulus = residue` that a bound expresses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Congruence {
    /// A sum without constant.
    pub of: Linear,
    /// At least 2.
    pub modulus: i64,
    /// In `[0, modulus)`.
    pub residue: i64,
}

/// The status of a normalized bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decided {
    /// The domain implies the bound.
    Always,
    /// The bound is unsatisfiable in the domain.
    Never,
    /// Neither is known.
    Open,
}

impl Engine<'_> {
    /// Normalizes a bound: no constant, no common factor, first coefficient positive, no lone quotient, no irrelevant low digits,
    /// bounds clipped to the range of the sum (`constraint-clip`).
    pub fn normalise_bound(&mut self, mut bound: Bound) -> Bound {
        for _ in 0..32 {
            let range = self.store.range(&bound.sum);
            if !bound.bounds.intersect(range).is_empty() {
                bound.bounds = bound.bounds.intersect(range);
            }
            match self.rewrite_bound(&bound) {
                Some(next) if next != bound => bound = next,
                _ => break,
            }
        }
        bound
    }

    /// Decides a bound by the range of its sum (`constraint-always`, `constraint-never`).
    pub fn truth(&mut self, bound: &Bound) -> Decided {
        let range = self.store.range(&bound.sum);
        if bound.bounds.contains_all(range) || self.is_implied_by_ends(bound) {
            Decided::Always
        } else if bound.bounds.intersect(range).is_empty() {
            Decided::Never
        } else {
            Decided::Open
        }
    }

    /// Returns whether a bound follows from the bounds of variables in terms of parameters.
    fn is_implied_by_ends(&mut self, Bound { sum, bounds }: &Bound) -> bool {
        let (lo, hi) = (bounds.lo(), bounds.hi());
        self.store.names.is_some()
            && (lo == MINUS_INFINITY || self.store.is_at_least(sum, lo))
            && (hi == PLUS_INFINITY || self.store.is_at_most(sum, hi))
    }

    fn rewrite_bound(&mut self, bound: &Bound) -> Option<Bound> {
        let Bound { sum, bounds } = bound;
        if sum.terms().is_empty() || !bounds.is_bounded() || bounds.is_empty() {
            return None;
        }
        let (lo, hi) = (bounds.lo(), bounds.hi());
        let common = sum.terms().iter().try_fold(0, |g, (_, c)| num::gcd(g, *c))?;
        // The smallest coefficient is made positive to expose a remainder `x - c * (x floordiv c)`.
        let smallest = sum.terms().iter().min_by_key(|(_, c)| c.unsigned_abs());
        let after = if sum.constant != 0 {
            return self.without_constant(bound);
        } else if common > 1 {
            let ends = [num::ceildiv(lo, common), num::floordiv(hi, common)];
            stated(&sum.split_multiples(common).0, ends)
        } else if smallest.is_some_and(|(_, c)| *c < 0) {
            stated(&sum.scaled(-1)?, [hi.checked_neg()?, lo.checked_neg()?])
        } else {
            let without = self.without_quotient(bound);
            return without.or_else(|| self.without_low_digits(bound));
        };
        self.replace(&Question::default(), stated(sum, [lo, hi]), after)
    }

    /// Moves the constant of the sum of a bounded bound into the bounds.
    pub fn without_constant(&mut self, Bound { sum, bounds }: &Bound) -> Option<Bound> {
        let (lo, hi, k) = (bounds.lo(), bounds.hi(), sum.constant);
        let after = stated(&sum.with_constant(0), [lo.checked_sub(k)?, hi.checked_sub(k)?]);
        self.replace(&Question::default(), stated(sum, [lo, hi]), after)
    }

    /// Eliminates the only quotient of `x floordiv c + y in [l, u]`.
    fn without_quotient(&mut self, bound: &Bound) -> Option<Bound> {
        let mut quotients = self.store.quotients_of(&bound.sum);
        let (atom, coefficient) = quotients.next()?;
        if quotients.next().is_some() || coefficient.unsigned_abs() != 1 {
            return None;
        }
        drop(quotients);
        let (x, c) = self.store.quotient(atom).map(|(x, c)| (x.clone(), c))?;
        // The quotient of a remainder is kept: `x mod c` is more precise than the expanded `x - c * (x floordiv c)`.
        let (lo, hi) = (bound.bounds.lo(), bound.bounds.hi());
        let y = bound.sum.without(atom);
        let (y, lo, hi) = match coefficient {
            1 => (y, lo, hi),
            _ => (y.scaled(-1)?, hi.checked_neg()?, lo.checked_neg()?),
        };
        let mut question = Question::default();
        let quotient = question.quotient(x.clone(), c);
        let upper = hi.checked_mul(c)?.checked_add(c - 1)?;
        let after = stated(&x.plus(c, &y)?, [lo.checked_mul(c)?, upper]);
        self.replace(&question, stated(&y.plus(1, &quotient)?, [lo, hi]), after)
    }

    /// Drops `y` from `g*x + y in [l, u]` if it is too small to affect the binding bounds; a bound that does not bind is dropped
    /// (`constraint-upper-only`, `constraint-lower-only`).
    fn without_low_digits(&mut self, bound: &Bound) -> Option<Bound> {
        let range = self.store.range(&bound.sum);
        let mut factors: Vec<i64> = bound
            .sum
            .terms()
            .iter()
            .filter_map(|(_, c)| c.checked_abs())
            .filter(|c| *c > 1)
            .collect();
        factors.sort_unstable_by(|x, y| y.cmp(x));
        factors.dedup();
        'factors: for g in factors {
            let (x, y) = bound.sum.split_multiples(g);
            let low = self.store.range(&y);
            if y.terms().is_empty() || !low.is_bounded() {
                continue;
            }
            let (l, u) = (bound.bounds.lo(), bound.bounds.hi());
            let p = num::ceildiv(l.checked_sub(low.hi())?, g);
            let q = num::floordiv(u.checked_sub(low.lo())?, g);
            // For each bound: whether it binds, its value for the sum, and for `x`.
            let ends = [
                (range.hi() > u, [MINUS_INFINITY, u], [MINUS_INFINITY, q]),
                (range.lo() < l, [l, PLUS_INFINITY], [p, PLUS_INFINITY]),
            ];
            let mut bounds = self.store.range(&x);
            let mut answers: SmallVec<[Answer; 2]> = SmallVec::new();
            for (_, given, after) in ends.into_iter().filter(|(binds, ..)| *binds) {
                let stated = [stated(&bound.sum, given), stated(&x, after)];
                match self.ask(&Question::default(), [&stated[..1], &stated[1..]], true) {
                    Some(answer) => answers.push(answer),
                    None => continue 'factors, // a single end does not bound `x`
                }
                bounds = bounds.intersect(Interval::new(after[0], after[1]));
            }
            for (rule, bindings) in answers {
                self.note(rule, &bindings);
            }
            return Some(Bound { sum: x, bounds });
        }
        None
    }

    /// Returns the congruence that a bound expresses: a remainder with a single value (`congruence-offset`, `congruence-mirror`).
    pub fn congruence(&mut self, bound: &Bound) -> Option<Congruence> {
        let value = bound.bounds.as_point()?;
        let view = self.store.digits(&bound.sum);
        let [digit] = view.digits.as_slice() else {
            return None;
        };
        let rest = view.rest.as_constant()?;
        let residue = match digit.coefficient {
            1 => value.checked_sub(rest)?,
            -1 => rest.checked_sub(value)?,
            _ => return None,
        };
        if !(0..digit.modulus).contains(&residue) {
            return None; // out of range: the bound's truth is `Never`
        }
        let (k, c) = (digit.of.constant, digit.modulus);
        if k == 0 {
            return Some(Congruence { of: digit.of.clone(), modulus: c, residue });
        }
        let of = digit.of.with_constant(0);
        let w = num::modulo(residue.checked_sub(num::modulo(k, c))?, c);
        let mut question = Question::default();
        let given = stated(&question.remainder(digit.of.clone(), c), [residue; 2]);
        let after = stated(&question.remainder(of.clone(), c), [w; 2]);
        self.replace(&question, given, after)?;
        Some(Congruence { of, modulus: c, residue: w })
    }

    /// Writes a congruence as a bound.
    pub fn bound_of(&mut self, congruence: &Congruence) -> Option<Bound> {
        let sum = self.remainder(&congruence.of, congruence.modulus)?;
        Some(Bound { sum, bounds: Interval::point(congruence.residue) })
    }

    /// Rescales the bounds of a sum to the stride of a congruence.
    pub fn on_stride(&mut self, bounds: Interval, congruence: &Congruence) -> Option<Interval> {
        let (l, u) = (bounds.lo(), bounds.hi());
        let (c, r) = (congruence.modulus, congruence.residue);
        let lo = l.checked_add(num::modulo(r.checked_sub(l)?, c))?;
        let hi = u.checked_sub(num::modulo(u.checked_sub(r)?, c))?;
        let mut question = Question::default();
        let stride = question.congruence(congruence);
        let [given, after] =
            [[l, u], [lo, hi]].map(|ends| [stated(&congruence.of, ends), stride.clone()]);
        self.replace_all(&question, &given, &after)?;
        Some(Interval::new(lo, hi))
    }

    /// Merges two congruences of a sum; `Err` if they are contradictory.
    pub fn merged(&mut self, x: &Congruence, y: &Congruence) -> Option<Result<Congruence, ()>> {
        let (a, b) = (x.modulus, y.modulus);
        let (d, u, _) = num::extended_gcd(a, b);
        let mut question = Question::default();
        let given = [question.congruence(x), question.congruence(y)];
        if (x.residue - y.residue) % d != 0 {
            let never = stated(&Linear::constant(1), [0; 2]);
            self.replace_all(&question, &given, &[never])?;
            return Some(Err(()));
        }
        let m = num::lcm(a, b)?;
        // w = r + a * u * (s - r) / d, modulo m, in 128 bits
        let step = i128::from((y.residue - x.residue) / d) * i128::from(u) % i128::from(b / d);
        let w =
            i64::try_from((i128::from(x.residue) + i128::from(a) * step).rem_euclid(i128::from(m)))
                .ok()?;
        let merged = Congruence { of: x.of.clone(), modulus: m, residue: w };
        let after = question.congruence(&merged);
        self.replace_all(&question, &given, &[after])?;
        Some(Ok(merged))
    }

    /// Replaces a bound, if a rule states the equivalence.
    fn replace(
        &mut self,
        question: &Question,
        given: Stated<AtomId>,
        after: Stated<AtomId>,
    ) -> Option<Bound> {
        let [lo, hi] = after.ends;
        self.replace_all(question, &[given], std::slice::from_ref(&after))?;
        Some(Bound { sum: after.sum, bounds: Interval::new(lo, hi) })
    }

    /// Replaces bounds by others, if a rule states the equivalence.
    fn replace_all(
        &mut self,
        question: &Question,
        given: &[Stated<AtomId>],
        after: &[Stated<AtomId>],
    ) -> Option<()> {
        let (rule, bindings) = self.ask(question, [given, after], true)?;
        self.note(rule, &bindings);
        Some(())
    }
}

impl Question {
    /// Returns a congruence as part of a query.
    fn congruence(&mut self, congruence: &Congruence) -> Stated<AtomId> {
        let sum = self.remainder(congruence.of.clone(), congruence.modulus);
        stated(&sum, [congruence.residue; 2])
    }
}
