//! Random programs whose offsets and indices are constants, counters, or computed from these: no runtime variable remains.

use crate::suite::{Tally, judge_known, known, shrunk};

/// If no value wraps, no map has a runtime variable; all answers agree with a run of the program.
#[test]
fn known_offsets_are_folded() {
    let (mut tally, mut count) = (Tally::default(), 0);
    for seed in 0..400 {
        let program = known(seed);
        match judge_known(&program, seed, seed % 4 == 0, &mut tally) {
            Ok(is_known) => count += u32::from(is_known),
            Err(error) => {
                let small = shrunk(&program, &mut |program| {
                    judge_known(program, seed, true, &mut Tally::default()).is_err()
                });
                panic!("seed {seed}: {error}\n{program}\nsmaller:\n{small}");
            }
        }
    }
    assert!(count >= 200, "{count} programs in which nothing wraps");
    let of = |answer| tally.counts.get(&("(hlo --check)".to_owned(), answer)).copied();
    let (proved, unknown) = (of("proved").unwrap_or(0), of("unknown").unwrap_or(0));
    assert!(unknown * 50 <= proved, "{proved} maps proved, {unknown} unknown");
}
