//! Maps written as code: `i // 4`, a lambda, a function.
//!
//! Law: texts of code are parsed as the program parses them. A text that is not code is never run as a command.

use crate::errors::{about, raised, wrong};
use crate::map::IndexMap;
use crate::session::Session;
use affinor::text::render::{Look, Source, render_text};
use affinor::text::{Error, ErrorKind, is_name};
use pyo3::prelude::*;

/// Returns the map of a text that is not in the notation of maps, for the reason `error`.
pub fn map(py: Python<'_>, text: &str, error: Error) -> PyResult<IndexMap> {
    // An arrow belongs to a map, or to isl's notation, unless it is within a function of C.
    let is_function = text.contains('{') && text.starts_with(|c: char| c.is_alphabetic());
    let is_meant = !text.trim().is_empty()
        && !text.contains("domain:")
        && (!text.contains("->") || is_function)
        && !text.trim_start().starts_with('{')
        && text.len() <= affinor_code::MAX_BYTES;
    if !is_meant {
        return Err(about(text, error));
    }
    let is_c = affinor_code::is_evidently_c(text);
    let code = affinor_code::read(text, is_c, &|_| None).map_err(|error| about(text, error))?;
    if code.relation.is_some() {
        let message = "expected a value, found a comparison";
        let error = Error::new(ErrorKind::Unsupported, 0..text.len(), message);
        return Err(about(text, error.hint("`equal` compares two maps")));
    }
    // A name that the program uses for a command is a variable here.
    let word = text.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
    let is_word = word.is_some_and(|word| affinor_commands::command(word).is_some());
    let (before, after) = match is_word || is_name(text.trim()) {
        true => ("let it = 0 + (", ")"),
        false => ("let it = ", ""),
    };
    let line = format!("{before}{text}{after}");
    let session = Session::empty();
    if let Some(error) = session.wrong_in(py, &line)? {
        let back = |place: usize| place.saturating_sub(before.len()).min(text.len());
        let span = error.span.as_ref().map(|span| back(span.start)..back(span.end));
        let error = Error { span, ..error };
        let shown = Source { name: "text", text, first_line: 1 };
        let rendered = render_text(&error, &shown, Look::default());
        return Err(raised(&rendered, text, &error));
    }
    session.named("it").ok_or_else(|| wrong(ErrorKind::Internal, "the code was not named"))
}
