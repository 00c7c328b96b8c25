//! The search for a libz3, once for each process.
//!
//! In this order:
//! 1. the directory in `Z3_LIBRARY_PATH_OVERRIDE`, and then nowhere else;
//! 2. the directories that the program names with [`look_in`];
//! 3. the directory of the program, and `../lib` from there;
//! 4. the directory in which the build of this crate found or left one;
//! 5. the wheels of Python's `z3-solver` of the user, and of each Python on the path;
//! 6. the system's directories.
//!
//! The first library that can be loaded and is recent enough is used.

use crate::folders::{data_folder, libraries};
use crate::functions::Functions;
use libloading::Library;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{env, fmt, fs};

/// The oldest version whose answers are tested.
const OLDEST: (u32, u32) = (5, 3);

/// The names passed to the system's loader.
const SYSTEM: [&str; 4] = ["libz3.so", "libz3.so.5.3", "libz3.dylib", "libz3.dll"];

static NAMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static FOUND: OnceLock<Result<Functions, Missing>> = OnceLock::new();

/// The error that no libz3 was found; its message lists the unusable libraries and how to get one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing(String);

impl Missing {
    /// Returns the message.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// Searches this directory before others, if no query was made yet.
pub fn look_in(directory: impl Into<PathBuf>) {
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    named.push(directory.into());
}

/// Returns the library, which is loaded on first use.
pub(crate) fn library() -> Result<&'static Functions, &'static Missing> {
    let found = FOUND.get_or_init(|| match env::var_os("Z3_LIBRARY_PATH_OVERRIDE") {
        Some(directory) => first(&[PathBuf::from(directory)], &[]),
        None => first(&directories(), &SYSTEM),
    });
    found.as_ref()
}

/// Returns the version of the libz3 in use: `5.3.2`.
///
/// # Errors
/// No libz3 was found.
pub fn version() -> Result<String, &'static Missing> {
    let (major, minor, build) = version_of(library()?);
    Ok(format!("{major}.{minor}.{build}"))
}

/// Returns the directories to search for a libz3, in order.
fn directories() -> Vec<PathBuf> {
    let mut all = NAMED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // Without /proc the path of the program is unknown; a name with a folder serves instead.
    let called =
        || env::args_os().next().map(PathBuf::from).filter(|name| name.components().count() > 1);
    let program = env::current_exe().ok().or_else(called);
    let program = program.and_then(|program| fs::canonicalize(program).ok());
    if let Some(beside) = program.as_deref().and_then(Path::parent) {
        all.push(beside.to_owned());
        all.push(beside.join("../lib"));
    }
    // From the build script: a directory, unless it is the one in the user's data folder.
    all.extend(option_env!("AFFINOR_Z3_DIRECTORY").map(PathBuf::from));
    all.extend(data_folder().map(|folder| folder.join(env!("AFFINOR_Z3_KEPT"))));
    let local = env::home_dir().map(|home| home.join(".local"));
    let path = env::var_os("PATH").unwrap_or_default();
    let pythons = env::split_paths(&path).filter_map(|bin| Some(bin.parent()?.to_owned()));
    all.extend(local.into_iter().chain(pythons).flat_map(wheels));
    all
}

/// Returns the directories of the wheels of `z3-solver` that Pythons below this folder import.
fn wheels(prefix: PathBuf) -> Vec<PathBuf> {
    let entries = fs::read_dir(prefix.join("lib"));
    let versions = entries.into_iter().flatten().flatten();
    let pythons =
        versions.filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"));
    let mut found: Vec<PathBuf> = pythons
        .flat_map(|entry| ["site-packages", "dist-packages"].map(|name| entry.path().join(name)))
        .map(|packages| packages.join("z3/lib"))
        .filter(|directory| directory.is_dir())
        .collect();
    found.sort();
    found
}

/// Loads the first usable libz3: a file in one of the directories, or the system's library with one of the names.
pub(crate) fn first(directories: &[PathBuf], system: &[&str]) -> Result<Functions, Missing> {
    let files = directories.iter().flat_map(|directory| libraries(directory));
    let mut unusable = None;
    for file in files {
        match load(&file) {
            Ok(functions) => return Ok(functions),
            Err(reason) => {
                unusable.get_or_insert(format!("{} {reason}", file.display()));
            }
        }
    }
    for name in system {
        // The loader's message only states that the library is missing.
        match load(Path::new(name)) {
            Ok(functions) => return Ok(functions),
            Err(reason) if reason.starts_with("is Z3") => {
                unusable.get_or_insert(format!("the system's {name} {reason}"));
            }
            Err(_) => {}
        }
    }
    let (major, minor) = OLDEST;
    let found = unusable.unwrap_or_else(|| "none was found".to_owned());
    let advice = match system.is_empty() {
        true => "Z3_LIBRARY_PATH_OVERRIDE names the only directory that is looked in",
        false => {
            "get it by `pip install z3-solver`, or name its directory in Z3_LIBRARY_PATH_OVERRIDE"
        }
    };
    Err(Missing(format!("no libz3 {major}.{minor} or newer can be used: {found}; {advice}")))
}

fn load(file: &Path) -> Result<Functions, String> {
    // SAFETY: the name is that of a libz3; its initialization code is Z3's.
    let loaded = unsafe { Library::new(file) };
    let library = loaded.map_err(|error| format!("cannot be loaded ({})", sentence(&error)))?;
    // SAFETY: as above.
    let functions = unsafe { Functions::of(library) };
    let functions =
        functions.map_err(|error| format!("is Z3, but not of this kind ({})", sentence(&error)))?;
    let (major, minor, build) = version_of(&functions);
    match (major, minor) >= OLDEST {
        true => Ok(functions),
        false => Err(format!("is Z3 {major}.{minor}.{build}")),
    }
}

/// Returns the message of the system's loader.
fn sentence(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn version_of(functions: &Functions) -> (u32, u32, u32) {
    let [mut major, mut minor, mut build, mut revision] = [0; 4];
    // SAFETY: four integers to write to.
    unsafe { (functions.Z3_get_version)(&mut major, &mut minor, &mut build, &mut revision) };
    (major, minor, build)
}
