//! Common mappings of a kernel's threads to an array.
//!
//! Law: each element of the array belongs to exactly one point of the map.

use super::measure::from_one_to;
use super::reduction::reduction;
use super::walk::{Walk, Walked, digits, dimension, product, put, too_large, variable};
use super::warp::Grid;
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num;
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind};

/// A common mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Preset {
    /// Consecutive threads take consecutive elements in memory order.
    Linear,
    /// Like `Linear`, with 16 bytes per thread, unless an element is wider.
    Vectorised,
    /// The mapping of XLA's loop emitter for a result that is large enough to fill the device: like `Linear`, with 128 threads
    /// per block and 4 elements per thread; or 2 or 1 if the number of elements is not divisible by 4.
    Loop,
    /// The first half of a transpose through shared memory, as in XLA's transpose emitter: tiles of 32 x 32 over the most minor
    /// dimension and [`Walk::beside`], with lanes along the latter, as the operand is read.
    TransposeRead,
    /// The second half: the same tiles, with lanes along the most minor dimension, as the result is written.
    TransposeWrite,
    /// The mapping of XLA's reduction emitter to the operand of a reduce.
    Reduction,
}

/// All presets, by name.
pub const PRESETS: [(&str, Preset); 6] = [
    ("linear", Preset::Linear),
    ("vectorised", Preset::Vectorised),
    ("loop", Preset::Loop),
    ("transpose-read", Preset::TransposeRead),
    ("transpose-write", Preset::TransposeWrite),
    ("reduction", Preset::Reduction),
];

/// Rows and columns of a transpose tile, and consecutive threads.
const TILE: i64 = 32;

/// Default number of threads per block.
const THREADS: i64 = 256;

/// Threads per block. Source: XLA, `launch_dimensions.cc` and `backends/gpu/codegen/emitters/transpose.cc`.
const EMITTED: i64 = 128;

/// Maximum number of elements per thread in a loop. Source: XLA, `ComputeLoopFusionConfig`.
const UNROLLED: i64 = 4;

/// Maximum number of bytes per thread and access. Source: *CUDA C++ Programming Guide*, "Device Memory Accesses".
const WIDEST: i64 = 16;

impl Preset {
    /// Builds the map from threads to the index in the array, and the grid of the variables that number the threads. These are
    /// dimensions, so that [`IndexingMap::then`] keeps their numbers.
    ///
    /// # Errors
    /// Without a span: kind `usage` for an invalid number of threads or elements, `shape` for an array with fewer than
    /// two dimensions where a preset needs two, `overflow` beyond 64 bits.
    pub fn map(self, walk: &Walk<'_>) -> Result<(IndexingMap, Grid), Error> {
        let (block, at_once) = (walk.block.unwrap_or(1), walk.vector.unwrap_or(1));
        from_one_to(1_024, block, "a block has 1 to 1024 threads")?;
        from_one_to(1_024, at_once, "a thread accesses 1 to 1024 elements at once")?;
        let block = |by_default| walk.block.unwrap_or(by_default);
        let vector = |by_default| walk.vector.unwrap_or(by_default);
        let widest = (8 * WIDEST / walk.element_bits.max(1)).max(1);
        let (map, threads, vector) = match self {
            Preset::Linear => linear(walk, block(THREADS), vector(1))?,
            Preset::Vectorised => linear(walk, block(THREADS), vector(widest))?,
            Preset::Loop => {
                let unrolled = num::gcd(product(walk.sizes)?, UNROLLED).unwrap_or(1);
                linear(walk, block(EMITTED), vector(unrolled.max(1)))?
            }
            Preset::TransposeRead => tiles(walk, block(EMITTED), true)?,
            Preset::TransposeWrite => tiles(walk, block(EMITTED), false)?,
            Preset::Reduction => reduction(walk)?,
        };
        let grid = Grid::new(map.domain(), threads, vector)?;
        Ok((map, grid))
    }
}

/// `(thread, block, vector)`: element `(block * threads + thread) * vector_size + vector` in memory order.
fn linear(walk: &Walk<'_>, block: i64, vector: i64) -> Result<Walked, Error> {
    let elements = product(walk.sizes)?;
    let in_a_block = block.checked_mul(vector).ok_or_else(too_large)?;
    let blocks = num::ceildiv(elements, in_a_block);
    let mut domain = Domain::new(vec![
        dimension("thread", block),
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
fn tiles(walk: &Walk<'_>, block: i64, reads: bool) -> Result<Walked, Error> {
    let size = |dimension: &usize| walk.sizes.get(*dimension).copied().unwrap_or(1);
    // Dimensions of size 1 are skipped: they come last in the order.
    let mut order = walk.minor_to_major.to_vec();
    order.sort_by_key(|dimension| size(dimension) == 1);
    if let Some(at) = order.iter().skip(1).position(|each| Some(*each) == walk.beside) {
        order[1..=at + 1].rotate_right(1);
    }
    let [minor, second, others @ ..] = order.as_slice() else {
        let message = "a transpose through shared memory needs two dimensions";
        return Err(Error::without_span(ErrorKind::Shape, message));
    };
    if block % TILE != 0 || TILE % (block / TILE) != 0 {
        let message = format!(
            "the block of a transpose has 32, 64, 128, 256, 512 or 1024 threads, not {block}"
        );
        return Err(Error::without_span(ErrorKind::Usage, message));
    }
    if walk.vector.is_some_and(|vector| vector != 1) {
        let message = "a transpose through shared memory accesses one element at once";
        return Err(Error::without_span(ErrorKind::Usage, message));
    }
    let rows = block / TILE;
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
