//! The sessions of the README and of the pages in `docs/` are run, and must give the recorded answers; so must the pictures.
//! To regenerate them after an intended change: `REGENERATE=1 cargo test -p affinor-repl --test sessions readme`.
//!
//! A block ```` ```text ```` is a session in ASCII, a block ```` ```console ```` one with the characters of a terminal.

use crate::support::{self, golden};
use std::fs;
use std::path::PathBuf;

/// A block that is a session: its range in bytes, its text, and whether it is in ASCII.
struct Session<'t> {
    range: std::ops::Range<usize>,
    written: &'t str,
    ascii: bool,
}

fn sessions(page: &str) -> Vec<Session<'_>> {
    let (mut found, mut offset) = (Vec::new(), 0);
    while let Some(open) = page[offset..].find("```").map(|at| offset + at) {
        let Some(start) = page[open..].find('\n').map(|at| open + at + 1) else {
            break;
        };
        let Some(end) = page[start..].find("```").map(|at| start + at) else {
            break;
        };
        let kind = page[open + 3..start].trim();
        let written = &page[start..end];
        if ["text", "console"].contains(&kind) && written.starts_with("> ") {
            found.push(Session { range: start..end, written, ascii: kind == "text" });
        }
        offset = end + 3;
    }
    found
}

/// Returns the README and the pages of `docs/`.
fn pages() -> Vec<PathBuf> {
    let root = support::repository();
    let entries = fs::read_dir(root.join("docs")).expect("the directory of pages");
    let mut pages: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages.push(root.join("README.md"));
    pages
}

#[test]
fn the_pages_say_what_the_program_answers() {
    let mut count = 0;
    for path in pages() {
        let original = fs::read_to_string(&path).expect("a page");
        let mut page = original.clone();
        for session in sessions(&original).into_iter().rev() {
            count += 1;
            let commands = support::commands_of_transcript(session.written);
            let found = support::transcript(&commands, session.ascii);
            match golden::is_written() {
                true => page.replace_range(session.range, &found),
                false => golden::check(&path.display().to_string(), session.written, &found),
            }
        }
        if page != original {
            fs::write(&path, page).expect("the page is written");
        }
    }
    assert!(count > 0);
}

/// Returns the words of a shell's line: `'..'` is one word.
fn shell_words(line: &str) -> Vec<String> {
    let quoted = line.split('\'').enumerate().flat_map(|(number, part)| match number % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    });
    quoted.collect()
}

#[test]
fn the_pictures_are_what_the_commands_of_the_pages_draw() {
    let root = support::repository();
    let mut count = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        let lines = page.lines().filter(|line| line.starts_with("affinor "));
        for line in lines.filter(|line| line.contains(" --svg docs/")) {
            let mut words = shell_words(line);
            let file = words.last_mut().expect("a file");
            let committed = root.join(&*file);
            let name = committed.file_name().expect("a name").to_owned();
            let fresh = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
            *file = fresh.to_string_lossy().into_owned();
            let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let run = support::affinor(&words, b"");
            assert_eq!((run.status, run.err.as_str()), (Some(0), ""), "{line}");
            let found = fs::read_to_string(&fresh).expect("the picture");
            golden::check_file(&committed, &found);
            count += 1;
        }
    }
    assert_eq!(count, 5);
}
