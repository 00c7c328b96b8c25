//! Ops whose offsets are values: slices at positions known only at run time.
//!
//! *Operation semantics*, "DynamicSlice", "DynamicUpdateSlice", "Gather", "Scatter".

use super::access::{Access, Definition};
use super::combiner::Combiner;
use super::op::{NoDefinition, Op, same_index};
use super::relation::{Index, Relation, Source, Sum, Value, d, i};
use super::solve::copy;
use super::values::held;
use affinor_maps::num::Interval;

/// "Extracts a sub-array from the input array at dynamic start indices", which are "clamped so that the
/// slice is in bounds": `i = d + start`.
pub(super) fn dynamic_slice(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(0)?;
    let (operand, output) = (op.operand(0)?, op.output()?);
    for (k, (size, slice)) in operand.iter().zip(&output).enumerate() {
        let start = start(op, &mut reads, 1, operand.len(), k, size - slice)?;
        reads.equate(i(k), d(k) + start)?;
    }
    Ok(offsets(op, 1, Access::new(0, reads))?.into_iter().collect())
}

/// "Generates a result which is the value of the input array, with a slice overwritten at start indices",
/// which are clamped: `d = u + start` for the update; the operand elsewhere.
pub(super) fn dynamic_update_slice(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let mut reads = op.relation(1)?;
    let (operand, update) = (op.operand(0)?, op.operand(1)?);
    for (k, (size, slice)) in operand.iter().zip(&update).enumerate() {
        let start = start(op, &mut reads, 2, operand.len(), k, size - slice)?;
        reads.equate(d(k), i(k) + start)?;
    }
    let elsewhere = Access::new(0, op.same_index(0)?).unless(reads.clone());
    let accesses = offsets(op, 2, Access::new(1, reads))?;
    Ok(accesses.into_iter().chain([elsewhere]).collect())
}

/// Returns the start in dimension `k`, at most `largest`: operand `first + k`, a scalar, or element `k` of operand `first`, a
/// list.
fn start(
    op: &Op<'_>,
    reads: &mut Relation,
    first: usize,
    rank: usize,
    k: usize,
    largest: i64,
) -> Result<Sum, NoDefinition> {
    let is_list = op.operand_count() == first + 1 && op.operand(first)?.len() == 1;
    if !is_list && op.operand_count() != first + rank {
        return Err(op.invalid("the instruction must have a start for each dimension"));
    }
    if largest < 0 {
        return Err(op.invalid("the slice must not be larger than the array"));
    }
    let number = i64::try_from(k).unwrap_or(i64::MAX);
    let (operand, index) = match is_list {
        true => (first, vec![number.into()]),
        false => (first + k, Vec::new()),
    };
    Ok(reads.value(Value {
        source: Source::Operand(operand),
        path: Vec::new(),
        index,
        clamp: of_its_type(op, operand, Interval::new(0, largest))?,
        is_free: true,
    })?)
}

/// Adds to `access` the accesses to the operands from `first` on, which every element reads.
fn offsets(op: &Op<'_>, first: usize, access: Access) -> Result<Vec<Access>, NoDefinition> {
    let chosen = (first..op.operand_count()).map(|k| op.chosen_by(k));
    [Ok(access)].into_iter().chain(chosen).collect()
}

