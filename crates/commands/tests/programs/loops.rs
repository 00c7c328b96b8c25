//! Random loops that count, up and down and by steps, over scans, caches and carried states: every kind of answer about them is
//! compared with what was read when they ran.

use crate::suite::{Tally, judge, looped, shrunk};

#[test]
fn loops_are_followed_through_all_iterations() {
    let mut tally = Tally::default();
    for seed in 0..80 {
        let program = looped(seed);
        let with_check = seed % 4 == 0;
        if let Err(error) = judge(&program, seed, with_check, &mut tally) {
            let is_wrong =
                |program: &_| judge(program, seed, with_check, &mut Tally::default()).is_err();
            let small = shrunk(&program, &mut { is_wrong });
            panic!("seed {seed}: {error}\n{program}\nsmaller:\n{small}");
        }
    }
    let of = |question: &str, answer| {
        let counted = tally.counts.get(&(question.to_owned(), answer));
        counted.copied().unwrap_or_default()
    };
    let (exact, wider) = (of("while", "exact"), of("while", "at most"));
    assert!(wider * 4 <= exact, "{exact} maps are exact, {wider} at most");
    let (proved, unknown) = (of("(hlo --check)", "proved"), of("(hlo --check)", "unknown"));
    assert!(unknown * 20 <= proved, "{proved} maps proved, {unknown} unknown");
}
