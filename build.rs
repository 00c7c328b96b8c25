//! Gives the linker a libz3: the pinned wheel of `libz3.txt`, or the directory that the builder names in
//! `Z3_LIBRARY_PATH_OVERRIDE`.
//!
//! A program is to start when its build folder is gone, so the library is kept in the user's data folder, once for all builds
//! of this version, and programs look for it there. Where no such folder can be written it stays in `OUT_DIR`.
//!
//! The linker, `cargo run`, `cargo test` and doctests find it through a link in `OUT_DIR`: cargo adds search paths inside
//! `target/` to the library path, in crates that depend on this one too. A program that is to start outside of cargo needs
//! the directory as an rpath; the build script of a crate that depends on this one reads it as `DEP_Z3LIB_DIR`.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{env, fs, io, process};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=libz3.txt");
    for variable in [
        "Z3_LIBRARY_PATH_OVERRIDE",
        "PYTHON",
        "XDG_DATA_HOME",
        "HOME",
    ] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    if env::var_os("CARGO_FEATURE_Z3").is_none() {
        return;
    }
    let (search, lasting) = match env::var_os("Z3_LIBRARY_PATH_OVERRIDE") {
        Some(directory) => (PathBuf::from(&directory), PathBuf::from(directory)),
        None => wheel(),
    };
    let lasting = lasting.display();
    println!("cargo::rustc-link-search=native={}", search.display());
    println!("cargo::rustc-link-arg=-Wl,-rpath,{lasting}"); // this package's own test binaries
    println!("cargo::metadata=dir={lasting}"); // DEP_Z3LIB_DIR
}

/// The directory for the linker, and the one in which the library stays.
fn wheel() -> (PathBuf, PathBuf) {
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        fail("cargo did not set OUT_DIR");
    };
    let lasting = data_folder().and_then(|folder| match kept(&folder) {
        Ok(directory) => Some(directory),
        Err(error) => {
            println!(
                "cargo::warning=libz3 cannot be kept in {}: {error}; the program will need its build folder",
                folder.display()
            );
            None
        }
    });
    let Some(lasting) = lasting else {
        let root = out.join("wheel");
        let _ = fs::remove_dir_all(&root); // pip refuses to overwrite an earlier, perhaps partial, unpacking
        let directory = unpack(&root).unwrap_or_else(|reason| fail(&reason));
        return (directory.clone(), directory);
    };
    // Should it be deleted, the next build unpacks it again.
    for file in libraries(&lasting) {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    match linked(&lasting, &out.join("lib")) {
        Ok(search) => (search, lasting),
        Err(error) => fail(&format!("{} cannot be written: {error}", out.display())),
    }
}

/// Where programs keep the data of one user.
fn data_folder() -> Option<PathBuf> {
    let folder = |variable| {
        let path = PathBuf::from(env::var_os(variable)?);
        path.is_absolute().then_some(path)
    };
    folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")))
}

/// The directory with the library below `folder`, where it is unpacked unless it is there.
///
/// Several builds may do so at once: each unpacks a copy of its own, and the first that is complete is taken.
fn kept(folder: &Path) -> io::Result<PathBuf> {
    let folder = folder.join("affinor");
    let name = format!("z3-{}-{}-{}", pinned()?, env::consts::ARCH, env::consts::OS);
    let directory = folder.join(&name);
    if !libraries(&directory).is_empty() {
        return Ok(directory);
    }
    fs::create_dir_all(&folder)?;
    let own = folder.join(format!(".{name}-{}", process::id()));
    fs::create_dir_all(&own)?;
    let unpacked = unpack(&own.join("wheel")).unwrap_or_else(|reason| {
        let _ = fs::remove_dir_all(&own);
        fail(&reason)
    });
    one_copy(&unpacked)?;
    for file in libraries(&unpacked) {
        // Older than any build, so that cargo does not take it for a change.
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        fs::File::options()
            .append(true)
            .open(file)?
            .set_modified(time)?;
    }
    let renamed = fs::rename(&unpacked, &directory);
    let _ = fs::remove_dir_all(&own); // what is left of the wheel, or all of it if another build was first
    match libraries(&directory).is_empty() {
        true => renamed.map(|()| directory),
        false => Ok(directory),
    }
}

/// The version in `libz3.txt`, and a number that changes with the hashes there.
fn pinned() -> io::Result<String> {
    let text = fs::read_to_string("libz3.txt")?;
    let lines = || {
        text.lines()
            .map(str::trim)
            .filter(|line| !line.starts_with('#'))
    };
    let version = lines().find_map(|line| {
        line.split_once("==")?
            .1
            .split_whitespace()
            .next()
            .map(str::to_owned)
    });
    let version = version.ok_or_else(|| io::Error::other("libz3.txt pins no version"))?;
    // FNV-1a
    let hash = lines()
        .flat_map(str::bytes)
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    Ok(format!("{version}-{hash:016x}"))
}

/// The files of the library in a directory; none if there is no such directory.
fn libraries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let named = files.filter(|entry| entry.file_name().to_string_lossy().starts_with("libz3"));
    named.map(|entry| entry.path()).collect()
}

/// The wheel holds `libz3.so` and `libz3.so.5.3`, which are the same file.
fn one_copy(directory: &Path) -> io::Result<()> {
    let whole = directory.join("libz3.so");
    let numbered = libraries(directory).into_iter().find(|path| *path != whole);
    #[cfg(unix)]
    if let Some(name) = numbered.as_deref().and_then(Path::file_name)
        && whole.exists()
    {
        fs::remove_file(&whole)?;
        std::os::unix::fs::symlink(name, &whole)?;
    }
    let _ = numbered;
    Ok(())
}

/// A directory at `path` with what lies in `directory`.
fn linked(directory: &Path, path: &Path) -> io::Result<PathBuf> {
    if path.is_symlink() {
        fs::remove_file(path)?;
    } else if path.exists() {
        fs::remove_dir_all(path)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(directory, path)?;
    #[cfg(not(unix))]
    {
        fs::create_dir_all(path)?;
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            fs::copy(entry.path(), path.join(entry.file_name()))?;
        }
    }
    Ok(path.to_owned())
}

/// Unpacks the wheel below `root` and returns the directory that holds the library.
fn unpack(root: &Path) -> Result<PathBuf, String> {
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let status = process::Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "-q",
            "--root-user-action=ignore",
            "--no-deps",
        ])
        .args([
            "--disable-pip-version-check",
            "--only-binary=:all:",
            "--require-hashes",
        ])
        .args(["-r", "libz3.txt", "--target"])
        .arg(root)
        .envs([("PIP_USER", "0"), ("PIP_REQUIRE_VIRTUALENV", "0")]) // settings of the user's own pip.conf
        .status();
    match status {
        Ok(status) if status.success() => Ok(root.join("z3/lib")),
        Ok(status) => Err(format!(
            "`{python} -m pip install -r libz3.txt` ended with {status}"
        )),
        Err(error) => Err(format!("`{python}` could not be started: {error}")),
    }
}

/// Ends the build with a message that says what to install.
fn fail(reason: &str) -> ! {
    println!("cargo::error=no libz3: {reason}");
    println!(
        "cargo::error=install python3 with pip and build again (the wheel of libz3.txt is about 38 MB);"
    );
    println!(
        "cargo::error=or set Z3_LIBRARY_PATH_OVERRIDE to a directory that holds libz3 5.3 or newer;"
    );
    println!(
        "cargo::error=or build without the prover: cargo build -p affinor --no-default-features"
    );
    process::exit(1);
}
