//! Provides a libz3 for programs on this machine: the pinned wheel of `libz3.txt`.
//!
//! Nothing is linked with it: programs search for it when they first need it (`src/find.rs`), also in the directory where this
//! script puts it. So its absence is only reported. A program must start even if its build folder is gone, so the library is
//! kept in the user's data folder, once for all builds of this version. If no such folder can be written, it stays in
//! `OUT_DIR`. Nothing is downloaded if the builder names a directory in `Z3_LIBRARY_PATH_OVERRIDE`, for another kind of
//! machine, or on docs.rs.

#[path = "src/folders.rs"]
mod folders;

use folders::{data_folder, libraries};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{env, fs, io, process};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=libz3.txt");
    println!("cargo::rerun-if-changed=src/folders.rs");
    for variable in ["Z3_LIBRARY_PATH_OVERRIDE", "PYTHON", "XDG_DATA_HOME", "HOME", "DOCS_RS"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let name = match pinned() {
        Ok(pinned) => format!("z3-{pinned}-{}-{}", env::consts::ARCH, env::consts::OS),
        Err(error) => panic!("libz3.txt: {error}"),
    };
    println!("cargo::rustc-env=AFFINOR_Z3_KEPT=affinor/{name}");
    let elsewhere =
        env::var_os("DOCS_RS").is_some() || env::var_os("HOST") != env::var_os("TARGET");
    let directory = match env::var_os("Z3_LIBRARY_PATH_OVERRIDE") {
        Some(directory) => Some(PathBuf::from(directory)),
        None if elsewhere => None,
        None => wheel(&name).unwrap_or_else(|reason| {
            println!("cargo::warning=no libz3: {reason}");
            println!("cargo::warning=everything except proofs will work; the program explains how to get it");
            None
        }),
    };
    if let Some(directory) = directory {
        println!("cargo::rustc-env=AFFINOR_Z3_DIRECTORY={}", directory.display());
    }
}

/// Installs the library in the user's data folder, or else in the returned directory.
fn wheel(name: &str) -> Result<Option<PathBuf>, String> {
    if let Some(folder) = data_folder() {
        match kept(&folder.join("affinor"), name)? {
            Ok(files) => {
                // If they are deleted, the next build unpacks them again.
                for file in files {
                    println!("cargo::rerun-if-changed={}", file.display());
                }
                return Ok(None);
            }
            Err(error) => println!(
                "cargo::warning=libz3 cannot be kept in {}: {error}; the program will need its build folder",
                folder.display()
            ),
        }
    }
    let out = env::var_os("OUT_DIR").ok_or("cargo did not set OUT_DIR")?;
    let root = Path::new(&out).join("wheel");
    let _ = fs::remove_dir_all(&root); // pip does not overwrite an earlier, possibly partial, unpacking
    unpack(&root).map(Some)
}

/// Returns the library files in the directory of this name below `folder`; unpacks them there first if they are missing. The
/// inner error means that the folder cannot be written.
///
/// Several builds may do so at once: each unpacks a copy of its own, and the first complete copy is used.
fn kept(folder: &Path, name: &str) -> Result<io::Result<Vec<PathBuf>>, String> {
    let directory = folder.join(name);
    let there = libraries(&directory);
    if !there.is_empty() {
        return Ok(Ok(there));
    }
    let own = folder.join(format!(".{name}-{}", process::id()));
    if let Err(error) = fs::create_dir_all(&own) {
        return Ok(Err(error));
    }
    let moved = unpack(&own.join("wheel")).map(|unpacked| moved(&unpacked, &directory));
    let _ = fs::remove_dir_all(&own); // the rest of the wheel, or the whole wheel if another build was first
    let moved = moved?;
    let there = libraries(&directory);
    Ok(match there.is_empty() {
        true => moved.map(|()| there),
        false => Ok(there),
    })
}

/// Moves the unpacked files to the directory where they are kept.
fn moved(unpacked: &Path, directory: &Path) -> io::Result<()> {
    one_copy(unpacked)?;
    for file in libraries(unpacked) {
        // The time stamp is older than any build, so that cargo does not see a change.
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let file = fs::File::options().append(true).open(file)?;
        file.set_modified(time)?;
    }
    fs::rename(unpacked, directory)
}

/// Returns the version in `libz3.txt`, with a hash of the file's contents.
fn pinned() -> io::Result<String> {
    let text = fs::read_to_string("libz3.txt")?;
    let lines = || text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let version = lines()
        .find_map(|line| line.split_once("==")?.1.split_whitespace().next().map(str::to_owned));
    let version = version.ok_or_else(|| io::Error::other("libz3.txt pins no version"))?;
    // FNV-1a
    let hash = lines().flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Ok(format!("{version}-{hash:016x}"))
}

/// Removes duplicates: the wheel contains `libz3.so` and `libz3.so.5.3`, which are the same file.
fn one_copy(directory: &Path) -> io::Result<()> {
    let mut same = libraries(directory);
    same.pop();
    same.iter().try_for_each(fs::remove_file)
}

/// Unpacks the wheel below `root` and returns the directory that holds the library.
fn unpack(root: &Path) -> Result<PathBuf, String> {
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let quiet = ["-q", "--root-user-action=ignore", "--disable-pip-version-check"];
    let pinned = ["--no-deps", "--only-binary=:all:", "--require-hashes", "-r", "libz3.txt"];
    let output = process::Command::new(&python)
        .args(["-m", "pip", "install"])
        .args(quiet)
        .args(pinned)
        .arg("--target")
        .arg(root)
        .envs([("PIP_USER", "0"), ("PIP_REQUIRE_VIRTUALENV", "0")]) // overrides the user's pip.conf
        .output()
        .map_err(|error| format!("`{python}` could not be started: {error}"))?;
    if output.status.success() {
        return Ok(root.join("z3/lib"));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    Err(format!("`{python} -m pip install -r libz3.txt` failed: {}", last.unwrap_or_default()))
}
