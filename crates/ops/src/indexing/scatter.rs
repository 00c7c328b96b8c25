//! Scatter: folds windows of updates into the operand, at places known only at run time.
//!
//! Law: with the geometry of `index_vectors`, where the updates are the moving array and the operand the still one, a window
//! that is not entirely within the operand is skipped. `output[d]` starts from `operand[d]` and folds, in any order, the update
//! elements whose `place + within` is `d`. In the map to the updates the batch indices are range variables, and each place is a
//! runtime variable indexed by them. Every element reads all index vectors, since they determine the updates folded into it. Of
//! batching dimensions only the batch of `d` counts. A variadic scatter folds tuples, all of one geometry.
//! Source: XLA, *Operation semantics*, `Scatter`.
//! For all sizes: the law `scatter-skips` of `rules/ops.rules`.

use super::builder::{Condition, MapBuilder, identity, restrict};
use super::index_vectors::{IndexVectors, Place};
use super::op::{Callee, Entries, NoMap, Op, entry_of, fixed_sizes, require};
use super::reads::{Exactness, OperandMap, Reads, RuntimeVariable};
use super::reducer::{Dependence, Fold};
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId};
use affinor::num::Interval;
use affinor_hlo::module::Instruction;

/// Returns the reads of each operand, of the indices and of each update by each result of a scatter.
pub(super) fn entries(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let outputs = op.outputs_of_pairs(1)?;
    let n = outputs.len();
    let (indices, updates) = (op.operand_sizes(n)?, op.operand_sizes(n + 1)?);
    for (j, (_, array)) in outputs.iter().enumerate() {
        let same = fixed_sizes(array)? == op.operand_sizes(0)?
            && op.operand_sizes(j)? == op.operand_sizes(0)?
            && op.operand_sizes(n + 1 + j)? == updates;
        require(same, || "expected operands, updates and results of one shape each")?;
    }
    let still = op.operand_sizes(0)?;
    let geometry = Geometry::new(op.instruction, still, indices, updates)?;
    if geometry.still.contains(&0) {
        geometry.vectors().check("scatter")?;
        return Ok(op.each_pair(&Reads::NOTHING));
    }
    let maps = output_to_operands(&geometry.vectors(), n)?;
    let fold = Fold::of_op(op, "to_apply", n, callee)?;
    let single = maps.single || op.instruction.flag("unique_indices", false)?;
    let name = op.instruction.name();
    let mut entries = Vec::new();
    for (i, (path, _)) in outputs.iter().enumerate() {
        let mut push = |operand, reads| entries.push(entry_of(path, operand, reads));
        let kept = single || fold.state(i, i) == Dependence::Yes;
        for j in 0..n {
            push(j, operand_reads(&fold, (i, j), kept, &maps, name));
        }
        push(n, Reads::exactly(maps.indices.clone()));
        for j in 0..n {
            let needed = fold.element_at_last(i, j);
            let needed = match fold.element(i, j) {
                Dependence::Yes if kept => Dependence::Yes,
                _ => needed.at_most("an update may be replaced by another one"),
            };
            let update = Reads::union([maps.update.clone()]);
            push(n + 1 + j, needed.restrict(name, &update));
        }
    }
    Ok(entries)
}

/// Returns the reads of operand `j` by result `i`. `kept`: whether the fold of result `i` preserves earlier values.
fn operand_reads(
    fold: &Fold,
    (i, j): (usize, usize),
    kept: bool,
    maps: &ScatterMaps,
    name: &str,
) -> Reads {
    if i == j {
        let whole = Reads::exactly(maps.operand.clone());
        return match fold.state(i, i) {
            Dependence::Yes => whole,
            _ if maps.update.map.domain().is_known_empty() => whole,
            Dependence::No if maps.single => Reads::union(maps.untouched.iter().cloned()),
            _ => Dependence::Maybe("an update may take its place".into()).restrict(name, &whole),
        };
    }
    let updated = Reads::union([maps.updated.clone()]);
    match fold.state(i, j) {
        Dependence::Yes if kept => updated,
        _ => fold
            .state_at_last(i, j)
            .at_most("only several updates together may bring it here")
            .restrict(name, &updated),
    }
}

/// The sizes and dimension numbers of a scatter.
struct Geometry {
    still: Vec<i64>,
    indices: Vec<i64>,
    updates: Vec<i64>,
    window: Vec<i64>,
    numbers: affinor_hlo::access::ScatterDimensions,
}

