//! Folders with a libz3, on which the build script and the program must agree.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Returns the folder for the data of one user.
pub(crate) fn data_folder() -> Option<PathBuf> {
    let named = env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    named
        .filter(|path| path.is_absolute())
        .or_else(|| Some(env::home_dir()?.join(".local/share")))
        .filter(|path| path.is_absolute())
}

/// Returns the files of the library in a directory, sorted; none if there is no such directory.
pub(crate) fn libraries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let named = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let loaded = [".so", ".dylib", ".dll"];
        name.starts_with("libz3.") && loaded.iter().any(|ending| name.contains(ending))
    });
    let files = named.map(|entry| entry.path()).filter(|path| path.is_file());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    files
}
