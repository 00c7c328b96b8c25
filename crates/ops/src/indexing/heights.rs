//! The depth of calls in a module.

use affinor_hlo::module::{ComputationId, Module};

/// Returns, for each computation, the depth of the computations it refers to. The references are acyclic.
pub(super) fn heights(module: &Module) -> Vec<usize> {
    let references = |id: ComputationId| {
        let instructions = module[id].instructions();
        instructions.flat_map(|(_, instruction)| {
            let references = instruction.attributes().computations();
            references.filter_map(|reference| reference.target())
        })
    };
    let mut heights: Vec<Option<usize>> = vec![None; module.computations().len()];
    for (id, _) in module.computations() {
        // An explicit stack, since the nesting depth of a module is unbounded.
        let mut pending = vec![id];
        while let Some(current) = pending.last().copied() {
            let below: Vec<ComputationId> =
                references(current).filter(|target| heights[target.index()].is_none()).collect();
            if below.is_empty() {
                let heights_below =
                    references(current).filter_map(|target| heights[target.index()]);
                let height = heights_below.max().map_or(0, |height| height + 1);
                heights[current.index()] = Some(height);
                pending.pop();
            } else {
                pending.extend(below);
            }
        }
    }
    heights.into_iter().map(Option::unwrap_or_default).collect()
}
