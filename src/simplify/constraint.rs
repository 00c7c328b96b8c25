//! Bounds on a sum, and the rules that replace them by equal ones.

use super::engine::Engine;
use super::linear::Linear;
use super::terms::Bindings;
use crate::interval::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::num;
use crate::rule::matching::{establishes, sum_of};
use crate::rule::{Condition, Relation, RuleId, Statement};

/// `sum in bounds`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// What is bounded.
    pub sum: Linear,
    /// By what; an end may be infinite.
    pub bounds: Interval,
}

/// `of mod modulus = residue`, read out of a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Congruence {
    /// A sum without constant.
    pub of: Linear,
    /// At least 2.
    pub modulus: i64,
    /// In `[0, modulus)`.
    pub residue: i64,
}

/// What is known of a bound once it is in normal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Truth {
    /// Every point of the domain satisfies it.
    Always,
    /// No point does.
    Never,
    /// Some points may.
    Open,
}

impl Engine<'_> {
    /// Normal form of a bound: no constant, no common factor, first coefficient positive, no lone
    /// quotient, no low digits that cannot matter, ends clipped to the range of the sum (`constraint-clip`).
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

    /// Does the range of its sum decide the bound? (`constraint-always`, `constraint-never`)
    pub fn truth(&mut self, bound: &Bound) -> Truth {
        let range = self.store.range(&bound.sum);
        if bound.bounds.contains_all(range) {
            Truth::Always
        } else if bound.bounds.intersect(range).is_empty() {
            Truth::Never
        } else {
            Truth::Open
        }
    }

    fn rewrite_bound(&mut self, bound: &Bound) -> Option<Bound> {
        let Bound { sum, bounds } = bound;
        if sum.terms().is_empty() || !bounds.is_bounded() || bounds.is_empty() {
            return None;
        }
        let known = self.rules.known();
        let (lo, hi) = (bounds.lo(), bounds.hi());
        if sum.constant != 0 {
            let bindings = Bindings::of(&[lo, sum.constant, hi], [sum.with_constant(0)]);
            return self.replace(known.constraint_shift, bindings, bound);
        }
        let common = sum
            .terms()
            .iter()
            .try_fold(0, |g, (_, c)| num::gcd(g, *c))?;
        if common > 1 {
            let (x, _) = sum.split_multiples(common);
            return self.replace(
                known.constraint_scale,
                Bindings::of(&[lo, common, hi], [x]),
                bound,
            );
        }
        // A remainder `x - c * (x floordiv c)` is to be seen as one, so the smallest coefficient is positive.
        let smallest = sum.terms().iter().min_by_key(|(_, c)| c.unsigned_abs());
        if smallest.is_some_and(|(_, c)| *c < 0) {
            let bindings = Bindings::of(&[lo, hi], [sum.scaled(-1)?]);
            return self.replace(known.constraint_negate, bindings, bound);
        }
        self.without_quotient(bound)
            .or_else(|| self.without_low_digits(bound))
    }

    /// `x floordiv c + y in [l, u]`, for the only quotient of the sum.
    fn without_quotient(&mut self, bound: &Bound) -> Option<Bound> {
        let mut quotients = self.store.quotients_of(&bound.sum);
        let (atom, coefficient) = quotients.next()?;
        if quotients.next().is_some() || coefficient.unsigned_abs() != 1 {
            return None;
        }
        drop(quotients);
        let (x, c) = self.store.quotient(atom).map(|(x, c)| (x.clone(), c))?;
        let y = bound.sum.without(atom);
        // The quotient of a remainder stays: `x mod c` says more than `x - c * (x floordiv c)` multiplied out.
        let (lo, hi) = (bound.bounds.lo(), bound.bounds.hi());
        if coefficient == 1 {
            let known = self.rules.known();
            return self.replace(
                known.constraint_floordiv,
                Bindings::of(&[lo, c, hi], [x, y]),
                bound,
            );
        }
        let negated = Bound {
            sum: bound.sum.scaled(-1)?,
            bounds: Interval::new(hi.checked_neg()?, lo.checked_neg()?),
        };
        let known = self.rules.known();
        let bindings = Bindings::of(
            &[negated.bounds.lo(), c, negated.bounds.hi()],
            [x, y.scaled(-1)?],
        );
        self.replace(known.constraint_floordiv, bindings, &negated)
    }

    /// `g*x + y in [l, u]`, where `y` is too small to matter to the ends that bind; an end that does not
    /// bind is left out (`constraint-upper-only`, `constraint-lower-only`).
    fn without_low_digits(&mut self, bound: &Bound) -> Option<Bound> {
        let known = self.rules.known();
        let range = self.store.range(&bound.sum);
        let (binds_below, binds_above) = (
            range.lo() < bound.bounds.lo(),
            range.hi() > bound.bounds.hi(),
        );
        let mut factors: Vec<i64> = bound
            .sum
            .terms()
            .iter()
            .filter_map(|(_, c)| c.checked_abs())
            .filter(|c| *c > 1)
            .collect();
        factors.sort_unstable_by(|x, y| y.cmp(x));
        factors.dedup();
        for g in factors {
            let (x, y) = bound.sum.split_multiples(g);
            let low = self.store.range(&y);
            if y.terms().is_empty() || !low.is_bounded() {
                continue;
            }
            let mut bounds = self.store.range(&x);
            let before = self.replacements.len();
            if binds_above {
                let (u, slack) = (bound.bounds.hi(), low.lo());
                let q = num::floordiv(u.checked_sub(slack)?, g);
                let given = Bound {
                    sum: bound.sum.clone(),
                    bounds: Interval::new(MINUS_INFINITY, u),
                };
                let bindings = Bindings::of(&[g, u, q], [x.clone(), y.clone()]);
                let Some(next) = self.replace(known.constraint_low_upper, bindings, &given) else {
                    continue;
                };
                bounds = bounds.intersect(next.bounds);
            }
            if binds_below {
                let l = bound.bounds.lo();
                let p = num::ceildiv(l.checked_sub(low.hi())?, g);
                let given = Bound {
                    sum: bound.sum.clone(),
                    bounds: Interval::new(l, PLUS_INFINITY),
                };
                let bindings = Bindings::of(&[l, g, p], [x.clone(), y.clone()]);
                let Some(next) = self.replace(known.constraint_low_lower, bindings, &given) else {
                    self.take_back(before); // one end alone is no bound of `x`
                    continue;
                };
                bounds = bounds.intersect(next.bounds);
            }
            return Some(Bound { sum: x, bounds });
        }
        None
    }

    /// The congruence that a bound states, if it does: a remainder that must have one value
    /// (`congruence-offset`, `congruence-mirror`).
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
            return Some(Congruence {
                of: digit.of.clone(),
                modulus: c,
                residue,
            });
        }
        let of = digit.of.with_constant(0);
        let w = num::modulo(residue.checked_sub(num::modulo(k, c))?, c);
        let given = Bound {
            sum: self.remainder(&digit.of, c)?,
            bounds: Interval::point(residue),
        };
        let known = self.rules.known();
        self.replace(
            known.constraint_mod_shift,
            Bindings::of(&[k, c, residue, w], [of.clone()]),
            &given,
        )?;
        Some(Congruence {
            of,
            modulus: c,
            residue: w,
        })
    }

    /// The bound that states a congruence.
    pub fn bound_of(&mut self, congruence: &Congruence) -> Option<Bound> {
        let sum = self.remainder(&congruence.of, congruence.modulus)?;
        Some(Bound {
            sum,
            bounds: Interval::point(congruence.residue),
        })
    }

    /// The bounds of a sum on the stride of a congruence.
    pub fn on_stride(&mut self, bounds: Interval, congruence: &Congruence) -> Option<Interval> {
        let (l, u, c, r) = (
            bounds.lo(),
            bounds.hi(),
            congruence.modulus,
            congruence.residue,
        );
        let given = [
            Bound {
                sum: congruence.of.clone(),
                bounds,
            },
            self.bound_of(congruence)?,
        ];
        let bindings = Bindings::of(&[l, u, c, r], [congruence.of.clone()]);
        let after = self.replace_all(self.rules.known().constraint_stride, bindings, &given)?;
        after
            .iter()
            .find(|bound| bound.sum == congruence.of)
            .map(|bound| bound.bounds)
    }

    /// One congruence for two of the same sum; `Err` if no integer satisfies both.
    pub fn merged(&mut self, x: &Congruence, y: &Congruence) -> Option<Result<Congruence, ()>> {
        let (a, b) = (x.modulus, y.modulus);
        let (d, u, v) = num::extended_gcd(a, b);
        let given = [self.bound_of(x)?, self.bound_of(y)?];
        if (x.residue - y.residue) % d != 0 {
            let bindings = Bindings::of(
                &[a, x.residue, b, y.residue, d, a / d, b / d],
                [x.of.clone()],
            );
            self.replace_all(self.rules.known().congruence_never, bindings, &given)?;
            return Some(Err(()));
        }
        let m = num::lcm(a, b)?;
        // w = r + a * u * (s - r) / d, modulo m, in 128 bits
        let step = i128::from((y.residue - x.residue) / d) * i128::from(u) % i128::from(b / d);
        let w =
            i64::try_from((i128::from(x.residue) + i128::from(a) * step).rem_euclid(i128::from(m)))
                .ok()?;
        let merged = Congruence {
            of: x.of.clone(),
            modulus: m,
            residue: w,
        };
        let bindings = Bindings::of(
            &[a, x.residue, b, y.residue, m, w, m / a, m / b, u, v, d],
            [x.of.clone()],
        );
        self.replace_all(self.rules.known().constraint_crt, bindings, &given)?;
        Some(Ok(merged))
    }

    fn replace(&mut self, rule: RuleId, bindings: Bindings, given: &Bound) -> Option<Bound> {
        let after = self.replace_all(rule, bindings, std::slice::from_ref(given))?;
        <[Bound; 1]>::try_from(after).ok().map(|[bound]| bound)
    }

    /// Takes back the replacement number `position`, the last one: nothing came of it.
    fn take_back(&mut self, position: usize) {
        if self.replacements.len() > position
            && let Some(rule) = self.replacements.pop()
        {
            self.strike(rule);
        }
    }

    /// Checks an instance of an equivalence against the constraints that it replaces; the constraints
    /// of its right side if it holds.
    fn replace_all(
        &mut self,
        id: RuleId,
        bindings: Bindings,
        given: &[Bound],
    ) -> Option<Vec<Bound>> {
        let rules = self.rules;
        if rules.is_left_out(id) {
            return None;
        }
        let rule = rules.rule(id);
        let Statement::Equivalence(lhs, rhs) = &rule.statement else {
            return None;
        };
        let stated = self.bounds_of(lhs, &bindings)?;
        let same = stated.len() == given.len() && stated.iter().all(|bound| given.contains(bound));
        if !same
            || !rule
                .conditions
                .iter()
                .all(|condition| establishes(condition, &bindings, self))
        {
            return None;
        }
        let after = self.bounds_of(rhs, &bindings)?;
        self.note(id, &bindings);
        self.replacements.push(id);
        Some(after)
    }

    /// The bounds that a conjunction of comparisons with constants states.
    fn bounds_of(&mut self, conditions: &[Condition], bindings: &Bindings) -> Option<Vec<Bound>> {
        let mut bounds: Vec<Bound> = Vec::new();
        for condition in conditions {
            let lhs = sum_of(&condition.lhs, bindings, self)?;
            let rhs = sum_of(&condition.rhs, bindings, self)?;
            let (sum, interval) = match (lhs.as_constant(), rhs.as_constant(), condition.relation) {
                (None, Some(value), Relation::Equal) => (lhs, Interval::point(value)),
                (None, Some(value), Relation::LessEqual) => {
                    (lhs, Interval::new(MINUS_INFINITY, value))
                }
                (Some(value), None, Relation::LessEqual) => {
                    (rhs, Interval::new(value, PLUS_INFINITY))
                }
                (Some(x), Some(y), Relation::Equal) if x == y => continue,
                (Some(_), Some(value), Relation::Equal) => (lhs, Interval::point(value)),
                _ => return None,
            };
            match bounds.iter_mut().find(|bound| bound.sum == sum) {
                Some(bound) => bound.bounds = bound.bounds.intersect(interval),
                None => bounds.push(Bound {
                    sum,
                    bounds: interval,
                }),
            }
        }
        Some(bounds)
    }
}
