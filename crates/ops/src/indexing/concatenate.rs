//! Concatenate: operands one after the other along a dimension.
//!
//! Law: with `offset_k` the sum of the sizes before operand `k`, `output[d] = operand_k[d - offset_k]` for
//! the one `k` whose `[offset_k, offset_k + size_k)` holds `d` along the dimension. The domains of the
//! maps are disjoint and cover the output. Source: XLA, *Operation semantics*, `ConcatInDim`.
//! For all sizes: the laws `concatenate-*` of `rules/ops.rules`.

use super::builder::MapBuilder;
use super::op::{Entries, NoMap, Op, exactly, require};
use affinor::expr::{Expr, IndexingMap};
use affinor::num::Interval;

/// Returns the reads of a concatenate.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    let output = op.sizes()?;
    let operands: Vec<Vec<i64>> =
        (0..op.operands.len()).map(|k| op.operand_sizes(k)).collect::<Result<_, _>>()?;
    let operands: Vec<&[i64]> = operands.iter().map(Vec::as_slice).collect();
    let dimension = op.one_dimension(output.len(), " to concatenate along")?;
    exactly(output_to_operands(&output, &operands, dimension)?)
}

/// Returns the map to each operand, in order. The map to an operand of size 0 has an empty domain.
pub(super) fn output_to_operands(
    output: &[i64],
    operands: &[&[i64]],
    dimension: usize,
) -> Result<Vec<IndexingMap>, NoMap> {
    let mismatch = |operand: &[i64]| {
        NoMap::invalid(format!(
            "concatenate along dimension {dimension} puts sizes {operand:?} into sizes {output:?}"
        ))
    };
    let mut offset = 0i64;
    let mut maps = Vec::with_capacity(operands.len());
    for operand in operands {
        let fits = operand.len() == output.len()
            && (0..output.len()).all(|k| k == dimension || operand[k] == output[k]);
        let size = operand.get(dimension).copied().filter(|_| fits);
        let Some((size, end)) = size.and_then(|size| Some((size, offset.checked_add(size)?)))
        else {
            return Err(mismatch(operand));
        };
        let builder = MapBuilder::over(output);
        let mut results = builder.dimensions();
        let along = results[dimension].clone();
        results[dimension] = Expr::sum(0, [(1, along.clone())])?.add(&Expr::constant(-offset))?;
        let map = builder.finish(results);
        maps.push(map.restricted(&along, Interval::new(offset, offset + size - 1)));
        offset = end;
    }
    require(output.get(dimension) == Some(&offset), || {
        format!(
            "concatenate of {offset} index(es) along dimension {dimension} gives sizes {output:?}"
        )
    })?;
    Ok(maps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_output_element_reads_one_operand(
            parts in prop::collection::vec(0i64..4, 1..5), other in 1i64..3, first in any::<bool>()
        ) {
            let dimension = usize::from(!first);
            let shape = |along| if first { vec![along, other] } else { vec![other, along] };
            let operands: Vec<Vec<i64>> = parts.iter().map(|along| shape(*along)).collect();
            let output = shape(parts.iter().sum());
            let borrowed: Vec<&[i64]> = operands.iter().map(Vec::as_slice).collect();
            let maps = built(output_to_operands(&output, &borrowed, dimension));
            prop_assert_eq!(maps.len(), parts.len());
            let mut offset = 0;
            for (map, size) in maps.iter().zip(&parts) {
                check_against(std::slice::from_ref(map), &output, |d| {
                    let mut index = d.to_vec();
                    index[dimension] -= offset;
                    if (0..*size).contains(&index[dimension]) { vec![index] } else { vec![] }
                });
                offset += size;
            }
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(output_to_operands(&[2, 5], &[&[2, 2], &[2, 2]], 1).is_err());
        assert!(output_to_operands(&[2, 4], &[&[2, 2], &[3, 2]], 1).is_err());
        assert!(output_to_operands(&[2, 4], &[&[2, 2], &[2]], 1).is_err());
        assert!(output_to_operands(&[2, 4], &[&[2, 4]], 2).is_err());
    }
}
