//! Determines which of the discovered rules a corpus needs, and their cost.

use super::run::{Run, Size};
use super::state::Kept;
use affinor::text::Error;

/// Drops each rule without which no case has more operations, the last rule first; ranks the others by the operations that they
/// save per step that they cost.
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
    // Rules without cost come first. Compares cross products instead of quotients, since the cost may be zero or negative.
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
