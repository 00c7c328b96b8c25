//! Forms over bits, and operations on them bit by bit.
//!
//! Law: bit `k` of the value is `bits[k]`, a sum modulo 2; the higher bits are those of one source, or 0.

use crate::expr::{Expr, ExprError};

/// Maximum number of bits of a form, and of sources.
pub(super) const MOST: usize = 62;

/// A value whose bits are used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The value.
    pub value: Expr,
    /// The number of its bits, if the value is nonnegative and bounded.
    pub width: Option<u32>,
}

/// A sum modulo 2 of bits of sources and a constant bit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Parity {
    /// The bits of each source that take part, as a mask. Sources beyond the list have none.
    masks: Vec<u64>,
    /// Whether the sum is negated.
    pub flipped: bool,
}

impl Parity {
    /// Returns one bit of a source; `place` is below 64.
    #[must_use]
    pub fn bit(source: usize, place: u32) -> Parity {
        let mut masks = vec![0; source + 1];
        masks[source] = 1 << (place % u64::BITS);
        Parity { masks, flipped: false }
    }

    /// Returns a constant bit.
    #[must_use]
    pub fn constant(value: bool) -> Parity {
        Parity { masks: Vec::new(), flipped: value }
    }

    /// Returns the mask of a source.
    #[must_use]
    pub fn mask(&self, source: usize) -> u64 {
        self.masks.get(source).copied().unwrap_or(0)
    }

    /// Iterates over the bits that take part, as `(source, place)`.
    pub fn ones(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let places = |mask: u64| (0..u64::BITS).filter(move |place| mask >> place & 1 == 1);
        let masks = self.masks.iter().enumerate();
        masks.flat_map(move |(source, mask)| places(*mask).map(move |place| (source, place)))
    }

    /// Returns whether the bit is 0 for all values.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.masks.is_empty() && !self.flipped
    }

    /// Returns the sum modulo 2 of both.
    #[must_use]
    pub fn xor(&self, other: &Parity) -> Parity {
        let length = self.masks.len().max(other.masks.len());
        let mut masks: Vec<u64> = (0..length).map(|at| self.mask(at) ^ other.mask(at)).collect();
        while masks.last() == Some(&0) {
            masks.pop();
        }
        Parity { masks, flipped: self.flipped ^ other.flipped }
    }

    /// Returns the sum with its sources renumbered.
    pub(super) fn renumbered(&self, numbers: &[usize]) -> Parity {
        let start = Parity::constant(self.flipped);
        self.ones().fold(start, |sum, (source, place)| {
            sum.xor(&Parity::bit(numbers.get(source).copied().unwrap_or(source), place))
        })
    }
}

/// A value whose bits are sums modulo 2 of bits of other values.
///
/// ```
/// use affinor_maps::expr::{BitForm, IndexingMap};
///
/// let map: IndexingMap = "(i, j) -> (i floordiv 2, (i + j) mod 2), domain: i in [0, 7], j in [0, 3]".parse()?;
/// let bits = |k: usize| BitForm::of(&map.results()[k], &|expr| map.domain().range_of(expr));
/// let both = bits(0).xor(&bits(1))?.expect("one value is bounded");
/// let expr = both.to_expr()?;
/// assert_eq!(expr.eval(&[5, 2])?, 2 ^ 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitForm {
    pub(super) sources: Vec<Source>,
    pub(super) bits: Vec<Parity>,
    /// The source whose bits, from the given one upward, follow `bits` without end.
    pub(super) rest: Option<(usize, u32)>,
}

impl BitForm {
    /// Creates a form without bits beyond the given ones.
    #[must_use]
    pub fn new(sources: Vec<Source>, bits: Vec<Parity>) -> BitForm {
        BitForm { sources, bits, rest: None }
    }

    /// Returns the values whose bits are used.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Returns the bits, lowest first; `None` if their number is unbounded.
    #[must_use]
    pub fn bits(&self) -> Option<&[Parity]> {
        self.rest.is_none().then_some(&self.bits)
    }

    /// Returns bit `place`.
    pub(super) fn at(&self, place: u32) -> Parity {
        match (self.bits.get(place as usize), self.rest) {
            (Some(bit), _) => bit.clone(),
            (None, Some((source, from))) => {
                let behind = place - self.bits.len() as u32;
                Parity::bit(source, from + behind)
            }
            (None, None) => Parity::default(),
        }
    }

