//! Infers shapes that a snippet omits, where the operation determines them.
//!
//! Law: every valid program with these operands (or this result) and attributes has the inferred shape, up to its
//! layout, which is row-major or that of the shape it follows. Ambiguous shapes are not guessed. Nothing is promised
//! for invalid programs: the index maps report the error. The element type is that of the operands, which a dot or a
//! convolution could widen: then the text has to state it. Source: XLA, *Operation semantics*.

use super::attribute::{SliceRange, WindowDimension};
use super::module::Instruction;
use super::opcode::Opcode;
use super::opcode_table::opcode_table;
use super::shape::{ArrayShape, Dimension, Shape};
use Rule::{By, Part, Same};

/// How to infer the shape of a result.
enum Rule {
    /// The result and all operands have one shape and element type.
    Same,
    /// It is the part of its operand that its attribute says.
    Part,
    /// From attributes and operands, which are arrays of fixed sizes, at least one.
    By(fn(&Instruction, &[&ArrayShape]) -> Option<Shape>),
}

macro_rules! rules {
    (($op:ident, $callee:ident) $($variant:ident = $name:literal, $count:expr, $map:expr, $definition:expr
        $(, shape $shape:expr)? $(, values $values:ident)? $(, typed $typed:expr)?;)*) => {
        /// The rule of an operation; without one, the text must state the shape.
        fn rule(opcode: &Opcode) -> Option<Rule> {
            match opcode {
                $($(Opcode::$variant => Some($shape),)?)*
                _ => None,
            }
        }
    };
}

opcode_table!(rules);

/// Infers the shape of the result of `instruction` on `operands`; ignores the instruction's own shape.
pub(super) fn of_result(instruction: &Instruction, operands: &[&Shape]) -> Option<Shape> {
    let first = *operands.first()?;
    match rule(instruction.opcode())? {
        Same => {
            let agree = operands.iter().all(|shape| shape.is_compatible(first));
            agree.then(|| first.clone())
        }
        Part => first.at(&[instruction.tuple_index().ok()?]).cloned(),
        By(rule) => {
            let arrays = operands.iter().map(|shape| shape.as_array());
            let arrays: Vec<&ArrayShape> = arrays.collect::<Option<_>>()?;
            let is_fixed = !arrays.iter().any(|array| array.is_dynamic());
            is_fixed.then(|| rule(instruction, &arrays))?
        }
    }
}

/// Infers the shape of an operand of an operation with result `result`.
pub(super) fn of_operand(opcode: &Opcode, result: &Shape) -> Option<Shape> {
    matches!(rule(opcode), Some(Same)).then(|| result.clone())
}

fn first(_: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    Some(Shape::Array(arrays[0].clone()))
}

fn second(_: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    Some(Shape::Array((*arrays.get(1)?).clone()))
}

fn each(_: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let shapes = arrays.iter().map(|array| Shape::Array((*array).clone()));
    one_or_tuple(shapes.collect())
}

fn scattered(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    (arrays.len() == 3).then(|| first(instruction, arrays))?
}

fn transposed(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let first = arrays[0];
    let dimensions = instruction.dimensions(first.rank()).ok()?;
    let sizes = first.sizes()?;
    let sizes = dimensions.iter().map(|d| sizes[*d]).collect();
    (dimensions.len() == first.rank()).then(|| like(first, sizes))?
}

fn sliced(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let ranges = instruction.slice_ranges(arrays[0].rank()).ok()?;
    let size = |range: &SliceRange| {
        let length = range.limit.checked_sub(range.start)?;
        Some(length.checked_add(range.stride - 1)? / range.stride)
    };
    like(arrays[0], ranges.iter().map(size).collect::<Option<_>>()?)
}

fn dynamic_sliced(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let sizes = instruction.dynamic_slice_sizes(arrays[0].rank()).ok()?;
    like(arrays[0], sizes.to_vec())
}

fn padded(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let padding = instruction.padding(arrays[0].rank()).ok()?;
    let sizes = arrays[0].sizes()?;
    let padded = sizes.iter().zip(padding).map(|(size, padding)| {
        let gaps = size.checked_sub(1)?.max(0).checked_mul(padding.interior)?;
        let inside = size.checked_add(gaps)?;
        inside.checked_add(padding.low)?.checked_add(padding.high)
    });
    like(arrays[0], padded.collect::<Option<_>>()?)
}

fn reduced(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let (rank, sizes) = (arrays[0].rank(), arrays[0].sizes()?);
    let reduced = instruction.dimensions(rank).ok()?;
    let kept = (0..rank).filter(|d| !reduced.contains(d));
    each_folded(arrays, &kept.map(|d| sizes[d]).collect::<Vec<_>>())
}

fn windowed(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let window = instruction.window(arrays[0].rank()).ok()?;
    let sizes = arrays[0].sizes()?;
    let sizes = sizes.iter().zip(window);
    let sizes = sizes.map(|(size, window)| windows(*size, *window));
    each_folded(arrays, &sizes.collect::<Option<Vec<_>>>()?)
}

/// An array of the element type of `array`, row-major.
fn like(array: &ArrayShape, sizes: Vec<i64>) -> Option<Shape> {
    let dimensions: Option<Vec<Dimension>> = sizes.into_iter().map(Dimension::fixed).collect();
    Some(Shape::Array(ArrayShape::new(
        array.element_type(),
        dimensions?,
    )))
}

