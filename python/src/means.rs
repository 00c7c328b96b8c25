//! The resources for computing answers, and the conversion of answers to Python.

use crate::errors::{about, wrong};
use affinor::num::Interrupt;
use affinor::prove::Budget;
use affinor::simplify::{Effort, Options, Simplifier};
use affinor::text::{self, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use std::sync::OnceLock;

/// Returns the simplifier with the shipped rules.
pub fn simplifier() -> PyResult<&'static Simplifier> {
    static SHIPPED: OnceLock<Result<Simplifier, text::Error>> = OnceLock::new();
    let compiled = SHIPPED.get_or_init(Simplifier::shipped);
    compiled.as_ref().map_err(|error| about("", error.clone()))
}

/// Converts `effort` as the program does.
pub fn effort(number: i64) -> PyResult<Effort> {
    match number {
        0 => Ok(Effort::Strategy),
        1 => Ok(Effort::Bounded),
        2 => Ok(Effort::Long),
        _ => Err(wrong(ErrorKind::Usage, format!("effort is 0, 1 or 2, not {number}"))),
    }
}

pub fn options(effort: Effort, interrupt: &Interrupt) -> Options {
    Options { interrupt: interrupt.clone(), effort, ..Options::default() }
}

pub fn budget(interrupt: &Interrupt) -> Budget {
    Budget { interrupt: Some(interrupt.clone()), ..Budget::default() }
}

/// Converts an answer from JSON to Python objects.
pub fn python<'py>(py: Python<'py>, answer: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let json = serde_json::to_string(answer);
    let json = json.map_err(|error| wrong(ErrorKind::Internal, error.to_string()))?;
    py.import("json")?.call_method1("loads", (json,))
}

/// Returns a text with the picture below it, as HTML.
pub fn html(text: &str, picture: Option<String>) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let picture = picture.unwrap_or_default();
    format!("<div><code>{text}</code></div>{picture}")
}

/// Returns the answer of `coalesce`, `banks` or `vector` about a map, and a layout or its text.
pub fn memory<'py>(
    map: &Bound<'py, PyAny>,
    command: &str,
    layout: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let layout = layout.map(|layout| format!(" in {layout}")).unwrap_or_default();
    let module = map.py().import("affinor._questions")?;
    module.call_method("asked", (map, format!("{command} MAP{layout}")), options)
}
