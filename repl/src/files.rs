//! Reads files and directories, for the program and for the Python package.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

/// Opens a file, which must not be a directory.
///
/// # Errors
/// The errors of the file system.
pub fn open(path: &str) -> io::Result<Box<dyn BufRead>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

/// Returns the names of the files in a directory; `None` if the path is not one.
///
/// # Errors
/// The errors of the file system.
pub fn names_in(path: &str) -> io::Result<Option<Vec<String>>> {
    if !std::fs::metadata(path)?.is_dir() {
        return Ok(None);
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        if let (true, Ok(name)) = (entry.path().is_file(), entry.file_name().into_string()) {
            names.push(name);
        }
    }
    Ok(Some(names))
}
