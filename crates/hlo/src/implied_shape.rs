//! Infers shapes that the text omits, if the operation determines them.
//!
//! Law: the inferred shape is the one that XLA infers. Every valid program with these operands (or this result), attributes and
//! computations has it, up to its layout and up to the element type of a dot or a convolution that widens; only for a broadcast,
//! whose sizes are a choice, XLA's choice is taken. Other ambiguous shapes are not guessed. Nothing is promised for invalid
//! programs: the index maps report the error.
//! Source: XLA, *Operation semantics*, and the output of `hlo_parser.cc` for texts without shapes.

use super::element_type::ElementType;
pub(super) use super::implied_given::Given;
use super::implied_given::{one_or_tuple, retyped, row_major, wider_float, with_layout};
use super::implied_sizes::{
    batch_norm, broadcast, concatenated, convolution, dot, dynamic_sliced, fft, gathered, padded,
    ragged_dot, reduced, sliced, top, transposed, windowed,
};
use super::opcode::Opcode;
use super::opcode_table::opcode_table;
use super::shape::{ArrayShape, Dimension, Shape};
use Rule::{By, Same};

/// The way to infer the shape of a result.
enum Rule {
    /// The result and all operands have one shape and element type.
    Same,
    /// The shape follows from operands, attributes and computations.
    By(fn(&Given<'_>) -> Option<Shape>),
}

macro_rules! rules {
    (($op:ident, $callee:ident) $($variant:ident = $name:literal, $count:expr, $map:expr, $definition:expr
        $(, shape $shape:expr)? $(, values $values:ident)? $(, typed $typed:expr)?;)*) => {
        /// Returns the rule of an operation; `None` if the text must state the shape.
        fn rule(opcode: &Opcode) -> Option<Rule> {
            match opcode {
                $($(Opcode::$variant => Some($shape),)?)*
                _ => None,
            }
        }
    };
}

opcode_table!(rules);

/// Infers the shape of the result.
pub(super) fn of_result(given: &Given<'_>) -> Option<Shape> {
    match rule(given.instruction.opcode())? {
        Same => match given.operands[..] {
            [operand] => Some(operand.clone()),
            _ => common(given).map(Shape::Array),
        },
        By(rule) => rule(given),
    }
}

/// Infers the shape of an operand of an operation with result `result`.
pub(super) fn of_operand(opcode: &Opcode, result: &Shape) -> Option<Shape> {
    matches!(rule(opcode), Some(Same)).then(|| result.clone())
}

/// Returns the common shape of all operands: with the layout of the first, the wider of two floating-point types, and dynamic if
/// any operand is. XLA broadcasts scalars and dimensions of size 1, which makes an invalid program, in row-major order.
fn common(given: &Given<'_>) -> Option<ArrayShape> {
    let arrays = given.arrays()?;
    let (first, rest) = arrays.split_first()?;
    let mut common = (*first).clone();
    for array in rest {
        let element_type = wider_float(common.element_type(), array.element_type())?;
        common = match (common.rank(), array.rank()) {
            (0, rank) if rank > 0 => row_major(element_type, array.dimensions().to_vec()),
            (rank, 0) if rank > 0 => row_major(element_type, common.dimensions().to_vec()),
            (lhs, rhs) if lhs == rhs => {
                let sides = common.dimensions().iter().zip(array.dimensions());
                let dimensions = sides.map(|(lhs, rhs)| met(*lhs, *rhs));
                let dimensions: Vec<Dimension> = dimensions.collect::<Option<_>>()?;
                match array.sizes() == common.sizes() {
                    true => with_layout(element_type, dimensions, common.layout().clone())?,
                    false => row_major(element_type, dimensions),
                }
            }
            _ => return None,
        };
    }
    Some(common)
}

fn met(lhs: Dimension, rhs: Dimension) -> Option<Dimension> {
    let (lhs_size, rhs_size) = (lhs.size()?, rhs.size()?);
    let size = match (lhs_size, rhs_size) {
        (lhs, rhs) if lhs == rhs => lhs,
        (1, other) | (other, 1) => other,
        _ => return None,
    };
    match lhs.is_dynamic() || rhs.is_dynamic() {
        true => Dimension::at_most(size),
        false => Dimension::fixed(size),
    }
}

fn first(given: &Given<'_>) -> Option<Shape> {
    given.operand(0).cloned()
}

fn second(given: &Given<'_>) -> Option<Shape> {
    given.operand(1).cloned()
}

fn each(given: &Given<'_>) -> Option<Shape> {
    one_or_tuple(given.operands.iter().copied().cloned().collect())
}

fn tuple(given: &Given<'_>) -> Option<Shape> {
    let parts = given.operands.iter().copied().cloned();
    Some(Shape::Tuple(parts.collect()))
}

fn part(given: &Given<'_>) -> Option<Shape> {
    let index = given.instruction.tuple_index().ok()?;
    given.operand(0)?.at(&[index]).cloned()
}

fn token(_: &Given<'_>) -> Option<Shape> {
    Some(Shape::Token)
}

fn number_of_device(_: &Given<'_>) -> Option<Shape> {
    Some(Shape::Array(row_major(ElementType::U32, Vec::new())))
}

fn dimension_size(_: &Given<'_>) -> Option<Shape> {
    Some(Shape::Array(row_major(ElementType::S32, Vec::new())))
}

fn of_unknown_size(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let along = given.instruction.dimensions(array.rank()).ok()?;
    let mut dimensions = array.dimensions().to_vec();
    let dimension = dimensions.get_mut(*along.first()?)?;
    *dimension = dimension.size().map_or(Some(Dimension::UNBOUNDED), Dimension::at_most)?;
    let array = with_layout(array.element_type(), dimensions, array.layout().clone())?;
    Some(Shape::Array(array))
}

fn truth(given: &Given<'_>) -> Option<Shape> {
    retyped(&common(given)?, ElementType::Pred)
}

fn complex(given: &Given<'_>) -> Option<Shape> {
    let parts = common(given)?;
    retyped(&parts, parts.element_type().complex()?)
}

/// Infers the shape of a real part, an imaginary part or a magnitude.
fn component(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    retyped(array, array.element_type().component())
}

/// Infers the shape of a selection, which has the layout of its predicate if that is an array.
fn selected(given: &Given<'_>) -> Option<Shape> {
    let (choice, on_true) = (given.array(0)?, given.operand(1)?);
    let Some(array) = on_true.as_array().filter(|_| choice.rank() > 0) else {
        return Some(on_true.clone());
    };
    let sides = choice.dimensions().iter().zip(array.dimensions());
    let dimensions = sides.map(|(choice, own)| met(*choice, *own));
    let dimensions = dimensions.collect::<Option<_>>()?;
    with_layout(array.element_type(), dimensions, choice.layout().clone()).map(Shape::Array)
}

fn scattered(given: &Given<'_>) -> Option<Shape> {
    let operands = given.operands.get(..given.operands.len() / 2)?;
    let is_odd = given.operands.len() % 2 == 1;
    is_odd.then(|| one_or_tuple(operands.iter().copied().cloned().collect()))?
}

fn called(given: &Given<'_>) -> Option<Shape> {
    given.result_of("to_apply").cloned()
}

fn of_branch(given: &Given<'_>) -> Option<Shape> {
    let attributes = given.instruction.attributes();
    given.result(attributes.computations().next()?).cloned()
}

fn mapped(given: &Given<'_>) -> Option<Shape> {
    let dimensions = given.array(0)?.dimensions().to_vec();
    let element_type = given.result_of("to_apply")?.as_array()?.element_type();
    Some(Shape::Array(row_major(element_type, dimensions)))
}

/// Infers the shape of a scan: each step's results along the scanned dimension, and the last carries.
fn scanned(given: &Given<'_>) -> Option<Shape> {
    let array = given.array(0)?;
    let along = given.instruction.dimensions(array.rank()).ok()?;
    let along = *along.first()?;
    let carries = usize::try_from(given.instruction.number("num_carries").ok()??).ok()?;
    let size = *array.dimensions().get(along)?;
    let over_all = |step: &Shape| -> Option<Shape> {
        let step = step.as_array()?;
        let mut dimensions = step.dimensions().to_vec();
        (along <= dimensions.len()).then(|| dimensions.insert(along, size))?;
        Some(Shape::Array(row_major(step.element_type(), dimensions)))
    };
    let step = given.result_of("to_apply")?;
    let Some(parts) = step.as_tuple() else {
        return if carries > 0 { Some(step.clone()) } else { over_all(step) };
    };
    let outputs = parts.len().checked_sub(carries)?;
    let parts = parts
        .iter()
        .enumerate()
        .map(|(number, part)| if number < outputs { over_all(part) } else { Some(part.clone()) });
    Some(Shape::Tuple(parts.collect::<Option<_>>()?))
}
