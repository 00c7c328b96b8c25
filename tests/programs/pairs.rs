//! Random programs and what becomes of them when they are changed: `diff --entry` never calls the same what reads something else.

use crate::suite::{Tally, has_loop, judge_changes, program};

#[test]
fn programs_with_loops() {
    let mut tally = Tally::default();
    for seed in (1_000..).filter(|seed| has_loop(&program(*seed))).take(120) {
        let program = program(seed);
        if let Err(error) = judge_changes(&program, seed, &mut tally) {
            panic!("seed {seed}: {error}\n{program}");
        }
    }
}

#[test]
fn other_programs() {
    let mut tally = Tally::default();
    for seed in 5_000..5_120 {
        let program = program(seed);
        if let Err(error) = judge_changes(&program, seed, &mut tally) {
            panic!("seed {seed}: {error}\n{program}");
        }
    }
}
