//! Compares sums of products, however they are written: `a - c` and `a + -c`, `x * (y + z)` and `x * y + x * z`.
//!
//! Law: sums of integers, which wrap, are the same if they are the same polynomial over the same elements. Floats are treated as
//! real numbers, so they are only compared here if different rounding is permitted ([`Computed::but_for_rounding`]): then
//! quotients, roots and powers are products, too, and constants are the same if they differ by no more than rounding errors.

use super::alike::combiner;
use super::counters::Multiple;
use super::frames::At;
use super::parts::View;
use super::values::Computed;
use super::verdict::Verdict;
use affinor::expr::{Expr, ExprKind, IndexingMap};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::OperandMap;
use std::collections::BTreeMap;

/// Maximum number of terms of a sum.
const TERMS: usize = 24;

/// Maximum depth of operations through which a sum is followed.
const DEPTH: usize = 6;

/// Maximum number of factors of a product, with multiplicity.
const DEGREE: i64 = 16;

/// Relative difference of constants that rounding may cause, in units of the type's precision.
const ULPS: f64 = 8.0;

/// A product of elements, with exponents in halves.
#[derive(Clone, Default)]
struct Term {
    whole: i128,
    real: f64,
    factors: Vec<(usize, i64)>,
}

/// The coefficients of products of elements, as an integer and as a float, by the factors of each product.
type Polynomial = BTreeMap<Vec<(usize, i64)>, (i128, f64)>;

/// The numbers that are summed.
#[derive(Clone, Copy, PartialEq)]
enum Ring {
    /// Integers with this number of bits.
    Whole(u32),
    Real,
}

/// The sum of one side.
struct Sum<'s> {
    side: usize,
    sizes: &'s [i64],
    ring: Ring,
    /// The elements that the terms are products of.
    atoms: Vec<View>,
}

