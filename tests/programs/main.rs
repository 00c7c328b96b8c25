//! Random programs: every kind of answer about them is compared with what was read when they ran.

mod suite;

use suite::{Tally, judge, program, shrunk};

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
