//! Writes files as a whole: a reader finds either the old text or the new one, even if the disk is full or the process is
//! killed. The program and the Python package both use this module.
//!
//! Law: the text is written to a new file beside the old one, which takes the old name once it is on the disk. On failure the
//! old file is unchanged, and the new one is removed. A path that is not a file, such as a device or a pipe, is written
//! directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The maximum number of names that are tried for a new file: killed processes may have left some behind.
const NAMES: u32 = 100;

/// Writes a file, replacing an existing one.
///
/// # Errors
/// The errors of the file system.
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let Some(place) = file_at(path)? else {
        return OpenOptions::new().write(true).open(path)?.write_all(text);
    };
    beside(&place, |part| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(part)?;
        finish(&mut file, text)?;
        match fs::metadata(&place) {
            Ok(known) => fs::set_permissions(part, known.permissions()),
            Err(_) => Ok(()),
        }
    })
}

/// Appends text to a file, which is created if it does not exist.
///
/// # Errors
/// The errors of the file system.
pub fn append(path: &Path, text: &[u8]) -> io::Result<()> {
    let is_new = !path.exists();
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let before = file.metadata()?;
    if !before.is_file() {
        return file.write_all(text);
    }
    let written = finish(&mut file, text);
    if written.is_err() {
        // The previous content is kept; if even that fails, the first error is the one to report.
        let _ = match is_new {
            true => fs::remove_file(path),
            false => file.set_len(before.len()),
        };
    }
    written
}

/// Creates a directory and its parents with the given files, whose paths are relative to it. The directory may exist if it is
/// empty.
///
/// # Errors
/// The errors of the file system, and a directory that is not empty.
pub fn directory(path: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    match fs::read_dir(path) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err(ErrorKind::DirectoryNotEmpty.into()),
            None => into_empty(path, files),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            beside(path, |part| fill(part, files))
        }
        Err(error) => Err(error),
    }
}

/// Puts files into an empty directory, which is not replaced: it may be the working directory of a process.
fn into_empty(path: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    let part = path.join(format!(".affinor-{}.part", std::process::id()));
    let made = fill(&part, files).and_then(|()| {
        for entry in fs::read_dir(&part)? {
            let entry = entry?;
            fs::rename(entry.path(), path.join(entry.file_name()))?;
        }
        fs::remove_dir(&part)
    });
    if made.is_err() {
        for entry in fs::read_dir(path)?.flatten() {
            removed(&entry.path());
        }
    }
    made
}

/// Creates a directory with files.
fn fill(directory: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    fs::create_dir(directory)?;
    for (name, text) in files {
        let inner = directory.join(name);
        if let Some(parent) = inner.parent() {
            fs::create_dir_all(parent)?;
        }
        finish(&mut File::create_new(inner)?, text.as_bytes())?;
    }
    Ok(())
}

/// Removes a partial result after an error. Errors of the removal are ignored, as the first error is more informative.
fn removed(path: &Path) {
    let _ = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Lets `fill` create a new file or directory beside `place`, and renames it to `place`.
///
/// # Errors
/// The errors of `fill` and of the file system; the partial result is then removed.
pub fn beside(place: &Path, fill: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    let folder = place.parent().unwrap_or(Path::new(""));
    let names = (0..NAMES).map(|n| format!(".affinor-{}-{n}.part", std::process::id()));
    let free = names.map(|name| folder.join(name)).find(|part| !part.exists());
    let part = free.ok_or(ErrorKind::AlreadyExists)?;
    let made = fill(&part).and_then(|()| fs::rename(&part, place));
    if made.is_err() {
        removed(&part);
    }
    made
}

/// Resolves a path through links to a file; `None` for a device, a pipe and the like.
fn file_at(path: &Path) -> io::Result<Option<PathBuf>> {
    // `/dev/stdout` may be a file that the process has open, which a new file would not replace.
    if path.starts_with("/dev") || path.starts_with("/proc") {
        return Ok(None);
    }
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(data) if data.is_file() => {
            OpenOptions::new().write(true).open(path)?; // fails for a read-only file, which must not be replaced
            fs::canonicalize(path).map(Some)
        }
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => match fs::read_link(path) {
            Ok(target) => Ok(Some(path.parent().unwrap_or(Path::new("")).join(target))),
            Err(_) => Ok(Some(path.to_owned())),
        },
        Err(error) => Err(error),
    }
}

/// Writes a text and waits until it is on the disk: some file systems report only then that they are full.
fn finish(file: &mut File, text: &[u8]) -> io::Result<()> {
    file.write_all(text)?;
    file.sync_all()
}
