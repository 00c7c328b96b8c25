//! A line of commands that answers a question about code, and the errors of questions.

use crate::seen::Access;
use affinor::expr::IndexingMap;
use affinor::text::{Error, ErrorKind};

/// Elements that are listed in runs.
#[derive(Debug)]
pub enum Listed {
    /// Those that a map reads, if they are several runs, but few.
    Read(IndexingMap),
    /// Those of the first map that the second does not read.
    Unread(IndexingMap, IndexingMap),
}

/// A line, and its subject: `the elements of `x` that are read`.
#[derive(Default, Debug)]
pub struct Line {
    pub about: Option<String>,
    pub line: String,
    /// The elements that are listed beside the answer.
    pub listed: Option<Listed>,
    /// A sentence after the answer.
    pub after: Option<String>,
    /// Bounds that are taken, though the code does not state them.
    pub taken: Option<String>,
    /// The meaning of the answer if it is proved, and if it is refuted.
    pub verdicts: Option<[String; 2]>,
}

/// Creates the error for a question that no line answers.
pub fn unsupported(message: impl Into<String>) -> Error {
    Error::without_span(ErrorKind::Unsupported, message)
}

/// Returns the subject of a line about an access.
pub fn about(access: &Access) -> String {
    let verb = match (access.is_read, access.is_written) {
        (true, true) => "read and written",
        (false, true) => "written",
        (true, false) => "read",
        (false, false) => return format!("`{}`", access.array),
    };
    let bound = if access.is_bound { " at most" } else { "" };
    if access.array.is_empty() {
        return "the last value".to_owned();
    }
    format!("the elements of `{}` that are {verb}{bound}", access.array)
}
