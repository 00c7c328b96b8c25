//! Compares scatters of the same windows to the same places, however their indices and updates are written.
//!
//! Law: two scatters with the same combiner are the same if their operands are the same and, in some common order of the windows,
//! each window has the same place in the operand and the same updates. The windows that are skipped are then the same, too.

use super::folded::extended;
use super::frames::At;
use super::parts::View;
use super::regions::only_result;
use super::values::Computed;
use super::verdict::{Verdict, only_difference, other_operation};
use crate::agreement::{Change, change};
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{OperandMap, Place, TuplePath, row_major};

/// Maximum number of comparisons of places that are nested too deeply.
const TURNS: usize = 8;

/// An array of each side, read at the indices that the maps take from a list of these sizes.
pub(crate) struct ReadAlike {
    pub(crate) sizes: Vec<i64>,
    pub(crate) views: [(Place, Vec<OperandMap>); 2],
}

/// A scatter, with its windows in a single sequence.
struct Scatter {
    operands: Vec<At>,
    indices: At,
    updates: Vec<At>,
    sizes: Vec<i64>,
    /// The sizes of the dimensions that enumerate the windows.
    batch: Vec<i64>,
    /// The size of a window in each dimension of the operand.
    window: Vec<i64>,
    /// Maps the number of a window and an index in it to the index of its update.
    update: IndexingMap,
    /// The places of the windows in each dimension of the operand.
    places: Vec<Position>,
}

/// The places of windows in one dimension.
enum Position {
    /// Given by elements of the indices.
    Index(IndexingMap),
    /// Given by an index that enumerates windows, or 0.
    Known(IndexingMap),
}

/// Arrays that both scatters read at the same places, as views over these sizes.
type Scattered = (Vec<i64>, [View; 2]);

