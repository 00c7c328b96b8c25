//! Dot: products summed over contracted dimensions, for each batch.
//!
//! Law: `output[b.., m.., n..] = sum over k.. of lhs[b.., m.., k..] * rhs[b.., k.., n..]`, where each letter stands
//! for any number of dimensions at the places that the attributes name. The range variables of both
//! maps are the contracted dimensions in the order of the attributes.
//! Source: XLA, *Operation semantics*, `DotGeneral`.

use super::builder::{MapBuilder, check_dimensions};
use super::op::{Entries, NoMap, Op, exactly};
use affinor::expr::{Expr, IndexingMap};
use affinor_hlo::access::DotDimensions;

/// Returns the reads of a dot.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    if op.operands.len() != 2 {
        return Err(NoMap::unknown("a sparse dot has no map yet"));
    }
    let (lhs, rhs) = (op.operand_sizes(0)?, op.operand_sizes(1)?);
    let dimensions = op.instruction.dot_dimensions(lhs.len(), rhs.len())?;
    let (lhs, rhs) = sides(&dimensions, &lhs, &rhs);
    let (lhs_map, rhs_map) = output_to_operands(&op.sizes()?, lhs, rhs)?;
    exactly([lhs_map, rhs_map])
}

/// Returns both operands of a dot, by their sizes.
pub(super) fn sides<'a>(
    dimensions: &'a DotDimensions,
    lhs: &'a [i64],
    rhs: &'a [i64],
) -> (Side<'a>, Side<'a>) {
    let side = |sizes, batch, contracting| Side { sizes, batch, contracting };
    (
        side(lhs, &dimensions.lhs_batch, &dimensions.lhs_contracting),
        side(rhs, &dimensions.rhs_batch, &dimensions.rhs_contracting),
    )
}

/// One side of a dot: its sizes, and which of its dimensions are batch and which contracted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub(super) sizes: &'a [i64],
    pub(super) batch: &'a [usize],
    pub(super) contracting: &'a [usize],
}

impl Side<'_> {
    fn check(&self, name: &str) -> Result<(), NoMap> {
        let all: Vec<usize> = self.batch.iter().chain(self.contracting).copied().collect();
        check_dimensions(name, &all, self.sizes.len())
    }

    fn sizes_of(&self, list: &[usize]) -> Vec<i64> {
        list.iter().filter_map(|dimension| self.sizes.get(*dimension).copied()).collect()
    }

    /// Returns the dimensions that are neither batch nor contracting, in order.
    fn free(&self) -> Vec<usize> {
        (0..self.sizes.len())
            .filter(|k| !self.batch.contains(k) && !self.contracting.contains(k))
            .collect()
    }

    fn map(&self, output: &[i64], first_free: usize) -> IndexingMap {
        let mut builder = MapBuilder::over(output);
        let dimensions = builder.dimensions();
        let contracted: Vec<Expr> =
            self.sizes_of(self.contracting).into_iter().map(|size| builder.range(size)).collect();
        let mut results = vec![Expr::constant(0); self.sizes.len()];
        let batch = self.batch.iter().zip(&dimensions);
        let free = self.free();
        let free = free.iter().zip(dimensions.iter().skip(first_free));
        let contracted = self.contracting.iter().zip(&contracted);
        for (place, index) in batch.chain(free).chain(contracted) {
            if let Some(result) = results.get_mut(*place) {
                *result = index.clone();
            }
        }
        builder.finish(results)
    }
}

/// Returns the maps to the left and to the right operand.
pub(super) fn output_to_operands(
    output: &[i64],
    lhs: Side<'_>,
    rhs: Side<'_>,
) -> Result<(IndexingMap, IndexingMap), NoMap> {
    lhs.check("dot, for its left operand,")?;
    rhs.check("dot, for its right operand,")?;
    let (lhs_free, rhs_free) = (lhs.free(), rhs.free());
    let batch = lhs.sizes_of(lhs.batch);
    let expected = [&batch[..], &lhs.sizes_of(&lhs_free), &rhs.sizes_of(&rhs_free)].concat();
    let agree = batch == rhs.sizes_of(rhs.batch)
        && lhs.sizes_of(lhs.contracting) == rhs.sizes_of(rhs.contracting);
    if !agree || expected != output {
        return Err(NoMap::invalid(format!(
            "dot of sizes {:?} and {:?} with these batch and contracting dimensions does not give sizes {output:?}",
            lhs.sizes, rhs.sizes
        )));
    }
    let lhs_map = lhs.map(output, batch.len());
    let rhs_map = rhs.map(output, batch.len() + lhs_free.len());
    Ok((lhs_map, rhs_map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, points, spread};
    use proptest::prelude::*;

    fn few() -> impl Strategy<Value = Vec<i64>> {
        prop::collection::vec(1i64..4, 0..3)
    }

    /// Sizes of the batch, left, right and contracted dimensions, and the positions of the dimensions on each side.
    fn dot() -> impl Strategy<Value = ([Vec<i64>; 4], Vec<usize>, Vec<usize>)> {
        let two = || prop::collection::vec(1i64..4, 0..2);
        (two(), two(), two(), few()).prop_flat_map(|(batch, left, right, contracted)| {
            let order = |free: &[i64]| {
                let rank = batch.len() + free.len() + contracted.len();
                Just((0..rank).collect::<Vec<usize>>()).prop_shuffle()
            };
            let (lhs, rhs) = (order(&left), order(&right));
            (Just([batch, left, right, contracted]), lhs, rhs)
        })
    }

    proptest! {
        #[test]
        fn reads_what_the_loop_reads(([batch, left, right, contracted], lhs, rhs) in dot()) {
            // Free dimensions keep their order, so their positions are sorted.
            let sorted = |places: &[usize], free: usize| {
                let mut places = places.to_vec();
                places[batch.len()..batch.len() + free].sort_unstable();
                places
            };
            let (lhs, rhs) = (sorted(&lhs, left.len()), sorted(&rhs, right.len()));
            let lhs_sizes = spread(&lhs, &[&batch[..], &left, &contracted].concat());
            let rhs_sizes = spread(&rhs, &[&batch[..], &right, &contracted].concat());
            let output = [&batch[..], &left, &right].concat();
            let (b, m, n) = (batch.len(), left.len(), right.len());
            let (lhs_map, rhs_map) = built(output_to_operands(
                &output,
                Side { sizes: &lhs_sizes, batch: &lhs[..b], contracting: &lhs[b + m..] },
                Side { sizes: &rhs_sizes, batch: &rhs[..b], contracting: &rhs[b + n..] },
            ));
            let sums = points(&contracted);
            check_against(&[lhs_map], &output, |d| {
                sums.iter().map(|k| spread(&lhs, &[&d[..b + m], k].concat())).collect()
            });
            check_against(&[rhs_map], &output, |d| {
                sums.iter().map(|k| spread(&rhs, &[&d[..b], &d[b + m..], k].concat())).collect()
            });
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let side = |sizes, contracting| Side { sizes, batch: &[], contracting };
        assert!(output_to_operands(&[2, 4], side(&[2, 3], &[1]), side(&[3, 4], &[0])).is_ok());
        assert!(output_to_operands(&[2, 4], side(&[2, 3], &[1]), side(&[3, 4], &[1])).is_err());
        assert!(output_to_operands(&[4, 2], side(&[2, 3], &[1]), side(&[3, 4], &[0])).is_err());
        assert!(output_to_operands(&[2, 4], side(&[2, 3], &[2]), side(&[3, 4], &[0])).is_err());
    }
}
