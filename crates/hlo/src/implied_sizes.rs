//! Implied shapes whose sizes are computed: windows, contractions, slices, gathers.
//!
//! Law: as in `implied_shape`; row-major, except where a layout is permuted with its dimensions. A size is dynamic if the size of
//! the dimension it comes from is.

use super::access::DotDimensions;
use super::attribute::{SliceRange, WindowDimension};
use super::element_type::ElementType;
use super::implied_given::{Given, one_or_tuple, row_major, wider_float, with_layout};
use super::shape::{ArrayShape, Dimension, Shape};

/// Returns `dimension` with another size.
fn resized(dimension: Dimension, size: i64) -> Option<Dimension> {
    match dimension.is_dynamic() {
        true => Dimension::at_most(size),
        false => Dimension::fixed(size),
    }
}

/// Returns a row-major array of the element type of `array`.
fn like(array: &ArrayShape, dimensions: Vec<Dimension>) -> Option<Shape> {
    Some(Shape::Array(row_major(array.element_type(), dimensions)))
}

/// Returns an array of fixed sizes.
fn of_sizes(array: &ArrayShape, sizes: impl IntoIterator<Item = i64>) -> Option<Shape> {
    let dimensions = sizes.into_iter().map(Dimension::fixed);
    like(array, dimensions.collect::<Option<_>>()?)
}

pub(super) fn transposed(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let order = given.instruction.dimensions(array.rank()).ok()?;
    if order.len() != array.rank() {
        return None;
    }
    let dimensions = order.iter().map(|d| array.dimensions()[*d]).collect();
    let layout = array.layout().transposed(&order)?;
    with_layout(array.element_type(), dimensions, layout).map(Shape::Array)
}

pub(super) fn sliced(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0).filter(|array| !array.is_dynamic())?;
    let ranges = given.instruction.slice_ranges(array.rank()).ok()?;
    let size = |range: &SliceRange| {
        let length = range.limit.checked_sub(range.start)?;
        Some(length.checked_add(range.stride - 1)? / range.stride)
    };
    of_sizes(array, ranges.iter().map(size).collect::<Option<Vec<_>>>()?)
}

pub(super) fn dynamic_sliced(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let sizes = given.instruction.dynamic_slice_sizes(array.rank()).ok()?;
    of_sizes(array, sizes.iter().copied())
}

pub(super) fn padded(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let padding = given.instruction.padding(array.rank()).ok()?;
    let padded = array.dimensions().iter().zip(padding).map(|(dimension, padding)| {
        let size = dimension.size()?;
        let gaps = size.checked_sub(1)?.max(0).checked_mul(padding.interior)?;
        let inside = size.checked_add(gaps)?;
        resized(*dimension, inside.checked_add(padding.low)?.checked_add(padding.high)?)
    });
    let element_type = wider_float(array.element_type(), given.array(1)?.element_type())?;
    Some(Shape::Array(row_major(element_type, padded.collect::<Option<_>>()?)))
}

pub(super) fn reduced(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let reduced = given.instruction.dimensions(array.rank()).ok()?;
    let kept = array.dimensions().iter().enumerate();
    let kept = kept.filter(|(d, _)| !reduced.contains(d));
    each_folded(given, &kept.map(|(_, dimension)| *dimension).collect::<Vec<_>>())
}

pub(super) fn windowed(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let window = given.instruction.window(array.rank()).ok()?;
    let sizes = array.dimensions().iter().zip(window);
    let sizes =
        sizes.map(|(dimension, window)| resized(*dimension, windows(dimension.size()?, *window)?));
    each_folded(given, &sizes.collect::<Option<Vec<_>>>()?)
}

/// Infers the result of a reduction of the first half of the operands; the second half are the initial values. The element types
/// are those of the results of the reduction computation, if it is known.
fn each_folded(given: &Given<'_>, dimensions: &[Dimension]) -> Option<Shape> {
    let arrays = given.arrays()?;
    let (inputs, initial) = arrays.split_at(arrays.len() / 2);
    let combined = given.result_of("to_apply");
    let combined: Option<Vec<(Vec<usize>, &ArrayShape)>> = combined.map(Shape::arrays);
    let of_type = |(number, array): (usize, &&ArrayShape)| {
        let combined = combined.as_ref().and_then(|combined| combined.get(number));
        let array = combined.map_or(*array, |(_, combined)| *combined);
        like(array, dimensions.to_vec())
    };
    let shapes: Option<Vec<Shape>> = inputs.iter().enumerate().map(of_type).collect();
    (inputs.len() == initial.len()).then(|| one_or_tuple(shapes?))?
}

