//! Finds, of the rules that explain an example, the most general one that rewrites the example as shown.

use super::candidates::each_rule;
use super::dress::{Fires, dressed};
use super::learned::{Learned, Missed};
use affinor::expr::{Domain, Expr};
use affinor::num::Fuel;
use affinor::prove::Budget;
use affinor::simplify::Simplifier;

/// Maximum number of further rules examined after one that does not fire.
const MAX_SILENT: usize = 8;

/// Fuel for that further search.
const MORE: u64 = 10_000;

/// Learns the rule by which `left` equals `right` on the domain.
///
/// # Errors
/// The reason why no rule was found.
pub fn learn(
    domain: &Domain,
    sides: [&Expr; 2],
    budget: &Budget,
    fuel: &Fuel,
) -> Result<Learned, Missed> {
    // The best rule so far, with a rank of how well it reproduces the example.
    let mut best: Option<(u8, Learned)> = None;
    let shipped = Simplifier::shipped().map_err(|_| Missed::NotFound)?;
    let mut silent = 0;
    let mut end = None;
    let missed = each_rule(domain, sides, (budget, fuel), &mut |learned| {
        let Ok(dressed) = dressed(&learned, "learnt", shipped.rules(), budget) else {
            return false;
        };
        let rank = match dressed.fires {
            Fires::Alone => 4,
            Fires::Among => 3,
            Fires::NotNeeded => 2,
            Fires::NotSeen => 1,
            Fires::Never(_) => 0,
        };
        if best.as_ref().is_none_or(|(known, _)| *known < rank) {
            best = Some((rank, learned));
        }
        silent += 1;
        let end = *end.get_or_insert(fuel.left().saturating_sub(MORE));
        rank >= 2 || silent > MAX_SILENT || fuel.left() < end
    });
    match (best, missed) {
        (Some((_, learned)), _) => Ok(learned),
        (None, missed) => Err(missed.err().unwrap_or(Missed::NotFound)),
    }
}
