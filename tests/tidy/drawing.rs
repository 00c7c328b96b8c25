//! ARCHITECTURE.md draws the rooms and which uses which, as they are: `REGENERATE=1 cargo test -p affinor --test tidy drawing`.

use crate::circles::{Uses, reached, uses_by_folder};
use crate::source::{root, rust_files};
use std::fs;

const START: &str = "```mermaid\n";
const END: &str = "```\n";

#[test]
fn rooms_are_drawn_as_they_are() {
    let folders = uses_by_folder(&rust_files("src"));
    let drawn = drawing(&folders["src"]);
    let path = root().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).expect("ARCHITECTURE.md");
    let (before, rest) = text.split_once(START).expect("a drawing");
    let (old, after) = rest.split_once(END).expect("its end");
    if std::env::var_os("REGENERATE").is_some() {
        fs::write(&path, [before, START, &drawn, END, after].concat()).expect("ARCHITECTURE.md");
    } else {
        assert_eq!(old, drawn, "draw it again, as the head of this file says");
    }
}

/// An arrow from each room to those that it uses, without arrows that a longer way replaces.
fn drawing(uses: &Uses) -> String {
    let mut arrows = "flowchart LR\n".to_owned();
    for (room, used) in uses {
        for other in used.iter().filter(|other| *other != room) {
            let mut between = used.iter().filter(|via| *via != room && *via != other);
            if !between.any(|via| reached(uses, via).contains(other)) {
                arrows.push_str(&format!("    {room} --> {other}\n"));
            }
        }
    }
    arrows
}
