//! Errors of the library as exceptions, whose classes are in `affinor/_errors.py`.

use affinor::expr::{ComposeError, ExprError};
use affinor::prove::NoValues;
use affinor::text::render::{Look, Source, render_text};
use affinor::text::{self, ErrorKind};
use affinor_layout::cute::algebra::Refusal;
use affinor_ops::footprint::image::Stop;
use affinor_ops::footprint::tiling::{GridError, NoTile};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

pyo3::import_exception!(affinor._errors, Error);
pyo3::import_exception!(affinor._errors, Undecided);

/// Returns the exception for an error about `source`.
pub fn about(source: &str, error: text::Error) -> PyErr {
    if error.kind == ErrorKind::Interrupted {
        return PyKeyboardInterrupt::new_err(());
    }
    let shown = Source { name: "text", text: source, first_line: 1 };
    let rendered = match error.span {
        Some(_) => render_text(&error, &shown, Look::default()),
        None => match &error.hint {
            Some(hint) => format!("{}; hint: {hint}", error.message),
            None => error.message.clone(),
        },
    };
    let heading = format!("error[{}]: ", error.kind.code());
    let rendered = rendered.strip_prefix(&heading).unwrap_or(&rendered);
    raised(rendered, source, &error)
}

/// Returns the exception for an error about `source`, with this rendering.
pub fn raised(rendered: &str, source: &str, error: &text::Error) -> PyErr {
    if error.kind == ErrorKind::Interrupted {
        return PyKeyboardInterrupt::new_err(());
    }
    let characters = |bytes: usize| source.get(..bytes).map_or(0, |text| text.chars().count());
    let span = error.span.as_ref();
    let position = span.map(|span| (characters(span.start), characters(span.end)));
    let exception = Error::new_err(rendered.trim_end().to_owned());
    let attached = Python::attach(|py| {
        let value = exception.value(py);
        value.setattr("kind", error.kind.code())?;
        value.setattr("message", &error.message)?;
        value.setattr("hint", error.hint.as_deref())?;
        value.setattr("position", position)
    });
    attached.map_or_else(|failed| failed, |()| exception)
}

/// Returns the exception for an error without a position.
pub fn wrong(kind: ErrorKind, message: impl Into<String>) -> PyErr {
    about("", text::Error::without_span(kind, message))
}

pub fn undecided(reason: impl ToString) -> PyErr {
    Undecided::new_err(reason.to_string())
}

pub fn stop(stop: Stop) -> PyErr {
    match stop {
        Stop::Interrupted => PyKeyboardInterrupt::new_err(()),
        Stop::Eval(error) => wrong(ErrorKind::Overflow, error.to_string()),
        Stop::TooMany | Stop::Steps => undecided(stop),
    }
}

pub fn compose(error: ComposeError) -> PyErr {
    let kind = match error {
        ComposeError::Arity { .. } => ErrorKind::Arity,
        ComposeError::Expr(_) => ErrorKind::Overflow,
    };
    wrong(kind, error.to_string())
}

pub fn values(error: NoValues) -> PyErr {
    match error {
        NoValues::Outside(_) => wrong(ErrorKind::Domain, error.to_string()),
        NoValues::Eval(..) => wrong(ErrorKind::Overflow, error.to_string()),
        NoValues::Stopped(stopped) => stop(stopped.into()),
    }
}

/// Returns the exception for an expression that cannot be built.
pub fn failed(error: ExprError) -> PyErr {
    let kind = match error {
        ExprError::Overflow => ErrorKind::Overflow,
        ExprError::Divisor(_) => ErrorKind::Division,
        ExprError::TooDeep | ExprError::TooLarge | ExprError::Stopped(_) => ErrorKind::TooLarge,
    };
    wrong(kind, error.to_string())
}

/// Returns the exception for sizes that do not form tiles.
pub fn grid(error: GridError) -> PyErr {
    let kind = match error {
        GridError::Sizes | GridError::Rank { .. } | GridError::Result { .. } => ErrorKind::Arity,
        GridError::Unbounded => ErrorKind::TooLarge,
        GridError::Expr(_) => ErrorKind::Overflow,
    };
    wrong(kind, error.to_string())
}

/// Returns the exception for a tile that is not found in terms of named sizes.
pub fn no_tile(none: NoTile) -> PyErr {
    match none {
        NoTile::Expr(error) => failed(error),
        NoTile::Stopped(stopped) => stop(stopped.into()),
        NoTile::Unbounded(_) | NoTile::Unproved(_) => undecided(none),
    }
}

/// Returns the exception for an operation on layouts without an answer.
pub fn refused(refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::None(why) => wrong(ErrorKind::Shape, why),
        Refusal::Overflow => wrong(ErrorKind::Overflow, refusal.to_string()),
        Refusal::Interrupted => PyKeyboardInterrupt::new_err(()),
        Refusal::Unknown(why) => undecided(why),
    }
}
