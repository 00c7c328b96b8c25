//! Selects the one or two divisibility conditions that a rule needs. If many terms are multiples by coincidence, dropping
//! conditions one after the other may keep several coincidences in place of the one that matters.

use super::weaken::weakened;
use affinor::num::Fuel;
use affinor::prove::Budget;
use affinor::rule::verify::soon_found;
use affinor::rule::{Condition, Point, Rule, Term, Truth};

/// Maximum number of conditions whose pairs are tried.
const MAX_PAIRED: usize = 24;

/// Steps of fuel for looking for a counterexample.
const REFUTATION: u64 = 2;

/// Returns the rule with at most two of its conditions on remainders, the first that suffice, and only as many of the other
/// conditions as needed.
pub fn with_fewest(rule: &Rule, budget: &Budget, fuel: &Fuel) -> Option<Rule> {
    let (mut residues, others): (Vec<Condition>, Vec<Condition>) =
        (rule.conditions.iter().cloned()).partition(|one| matches!(one.lhs, Term::Mod(..)));
    // The conditions were sorted by the order in which to drop them.
    residues.reverse();
    let singles = (0..residues.len()).map(|x| vec![x]);
    let few = residues.len().min(MAX_PAIRED);
    let pairs = (1..few).flat_map(|y| (0..y).map(move |x| vec![x, y]));
    let mut against: Vec<Point> = Vec::new();
    for chosen in std::iter::once(Vec::new()).chain(singles).chain(pairs) {
        let mut with = rule.clone();
        with.conditions = chosen.into_iter().map(|index| residues[index].clone()).collect();
        with.conditions.extend(others.iter().cloned());
        let is_wrong = |point: &Point| matches!(with.truth(point), Truth::Fails | Truth::Undefined);
        if against.iter().any(is_wrong) {
            continue;
        }
        fuel.spend(REFUTATION).ok()?;
        match soon_found(&with) {
            Some(point) => against.push(point),
            None => {
                let found = weakened(&with, budget, fuel);
                if found.is_some() {
                    return found;
                }
            }
        }
    }
    None
}
