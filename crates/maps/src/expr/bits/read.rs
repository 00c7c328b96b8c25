//! Reads an expression as a form over bits.
//!
//! Law: a sum is `constant + sum of w * b` over bits `b`. If the binary digits of all positive weights have distinct places,
//! these are its bits; a negative weight flips ones of the constant, as `2^k - 2^k * b` is `2^k * (1 - b)`. Modulo `2^n` the
//! weights may be reduced modulo `2^n` too, and at place n - 1 the sum of bits is a sum modulo 2.

use super::form::{BitForm, MOST, Parity, Source, number_of};
use crate::expr::{Divisor, Expr, ExprKind, Sum};
use crate::num::Interval;
use std::collections::BTreeMap;

/// Maximum size of an expression that is analysed; a larger one is a source itself.
const MOST_NODES: u32 = 1 << 14;

impl BitForm {
    /// Returns the form of an expression whose values lie in the interval given by `range`. Every expression has a form: if it is
    /// neither linear over bits nor a part of a value, it is a source itself.
    #[must_use]
    pub fn of(expr: &Expr, range: &dyn Fn(&Expr) -> Interval) -> BitForm {
        let reader = Reader { range };
        match expr.size() > MOST_NODES {
            true => reader.source(expr),
            false => reader.form(expr),
        }
    }

    /// Returns the form of a whole value as one source.
    fn of_source(source: Source) -> BitForm {
        let bits = source.width.map(|width| (0..width).map(|k| Parity::bit(0, k)).collect());
        let rest = if bits.is_some() { None } else { Some((0, 0)) };
        BitForm { sources: vec![source], bits: bits.unwrap_or_default(), rest }
    }

    /// Drops the lowest bits of the value; `None` if the bit places would become too high.
    fn shifted_down(&self, by: u32) -> Option<BitForm> {
        let mut form = self.clone();
        let gone = form.bits.len().min(by as usize);
        form.bits.drain(..gone);
        form.rest = form.rest.map(|(source, from)| (source, from + by - gone as u32));
        form.rest.is_none_or(|(_, from)| from as usize <= MOST).then_some(form)
    }

    /// Keeps the lowest bits of the value; `None` if the bit places would become too high.
    fn cut(&self, length: u32) -> Option<BitForm> {
        let length = match self.rest {
            Some((_, from)) if (from + length) as usize > MOST => return None,
            Some(_) => length as usize,
            None => self.bits.len().min(length as usize),
        };
        let bits = (0..length as u32).map(|place| self.at(place)).collect();
        Some(BitForm { sources: self.sources.clone(), bits, rest: None })
    }
}

struct Reader<'r> {
    range: &'r dyn Fn(&Expr) -> Interval,
}

/// Returns the exponent if the number is a power of two.
fn exponent(number: i64) -> Option<u32> {
    (number > 0 && number.count_ones() == 1).then(|| number.trailing_zeros())
}