/// "Stitches together several slices (each at a different runtime offset) of an input array."
///
/// "The offset dimensions of the result index into the slice, the others are batch dimensions": these choose an index vector,
/// whose elements, "clamped so that the slice is in bounds", are the start of the slice in the dimensions of `start_index_map`.
/// In "operand batching dimensions", the slice starts at the index of the batch dimension itself.
pub(super) fn gather(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let (operand, indices, output) = (op.operand(0)?, op.operand(1)?, op.output()?);
    let g = op.instruction.gather_dimensions(operand.len(), indices.len(), output.len())?;
    if operand.contains(&0) || g.slice_sizes.contains(&0) {
        return Ok(Definition::default());
    }
    let batch: Vec<usize> = (0..output.len()).filter(|k| !g.offset.contains(k)).collect();
    let mut offset = sorted(&g.offset).into_iter();

    let mut reads = op.relation(0)?;
    let of_batch: Vec<Sum> = batch.iter().map(|k| d(*k)).collect();
    for (k, size) in operand.iter().enumerate() {
        let mut at = Sum::from(0);
        if let Some(component) = g.start_index_map.iter().position(|m| *m == k) {
            let slice = g.slice_sizes.get(k).copied().unwrap_or(0);
            let clamp = Interval::new(0, size - slice);
            let index = index_vector(&indices, g.index_vector, &of_batch, component);
            at = at + start_of(op, &mut reads, 1, index, clamp)?;
        }
        if let Some(place) = g.operand_batching.iter().position(|m| *m == k) {
            at = at + batch_index(op, &of_batch, g.index_vector, g.indices_batching[place])?;
        } else if !g.collapsed_slice.contains(&k) {
            let within = offset.next();
            at =
                at + d(within.ok_or_else(|| op.invalid("`offset_dims` lists too few dimensions"))?);
        }
        reads.equate(i(k), at)?;
    }
    let mut chosen = op.relation(1)?;
    let own = (0..indices.len()).filter(|k| *k != g.index_vector);
    for (k, batch) in own.zip(of_batch) {
        chosen.equate(i(k), batch)?;
    }
    let chosen = Access::new(1, chosen).as_choice();
    Ok(Definition::from_iter([Access::new(0, reads), chosen]))
}

/// "Generates a result which is the value of the input array, with several slices (at indices specified
/// by the indices array) updated with the values in updates."
///
/// The dimensions of an update that are not window dimensions choose an index vector, the start of a window in the dimensions
/// of `scatter_dims_to_operand_dims`. A window "that is out of bounds is skipped" as a whole. Which windows hold an element is
/// seen by reading all indices.
///
/// In "operand batching dimensions", a window starts at the index of the batch dimension itself, so only the index vectors of
/// its own batch can reach an element.
pub(super) fn scatter(op: &Op<'_>) -> Result<Definition, NoDefinition> {
    let n = op.operand_count() / 2;
    let combiner = Combiner::of(op, "to_apply", n)?;
    let (indices, updates) = (op.operand(n)?, op.operand(n + 1)?);
    let rank = op.operand(0)?.len();
    let g = op.instruction.scatter_dimensions(rank, indices.len(), updates.len())?;
    // No two index vectors of other batches hit the same element.
    let own = (0..).zip(&indices);
    let mut own = own.filter(|(k, _)| *k != g.index_vector && !g.indices_batching.contains(k));
    let hits_once = op.flag("unique_indices") || own.all(|(_, size)| *size == 1);
    let mut accesses = Vec::new();
    for (part, path) in op.output_paths(n)?.iter().enumerate() {
        let output = op.output_part(path)?;
        let states = combiner.states(part, hits_once);
        let elements = combiner.elements(part, hits_once);
        // Each further update preserves the dependence on earlier ones.
        let keeps = hits_once || combiner.uses_state(part, part);
        for input in 0..n {
            let update = updated(op, &output, n, input)?;
            let own = same_index(&output, &op.operand(input)?)?;
            if input == part {
                let own = Access::new(input, own).of_output(path);
                accesses.push(match (combiner.uses_state(part, part), states.contains(&part)) {
                    (true, _) => own,
                    (false, false) => own.unless(update.clone()),
                    (false, true) => own.at_most("updates may replace it"),
                });
            } else if states.contains(&input) {
                let own = Access::new(input, where_updated(own, &update)?).of_output(path);
                accesses.push(match (combiner.uses_state(part, input), keeps) {
                    (true, true) => own,
                    (true, false) => own.possibly("a further update may replace it"),
                    (false, _) => own.at_most("only several updates together may bring it here"),
                });
            }
            if elements.contains(&input) {
                let update = Access::new(n + 1 + input, update).of_output(path);
                accesses.push(match (combiner.uses_element(part, input), keeps) {
                    (true, true) => update,
                    (true, false) => update.possibly("a further update may replace it"),
                    (false, _) => update.at_most("only several updates together may bring it here"),
                });
            }
        }
        if !updates.contains(&0) {
            let mut chosen = Relation::new(&output, &indices);
            for (place, k) in g.operand_batching.iter().enumerate() {
                chosen.equate(i(g.indices_batching[place]), d(*k))?;
            }
            accesses.push(Access::new(n, chosen).of_output(path).as_choice());
        }
    }
    Ok(accesses.into_iter().collect())
}

