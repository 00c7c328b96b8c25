//! Random programs and changed copies of them: `diff --entry` never reports equal reads for two programs with different
//! reads.

use crate::suite::{Tally, has_loop, judge_changes, program};

/// Changes programs, and checks that runs distinguish at least `differ` of the changed ones, and that `diff --entry` reports
/// at least `differ` more as changed or unknown.
#[track_caller]
fn check(programs: impl Iterator<Item = u64>, differ: u64) {
    let mut tally = Tally::default();
    for seed in programs {
        let program = program(seed);
        if let Err(error) = judge_changes(&program, seed, &mut tally) {
            panic!("seed {seed}: {error}\n{program}");
        }
    }
    let count = |question: &str, answer| {
        let found = tally.counts.get(&(question.to_owned(), answer));
        found.copied().unwrap_or_default()
    };
    let said = count("(diff --entry)", "changed") + count("(diff --entry)", "unknown");
    let found = count("(runs)", "differ");
    assert!(found >= differ, "{:?}", tally.counts);
    assert!(said >= found + differ, "{:?}", tally.counts);
    assert!(count("(diff --entry)", "same") >= differ, "{:?}", tally.counts);
}

#[test]
fn programs_with_loops() {
    let seeds = (1_000..).filter(|seed| has_loop(&program(*seed)));
    check(seeds.take(120), 10);
}

#[test]
fn other_programs() {
    check(5_000..5_120, 10);
}
