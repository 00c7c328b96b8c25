//! A file in memory that errors can refer to. A file compressed by gzip is decompressed.

use super::arguments::Argument;
use super::failure::{Failure, Place, Source};
use super::lines::{MAX_FILE_BYTES, file_error, not_utf8, read_all};
use super::table::Call;
use affinor::text::{Error, ErrorKind};
use flate2::read::MultiGzDecoder;
use std::io::{self, BufRead};
use std::sync::Arc;

/// A file in memory.
pub struct TextFile {
    name: String,
    /// The contents of the file.
    pub bytes: Vec<u8>,
}

impl TextFile {
    /// Reads the file whose path is an argument.
    ///
    /// # Errors
    /// [`ErrorKind::File`], [`ErrorKind::TooLarge`].
    pub fn read(call: &mut Call<'_>, path: &Argument) -> Result<TextFile, Failure> {
        TextFile::open(call, &path.text).map_err(|error| path.blame(error))
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// The errors of [`read`](TextFile::read), without a position.
    pub fn open(call: &mut Call<'_>, path: &str) -> Result<TextFile, Error> {
        TextFile::of(path, call.host.open(path))
    }

    /// Reads the file at `path` from an opened reader.
    ///
    /// # Errors
    /// The errors of [`open`](TextFile::open).
    pub fn of(path: &str, reader: io::Result<Box<dyn BufRead>>) -> Result<TextFile, Error> {
        let name = path.to_owned();
        match reader.and_then(read_unpacked) {
            Ok(Some(bytes)) => Ok(TextFile { name, bytes }),
            Ok(None) => {
                let message = format!("files are limited to {} MiB", MAX_FILE_BYTES >> 20);
                Err(Error::without_span(ErrorKind::TooLarge, message))
            }
            Err(error) => Err(file_error(path, &error)),
        }
    }

    /// Creates a file from typed text.
    #[must_use]
    pub fn typed(text: &str) -> TextFile {
        TextFile { name: "-".to_owned(), bytes: text.as_bytes().to_vec() }
    }

    /// Returns the path.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the contents as text.
    ///
    /// # Errors
    /// [`ErrorKind::Encoding`].
    pub fn text(&self) -> Result<&str, Failure> {
        std::str::from_utf8(&self.bytes).map_err(|error| self.blame(not_utf8(error.valid_up_to())))
    }

    /// Creates a failure at a position of the file.
    #[must_use]
    pub fn blame(&self, error: Error) -> Failure {
        let source = Source {
            name: self.name.clone(),
            text: Arc::from(String::from_utf8_lossy(&self.bytes)),
            first_line: 1,
        };
        Failure::new(error, Place::Source(Box::new(source)))
    }
}

/// Reads the whole of a reader, and decompresses gzip; returns `None` beyond the maximum size of a file.
fn read_unpacked(reader: Box<dyn BufRead>) -> io::Result<Option<Vec<u8>>> {
    match read_all(reader)? {
        Some(bytes) if bytes.starts_with(&[0x1f, 0x8b]) => {
            read_all(MultiGzDecoder::new(&bytes[..]))
        }
        other => Ok(other),
    }
}
