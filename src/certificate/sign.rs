//! Whether a polynomial is nonnegative, from the bounds of its atoms.
//!
//! Each step replaces the question by others that imply it: it subtracts a product of two values that are known to be
//! nonnegative, multiplies by a positive divisor, or distinguishes cases. So a proof is a sum of such products, found here rather
//! than written in the certificate: the bounds of atoms nearly always determine the product, and checking a stated sum would be
//! as much work. Atoms are eliminated one at a time, parameters last; then each parameter is written as its least value plus the
//! excess, and the signs of the coefficients decide.
//!
//! Laws. With `p = a*t + b` for an atom `t`:
//! - `p >= 0` follows from `b + a*l >= 0` if `a >= 0` and `t >= l`, or `a <= 0` and `t <= l`;
//! - for `t = x floordiv d`, `w*d*t` is at least `w*(x - d + 1)` if `w >= 0`, and at least `w*x` if `w <= 0`;
//!   `t + b >= 0` iff `x + d*b >= 0`, and `b - t >= 0` iff `d*b + d - 1 - x >= 0`;
//! - `p >= 0` follows from `k*p + k - 1 >= 0` if `k >= 1`;
//! - a min or max equals one of its operands, and is at most, or at least, each.
//!
//! Questions are limited in number and depth, and a question that is negative at some point is not pursued (`witness`): `false`
//! is not a refutation.

use super::known::{Known, Steps};
use super::range::Facts;
use super::sum::{AtomId, Sum};
use super::values::{Atom, Values};
use crate::num::{MINUS_INFINITY, PLUS_INFINITY, gcd_wide};
use rustc_hash::FxHashMap;

/// Maximum number of polynomials that one question generates.
const MAX_QUESTIONS: u32 = 400;

/// Maximum number of successive steps.
const MAX_DEPTH: u32 = 24;

/// Maximum number of atoms of a polynomial that are tried.
const MAX_ATOMS: usize = 3;

/// A question, and the questions that it generates.
pub(super) struct Signs<'r, 'c> {
    values: &'r mut Values<'c>,
    facts: &'r mut Facts,
    known: &'r Known,
    used: Steps,
    questions: u32,
    /// Polynomials about which nothing was shown, with the number of steps that remained.
    open: FxHashMap<Sum, u32>,
    /// The facts of the present case, as nonnegative sums.
    case: Vec<Sum>,
}

/// Returns whether `sum >= 0` at every point of the domain; adds its dependencies to `used`.
pub(super) fn is_natural(
    values: &mut Values<'_>,
    facts: &mut Facts,
    known: &Known,
    sum: &Sum,
    used: &mut Steps,
) -> bool {
    let mut signs = Signs {
        values,
        facts,
        known,
        used: Steps::new(),
        questions: MAX_QUESTIONS,
        open: FxHashMap::default(),
        case: Vec::new(),
    };
    let is_natural = signs.is_natural(sum, MAX_DEPTH);
    if is_natural {
        used.append(&mut signs.used);
    }
    is_natural
}

impl Signs<'_, '_> {
    fn is_natural(&mut self, sum: &Sum, left: u32) -> bool {
        let sum = &primitive(sum);
        if let Some(value) = sum.as_integer() {
            return value >= 0;
        }
        if self.case.is_empty()
            && let Some(steps) = self.facts.natural.get(sum)
        {
            self.used.extend(steps);
            return self.values.spend(1 + steps.len()).is_some();
        }
        let is_hopeless = self.open.get(sum).is_some_and(|then| *then >= left);
        let work = 1 + sum.terms().len();
        if is_hopeless
            || self.questions == 0
            || self.values.spend(work).is_none()
            || self.facts.is_refuted(self.values, sum, &self.case)
        {
            return false;
        }
        self.questions -= 1;
        let before = std::mem::take(&mut self.used);
        let is_natural = self.is_shown(sum, left);
        if self.case.is_empty() {
            match is_natural {
                true => drop(self.facts.natural.insert(sum.clone(), self.used.clone())),
                false => drop(self.open.insert(sum.clone(), left)),
            }
        }
        match is_natural {
            true => self.used.extend(before),
            false => self.used = before,
        }
        is_natural
    }

