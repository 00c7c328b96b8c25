//! Common mappings of a kernel's threads to an array.
//!
//! Law: each element of the array belongs to exactly one point of the map.

use super::measure::from_one_to;
use super::warp::Grid;
use crate::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use crate::num;
use crate::num::Interval;
use crate::text::{Error, ErrorKind};

/// A common mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Preset {
    /// Consecutive threads take consecutive elements in memory order.
    Linear,
    /// As linear, 16 bytes per thread, unless an element is wider.
    Vectorised,
    /// The first half of a transpose through shared memory: tiles of 32 x 32 over the two most minor dimensions, with
    /// lanes along the *second* most minor one, as the operand is read.
    TransposeRead,
    /// The second half: the same tiles, with lanes along the most minor dimension, as the result is written.
    TransposeWrite,
}

/// All presets, by name.
pub const PRESETS: [(&str, Preset); 4] = [
    ("linear", Preset::Linear),
    ("vectorised", Preset::Vectorised),
    ("transpose-read", Preset::TransposeRead),
    ("transpose-write", Preset::TransposeWrite),
];

/// Rows and columns of a transpose tile, and consecutive threads.
const TILE: i64 = 32;

/// Maximum number of bytes per thread and access. Source: *CUDA C++ Programming Guide*, "Device Memory Accesses".
const WIDEST: i64 = 16;

/// The array and the threads of a preset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk<'a> {
    /// Sizes of the array, dimension 0 first.
    pub sizes: &'a [i64],
    /// Permutation of its dimensions in memory.
    pub minor_to_major: &'a [usize],
    /// Bits per element.
    pub element_bits: i64,
    /// Threads per block.
    pub block: i64,
    /// Elements per thread and access; by default that of the preset.
    pub vector: Option<i64>,
}

impl Preset {
    /// Builds the map from threads to the index in the array, and the variables that number the threads. These are
    /// dimensions, so that [`IndexingMap::then`] keeps their numbers.
    ///
    /// # Errors
    /// Without a span: kind `usage` for an invalid number of threads or elements, `shape` for an array with fewer than
    /// two dimensions where a preset needs two, `overflow` beyond 64 bits.
    pub fn map(self, walk: &Walk<'_>) -> Result<(IndexingMap, Grid), Error> {
        from_one_to(1_024, walk.block, "a block has 1 to 1024 threads")?;
        let at_once = "a thread accesses 1 to 1024 elements at once";
        from_one_to(1_024, walk.vector.unwrap_or(1), at_once)?;
        let widest = (8 * WIDEST / walk.element_bits.max(1)).max(1);
        let (map, threads, vector) = match self {
            Preset::Linear => linear(walk, walk.vector.unwrap_or(1))?,
            Preset::Vectorised => linear(walk, walk.vector.unwrap_or(widest))?,
            Preset::TransposeRead => tiles(walk, true)?,
            Preset::TransposeWrite => tiles(walk, false)?,
        };
        let grid = Grid::new(map.domain(), threads, vector)?;
        Ok((map, grid))
    }
}

type Walked = (IndexingMap, Vec<VariableId>, Vec<VariableId>);

/// `(thread, block, vector)`: element `(block * threads + thread) * vector_size + vector` in memory order.
fn linear(walk: &Walk<'_>, vector: i64) -> Result<Walked, Error> {
    let elements = product(walk.sizes)?;
    let in_a_block = walk.block.checked_mul(vector).ok_or_else(too_large)?;
    let blocks = num::ceildiv(elements, in_a_block);
    let mut domain = Domain::new(vec![
        dimension("thread", walk.block),
        dimension("block", blocks),
        dimension("vector", vector),
    ]);
    let map = || -> Result<IndexingMap, ExprError> {
        let [thread, block, place] = [0, 1, 2].map(variable);
        let element = Expr::sum(0, [(vector, thread), (in_a_block, block), (1, place)])?;
        if elements % in_a_block != 0 {
            domain.constrain(&element, Interval::of_size(elements));
        }
        let order: Vec<(usize, i64)> = walk
            .minor_to_major
            .iter()
            .map(|dimension| (*dimension, walk.sizes.get(*dimension).copied().unwrap_or(1)))
            .collect();
        let digits = digits(&element, &order)?;
        let mut results = vec![Expr::constant(0); walk.sizes.len()];
        for (dimension, digit) in digits {
            put(&mut results, dimension, digit);
        }
        Ok(IndexingMap::new(domain, results))
    };
    let map = map().map_err(|_| too_large())?;
    let (map, vector) = match vector {
        1 => {
            let map = map.bound(&[(VariableId(2), 0)]);
            (map.map_err(|_| too_large())?, Vec::new())
        }
        _ => (map, vec![VariableId(2)]),
    };
    Ok((map, vec![VariableId(0)], vector))
}

