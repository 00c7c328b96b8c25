//! Gives the linker a libz3: the pinned wheel of `libz3.txt`, unpacked in `OUT_DIR`,
//! unless the builder names a directory of their own in `Z3_LIBRARY_PATH_OVERRIDE`.
//!
//! Cargo adds search paths inside `target/` to the library path of `cargo run`, `cargo test`
//! and doctests, so neither a wrapper script nor an installed Z3 is needed.

use std::{env, fs, path::PathBuf, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=libz3.txt");
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    println!("cargo::rerun-if-env-changed=PYTHON");
    if env::var_os("CARGO_FEATURE_Z3").is_none() {
        return;
    }
    let directory =
        env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map_or_else(install_wheel, PathBuf::from);
    let directory = directory.display();
    println!("cargo::rustc-link-search=native={directory}");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{directory}"); // this package's own test binaries
    println!("cargo::metadata=dir={directory}"); // the binary's build script reads it as DEP_Z3LIB_DIR
}

/// Unpacks the wheel and returns the directory that holds `libz3.so`.
fn install_wheel() -> PathBuf {
    let Some(out) = env::var_os("OUT_DIR") else {
        fail("cargo did not set OUT_DIR");
    };
    let root = PathBuf::from(out).join("wheel");
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let _ = fs::remove_dir_all(&root); // pip refuses to overwrite an earlier, perhaps partial, unpacking
    let status = Command::new(&python)
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
        .arg(&root)
        .envs([("PIP_USER", "0"), ("PIP_REQUIRE_VIRTUALENV", "0")]) // settings of the user's own pip.conf
        .status();
    match status {
        Ok(status) if status.success() => root.join("z3/lib"),
        Ok(status) => fail(&format!(
            "`{python} -m pip install -r libz3.txt` ended with {status}"
        )),
        Err(error) => fail(&format!("`{python}` could not be started: {error}")),
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
    std::process::exit(1);
}
