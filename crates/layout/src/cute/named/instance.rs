//! Finds values of the names for which an operation has no layout, using the operation on numbers.

use super::given::Condition;
use super::layout::NamedLayout;
use super::proposal::Operation;
use super::tiler::NamedTiler;
use crate::cute::algebra::{self, Refusal};
use crate::cute::{Layout, Tiler};
use affinor::prove::Budget;
use std::collections::{BTreeMap, BTreeSet};

/// Values tried for each name: small ones, some of which divide others.
const VALUES: [i64; 7] = [3, 5, 2, 7, 4, 12, 1];

/// Maximum number of combinations of values that are tried.
const MOST_TRIED: usize = 49;

/// Maximum number of elements of layouts with numbers that are tried.
const MOST_ELEMENTS: i64 = 1 << 12;

/// Finds values that satisfy the assumed conditions, but violate one of `conditions` if any are given, and for which no layout is
/// the answer; returns them with the reason.
pub(super) fn without_layout(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedTiler,
    assumed: &[Condition],
    conditions: &[Condition],
) -> Result<Option<String>, Refusal> {
    let mut names: BTreeSet<String> = first.names().union(&second.names()).cloned().collect();
    names.extend(assumed.iter().flat_map(Condition::names));
    for number in 0..MOST_TRIED {
        let mut rest = number;
        let mut values = BTreeMap::new();
        for name in &names {
            values.insert(name.clone(), VALUES[rest % VALUES.len()]);
            rest /= VALUES.len();
        }
        if rest > 0 {
            break;
        }
        let hold = |all: &[Condition]| all.iter().all(|condition| condition.holds(&values));
        if !hold(assumed) || !conditions.is_empty() && hold(conditions) {
            continue;
        }
        match with_numbers(operation, first, second, &values) {
            Err(Refusal::None(why)) => {
                let values: Vec<String> =
                    values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                return Ok(Some(format!("at {}: {why}", values.join(", "))));
            }
            Err(Refusal::Interrupted) => return Err(Refusal::Interrupted),
            _ => {}
        }
    }
    Ok(None)
}

fn with_numbers(
    operation: Operation,
    first: &NamedLayout,
    second: &NamedTiler,
    values: &BTreeMap<String, i64>,
) -> Result<(), Refusal> {
    let numbers = |layout: &NamedLayout| {
        let text = layout.with_values(values)?.to_string();
        let layout = Layout::read(&text)?;
        let elements = layout.sizes().iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
        match elements {
            Some(elements) if elements <= MOST_ELEMENTS => Ok((layout, elements)),
            _ => Err(Refusal::Overflow),
        }
    };
    let (first, _) = numbers(first)?;
    let (second, elements) = match second {
        NamedTiler::Whole(second) => {
            let (second, elements) = numbers(second)?;
            (Tiler::Whole(second), elements)
        }
        NamedTiler::Modes(modes) => {
            let mode = |mode: &Option<NamedLayout>| match mode {
                Some(layout) => numbers(layout).map(|(layout, _)| Some(layout)),
                None => Ok(None),
            };
            (Tiler::Modes(modes.iter().map(mode).collect::<Result<_, _>>()?), 1)
        }
    };
    let budget = Budget::default();
    match operation {
        Operation::Compose => algebra::compose_by(&first, &second, &budget),
        Operation::Complement => algebra::complement(&first, elements),
        Operation::Divide(arrangement) => algebra::divide(&first, &second, arrangement, &budget),
        Operation::Product(how) => algebra::product(&first, &second, how, &budget),
        Operation::Recast([from, to]) => algebra::recast(&first, from, to, &budget),
    }?;
    Ok(())
}
