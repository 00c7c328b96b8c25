//! Lower bounds of polynomials over atoms with known bounds: the signs that decide side conditions about named sizes.
//!
//! Laws: for `a >= 0`, `a*x + b >= a*l + b` if `x >= l`; for `a <= 0`, `a*x + b >= a*h + b` if `x <= h`; for `q = x floordiv d`
//! with `d >= 1`, `d*q` lies in `[x - d + 1, x]`. Atoms are eliminated by these laws, starting with those whose bounds are in
//! terms of others. A polynomial in parameters remains, and after the substitution `n = lo + n'` with `n' >= 0` each of its
//! monomials has a sign.

use super::polynomial::{self, Monomial, Polynomial};
use super::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum, gcd};
use std::cell::Cell;
use std::rc::Rc;

/// Maximum number of polynomials examined for one query.
const MAX_QUESTIONS: u32 = 16;

/// Maximum depth of nested eliminations.
const MAX_DEPTH: u32 = 16;

/// The kind of an atom, which determines how it is bounded.
pub enum Bounded<A: Copy> {
    /// A size: bounded by its interval alone, and eliminated last.
    Parameter,
    /// Bounded by polynomials below and above, where known.
    Between(Option<Polynomial<A>>, Option<Polynomial<A>>),
    /// `numerator floordiv divisor`, for a divisor of at least 1.
    Quotient(Polynomial<A>, Polynomial<A>),
    /// The minimum, if true, or else the maximum, of several polynomials.
    Chosen(bool, Vec<Polynomial<A>>),
}

/// The atoms of polynomials.
pub trait Atoms {
    /// An opaque value. Atoms are eliminated in descending order, parameters last.
    type Atom: Copy + Ord;

    /// Returns the bounds of an atom: their polynomials contain only atoms that are eliminated later.
    fn bounded(&self, atom: Self::Atom) -> Rc<Bounded<Self::Atom>>;

    /// Returns an interval that contains all values of an atom.
    fn interval(&self, atom: Self::Atom) -> Interval;

    /// Returns whether the atom depends on parameters alone.
    fn is_of_parameters(&self, atom: Self::Atom) -> bool;

    /// Returns polynomials in parameters that are known to be nonnegative.
    fn facts(&self) -> &[Polynomial<Self::Atom>];

    /// Returns whether no known value of a polynomial is negative: a claim with a counterexample need not be tried.
    fn may_be_natural(&self, of: &Polynomial<Self::Atom>) -> bool;
}

/// Returns a lower bound of all values of a polynomial, or [`MINUS_INFINITY`].
pub fn least<T: Atoms>(of: &Polynomial<T::Atom>, atoms: &T) -> i64 {
    let questions = Cell::new(MAX_QUESTIONS);
    Signs { atoms, questions }.least(of, 0)
}

/// Returns an upper or a lower bound of a polynomial in terms of parameters.
pub fn end<T: Atoms>(
    of: &Polynomial<T::Atom>,
    upper: bool,
    atoms: &T,
) -> Option<Polynomial<T::Atom>> {
    let questions = Cell::new(MAX_QUESTIONS);
    Signs { atoms, questions }.end_of(of, !upper, 0)
}

/// Returns a bound of `numerator floordiv divisor` in terms of parameters, for a divisor of at least 1.
pub fn end_of_quotient<T: Atoms>(
    numerator: &Polynomial<T::Atom>,
    divisor: &Polynomial<T::Atom>,
    upper: bool,
    atoms: &T,
) -> Option<Polynomial<T::Atom>> {
    let questions = Cell::new(MAX_QUESTIONS);
    Signs { atoms, questions }.end(numerator, divisor, !upper, 0)
}

struct Signs<'t, T> {
    atoms: &'t T,
    questions: Cell<u32>,
}

