//! Ops that keep the order of elements and change how they are numbered.
//!
//! *Operation semantics*, "Reshape"; *Tiled layout*; XLA, `layout.h`.

use super::op::{NoDefinition, Op};
use super::relation::{Access, Definition, Relation, Sum, d, i};
use crate::hlo::layout::TileDimension;
use crate::hlo::shape::ArrayShape;
use crate::num::ceildiv;

/// "Refines the dimensions": elements keep their positions in row-major order.
pub(super) fn reshape(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let output = numbered(d, reads.output());
    let operand = numbered(i, reads.operand());
    reads.equate(row_major(output), row_major(operand))?;
    Ok(Definition::from_iter([Access::new(0, reads)]))
}

/// "The bits stay in place": elements keep their positions in memory.
pub(super) fn bitcast(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let operand = op.operand_array(0)?;
    let Some(output) = op.instruction.shape().as_array() else {
        return Err(op.invalid("the result must be an array"));
    };
    if bits(output) != bits(operand) {
        return Err(op.unknown("elements of another width have no positions in common"));
    }
    let from = numbered(d, reads.output());
    let position = in_memory(op, &mut reads, output, from)?;
    let to = numbered(i, reads.operand());
    let same = in_memory(op, &mut reads, operand, to)?;
    reads.equate(position, same)?;
    Ok(Definition::from_iter([Access::new(0, reads)]))
}

/// Bits between neighbouring elements.
fn bits(array: &ArrayShape) -> i64 {
    match array.layout().element_bits() {
        0 => i64::from(array.element_type().bits()),
        bits => bits,
    }
}

/// An index with the size of its dimension.
type Digit = (Sum, i64);

fn numbered(index: fn(usize) -> Sum, sizes: &[i64]) -> Vec<Digit> {
    let sizes = sizes.iter().enumerate();
    sizes.map(|(k, size)| (index(k), *size)).collect()
}

/// The number that has these digits, the most significant first.
fn row_major(digits: Vec<Digit>) -> Sum {
    let start = Sum::from(0);
    digits
        .into_iter()
        .fold(start, |number, (digit, size)| number * size + digit)
}

/// The position in memory of the element at `index`: its dimensions from the most major to the most
/// minor, then cut into tiles.
fn in_memory(
    op: &Op<'_>,
    reads: &mut Relation,
    array: &ArrayShape,
    index: Vec<Digit>,
) -> Result<Sum, NoDefinition> {
    let layout = array.layout();
    let major_to_minor = layout.minor_to_major().iter().rev();
    let mut digits: Vec<Digit> = major_to_minor
        .filter_map(|dimension| index.get(*dimension).cloned())
        .collect();
    for tile in layout.tiles() {
        let sizes: Option<Vec<i64>> = tile.dimensions().iter().map(|x| fixed(*x)).collect();
        let sizes = sizes.ok_or_else(|| op.unknown("it has a tile with a combined dimension"))?;
        // A tile of more dimensions than there are covers dimensions of size 1 in front.
        while digits.len() < sizes.len() {
            digits.insert(0, (Sum::from(0), 1));
        }
        let covered = digits.split_off(digits.len() - sizes.len());
        let mut within = Vec::new();
        for ((digit, size), tile) in covered.into_iter().zip(sizes) {
            // digit = tile * number of the tile + place in the tile
            let tiles = ceildiv(size, tile.max(1));
            let (number, place) = (reads.over(tiles), reads.over(tile));
            reads.equate(digit, number.clone() * tile + place.clone())?;
            digits.push((number, tiles));
            within.push((place, tile));
        }
        digits.extend(within);
    }
    Ok(row_major(digits))
}

fn fixed(dimension: TileDimension) -> Option<i64> {
    match dimension {
        TileDimension::Size(size) => Some(size),
        TileDimension::Combine => None,
    }
}
