//! NumPy's functions of the values in a traced function, which Python answers.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Returns the value of an elementwise function of NumPy.
pub fn ufunc<'py>(
    function: &Bound<'py, PyAny>,
    method: &str,
    inputs: &Bound<'py, PyTuple>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let module = function.py().import("affinor._numpy")?;
    module.call_method1("of_ufunc", (function, method, inputs, options))
}

/// Returns the value of another function of NumPy.
pub fn array_function<'py>(
    function: &Bound<'py, PyAny>,
    inputs: &Bound<'py, PyTuple>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let module = function.py().import("affinor._numpy")?;
    module.call_method1("apply", (function, inputs, options))
}
