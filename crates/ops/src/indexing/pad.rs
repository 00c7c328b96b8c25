//! Pad: the operand's elements spread out, with a padding value between and around them.
//!
//! Law: index `low + (interior + 1) * i` of a dimension holds index `i` of the operand (interior padding comes first; a
//! negative `low` or `high` then cuts). An output element all of whose indices hold an operand index reads that element of the
//! operand, every other reads the padding value: the domains of the map to the operand and of the maps to the padding value are
//! disjoint and cover the output.
//! Source: XLA, *Operation semantics*, `Pad`.
//! For all sizes: the laws `pad-*` of `rules/ops.rules`.

use super::builder::{Condition, MapBuilder, restrict};
use super::op::{Entries, NoMap, Op, entry};
use super::reads::{OperandMap, Reads};
use super::spread;
use affinor::expr::{Expr, ExprError, IndexingMap};
use affinor::num::Interval;
use affinor_hlo::attribute::PaddingDimension;

/// Returns the reads of a pad from its operand and from its padding value.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    let (output, operand) = (op.sizes()?, op.operand_sizes(0)?);
    op.check_scalar(1)?;
    let paddings = op.instruction.padding(operand.len())?;
    let maps = output_to_operands(&output, &operand, paddings)?;
    let padding = maps.padding.into_iter().map(OperandMap::exact);
    Ok(vec![entry(0, Reads::exactly(maps.data)), entry(1, Reads::union(padding))])
}

/// The maps of a pad.
#[derive(Debug)]
pub(super) struct PadMaps {
    /// The map to the operand.
    pub(super) data: IndexingMap,
    /// The maps to the padding value: together they cover the complement of the domain of `data`.
    pub(super) padding: Vec<IndexingMap>,
}

/// Returns the maps of a pad with one [`PaddingDimension`] for each dimension.
pub(super) fn output_to_operands(
    output: &[i64],
    operand: &[i64],
    paddings: &[PaddingDimension],
) -> Result<PadMaps, NoMap> {
    if output.len() != operand.len() || paddings.len() != operand.len() {
        return Err(NoMap::invalid(format!(
            "pad of {} dimension(s) of sizes {operand:?} gives sizes {output:?}",
            paddings.len()
        )));
    }
    let builder = MapBuilder::over(output);
    let mut axes = Vec::with_capacity(output.len());
    for (((padding, size), out), index) in
        paddings.iter().zip(operand).zip(output).zip(builder.dimensions())
    {
        axes.push(Axis::new(*padding, *size, *out, index)?);
    }
    let everywhere = builder.clone().finish(Vec::new());
    let mut padding = Vec::new();
    // One map for each first axis along which an element misses the operand: dimensions before the axis hold an operand index,
    // the axis does not, dimensions after it are free. So the cases are disjoint.
    let mut before = everywhere;
    for axis in &axes {
        padding.extend(axis.gaps()?.iter().map(|gap| restrict(&before, gap)));
        before = restrict(&before, &axis.held()?);
    }
    let sources: Result<Vec<Expr>, ExprError> = axes.iter().map(Axis::source).collect();
    let mut data = builder.finish(sources?);
    for axis in &axes {
        data = restrict(&data, &axis.held()?);
    }
    padding.retain(|map| !map.domain().is_known_empty());
    Ok(PadMaps { data, padding })
}

/// One dimension: the output indices that hold an index of the operand.
struct Axis {
    index: Expr,
    low: i64,
    stride: i64,
    out: i64,
    /// The interval from the least to the greatest output index that holds an operand index; empty if none does.
    span: Interval,
}

impl Axis {
    fn new(padding: PaddingDimension, size: i64, out: i64, index: Expr) -> Result<Axis, NoMap> {
        let stride = i128::from(padding.interior) + 1;
        let low = i128::from(padding.low);
        let spread = spread::extent(size, stride);
        let padded = low + spread + i128::from(padding.high);
        if padding.interior < 0 || size < 0 || padded != i128::from(out) {
            return Err(NoMap::invalid(format!(
                "padding {}_{}_{} of a dimension of size {size} does not give size {out}",
                padding.low, padding.high, padding.interior
            )));
        }
        let last = low + spread - 1;
        // The least and the greatest index within the output whose distance from the first is a multiple of the stride.
        let (lo, hi) = (low.max(0), last.min(i128::from(out) - 1));
        let (lo, hi) = (lo + (low - lo).rem_euclid(stride), hi - (hi - low).rem_euclid(stride));
        let narrow = |value: i128| {
            i64::try_from(value).map_err(|_| NoMap::unknown("its padding is beyond 64 bits"))
        };
        let span = if lo > hi { Interval::EMPTY } else { Interval::new(narrow(lo)?, narrow(hi)?) };
        let stride = narrow(stride)?;
        Ok(Axis { index, low: padding.low, stride, out, span })
    }

