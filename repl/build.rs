//! Says where the program looks for libz3: where the library's build script keeps it, then beside the program, where a
//! release may put it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let Ok(kept) = std::env::var("DEP_Z3LIB_DIR") else {
        return;
    };
    let own = match std::env::var("CARGO_CFG_TARGET_VENDOR").as_deref() {
        Ok("apple") => "@loader_path",
        _ => "$ORIGIN",
    };
    for directory in [kept.as_str(), &format!("{own}/../lib"), own] {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
