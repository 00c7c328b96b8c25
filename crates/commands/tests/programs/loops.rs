//! Random counted loops, up and down and with steps, over scans, caches and carried states, and over the blocks of a grid:
//! every kind of answer about them is compared with the elements that were read when they ran.

use crate::suite::{Program, Tally, gridded, judge, looped, nested, shrunk};

/// Judges the programs of these seeds, every fourth with `--check`.
#[track_caller]
fn judged(seeds: std::ops::Range<u64>, program: fn(u64) -> Program) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let program = program(seed);
        let with_check = seed % 4 == 0;
        if let Err(error) = judge(&program, seed, with_check, &mut tally) {
            let is_wrong =
                |program: &_| judge(program, seed, with_check, &mut Tally::default()).is_err();
            let small = shrunk(&program, &mut { is_wrong });
            panic!("seed {seed}: {error}\n{program}\nsmaller:\n{small}");
        }
    }
    tally
}

fn counts(tally: &Tally, question: &str, answers: [&'static str; 2]) -> [u64; 2] {
    answers.map(|answer| {
        let counted = tally.counts.get(&(question.to_owned(), answer));
        counted.copied().unwrap_or_default()
    })
}

#[test]
fn loops_are_followed_through_all_iterations() {
    let tally = judged(0..80, looped);
    let [exact, wider] = counts(&tally, "while", ["exact", "at most"]);
    assert!(wider * 20 <= exact, "{exact} maps are exact, {wider} at most");
    let [proved, unknown] = counts(&tally, "(hlo --check)", ["proved", "unknown"]);
    assert!(unknown * 20 <= proved, "{proved} maps proved, {unknown} unknown");
}

#[test]
fn grids_are_followed_block_by_block() {
    let tally = judged(0..40, gridded);
    let [exact, wider] = counts(&tally, "while", ["exact", "at most"]);
    assert!(wider == 0 && exact > 0, "{exact} maps are exact, {wider} at most");
    let [proved, unknown] = counts(&tally, "(hlo --check)", ["proved", "unknown"]);
    assert!(unknown * 4 <= proved, "{proved} maps proved, {unknown} unknown");
}

/// Checks nested loops; in two tests, since these are the longest ones.
fn nests(seeds: std::ops::Range<u64>) {
    let tally = judged(seeds, nested);
    let [exact, wider] = counts(&tally, "while", ["exact", "at most"]);
    assert!(wider * 20 <= exact, "{exact} maps are exact, {wider} at most");
}

#[test]
fn loops_in_loops_are_followed_through_both() {
    nests(0..20);
}

#[test]
fn more_loops_in_loops_are_followed_through_both() {
    nests(20..40);
}
