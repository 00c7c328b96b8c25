//! Writes files as a whole: whoever reads one finds the old text or the new one, also where the disk is full or the
//! process is killed. The program and the Python package both write through this file.
//!
//! Law: the text goes into a new file beside the old one, which takes its name once it is on the disk. On failure the old
//! file is as it was, and the new one is removed. What is no file, such as a device or a pipe, is written as it stands.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Most names that are tried for a new file: others may be left from processes that were killed.
const NAMES: u32 = 100;

/// Writes a file, replacing an existing one.
///
/// # Errors
/// Those of the file system.
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

/// Adds text to the end of a file, creating it.
///
/// # Errors
/// Those of the file system.
pub fn append(path: &Path, text: &[u8]) -> io::Result<()> {
    let is_new = !path.exists();
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let before = file.metadata()?;
    if !before.is_file() {
        return file.write_all(text);
    }
    let written = finish(&mut file, text);
    if written.is_err() {
        // What there was is kept; if even that fails, the first error says why.
        let _ = match is_new {
            true => fs::remove_file(path),
            false => file.set_len(before.len()),
        };
    }
    written
}

/// Creates a directory and its parents, with these files by their paths in it; there is none yet, or an empty one.
///
/// # Errors
/// Those of the file system, and if the directory is not empty.
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

/// Puts files into an empty directory, which may be where somebody stands: it stays the same one.
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

/// Makes a directory with files.
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

/// Removes what was made, behind an error that says why; one that came now would say less.
fn removed(path: &Path) {
    let _ = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Lets `fill` make something new beside `place`, and gives it that name.
///
/// # Errors
/// Those of `fill` and of the file system; what is new is removed then.
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

/// The file that a path means, through links; `None` for a device, a pipe and the like.
fn file_at(path: &Path) -> io::Result<Option<PathBuf>> {
    // `/dev/stdout` may be a file, which the process has open: another would not be it.
    if path.starts_with("/dev") || path.starts_with("/proc") {
        return Ok(None);
    }
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(data) if data.is_file() => {
            OpenOptions::new().write(true).open(path)?; // a file that may not be written stays
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

/// Writes a text and waits until it is on the disk: some file systems say only then that it has no room.
fn finish(file: &mut File, text: &[u8]) -> io::Result<()> {
    file.write_all(text)?;
    file.sync_all()
}
