//! Ops that keep the order of elements and change their numbering.
//!
//! *Operation semantics*, "Reshape"; *Tiled layout*; XLA, `layout.h`.

use super::access::{Access, Definition};
use super::named::{Array, OPEN};
use super::op::{NoDefinition, Op};
use super::relation::{Relation, Sum, d, i};
use affinor_hlo::layout::TileDimension;
use affinor_hlo::shape::ArrayShape;
use affinor_maps::num::{ceildiv, gcd};

/// "Refines the dimensions": elements keep their positions in row-major order.
pub(super) fn reshape(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    // The first size does not matter for a position.
    let inner = [reads.output(), reads.operand()];
    if inner.into_iter().any(|sizes| sizes.iter().skip(1).any(|size| *size == OPEN)) {
        return Err(op.unknown("a size that is not the first is known only at run time"));
    }
    let output = numbered(d, reads.output());
    let operand = numbered(i, reads.operand());
    if op.given.is_some() && reads.output() != reads.operand() {
        // "The number of elements stays the same."
        let counts = [Array::Result, Array::Operand(0)].map(|array| {
            let sizes = if let Array::Result = array { reads.output() } else { reads.operand() };
            let inner = sizes.iter().skip(1).try_fold(1_i64, |all, size| all.checked_mul(*size));
            let inner = inner.ok_or_else(|| op.unknown("an array has too many elements"))?;
            match sizes.is_empty() {
                true => Ok(Sum::from(1)),
                false => Ok::<Sum, NoDefinition>(op.size(&mut reads, array, 0)? * inner),
            }
        });
        let [own, other] = counts;
        reads.equate(own?, other?)?;
    }
    reads.equate(row_major(output), row_major(operand))?;
    Ok(Definition::from_iter([Access::new(0, reads)]))
}

/// "The bits stay in place": an element is composed of the elements that share a bit with it.
///
/// Bits are counted in the largest unit that divides both widths and the distance between the first elements.
pub(super) fn bitcast(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let operand = op.operand_array(0)?;
    let Some(output) = op.instruction.shape().as_array() else {
        return Err(op.invalid("the result must be an array"));
    };
    let index = numbered(d, reads.output());
    let to = in_memory(op, &mut reads, output, index)?;
    let index = numbered(i, reads.operand());
    let from = in_memory(op, &mut reads, operand, index)?;
    let too_large = || op.unknown("the arrays take more than 64 bits can count");
    let bytes = |line: &Line| line.bytes().ok_or_else(too_large);
    if bytes(&to)? != bytes(&from)? {
        return Err(op.invalid("the operand must take as many bytes as the result"));
    }
    let units = || {
        let distance = to.start.checked_sub(from.start)?;
        let unit = gcd(gcd(to.width, from.width)?, distance)?;
        let units = |bits: i64| bits.checked_div(unit);
        Some((units(to.width)?, units(from.width)?, units(distance)?))
    };
    let (to_units, from_units, distance) = units().ok_or_else(too_large)?;
    let mut unit_of = |line: Line, units: i64| match units {
        1 => line.position,
        _ => line.position * units + reads.over(units),
    };
    let (unit, same) = (unit_of(to, to_units), unit_of(from, from_units));
    reads.equate(unit + distance, same)?;
    Ok(Definition::from_iter([Access::new(0, reads)]))
}

/// An array in memory.
struct Line {
    /// The position of one of its elements.
    position: Sum,
    /// The number of positions; `None` beyond 64 bits.
    positions: Option<i64>,
    /// The number of bits per position.
    width: i64,
    /// The number of bits before the first position.
    start: i64,
}

impl Line {
    /// Returns the number of bytes from the start of the array to its end; `None` beyond 64 bits.
    fn bytes(&self) -> Option<i64> {
        let bits = self.positions?.checked_mul(self.width)?;
        Some(ceildiv(bits.checked_add(self.start)?, 8))
    }
}

/// An index with the size of its dimension.
type Digit = (Sum, i64);

fn numbered(index: fn(usize) -> Sum, sizes: &[i64]) -> Vec<Digit> {
    let sizes = sizes.iter().enumerate();
    sizes.map(|(k, size)| (index(k), *size)).collect()
}

/// Returns the number with these digits, the most significant first.
fn row_major(digits: Vec<Digit>) -> Sum {
    let start = Sum::from(0);
    digits.into_iter().fold(start, |number, (digit, size)| number * size + digit)
}

/// Returns the memory location of the element at `index`: its dimensions from the most major to the most minor are cut into
/// tiles.
fn in_memory(
    op: &Op<'_>,
    reads: &mut Relation,
    array: &ArrayShape,
    index: Vec<Digit>,
) -> Result<Line, NoDefinition> {
    let too_large = || op.unknown("the arrays take more than 64 bits can count");
    let layout = array.layout();
    if !layout.splits().is_empty() {
        return Err(op.unknown("the array is split between memories"));
    }
    let major_to_minor = layout.minor_to_major().iter().rev();
    let mut digits: Vec<Digit> =
        major_to_minor.filter_map(|dimension| index.get(*dimension).cloned()).collect();
    for tile in layout.tiles() {
        let entries = tile.dimensions();
        if entries.last() == Some(&TileDimension::Combine) {
            return Err(op.invalid("the last dimension of a tile has none to be combined with"));
        }
        // A tile of more dimensions than the array covers additional major dimensions of size 1.
        while digits.len() < entries.len() {
            digits.insert(0, (Sum::from(0), 1));
        }
        let covered = digits.split_off(digits.len() - entries.len());
        let mut within = Vec::new();
        let mut combined = (Sum::from(0), 1_i64);
        for ((digit, size), entry) in covered.into_iter().zip(entries) {
            let (major, majors) = combined;
            let digit = major * size + digit;
            let size = majors.checked_mul(size).ok_or_else(too_large)?;
            combined = match entry {
                TileDimension::Combine => (digit, size),
                TileDimension::Size(tile) => {
                    let tiles = ceildiv(size, (*tile).max(1));
                    let (number, place) = match (tiles, *tile) {
                        (_, 1) => (digit, Sum::from(0)),
                        (1, _) => (Sum::from(0), digit),
                        // digit = tile * number of the tile + position in the tile
                        _ => {
                            let (number, place) = (reads.over(tiles), reads.over(*tile));
                            reads.equate(digit, number.clone() * *tile + place.clone())?;
                            (number, place)
                        }
                    };
                    digits.push((number, tiles));
                    within.push((place, *tile));
                    (Sum::from(0), 1)
                }
            };
        }
        digits.extend(within);
    }
    let mut sizes = digits.iter().map(|(_, size)| *size);
    let positions = sizes.try_fold(1_i64, |count, size| count.checked_mul(size));
    let aligned = |count: i64| {
        let alignment = layout.tail_padding_alignment();
        ceildiv(count, alignment).checked_mul(alignment)
    };
    Ok(Line {
        position: row_major(digits),
        positions: positions.and_then(aligned),
        width: match layout.element_bits() {
            0 => 8 * i64::from(array.element_type().bytes()),
            bits => bits,
        },
        start: layout.metadata_prefix_bytes().checked_mul(8).ok_or_else(too_large)?,
    })
}