impl Reader<'_> {
    fn source(&self, expr: &Expr) -> BitForm {
        let range = (self.range)(expr);
        let is_bounded = range.lo() >= 0 && range.is_bounded();
        let width = is_bounded.then(|| i64::BITS - range.hi().leading_zeros());
        let width = width.filter(|width| *width as usize <= MOST);
        BitForm::of_source(Source { value: expr.clone(), width })
    }

    fn form(&self, expr: &Expr) -> BitForm {
        match expr.kind() {
            ExprKind::Constant(value) if *value >= 0 && *value >> MOST == 0 => {
                let length = i64::BITS - value.leading_zeros();
                let bits = (0..length).map(|k| Parity::constant(value >> k & 1 == 1));
                BitForm::new(Vec::new(), bits.collect())
            }
            ExprKind::FloorDiv(x, Divisor::Integer(divisor)) => {
                let shifted = exponent(*divisor).and_then(|by| self.form(x).shifted_down(by));
                shifted.unwrap_or_else(|| self.source(expr))
            }
            ExprKind::Mod(x, Divisor::Integer(2)) => {
                self.lowest(x).unwrap_or_else(|| self.source(expr))
            }
            ExprKind::Mod(x, Divisor::Integer(divisor)) => {
                let cut = exponent(*divisor).and_then(|length| self.below(x, length));
                cut.unwrap_or_else(|| self.source(expr))
            }
            ExprKind::Sum(sum) => self.sum(sum, None).unwrap_or_else(|| self.source(expr)),
            _ => self.source(expr),
        }
    }

    /// Returns `x mod 2^length`; multiples of `2^length` do not change a sum here.
    fn below(&self, x: &Expr, length: u32) -> Option<BitForm> {
        match x.kind() {
            ExprKind::Sum(sum) => {
                self.sum(sum, Some(length)).unwrap_or_else(|| self.source(x)).cut(length)
            }
            ExprKind::FloorDiv(y, Divisor::Integer(divisor)) => {
                let shifted = exponent(*divisor).and_then(|by| {
                    let all = length.checked_add(by).filter(|all| *all as usize <= MOST)?;
                    self.below(y, all)?.shifted_down(by)
                });
                shifted.or_else(|| self.source(x).cut(length))
            }
            _ => self.form(x).cut(length),
        }
    }

    /// Returns `x mod 2`: for a sum, the sum modulo 2 of the lowest bits.
    fn lowest(&self, x: &Expr) -> Option<BitForm> {
        let ExprKind::Sum(sum) = x.kind() else {
            return self.form(x).cut(1);
        };
        let mut all = BitForm::new(Vec::new(), vec![Parity::constant(sum.constant() % 2 != 0)]);
        for (_, term) in sum.terms().iter().filter(|(coefficient, _)| coefficient % 2 != 0) {
            all = all.xor(&self.lowest(term)?).ok()??;
        }
        Some(all)
    }

    /// Returns a sum, if no two summands share a bit place after like bits are collected; if a length is given, modulo
    /// `2^length`.
    fn sum(&self, sum: &Sum, length: Option<u32>) -> Option<BitForm> {
        let mut sources: Vec<Source> = Vec::new();
        let mut weights: BTreeMap<Parity, i128> = BTreeMap::new();
        let mut constant = i128::from(sum.constant());
        // An unbounded multiple of a power of two; the rest is below that power.
        let mut above: Option<(u32, BitForm)> = None;
        for (coefficient, term) in sum.terms() {
            let form = self.form(term);
            let numbers: Vec<usize> =
                form.sources.iter().map(|source| number_of(&mut sources, source)).collect();
            if sources.len() > MOST {
                return None;
            }
            if let Some((source, from)) = form.rest {
                let place = exponent(*coefficient).filter(|_| above.is_none())?;
                let bits = form.bits.iter().map(|bit| bit.renumbered(&numbers)).collect();
                let rest = Some((numbers[source], from));
                above = Some((place, BitForm { sources: Vec::new(), bits, rest }));
                continue;
            }
            for (place, bit) in form.bits.iter().enumerate() {
                let mut bit = bit.renumbered(&numbers);
                let mut weight = i128::from(*coefficient) << place;
                if bit.flipped {
                    // w * (1 - b)
                    constant += weight;
                    weight = -weight;
                    bit.flipped = false;
                }
                *weights.entry(bit).or_default() += weight;
            }
        }
        // Constant bits have no weight.
        weights.remove(&Parity::default());
        let bits = placed(constant, &weights, None).or_else(|| {
            let whole = 1_i128.checked_shl(length?)?;
            weights.values_mut().for_each(|weight| *weight = weight.rem_euclid(whole));
            placed(constant.rem_euclid(whole), &weights, length?.checked_sub(1))
        });
        let mut bits = bits?;
        let Some((place, above)) = above else {
            return Some(BitForm::new(sources, bits));
        };
        if bits.len() > place as usize {
            return None;
        }
        bits.resize(place as usize, Parity::default());
        bits.extend(above.bits);
        (bits.len() <= MOST).then_some(BitForm { sources, bits, rest: above.rest })
    }
}

/// Returns the bits of `constant + sum of weight * bit`, if the places of the weights are distinct. Several bits may share the
/// last place: the carry is cut off.
fn placed(
    constant: i128,
    weights: &BTreeMap<Parity, i128>,
    last: Option<u32>,
) -> Option<Vec<Parity>> {
    let mut bits = places(constant)?;
    for (bit, weight) in weights {
        for (place, is_there) in places(weight.abs())?.into_iter().enumerate() {
            if is_there.is_zero() {
                continue;
            }
            if bits.len() <= place {
                bits.resize(place + 1, Parity::default());
            }
            let expected = Parity::constant(*weight < 0);
            if bits[place] != expected && last != u32::try_from(place).ok() {
                return None;
            }
            bits[place] = bits[place].xor(bit);
        }
    }
    Some(bits)
}

/// Returns the binary digits of a number, if it has few.
fn places(number: i128) -> Option<Vec<Parity>> {
    let fits = number >= 0 && number >> MOST == 0;
    let length = i128::BITS - number.leading_zeros();
    fits.then(|| (0..length).map(|k| Parity::constant(number >> k & 1 == 1)).collect())
}
