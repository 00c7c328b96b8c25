//! The sessions of the README are run, and must answer as it says. To write them anew after a
//! change that is meant: `REGENERATE=1 cargo test -p affinor-repl --test readme`.

mod support;

use std::fs;

/// The text blocks of the README that are sessions, with the bytes they cover.
fn sessions(readme: &str) -> Vec<(std::ops::Range<usize>, &str)> {
    let (mut found, mut offset) = (Vec::new(), 0);
    while let Some(start) = readme[offset..]
        .find("```text\n")
        .map(|at| offset + at + "```text\n".len())
    {
        let Some(end) = readme[start..].find("```").map(|at| start + at) else {
            break;
        };
        if readme[start..].starts_with("> ") {
            found.push((start..end, &readme[start..end]));
        }
        offset = end + "```".len();
    }
    found
}

#[test]
fn the_readme_says_what_the_program_answers() {
    let path = support::repository().join("README.md");
    let mut readme = fs::read_to_string(&path).expect("the README");
    let original = readme.clone();
    let sessions = sessions(&original);
    assert!(!sessions.is_empty());
    for (range, written) in sessions.into_iter().rev() {
        let found = support::transcript(&support::commands_of_transcript(written));
        if std::env::var_os("REGENERATE").is_some() {
            readme.replace_range(range, &found);
        } else {
            assert_eq!(found, written);
        }
    }
    if readme != original {
        fs::write(&path, readme).expect("the README is written");
    }
}
