//! Padding of arrays, and pixel shuffles.
//!
//! Law: an index of a padded array reads the element that is shifted by the padding; constant padding reads no element, so the
//! map is not defined there. `np.pad` gives the padding of each dimension, `F.pad` from the last dimension on.

use super::array::{Array, bounded, index, shape};
use super::numbers::{Given, integers, number, tuple};
use crate::given::expr_error;
use affinor::expr::{Expr, ExprError, IndexingMap};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind};

impl Array {
    /// Pads an array: `np.pad(x, ((1, 1), (2, 2)), mode="edge")`, `F.pad(x, (1, 1))`.
    ///
    /// # Errors
    /// For widths that do not fit, and for other modes.
    pub fn padded(self, given: &Given) -> Result<Array, Error> {
        if let Some(asked) = self.padded_between(given) {
            return Ok(Array { asked: Some(asked), ..self });
        }
        let rank = self.sizes.len();
        let (name, modes): (&str, &[&str]) = match self.is_torch {
            true => ("pad", &["constant", "replicate", "circular", "reflect"]),
            false => ("pad_width", &["constant", "edge", "wrap", "reflect", "symmetric"]),
        };
        let widths = given.named(name).or(given.texts().first().copied()).unwrap_or("");
        let pairs = self.widths(widths)?;
        let behind = given.texts().get(1).copied().filter(|text| text.starts_with(['\'', '"']));
        let mode = given
            .named("mode")
            .or(behind)
            .map_or("constant", |mode| mode.trim_matches(['\'', '"']));
        let Some(mode) = modes.iter().position(|known| *known == mode) else {
            let message = format!("the mode `{mode}` of `pad` is not supported");
            let error = Error::without_span(ErrorKind::Unsupported, message);
            return Err(error.hint(format!("supported are {}", modes.join(", "))));
        };
        let (mut sizes, mut bounds, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (axis, (before, after)) in (0..rank).zip(pairs) {
            let size = self.sizes[axis];
            let padded = size.checked_add(before).and_then(|size| size.checked_add(after));
            let padded = padded.ok_or_else(|| shape("the array is too large"))?;
            let moved = Expr::sum(-before, [(1, index(axis))]).map_err(expr_error)?;
            let whole = Interval::new(0, padded - 1);
            let (interval, place) = match mode {
                0 => (Interval::new(before, before + size - 1), Ok(moved)),
                1 => {
                    let inside = Expr::max([moved, Expr::constant(0)])
                        .and_then(|place| Expr::min([place, Expr::constant(size - 1)]));
                    (whole, inside)
                }
                2 => (whole, moved.modulo(size)),
                _ => (whole, mirrored(&moved, size, (before.max(after), mode == 4))?),
            };
            sizes.push(padded);
            bounds.push(interval);
            places.push(place.map_err(expr_error)?);
        }
        let step = IndexingMap::new(bounded(&bounds)?, places);
        let map = step.then(&self.map).map_err(|_| shape("the index does not fit"))?;
        Ok(Array { sizes, map, ..self })
    }

    /// Returns the op that `lax.pad` is: its padding value, and three widths for each dimension of the array itself.
    fn padded_between(&self, given: &Given) -> Option<String> {
        let widths = given.texts().get(1).copied().filter(|text| text.contains(['(', '[']))?;
        let widths: Option<Vec<String>> = tuple(widths)
            .into_iter()
            .map(|one| match integers(one).ok()?[..] {
                [before, after, between] => Some(format!("{before}_{after}_{between}")),
                _ => None,
            })
            .collect();
        let widths = widths.filter(|widths| widths.len() == self.sizes.len())?;
        let own: Vec<Expr> = (0..self.sizes.len()).map(index).collect();
        let sizes: Vec<String> = self.sizes.iter().map(i64::to_string).collect();
        let line = format!("op pad f32[{}] f32[] padding={}", sizes.join(","), widths.join("x"));
        (self.map.results() == own).then_some(line)
    }

    /// Returns the widths of each dimension.
    fn widths(&self, text: &str) -> Result<Vec<(i64, i64)>, Error> {
        let rank = self.sizes.len();
        let bare = text.replace(['(', ')', '[', ']'], " ");
        let parts = bare.split(',').filter(|part| !part.trim().is_empty());
        let widths: Vec<i64> = parts.map(number).collect::<Result<_, _>>()?;
        let is_nested = text.trim().trim_start_matches(['(', '[']).contains(['(', '[']);
        if widths.iter().any(|width| *width < 0) {
            return Err(shape("a padding of less than 0 is not supported: write a slice"));
        }
        let mut pairs: Vec<(i64, i64)> =
            widths.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let are_pairs = widths.len().is_multiple_of(2);
        if self.is_torch && are_pairs && pairs.len() <= rank {
            pairs.resize(rank, (0, 0));
            pairs.reverse();
            return Ok(pairs);
        }
        match (self.is_torch, widths.len()) {
            (false, 1) => Ok(vec![(widths[0], widths[0]); rank]),
            (false, 2) if !is_nested => Ok(vec![pairs[0]; rank]),
            (false, count) if count == 2 * rank && is_nested => Ok(pairs),
            _ => Err(shape("`pad` takes the widths before and after each dimension")),
        }
    }

    /// Moves channels into rows and columns of blocks, as `pixel_shuffle`, or back, as `pixel_unshuffle`.
    ///
    /// # Errors
    /// For sizes that the factor does not divide.
    pub fn shuffled(self, factor: &[i64], is_back: bool) -> Result<Array, Error> {
        let rank = self.sizes.len();
        let (&[factor], Some(channel)) = (factor, rank.checked_sub(3)) else {
            return Err(shape(
                "a shuffle takes a factor, and an array with channels, rows and columns",
            ));
        };
        let squared = factor.checked_mul(factor).filter(|_| factor > 0);
        let squared = squared.ok_or_else(|| shape("a shuffle takes a positive factor"))?;
        let (own, [c, h, w]) = (&self.sizes, [channel, channel + 1, channel + 2]);
        let fits = match is_back {
            true => own[h] % factor == 0 && own[w] % factor == 0,
            false => own[c] % squared == 0,
        };
        if !fits {
            return Err(shape(format!("{factor} does not divide the sizes {own:?}")));
        }
        let (mut sizes, mut places) = (own.clone(), (0..rank).map(index).collect::<Vec<_>>());
        let divided = |axis: usize| index(axis).floordiv(factor);
        let rest = |axis: usize| index(axis).modulo(factor);
        let read = || {
            Ok(match is_back {
                false => [
                    Expr::sum(0, [(squared, index(c)), (factor, rest(h)?), (1, rest(w)?)])?,
                    divided(h)?,
                    divided(w)?,
                ],
                true => [
                    index(c).floordiv(squared)?,
                    Expr::sum(0, [(factor, index(h)), (1, divided(c)?.modulo(factor)?)])?,
                    Expr::sum(0, [(factor, index(w)), (1, rest(c)?)])?,
                ],
            })
        };
        let found: Result<[Expr; 3], ExprError> = read();
        for (axis, place) in (channel..).zip(found.map_err(expr_error)?) {
            places[axis] = place;
        }
        let scaled = |size: i64, by: i64, shrinks: bool| match shrinks {
            true => Some(size / by),
            false => size.checked_mul(by),
        };
        for (axis, by, shrinks) in
            [(c, squared, !is_back), (h, factor, is_back), (w, factor, is_back)]
        {
            sizes[axis] =
                scaled(sizes[axis], by, shrinks).ok_or_else(|| shape("the array is too large"))?;
        }
        self.at(sizes, places)
    }
}

/// Returns the index of the element that is read at a position of a padding by reflection, at the first and the last element or,
/// if it `repeats` them, at their outer edges.
///
/// # Errors
/// If a width is more than one reflection has.
fn mirrored(
    position: &Expr,
    size: i64,
    (width, repeats): (i64, bool),
) -> Result<Result<Expr, ExprError>, Error> {
    let edge = i64::from(repeats);
    if width > size - 1 + edge {
        return Err(shape("a padding by reflection is not wider than the array"));
    }
    let last = size.checked_mul(2).and_then(|twice| twice.checked_sub(2 - edge));
    let last = last.ok_or_else(|| shape("the array is too large"))?;
    let place = || {
        let back = Expr::sum(-edge, [(-1, position.clone())])?;
        let inside = Expr::max([position.clone(), back])?;
        let behind = Expr::sum(last, [(-1, inside.clone())])?;
        Expr::min([inside, behind])
    };
    Ok(place())
}
