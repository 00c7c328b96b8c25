//! The values of two entries compared, from their results back to the parameters.
//!
//! Both sides are followed through all that moves elements, to leaves. Where each side has one leaf, made by an elementwise op, the
//! operands are compared at the same places; other leaves are told to be the same by what they are made of, and must be read at the
//! same places. Of a fold (`folds`), operands are compared at each element of the result with each index that it folds over.

use super::alike::{are_different, attributes, is_function, shape_text};
use super::constant::Constant;
use super::leaves::{View, leaves};
use super::runtime::Runtime;
use super::verdict::{Verdict, differs, only_difference, other_operation};
use crate::agreement::Change;
use affinor::expr::IndexingMap;
use affinor::num::Fuel;
use affinor::prove::Budget;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{
    Analysis, OperandMap, Place, Simplify, TuplePath, is_commutative, is_pointwise, row_major,
};
use std::collections::BTreeMap;

/// Most comparisons of views.
const COMPARISONS: u64 = 4_000;

/// Most operations between a result and a parameter.
const DEPTH: usize = 150;

/// Two modules without calls whose values are compared.
pub struct Computed<'m> {
    pub(super) modules: [&'m Module; 2],
    pub(super) analyses: [Analysis<'m>; 2],
    runtime: Runtime<'m>,
    budget: Budget,
    fuel: Fuel,
    depth: usize,
    known: BTreeMap<[Place; 2], Vec<(Question, Verdict)>>,
    made: BTreeMap<[Place; 2], Verdict>,
}

/// Two views over one space; elements of the constant are left out.
#[derive(PartialEq)]
struct Question {
    maps: [Vec<OperandMap>; 2],
    without: Option<Constant>,
}

/// What makes leaves of both sides the same.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// By number, type and part.
    Parameter(usize, ElementType, TuplePath),
    Constant(Constant),
    /// A constant in the place of another one.
    Exchanged,
    Made(usize),
}

impl<'m> Computed<'m> {
    /// Of two modules whose calls are written out ([`Module::inlined`]); `analyses` are those of the modules, of data alone
    /// ([`Analysis::only_data`]).
    #[must_use]
    pub fn new(
        modules: [&'m Module; 2],
        analyses: [Analysis<'m>; 2],
        simplify: Simplify<'m>,
        budget: &Budget,
    ) -> Computed<'m> {
        let interrupt = budget.interrupt.clone().unwrap_or_default();
        let fuel = budget.own_fuel(COMPARISONS);
        let budget = Budget { solver_steps: budget.solver_steps / 10, ..budget.clone() };
        Computed {
            modules,
            analyses,
            runtime: Runtime::new(modules, simplify, &interrupt),
            fuel,
            budget,
            depth: 0,
            known: BTreeMap::new(),
            made: BTreeMap::new(),
        }
    }

    /// Whether this array of the results is computed in the same way.
    pub fn result(&mut self, path: &TuplePath) -> Verdict {
        let places = [0, 1].map(|side| (self.entry(side).root(), path.clone()));
        let arrays = [0, 1].map(|side| {
            let root = &self.entry(side)[places[side].0];
            let array = root.shape().at(path)?.as_array()?;
            Some((array.element_type(), array.sizes()?))
        });
        let [Some((old, sizes)), Some(new)] = arrays else {
            return Verdict::open("the results are no arrays of known sizes");
        };
        if (old, &sizes) != (new.0, &new.1) {
            return Verdict::open("the results are of other types");
        }
        self.whole(&sizes, places)
    }

    pub(super) fn entry(&self, side: usize) -> &'m Computation {
        let module = self.modules[side];
        &module[module.entry()]
    }