impl Geometry {
    fn new(
        instruction: &Instruction,
        still: Vec<i64>,
        indices: Vec<i64>,
        updates: Vec<i64>,
    ) -> Result<Geometry, NoMap> {
        let numbers = instruction.scatter_dimensions(still.len(), indices.len(), updates.len())?;
        let mut sizes = numbers.update_window.iter().filter_map(|k| updates.get(*k).copied());
        let left_out = |k: usize| {
            numbers.inserted_window.contains(&k) || numbers.operand_batching.contains(&k)
        };
        let window: Option<Vec<i64>> =
            (0..still.len()).map(|k| if left_out(k) { Some(1) } else { sizes.next() }).collect();
        let window = window.ok_or_else(|| {
            NoMap::invalid("the updates do not have as many window dimensions as the operand keeps")
        })?;
        Ok(Geometry { still, indices, updates, window, numbers })
    }

    fn vectors(&self) -> IndexVectors<'_> {
        IndexVectors {
            still: &self.still,
            indices: &self.indices,
            moving: &self.updates,
            window: &self.window,
            offset: &self.numbers.update_window,
            collapsed: &self.numbers.inserted_window,
            index_map: &self.numbers.scatter_to_operand,
            still_batching: &self.numbers.operand_batching,
            indices_batching: &self.numbers.indices_batching,
            vector: self.numbers.index_vector,
        }
    }
}

/// The maps of a scatter.
#[derive(Debug)]
pub(super) struct ScatterMaps {
    /// The map to the operand, at the same index.
    pub(super) operand: IndexingMap,
    /// The map to the operand, at the same index, for elements that an update is folded into.
    pub(super) updated: OperandMap,
    /// The map to the updates.
    pub(super) update: OperandMap,
    /// The map to the indices.
    pub(super) indices: IndexingMap,
    /// Whether at most one update is folded into each element.
    pub(super) single: bool,
    /// The pairwise disjoint maps to the operand, at the same index, for elements that no update is folded into, if there is
    /// one window, or one in each batch.
    pub(super) untouched: Vec<OperandMap>,
}

/// Returns the maps of a scatter whose indices are operand `n`.
pub(super) fn output_to_operands(
    vectors: &IndexVectors<'_>,
    n: usize,
) -> Result<ScatterMaps, NoMap> {
    vectors.check("scatter")?;
    let mut builder = MapBuilder::over(vectors.still);
    let dimensions = builder.dimensions();
    let mut single = true;
    let mut batch = Vec::new();
    for dimension in vectors.batch() {
        let batching = vectors.indices_batching.iter().position(|k| *k == dimension);
        let still = batching.and_then(|i| vectors.still_batching.get(i));
        batch.push(match still.and_then(|k| dimensions.get(*k)) {
            Some(index) => index.clone(),
            None => {
                let size = vectors.indices[dimension];
                single &= size <= 1;
                builder.range(size)
            }
        });
    }
    let mut to_indices = vectors.indices_map(builder.clone(), &batch);
    if vectors.moving.contains(&0) {
        to_indices = to_indices.restricted(&Expr::constant(0), Interval::EMPTY); // the updates are empty
    }

    let mut runtime = Vec::new();
    let mut within: Vec<Expr> = Vec::with_capacity(vectors.still.len());
    let mut conditions: Vec<Condition> = Vec::new();
    for (k, (size, window)) in vectors.still.iter().zip(vectors.window).enumerate() {
        let place = match vectors.place(k) {
            Place::Vector(v) => {
                // One step beyond both ends represents all places at which the window is skipped.
                let most = size - window;
                let (id, place) = builder.runtime(Interval::new(0, most));
                let clamp = Interval::new(-1, most.saturating_add(1));
                runtime.push(vectors.source(n, (id, clamp), &batch, v));
                place
            }
            Place::Batch(b) => batch[b].clone(),
            Place::Begin => Expr::constant(0),
        };
        let distance = dimensions[k].sub(&place)?;
        conditions.push((distance.clone(), Interval::of_size(*window)));
        within.push(distance);
    }
    let mut batch = batch.into_iter();
    let kept = vectors.kept();
    let mut offsets = kept.iter().map(|k| within[*k].clone());
    let update: Vec<Expr> = (0..vectors.moving.len())
        .filter_map(|k| match vectors.offset.contains(&k) {
            true => offsets.next(),
            false => batch.next(),
        })
        .collect();
    let untouched = match single {
        true => untouched(vectors, &builder, &conditions, &runtime),
        false => Vec::new(),
    };
    let finish = |results| OperandMap {
        map: restrict(&builder.clone().finish(results), &conditions),
        exactness: Exactness::Exact,
        runtime: runtime.clone(),
    };
    Ok(ScatterMaps {
        operand: identity(vectors.still),
        updated: finish(dimensions),
        update: finish(update),
        indices: to_indices,
        single,
        untouched,
    })
}

