//! Decides whether two functions of an element number are the same, by trying all numbers or by the prover.

use super::answer::{Basis, Refusal};
use crate::cute::claim::Claim;
use affinor::expr::IndexingMap;
use affinor::prove::{Budget, Reason, Verdict, equal_functions};

/// Maximum number of elements tried one by one.
const MOST_TRIED: i64 = 1 << 18;

/// Number of elements between two checks for an interrupt.
const LOOK_EVERY: i64 = 1 << 12;

pub(super) enum Agreement {
    /// The functions agree at every number; with the equation of their maps, unless one of them overflows.
    Equal(Basis, Claim),
    /// The functions differ at an element: `at element 3: 7, not 8`
    Differ(String),
}

/// Decides whether both functions have the same value at each number below `size`. `maps` returns the same two functions as maps.
pub(super) fn agree(
    size: i64,
    mut left: impl FnMut(i64) -> Result<i64, Refusal>,
    mut right: impl FnMut(i64) -> Result<i64, Refusal>,
    maps: impl FnOnce() -> Result<(IndexingMap, IndexingMap), Refusal>,
    budget: &Budget,
) -> Result<Agreement, Refusal> {
    let fuel = budget.own_fuel(u64::MAX);
    let last = size.min(MOST_TRIED);
    for number in 0..last {
        if number % LOOK_EVERY == 0 {
            fuel.check()?;
        }
        let (expected, found) = (left(number)?, right(number)?);
        if expected != found {
            let place = format!("at element {number}: {expected}, not {found}");
            return Ok(Agreement::Differ(place));
        }
    }
    if last == size {
        return Ok(Agreement::Equal(Basis::Counted, maps().into_iter().collect()));
    }
    let (one, other) = maps()?;
    let verdict = equal_functions(&one, &other, budget);
    match verdict.map_err(|error| Refusal::Unknown(error.message))? {
        Verdict::Proved => Ok(Agreement::Equal(Basis::Proved, vec![(one, other)])),
        Verdict::Refuted(found) => {
            let value = |values: Option<Vec<i64>>| match values.as_deref() {
                Some([value, ..]) => value.to_string(),
                _ => "none".to_owned(),
            };
            let point: Vec<String> = found.point.iter().map(i64::to_string).collect();
            Ok(Agreement::Differ(format!(
                "at element ({}): {}, not {}",
                point.join(", "),
                value(found.left),
                value(found.right)
            )))
        }
        Verdict::Unknown(Reason::Interrupted) => Err(Refusal::Interrupted),
        Verdict::Unknown(reason) => {
            let message = format!("{size} elements are too many to try, and the proof: {reason}");
            Err(Refusal::Unknown(message))
        }
    }
}