    pub(super) fn instruction(&self, side: usize, place: &Place) -> &'m Instruction {
        &self.entry(side)[place.0]
    }

    /// Whether two arrays of these sizes are the same, element by element.
    fn whole(&mut self, sizes: &[i64], places: [Place; 2]) -> Verdict {
        let Some(all) = row_major(sizes, sizes) else {
            return Verdict::open("an array has too many elements");
        };
        let views = places.map(|at| View { at, maps: vec![OperandMap::exact(all.clone())] });
        self.same(sizes, views, None)
    }

    pub(super) fn same(
        &mut self,
        sizes: &[i64],
        views: [View; 2],
        without: Option<&Constant>,
    ) -> Verdict {
        let [old, new] = views;
        let places = [old.at, new.at];
        let question = Question { maps: [old.maps, new.maps], without: without.cloned() };
        let known = self.known.get(&places).map_or(&[][..], Vec::as_slice);
        if let Some((_, verdict)) = known.iter().find(|(known, _)| *known == question) {
            return verdict.clone();
        }
        if self.fuel.spend(1).is_err() || self.depth == DEPTH {
            return Verdict::open("there are too many operations");
        }
        self.depth += 1;
        let verdict = self.compared(sizes, &places, &question);
        self.depth -= 1;
        let known = self.known.entry(places).or_default();
        known.push((question, verdict.clone()));
        verdict
    }

    fn compared(&mut self, sizes: &[i64], places: &[Place; 2], question: &Question) -> Verdict {
        let mut found = Vec::new();
        for (side, (place, maps)) in places.iter().zip(&question.maps).enumerate() {
            let view = View { at: place.clone(), maps: maps.clone() };
            let entry = (self.entry(side), self.modules[side].entry());
            match leaves(&mut self.analyses[side], entry, sizes, &view) {
                Ok(mut leaves) => {
                    leaves.retain(|leaf| {
                        let constant = Constant::of(&entry.0[leaf.at.0]);
                        constant.is_none() || constant != question.without
                    });
                    found.push(leaves);
                }
                Err(reason) => return Verdict::Open(reason),
            }
        }
        let [old, new] = found.as_slice() else {
            return Verdict::open("there is nothing to compare");
        };
        if let ([one], [other]) = (&old[..], &new[..]) {
            let ops = [self.instruction(0, &one.at), self.instruction(1, &other.at)];
            if ops.iter().all(|op| is_pointwise(op.opcode())) {
                return self.pointwise(sizes, [one, other]);
            }
        }
        self.regions([old, new])
    }

    /// Whether leaves of both sides are the same, and are read at the same places.
    fn regions(&mut self, sides: [&[View]; 2]) -> Verdict {
        let mut classes: BTreeMap<Key, [Vec<OperandMap>; 2]> = BTreeMap::new();
        let mut made: [Vec<&View>; 2] = [Vec::new(), Vec::new()];
        for side in 0..2 {
            for leaf in sides[side] {
                let op = self.instruction(side, &leaf.at);
                let key = match (op.parameter_number(), Constant::of(op)) {
                    (Some(number), _) => {
                        let array = op.shape().at(&leaf.at.1);
                        let Some(array) = array.and_then(|array| array.as_array()) else {
                            return Verdict::open("a parameter is no array");
                        };
                        Key::Parameter(number, array.element_type(), leaf.at.1.clone())
                    }
                    (_, Some(constant)) => Key::Constant(constant),
                    _ => {
                        made[side].push(leaf);
                        continue;
                    }
                };
                classes.entry(key).or_default()[side].extend(leaf.maps.iter().cloned());
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
                // With one leaf each, what differs in it is what differs.
                return match first {
                    Some(verdict) if sides.iter().all(|leaves| leaves.len() == 1) => verdict,
                    _ => Verdict::open(format!(
                        "nothing is shown to be the same as `{}`",
                        self.instruction(0, &leaf.at).name()
                    )),
                };
            };
            let other = new.remove(position);
            classes.insert(Key::Made(number), [leaf.maps.clone(), other.maps.clone()]);
        }
        if let Some(left) = new.first() {
            return Verdict::open(format!(
                "nothing is shown to be the same as `{}`",
                self.instruction(1, &left.at).name()
            ));
        }
        // Another constant may stand in the place of one.
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
            if self.runtime.change([old, new], &self.budget) != Change::None {
                return Verdict::open(
                    "the same elements are not shown to stand at the same places",
                );
            }
        }
        let Some(constants) = exchanged else {
            return Verdict::Same;
        };
        let of = |side: usize| {
            let ops = sides[side].iter().map(|leaf| self.instruction(side, &leaf.at));
            let mut ops = ops.filter(|op| Constant::of(op).as_ref() == Some(&constants[side]));
            ops.next()
        };
        match [of(0), of(1)] {
            [Some(old), Some(new)] => {
                let what =
                    format!("it was {}, and is {}", constants[0].text(), constants[1].text());
                differs([old, new], what)
            }
            _ => Verdict::open("a constant stands at other places"),
        }
    }

    /// Whether two elementwise ops give the same at the points of both views.
    fn pointwise(&mut self, sizes: &[i64], views: [&View; 2]) -> Verdict {
        let ops = [0, 1].map(|side| self.instruction(side, &views[side].at));
        let [old, new] = ops;
        let count = old.operands().len();
        let types = ops.map(|op| op.shape().as_array().map(|array| array.element_type()));
        let inner = [0, 1].map(|side| {
            let operands = self.entry(side).operands(ops[side]);
            let types = operands.map(|x| x.shape().as_array().map(|array| array.element_type()));
            types.collect::<Vec<_>>()
        });
        let said = [0, 1].map(|side| attributes(self.modules[side], ops[side], true));
        let is_one_kind = types[0] == types[1] && inner[0].len() == inner[1].len();
        if !is_one_kind || said[0].is_none() || said[0] != said[1] {
            return other_operation(ops);
        }
        let operand = |this: &Computed<'_>, side: usize, number: usize| -> Option<View> {
            let id = *ops[side].operands().get(number)?;
            let rank = this.entry(side)[id].shape().as_array()?.rank();
            let own = ops[side].shape().as_array()?.rank();
            let maps = views[side].maps.iter();
            let maps = match rank == own {
                true => maps.cloned().collect(),
                false => maps.map(without_results).collect(),
            };
            let at = (id, TuplePath::new());
            Some(View { at, maps })
        };
        let pair = |this: &mut Self, numbers: [usize; 2]| -> Verdict {
            match [0, 1].map(|side| operand(this, side, numbers[side])) {
                [Some(old), Some(new)] => this.same(sizes, [old, new], None),
                _ => other_operation(ops),
            }
        };
        let is_one_op = old.opcode() == new.opcode();
        let directions = ops.map(|op| op.word("direction").ok().flatten().unwrap_or_default());
        let mut straight = Vec::new();
        for number in 0..count {
            straight.push(pair(self, [number, number]));
        }
        let all_same = straight.iter().all(Verdict::is_same);
        if is_one_op && all_same && directions[0] == directions[1] {
            return Verdict::Same;
        }
        let last = count.saturating_sub(2);
        let is_crossed = (2..=3).contains(&count)
            && (count == 2 || *old.opcode() == Opcode::Select && straight[0].is_same())
            && pair(self, [last, last + 1]).is_same()
            && pair(self, [last + 1, last]).is_same();
        if is_one_op && all_same {
            // Of equal operands, either direction may be the same.
            return match is_crossed {
                true => other_operation(ops),
                false => differs(
                    ops,
                    format!("its direction was {}, and is {}", directions[0], directions[1]),
                ),
            };
        }
        if all_same {
            let of = inner[0].first().copied().flatten();
            let opcodes = ops.map(Instruction::opcode);
            let are_other = of.is_some_and(|of| are_different(opcodes, count, of));
            return match are_other && !is_crossed {
                true => differs(
                    ops,
                    format!("it was {}, and is {}, of the same operands", opcodes[0], opcodes[1]),
                ),
                false => other_operation(ops),
            };
        }
        if !is_one_op {
            return other_operation(ops);
        }
        if is_crossed {
            let turned = match directions[1] {
                "LT" => "GT",
                "GT" => "LT",
                "LE" => "GE",
                "GE" => "LE",
                same => same,
            };
            return match (is_commutative(old.opcode()), directions[0] == turned) {
                (true, _) => Verdict::Same,
                (false, true) if *old.opcode() == Opcode::Compare => Verdict::Same,
                (false, true) => differs(ops, "its operands were exchanged".to_owned()),
                (false, false) => other_operation(ops),
            };
        }
        if directions[0] != directions[1] {
            return other_operation(ops);
        }
        only_difference(straight)
    }

    /// Whether two leaves that operations make are the same arrays.
    fn operation(&mut self, places: [&Place; 2]) -> Verdict {
        let key = places.map(Clone::clone);
        if let Some(known) = self.made.get(&key) {
            return known.clone();
        }
        let verdict = self.made_alike(places);
        self.made.insert(key, verdict.clone());
        verdict
    }

    fn made_alike(&mut self, places: [&Place; 2]) -> Verdict {
        let ops = [0, 1].map(|side| self.instruction(side, places[side]));
        let [old, new] = ops;
        let is_like = old.opcode() == new.opcode()
            && places[0].1 == places[1].1
            && shape_text(old.shape()) == shape_text(new.shape())
            && old.operands().len() == new.operands().len()
            && ops.iter().all(|op| is_function(op));
        let array = old.shape().at(&places[0].1);
        let sizes = array.and_then(|array| array.as_array()?.sizes());
        let Some(sizes) = sizes else {
            return other_operation(ops);
        };
        if ops.iter().all(|op| is_pointwise(op.opcode()))
            && let Some(all) = row_major(&sizes, &sizes)
            && shape_text(old.shape()) == shape_text(new.shape())
        {
            let views = [0, 1].map(|side| View {
                at: places[side].clone(),
                maps: vec![OperandMap::exact(all.clone())],
            });
            return self.pointwise(&sizes, [&views[0], &views[1]]);
        }
        if !is_like {
            return other_operation(ops);
        }
        if let Some(verdict) = self.fold(places) {
            return verdict;
        }
        let said = [0, 1].map(|side| attributes(self.modules[side], ops[side], true));
        if said[0].is_none() || said[0] != said[1] {
            return other_operation(ops);
        }
        let mut verdicts = Vec::new();
        for (one, other) in old.operands().iter().zip(new.operands()) {
            let shapes = [&self.entry(0)[*one], &self.entry(1)[*other]].map(Instruction::shape);
            if shape_text(shapes[0]) != shape_text(shapes[1]) {
                return other_operation(ops);
            }
            for (path, array) in shapes[0].arrays() {
                let Some(sizes) = array.sizes() else {
                    return other_operation(ops);
                };
                verdicts.push(self.whole(&sizes, [(*one, path.clone()), (*other, path)]));
            }
        }
        only_difference(verdicts)
    }
}

/// The map to the one element of a scalar, where `map` is defined.
fn without_results(map: &OperandMap) -> OperandMap {
    OperandMap { map: IndexingMap::new(map.map.domain().clone(), Vec::new()), ..map.clone() }
}
