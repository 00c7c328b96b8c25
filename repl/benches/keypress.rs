//! The cost of a key press: `cargo bench -p affinor-repl --bench keypress`.
//!
//! Types some lines key by key and times the work of the prompt at each: colours, a hint, completions, and the check for a
//! complete line. Prints the average for each line.

use affinor_commands::is_complete;
use affinor_prompt::{Vocabulary, complete, hint, paint};
use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// How often each line is typed.
const ROUNDS: u32 = 20;

fn main() -> io::Result<()> {
    let vocabulary = Vocabulary {
        maps: (0..1000).map(|number| format!("map{number}")).collect(),
        rules: vec!["div-div".to_owned(), "div-strip".to_owned()],
        ..Vocabulary::default()
    };
    let sum: Vec<String> =
        (0..40).map(|number| format!("(d0 * {number} + d1) floordiv 50")).collect();
    let long = format!(
        "equal map17 ; (d0, d1) -> ({}), domain: d0 in [0, 9], d1 in [0, 9] --reads",
        sum.join(" + ")
    );
    let mut report = "| characters | microseconds a key |\n|---|---|\n".to_owned();
    for line in ["simplify map3 --explain", "hlo a/b/c.hlo --entry", &long] {
        let micros = time_of_a_key(line, &vocabulary).as_micros();
        report += &format!("| {} | {micros} |\n", line.len());
    }
    io::stdout().write_all(report.as_bytes())
}

/// The time for a key pressed at the end of each prefix of `line`, on average.
fn time_of_a_key(line: &str, vocabulary: &Vocabulary) -> Duration {
    let ends: Vec<usize> = (0..=line.len()).filter(|end| line.is_char_boundary(*end)).collect();
    let start = Instant::now();
    for _ in 0..ROUNDS {
        for end in &ends {
            let typed = &line[..*end];
            black_box(paint(typed, *end, vocabulary));
            black_box(hint(typed));
            black_box(complete(typed, vocabulary));
            black_box(is_complete(typed));
        }
    }
    let keys = u32::try_from(ends.len()).unwrap_or(u32::MAX);
    start.elapsed() / keys.saturating_mul(ROUNDS)
}