/// `(thread_x, thread_y, block)[step]`: `thread_x` indexes one of the two most minor dimensions, and `thread_y + step *
/// threads_y` the other.
fn tiles(walk: &Walk<'_>, reads: bool) -> Result<Walked, Error> {
    let [minor, second, others @ ..] = walk.minor_to_major else {
        let message = "a transpose through shared memory needs two dimensions";
        return Err(Error::without_span(ErrorKind::Shape, message));
    };
    if walk.block % TILE != 0 || TILE % (walk.block / TILE) != 0 {
        let message = format!(
            "the block of a transpose has 32, 64, 128, 256, 512 or 1024 threads, not {}",
            walk.block
        );
        return Err(Error::without_span(ErrorKind::Usage, message));
    }
    if walk.vector.is_some_and(|vector| vector != 1) {
        let message = "a transpose through shared memory accesses one element at once";
        return Err(Error::without_span(ErrorKind::Usage, message));
    }
    let size = |dimension: &usize| walk.sizes.get(*dimension).copied().unwrap_or(1);
    let rows = walk.block / TILE;
    let across = [minor, second].map(|dimension| num::ceildiv(size(dimension), TILE));
    let mut order = vec![(*minor, across[0]), (*second, across[1])];
    order.extend(others.iter().map(|dimension| (*dimension, size(dimension))));
    let counts: Vec<i64> = order.iter().map(|(_, count)| *count).collect();
    let mut domain = Domain::new(vec![
        dimension("thread_x", TILE),
        dimension("thread_y", rows),
        dimension("block", product(&counts)?),
        Variable::new("step", VariableKind::Range, Interval::of_size(TILE / rows)),
    ]);
    let map = || -> Result<IndexingMap, ExprError> {
        let mut results = vec![Expr::constant(0); walk.sizes.len()];
        let along = variable(0);
        let beside = Expr::sum(0, [(1, variable(1)), (rows, variable(3))])?;
        let within = match reads {
            false => [along, beside],
            true => [beside, along],
        };
        for (place, (dimension, digit)) in digits(&variable(2), &order)?.into_iter().enumerate() {
            let index = match within.get(place) {
                None => digit,
                Some(within) => {
                    let index = Expr::sum(0, [(TILE, digit), (1, within.clone())])?;
                    let size = size(&dimension);
                    if size % TILE != 0 {
                        domain.constrain(&index, Interval::of_size(size));
                    }
                    index
                }
            };
            put(&mut results, dimension, index);
        }
        Ok(IndexingMap::new(domain, results))
    };
    let map = map().map_err(|_| too_large())?;
    let threads = vec![VariableId(0), VariableId(1)];
    Ok((map, threads, Vec::new()))
}

fn put(results: &mut [Expr], dimension: usize, index: Expr) {
    if let Some(place) = results.get_mut(dimension) {
        *place = index;
    }
}

/// The digits of a number, the fastest first; `order` has the dimension and the size of each digit.
fn digits(number: &Expr, order: &[(usize, i64)]) -> Result<Vec<(usize, Expr)>, ExprError> {
    let mut faster = 1_i64;
    let mut digits = Vec::with_capacity(order.len());
    for (place, (dimension, size)) in order.iter().enumerate() {
        let size = (*size).max(1);
        let rest = number.floordiv(faster)?;
        let digit = match place + 1 == order.len() {
            true => rest,
            false => rest.modulo(size)?,
        };
        digits.push((*dimension, digit));
        faster = faster.checked_mul(size).ok_or(ExprError::Overflow)?;
    }
    Ok(digits)
}

fn product(sizes: &[i64]) -> Result<i64, Error> {
    let product = sizes.iter().try_fold(1_i64, |n, size| n.checked_mul(*size));
    product.ok_or_else(too_large)
}

fn dimension(name: &str, size: i64) -> Variable {
    Variable::new(name, VariableKind::Dimension, Interval::of_size(size))
}

fn variable(index: u32) -> Expr {
    Expr::variable(VariableId(index))
}

fn too_large() -> Error {
    let message = "the array has more elements than 64 bits can number";
    Error::without_span(ErrorKind::Overflow, message)
}
