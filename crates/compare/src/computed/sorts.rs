//! Compares elements of sorted arrays.
//!
//! Law: an element of a sort is a function of its position in its line along the sorted dimension, of the elements of all operands
//! in this line, and of the comparator. Operands of a stable sort that are not compared do not matter to the others, nor does
//! the order of operands.

use super::folded::extended;
use super::frames::{At, Given};
use super::parts::View;
use super::regions::only_result;
use super::values::Computed;
use super::verdict::Verdict;
use affinor::expr::IndexingMap;
use affinor_hlo::module::{Computation, ComputationId, InstructionId};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{OperandMap, TuplePath};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of operands that are tried in all orders.
const ORDERED: usize = 4;

/// A sort, as the origin of one of its results.
struct Sorted {
    /// The number of operands.
    count: usize,
    /// The number of the operand whose elements are asked for.
    part: usize,
    /// The operands that are compared, and `part`.
    used: Vec<usize>,
    dimension: usize,
    length: i64,
    comparator: ComputationId,
}

impl Computed<'_> {
    /// Compares elements of two sorts at the points of both views; returns `None` if they are not shown to be the same.
    pub(super) fn sorts(&mut self, sizes: &[i64], views: [&View; 2]) -> Option<Verdict> {
        let [old, new] = [self.sorted(0, &views[0].at)?, self.sorted(1, &views[1].at)?];
        let ops = [0, 1].map(|side| self.frames[side].instruction(&views[side].at));
        let is_stable = ops.map(|op| op.flag("is_stable", false).unwrap_or_default());
        let is_like = old.length == new.length
            && old.used.len() == new.used.len()
            && old.used.len() <= ORDERED
            && is_stable[0] == is_stable[1];
        is_like.then_some(())?;
        let positions =
            [(0, &old), (1, &new)].map(|(side, of)| only_result(&views[side].maps, of.dimension));
        self.reads_same([&positions[0], &positions[1]]).then_some(())?;
        let space: Vec<i64> = sizes.iter().copied().chain([old.length]).collect();
        let mut same: BTreeMap<[usize; 2], bool> = BTreeMap::new();
        for order in orders(&new.used) {
            let pairs: Vec<[usize; 2]> =
                old.used.iter().zip(&order).map(|(one, other)| [*one, *other]).collect();
            let is_straight =
                old.count == new.count && pairs.iter().all(|[one, other]| one == other);
            if !pairs.contains(&[old.part, new.part]) || !is_stable[0] && !is_straight {
                continue;
            }
            let are_same = pairs.iter().all(|pair| {
                if let Some(known) = same.get(pair) {
                    return *known;
                }
                let lines = [(0, &old), (1, &new)]
                    .map(|(side, of)| self.line(side, views[side], of, pair[side]));
                let is_same = match lines {
                    [Some(old), Some(new)] => self.same(&space, [old, new], None).is_same(),
                    _ => false,
                };
                same.insert(*pair, is_same);
                is_same
            });
            let comparators = [old.comparator, new.comparator];
            if are_same && self.same_comparators(comparators, &pairs) {
                return Some(Verdict::Same);
            }
        }
        None
    }

    fn sorted(&self, side: usize, at: &At) -> Option<Sorted> {
        let op = self.frames[side].instruction(at);
        (*op.opcode() == Opcode::Sort).then_some(())?;
        let array = op.shape().at(&at.place.1)?.as_array()?;
        let dimensions = op.dimensions(array.rank()).ok()?;
        let [dimension] = dimensions.as_slice() else {
            return None;
        };
        let part = at.place.1.first().copied().unwrap_or(0);
        let comparator = op.called("to_apply").ok()?;
        let body = &self.frames[side].module[comparator];
        let count = op.operands().len();
        (body.parameters().len() == 2 * count).then_some(())?;
        let read = read_parameters(body);
        let is_used = |number: &usize| {
            *number == part || read.contains(&(2 * number)) || read.contains(&(2 * number + 1))
        };
        Some(Sorted {
            count,
            part,
            used: (0..count).filter(is_used).collect(),
            dimension: *dimension,
            length: *array.sizes()?.get(*dimension)?,
            comparator,
        })
    }

    /// Returns the elements of an operand in the lines through the elements of a view.
    fn line(&self, side: usize, view: &View, of: &Sorted, number: usize) -> Option<View> {
        let op = self.frames[side].instruction(&view.at);
        let at =
            At { frame: view.at.frame, place: (*op.operands().get(number)?, TuplePath::new()) };
        let maps = view.maps.iter().map(|map| {
            let longer = extended(map, &[of.length])?;
            let (domain, mut results) = longer.map.into_parts();
            let along = results.pop()?;
            *results.get_mut(of.dimension)? = along;
            Some(OperandMap { map: IndexingMap::new(domain, results), ..map.clone() })
        });
        Some(View { at, maps: maps.collect::<Option<_>>()? })
    }

    /// Returns whether two comparators are the same function if each pair of operands is one operand.
    fn same_comparators(&mut self, computations: [ComputationId; 2], pairs: &[[usize; 2]]) -> bool {
        let bodies = [0, 1].map(|side| &self.frames[side].module[computations[side]]);
        let first = self.next;
        let mut next = first + 2 * pairs.len();
        let frames = [0, 1].map(|side| {
            let mut classes = BTreeMap::new();
            for (number, id) in bodies[side].parameters().iter().enumerate() {
                let pair = pairs.iter().position(|pair| pair[side] == number / 2);
                let class = pair.map_or(next, |pair| first + 2 * pair + number % 2);
                next = next.max(class + 1);
                classes.insert((*id, TuplePath::new()), class);
            }
            self.frames[side].open(computations[side], Given::Any(classes))
        });
        self.next = next;
        let roots = [0, 1]
            .map(|side| At { frame: frames[side], place: (bodies[side].root(), TuplePath::new()) });
        self.whole(&[], roots).is_same()
    }
}

/// Returns the numbers of the parameters that the result of a computation depends on.
fn read_parameters(body: &Computation) -> BTreeSet<usize> {
    let mut pending: Vec<InstructionId> = vec![body.root()];
    let mut seen: BTreeSet<InstructionId> = BTreeSet::new();
    let mut read = BTreeSet::new();
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            read.extend(body[id].parameter_number());
            pending.extend(body[id].operands());
        }
    }
    read
}

fn orders(numbers: &[usize]) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in numbers {
        let longer = orders.iter().flat_map(|order| {
            let free = numbers.iter().filter(|number| !order.contains(number));
            free.map(|number| [&order[..], &[*number]].concat())
        });
        orders = longer.collect();
    }
    orders
}
