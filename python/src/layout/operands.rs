//! Python values that are accepted as layouts: a text, a shape and strides in tuples, a map, or an object with a shape and a
//! stride.
//!
//! Law: a tuple has the meaning of the text in which it would be written.

use super::Layout;
use super::form::Form;
use crate::errors::{about, wrong};
use crate::map::IndexMap;
use crate::trace::hinted;
use affinor::text::{self, ErrorKind};
use affinor_layout::cute::Tiler;
use affinor_layout::cute::named::{Condition, Conditional, NamedLayout, NamedTiler};
use affinor_layout::linear::LinearLayout;
use affinor_layout::linear::attribute::Encoding;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList, PyString, PyTuple};

/// The maximum nesting depth of tuples.
const DEEPEST: usize = 32;

/// The operand of an operation.
pub enum Operand {
    Tiler(Tiler),
    Named(NamedTiler, Vec<Condition>),
    Linear(LinearLayout),
}

/// Returns the form of a Python value that is accepted as a layout.
pub fn form(
    py: Python<'_>,
    given: &Bound<'_, PyAny>,
    stride: Option<&Bound<'_, PyAny>>,
) -> PyResult<Form> {
    if let Some(stride) = stride {
        return Form::read(&format!("{}:{}", written(given, 0)?, written(stride, 0)?));
    }
    if let Ok(layout) = given.cast::<Layout>() {
        return match &layout.get().form {
            Form::Named(found) => Ok(Form::Named(found.clone())),
            form => Form::read(&form.text()),
        };
    }
    if let Ok(map) = given.cast::<IndexMap>() {
        return super::algebra::of_map(py, &map.get().0);
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Form::read(&text.to_string());
    }
    if let Some((shape, stride)) = parts(given)? {
        return form(py, &shape, Some(&stride));
    }
    Form::read(&written(given, 0)?)
}

/// Returns the shape and the stride of a layout of another package, or of a tensor.
fn parts<'py>(
    given: &Bound<'py, PyAny>,
) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    if !given.hasattr("shape")? {
        return Ok(None);
    }
    if given.hasattr("strides")? && given.hasattr("itemsize")? {
        return Ok(Some((given.getattr("shape")?, in_elements(given)?)));
    }
    if !given.hasattr("stride")? {
        return Ok(None);
    }
    let stride = given.getattr("stride")?;
    let stride = if stride.is_callable() { stride.call0()? } else { stride };
    Ok(Some((given.getattr("shape")?, stride)))
}

/// Returns the strides of a NumPy array, which has them in bytes.
fn in_elements<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let size: i64 = array.getattr("itemsize")?.extract()?;
    let strides: Vec<i64> = array.getattr("strides")?.extract()?;
    let whole =
        strides.iter().map(|bytes| bytes.checked_div(size).filter(|it| it * size == *bytes));
    let Some(whole) = whole.collect::<Option<Vec<i64>>>() else {
        let message =
            format!("the strides {strides:?} are not multiples of the {size} bytes of an element");
        return Err(crate::errors::wrong(ErrorKind::Shape, message));
    };
    Ok(PyTuple::new(array.py(), whole)?.into_any())
}

/// Writes a shape or strides as text.
fn written(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<String> {
    let wrong = || {
        let kind = given.get_type();
        let message =
            format!("a shape has integers, names and tuples of them, no {}", kind.name()?);
        Ok::<PyErr, PyErr>(hinted(ErrorKind::Usage, message, "write `Layout((4, 8), (8, 1))`"))
    };
    let items: Vec<Bound<'_, PyAny>> = match (given.cast::<PyTuple>(), given.cast::<PyList>()) {
        (Ok(items), _) => items.iter().collect(),
        (_, Ok(items)) => items.iter().collect(),
        _ => {
            if let Ok(name) = given.cast::<PyString>() {
                let name = name.to_string();
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '*' | ' ');
                return if name.chars().all(is_part) { Ok(name) } else { Err(wrong()?) };
            }
            if given.cast::<PyBool>().is_ok() || !given.hasattr("__index__")? {
                return Err(wrong()?);
            }
            return Ok(given.call_method0("__index__")?.to_string());
        }
    };
    if depth == DEEPEST {
        let message = format!("tuples are nested more than {DEEPEST} deep");
        return Err(crate::errors::wrong(ErrorKind::TooLarge, message));
    }
    let items = items.iter().map(|item| written(item, depth + 1));
    Ok(format!("({})", items.collect::<PyResult<Vec<String>>>()?.join(",")))
}

