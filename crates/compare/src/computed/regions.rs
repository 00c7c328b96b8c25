//! Compares views of several leaves: whether the same leaves are read at the same places.

use super::alike::is_fold;
use super::constant::Constant;
use super::frames::At;
use super::parts::{Listed, View};
use super::values::{Computed, without_results};
use super::verdict::{Verdict, differs};
use affinor::expr::IndexingMap;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{OperandMap, TuplePath};
use std::collections::BTreeMap;

/// The key that equal leaves of both sides share.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// The number of the parameter, its type, and the part.
    Parameter(usize, ElementType, TuplePath),
    /// A class of parts of loop states.
    Class(usize),
    /// The number of the pair of loops, and the value in each iteration.
    Values(usize, Vec<i64>),
    Constant(Constant),
    /// The index along this dimension.
    Iota(ElementType, usize),
    /// A constant that replaces another constant.
    Exchanged,
    Made(usize),
}

impl Computed<'_> {
    /// Compares the leaves of both sides, and the places at which they are read.
    pub(super) fn regions(&mut self, sizes: &[i64], sides: [&[View]; 2]) -> Verdict {
        let mut classes: BTreeMap<Key, [Vec<OperandMap>; 2]> = BTreeMap::new();
        let mut made: [Vec<&View>; 2] = [Vec::new(), Vec::new()];
        for side in 0..2 {
            for leaf in sides[side] {
                let Some(key) = self.key(side, &leaf.at) else {
                    made[side].push(leaf);
                    continue;
                };
                let maps = match &key {
                    Key::Iota(_, dimension) => only_result(&leaf.maps, *dimension),
                    Key::Constant(constant) if constant.is_scalar() => {
                        leaf.maps.iter().map(without_results).collect()
                    }
                    _ => leaf.maps.clone(),
                };
                let key = match key {
                    Key::Iota(element_type, _) => Key::Iota(element_type, 0),
                    key => key,
                };
                classes.entry(key).or_default()[side].extend(maps);
            }
        }
        let [old, mut new] = made;
        for (number, leaf) in old.iter().enumerate() {
            let mut first = None;
            let mut partner = None;
            for (position, other) in new.iter().enumerate() {
                let verdict = self.operation([&leaf.at, &other.at]);
                if verdict.is_same() {
                    partner = Some(position);
                    break;
                }
                first = first.or(Some(verdict));
            }
            let Some(position) = partner else {
                // The same operation at another place: its elements are compared instead of the arrays.
                let mut others = 0..new.len();
                if let Some(found) = others.find(|k| self.same_elements(sizes, [leaf, new[*k]])) {
                    new.remove(found);
                    continue;
                }
                // If each side has a single leaf, the difference is that of the leaves.
                return match first {
                    Some(verdict) if sides.iter().all(|leaves| leaves.len() == 1) => verdict,
                    _ => Verdict::open(format!(
                        "nothing is shown to be the same as `{}`",
                        self.frames[0].instruction(&leaf.at).name()
                    )),
                };
            };
            let other = new.remove(position);
            classes.insert(Key::Made(number), [leaf.maps.clone(), other.maps.clone()]);
        }
        if let Some(left) = new.first() {
            return Verdict::open(format!(
                "nothing is shown to be the same as `{}`",
                self.frames[1].instruction(&left.at).name()
            ));
        }
        // One constant may have been replaced by another.
        let mut alone: [Vec<&Constant>; 2] = [Vec::new(), Vec::new()];
        for (key, maps) in &classes {
            if let (Key::Constant(constant), [old, new]) = (key, maps) {
                match (old.is_empty(), new.is_empty()) {
                    (false, true) => alone[0].push(constant),
                    (true, false) => alone[1].push(constant),
                    _ => {}
                }
            }
        }
        let exchanged = match [&alone[0][..], &alone[1][..]] {
            [[old], [new]] if old.differs(new) => Some([(*old).clone(), (*new).clone()]),
            _ => None,
        };
        if let Some([old, new]) = &exchanged {
            let [old, new] = [old, new].map(|one| classes.remove(&Key::Constant(one.clone())));
            let [old, new] = [old, new].map(Option::unwrap_or_default);
            let [[one, _], [_, other]] = [old, new];
            classes.insert(Key::Exchanged, [one, other]);
        }
        for [old, new] in classes.values() {
            if !self.reads_same([old, new]) {
                return Verdict::open(
                    "the same elements are not proved to be at the same positions",
                );
            }
        }
        let Some(constants) = exchanged else {
            return Verdict::Same;
        };
        let of = |side: usize| {
            let ops = sides[side].iter().map(|leaf| self.frames[side].instruction(&leaf.at));
            let is_it = |op: &Constant| *op == constants[side];
            let mut ops = ops.filter(|op| Constant::of_all(op).as_ref().is_some_and(is_it));
            ops.next()
        };
        match [of(0), of(1)] {
            [Some(old), Some(new)] => {
                let what =
                    format!("it was {}, and is {}", constants[0].text(), constants[1].text());
                differs([old, new], what)
            }
            _ => Verdict::open("a constant is at other positions"),
        }
    }

    /// Returns whether two elementwise ops or two folds have the same values at each point of both views, whose points are then
    /// the same.
    fn same_elements(&mut self, sizes: &[i64], views: [&View; 2]) -> bool {
        let ops = [0, 1].map(|side| self.frames[side].instruction(&views[side].at));
        if ops.iter().all(|op| is_fold(op.opcode())) {
            return self.fold(sizes, views).is_some_and(|found| found.is_same());
        }
        (0..2).all(|side| self.is_elementwise(side, views[side]))
            && ops.iter().all(|op| !op.operands().is_empty())
            && self.elements(sizes, views).is_same()
    }

    /// Returns the key of a leaf; `None` if the leaf is identified by the operation that computes it.
    fn key(&mut self, side: usize, at: &At) -> Option<Key> {
        if let Some(listed) = self.listed(side, at) {
            return Some(match listed {
                Listed::Constant(constant) => Key::Constant(constant),
                Listed::Values(pair, values) => Key::Values(pair, values),
            });
        }
        let frames = &self.frames[side];
        let op = frames.instruction(at);
        if let Some(constant) = Constant::of_all(op).or_else(|| Constant::of(op)) {
            return Some(Key::Constant(constant));
        }
        if let Some(constant) = self.worked_out(side, at) {
            return Some(Key::Constant(constant));
        }
        let frames = &self.frames[side];
        if *op.opcode() == Opcode::Iota {
            let array = op.shape().as_array()?;
            let dimension = op.iota_dimension(array.rank()).ok()?;
            if array.sizes()?.get(dimension) == Some(&1) {
                return Some(Key::Constant(Constant::of_word(array.element_type(), "0")));
            }
            return Some(Key::Iota(array.element_type(), dimension));
        }
        let number = op.parameter_number()?;
        if let Some(class) = frames.class(at) {
            return Some(Key::Class(class));
        }
        frames.is_entry(at.frame).then_some(())?;
        let array = op.shape().at(&at.place.1)?.as_array()?;
        Some(Key::Parameter(number, array.element_type(), at.place.1.clone()))
    }
}

/// Returns the maps with only one of their results.
pub(super) fn only_result(maps: &[OperandMap], dimension: usize) -> Vec<OperandMap> {
    let of_map = |map: &OperandMap| {
        let results = map.map.results().get(dimension).cloned().into_iter().collect();
        OperandMap { map: IndexingMap::new(map.map.domain().clone(), results), ..map.clone() }
    };
    maps.iter().map(of_map).collect()
}