impl Computed<'_> {
    /// Compares two views as sums of products.
    pub(super) fn sums(&mut self, sizes: &[i64], views: [&View; 2]) -> Option<Verdict> {
        let is_arithmetic = (0..2).any(|side| {
            let opcode = self.frames[side].instruction(&views[side].at).opcode();
            is_arithmetic(opcode) || self.is_rounded && is_sum(opcode)
        });
        is_arithmetic.then_some(())?;
        let types = [0, 1].map(|side| {
            let at = &views[side].at;
            let shape = self.frames[side].instruction(at).shape().at(&at.place.1)?;
            Some(shape.as_array()?.element_type())
        });
        let (Some(of), true) = (types[0], types[0] == types[1]) else {
            return None;
        };
        let ring = match of {
            _ if of.is_signed_integer() || of.is_unsigned_integer() => Ring::Whole(of.bits()),
            _ if of.is_float() && self.is_rounded => Ring::Real,
            _ => return None,
        };
        let mut found = Vec::new();
        for (side, view) in views.into_iter().enumerate() {
            let mut sum = Sum { side, sizes, ring, atoms: Vec::new() };
            let terms = self.terms(&mut sum, view, DEPTH)?;
            found.push((sum.atoms, terms));
        }
        let (new_atoms, new) = found.pop()?;
        let (old_atoms, old) = found.pop()?;
        // No operation was expanded.
        let is_whole = |atoms: &[View], view: &View| atoms.iter().any(|atom| atom.at == view.at);
        let are_whole = is_whole(&old_atoms, views[0]) && is_whole(&new_atoms, views[1]);
        (!are_whole).then_some(())?;
        let numbers = self.matched(sizes, [&old_atoms, &new_atoms]);
        let (old, new) = (collected(&old, &numbers[0], ring)?, collected(&new, &numbers[1], ring)?);
        are_equal(&old, &new, ring, of).then_some(Verdict::Same)
    }

    /// Numbers the elements of both sides: a new element that is equal to an old one has the old one's number.
    fn matched(&mut self, sizes: &[i64], atoms: [&[View]; 2]) -> [Vec<usize>; 2] {
        let [old, new] = atoms;
        let mut numbers: Vec<usize> = (0..old.len()).collect();
        let mut others = Vec::with_capacity(new.len());
        for (k, other) in new.iter().enumerate() {
            // Old elements without a partner come first, and among these the results of the same operation.
            let opcode = |side: usize, of: &View| self.frames[side].instruction(&of.at).opcode();
            let mut order: Vec<usize> = (0..old.len()).collect();
            order.sort_by_key(|number| {
                let is_like = opcode(0, &old[*number]) == opcode(1, other);
                (others.contains(number), !is_like)
            });
            let is_same = |this: &mut Self, one: &View| {
                this.same(sizes, [one.clone(), other.clone()], None).is_same()
            };
            let found = order.into_iter().find(|number| is_same(self, &old[*number]));
            others.push(found.unwrap_or(old.len() + k));
        }
        // Old elements that are equal to a new element.
        for number in 0..old.len() {
            let is_free = !others.contains(&number);
            let partner = (0..new.len()).filter(|_| is_free).find(|k| {
                let pair = [old[number].clone(), new[*k].clone()];
                self.same(sizes, pair, None).is_same()
            });
            if let Some(k) = partner {
                numbers[number] = others[k];
            }
        }
        [numbers, others]
    }

    fn terms(&mut self, sum: &mut Sum<'_>, view: &View, depth: usize) -> Option<Vec<Term>> {
        let leaf = match self.leaves(sum.side, sum.sizes, view) {
            Ok(mut leaves) if leaves.len() == 1 => leaves.remove(0),
            _ => return Some(vec![sum.atom(view.clone())]),
        };
        let side = sum.side;
        if let Some(constant) = self.scalar(side, &leaf.at) {
            let text = constant.text();
            let number = match sum.ring {
                Ring::Whole(_) => text.parse::<i128>().ok().map(Term::whole),
                Ring::Real => text
                    .parse::<f64>()
                    .ok()
                    .filter(|x| is_normal(*x, constant.element_type()))
                    .map(Term::real),
            };
            if let Some(term) = number {
                return Some(vec![term]);
            }
        }
        if sum.ring != Ring::Real
            && let Some(Multiple { constant, factor, of }) = self.multiple(side, &leaf.at)
        {
            let one = sum.atom(View { at: of, maps: leaf.maps });
            return Some(vec![Term::whole(constant), Term { whole: factor, ..one }]);
        }
        let op = self.frames[side].instruction(&leaf.at);
        let opcode = op.opcode();
        if depth == 0 {
            return Some(vec![sum.atom(leaf)]);
        }
        let of = |this: &mut Self, sum: &mut Sum<'_>, number: usize| -> Option<Vec<Term>> {
            let operand = this.operand(side, &leaf, number)?;
            this.terms(sum, &operand, depth - 1)
        };
        let is_real = sum.ring == Ring::Real;
        let found = match opcode {
            Opcode::Add => Some([of(self, sum, 0)?, of(self, sum, 1)?].concat()),
            Opcode::Subtract => {
                let taken = of(self, sum, 1)?.into_iter().map(|term| term.times(-1));
                Some(of(self, sum, 0)?.into_iter().chain(taken).collect())
            }
            Opcode::Negate => {
                Some(of(self, sum, 0)?.into_iter().map(|term| term.times(-1)).collect())
            }
            Opcode::Multiply => {
                let (one, other) = (of(self, sum, 0)?, of(self, sum, 1)?);
                product(&one, &other)
            }
            Opcode::Iota if !is_real => self.index(sum, &leaf),
            Opcode::Convert if is_real && self.is_of_floats(side, &leaf) => of(self, sum, 0),
            Opcode::Divide if is_real => {
                let (one, other) = (of(self, sum, 0)?, of(self, sum, 1)?);
                power(&other, -2).and_then(|inverse| product(&one, &[inverse]))
            }
            Opcode::Sqrt if is_real => power(&of(self, sum, 0)?, 1).map(|term| vec![term]),
            Opcode::Rsqrt if is_real => power(&of(self, sum, 0)?, -1).map(|term| vec![term]),
            Opcode::Dot | Opcode::Reduce if is_real => {
                let mut found = None;
                for part in self.one_element(side, &leaf).unwrap_or_default() {
                    let part = self.terms(sum, &part, depth - 1)?;
                    found = match found {
                        None => Some(part),
                        Some(found) => Some(product(&found, &part)?),
                    };
                }
                found
            }
            _ => None,
        };
        Some(match found.filter(|terms| terms.len() <= TERMS) {
            Some(terms) => terms,
            None => vec![sum.atom(leaf)],
        })
    }

    /// Returns the index that an iota is equal to, as a sum of expressions.
    fn index(&mut self, sum: &mut Sum<'_>, leaf: &View) -> Option<Vec<Term>> {
        let op = self.frames[sum.side].instruction(&leaf.at);
        let dimension = op.iota_dimension(op.shape().as_array()?.rank()).ok()?;
        let [map] = leaf.maps.as_slice() else {
            return None;
        };
        let ExprKind::Sum(index) = map.map.results().get(dimension)?.kind() else {
            return None;
        };
        let atom = |(coefficient, expr): &(i64, Expr)| {
            let (domain, mut results) = map.map.clone().into_parts();
            results[dimension] = expr.clone();
            let map = OperandMap { map: IndexingMap::new(domain, results), ..map.clone() };
            let term = sum.atom(View { at: leaf.at.clone(), maps: vec![map] });
            Term { whole: i128::from(*coefficient), ..term }
        };
        let terms: Vec<Term> = index.terms().iter().map(atom).collect();
        Some(terms.into_iter().chain([Term::whole(index.constant().into())]).collect())
    }

    fn is_of_floats(&self, side: usize, leaf: &View) -> bool {
        let body = self.frames[side].body(leaf.at.frame);
        let operand = body.operands(self.frames[side].instruction(&leaf.at)).next();
        operand
            .and_then(|x| Some(x.shape().as_array()?.element_type().is_float()))
            .unwrap_or_default()
    }

    /// Returns the factors of a sum over a single element, at the points of its view; `None` if it is over more elements.
    fn one_element(&mut self, side: usize, leaf: &View) -> Option<Vec<View>> {
        let op = self.frames[side].instruction(&leaf.at);
        let count = match op.opcode() {
            Opcode::Dot => 2,
            _ => self.adds_to_zero(side, leaf).then_some(1)?,
        };
        let folded = self.folded(side, &leaf.at)?;
        let mut views = Vec::new();
        for of in folded.into_iter().take(count) {
            of.over.iter().all(|size| *size == 1).then_some(())?;
            let maps = leaf.maps.iter().map(|map| {
                let zeros = of.over.iter().map(|_| Expr::constant(0));
                let results = map.map.results().iter().cloned().chain(zeros).collect();
                let inner = IndexingMap::new(map.map.domain().clone(), results);
                OperandMap { map: inner, ..map.clone() }
            });
            let maps: Vec<OperandMap> = maps.collect();
            let maps = self.analyses[side].followed(&maps, &of.map)?;
            views.push(View { at: of.at, maps });
        }
        Some(views)
    }

    /// Returns whether a fold is a sum that starts at 0.
    fn adds_to_zero(&mut self, side: usize, leaf: &View) -> bool {
        let op = self.frames[side].instruction(&leaf.at);
        let ([_, start], true) = (op.operands(), *op.opcode() == Opcode::Reduce) else {
            return false;
        };
        let is_sum =
            combiner(self.frames[side].module, op).is_some_and(|(opcode, _)| opcode == Opcode::Add);
        let start = At { frame: leaf.at.frame, place: (*start, Vec::new()) };
        let start = self.scalar(side, &start).and_then(|x| x.text().parse::<f64>().ok());
        is_sum && start == Some(0.0)
    }
}