    /// Returns the operand index that an output index holds.
    fn source(&self) -> Result<Expr, ExprError> {
        spread::element_at(&self.distance()?, self.stride)
    }

    /// Returns the conditions for an output index to hold an operand index.
    fn held(&self) -> Result<Vec<Condition>, ExprError> {
        let mut condition = vec![(self.index.clone(), self.span)];
        condition.extend(self.remainder_in(Interval::point(0))?);
        Ok(condition)
    }

    /// Returns the conditions for an output index to hold none: before, between or after those that do.
    fn gaps(&self) -> Result<Vec<Vec<Condition>>, ExprError> {
        let index_in = |bounds| (self.index.clone(), bounds);
        if self.span.is_empty() {
            return Ok(vec![vec![index_in(Interval::of_size(self.out))]]);
        }
        let mut gaps = vec![vec![index_in(Interval::new(0, self.span.lo() - 1))]];
        if let Some(between) = self.remainder_in(Interval::new(1, self.stride - 1))? {
            gaps.push(vec![index_in(self.span), between]);
        }
        gaps.push(vec![index_in(Interval::new(self.span.hi() + 1, self.out - 1))]);
        Ok(gaps)
    }

    /// `(index - low) mod stride in bounds`; `None` if it is trivial within the span.
    fn remainder_in(&self, bounds: Interval) -> Result<Option<(Expr, Interval)>, ExprError> {
        if self.span.lo() == self.span.hi() || self.stride == 1 {
            return Ok(None);
        }
        Ok(Some((self.distance()?.modulo(self.stride)?, bounds)))
    }

    /// Returns the distance of an index from the first element.
    fn distance(&self) -> Result<Expr, ExprError> {
        self.index.sub(&Expr::constant(self.low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against};
    use proptest::prelude::*;

    /// `(size, padding, operand index held by each output index)`, by building the padded line step by step.
    fn axis() -> impl Strategy<Value = (i64, PaddingDimension, Vec<Option<i64>>)> {
        (0i64..5, -4i64..4, -4i64..4, 0i64..4).prop_map(|(size, low, high, interior)| {
            let mut line = Vec::new();
            for i in 0..size {
                line.push(Some(i));
                if i + 1 < size {
                    line.extend(std::iter::repeat_n(None, interior as usize));
                }
            }
            // Padding that would cut too much is reduced, so that XLA accepts every case.
            let room = line.len() as i64;
            let low = low.max(-room);
            let high = high.max(-(room + low));
            let padded = |edge: i64| std::iter::repeat_n(None, edge.max(0) as usize);
            let mut line: Vec<Option<i64>> = padded(low).chain(line).chain(padded(high)).collect();
            line.drain(..(-low).max(0) as usize);
            line.truncate(line.len() - (-high).max(0) as usize);
            (size, PaddingDimension { low, high, interior }, line)
        })
    }

    proptest! {
        #[test]
        fn each_output_element_reads_an_element_or_the_padding(
            axes in prop::collection::vec(axis(), 0..3)
        ) {
            let operand: Vec<i64> = axes.iter().map(|(size, ..)| *size).collect();
            let paddings: Vec<PaddingDimension> = axes.iter().map(|(_, p, _)| *p).collect();
            let output: Vec<i64> = axes.iter().map(|(.., line)| line.len() as i64).collect();
            let held = |d: &[i64]| -> Option<Vec<i64>> {
                d.iter().zip(&axes).map(|(x, (.., line))| line[*x as usize]).collect()
            };
            let maps = built(output_to_operands(&output, &operand, &paddings));
            check_against(&[maps.data], &output, |d| held(d).into_iter().collect());
            check_against(&maps.padding, &output, |d| match held(d) {
                Some(_) => vec![],
                None => vec![vec![]],
            });
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let rejects = |output, size, (low, high, interior)| {
            let padding = PaddingDimension { low, high, interior };
            let maps = output_to_operands(&[output], &[size], &[padding]);
            assert!(matches!(maps, Err(NoMap::Invalid(_))), "{maps:?}");
        };
        rejects(5, 4, (0, 0, 0));
        rejects(4, 4, (1, 0, -1));
        rejects(1, 4, (i64::MAX, i64::MAX, i64::MAX));
        rejects(1, 0, (i64::MIN, i64::MIN, 0));
        assert!(output_to_operands(&[4], &[4, 1], &[]).is_err());
    }
}
