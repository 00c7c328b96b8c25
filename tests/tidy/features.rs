//! Every selection of crates builds a library with the same features, so that all share build artifacts: `cargo run` and
//! `cargo test -p CRATE` reuse those of `cargo test --workspace`, which enables the default features of each crate.

use crate::source::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn defaults_reach_every_crate_below() {
    let mut crates: Vec<_> = fs::read_dir(root().join("crates"))
        .expect("crates")
        .map(|entry| entry.expect("a crate").path())
        .collect();
    crates.push(root().join("repl"));
    crates.sort();
    let manifest = |folder: &PathBuf| {
        let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        (folder.display().to_string(), text)
    };
    let manifests: Vec<(String, String)> = crates.iter().map(manifest).collect();
    let texts = manifests.iter().map(|(_, text)| text.as_str());
    let plain: Vec<&str> =
        texts.filter(|text| !text.contains("\n[features]\n")).map(name).collect();
    assert!(plain.contains(&"affinor-maps") && !plain.contains(&"affinor-ops"), "{plain:?}");
    for (folder, text) in &manifests {
        assert_eq!(unasked(text, &plain), [""; 0], "in {folder}, without their defaults");
    }
}

/// Returns the name of the package of a manifest.
fn name(manifest: &str) -> &str {
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = \""));
    name.map_or("", |name| name.trim_end_matches('"'))
}

/// Features of other crates are joined over what is selected, so one that the program leaves out would have all of them built
/// twice.
#[test]
fn other_crates_are_built_once_for_the_program_and_the_tests() {
    let selected = |words: &[&str]| -> BTreeSet<String> {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--offline", "--locked", "--prefix", "none", "-e", "normal,build"])
            .args(["-f", "{p} {f}"])
            .args(words)
            .current_dir(root())
            .output()
            .expect("cargo runs");
        let text = String::from_utf8(output.stdout).expect("text");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("affinor"));
        lines.map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
    };
    let (program, all) = (selected(&["-p", "affinor-repl"]), selected(&["--workspace"]));
    assert!(program.len() > 20, "{program:?}");
    let apart: Vec<&String> = program.difference(&all).collect();
    assert_eq!(apart, [""; 0], "ask for the features that the workspace has, in repl/Cargo.toml");
}

#[test]
fn a_crate_without_its_defaults_is_seen() {
    let below = "[features]\ndefault = [\"z3\", \"affinor/default\"]\n[dependencies]\naffinor.workspace = true\n";
    let beside =
        "[dev-dependencies]\naffinor-hlo = { workspace = true, features = [\"default\"] }\n";
    let cases = [
        (below, vec![]),
        (beside, vec![]),
        ("[dependencies]\naffinor = { workspace = true, features = [\"z3\"] }\n", vec!["affinor"]),
        (
            "[dependencies]\naffinor-ops.workspace = true\nserde.workspace = true\n",
            vec!["affinor-ops"],
        ),
        ("[dependencies]\naffinor-maps.workspace = true\n", vec![]),
        (
            "[features]\ndefault = [\"affinor-ops/default\"]\n[dependencies]\naffinor.workspace = true\n",
            vec!["affinor"],
        ),
    ];
    for (manifest, expected) in cases {
        assert_eq!(unasked(manifest, &["affinor-maps"]), expected, "{manifest}");
    }
}

/// Returns the workspace crates that a manifest depends on without their default features, except `plain` ones without features.
fn unasked<'m>(manifest: &'m str, plain: &[&str]) -> Vec<&'m str> {
    let ours = manifest.lines().filter(|line| line.starts_with("affinor"));
    let missing = ours.filter_map(|line| {
        let name = line.split(['.', ' ']).next()?;
        if plain.contains(&name) {
            return None;
        }
        let asked = line.contains("features = [\"default\"]")
            || manifest.contains(&format!("\"{name}/default\""));
        (!asked).then_some(name)
    });
    missing.collect()
}
