//! Random programs: every kind of answer about them is compared with the elements that were read when they ran.

use crate::suite::{Tally, is_found_out, judge, program, shrunk};

#[test]
fn three_hundred_programs() {
    let mut tally = Tally::default();
    for seed in 0..300 {
        let program = program(seed);
        if let Err(error) = judge(&program, seed, false, &mut tally) {
            let is_wrong =
                |program: &_| judge(program, seed, false, &mut Tally::default()).is_err();
            let small = shrunk(&program, &mut { is_wrong });
            panic!("seed {seed}: {error}\n{program}\nsmaller:\n{small}");
        }
    }
}

/// The comparison detects wrong answers: those about the text of a program with other reads.
#[test]
fn the_text_of_another_program_is_found_out() {
    let (mut found, mut missed) = (0, Vec::new());
    for seed in 0..300 {
        match is_found_out(&program(seed), seed) {
            None => {}
            Some(true) => found += 1,
            Some(false) => missed.push(seed),
        }
    }
    assert!(found >= 10, "{found} programs, {missed:?} missed");
    // If maps are upper bounds, the reads of the other program may be a subset.
    assert!(missed.len() * 10 <= found, "{missed:?} of {found}");
}
