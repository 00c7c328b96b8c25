//! A file in memory that errors can refer to.

use super::arguments::Argument;
use super::failure::{Failure, Place, Source};
use super::lines::{MAX_FILE_BYTES, file_error, not_utf8, read_all};
use super::table::Call;
use crate::text::{Error, ErrorKind};
use std::sync::Arc;

/// A file in memory.
pub struct TextFile {
    name: String,
    /// Contents of the file.
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
    /// As [`read`](TextFile::read), without a position.
    pub fn open(call: &mut Call<'_>, path: &str) -> Result<TextFile, Error> {
        let name = path.to_owned();
        match call.host.open(path).and_then(read_all) {
            Ok(Some(bytes)) => Ok(TextFile { name, bytes }),
            Ok(None) => {
                let message = format!("files are limited to {} MiB", MAX_FILE_BYTES >> 20);
                Err(Error::without_span(ErrorKind::TooLarge, message))
            }
            Err(error) => Err(file_error(path, &error)),
        }
    }

    /// Its text.
    ///
    /// # Errors
    /// [`ErrorKind::Encoding`].
    pub fn text(&self) -> Result<&str, Failure> {
        std::str::from_utf8(&self.bytes).map_err(|error| self.blame(not_utf8(error.valid_up_to())))
    }

    /// An error at a position of the file.
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
