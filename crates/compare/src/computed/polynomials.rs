//! Polynomials over elements of arrays.
//!
//! Law: two polynomials are equal if they have the same coefficients: integers of the same bits, or real numbers that differ by
//! no more than rounding errors.

use affinor_hlo::element_type::ElementType;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of factors of a product, with multiplicity.
const DEGREE: i64 = 16;

/// Relative difference of constants that rounding may cause, in units of the type's precision.
const ULPS: f64 = 8.0;

/// Relative difference of sums of coefficients that rounding may cause.
const NEAR: f64 = 1e-3;

/// The exponent of a truth value, which is 0 or 1 and hence equal to its powers: no other element has this exponent.
pub(super) const TRUTH: i64 = 3;

/// A product of elements, with exponents in halves.
#[derive(Clone, Default)]
pub(super) struct Term {
    pub(super) whole: i128,
    pub(super) real: f64,
    pub(super) factors: Vec<(usize, i64)>,
}

/// The coefficients of products of elements, as an integer and as a float, by the factors of each product.
pub(super) type Polynomial = BTreeMap<Vec<(usize, i64)>, (i128, f64)>;

/// The numbers that are summed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Ring {
    /// Integers with this number of bits.
    Whole(u32),
    Real,
}

impl Term {
    pub(super) fn one() -> Term {
        Term { whole: 1, real: 1.0, factors: Vec::new() }
    }

    pub(super) fn whole(number: i128) -> Term {
        Term { whole: number, ..Term::one() }
    }

    pub(super) fn real(number: f64) -> Term {
        Term { real: number, ..Term::one() }
    }

    pub(super) fn times(self, number: i32) -> Term {
        let whole = self.whole.wrapping_mul(i128::from(number));
        Term { whole, real: self.real * f64::from(number), ..self }
    }
}

/// Returns the terms of a product of sums; `None` if there are too many.
pub(super) fn product(one: &[Term], other: &[Term], most: usize) -> Option<Vec<Term>> {
    (one.len() * other.len() <= most).then_some(())?;
    let mut terms = Vec::new();
    for (a, b) in one.iter().flat_map(|a| other.iter().map(move |b| (a, b))) {
        let mut factors: BTreeMap<usize, i64> = a.factors.iter().copied().collect();
        for (atom, exponent) in &b.factors {
            add(&mut factors, *atom, *exponent)?;
        }
        let degree: i64 = factors.values().map(|exponent| exponent.abs()).sum();
        (degree <= 2 * DEGREE).then_some(())?;
        let whole = a.whole.wrapping_mul(b.whole);
        terms.push(Term { whole, real: a.real * b.real, factors: factors.into_iter().collect() });
    }
    Some(terms)
}

/// Raises a term to a power, in halves; returns `None` for a sum of several terms, and if a sign would be lost.
pub(super) fn power(terms: &[Term], halves: i32) -> Option<Term> {
    let [term] = terms else {
        return None;
    };
    let is_root = halves % 2 != 0;
    term.factors.iter().all(|(_, exponent)| *exponent != TRUTH).then_some(())?;
    let may_be = !is_root || term.real > 0.0 && term.factors.len() <= 1;
    may_be.then_some(())?;
    let real = term.real.powf(f64::from(halves) / 2.0);
    let factors = term.factors.iter().map(|(atom, exponent)| {
        (!is_root || exponent.abs() == 2).then_some((*atom, exponent * i64::from(halves) / 2))
    });
    let factors = factors.collect::<Option<_>>()?;
    real.is_finite().then_some(Term { real, factors, ..Term::one() })
}

/// Returns the coefficients of products, by their factors. Of the coefficients of 0, only those of elements are kept: the
/// elements are still read.
pub(super) fn collected(terms: &[Term], numbers: &[usize], ring: Ring) -> Option<Polynomial> {
    let mut found = Polynomial::new();
    for term in terms {
        let mut factors = BTreeMap::new();
        for (atom, exponent) in &term.factors {
            add(&mut factors, *numbers.get(*atom)?, *exponent)?;
        }
        let (whole, real) = found.entry(factors.into_iter().collect()).or_default();
        *whole = whole.wrapping_add(term.whole);
        *real += term.real;
    }
    found.retain(|factors, (whole, real)| {
        let is_zero = if ring == Ring::Real { *real == 0.0 } else { *whole == 0 };
        !factors.is_empty() || !is_zero
    });
    Some(found)
}

