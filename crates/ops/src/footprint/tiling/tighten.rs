//! Tightens a cover as far as its offsets permit.
//!
//! Law: like the given tile, the result contains all reads, since all points were tried. Each side begins and ends with an
//! element that some tile reads, except sides with a last element per tile.

use super::exactness::{FEW, box_points, parameters};
use super::{Means, Side, Tile};
use crate::footprint::image::{Points, Stop};
use affinor::expr::{Expr, IndexingMap};
use affinor::num::gcd_wide;

/// Shrinks each side to the elements that some tile reads; `None` if there are too many points to try, or nothing changes.
pub(super) fn tightened(
    elements: &IndexingMap,
    tile: &Tile,
    means: &Means<'_>,
) -> Result<Option<Tile>, Stop> {
    if box_points(elements).is_none_or(|points| points > FEW) {
        return Ok(None);
    }
    let parameters = parameters(elements);
    let mut spans: Vec<Option<Span>> = vec![None; tile.sides.len()];
    for point in Points::new(elements.domain(), FEW, &means.budget)? {
        let point = point?;
        let at: Vec<i64> = parameters.iter().map(|id| point[*id]).collect();
        let values = elements.eval(&point)?;
        for ((span, side), value) in spans.iter_mut().zip(&tile.sides).zip(values) {
            let distance = i128::from(value) - i128::from(side.offset.eval(&at)?);
            *span = Some(match span {
                None => Span::of(distance),
                Some(span) => span.with(distance),
            });
        }
    }
    let sides = tile.sides.iter().zip(&spans);
    let sides: Option<Vec<Side>> = sides.map(|(side, span)| smaller(side, (*span)?)).collect();
    Ok(sides.filter(|sides| *sides != tile.sides).map(|sides| Tile { sides, ..tile.clone() }))
}

/// The range of the offsets seen.
#[derive(Clone, Copy)]
struct Span {
    least: i128,
    greatest: i128,
    /// Common divisor of their distances; 0 if there is a single offset.
    step: u128,
}

impl Span {
    fn of(distance: i128) -> Span {
        Span { least: distance, greatest: distance, step: 0 }
    }

    fn with(self, distance: i128) -> Span {
        Span {
            least: self.least.min(distance),
            greatest: self.greatest.max(distance),
            step: gcd_wide(self.step, distance.abs_diff(self.least)),
        }
    }
}

/// Returns `None` if a number does not fit.
fn smaller(side: &Side, span: Span) -> Option<Side> {
    if side.last.is_some() {
        return Some(side.clone());
    }
    let step = i128::try_from(span.step.max(1)).ok()?;
    let first = Expr::constant(i64::try_from(span.least).ok()?);
    Some(Side {
        offset: side.offset.add(&first).ok()?,
        size: i64::try_from((span.greatest - span.least) / step + 1).ok()?,
        stride: i64::try_from(step).ok()?,
        ..side.clone()
    })
}
