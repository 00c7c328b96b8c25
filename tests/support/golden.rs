//! Golden answers kept as text. A mismatch fails with the differing lines instead of both texts; with `REGENERATE` in the
//! environment, the kept text is overwritten.

#![allow(dead_code, reason = "each test crate uses its own part of this")]

use similar::TextDiff;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Maximum number of lines of a difference that are shown.
const SHOWN: usize = 200;

/// Returns whether answers overwrite the kept texts.
pub fn is_written() -> bool {
    std::env::var_os("REGENERATE").is_some()
}

/// Compares an answer with the text kept in `place`.
#[track_caller]
pub fn check(place: &str, kept: &str, found: &str) {
    if let Some(difference) = difference(kept, found) {
        panic!(
            "{place}: `-` is what is kept, `+` the answer. If it is meant: REGENERATE=1 and this test\n{difference}"
        );
    }
}

/// Compares an answer with the file that keeps it. A missing file counts as empty.
#[track_caller]
pub fn check_file(path: &Path, found: &str) {
    if is_written() {
        fs::write(path, found).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    check(&path.display().to_string(), &fs::read_to_string(path).unwrap_or_default(), found);
}

/// Compares an answer with the part of a page between the first pair of marks.
#[track_caller]
pub fn check_between(path: &Path, [start, end]: [&str; 2], found: &str) {
    let place = path.display().to_string();
    let page = fs::read_to_string(path).unwrap_or_else(|error| panic!("{place}: {error}"));
    let parts =
        page.split_once(start).and_then(|(before, rest)| Some((before, rest.split_once(end)?)));
    let Some((before, (kept, after))) = parts else {
        panic!("{place} has no {start:?} with {end:?} after it");
    };
    if is_written() {
        let page = [before, start, found, end, after].concat();
        fs::write(path, page).unwrap_or_else(|error| panic!("{place}: {error}"));
    } else {
        check(&place, kept, found);
    }
}

/// Returns the lines that differ, with three lines of context; `None` if the texts are equal.
pub fn difference(kept: &str, found: &str) -> Option<String> {
    if kept == found {
        return None;
    }
    let difference = TextDiff::from_lines(kept, found).unified_diff().to_string();
    let lines = difference.lines().count();
    let mut shown: String = difference.split_inclusive('\n').take(SHOWN).collect();
    if lines > SHOWN {
        let _ = writeln!(shown, ".. and {} lines more", lines - SHOWN);
    }
    Some(shown)
}