impl Sum<'_> {
    fn atom(&mut self, view: View) -> Term {
        let known = self.atoms.iter().position(|atom| *atom == view);
        let number = known.unwrap_or_else(|| {
            self.atoms.push(view);
            self.atoms.len() - 1
        });
        Term { factors: vec![(number, 2)], ..Term::one() }
    }
}

impl Term {
    fn one() -> Term {
        Term { whole: 1, real: 1.0, factors: Vec::new() }
    }

    fn whole(number: i128) -> Term {
        Term { whole: number, ..Term::one() }
    }

    fn real(number: f64) -> Term {
        Term { real: number, ..Term::one() }
    }

    fn times(self, number: i32) -> Term {
        let whole = self.whole.wrapping_mul(i128::from(number));
        Term { whole, real: self.real * f64::from(number), ..self }
    }
}

fn is_arithmetic(opcode: &Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::Add | O::Divide | O::Multiply | O::Negate | O::Rsqrt | O::Sqrt | O::Subtract
    )
}

/// Returns whether this is a further operation that is expanded if floats are treated as real numbers.
fn is_sum(opcode: &Opcode) -> bool {
    matches!(opcode, Opcode::Convert | Opcode::Dot | Opcode::Reduce)
}

/// Returns the terms of a product of sums; `None` if there are too many.
fn product(one: &[Term], other: &[Term]) -> Option<Vec<Term>> {
    (one.len() * other.len() <= TERMS).then_some(())?;
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
fn power(terms: &[Term], halves: i32) -> Option<Term> {
    let [term] = terms else {
        return None;
    };
    let is_root = halves % 2 != 0;
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
fn collected(terms: &[Term], numbers: &[usize], ring: Ring) -> Option<Polynomial> {
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

/// Multiplies by a power of an element; returns `None` if powers would cancel, since the element may be 0 or have no root.
fn add(factors: &mut BTreeMap<usize, i64>, atom: usize, exponent: i64) -> Option<()> {
    let sum = factors.entry(atom).or_default();
    (*sum == 0 || sum.signum() == exponent.signum() && *sum % 2 == 0 && exponent % 2 == 0)
        .then_some(())?;
    *sum += exponent;
    Some(())
}

fn are_equal(old: &Polynomial, new: &Polynomial, ring: Ring, of: ElementType) -> bool {
    let near = ULPS * precision(of);
    old.len() == new.len()
        && old.iter().zip(new).all(|((one, (whole, real)), (other, (integer, number)))| {
            let is_like = match ring {
                Ring::Whole(bits) => {
                    let shift = 128_u32.saturating_sub(bits);
                    let last = |x: i128| x.checked_shl(shift).unwrap_or_default();
                    last(*whole) == last(*integer)
                }
                Ring::Real => (real - number).abs() <= near * real.abs().max(number.abs()),
            };
            one == other && is_like
        })
}

/// Returns whether the magnitude of a number is in the range in which the type has its full precision.
fn is_normal(number: f64, of: ElementType) -> bool {
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