/// Parses the second operand of an operation: a layout in any form, or a tiler, `(4, 8)` or `"<4:1,8:1>"`.
pub fn operand(py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Operand> {
    if let Ok(text) = given.cast::<PyString>() {
        let text = &*text.to_string();
        if !text.contains('[') && !Encoding::is_meant(text) {
            return match (Tiler::read(text), NamedTiler::read(text)) {
                (Ok(tiler), _) => Ok(Operand::Tiler(tiler)),
                (Err(_), Ok(tiler)) => Ok(Operand::Named(tiler, Vec::new())),
                (Err(error), Err(other)) => {
                    // The error at the later position comes from the reading that was more likely intended.
                    let end = |error: &text::Error| error.span.as_ref().map(|span| span.end);
                    let is_farther = end(&other) > end(&error);
                    Err(about(text, if is_farther { other } else { error }))
                }
            };
        }
    }
    if let Ok(items) = given.cast::<PyTuple>() {
        let modes = items.iter().map(|item| match item.is_none() {
            true => Ok(None),
            false => mode(py, &item).map(Some),
        });
        return of_modes(&modes.collect::<PyResult<Vec<Option<Form>>>>()?);
    }
    if let Ok(size) = given.cast::<PyInt>() {
        return whole(Form::read(&written(size, 0)?)?);
    }
    if let Ok(layout) = given.cast::<Layout>() {
        return of_form(&layout.get().form);
    }
    whole(form(py, given, None)?)
}

/// Parses the layout of one mode of a tiler.
fn mode(py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<Form> {
    if item.cast::<PyTuple>().is_ok() {
        let message = "the mode of a tiler needs strides here";
        return Err(hinted(ErrorKind::Syntax, message, "write `(4, Layout((2, 2), (1, 4)))`"));
    }
    form(py, item, None)
}

/// Returns a tiler of modes: with names, if any mode has names.
fn of_modes(modes: &[Option<Form>]) -> PyResult<Operand> {
    let has_names = |mode: &Option<Form>| matches!(mode, Some(Form::Named(_)));
    if !modes.iter().any(has_names) {
        let modes = modes.iter().map(|mode| mode.as_ref().map(Form::cute).transpose());
        return Ok(Operand::Tiler(Tiler::Modes(modes.collect::<PyResult<_>>()?)));
    }
    let conditions = modes.iter().flatten().flat_map(Form::conditions).cloned().collect();
    let modes = modes.iter().map(|mode| mode.as_ref().map(Form::named).transpose());
    Ok(Operand::Named(NamedTiler::Modes(modes.collect::<PyResult<_>>()?), conditions))
}

fn whole(form: Form) -> PyResult<Operand> {
    of_form(&form)
}

fn of_form(form: &Form) -> PyResult<Operand> {
    if let Form::Named(Conditional { layout, conditions, .. }) = form {
        return Ok(Operand::Named(layout.clone().into(), conditions.clone()));
    }
    Ok(match form.linear()? {
        Some(layout) => Operand::Linear(layout),
        None => Operand::Tiler(Tiler::Whole(form.cute()?)),
    })
}

/// Parses conditions on names: a single text, or several texts.
pub fn conditions(given: &Bound<'_, PyAny>) -> PyResult<Vec<Condition>> {
    let texts: Vec<String> = match given.cast::<PyString>() {
        Ok(text) => vec![text.to_string()],
        Err(_) => given.extract().map_err(|_| {
            let message = "conditions are a text or a sequence of texts";
            hinted(ErrorKind::Usage, message, "write `where=[\"8 divides n\", \"m >= 2\"]`")
        })?,
    };
    let read = |text: &String| Condition::read(text).map_err(|error| about(text, error));
    texts.iter().map(read).collect()
}

/// Parses the number of elements of a size: an integer, a shape, or, for a layout with names, a layout.
pub fn size(given: &Bound<'_, PyAny>) -> PyResult<NamedLayout> {
    let text = match given.cast::<PyString>() {
        Ok(text) => text.to_string(),
        Err(_) => written(given, 0)?,
    };
    NamedLayout::read(&text).map_err(|error| about(&text, error))
}

/// Parses the numbers and texts of a shape as nested tuples, in Python's notation.
pub fn tuples<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let mut open: Vec<Vec<Bound<'py, PyAny>>> = vec![Vec::new()];
    let mut word = String::new();
    let internal = || wrong(ErrorKind::Internal, "the brackets of a shape do not match");
    for next in text.chars() {
        if !matches!(next, '(' | ')' | ',') {
            word.push(next);
            continue;
        }
        if !word.is_empty() {
            let found = leaf(py, &std::mem::take(&mut word))?;
            open.last_mut().ok_or_else(internal)?.push(found);
        }
        match next {
            '(' => open.push(Vec::new()),
            ')' => {
                let items = open.pop().ok_or_else(internal)?;
                let tuple = PyTuple::new(py, items)?.into_any();
                open.last_mut().ok_or_else(internal)?.push(tuple);
            }
            _ => {}
        }
    }
    match open.pop().and_then(|mut items| items.pop()) {
        Some(found) if word.is_empty() => Ok(found),
        _ => leaf(py, &word),
    }
}

/// Returns an integer if the word is one, and a text otherwise.
pub fn leaf<'py>(py: Python<'py>, word: &str) -> PyResult<Bound<'py, PyAny>> {
    match word.parse::<i64>() {
        Ok(number) => Ok(number.into_pyobject(py)?.into_any()),
        Err(_) => Ok(PyString::new(py, word).into_any()),
    }
}