pub(super) fn concatenated(given: &Given<'_>) -> Option<Shape> {
    let arrays = given.arrays()?;
    let first = *arrays.first()?;
    let along = given.instruction.dimensions(first.rank()).ok()?;
    let [along] = along.as_slice() else {
        return None;
    };
    let (mut element_type, mut dimensions) = (first.element_type(), first.dimensions().to_vec());
    for array in &arrays[1..] {
        element_type = wider_float(element_type, array.element_type())?;
        let (own, more) = (dimensions[*along], *array.dimensions().get(*along)?);
        let size = own.size()?.checked_add(more.size()?)?;
        dimensions[*along] = match own.is_dynamic() || more.is_dynamic() {
            true => Dimension::at_most(size)?,
            false => Dimension::fixed(size)?,
        };
    }
    Some(Shape::Array(row_major(element_type, dimensions)))
}

/// Returns the number of windows that fit into a dimension of size `size`.
fn windows(size: i64, window: WindowDimension) -> Option<i64> {
    let dilated = |size: i64, dilation: i64| match size {
        0 => Some(0),
        size => (size - 1).checked_mul(dilation)?.checked_add(1),
    };
    let base = dilated(size, window.base_dilation)?;
    let padded = base.checked_add(window.padding_low)?.checked_add(window.padding_high)?;
    let taken = dilated(window.size, window.window_dilation)?;
    match padded.checked_sub(taken)? {
        rest if padded <= 0 || rest < 0 => Some(0),
        rest => Some(rest / window.stride + 1),
    }
}

/// Returns batch dimensions, then the non-contracted other dimensions of the left and of the right operand; without those
/// dimensions of the right operand that are in `left_out`.
fn product_of(
    lhs: &ArrayShape,
    rhs: &ArrayShape,
    numbers: &DotDimensions,
    left_out: &[usize],
) -> Vec<Dimension> {
    let free = |array: &ArrayShape, batch: &[usize], contracting: &[usize], left_out: &[usize]| {
        let dimensions = array.dimensions().iter().enumerate();
        let free = dimensions.filter(|(d, _)| ![batch, contracting, left_out].concat().contains(d));
        free.map(|(_, dimension)| *dimension).collect::<Vec<_>>()
    };
    let batch = numbers.lhs_batch.iter().map(|d| lhs.dimensions()[*d]);
    let mut dimensions: Vec<Dimension> = batch.collect();
    dimensions.extend(free(lhs, &numbers.lhs_batch, &numbers.lhs_contracting, &[]));
    dimensions.extend(free(rhs, &numbers.rhs_batch, &numbers.rhs_contracting, left_out));
    dimensions
}

pub(super) fn dot(given: &Given<'_>) -> Option<Shape> {
    let (lhs, rhs) = (given.array(0)?, given.array(1)?);
    let numbers = given.instruction.dot_dimensions(lhs.rank(), rhs.rank()).ok()?;
    let dimensions = product_of(lhs, rhs, &numbers, &[]);
    Some(Shape::Array(row_major(lhs.element_type().wider(rhs.element_type()), dimensions)))
}

/// Infers the shape of a ragged dot. If the ragged dimension of the left operand is contracted, there is a result for each group;
/// otherwise the group dimension of the right operand is dropped.
pub(super) fn ragged_dot(given: &Given<'_>) -> Option<Shape> {
    let (lhs, rhs, groups) = (given.array(0)?, given.array(1)?, given.array(2)?);
    let instruction = given.instruction;
    let numbers = instruction.dot_dimensions(lhs.rank(), rhs.rank()).ok()?;
    let ragged = instruction.optional_dimensions("lhs_ragged_dims", lhs.rank()).ok()?;
    let group = instruction.optional_dimensions("rhs_group_dims", rhs.rank()).ok()?;
    let mut dimensions = product_of(lhs, rhs, &numbers, &group);
    if ragged.iter().any(|d| numbers.lhs_contracting.contains(d)) {
        dimensions.insert(0, *groups.dimensions().last()?);
    }
    Some(Shape::Array(row_major(lhs.element_type().wider(rhs.element_type()), dimensions)))
}