impl<T: Atoms> Signs<'_, T> {
    fn least(&self, of: &Polynomial<T::Atom>, depth: u32) -> i64 {
        if let Some(value) = of.as_constant() {
            return value;
        }
        let plain = self.plain(of);
        if depth >= MAX_DEPTH || self.questions.get() == 0 {
            return plain;
        }
        self.questions.set(self.questions.get() - 1);
        let least = match self.next(of) {
            Some(atom) => plain.max(self.eliminated(of, atom, depth).unwrap_or(MINUS_INFINITY)),
            None if plain > MINUS_INFINITY => plain,
            None => plain.max(self.of_parameters(of, depth)),
        };
        match least {
            MINUS_INFINITY if depth == 0 && self.atoms.may_be_natural(of) => {
                self.scaled(of).unwrap_or(MINUS_INFINITY)
            }
            least => least,
        }
    }

    /// Returns a lower bound derived from a multiple: for `k >= 1`, `x >= 0` follows from `k*x + k - 1 >= 0`, and `x >= 1` from
    /// `k*x >= 1`. With the divisor of a quotient as the factor, the bounds of the quotient apply.
    fn scaled(&self, of: &Polynomial<T::Atom>) -> Option<i64> {
        let factors = of.terms().iter().flat_map(|(monomial, _)| &monomial.0);
        for atom in factors {
            let bounded = self.atoms.bounded(*atom);
            let Bounded::Quotient(_, divisor) = &*bounded else {
                continue;
            };
            let Some(k) = without_content(divisor) else {
                continue;
            };
            let multiple = polynomial::product(of, &k)?;
            if self.is_natural(&multiple.shifted(-1)?, 1) {
                return Some(1);
            }
            if self.is_natural(&multiple.plus(1, &k)?.shifted(-1)?, 1) {
                return Some(0);
            }
        }
        None
    }

    /// Returns whether the polynomial is known to be nonnegative.
    fn is_natural(&self, of: &Polynomial<T::Atom>, depth: u32) -> bool {
        self.atoms.may_be_natural(of) && self.least(of, depth) >= 0
    }

    /// Returns the atom to eliminate next; `None` if only atoms of parameters are left.
    fn next(&self, of: &Polynomial<T::Atom>) -> Option<T::Atom> {
        let atoms = of.terms().iter().flat_map(|(monomial, _)| &monomial.0);
        let others = atoms.filter(|atom| !self.atoms.is_of_parameters(**atom));
        others.max().copied()
    }

    /// Returns whether a term that may be very negative does not divide a positive term: then no shift of its atoms helps.
    fn is_hopeless(&self, of: &Polynomial<T::Atom>) -> bool {
        let is_unbounded = |monomial: &Monomial<T::Atom>| {
            let mut atoms = monomial.0.iter();
            atoms.any(|atom| self.beyond_end(*atom) == PLUS_INFINITY)
        };
        let mut terms = of.terms().iter();
        terms.any(|(monomial, c)| {
            let is_below = |(other, d): &(Monomial<T::Atom>, i64)| {
                *d > 0 && other.0.len() > monomial.0.len() && other.without(&monomial.0).is_some()
            };
            *c < 0 && is_unbounded(monomial) && !of.terms().iter().any(is_below)
        })
    }

    /// Returns the lower bound given by the intervals of the atoms, with parameters shifted to their lower bounds.
    fn plain(&self, of: &Polynomial<T::Atom>) -> i64 {
        let is_natural = |atom: &T::Atom| self.atoms.interval(*atom).lo() >= 0;
        let is_least =
            |(monomial, c): &(Monomial<T::Atom>, i64)| *c >= 0 && monomial.0.iter().all(is_natural);
        if of.constant >= 0 && of.terms().iter().all(is_least) {
            return self.at_ends(of);
        }
        if self.has_natural_atoms(of) && self.is_hopeless(of) {
            return MINUS_INFINITY;
        }
        let Some(shifted) = self.shifted(of) else {
            return MINUS_INFINITY;
        };
        let range = Interval::linear(
            shifted.constant,
            shifted.terms().iter().map(|(monomial, c)| {
                let mut factors = monomial.0.iter().map(|atom| self.beyond_end(*atom));
                let product = factors.try_fold(1i64, |product, width| match (product, width) {
                    (PLUS_INFINITY, _) | (_, PLUS_INFINITY) => Some(PLUS_INFINITY),
                    (product, width) => product.checked_mul(width),
                });
                (*c, Interval::new(0, product.unwrap_or(PLUS_INFINITY)))
            }),
        );
        range.lo()
    }

    fn has_natural_atoms(&self, of: &Polynomial<T::Atom>) -> bool {
        let mut atoms = of.terms().iter().flat_map(|(monomial, _)| &monomial.0);
        atoms.all(|atom| self.atoms.interval(*atom).lo() >= 0)
    }

    /// Returns the value with all atoms at their lower bounds, which is the least value if no coefficient is negative.
    fn at_ends(&self, of: &Polynomial<T::Atom>) -> i64 {
        let value = of.terms().iter().try_fold(of.constant, |total, (monomial, c)| {
            let ends = monomial.0.iter().map(|atom| self.atoms.interval(*atom).lo());
            let product = super::product(ends.chain([*c]))?;
            total.checked_add(product)
        });
        value.unwrap_or(0)
    }

    /// Replaces each atom by a finite end of its interval plus the excess over that end, written as the atom itself.
    fn shifted(&self, of: &Polynomial<T::Atom>) -> Option<Polynomial<T::Atom>> {
        let mut atoms: Vec<T::Atom> = Vec::new();
        for (monomial, _) in of.terms() {
            atoms.extend(&monomial.0);
        }
        atoms.sort_unstable();
        atoms.dedup();
        let mut shifted = of.clone();
        for atom in atoms {
            let range = self.atoms.interval(atom);
            let (end, sign) = match (range.lo(), range.hi()) {
                (MINUS_INFINITY, PLUS_INFINITY) => return None,
                (MINUS_INFINITY, hi) => (hi, -1),
                (lo, _) => (lo, 1),
            };
            if (end, sign) != (0, 1) {
                let by = polynomial::atom(atom).scaled(sign)?.shifted(end)?;
                shifted = polynomial::replaced(&shifted, atom, &by)?;
            }
        }
        Some(shifted)
    }

    /// Returns the maximum excess of an atom over that end.
    fn beyond_end(&self, atom: T::Atom) -> i64 {
        let range = self.atoms.interval(atom);
        match range.is_bounded() {
            true => range.hi().checked_sub(range.lo()).unwrap_or(PLUS_INFINITY),
            false => PLUS_INFINITY,
        }
    }

    /// Returns a lower bound, from the bounds of one atom.
    fn eliminated(&self, of: &Polynomial<T::Atom>, atom: T::Atom, depth: u32) -> Option<i64> {
        let (a, b) = polynomial::collected(of, atom)?;
        let depth = depth + 1;
        let with = |end: &Polynomial<T::Atom>| -> Option<i64> {
            let of = b.plus(1, &polynomial::product(&a, end)?)?;
            Some(self.least(&of, depth))
        };
        let bounded = self.atoms.bounded(atom);
        if let Bounded::Quotient(numerator, divisor) = &*bounded {
            let multiple = match divisor.as_constant() {
                Some(_) => polynomial_by_integer(&a, divisor.constant),
                None => polynomial::divided(&a, divisor),
            };
            if let Some((w, rest)) = multiple
                && rest.is_zero()
            {
                let end = if self.is_natural(&w, depth) {
                    Some(numerator.plus(-1, divisor)?.shifted(1)?)
                } else if self.is_natural(&w.scaled(-1)?, depth) {
                    Some(numerator.clone())
                } else {
                    None
                };
                if let Some(end) = end {
                    let of = b.plus(1, &polynomial::product(&w, &end)?)?;
                    let least = self.least(&of, depth);
                    if least > MINUS_INFINITY {
                        return Some(least);
                    }
                }
            }
        }
        let is_natural = self.is_natural(&a, depth);
        if !is_natural && !self.is_natural(&a.scaled(-1)?, depth) {
            return None;
        }
        let range = self.atoms.interval(atom);
        let (own, none) = match is_natural {
            true => (range.lo(), MINUS_INFINITY),
            false => (range.hi(), PLUS_INFINITY),
        };
        let by_interval = (own != none).then(|| with(&Sum::constant(own))).flatten();
        let by_others = match &*bounded {
            Bounded::Parameter => None,
            Bounded::Between(lo, hi) => {
                let end = if is_natural { lo } else { hi };
                end.as_ref().and_then(with)
            }
            Bounded::Quotient(numerator, divisor) => {
                let end = self.end(numerator, divisor, is_natural, depth);
                end.and_then(|end| with(&end))
            }
            Bounded::Chosen(is_min, operands) => {
                let ends = operands.iter().map(|x| with(x).unwrap_or(MINUS_INFINITY));
                match *is_min == is_natural {
                    true => ends.min(),
                    false => ends.max(),
                }
            }
        };
        by_interval.max(by_others)
    }

    /// Returns a bound of a quotient: the quotient of a bound of its numerator, if that lies in a known block of the
    /// divisor.
    fn end(
        &self,
        numerator: &Polynomial<T::Atom>,
        divisor: &Polynomial<T::Atom>,
        lower: bool,
        depth: u32,
    ) -> Option<Polynomial<T::Atom>> {
        let numerator = self.end_of(numerator, lower, depth)?;
        let (multiple, rest) = match divisor.as_constant() {
            Some(divisor) => polynomial_by_integer(&numerator, divisor)?,
            None => polynomial::divided(&numerator, divisor)?,
        };
        let block = [0, -1, 1].into_iter().find(|block| {
            let low = rest.plus(-*block, divisor);
            let left = low.as_ref().and_then(|low| divisor.plus(-1, low));
            let (Some(low), Some(left)) = (low, left) else {
                return false;
            };
            self.is_natural(&low, depth)
                && left.shifted(-1).is_some_and(|left| self.is_natural(&left, depth))
        })?;
        multiple.shifted(block)
    }

    /// Returns a bound of a polynomial in terms of parameters.
    fn end_of(
        &self,
        of: &Polynomial<T::Atom>,
        lower: bool,
        depth: u32,
    ) -> Option<Polynomial<T::Atom>> {
        let Some(atom) = self.next(of) else {
            return Some(of.clone());
        };
        if depth >= MAX_DEPTH {
            return None;
        }
        let (a, b) = polynomial::collected(of, atom)?;
        let is_natural = self.is_natural(&a, depth + 1);
        if !is_natural && !self.is_natural(&a.scaled(-1)?, depth + 1) {
            return None;
        }
        let at_lower = is_natural == lower;
        let end = match &*self.atoms.bounded(atom) {
            Bounded::Between(lo, hi) => match at_lower {
                true => lo.clone(),
                false => hi.clone(),
            },
            Bounded::Quotient(numerator, divisor) => {
                self.end(numerator, divisor, at_lower, depth + 1)
            }
            _ => None,
        };
        let end = end.or_else(|| {
            let range = self.atoms.interval(atom);
            let (end, none) = match at_lower {
                true => (range.lo(), MINUS_INFINITY),
                false => (range.hi(), PLUS_INFINITY),
            };
            (end != none).then(|| Sum::constant(end))
        })?;
        let of = b.plus(1, &polynomial::product(&a, &end)?)?;
        self.end_of(&of, lower, depth + 1)
    }

    /// Returns a lower bound of a polynomial in parameters whose intervals do not bound it: from facts about the parameters, or
    /// from the definition of a quotient, minimum or maximum of them.
    fn of_parameters(&self, of: &Polynomial<T::Atom>, depth: u32) -> i64 {
        let mut least = MINUS_INFINITY;
        let mut atoms: Vec<T::Atom> = Vec::new();
        for (monomial, _) in of.terms() {
            atoms.extend(&monomial.0);
        }
        atoms.sort_unstable();
        atoms.dedup();
        for atom in atoms.into_iter().rev() {
            let is_bounded = self.atoms.interval(atom).is_bounded();
            if is_bounded || !matches!(*self.atoms.bounded(atom), Bounded::Parameter) {
                least = least.max(self.eliminated(of, atom, depth).unwrap_or(MINUS_INFINITY));
            }
            if least > MINUS_INFINITY {
                return least;
            }
        }
        for fact in self.atoms.facts() {
            for (monomial, c) in of.terms().iter().filter(|(_, c)| *c < 0) {
                for (lead, f) in fact.terms().iter().filter(|(_, f)| *f < 0) {
                    let used = monomial.without(&lead.0).filter(|_| c % f == 0);
                    let used = used.and_then(|rest| self.without_fact(of, fact, rest, c / f));
                    if let Some(rest) = used {
                        least = least.max(self.least(&rest, depth + 4));
                    }
                }
            }
            if least > MINUS_INFINITY {
                return least;
            }
        }
        least
    }

    /// Returns `of - times * monomial * fact`, if the factor is known to be nonnegative.
    fn without_fact(
        &self,
        of: &Polynomial<T::Atom>,
        fact: &Polynomial<T::Atom>,
        monomial: Monomial<T::Atom>,
        times: i64,
    ) -> Option<Polynomial<T::Atom>> {
        let factor = match monomial.is_one() {
            true => Sum::constant(times),
            false => Sum::new(0, [(monomial, times)])?,
        };
        if self.plain(&factor) < 0 {
            return None;
        }
        of.plus(-1, &polynomial::product(&factor, fact)?)
    }
}

/// Divides a polynomial by the greatest common divisor of its coefficients; `None` for a constant.
fn without_content<A: Copy + Ord>(of: &Polynomial<A>) -> Option<Polynomial<A>> {
    let mut coefficients = of.terms().iter().map(|(_, c)| *c);
    let content = coefficients.try_fold(of.constant, gcd)?;
    let is_constant = of.terms().is_empty() || content < 1;
    (!is_constant).then(|| Some(polynomial_by_integer(of, content)?.0))?
}

/// Splits a polynomial by an integer: the terms whose coefficients are divisible by it, and the floor part of the constant.
fn polynomial_by_integer<A: Copy + Ord>(
    of: &Polynomial<A>,
    by: i64,
) -> Option<(Polynomial<A>, Polynomial<A>)> {
    if by < 1 {
        return None;
    }
    let terms = of.terms().iter();
    let (multiples, rest): (Vec<_>, Vec<_>) = terms.cloned().partition(|(_, c)| c % by == 0);
    let multiples = multiples.into_iter().map(|(monomial, c)| (monomial, c / by));
    Some((
        Sum::of_sorted(of.constant.div_euclid(by), multiples),
        Sum::of_sorted(of.constant.rem_euclid(by), rest.into_iter()),
    ))
}
