//! The steps of a comparison, and of all comparisons of a dump together.
//!
//! Law: a comparison takes at most its own share, and all comparisons together at most the budget of the command.

use affinor::num::Fuel;
use affinor::prove::Budget;

/// The maximum number of steps for sample points in a comparison of all results of two modules.
const POINTS: u64 = 40_000_000;

/// The maximum number of comparisons of values of two modules.
const COMPARISONS: u64 = 30_000;

/// The number of pairs of modules that may each use a full share.
const PAIRS: u64 = 10;

/// The remaining steps.
pub(super) struct Steps {
    /// Fuel for sample points at which reads are compared.
    pub(super) points: Fuel,
    /// The number of comparisons of values.
    pub(super) comparisons: Fuel,
}

impl Steps {
    /// Returns the steps of a command.
    pub(super) fn of_command(budget: &Budget) -> Steps {
        let own = |steps: u64| budget.own_fuel(steps.saturating_mul(PAIRS));
        Steps { points: own(POINTS), comparisons: own(COMPARISONS) }
    }

    /// Returns the share of one comparison.
    pub(super) fn share(&self) -> Steps {
        Steps {
            points: self.points.share(POINTS),
            comparisons: self.comparisons.share(COMPARISONS),
        }
    }

    /// Deducts the steps that a comparison used of its share.
    pub(super) fn take(&self, before: [u64; 2], share: &Steps) {
        let all = [&self.points, &self.comparisons];
        let left = [&share.points, &share.comparisons];
        for ((all, left), before) in all.into_iter().zip(left).zip(before) {
            // An error means that nothing is left, which the next comparison notices.
            let _ = all.spend(before.saturating_sub(left.left()));
        }
    }

    /// Returns the remaining amount of each.
    pub(super) fn left(&self) -> [u64; 2] {
        [self.points.left(), self.comparisons.left()]
    }

    /// Returns whether one of them is used up.
    pub(super) fn are_spent(&self) -> bool {
        self.left().contains(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_share_the_steps_of_a_command() {
        let budget = Budget::default();
        let all = Steps::of_command(&budget);
        let mut shares = Vec::new();
        for _ in 0..=PAIRS {
            let share = all.share();
            let before = share.left();
            shares.push(before);
            assert_eq!(share.comparisons.spend(before[1]).is_ok(), before[1] > 0);
            all.take(before, &share);
        }
        let (last, first) = shares.split_last().expect("shares");
        assert!(first.iter().all(|share| *share == [POINTS, COMPARISONS]));
        assert_eq!(*last, [POINTS, 0]);
        assert!(all.are_spent());
    }
}
