//! Which of the rules that were found the expressions of a corpus need, and their cost.

use super::run::{Run, Size};
use super::state::Kept;
use affinor::text::Error;

/// Drops the rules without which the cases have no more operations, the last one first; ranks the others by the operations
/// that they save for the steps that they cost.
pub(super) fn needed(run: &mut Run<'_>) -> Result<(), Error> {
    let mut sizes = run.sizes();
    for place in (0..run.kept.len()).rev() {
        let without = run.simplifier.without(&[&run.kept[place].rule.name])?;
        let whole = std::mem::replace(&mut run.simplifier, without);
        let others = run.sizes();
        let total = |sizes: &[Size]| sizes.iter().map(|size| size.operations).sum::<u64>();
        if total(&others) <= total(&sizes) {
            run.kept.remove(place);
            sizes = others;
        } else {
            run.simplifier = whole;
        }
    }
    for place in 0..run.kept.len() {
        let without = run.simplifier.without(&[&run.kept[place].rule.name])?;
        let whole = std::mem::replace(&mut run.simplifier, without);
        let others = run.sizes();
        run.simplifier = whole;
        let kept = &mut run.kept[place];
        for (case, (with, without)) in sizes.iter().zip(&others).enumerate() {
            if without.operations > with.operations {
                kept.cases.push(case);
            }
            kept.saves += signed(without.operations) - signed(with.operations);
            kept.costs += signed(with.steps) - signed(without.steps);
        }
    }
    // What costs nothing comes first; products instead of quotients, as rules may save steps.
    let rank = |kept: &Kept| (kept.saves, kept.costs.max(1));
    run.kept.sort_by(|x, y| {
        let ((saves, costs), (others, of_others)) = (rank(x), rank(y));
        let [x, y] =
            [(saves, of_others), (others, costs)].map(|(x, y)| i128::from(x) * i128::from(y));
        y.cmp(&x)
    });
    Ok(())
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