/// Returns the maps to the operand for elements that no update is folded into. `inside` has the conditions, one for each
/// dimension, that an element is within the only window.
fn untouched(
    vectors: &IndexVectors<'_>,
    builder: &MapBuilder,
    inside: &[Condition],
    runtime: &[RuntimeVariable],
) -> Vec<OperandMap> {
    let (domain, results) = builder.clone().finish(builder.dimensions()).into_parts();
    // Places at which the window is skipped are in the domain, too.
    let variables = (0..).map(VariableId).zip(domain.variables());
    let variables = variables.map(|(id, variable)| {
        let value = runtime.iter().find(|value| value.variable == id);
        Variable { bounds: value.map_or(variable.bounds, |value| value.clamp), ..variable.clone() }
    });
    let mut rest = IndexingMap::new(Domain::new(variables.collect()), results);
    let mut found = Vec::new();
    for value in runtime {
        let place = Expr::variable(value.variable);
        let (lo, hi) = (value.clamp.lo(), value.clamp.hi());
        found.push(rest.restricted(&place, Interval::point(lo)));
        found.push(rest.restricted(&place, Interval::point(hi)));
        rest = rest.restricted(&place, Interval::new(lo + 1, hi - 1));
    }
    for ((distance, within), size) in inside.iter().zip(vectors.still) {
        found.push(rest.restricted(distance, Interval::new(-size, within.lo() - 1)));
        found.push(rest.restricted(distance, Interval::new(within.hi() + 1, *size)));
        rest = rest.restricted(distance, *within);
    }
    let maps = found.into_iter().map(|map| OperandMap {
        map,
        exactness: Exactness::Exact,
        runtime: runtime.to_vec(),
    });
    maps.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::index_vectors::tests::cases;
    use crate::indexing::testing::{built, check_against, points, position, read_of_tensors};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn reads_what_the_loop_reads(
            owned in cases(), values in prop::collection::vec(-2i64..5, 1..9)
        ) {
            let vectors = owned.borrowed();
            let maps = built(output_to_operands(&vectors, 1));
            let element = |at: &[i64]| values[position(&owned.indices, at) as usize % values.len()];
            // The loop over all updates: the element that each is folded into, if any.
            let mut arrived: Vec<(Vec<i64>, Vec<i64>)> = Vec::new();
            for update in points(&owned.moving) {
                let (place, within) = owned.placed(&update, element);
                let inside = (0..place.len()).all(|k| {
                    (0..=vectors.still[k] - vectors.window[k]).contains(&place[k])
                });
                if inside {
                    let target = place.iter().zip(&within).map(|(x, y)| x + y).collect();
                    arrived.push((target, update));
                }
            }
            for d in points(&owned.still) {
                let here = arrived.iter().filter(|(target, _)| *target == d);
                let here: BTreeSet<Vec<i64>> = here.map(|(_, update)| update.clone()).collect();
                prop_assert!(!maps.single || here.len() <= 1);
                let read = read_of_tensors(&maps.update, &d, |_, at| element(at));
                prop_assert_eq!(&read, &here);
                if maps.single {
                    let rest = maps.untouched.iter();
                    let rest = rest.map(|map| read_of_tensors(map, &d, |_, at| element(at)));
                    let count = rest.filter(|read| !read.is_empty()).count();
                    prop_assert_eq!(count, usize::from(here.is_empty()));
                }
                let updated = read_of_tensors(&maps.updated, &d, |_, at| element(at));
                prop_assert_eq!(updated.contains(&d), !here.is_empty());
            }
            // All index vectors; with batching dimensions, those of the same batch.
            check_against(&[maps.indices], &owned.still, |d| {
                let of_batch = |at: &Vec<i64>| {
                    let pairs = vectors.still_batching.iter().zip(vectors.indices_batching);
                    pairs.clone().all(|(k, b)| at[*b] == d[*k])
                };
                points(&owned.indices).into_iter().filter(of_batch).collect()
            });
        }
    }
}
