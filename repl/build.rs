//! Records where libz3 lies, so that `target/*/affinor` also starts outside `cargo run`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Ok(directory) = std::env::var("DEP_Z3LIB_DIR") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
