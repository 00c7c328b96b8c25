//! Gather: combines windows of the operand at places known only at run time.
//!
//! Law: with the geometry of `index_vectors`, where the output is the moving array and the operand the still one,
//! `output[d] = operand[place + within]`. A place is clamped to `[0, operand_k - window_k]`. Each element reads the whole index
//! vector of its window. A gather from an operand without elements is 0 for all indices. Source: XLA, *Operation semantics*,
//! `Gather`.
//! For all sizes: the law `clamped-in-bounds` of `rules/ops.rules`.

use super::builder::MapBuilder;
use super::index_vectors::{IndexVectors, Place};
use super::op::{Entries, NoMap, Op, entry};
use super::reads::{Exactness, OperandMap, Reads};
use affinor::expr::{Expr, IndexingMap};
use affinor::num::Interval;

/// Returns the reads of a gather.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    let (output, operand, indices) = (op.sizes()?, op.operand_sizes(0)?, op.operand_sizes(1)?);
    let numbers = op.instruction.gather_dimensions(operand.len(), indices.len(), output.len())?;
    let vectors = IndexVectors {
        still: &operand,
        indices: &indices,
        moving: &output,
        window: &numbers.slice_sizes,
        offset: &numbers.offset,
        collapsed: &numbers.collapsed_slice,
        index_map: &numbers.start_index_map,
        still_batching: &numbers.operand_batching,
        indices_batching: &numbers.indices_batching,
        vector: numbers.index_vector,
    };
    if vectors.is_empty() {
        vectors.check("gather")?;
        return Ok(op.each_pair(&Reads::NOTHING));
    }
    let (data, indices) = output_to_operands(&vectors)?;
    Ok(vec![entry(0, Reads::union([data])), entry(1, Reads::exactly(indices))])
}

/// Returns the maps from the output to the operand and to the indices, which are operand 1.
pub(super) fn output_to_operands(
    vectors: &IndexVectors<'_>,
) -> Result<(OperandMap, IndexingMap), NoMap> {
    vectors.check("gather")?;
    let mut builder = MapBuilder::over(vectors.moving);
    let dimensions = builder.dimensions();
    let at = |places: &[usize]| -> Vec<Expr> {
        let places = places.iter();
        places.filter_map(|k| dimensions.get(*k).cloned()).collect()
    };
    let (batch, within) = (at(&vectors.moving_batch()), at(vectors.offset));
    let to_indices = vectors.indices_map(builder.clone(), &batch);

    let kept = vectors.kept();
    let (mut results, mut runtime) = (Vec::with_capacity(vectors.still.len()), Vec::new());
    for (k, (size, window)) in vectors.still.iter().zip(vectors.window).enumerate() {
        let place = match vectors.place(k) {
            Place::Vector(v) => {
                let clamp = Interval::new(0, size - window);
                let (id, place) = builder.runtime(clamp);
                runtime.push(vectors.source(1, (id, clamp), &batch, v));
                place
            }
            Place::Batch(b) => batch[b].clone(),
            Place::Begin => Expr::constant(0),
        };
        results.push(match kept.iter().position(|other| *other == k) {
            Some(position) => place.add(&within[position])?,
            None => place,
        });
    }
    let to_operand =
        OperandMap { map: builder.finish(results), exactness: Exactness::Exact, runtime };
    Ok((to_operand, to_indices))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::index_vectors::tests::cases;
    use crate::indexing::testing::{built, check_against, points, position, read_of_tensors};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_what_the_loop_reads(
            owned in cases(), values in prop::collection::vec(-3i64..7, 1..9)
        ) {
            let vectors = owned.borrowed();
            let (data, indices) = built(output_to_operands(&vectors));
            let element = |at: &[i64]| values[position(&owned.indices, at) as usize % values.len()];
            for d in points(&owned.moving) {
                let (place, within) = owned.placed(&d, element);
                let read: Vec<i64> = (0..place.len())
                    .map(|k| {
                        let most = vectors.still[k] - vectors.window[k];
                        place[k].max(0).min(most) + within[k]
                    })
                    .collect();
                let expected = std::collections::BTreeSet::from([read]);
                prop_assert_eq!(read_of_tensors(&data, &d, |_, at| element(at)), expected);
            }
            check_against(&[indices], &owned.moving, |d| {
                let asked = std::cell::RefCell::new(Vec::new());
                owned.placed(d, |at| {
                    asked.borrow_mut().push(at.to_vec());
                    0
                });
                asked.into_inner()
            });
        }
    }
}
