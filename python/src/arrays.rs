//! The results of a map at integers, and at NumPy arrays.

use crate::errors::{values, wrong};
use crate::work::run;
use affinor::expr::IndexingMap;
use affinor::num::{Fuel, Interrupt};
use affinor::prove::{self, NoValues};
use affinor::text::{ErrorKind, Style, print_expr, print_interval, variable_names};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyTuple};

/// Implements `IndexMap.__call__`.
pub fn results<'py>(
    map: &IndexingMap,
    values: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = values.py();
    let ordered = named.map(|named| ordered(map, values, named)).transpose()?;
    let values = ordered.as_ref().unwrap_or(values);
    arity(map, values.len())?;
    let point: PyResult<Vec<i64>> = values.iter().map(|value| value.extract()).collect();
    let point = match point {
        Ok(point) => point,
        Err(no_integers) => match py.import("numpy") {
            Ok(numpy) => return at_arrays(map, &numpy, values),
            Err(_) => return Err(no_integers),
        },
    };
    let columns: Vec<&[i64]> = point.iter().map(std::slice::from_ref).collect();
    let fuel = Fuel::new(u64::MAX, &Interrupt::new());
    let found = prove::values(map, &columns, 1, &fuel);
    let found = found.map_err(|error| no_values(map, &columns, error, false))?;
    PyTuple::new(py, found.concat())
}

/// Returns the values in the order of the variables; those without a name come first.
fn ordered<'py>(
    map: &IndexingMap,
    values: &Bound<'py, PyTuple>,
    named: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyTuple>> {
    let names = variable_names(map.domain());
    let rest = names.get(values.len()..).unwrap_or_default();
    let mut all: Vec<Bound<PyAny>> = values.iter().collect();
    for name in rest {
        all.extend(named.get_item(&**name)?);
    }
    for (name, _) in named {
        let name: String = name.extract()?;
        if !rest.iter().any(|other| **other == *name) {
            let given = names.iter().any(|other| **other == *name);
            let message = match given {
                true => format!("`{name}` is given by place and by name"),
                false => format!("the map has no variable `{name}`: it has {}", names.join(", ")),
            };
            return Err(wrong(ErrorKind::Name, message));
        }
    }
    PyTuple::new(values.py(), all)
}

/// Returns the exception for a point without results, with the reason.
fn no_values(map: &IndexingMap, columns: &[&[i64]], error: NoValues, is_one_of: bool) -> PyErr {
    let NoValues::Outside(number) = error else {
        return values(error);
    };
    let point: Vec<i64> = columns.iter().filter_map(|column| column.get(number).copied()).collect();
    let which = if is_one_of { format!("point {number}") } else { "the point".to_owned() };
    let why = outside(map, &point).map(|why| format!(": {why}")).unwrap_or_default();
    wrong(ErrorKind::Domain, format!("{which} is not in the domain{why}"))
}

/// Describes the bounds that a point violates.
fn outside(map: &IndexingMap, point: &[i64]) -> Option<String> {
    let domain = map.domain();
    let names = variable_names(domain);
    let mut bounds = names.iter().zip(point).zip(domain.intervals());
    if let Some(((name, value), bounds)) =
        bounds.find(|((_, value), bounds)| !bounds.contains(**value))
    {
        return Some(format!("{name} = {value} is not in {}", print_interval(bounds)));
    }
    let values = domain.constraints().iter().map(|it| (it, it.expr.eval(point).ok()));
    let mut broken =
        values.filter(|(it, value)| !value.is_some_and(|value| it.bounds.contains(value)));
    let (constraint, value) = broken.next()?;
    let text = print_expr(&constraint.expr, &names, Style::Plain);
    let bounds = print_interval(constraint.bounds);
    let point: Vec<String> =
        names.iter().zip(point).map(|(name, at)| format!("{name} = {at}")).collect();
    Some(format!("at {}, `{text}` is {} and not in {bounds}", point.join(", "), value?))
}

fn arity(map: &IndexingMap, given: usize) -> PyResult<()> {
    let names = variable_names(map.domain());
    match names.len() == given {
        true => Ok(()),
        false => Err(wrong(
            ErrorKind::Arity,
            format!("{given} values for {} variables: {}", names.len(), names.join(", ")),
        )),
    }
}

/// Returns the results at arrays of values, broadcast by NumPy's rules.
fn at_arrays<'py>(
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
    let columns: Vec<&[i64]> = columns.iter().map(Vec::as_slice).collect();
    let found = found.map_err(|error| no_values(map, &columns, error, true))?;
    let results = found.into_iter().map(|bytes| {
        let flat = numpy.call_method1("frombuffer", (PyByteArray::new(py, &bytes), &int64))?;
        flat.call_method1("reshape", (&shape,))
    });
    PyTuple::new(py, results.collect::<PyResult<Vec<_>>>()?)
}
