//! Random programs: every kind of answer about them is compared with what was read when they ran.

mod suite;

use suite::{Tally, judge, program};

#[test]
fn three_hundred_programs() {
    let mut tally = Tally::default();
    for seed in 0..300 {
        let program = program(seed);
        if let Err(error) = judge(&program, seed, false, &mut tally) {
            panic!("seed {seed}: {error}\n{program}");
        }
    }
}