    /// Answers by the bounds of atoms, or by one more step.
    fn is_shown(&mut self, sum: &Sum, left: u32) -> bool {
        if self.in_interval(sum) || self.is_natural_by_coefficients(sum) == Some(true) {
            return true;
        }
        match left.checked_sub(1) {
            None => false,
            Some(left) => match self.next(sum).as_slice() {
                [] => self.of_parameters(sum, left) == Some(true),
                atoms => {
                    let mut atoms = atoms.iter();
                    atoms.any(|atom| self.eliminated(sum, *atom, left) == Some(true))
                }
            },
        }
    }

    fn in_interval(&mut self, sum: &Sum) -> bool {
        let mut steps = Steps::new();
        let range = self.facts.range(self.values, self.known, sum, &mut steps);
        let is_natural = range.lo() >= 0;
        if is_natural {
            self.used.append(&mut steps);
        }
        is_natural
    }

    /// Returns the bounds of an atom.
    fn ends(&mut self, atom: AtomId) -> [Option<i128>; 2] {
        let sum = Sum::atom(atom);
        let mut steps = Steps::new();
        let range = self.facts.range(self.values, self.known, &sum, &mut steps);
        self.used.append(&mut steps);
        let end = |end: i64, none: i64| (end != none).then(|| i128::from(end));
        [end(range.lo(), MINUS_INFINITY), end(range.hi(), PLUS_INFINITY)]
    }

    /// Writes each atom as a bound plus a natural number: then no coefficient may be negative.
    fn is_natural_by_coefficients(&mut self, sum: &Sum) -> Option<bool> {
        let mut shifted = sum.clone();
        for atom in self.atoms(sum) {
            let alone = Sum::atom(atom);
            let by = match self.ends(atom) {
                [Some(lo), _] => alone.plus_integer(lo)?,
                [None, Some(hi)] => alone.scaled(-1)?.plus_integer(hi)?,
                [None, None] => return None,
            };
            if by != alone {
                shifted = self.replaced(&shifted, atom, &by)?;
            }
        }
        let is_natural = shifted.constant() >= 0 && shifted.terms().iter().all(|(_, c)| *c >= 0);
        Some(is_natural)
    }

    fn replaced(&mut self, sum: &Sum, atom: AtomId, by: &Sum) -> Option<Sum> {
        let (a, b) = self.values.collected(sum, atom)?;
        if a.as_integer() == Some(0) {
            return Some(b);
        }
        let a = self.replaced(&a, atom, by)?;
        let product = self.values.product(&a, by).ok()?;
        product.plus(1, &b)
    }