/// Restricts `own` to the output elements that `update` has an element for.
fn where_updated(mut own: Relation, update: &Relation) -> Result<Relation, NoDefinition> {
    let sizes = update.operand().iter();
    let elements: Vec<Sum> = sizes.map(|size| own.over(*size)).collect();
    copy(update, &mut own, &|index| match index {
        Index::Operand(k) => elements.get(k).cloned(),
        Index::Loop(_) => None,
        other => Some(other.into()),
    })?;
    Ok(own)
}

/// Returns the elements of update number `input` that hit an element of the output.
fn updated(op: &Op<'_>, output: &[i64], n: usize, input: usize) -> Result<Relation, NoDefinition> {
    let (indices, updates) = (op.operand(n)?, op.operand(n + 1 + input)?);
    let g = op.instruction.scatter_dimensions(output.len(), indices.len(), updates.len())?;
    let window = sorted(&g.update_window);
    let batch: Vec<Sum> = (0..updates.len()).filter(|k| !window.contains(k)).map(i).collect();
    let mut window = window.into_iter();
    let mut reads = Relation::new(output, &updates);
    for (k, size) in output.iter().enumerate() {
        let mut at = Sum::from(0);
        let mut extent = 1;
        let mut start = Sum::from(0);
        if let Some(place) = g.operand_batching.iter().position(|m| *m == k) {
            at = at + batch_index(op, &batch, g.index_vector, g.indices_batching[place])?;
        } else if !g.inserted_window.contains(&k) {
            let within = window.next();
            let within = within
                .ok_or_else(|| op.invalid("`update_window_dims` lists too few dimensions"))?;
            extent = updates.get(within).copied().unwrap_or(0);
            at = at + i(within);
        }
        if let Some(component) = g.scatter_to_operand.iter().position(|m| *m == k) {
            let index = index_vector(&indices, g.index_vector, &batch, component);
            start = start_of(op, &mut reads, n, index, Interval::ALL)?;
            reads.within(start.clone(), Interval::new(0, size - extent))?;
        }
        reads.equate(d(k), start + at)?;
    }
    Ok(reads)
}

/// Returns the index of component `component` of the index vector selected by `batch`.
fn index_vector(indices: &[i64], vector: usize, batch: &[Sum], component: usize) -> Vec<Sum> {
    let mut batch = batch.iter();
    let component = i64::try_from(component).unwrap_or(i64::MAX);
    let index = |k: usize| match k == vector {
        true => Some(Sum::from(component)),
        false => batch.next().cloned(),
    };
    (0..indices.len()).map_while(index).collect()
}

fn start_of(
    op: &Op<'_>,
    reads: &mut Relation,
    operand: usize,
    index: Vec<Sum>,
    clamp: Interval,
) -> Result<Sum, NoDefinition> {
    if index.len() != op.operand(operand)?.len() {
        return Err(op.invalid("the indices have more dimensions than the batch"));
    }
    Ok(reads.value(Value {
        source: Source::Operand(operand),
        path: Vec::new(),
        index,
        clamp: of_its_type(op, operand, clamp)?,
        is_free: true,
    })?)
}

/// Returns the part of a clamp that elements of operand `operand` can reach, by its type; 0 is always included.
pub(super) fn of_its_type(
    op: &Op<'_>,
    operand: usize,
    clamp: Interval,
) -> Result<Interval, NoDefinition> {
    let held = held(op.operand_array(operand)?.element_type());
    Ok(clamp.intersect(held.unwrap_or(Interval::ALL)))
}

/// Returns the batch index for dimension `dimension` of the indices: batch indices are in order, skipping the dimension of
/// index vectors.
fn batch_index(
    op: &Op<'_>,
    batch: &[Sum],
    vector: usize,
    dimension: usize,
) -> Result<Sum, NoDefinition> {
    let place = dimension - usize::from(dimension > vector);
    let index = batch.get(place).filter(|_| dimension != vector).cloned();
    index.ok_or_else(|| op.invalid("a batching dimension is not a batch dimension of the indices"))
}

fn sorted(dimensions: &[usize]) -> Vec<usize> {
    let mut sorted = dimensions.to_vec();
    sorted.sort_unstable();
    sorted
}
