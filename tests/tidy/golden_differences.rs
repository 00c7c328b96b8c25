//! The comparison of an answer with its kept text shows the differing lines, and few others.

use crate::golden::difference;
use std::fmt::Write;

/// Writes lines with these numbers.
fn lines(numbers: impl IntoIterator<Item = usize>) -> String {
    numbers.into_iter().fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "line {number}");
        text
    })
}

#[track_caller]
fn check(kept: &str, found: &str, expected: Option<&str>) {
    assert_eq!(difference(kept, found).as_deref(), expected, "{kept:?} and {found:?}");
}

#[test]
fn a_difference_has_the_lines_that_differ() {
    let hundred = lines(0..100);
    check(&hundred, &hundred, None);
    check("", "", None);
    check(
        &hundred,
        &hundred.replace("line 50\n", "line fifty\n"),
        Some(
            "@@ -48,7 +48,7 @@\n line 47\n line 48\n line 49\n-line 50\n+line fifty\n line 51\n line 52\n line 53\n",
        ),
    );
    check(
        &lines(0..5),
        &lines((0..5).filter(|number| *number != 4)),
        Some("@@ -2,4 +2,3 @@\n line 1\n line 2\n line 3\n-line 4\n"),
    );
    check("", "line 0\n", Some("@@ -0,0 +1 @@\n+line 0\n"));
    // The end of the last line matters.
    check(
        "line 0\n",
        "line 0",
        Some("@@ -1 +1 @@\n-line 0\n+line 0\n\\ No newline at end of file\n"),
    );
}

#[test]
fn a_long_difference_is_cut_off() {
    let shown = difference(&lines(0..1000), &lines(1000..2000)).unwrap_or_default();
    assert_eq!(shown.lines().count(), 201);
    assert!(shown.ends_with(".. and 1801 lines more\n"), "{shown}");
}