pub(super) fn convolution(given: &Given<'_>) -> Option<Shape> {
    let (input, kernel) = (given.array(0)?, given.array(1)?);
    let instruction = given.instruction;
    let numbers = instruction.convolution_dimensions().ok()?;
    let window = instruction.window(numbers.output.spatial.len()).ok()?;
    let groups = instruction.group_count("batch_group_count").ok()?;
    let (from, kernels) = (input.dimensions(), kernel.dimensions());
    let mut dimensions = vec![Dimension::fixed(0)?; numbers.output.rank];
    let batch = *from.get(numbers.input.batch)?;
    *dimensions.get_mut(numbers.output.batch)? = resized(batch, batch.size()? / groups)?;
    *dimensions.get_mut(numbers.output.feature)? = *kernels.get(numbers.kernel.batch)?;
    let spatial = numbers.output.spatial.iter().zip(&numbers.input.spatial);
    for ((output, input), window) in spatial.zip(window) {
        let input = *from.get(*input)?;
        *dimensions.get_mut(*output)? = resized(input, windows(input.size()?, *window)?)?;
    }
    Some(Shape::Array(row_major(input.element_type().wider(kernel.element_type()), dimensions)))
}

/// Infers the shape of a gather: the batch dimensions of the indices, with the dimensions of a slice at the positions in
/// `offset_dims`.
pub(super) fn gathered(given: &Given<'_>) -> Option<Shape> {
    let (operand, indices) = (given.array(0)?, given.array(1)?);
    let instruction = given.instruction;
    let offsets = instruction.numbers("offset_dims").ok().flatten().unwrap_or_default();
    let vector = instruction.number("index_vector_dim").ok()??;
    let scalars = i64::try_from(indices.rank()) == Ok(vector);
    let rank = offsets.len() + indices.rank() - usize::from(!scalars && indices.rank() > 0);
    let numbers = instruction.gather_dimensions(operand.rank(), indices.rank(), rank).ok()?;
    let in_output =
        |d: &usize| !numbers.collapsed_slice.contains(d) && !numbers.operand_batching.contains(d);
    let mut slice =
        (0..operand.rank()).filter(in_output).map(|d| Dimension::fixed(numbers.slice_sizes[d]));
    let batch = (0..).zip(indices.dimensions()).filter(|(d, _)| *d != numbers.index_vector);
    let mut batch = batch.map(|(_, dimension)| Some(*dimension));
    let size = |d: usize| match numbers.offset.contains(&d) {
        true => slice.next()?,
        false => batch.next()?,
    };
    like(operand, (0..rank).map(size).collect::<Option<_>>()?)
}

/// Infers the shape of the `k` largest values along the last dimension, and of their indices.
pub(super) fn top(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let mut dimensions = array.dimensions().to_vec();
    *dimensions.last_mut()? = Dimension::fixed(given.instruction.number("k").ok()??)?;
    let values = like(array, dimensions.clone())?;
    let indices = Shape::Array(row_major(ElementType::S32, dimensions));
    Some(Shape::Tuple(vec![values, indices]))
}

/// Infers the shape of a transform. A real transform has half of the spectrum plus one; its inverse has the stated length.
pub(super) fn fft(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let instruction = given.instruction;
    let length = instruction.numbers("fft_length").ok()??;
    let length = *length.last()?;
    let (element_type, last) = match instruction.word("fft_type").ok()?? {
        "FFT" | "IFFT" => return Some(Shape::Array(array.clone())),
        "RFFT" => (array.element_type().complex()?, length / 2 + i64::from(length > 0)),
        "IRFFT" => (array.element_type().component(), length),
        _ => return None,
    };
    let mut dimensions = array.dimensions().to_vec();
    let dimension = dimensions.last_mut()?;
    *dimension = resized(*dimension, last)?;
    with_layout(element_type, dimensions, array.layout().clone()).map(Shape::Array)
}

/// Infers the shape of a broadcast as XLA's parser reads the attribute: the listed numbers are sizes of new dimensions before
/// those of the operand. They are also the positions of the operand's dimensions, which for an invalid broadcast contradicts the
/// map.
pub(super) fn broadcast(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let numbers = given.instruction.numbers("dimensions").ok()?;
    let new = numbers.unwrap_or_default().iter().copied().map(Dimension::fixed);
    let mut dimensions: Vec<Dimension> = new.collect::<Option<_>>()?;
    dimensions.extend(array.dimensions());
    like(array, dimensions)
}

fn along_features(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let feature = usize::try_from(given.instruction.number("feature_index").ok()??).ok()?;
    like(array, vec![*array.dimensions().get(feature)?])
}

/// Infers the result, and two values for each feature: mean and variance, or the gradients of scale and offset.
pub(super) fn batch_norm(given: &Given<'_>) -> Option<Shape> {
    let feature = along_features(given)?;
    Some(Shape::Tuple(vec![given.operand(0)?.clone(), feature.clone(), feature]))
}