    /// Returns the atoms of the monomials of a sum, in order.
    fn atoms(&self, sum: &Sum) -> Vec<AtomId> {
        let mut atoms = Vec::new();
        for (atom, _) in sum.terms() {
            atoms.extend_from_slice(self.values.factors(atom));
        }
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// Returns the atoms to eliminate next, in the order in which they are tried: quotients for which the sum has multiples of
    /// the divisor, other operations, variables. Empty if only parameters are left.
    fn next(&mut self, sum: &Sum) -> Vec<AtomId> {
        let mut atoms = self.atoms(sum);
        atoms.retain(|atom| !self.values.is_of_parameters(*atom));
        let mut ranked: Vec<(u8, AtomId)> = Vec::with_capacity(atoms.len());
        for atom in atoms {
            let rank = match self.values.atom(atom).clone() {
                Atom::Quotient(_, d) => {
                    let collected = self.values.collected(sum, atom);
                    let exact = collected.and_then(|(a, _)| self.values.exactly(&a, &d));
                    if exact.is_some() { 2 } else { 1 }
                }
                Atom::Variable(_) => 0,
                _ => 1,
            };
            ranked.push((rank, atom));
        }
        ranked.sort_unstable_by(|x, y| y.cmp(x));
        ranked.truncate(MAX_ATOMS);
        ranked.into_iter().map(|(_, atom)| atom).collect()
    }

    /// `x + factor * y`
    fn plus(&mut self, x: &Sum, factor: &Sum, y: &Sum) -> Option<Sum> {
        let product = self.values.product(factor, y).ok()?;
        x.plus(1, &product)
    }

    /// Answers by the bounds of one atom.
    fn eliminated(&mut self, sum: &Sum, atom: AtomId, left: u32) -> Option<bool> {
        let (a, b) = self.values.collected(sum, atom)?;
        if let Atom::Quotient(x, d) = self.values.atom(atom).clone()
            && self.by_definition((&x, &d), (&a, &b), left) == Some(true)
        {
            return Some(true);
        }
        let minus = a.scaled(-1)?;
        let sign = if self.is_natural(&a, left) {
            Some(1)
        } else if self.is_natural(&minus, left) {
            Some(-1)
        } else {
            None
        };
        let size = if sign == Some(1) { &a } else { &minus };
        let is_natural = match (self.values.atom(atom).clone(), sign) {
            (Atom::Extreme(least, list), _) => self.of_extreme(least, &list, (&a, &b), sign, left),
            (_, None) => return Some(false),
            (Atom::Quotient(x, d), Some(sign)) => {
                self.of_quotient((&x, &d), (size, &b), sign, left)
            }
            _ => Some(false),
        };
        let by_ends = |signs: &mut Self| signs.by_ends(atom, (&a, &b), sign?, left);
        Some(is_natural == Some(true) || by_ends(self) == Some(true))
    }

    /// Answers `a*q + b >= 0` for `q = x floordiv d` by expressing `a*q`, or a multiple of it, as a multiple of `d*q`.
    fn by_definition(
        &mut self,
        (x, d): (&Sum, &Sum),
        (a, b): (&Sum, &Sum),
        left: u32,
    ) -> Option<bool> {
        // `k*a == w*d`
        let (w, k) = match self.values.exactly(a, d) {
            Some(w) => (w, Sum::integer(1)),
            None => {
                let common = self.values.common_factor(a, d)?;
                let (w, k) = (self.values.exactly(a, &common)?, self.values.exactly(d, &common)?);
                (w, k)
            }
        };
        let more = k.plus_integer(-1)?;
        if !self.is_natural(&more, left) {
            return Some(false);
        }
        let end = if self.is_natural(&w, left) {
            x.plus(-1, d)?.plus_integer(1)?
        } else if self.is_natural(&w.scaled(-1)?, left) {
            x.clone()
        } else {
            return Some(false);
        };
        let multiple = self.values.product(&k, b).ok()?;
        let question = self.plus(&multiple, &w, &end)?.plus(1, &more)?;
        Some(self.is_natural(&question, left))
    }

    /// Answers by bounds of an atom, from its interval or from a fact.
    fn by_ends(
        &mut self,
        atom: AtomId,
        (a, b): (&Sum, &Sum),
        sign: i128,
        left: u32,
    ) -> Option<bool> {
        let [lo, hi] = self.ends(atom);
        if let Some(end) = if sign > 0 { lo } else { hi } {
            let question = b.plus(end, a)?;
            if self.is_natural(&question, left) {
                return Some(true);
            }
        }
        for index in 0..self.case.len() + self.facts.constraints.len() {
            let fact = self.fact(index);
            self.values.spend(1 + fact.terms().len())?;
            if !self.atoms(&fact).contains(&atom) {
                continue;
            }
            // `u*t + v >= 0`
            let (u, v) = self.values.collected(&fact, atom)?;
            let size = u.scaled(sign)?;
            let is_end = match size.as_integer() {
                Some(size) => size >= 1,
                None => self.is_natural(&size.plus_integer(-1)?, left),
            };
            if !is_end || self.atoms(&v).contains(&atom) {
                continue;
            }
            // `|u|*p >= |u|*b - |a|*v`
            let multiple = self.values.product(&size, b).ok()?;
            let question = self.plus(&multiple, &a.scaled(sign.checked_neg()?)?, &v)?;
            let question = question.plus(1, &size)?.plus_integer(-1)?;
            if self.is_natural(&question, left) {
                return Some(true);
            }
        }
        Some(false)
    }

    fn fact(&self, index: usize) -> Sum {
        let known = self.case.get(index);
        let stated = || &self.facts.constraints[index - self.case.len()];
        known.unwrap_or_else(stated).clone()
    }

    /// Answers `size * (sign * q + ..) + .. >= 0` for a quotient `q` by questions about both parts.
    fn of_quotient(
        &mut self,
        (x, d): (&Sum, &Sum),
        (size, b): (&Sum, &Sum),
        sign: i128,
        left: u32,
    ) -> Option<bool> {
        let (whole, rest) = self.values.divided(b, size)?;
        for block in [0, -1, 1] {
            let rest = rest.plus(-block, size)?;
            if !self.is_natural(&rest, left) {
                continue;
            }
            // `sign * q + whole >= 0`
            let whole = whole.plus_integer(block)?;
            let multiple = self.values.product(d, &whole).ok()?;
            let question = match sign {
                1 => multiple.plus(1, x)?,
                _ => multiple.plus(1, d)?.plus_integer(-1)?.plus(-1, x)?,
            };
            if self.is_natural(&question, left) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Answers by the operands of a min or max.
    fn of_extreme(
        &mut self,
        least: bool,
        list: &[Sum],
        (a, b): (&Sum, &Sum),
        sign: Option<i128>,
        left: u32,
    ) -> Option<bool> {
        let is_bounded_by_each = sign.is_some_and(|sign| least != (sign > 0));
        for x in list.iter().filter(|_| is_bounded_by_each) {
            let question = self.plus(b, a, x)?;
            if self.is_natural(&question, left) {
                return Some(true);
            }
        }
        for x in list {
            let question = self.plus(b, a, x)?;
            // If `x` is chosen, it is at most, or at least, each other operand.
            let others = list.iter().filter(|y| *y != x);
            let chosen: Option<Vec<Sum>> =
                others.map(|y| if least { y.plus(-1, x) } else { x.plus(-1, y) }).collect();
            let before = self.case.len();
            self.case.extend(chosen?);
            let is_natural = self.is_natural(&question, left);
            self.case.truncate(before);
            if !is_natural {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Answers about parameters that their intervals do not decide, using facts about them and the definitions of their
    /// quotients, mins and maxes.
    fn of_parameters(&mut self, sum: &Sum, left: u32) -> Option<bool> {
        for atom in self.atoms(sum).into_iter().rev() {
            let is_variable = matches!(self.values.atom(atom), Atom::Variable(_));
            let is_bounded = self.ends(atom).iter().all(Option::is_some);
            if (!is_variable || is_bounded) && self.eliminated(sum, atom, left) == Some(true) {
                return Some(true);
            }
        }
        for index in 0..self.case.len() + self.facts.constraints.len() {
            let fact = self.fact(index);
            self.values.spend((1 + fact.terms().len()).saturating_mul(sum.terms().len()))?;
            for (lead, f) in fact.terms().iter().filter(|(_, f)| *f < 0) {
                for (atom, c) in sum.terms().iter().filter(|(_, c)| *c < 0) {
                    let Some(factor) = self.values.cofactor(*atom, *lead) else {
                        continue;
                    };
                    let common =
                        i128::try_from(gcd_wide(c.unsigned_abs(), f.unsigned_abs())).ok()?;
                    let (times, size) = (c / common, f / common);
                    // `|size| * sum - |times| * factor * fact + |size| - 1`
                    let product = self.values.product(&factor, &fact).ok()?;
                    let multiple = sum.scaled(size.checked_neg()?)?;
                    let question = multiple.plus(times, &product)?;
                    let question = question.plus_integer(size.checked_neg()? - 1)?;
                    if self.is_natural(&factor, left)
                        && self.is_natural(&question, left.saturating_sub(3))
                    {
                        return Some(true);
                    }
                }
            }
        }
        Some(false)
    }
}

/// Divides a sum by the common factor of its coefficients, rounding its constant down: the result is nonnegative iff the sum is.
fn primitive(sum: &Sum) -> Sum {
    let common = sum.without_constant().content(0);
    let constant = sum.constant().div_euclid(common);
    let terms = sum.without_constant().divided(common);
    terms.plus_integer(constant).unwrap_or(terms)
}
