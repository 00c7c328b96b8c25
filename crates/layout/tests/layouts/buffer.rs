//! An array in memory, built the slow way: pad, reshape and transpose a buffer of elements, tile by tile.
//!
//! Shares no code and no formula with the library.

use affinor_hlo as hlo;
use affinor_hlo::layout::TileDimension;
use affinor_hlo::shape::ArrayShape;

/// For each position, the index of the element there; `None` for padding.
pub type Buffer = Vec<Option<Vec<i64>>>;

/// Parses the shape of an array.
pub fn array(text: &str) -> ArrayShape {
    let shape = hlo::read_shape(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    shape.as_array().expect("an array").clone()
}

/// Fills the buffer of an array whose dimensions are padded to `widths`.
pub fn fill(shape: &ArrayShape, widths: &[i64]) -> Buffer {
    let sizes = shape.sizes().expect("bounded");
    let order: Vec<usize> = shape.layout().minor_to_major().iter().rev().copied().collect();
    let mut dims: Vec<i64> = order.iter().map(|d| widths[*d]).collect();
    let mut buffer: Buffer = Vec::new();
    for physical in points(&dims) {
        let mut index = vec![0; sizes.len()];
        for (place, dimension) in order.iter().enumerate() {
            index[*dimension] = physical[place];
        }
        let inside = index.iter().zip(&sizes).all(|(i, size)| i < size);
        buffer.push(inside.then_some(index));
    }
    for tile in shape.layout().tiles() {
        (dims, buffer) = apply(&dims, buffer, tile.dimensions());
    }
    let alignment = shape.layout().tail_padding_alignment() as usize;
    while !buffer.len().is_multiple_of(alignment) {
        buffer.push(None);
    }
    buffer
}

fn apply(dims: &[i64], buffer: Buffer, tile: &[TileDimension]) -> (Vec<i64>, Buffer) {
    let mut dims = dims.to_vec();
    while dims.len() < tile.len() {
        dims.insert(0, 1);
    }
    let reached = dims.split_off(dims.len() - tile.len());
    let front = dims;
    // Combine: only the sizes change.
    let (mut combined, mut sizes, mut carried) = (Vec::new(), Vec::new(), 1);
    for (size, entry) in reached.iter().zip(tile) {
        carried *= size;
        if let TileDimension::Size(tile) = entry {
            combined.push(carried);
            sizes.push(*tile);
            carried = 1;
        }
    }
    // Pad to whole tiles.
    let up = |size: &i64, tile: &i64| (size + tile - 1) / tile * tile;
    let padded: Vec<i64> = combined.iter().zip(&sizes).map(|(s, t)| up(s, t)).collect();
    let old_dims = [front.clone(), combined].concat();
    let new_dims = [front.clone(), padded.clone()].concat();
    let mut wide = Vec::new();
    for point in points(&new_dims) {
        let inside = point.iter().zip(&old_dims).all(|(i, size)| i < size);
        wide.push(match inside {
            true => buffer[offset(&old_dims, &point)].clone(),
            false => None,
        });
    }
    // Split each dimension in two, and move all second parts after all first parts.
    let split: Vec<i64> = padded.iter().zip(&sizes).flat_map(|(p, t)| [p / t, *t]).collect();
    let split_dims = [front.clone(), split].concat();
    let firsts: Vec<i64> = padded.iter().zip(&sizes).map(|(p, t)| p / t).collect();
    let result_dims = [front.clone(), firsts, sizes.clone()].concat();
    let (n, k) = (front.len(), sizes.len());
    let mut result = Vec::new();
    for point in points(&result_dims) {
        let mut source = point[..n].to_vec();
        for pair in 0..k {
            source.extend([point[n + pair], point[n + k + pair]]);
        }
        result.push(wide[offset(&split_dims, &source)].clone());
    }
    (result_dims, result)
}

/// Returns all indices below `sizes`, the last varying fastest.
pub fn points(sizes: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for size in sizes {
        let extend = |point: &Vec<i64>| -> Vec<Vec<i64>> {
            (0..*size).map(|i| [point.as_slice(), &[i]].concat()).collect()
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}

fn offset(sizes: &[i64], point: &[i64]) -> usize {
    let step = |offset: i64, (size, index): (&i64, &i64)| offset * size + index;
    sizes.iter().zip(point).fold(0, step) as usize
}