/// A single shape by itself, several as a tuple.
fn one_or_tuple(mut shapes: Vec<Shape>) -> Option<Shape> {
    match shapes.len() {
        0 => None,
        1 => shapes.pop(),
        _ => Some(Shape::Tuple(shapes)),
    }
}

/// What a fold of the first half of the operands gives; the second half are its initial values.
fn each_folded(arrays: &[&ArrayShape], sizes: &[i64]) -> Option<Shape> {
    let (inputs, initial) = arrays.split_at(arrays.len() / 2);
    let shapes: Option<Vec<Shape>> = inputs
        .iter()
        .map(|array| like(array, sizes.to_vec()))
        .collect();
    (inputs.len() == initial.len()).then(|| one_or_tuple(shapes?))?
}

fn concatenated(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let first = arrays[0];
    let dimensions = instruction.dimensions(first.rank()).ok()?;
    let [dimension] = dimensions.as_slice() else {
        return None;
    };
    let mut sizes = first.sizes()?;
    for array in arrays.iter().skip(1) {
        let more = array.sizes()?;
        sizes[*dimension] = sizes[*dimension].checked_add(*more.get(*dimension)?)?;
    }
    like(first, sizes)
}

/// How many windows fit into a dimension of size `size`.
fn windows(size: i64, window: WindowDimension) -> Option<i64> {
    let dilated = |size: i64, dilation: i64| match size {
        0 => Some(0),
        size => (size - 1).checked_mul(dilation)?.checked_add(1),
    };
    let base = dilated(size, window.base_dilation)?;
    let padded = base
        .checked_add(window.padding_low)?
        .checked_add(window.padding_high)?;
    let taken = dilated(window.size, window.window_dilation)?;
    match padded.checked_sub(taken)? {
        rest if padded <= 0 || rest < 0 => Some(0),
        rest => Some(rest / window.stride + 1),
    }
}

/// Batch dimensions, then the other dimensions of the left and of the right operand that are not contracted.
fn dot(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let [lhs, rhs] = arrays else {
        return None;
    };
    let numbers = instruction.dot_dimensions(lhs.rank(), rhs.rank()).ok()?;
    let (lhs_sizes, rhs_sizes) = (lhs.sizes()?, rhs.sizes()?);
    let free = |sizes: &[i64], batch: &[usize], contracting: &[usize]| -> Vec<i64> {
        let taken = |d: &usize| batch.contains(d) || contracting.contains(d);
        let free = (0..sizes.len()).filter(|d| !taken(d));
        free.map(|d| sizes[d]).collect()
    };
    let mut sizes: Vec<i64> = numbers.lhs_batch.iter().map(|d| lhs_sizes[*d]).collect();
    sizes.extend(free(
        &lhs_sizes,
        &numbers.lhs_batch,
        &numbers.lhs_contracting,
    ));
    sizes.extend(free(
        &rhs_sizes,
        &numbers.rhs_batch,
        &numbers.rhs_contracting,
    ));
    (lhs.element_type() == rhs.element_type()).then(|| like(lhs, sizes))?
}

fn convolution(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let (input, kernel) = (arrays[0], arrays.get(1)?);
    let numbers = instruction.convolution_dimensions().ok()?;
    let window = instruction.window(numbers.output.spatial.len()).ok()?;
    let groups = instruction.group_count("batch_group_count").ok()?;
    let (input_sizes, kernel_sizes) = (input.sizes()?, kernel.sizes()?);
    let mut sizes = vec![0; numbers.output.rank];
    *sizes.get_mut(numbers.output.batch)? = input_sizes.get(numbers.input.batch)? / groups.max(1);
    *sizes.get_mut(numbers.output.feature)? = *kernel_sizes.get(numbers.kernel.batch)?;
    let spatial = numbers.output.spatial.iter().zip(&numbers.input.spatial);
    for ((output, input), window) in spatial.zip(window) {
        *sizes.get_mut(*output)? = windows(*input_sizes.get(*input)?, *window)?;
    }
    (input.element_type() == kernel.element_type()).then(|| like(input, sizes))?
}

/// The batch dimensions of the indices, with the dimensions of a slice at the places that `offset_dims` says.
fn gathered(instruction: &Instruction, arrays: &[&ArrayShape]) -> Option<Shape> {
    let (operand, indices) = (arrays[0], arrays.get(1)?);
    let offsets = instruction
        .numbers("offset_dims")
        .ok()
        .flatten()
        .unwrap_or_default();
    let vector = instruction.number("index_vector_dim").ok()??;
    let scalars = i64::try_from(indices.rank()) == Ok(vector);
    let rank = offsets.len() + indices.rank() - usize::from(!scalars && indices.rank() > 0);
    let numbers = instruction
        .gather_dimensions(operand.rank(), indices.rank(), rank)
        .ok()?;
    let in_output =
        |d: &usize| !numbers.collapsed_slice.contains(d) && !numbers.operand_batching.contains(d);
    let mut slice = (0..operand.rank())
        .filter(in_output)
        .map(|d| numbers.slice_sizes[d]);
    let batch = (0..)
        .zip(indices.sizes()?)
        .filter(|(d, _)| *d != numbers.index_vector);
    let mut batch = batch.map(|(_, size)| size);
    let size = |d: usize| match numbers.offset.contains(&d) {
        true => slice.next(),
        false => batch.next(),
    };
    like(operand, (0..rank).map(size).collect::<Option<_>>()?)
}
