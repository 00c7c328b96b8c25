//! The places that hold an element of a tensor in a layout of threads.

use super::form::Form;
use crate::errors::wrong;
use crate::trace::hinted;
use affinor::text::ErrorKind;
use affinor_layout::linear::attribute::Encoding;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The maximum number of places that are listed for an element.
const MOST_PLACES: usize = 1 << 16;

/// Implements `Layout.holders`.
pub fn holders<'py>(
    py: Python<'py>,
    form: &Form,
    index: &[i64],
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let (Form::Attribute(Encoding::Threads(layout), _) | Form::Bits(layout)) = form else {
        let message = "only a layout of threads has holders of an element";
        return Err(wrong(ErrorKind::Unsupported, message));
    };
    let coordinates: Option<Vec<u64>> =
        index.iter().map(|coordinate| u64::try_from(*coordinate).ok()).collect();
    let element = coordinates.and_then(|coordinates| layout.element(&coordinates).ok());
    let element = element.ok_or_else(|| {
        let message = format!("{index:?} is not an index of the tensor");
        hinted(ErrorKind::Shape, message, &format!("its sizes are {:?}", layout.shape()))
    })?;
    let Some((first, free)) = layout.holders(element) else {
        return Ok(Vec::new());
    };
    let many = 1_usize.checked_shl(free.len() as u32).filter(|many| *many <= MOST_PLACES);
    let many = many.ok_or_else(|| {
        let message = format!("more than {MOST_PLACES} places hold the element");
        wrong(ErrorKind::TooLarge, message)
    })?;
    let place = |choice: usize| {
        let chosen = free.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1);
        let input = chosen.fold(first, |input, (_, mask)| input ^ mask);
        let dict = PyDict::new(py);
        for (input, index) in layout.inputs().iter().zip(layout.indices(input)) {
            dict.set_item(&input.name, index)?;
        }
        Ok(dict)
    };
    (0..many).map(place).collect()
}
