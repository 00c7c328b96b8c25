//! Reads a stream line by line in bounded memory.

use super::bare::{belongs_below, goes_on, may_have_more};
use super::output::clipped;
use super::script::{MAX_COMMAND_BYTES, is_indented, may_go_on, too_large};
use affinor::text::{Error, ErrorKind};
use std::io::{self, BufRead, Read};

/// The maximum size in bytes of a file that is read as a whole.
pub const MAX_FILE_BYTES: usize = 256 << 20;

/// Reads all of `reader`; returns `None` if it has more than [`MAX_FILE_BYTES`].
///
/// # Errors
/// The errors of the reader.
pub fn read_all(reader: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= MAX_FILE_BYTES).then_some(bytes))
}

/// The lines of a reader. A line ends with `
/// ` or `\r
/// `; a byte order mark at the start is skipped.
pub struct Lines {
    reader: Box<dyn BufRead>,
    is_first: bool,
    /// Whether the rest of an overlong line must still be skipped.
    is_inside: bool,
    /// The next line, if peeked.
    ahead: Option<io::Result<Option<Line>>>,
}

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// The text, without the line ending.
    Text(String),
    /// The error of a line that is too long or not UTF-8, with the printable part of its text.
    Wrong(Error, String),
}

impl Lines {
    /// Creates the lines of `reader`.
    #[must_use]
    pub fn new(reader: Box<dyn BufRead>) -> Lines {
        Lines { reader, is_first: true, is_inside: false, ahead: None }
    }

    /// Returns the next line of a script, with its continuation lines: see [`may_go_on`].
    ///
    /// # Errors
    /// The errors of the reader.
    pub fn next_of_script(&mut self) -> io::Result<Option<Line>> {
        let mut line = self.next_line()?;
        while let Some(Line::Text(text)) = &mut line
            && (may_go_on(text) || may_have_more(text) || goes_on(text))
        {
            let joins = |below: &str| match may_go_on(text) {
                true => is_indented(below),
                false => (goes_on(text) && !below.trim().is_empty()) || belongs_below(text, below),
            };
            match self.next_line() {
                Ok(Some(Line::Text(below)))
                    if joins(&below) && text.len() + below.len() < MAX_COMMAND_BYTES =>
                {
                    text.push('\n');
                    text.push_str(&below);
                }
                other => {
                    self.ahead = Some(other);
                    break;
                }
            }
        }
        Ok(line)
    }

    /// Returns the next line; `None` at the end.
    ///
    /// # Errors
    /// The errors of the reader.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        if let Some(ahead) = self.ahead.take() {
            return ahead;
        }
        if std::mem::take(&mut self.is_inside) {
            self.skip_rest_of_line()?; // deferred, since a caller that stops at the error does not need it
        }
        let mut bytes = Vec::new();
        let limit = MAX_COMMAND_BYTES as u64 + 2;
        let length = (&mut self.reader).take(limit).read_until(b'\n', &mut bytes)?;
        if length == 0 {
            return Ok(None);
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        } else if length as u64 == limit {
            self.is_inside = true;
        }
        let was_first = std::mem::replace(&mut self.is_first, false);
        if was_first && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        if bytes.len() > MAX_COMMAND_BYTES {
            return Ok(Some(Line::Wrong(too_large(), String::new())));
        }
        Ok(Some(match String::from_utf8(bytes) {
            Ok(text) => Line::Text(text),
            Err(error) => {
                let start = error.utf8_error().valid_up_to();
                // The text before the wrong byte is unchanged, so that columns agree.
                let shown = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Line::Wrong(not_utf8(start), shown)
            }
        }))
    }

    fn skip_rest_of_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            let newline = buffer.iter().position(|byte| *byte == b'\n');
            let used = newline.map_or(buffer.len(), |position| position + 1);
            self.reader.consume(used);
            if newline.is_some() {
                return Ok(());
            }
        }
    }
}

impl Iterator for Lines {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<io::Result<Line>> {
        self.next_line().transpose()
    }
}

/// Creates the error for a text whose byte at `offset` begins no UTF-8 character.
#[must_use]
pub fn not_utf8(offset: usize) -> Error {
    Error::new(ErrorKind::Encoding, offset..offset + 1, "this is not UTF-8 text")
}

/// Creates the error for a file that cannot be read.
#[must_use]
pub fn file_error(path: &str, error: &io::Error) -> Error {
    let reason = reason(error, "no such file");
    Error::without_span(ErrorKind::File, format!("`{}` cannot be read: {reason}", clipped(path)))
}

/// Creates the error for a file that cannot be written.
#[must_use]
pub fn not_written(path: &str, error: &io::Error) -> Error {
    let reason = reason(error, "no such directory");
    Error::without_span(ErrorKind::File, format!("`{}` cannot be written: {reason}", clipped(path)))
}

fn reason(error: &io::Error, not_found: &str) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => not_found.to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::DirectoryNotEmpty => "it is not empty".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_indented_lines_below_a_rule_belong_to_it() {
        let text = "rule a: x\n  => x\n\twhere x >= 0\nshow a\n  b\nrule b: x => x \"B.\"\n  c\nrule c: x => x\n\nrule d: x";
        let mut lines = Lines::new(Box::new(io::Cursor::new(text)));
        let mut found = Vec::new();
        while let Some(Line::Text(line)) = lines.next_of_script().unwrap() {
            found.push(line);
        }
        let expected = [
            "rule a: x\n  => x\n\twhere x >= 0",
            "show a",
            "  b",
            "rule b: x => x \"B.\"",
            "  c",
            "rule c: x => x",
            "",
            "rule d: x",
        ];
        assert_eq!(found, expected);
    }
}
