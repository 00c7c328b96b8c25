//! Compares the values of two entries, from their results back to the parameters.
//!
//! Both sides are followed through all operations that move elements, to their leaves. If each side has a single leaf, computed
//! by an elementwise op, the operands are compared at the same places; other leaves are compared by their operations and
//! operands, and must be read at the same places. The operands of a fold (`folds`) are compared at each element of the result
//! together with each folded index.

use super::alike::{are_different, attributes, is_elementwise, is_fold, opcode_of};
use super::constant::Constant;
use super::frames::{At, Frames};
use super::parts::{Chosen, Deep, Listed, LoopPair, View, are_in_other_boxes};
use super::questions::{Answers, Question, without_context};
use super::reals::Sample;
use super::runtime::Runtime;
use super::sample_parts::{Arrays, Sampled, Values};
use super::verdict::{Verdict, differs, only_difference, other_operation};
use affinor::expr::IndexingMap;
use affinor::num::Fuel;
use affinor::prove::Budget;
use affinor_hlo::module::{ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{
    Analysis, InstructionPlace, OperandMap, Place, Simplify, TuplePath, is_commutative, row_major,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of comparisons of views.
const COMPARISONS: u64 = 6_000;

/// Maximum number of comparisons of long sums.
const MATCHES: usize = 100;

/// Maximum number of operations in one recursion.
const DEPTH: usize = 150;

/// Two modules without calls whose values are compared.
pub struct Computed<'m> {
    pub(super) frames: [Frames<'m>; 2],
    pub(super) analyses: [Analysis<'m>; 2],
    pub(super) simplify: Simplify<'m>,
    pub(super) runtime: Runtime<'m>,
    pub(super) budget: Budget,
    pub(super) fuel: Fuel,
    /// Fuel shared with other comparisons.
    whole: Option<Fuel>,
    depth: usize,
    /// A comparison that must come first, because it is nested too deeply.
    pub(super) deep: Option<Deep>,
    pub(super) known: Answers,
    pub(super) arrays: Arrays,
    pub(super) values: Values,
    /// Values for other samples and with noise.
    pub(super) other_values: BTreeMap<(Sample, u64), Values>,
    pub(super) sampled: Sampled,
    pub(super) made: BTreeMap<[At; 2], Verdict>,
    /// Arrays whose elements are runtime variables of views, by number; and their numbers.
    pub(super) sources: [Vec<At>; 2],
    pub(super) numbers: [BTreeMap<At, usize>; 2],
    pub(super) listed: BTreeMap<(usize, At), Option<Listed>>,
    /// What selections choose.
    pub(super) decided: BTreeMap<(usize, InstructionPlace), Option<Chosen>>,
    /// Values of floats that were evaluated.
    pub(super) worked: BTreeMap<(usize, At), Option<Constant>>,
    /// Pairs of loops, by frame and instruction of each.
    pub(super) loops: BTreeMap<[(usize, InstructionId); 2], Rc<LoopPair>>,
    /// The next number of a class of parts of states.
    pub(super) next: usize,
    /// Whether everything that was found to be the same depends on the same values as indices, too.
    pub(super) is_strict: bool,
    /// Whether floats may be rounded differently.
    pub(super) is_rounded: bool,
    /// For each computation of a side, the heights of its instructions.
    pub(super) heights: BTreeMap<(usize, ComputationId), Rc<Vec<usize>>>,
    /// The remaining number of comparisons of long sums.
    pub(super) matches: usize,
}

impl<'m> Computed<'m> {
    /// Compares two modules with inlined calls ([`Module::inlined`]); `analyses` are the modules' analyses of data alone
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
            frames: modules.map(Frames::new),
            analyses,
            simplify,
            runtime: Runtime::new(modules, simplify, &interrupt),
            fuel,
            whole: None,
            budget,
            depth: 0,
            deep: None,
            known: Answers::default(),
            arrays: Arrays::default(),
            values: Values::default(),
            other_values: BTreeMap::new(),
            sampled: Sampled::default(),
            made: BTreeMap::new(),
            sources: [Vec::new(), Vec::new()],
            numbers: [BTreeMap::new(), BTreeMap::new()],
            listed: BTreeMap::new(),
            decided: BTreeMap::new(),
            worked: BTreeMap::new(),
            loops: BTreeMap::new(),
            next: 0,
            is_strict: true,
            is_rounded: false,
            heights: BTreeMap::new(),
            matches: MATCHES,
        }
    }

    /// Limits the steps of this and other comparisons together.
    #[must_use]
    pub fn within(mut self, whole: &Fuel) -> Computed<'m> {
        self.whole = Some(whole.clone());
        self
    }

    /// Treats floats as real numbers: equality is then up to rounding, for finite numbers. Must be called before the first
    /// comparison.
    #[must_use]
    pub fn but_for_rounding(mut self) -> Computed<'m> {
        self.is_rounded = true;
        self
    }

    /// Returns whether all arrays that were found to be the same also have the same reads as indices, whatever the parameters
    /// are.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Compares this array of the results.
    pub fn result(&mut self, path: &TuplePath) -> Verdict {
        let both = match self.results_at(path) {
            Ok(both) => both,
            Err(reason) => return Verdict::open(reason),
        };
        match self.same_in_turn(both) {
            Verdict::Same if self.is_rounded => Verdict::Rounded,
            Verdict::Differs(_) if self.is_rounded => {
                Verdict::open("floats are rounded differently")
            }
            found => found,
        }
    }

    /// Returns the views of this array of both results, or the reason why they are not comparable.
    pub(super) fn results_at(&self, path: &TuplePath) -> Result<Deep, &'static str> {
        let places = [0, 1].map(|side| {
            let root = self.frames[side].body(0).root();
            At { frame: 0, place: (root, path.clone()) }
        });
        let arrays = [0, 1].map(|side| {
            let root = self.frames[side].instruction(&places[side]);
            let array = root.shape().at(path)?.as_array()?;
            Some((array.element_type(), array.sizes()?))
        });
        let [Some((old, sizes)), Some(new)] = arrays else {
            return Err("the results are not arrays of known sizes");
        };
        if (old, &sizes) != (new.0, &new.1) {
            return Err("the results are of other types");
        }
        let all = row_major(&sizes, &sizes).ok_or("an array has too many elements")?;
        let views = places.map(|at| View { at, maps: vec![OperandMap::exact(all.clone())] });
        Ok(Deep { sizes, views, without: None })
    }

    /// Returns whether two arrays of the entries are the same, and have the same reads as indices, too.
    pub(crate) fn are_same(&mut self, places: [&Place; 2]) -> bool {
        let places = places.map(|place| At { frame: 0, place: place.clone() });
        let arrays = [0, 1].map(|side| {
            let shape = self.frames[side].instruction(&places[side]).shape();
            let array = shape.at(&places[side].place.1)?.as_array()?;
            Some((array.element_type(), array.sizes()?))
        });
        let [Some((old, sizes)), Some(new)] = arrays else {
            return false;
        };
        let Some(all) = row_major(&sizes, &sizes).filter(|_| (old, &sizes) == (new.0, &new.1))
        else {
            return false;
        };
        let views = places.map(|at| View { at, maps: vec![OperandMap::exact(all.clone())] });
        self.same_in_turn(Deep { sizes, views, without: None }).is_same() && self.is_strict
    }

    /// Compares two arrays of these sizes element by element.
    pub(super) fn whole(&mut self, sizes: &[i64], places: [At; 2]) -> Verdict {
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
        if self.deep.is_some() {
            return Verdict::open("another comparison comes first");
        }
        let [old, new] = views;
        if without.is_none() && are_in_other_boxes([&old.maps, &new.maps]) {
            return Verdict::open("they are at other positions");
        }
        if let Some((sizes, [one, other])) = without_context(sizes, [&old.maps, &new.maps]) {
            let views = [View { at: old.at, maps: one }, View { at: new.at, maps: other }];
            return self.same(&sizes, views, without);
        }
        let places = [old.at, new.at];
        let question = Question { maps: [old.maps, new.maps], without: without.cloned() };
        if let Some(verdict) = self.known.find(&places, &question) {
            return verdict;
        }
        if self.depth == DEPTH {
            let [old, new] = question.maps;
            let [one, other] = places;
            let views = [View { at: one, maps: old }, View { at: other, maps: new }];
            let without = question.without;
            self.deep = Some(Deep { sizes: sizes.to_vec(), views, without });
            return Verdict::open("another comparison comes first");
        }
        if self.fuel.spend(1).is_err() {
            return Verdict::open("there are too many operations");
        }
        if self.whole.as_ref().is_some_and(|whole| whole.spend(1).is_err()) {
            return Verdict::open("the steps for all comparisons together are spent");
        }
        if without.is_none() && self.are_ruled_out(sizes, &places, &question.maps) {
            return Verdict::open("their values differ for some parameters");
        }
        self.depth += 1;
        let verdict = self.compared(sizes, &places, &question);
        self.depth -= 1;
        if self.deep.is_none() {
            self.known.add(places, question, verdict.clone());
        }
        verdict
    }

    fn compared(&mut self, sizes: &[i64], places: &[At; 2], question: &Question) -> Verdict {
        let mut found = Vec::new();
        for (side, (place, maps)) in places.iter().zip(&question.maps).enumerate() {
            let view = View { at: place.clone(), maps: maps.clone() };
            match self.leaves(side, sizes, &view) {
                Ok(mut leaves) => {
                    leaves.retain(|leaf| {
                        let constant = Constant::of(self.frames[side].instruction(&leaf.at));
                        constant.is_none() || constant != question.without
                    });
                    found.push(leaves);
                }
                Err(reason) => return Verdict::Open(reason),
            }
        }
        let [Some(new), Some(old)] = [found.pop(), found.pop()] else {
            return Verdict::open("there is nothing to compare");
        };
        let verdict = self.alike_leaves(sizes, places, question, [&old, &new]);
        if verdict.is_same() || self.deep.is_some() {
            return verdict;
        }
        let selected = [(0, &old), (1, &new)].map(|(side, all)| self.selected(side, sizes, all));
        let is_new = selected.iter().any(Option::is_some);
        let [one, other] = selected;
        let (old, new) = (one.unwrap_or(old), other.unwrap_or(new));
        if is_new && self.alike_leaves(sizes, places, question, [&old, &new]).is_same() {
            return Verdict::Same;
        }
        if self.same_numbers(sizes, [&old, &new]) {
            return Verdict::Same;
        }
        let views =
            [0, 1].map(|side| View { at: places[side].clone(), maps: question.maps[side].clone() });
        let without = question.without.as_ref();
        match self.same_in_parts(sizes, views.each_ref(), [&old, &new], without) {
            true => Verdict::Same,
            false => verdict,
        }
    }

    fn alike_leaves(
        &mut self,
        sizes: &[i64],
        places: &[At; 2],
        question: &Question,
        [old, new]: [&[View]; 2],
    ) -> Verdict {
        if let ([one], [other]) = (old, new) {
            let leaves = [one, other];
            if self.is_rounded && !self.are_as_high([&one.at, &other.at]) {
                return Verdict::open("the operations of the two modules differ");
            }
            let ops = [0, 1].map(|side| self.frames[side].instruction(&leaves[side].at));
            let are_pointwise = (0..2).all(|side| self.is_elementwise(side, leaves[side]));
            if are_pointwise && !self.are_listed(leaves) {
                return self.elements(sizes, leaves);
            }
            let is_mixed = ops[0].opcode() != ops[1].opcode();
            if self.is_rounded
                && is_mixed
                && let Some(kept) = self.without_conversions(leaves)
            {
                let [old, new] = kept;
                return self.same(sizes, [old, new], None);
            }
            if self.is_rounded
                && is_mixed
                && let Some(found) = self.sums(sizes, leaves)
            {
                return found;
            }
            if ops.iter().all(|op| *op.opcode() == Opcode::Sort) {
                let found = self.regions(sizes, [old, new]);
                return match found.is_same() {
                    true => found,
                    false => self.sorts(sizes, leaves).unwrap_or(found),
                };
            }
            if ops.iter().all(|op| is_fold(op.opcode())) {
                let found = self.regions(sizes, [old, new]);
                if found.is_same() {
                    return found;
                }
                let again = self.fold(sizes, leaves).filter(Verdict::is_same);
                return again.or_else(|| self.sums(sizes, leaves)).unwrap_or(found);
            }
        }
        let found = self.regions(sizes, [old, new]);
        let is_done = self.is_rounded && old.len() == 1 && new.len() == 1;
        if is_done || found.is_same() {
            return found;
        }
        let views = [(old, 0), (new, 1)].map(|(leaves, side)| match leaves {
            [leaf] => leaf.clone(),
            _ => View { at: places[side].clone(), maps: question.maps[side].clone() },
        });
        self.sums(sizes, views.each_ref()).unwrap_or(found)
    }

    /// Returns whether both are numbers that do not depend on parameters, and are equal.
    fn are_listed(&mut self, leaves: [&View; 2]) -> bool {
        let [old, new] = [0, 1].map(|side| self.listed(side, &leaves[side].at));
        old.is_some() && old == new
    }

    pub(super) fn is_elementwise(&self, side: usize, view: &View) -> bool {
        is_elementwise(
            self.frames[side].body(view.at.frame),
            self.frames[side].instruction(&view.at),
        )
    }

    /// Returns the elements of an operand that an elementwise operation reads at the points of a view.
    pub(super) fn operand(&self, side: usize, view: &View, number: usize) -> Option<View> {
        let body = self.frames[side].body(view.at.frame);
        let op = self.frames[side].instruction(&view.at);
        let id = *op.operands().get(number)?;
        let ranks = [body[id].shape(), op.shape()].map(|shape| Some(shape.as_array()?.rank()));
        let maps = view.maps.iter();
        let maps = match ranks {
            [Some(own), Some(whole)] if own == whole => maps.cloned().collect(),
            [Some(0), Some(_)] => maps.map(without_results).collect(),
            _ => return None,
        };
        Some(View { at: At { frame: view.at.frame, place: (id, TuplePath::new()) }, maps })
    }

    /// Compares two elementwise ops at the points of both views, as operations and as sums.
    pub(super) fn elements(&mut self, sizes: &[i64], views: [&View; 2]) -> Verdict {
        let found = self.pointwise(sizes, views);
        if found.is_same() {
            return found;
        }
        let again = self.hoisted(sizes, views);
        again.or_else(|| self.sums(sizes, views)).unwrap_or(found)
    }

    fn pointwise(&mut self, sizes: &[i64], views: [&View; 2]) -> Verdict {
        let ops = [0, 1].map(|side| self.frames[side].instruction(&views[side].at));
        let bodies = [0, 1].map(|side| self.frames[side].body(views[side].at.frame));
        let old = ops[0];
        let count = old.operands().len();
        let types = ops.map(|op| op.shape().as_array().map(|array| array.element_type()));
        let inner = [0, 1].map(|side| {
            let operands = bodies[side].operands(ops[side]);
            let types = operands.map(|x| x.shape().as_array().map(|array| array.element_type()));
            types.collect::<Vec<_>>()
        });
        let rewritten = self.in_total_order(sizes, views).or_else(|| self.scaled(sizes, views));
        if let Some(found) = rewritten.or_else(|| self.negated(sizes, views)) {
            return found;
        }
        let said = [0, 1].map(|side| attributes(self.frames[side].module, ops[side], true));
        let is_one_kind = types[0] == types[1] && inner[0].len() == inner[1].len();
        if !is_one_kind || said[0].is_none() || said[0] != said[1] {
            return other_operation(ops);
        }
        let pair = |this: &mut Self, numbers: [usize; 2]| -> Verdict {
            match [0, 1].map(|side| this.operand(side, views[side], numbers[side])) {
                [Some(old), Some(new)] => this.same(sizes, [old, new], None),
                _ => other_operation(ops),
            }
        };
        let opcodes = [0, 1].map(|side| opcode_of(bodies[side], ops[side]));
        let is_one_op = opcodes[0] == opcodes[1];
        if self.is_rounded && !is_one_op {
            return other_operation(ops);
        }
        let directions = ops.map(|op| op.word("direction").ok().flatten().unwrap_or_default());
        let mut straight = Vec::new();
        for number in 0..count {
            straight.push(pair(self, [number, number]));
            if self.is_rounded && !is_commutative(old.opcode()) && !straight[number].is_same() {
                return other_operation(ops);
            }
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
            // For equal operands, either direction may give the same result.
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
            let is_turned = directions[0] == turned(directions[1]);
            return match (is_commutative(old.opcode()), is_turned) {
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
}

/// Returns the direction of the comparison after its operands are exchanged.
pub(super) fn turned(direction: &str) -> &str {
    match direction {
        "LT" => "GT",
        "GT" => "LT",
        "LE" => "GE",
        "GE" => "LE",
        same => same,
    }
}

/// Returns the map to the only element of a scalar, on the domain of `map`.
pub(super) fn without_results(map: &OperandMap) -> OperandMap {
    OperandMap { map: IndexingMap::new(map.map.domain().clone(), Vec::new()), ..map.clone() }
}
