//! Values of a map over arrays of NumPy.

use crate::errors::values;
use crate::work::run;
use affinor::expr::IndexingMap;
use affinor::num::Fuel;
use affinor::prove;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyTuple};

/// The results at arrays of values, by NumPy's rules of broadcasting.
pub fn at_arrays<'py>(
    map: &IndexingMap,
    numpy: &Bound<'py, PyModule>,
    given: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = numpy.py();
    let int64 = numpy.getattr("int64")?;
    let safely = PyDict::new(py);
    safely.set_item("casting", "safe")?;
    let mut arrays = Vec::with_capacity(given.len());
    for values in given {
        let array = numpy.call_method1("asarray", (values,))?;
        arrays.push(array.call_method("astype", (&int64,), Some(&safely))?);
    }
    let arrays = numpy.call_method1("broadcast_arrays", PyTuple::new(py, arrays)?)?;
    let arrays: Vec<Bound<PyAny>> = arrays.extract()?;
    let shape = arrays.first().map(|array| array.getattr("shape")).transpose()?;
    let mut columns: Vec<Vec<i64>> = Vec::with_capacity(arrays.len());
    for array in &arrays {
        let bytes = array.call_method0("tobytes")?;
        let (numbers, _) = bytes.cast::<PyBytes>()?.as_bytes().as_chunks();
        columns.push(numbers.iter().map(|number| i64::from_ne_bytes(*number)).collect());
    }
    let found = run(py, |interrupt| {
        let columns: Vec<&[i64]> = columns.iter().map(Vec::as_slice).collect();
        let count = columns.first().map_or(1, |column| column.len());
        let fuel = Fuel::new(u64::MAX, interrupt);
        let found = prove::values(map, &columns, count, &fuel)?;
        let bytes =
            |column: &Vec<i64>| column.iter().flat_map(|number| number.to_ne_bytes()).collect();
        Ok(found.iter().map(bytes).collect::<Vec<Vec<u8>>>())
    })?;
    let results = found.map_err(values)?.into_iter().map(|bytes| {
        let flat = numpy.call_method1("frombuffer", (PyByteArray::new(py, &bytes), &int64))?;
        flat.call_method1("reshape", (&shape,))
    });
    PyTuple::new(py, results.collect::<PyResult<Vec<_>>>()?)
}