impl Computed<'_> {
    /// Compares parts of the results of two scatters; returns `None` unless both are scatters of windows of the same size.
    pub(super) fn scatters(&mut self, places: [&At; 2]) -> Option<Verdict> {
        let (mut verdicts, scattered) = self.scattered(places)?;
        for (sizes, [one, other]) in scattered {
            verdicts.push(self.same(&sizes, [one, other], None));
        }
        Some(only_difference(verdicts))
    }

    /// Returns the operands and updates of two scatters in the entry computations if both have the same list of windows
    /// at the same places, given by the same reads of their indices.
    pub(crate) fn scattered_alike(&mut self, places: [&Place; 2]) -> Option<Vec<ReadAlike>> {
        let places = places.map(|place| At { frame: 0, place: place.clone() });
        let mut found = self.scattered(places.each_ref());
        for _ in 0..TURNS {
            let Some(deep) = self.deep.take() else {
                break;
            };
            self.same_in_turn(deep);
            found = self.scattered(places.each_ref());
        }
        let (verdicts, scattered) = found.filter(|_| self.deep.take().is_none())?;
        let are_same = verdicts.iter().all(Verdict::is_same) && self.is_strict;
        let plain = |(sizes, views): Scattered| {
            let views = views.map(|view| (view.at.place, view.maps));
            ReadAlike { sizes, views }
        };
        are_same.then(|| scattered.into_iter().map(plain).collect())
    }

    /// Returns the other operands of two select-and-scatters in the entry computations, if both have the same text and select by
    /// the same operand.
    pub(crate) fn selected_alike(&mut self, places: [&Place; 2]) -> Option<Vec<ReadAlike>> {
        let ops = [0, 1].map(|side| &self.frames[side].body(0)[places[side].0]);
        let is_like = self.alike(ops, true);
        (self.deep.take().is_none() && is_like).then_some(())?;
        let operands = |number: usize| -> Option<[Place; 2]> {
            let [old, new] = ops.map(|op| op.operands().get(number).copied());
            Some([(old?, TuplePath::new()), (new?, TuplePath::new())])
        };
        self.are_same(operands(0)?.each_ref()).then_some(())?;
        let mut all = Vec::new();
        for number in [1, 2] {
            let both = operands(number)?;
            let sizes = [0, 1].map(|side| {
                self.frames[side].body(0)[both[side].0].shape().as_array()?.fixed_sizes()
            });
            let [Some(sizes), Some(other)] = sizes else {
                return None;
            };
            (sizes == other).then_some(())?;
            let maps = vec![OperandMap::exact(row_major(&sizes, &sizes)?)];
            all.push(ReadAlike { sizes, views: both.map(|place| (place, maps.clone())) });
        }
        Some(all)
    }

    /// Compares the places of the windows of two scatters; also returns the arrays that both read at the same places.
    fn scattered(&mut self, places: [&At; 2]) -> Option<(Vec<Verdict>, Vec<Scattered>)> {
        let ops = [0, 1].map(|side| self.frames[side].instruction(places[side]));
        let [old, new] = [self.scatter(0, places[0])?, self.scatter(1, places[1])?];
        let is_like = places[0].place.1 == places[1].place.1
            && old.operands.len() == new.operands.len()
            && (&old.sizes, &old.window) == (&new.sizes, &new.window)
            && self.alike(ops, false);
        is_like.then_some(())?;
        let batch = old.batch.clone();
        let windows = [row_major(&batch, &old.batch)?, row_major(&batch, &new.batch)?];
        let mut verdicts = Vec::new();
        for dimension in 0..old.sizes.len() {
            let both = [&old.places[dimension], &new.places[dimension]];
            let views = [0, 1].map(|side| {
                let (Position::Index(map) | Position::Known(map)) = both[side];
                let all = [OperandMap::exact(windows[side].clone())];
                let maps = self.analyses[side].followed(&all, map)?;
                Some(View { at: [&old, &new][side].indices.clone(), maps })
            });
            let [Some(one), Some(other)] = views else {
                return None;
            };
            let is_same = match both {
                [Position::Index(_), Position::Index(_)] => {
                    verdicts.push(self.same(&batch, [one, other], None));
                    continue;
                }
                [Position::Known(_), Position::Known(_)] => self.at_same(&one.maps, &other.maps),
                [Position::Index(_), Position::Known(_)] => {
                    self.are_at(0, &batch, &one, &other.maps)
                }
                [Position::Known(_), Position::Index(_)] => {
                    self.are_at(1, &batch, &other, &one.maps)
                }
            };
            if !is_same {
                return Some((vec![other_operation(ops)], Vec::new()));
            }
        }
        let space = [&batch[..], &old.window].concat();
        let all = OperandMap::exact(row_major(&old.sizes, &old.sizes)?);
        let mut scattered = Vec::new();
        for number in 0..old.operands.len() {
            let views = [0, 1].map(|side| {
                let of = [&old, &new][side];
                let all = extended(&OperandMap::exact(windows[side].clone()), &of.window)?;
                let maps = self.analyses[side].followed(&[all], &of.update)?;
                Some(View { at: of.updates[number].clone(), maps })
            });
            let [Some(one), Some(other)] = views else {
                return None;
            };
            scattered.push((space.clone(), [one, other]));
            let operands = [&old, &new].map(|of| of.operands[number].clone());
            let views = operands.map(|at| View { at, maps: vec![all.clone()] });
            scattered.push((old.sizes.clone(), views));
        }
        Some((verdicts, scattered))
    }

    fn at_same(&self, one: &[OperandMap], other: &[OperandMap]) -> bool {
        change((one, &[]), (other, &[]), &self.budget) == Change::None
    }

    /// Returns whether the integers of a view are the values of the maps.
    fn are_at(&mut self, side: usize, sizes: &[i64], view: &View, maps: &[OperandMap]) -> bool {
        let Ok(leaves) = self.leaves(side, sizes, view) else {
            return false;
        };
        let [leaf] = leaves.as_slice() else {
            return false;
        };
        let op = self.frames[side].instruction(&leaf.at);
        let Some(array) = op.shape().as_array() else {
            return false;
        };
        if *op.opcode() == Opcode::Iota && array.element_type().bits() >= 32 {
            let dimension = op.iota_dimension(array.rank());
            let at = dimension.map(|dimension| only_result(&leaf.maps, dimension));
            return at.is_ok_and(|at| self.at_same(&at, maps));
        }
        let value = self.scalar(side, &leaf.at).and_then(|value| value.text().parse().ok());
        value.is_some_and(|value: i64| {
            let at_value = |map: &OperandMap| {
                let results = vec![Expr::constant(value)];
                OperandMap::exact(IndexingMap::new(map.map.domain().clone(), results))
            };
            let all: Vec<OperandMap> = maps.iter().map(at_value).collect();
            self.at_same(&all, maps)
        })
    }

    fn scatter(&self, side: usize, at: &At) -> Option<Scatter> {
        let op = self.frames[side].instruction(at);
        let body = self.frames[side].body(at.frame);
        let count = op.operands().len().checked_sub(1)? / 2;
        let place = |number: usize| -> Option<At> {
            let id = *op.operands().get(number)?;
            Some(At { frame: at.frame, place: (id, TuplePath::new()) })
        };
        let sizes_of = |number: usize| -> Option<Vec<i64>> {
            body[*op.operands().get(number)?].shape().as_array()?.fixed_sizes()
        };
        let (sizes, indices) = (sizes_of(0)?, sizes_of(count)?);
        let updates = sizes_of(count + 1)?;
        let numbers = op.scatter_dimensions(sizes.len(), indices.len(), updates.len()).ok()?;
        let mut kept = numbers.update_window.iter();
        let mut window = Vec::new();
        // For each dimension of a window, the dimension of the updates that indexes it.
        let mut within = vec![None; updates.len()];
        for dimension in 0..sizes.len() {
            let is_left_out = numbers.inserted_window.contains(&dimension)
                || numbers.operand_batching.contains(&dimension);
            if is_left_out {
                window.push(1);
            } else {
                let own = *kept.next()?;
                window.push(*updates.get(own)?);
                *within.get_mut(own)? = Some(dimension);
            }
        }
        kept.next().is_none().then_some(())?;
        let of_indices: Vec<usize> =
            (0..indices.len()).filter(|k| *k != numbers.index_vector).collect();
        let batch: Vec<i64> = of_indices.iter().map(|k| indices[*k]).collect();
        let of_updates: Vec<usize> = (0..updates.len()).filter(|k| within[*k].is_none()).collect();
        let counted: Vec<i64> = of_updates.iter().map(|k| updates[*k]).collect();
        (batch == counted).then_some(())?;
        let mut counts = 0..batch.len();
        let update = within.iter().map(|within| match within {
            Some(dimension) => variable(batch.len() + dimension),
            None => variable(counts.next()?),
        });
        let update = update.collect::<Option<Vec<_>>>()?;
        let update = map_of(&[&batch[..], &window].concat(), update);
        let mut places = Vec::new();
        for dimension in 0..sizes.len() {
            let element = numbers.scatter_to_operand.iter().position(|k| *k == dimension);
            let paired = numbers.operand_batching.iter().position(|k| *k == dimension);
            places.push(match (element, paired) {
                (Some(element), _) => {
                    let mut index = (0..batch.len()).map(variable).collect::<Option<Vec<_>>>()?;
                    if numbers.index_vector < indices.len() {
                        index.insert(
                            numbers.index_vector,
                            Expr::constant(i64::try_from(element).ok()?),
                        );
                    }
                    Position::Index(map_of(&batch, index))
                }
                (None, Some(paired)) => {
                    let own = *numbers.indices_batching.get(paired)?;
                    let own = of_indices.iter().position(|k| *k == own)?;
                    Position::Known(map_of(&batch, vec![variable(own)?]))
                }
                (None, None) => Position::Known(map_of(&batch, vec![Expr::constant(0)])),
            });
        }
        Some(Scatter {
            operands: (0..count).map(place).collect::<Option<_>>()?,
            indices: place(count)?,
            updates: (count + 1..=2 * count).map(place).collect::<Option<_>>()?,
            sizes,
            batch,
            window,
            update,
            places,
        })
    }
}

fn variable(number: usize) -> Option<Expr> {
    Some(Expr::variable(VariableId(u32::try_from(number).ok()?)))
}

/// Returns the map from indices below these sizes to the results.
fn map_of(sizes: &[i64], results: Vec<Expr>) -> IndexingMap {
    let variables = sizes.iter().enumerate().map(|(number, size)| {
        Variable::new(format!("d{number}"), VariableKind::Dimension, Interval::of_size(*size))
    });
    IndexingMap::new(Domain::new(variables.collect()), results)
}