    /// Puts both forms over one list of sources; `None` if there are too many.
    fn joined(&self, other: &BitForm) -> Option<BitForm> {
        let mut sources = self.sources.clone();
        let numbers: Vec<usize> =
            other.sources.iter().map(|x| number_of(&mut sources, x)).collect();
        if sources.len() > MOST {
            return None;
        }
        let bits = other.bits.iter().map(|bit| bit.renumbered(&numbers)).collect();
        let rest = other.rest.map(|(source, from)| (numbers[source], from));
        Some(BitForm { sources, bits, rest })
    }

    /// Combines the bits of two values pairwise with `operation`. If one value is unbounded, the result keeps its rest if
    /// `keeps_rest`, and otherwise ends with the bounded one. `None` if both are unbounded, or if the form is too large.
    fn each(
        &self,
        other: &BitForm,
        keeps_rest: bool,
        operation: impl Fn(&mut Vec<Source>, Parity, Parity) -> Result<Parity, ExprError>,
    ) -> Result<Option<BitForm>, ExprError> {
        let Some(other) = self.joined(other) else {
            return Ok(None);
        };
        let longest = match (self.rest, other.rest) {
            (Some(_), Some(_)) => return Ok(None),
            (Some(_), None) if !keeps_rest => other.bits.len(),
            (None, Some(_)) if !keeps_rest => self.bits.len(),
            _ => self.bits.len().max(other.bits.len()),
        };
        let reaches =
            |form: &BitForm| form.rest.is_none_or(|(_, from)| from as usize + longest <= MOST);
        if !reaches(self) || !reaches(&other) {
            return Ok(None);
        }
        let mut sources = other.sources.clone();
        let mut bits = Vec::with_capacity(longest);
        for place in 0..longest as u32 {
            bits.push(operation(&mut sources, self.at(place), other.at(place))?);
        }
        let behind = |form: &BitForm| {
            let (source, from) = form.rest?;
            Some((source, from + (longest - form.bits.len()) as u32))
        };
        let rest = match keeps_rest {
            true => behind(self).or(behind(&other)),
            false => None,
        };
        let fits = sources.len() <= MOST && longest <= MOST;
        Ok(fits.then_some(BitForm { sources, bits, rest }))
    }

    /// Returns `self ^ other`; `None` if both are unbounded, or if the form has too many parts.
    ///
    /// # Errors
    /// [`ExprError`] if a part is too large.
    pub fn xor(&self, other: &BitForm) -> Result<Option<BitForm>, ExprError> {
        self.each(other, true, |_, x, y| Ok(x.xor(&y)))
    }

    /// Returns `self & other`; `None` under the same conditions as for `xor`.
    ///
    /// # Errors
    /// [`ExprError`] if a part is too large.
    pub fn and(&self, other: &BitForm) -> Result<Option<BitForm>, ExprError> {
        self.each(other, false, |sources, x, y| match (&x, &y) {
            _ if x == y => Ok(x),
            _ if x.is_zero() || y.is_zero() => Ok(Parity::default()),
            _ if x == Parity::constant(true) => Ok(y),
            _ if y == Parity::constant(true) => Ok(x),
            _ => of_both(sources, &x, &y, Expr::min),
        })
    }

    /// Returns `self | other`; `None` under the same conditions as for `xor`.
    ///
    /// # Errors
    /// [`ExprError`] if a part is too large.
    pub fn or(&self, other: &BitForm) -> Result<Option<BitForm>, ExprError> {
        self.each(other, true, |sources, x, y| match (&x, &y) {
            _ if x == y || y.is_zero() => Ok(x),
            _ if x.is_zero() => Ok(y),
            _ if x == Parity::constant(true) || y == Parity::constant(true) => {
                Ok(Parity::constant(true))
            }
            _ => of_both(sources, &x, &y, Expr::max),
        })
    }
}

/// Returns the bit that is the minimum or the maximum of two bits.
fn of_both(
    sources: &mut Vec<Source>,
    x: &Parity,
    y: &Parity,
    operation: impl Fn([Expr; 2]) -> Result<Expr, ExprError>,
) -> Result<Parity, ExprError> {
    let value = operation([x.to_expr(sources)?, y.to_expr(sources)?])?;
    let number = number_of(sources, &Source { value, width: Some(1) });
    Ok(Parity::bit(number, 0))
}

/// Returns the index of a source in the list, appending the source if it is new.
pub(super) fn number_of(sources: &mut Vec<Source>, source: &Source) -> usize {
    let known = sources.iter().position(|known| known.value == source.value);
    known.unwrap_or_else(|| {
        sources.push(source.clone());
        sources.len() - 1
    })
}
