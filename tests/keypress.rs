//! What happens when a key is pressed takes far less time than a person notices.

use affinor::command::{Vocabulary, complete, hint, is_complete, paint};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Far below what is noticed (some 50 ms), far above what it takes, also on a loaded machine without optimisation.
const MOST: Duration = Duration::from_millis(10);

/// The time for a key pressed at the end of each prefix of `line`, on average.
fn time_of_a_key(line: &str, vocabulary: &Vocabulary) -> Duration {
    let start = Instant::now();
    let ends: Vec<usize> = (0..=line.len())
        .filter(|end| line.is_char_boundary(*end))
        .collect();
    for end in &ends {
        let typed = &line[..*end];
        black_box(paint(typed, *end, vocabulary));
        black_box(hint(typed));
        black_box(complete(typed, vocabulary));
        black_box(is_complete(typed));
    }
    start.elapsed() / u32::try_from(ends.len()).expect("a short line")
}

#[test]
fn a_key_is_answered_at_once() {
    let names: Vec<String> = (0..1000).map(|number| format!("map{number}")).collect();
    let vocabulary = Vocabulary::of(names.iter().map(String::as_str), ["div-div", "div-strip"]);
    let sum = (0..40)
        .map(|number| format!("(d0 * {number} + d1) floordiv 50"))
        .collect::<Vec<_>>();
    let long = format!(
        "equal map17 ; (d0, d1) -> ({}), domain: d0 in [0, 9], d1 in [0, 9] --reads",
        sum.join(" + ")
    );
    for line in [
        "simplify map3 --explain",
        "help rules",
        "hlo a/b/c.hlo --entry",
        &long,
    ] {
        let found = time_of_a_key(line, &vocabulary);
        assert!(found < MOST, "{found:?} for a key of {line}");
    }
}
