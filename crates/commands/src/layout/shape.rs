//! Parses shapes and CuTe layouts from arguments.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::clipped;
use crate::table::Call;
use affinor::text::ErrorKind;
use affinor_hlo as hlo;
use affinor_hlo::shape::Shape;
use affinor_layout::memory::Placement;

/// Returns whether this text is a CuTe layout, with or without strides: shapes have square brackets, CuTe layouts never do.
pub fn is_cute(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || " ,()_".contains(c);
    let is_shape = text.contains(|c: char| c.is_ascii_digit()) && text.chars().all(is_part);
    let is_python = text.starts_with("Layout(") || text.starts_with("ComposedLayout(");
    let has_strides = text.contains(':') && !text.contains('[') && !text.contains("->");
    has_strides || is_python || is_shape
}

/// Parses a shape.
///
/// # Errors
/// The errors of [`hlo::read_shape`].
pub fn read_shape(argument: &Argument) -> Result<Shape, Failure> {
    hlo::read_shape(&argument.text).map_err(|error| {
        if argument.text.trim_start().starts_with("memref") {
            let failure = argument.blame(error);
            return failure.hint("a memref is a map: `eval MEMREF 1,2` gives the position of (1, 2), `equal MEMREF ; MEMREF` compares");
        }
        let has_hint = error.hint.is_some();
        let failure = argument.blame(error);
        match has_hint {
            true => failure,
            false => failure.hint("write a shape as `f32[3,5]{1,0:T(2,2)}`"),
        }
    })
}

/// Computes the placement of the array in argument `index`.
///
/// # Errors
/// If it is not an array, or has no placement.
pub fn placed_array(call: &Call<'_>, index: usize) -> Result<Placement, Failure> {
    let argument = call.argument(index)?;
    match read_shape(argument)? {
        Shape::Array(array) | Shape::Buffer(array) => {
            Placement::new(&array).map_err(|error| argument.blame(error))
        }
        other => Err(argument
            .wrong(
                ErrorKind::Shape,
                format!("expected the shape of an array, found `{}`", clipped(&other.to_string())),
            )
            .hint("query each part of the tuple separately")),
    }
}