/// Returns whether the coefficients of the products of each degree have the same sums, as those of equal sums have: the
/// coefficients of one product may be spread over several terms.
pub(super) fn are_like(old: &[Term], new: &[Term], ring: Ring) -> bool {
    let [old, new] = [old, new].map(by_degree);
    let degrees: BTreeSet<[i64; 2]> = old.keys().chain(new.keys()).copied().collect();
    degrees.into_iter().all(|degree| {
        let [(whole, real, most), (integer, number, other)] =
            [&old, &new].map(|all| all.get(&degree).copied().unwrap_or_default());
        match ring {
            Ring::Whole(bits) => last_bits(whole, bits) == last_bits(integer, bits),
            Ring::Real => (real - number).abs() <= NEAR * most.max(other),
        }
    })
}

/// Returns the sums of the coefficients, and that of their magnitudes, of all products with these sums of positive and of
/// negative exponents, if all truth values are 1.
fn by_degree(terms: &[Term]) -> BTreeMap<[i64; 2], (i128, f64, f64)> {
    let mut found: BTreeMap<[i64; 2], (i128, f64, f64)> = BTreeMap::new();
    for term in terms {
        let of = |sign: i64| -> i64 {
            let all = term.factors.iter().map(|(_, exponent)| *exponent);
            all.filter(|exponent| *exponent != TRUTH && exponent.signum() == sign).sum()
        };
        let (whole, real, most) = found.entry([of(1), of(-1)]).or_default();
        *whole = whole.wrapping_add(term.whole);
        *real += term.real;
        *most += term.real.abs();
    }
    found
}

fn last_bits(number: i128, bits: u32) -> i128 {
    number.checked_shl(128_u32.saturating_sub(bits)).unwrap_or_default()
}

/// Multiplies by a power of an element; returns `None` if powers would cancel, since the element may be 0 or have no root.
fn add(factors: &mut BTreeMap<usize, i64>, atom: usize, exponent: i64) -> Option<()> {
    let sum = factors.entry(atom).or_default();
    if exponent == TRUTH {
        (*sum == 0 || *sum == TRUTH).then_some(())?;
        *sum = TRUTH;
        return Some(());
    }
    (*sum == 0 || sum.signum() == exponent.signum() && *sum % 2 == 0 && exponent % 2 == 0)
        .then_some(())?;
    *sum += exponent;
    Some(())
}

pub(super) fn are_equal(old: &Polynomial, new: &Polynomial, ring: Ring, of: ElementType) -> bool {
    old.len() == new.len()
        && old.iter().zip(new).all(|((one, (whole, real)), (other, (integer, number)))| {
            let is_like = match ring {
                Ring::Whole(bits) => last_bits(*whole, bits) == last_bits(*integer, bits),
                Ring::Real => are_near(*real, *number, of),
            };
            one == other && is_like
        })
}

/// Returns whether two numbers differ by no more than rounding errors.
pub(super) fn are_near(one: f64, other: f64, of: ElementType) -> bool {
    (one - other).abs() <= ULPS * precision(of) * one.abs().max(other.abs())
}

/// Returns whether the magnitude of a number is in the range in which the type has its full precision.
pub(super) fn is_normal(number: f64, of: ElementType) -> bool {
    let most = match of {
        ElementType::BF16 | ElementType::F32 => 126,
        ElementType::F16 => 14,
        ElementType::F64 => 1022,
        _ => return false,
    };
    let magnitude = number.abs();
    number == 0.0 || magnitude >= 2.0_f64.powi(-most) && magnitude <= 2.0_f64.powi(most)
}

/// Returns the distance between 1 and the next number of a type; for unknown types, that of a type with many bits.
fn precision(of: ElementType) -> f64 {
    match of {
        ElementType::BF16 => 2.0_f64.powi(-7),
        ElementType::F16 => 2.0_f64.powi(-10),
        ElementType::F32 => 2.0_f64.powi(-23),
        _ => 2.0_f64.powi(-52),
    }
}
