//! The cells of an operation: for each element of the result, its value and the elements that it reads.
//!
//! Law: an element reads all elements that determine it, by the words of *Operation semantics*. Values are computed by the
//! same words; if the value itself does not matter, it is made up from all elements read.

use super::program::{Op, Program};
use super::random::made_up;
use super::shape::{Array, Kind, Shape};

/// An element of an operand: the operand's position, the leaf's number, the element's number.
pub type At = (usize, usize, usize);

/// One element of a result.
#[derive(Clone, Debug)]
pub struct Cell {
    pub reads: Vec<At>,
    pub value: i64,
}

/// A value: the elements of each leaf.
#[derive(Clone, Debug)]
pub struct Value {
    pub shape: Shape,
    pub leaves: Vec<Vec<i64>>,
}

/// An operation with the values of its operands.
pub struct Running<'a> {
    pub program: &'a Program,
    pub op: &'a Op,
    pub shape: &'a Shape,
    pub operands: &'a [&'a Value],
}

/// The cells of each leaf of a result.
pub type Cells = Vec<Vec<Cell>>;

impl Running<'_> {
    /// Returns the array shape of the result.
    pub fn output(&self) -> &Array {
        self.shape.array().expect("an array")
    }

    /// Returns the array shape of operand `k`.
    pub fn array(&self, k: usize) -> &Array {
        self.operands[k].shape.array().expect("an array")
    }

    pub fn sizes(&self, k: usize) -> &[i64] {
        &self.array(k).sizes
    }

    /// Returns the element at `index` of operand `k`.
    pub fn at(&self, k: usize, index: &[i64]) -> At {
        (k, 0, self.array(k).number(index))
    }

    pub fn value(&self, (operand, leaf, element): At) -> i64 {
        self.operands[operand].leaves[leaf][element]
    }

    /// Returns all elements of operand `k`.
    pub fn all(&self, k: usize) -> Vec<At> {
        let leaves = self.operands[k].leaves.iter().enumerate();
        leaves.flat_map(|(leaf, elements)| (0..elements.len()).map(move |e| (k, leaf, e))).collect()
    }

    /// Returns a cell with the value of an operand's element, which was selected by the other elements read.
    pub fn moved(&self, from: At, others: Vec<At>) -> Cell {
        let value = self.value(from);
        let mut reads = others;
        reads.push(from);
        Cell { reads, value }
    }

    /// Returns a cell whose value is made up from the elements it reads.
    pub fn computed(&self, reads: Vec<At>) -> Cell {
        self.computed_as(0, reads)
    }

    /// Returns such a cell for result number `k` of several.
    pub fn computed_as(&self, k: i64, reads: Vec<At>) -> Cell {
        let opcode = format!("{:?}", std::mem::discriminant(self.op));
        let salt = opcode.bytes().map(i64::from).sum::<i64>() + k;
        let values = reads.iter().map(|at| self.value(*at));
        let value = made_up([salt].into_iter().chain(values));
        Cell { reads, value }
    }

    /// Computes a cell for each index of the result.
    pub fn each(&self, cell: impl FnMut(Vec<i64>) -> Cell) -> Cells {
        self.each_of(self.output(), cell)
    }

    /// Computes a cell for each index of one array of the result.
    pub fn each_of(&self, array: &Array, cell: impl FnMut(Vec<i64>) -> Cell) -> Cells {
        let cells = array
            .indices()
            .map(cell)
            .map(|cell| Cell { value: array.kind.held(cell.value), ..cell });
        vec![cells.collect()]
    }

    /// Returns the value of the scalar operand `k`, and its element.
    pub fn scalar(&self, k: usize) -> (i64, At) {
        let at = (k, 0, 0);
        (self.value(at), at)
    }
}

/// Returns all indices of a box.
pub fn indices_of(sizes: &[i64]) -> Vec<Vec<i64>> {
    Array::new(Kind::F32, sizes).indices().collect()
}

/// Returns `index` with `value` at position `k`.
pub fn with(index: &[i64], k: usize, value: i64) -> Vec<i64> {
    let mut index = index.to_vec();
    index[k] = value;
    index
}
