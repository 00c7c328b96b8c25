//! ARCHITECTURE.md draws the crates, the modules of the two lowest, and their uses as they are: `REGENERATE=1 cargo test -p
//! affinor --test tidy drawing`.

use crate::circles::{Uses, reached, uses_by_folder};
use crate::golden;
use crate::source::{crates, root, rust_files};
use std::fs;

const START: &str = "```mermaid\n";
const END: &str = "```\n";

#[test]
fn rooms_are_drawn_as_they_are() {
    let modules = |folder: &str| arrows("        ", &uses_by_folder(&rust_files(folder))[folder]);
    let (maps, root_crate) = (modules("crates/maps/src"), modules("src"));
    let crates = arrows("    ", &crates_used());
    let drawn = format!(
        "flowchart LR\n    subgraph maps\n{maps}    end\n    subgraph affinor\n{root_crate}    end\n{crates}"
    );
    let path = root().join("ARCHITECTURE.md");
    golden::check_between(&path, [START, END], &drawn);
}

/// Returns the crates that each crate depends on according to its manifest.
fn crates_used() -> Uses {
    let own = |line: &str| {
        let name = line.split_once(".workspace")?.0;
        let name = name.strip_prefix("affinor-").unwrap_or(name);
        (line.starts_with("affinor")).then(|| name.to_owned())
    };
    let manifests = crates().into_iter().filter_map(|folder| {
        let name = match folder.strip_prefix("crates/") {
            Some(inside) => inside.strip_suffix("/src")?.to_owned(),
            None => "affinor".to_owned(),
        };
        let manifest = root().join(folder.strip_suffix("src")?).join("Cargo.toml");
        let text = fs::read_to_string(manifest).expect("a manifest");
        let lines = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        let used = lines.take_while(|line| !line.starts_with('[')).filter_map(own).collect();
        Some((name, used))
    });
    manifests.collect()
}

/// Draws an arrow from each node to those that it uses, without arrows that a longer path implies.
fn arrows(indent: &str, uses: &Uses) -> String {
    let mut arrows = String::new();
    for (room, used) in uses {
        for other in used.iter().filter(|other| *other != room) {
            let mut between = used.iter().filter(|via| *via != room && *via != other);
            if !between.any(|via| reached(uses, via).contains(other)) {
                arrows.push_str(&format!("{indent}{room} --> {other}\n"));
            }
        }
    }
    arrows
}
