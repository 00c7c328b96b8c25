//! The representation of a layout by `repr` and in pickles.
//!
//! Law: a representation creates the same layout again, with its conditions.

use super::form::Form;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// Dimensions of bits by name: the bases of each, or the number of its bits.
pub type Dimensions<B> = Vec<(String, B)>;

/// Returns the conditions as texts.
pub fn conditions<'py>(py: Python<'py>, form: &Form) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, form.conditions().iter().map(ToString::to_string))
}

pub fn repr(py: Python<'_>, form: &Form) -> PyResult<String> {
    let text = form.text();
    if let Form::Bits(_) = form {
        return Ok(format!("<Layout {text}>"));
    }
    let text = PyString::new(py, &text).repr()?;
    let conditions = conditions(py, form)?;
    Ok(match conditions.is_empty() {
        true => format!("Layout({text})"),
        false => format!("Layout({text}, where={})", conditions.repr()?),
    })
}

/// Returns the parts of a layout, and the method of the class that rebuilds it from them; None if the class itself does.
pub fn parts<'py>(
    py: Python<'py>,
    form: &Form,
) -> PyResult<(Option<&'static str>, Bound<'py, PyTuple>)> {
    Ok(match form {
        Form::Named(found) => {
            let parts = (form.text(), conditions(py, form)?, found.otherwise.as_deref());
            (Some("_of_named"), parts.into_pyobject(py)?)
        }
        Form::Bits(layout) => {
            let inputs = layout.inputs().iter().map(|it| (it.name.clone(), it.bases.clone()));
            let outputs = layout.outputs().iter().map(|it| (it.name.clone(), it.bits));
            let parts: (Dimensions<Vec<u64>>, Dimensions<u32>) =
                (inputs.collect(), outputs.collect());
            (Some("_of_bits"), parts.into_pyobject(py)?)
        }
        _ => (None, PyTuple::new(py, [form.text()])?),
    })
}
