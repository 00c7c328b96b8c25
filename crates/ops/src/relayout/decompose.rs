//! A bitcast as transpose, reshape, transpose.
//!
//! Law: a transpose, a reshape and a transpose keep every element in its place exactly when the array, in some order of its
//! dimensions, and the result, in some order of its, number the elements at each position alike. The orders are found from the
//! minor dimension up: as long as one side covers fewer elements than the other, the next element after the covered ones begins
//! its next dimension, which the other side's index identifies. The result is proved, and the method also covers tiled layouts.
//! Source: XLA, *Shapes and layout*; the orders of untiled layouts are `minor_to_major`.

use super::bitcast::{bitcast_map, transposed_sizes};
use super::{listed, map_of};
use affinor::expr::IndexingMap;
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor::text::Error;
use affinor_layout::memory::Placement;

/// The ops that a bitcast is equal to, without those that change nothing: a transpose, a reshape, a transpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decomposition {
    /// The ops in order; at least one.
    pub ops: Vec<MoveOp>,
}

/// One op of a [`Decomposition`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveOp {
    /// The attribute `dimensions` of a transpose; `None` for a reshape.
    pub dimensions: Option<Vec<usize>>,
    /// The sizes of the result.
    pub sizes: Vec<i64>,
}

/// Returns the decomposition of the bitcast from `from` to `to`, if one was found and proved.
///
/// # Errors
/// Kind `overflow` if a map is not representable.
pub fn decompose(
    from: &Placement,
    to: &Placement,
    budget: &Budget,
) -> Result<Option<Decomposition>, Error> {
    if from.elements() != to.elements() || from.elements() == 0 {
        return Ok(None);
    }
    let (Some(map), Some(inverse)) = (bitcast_map(from, to)?, bitcast_map(to, from)?) else {
        return Ok(None);
    };
    let mut sides = [Side::new(from, inverse), Side::new(to, map.clone())];
    if find_orders(&mut sides).is_none() {
        return Ok(None);
    }
    let [first, last] = sides.map(|side| side.dimensions());
    let mut ops = Vec::new();
    let ordered = transposed_sizes(from.sizes(), &first);
    let grouped = transposed_sizes(to.sizes(), &last);
    if !first.is_sorted() {
        ops.push((Some(first), ordered.clone()));
    }
    if ordered != grouped {
        ops.push((None, grouped));
    }
    if !last.is_sorted() {
        let mut dimensions = vec![0; last.len()];
        last.iter().enumerate().for_each(|(at, dimension)| dimensions[*dimension] = at);
        ops.push((Some(dimensions), to.sizes().to_vec()));
    }
    let ops = ops.into_iter();
    let ops = ops.map(|(dimensions, sizes)| MoveOp { dimensions, sizes });
    let found = Decomposition { ops: ops.collect() };
    if found.ops.is_empty() {
        return Ok(None);
    }
    let proved = equal_functions(&map_of(&found.text(from))?, &map, budget)?;
    Ok((proved == Verdict::Proved).then_some(found))
}

impl Decomposition {
    /// Returns the ops as an argument of the command `op`: `transpose f32[2,3] {1,0} | reshape -> f32[6]`.
    #[must_use]
    pub fn chain(&self, from: &Placement) -> String {
        let element_type = from.shape().element_type();
        let mut operand = format!(" {element_type}[{}]", listed(from.sizes()));
        let ops = self.ops.iter().map(|op| {
            let operand = std::mem::take(&mut operand);
            match &op.dimensions {
                Some(dimensions) => format!("transpose{operand} {{{}}}", listed(dimensions)),
                None => format!("reshape{operand} -> {element_type}[{}]", listed(&op.sizes)),
            }
        });
        ops.collect::<Vec<String>>().join(" | ")
    }

