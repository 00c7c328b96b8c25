//! Containment of reads for all values of parameters.

use super::compare::contains;
use affinor::expr::{ExprError, IndexingMap};
use affinor::prove::{Budget, Reason, Verdict, includes, sizes_of, with_sizes};

/// Values of the parameters, and an element that only one of two maps reads for these values.
pub type Unread = (Vec<i64>, Vec<i64>);

/// Decides whether `container` reads everything that `content` reads, for all values of the parameters, which are the same in
/// both maps, in the same order. A counterexample consists of parameter values and an element that only `content` reads for
/// them.
///
/// # Errors
/// [`ExprError`] if an expression is not representable.
pub fn contains_by_size(
    container: &IndexingMap,
    content: &IndexingMap,
    budget: &Budget,
) -> Result<Verdict<Unread>, ExprError> {
    let cheap = Budget {
        points: budget.points / 20,
        samples: budget.samples / 20,
        solver_steps: 0,
        ..budget.clone()
    };
    for sizes in sizes_of([container, content]) {
        let at = |map| with_sizes(map, &sizes);
        let (Some(one), Some(other)) = (at(container), at(content)) else {
            continue;
        };
        if let Ok((Verdict::Refuted(element), _)) = contains(&one, &other, &cheap) {
            let values = sizes.iter().map(|(_, value)| *value).collect();
            return Ok(Verdict::Refuted((values, element)));
        }
    }
    let local = |map: &IndexingMap| map.with_ranges(|id| !map.domain().is_parameter(id));
    let (container, content) = (local(container)?.0, local(content)?.0);
    Ok(match includes(&content, &container, budget) {
        Ok(()) => Verdict::Proved,
        Err(reason) if budget.solver_steps > 0 => Verdict::Unknown(reason),
        Err(_) => Verdict::Unknown(Reason::SolverOff),
    })
}