    /// Returns the ops as HLO text.
    fn text(&self, from: &Placement) -> String {
        let element_type = from.shape().element_type();
        let mut text = format!("p0 = {element_type}[{}] parameter(0)", listed(from.sizes()));
        for (number, op) in self.ops.iter().enumerate() {
            let result = format!("\np{} = {element_type}[{}]", number + 1, listed(&op.sizes));
            text += &match &op.dimensions {
                Some(dimensions) => {
                    let dimensions = listed(dimensions);
                    format!("{result} transpose(p{number}), dimensions={{{dimensions}}}")
                }
                None => format!("{result} reshape(p{number})"),
            };
        }
        text
    }
}

/// One of the two arrays, during the search for the order of its dimensions.
struct Side<'a> {
    sizes: &'a [i64],
    /// The element of the other array at the position of each element of this one.
    other: IndexingMap,
    /// The dimensions with more than one element whose position in the order is known, minor first.
    minor: Vec<usize>,
    /// The product of the sizes of `minor`.
    covered: i64,
}

impl<'a> Side<'a> {
    fn new(placement: &'a Placement, other: IndexingMap) -> Side<'a> {
        Side { sizes: placement.sizes(), other, minor: Vec::new(), covered: 1 }
    }

    fn is_fresh(&self, dimension: usize) -> bool {
        self.sizes[dimension] > 1 && !self.minor.contains(&dimension)
    }

    fn take(&mut self, dimension: usize) -> Option<()> {
        self.minor.push(dimension);
        self.covered = self.covered.checked_mul(self.sizes[dimension])?;
        Some(())
    }

    /// Returns the index of the covered element number `number`.
    fn index(&self, mut number: i64) -> Vec<i64> {
        let mut index = vec![0; self.sizes.len()];
        for dimension in &self.minor {
            index[*dimension] = number % self.sizes[*dimension];
            number /= self.sizes[*dimension];
        }
        index
    }

    /// Returns the element with index 1 in `dimension` and 0 in all others.
    fn unit(&self, dimension: usize) -> Vec<i64> {
        let mut index = vec![0; self.sizes.len()];
        index[dimension] = 1;
        index
    }

    /// Returns the unassigned dimension whose second element is at `index`.
    fn fresh_unit(&self, index: &[i64]) -> Option<usize> {
        let dimension = index.iter().position(|at| *at != 0)?;
        (self.is_fresh(dimension) && index == self.unit(dimension)).then_some(dimension)
    }
}

/// Finds the orders of the dimensions of both sides; `None` if the search gets stuck.
fn find_orders(sides: &mut [Side<'_>; 2]) -> Option<()> {
    let [from, to] = sides;
    loop {
        if from.covered < to.covered {
            let next = to.other.eval(&to.index(from.covered)).ok()?;
            from.take(from.fresh_unit(&next)?)?;
        } else if to.covered < from.covered {
            let next = from.other.eval(&from.index(to.covered)).ok()?;
            to.take(to.fresh_unit(&next)?)?;
        } else {
            // After equally many elements on both sides, any two dimensions that begin at the same position may come next. The
            // last one preserves the order of the array.
            let mut fresh = (0..from.sizes.len()).rev().filter(|d| from.is_fresh(*d)).peekable();
            if fresh.peek().is_none() {
                return Some(());
            }
            let (one, other) = fresh.find_map(|dimension| {
                let element = from.other.eval(&from.unit(dimension)).ok()?;
                Some((dimension, to.fresh_unit(&element)?))
            })?;
            from.take(one)?;
            to.take(other)?;
        }
    }
}

impl Side<'_> {
    /// Returns all dimensions, major first; those of one element keep their place.
    fn dimensions(&self) -> Vec<usize> {
        let mut ordered = self.minor.iter().rev().copied();
        let dimensions = self.sizes.iter().enumerate();
        let place = |(dimension, size): (usize, &i64)| match size {
            1 => dimension,
            _ => ordered.next().unwrap_or(dimension),
        };
        dimensions.map(place).collect()
    }
}
