//! Compares folds: for each element of a result, the elements that are folded into it.
//!
//! Law: two folds by the same combiner are the same if they have the same elements at each index together with each folded index.

use super::alike::{are_different, combiner, is_fold};
use super::constant::Constant;
use super::folded::{Folded, extended, spread};
use super::frames::At;
use super::parts::View;
use super::split::{aligned, in_orders};
use super::values::Computed;
use super::verdict::{Verdict, differs, only_difference, other_operation};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{Exactness, InstructionPlace, Reads, is_commutative};

impl Computed<'_> {
    /// Compares two folds at the points of both views. The elements that are folded into one element are the points of a space:
    /// its index together with the folded indices. Returns `None` if the maps do not have this form.
    pub(super) fn fold(&mut self, sizes: &[i64], views: [&View; 2]) -> Option<Verdict> {
        let places = views.map(|view| &view.at);
        let ops = [0, 1].map(|side| self.frames[side].instruction(places[side]));
        let is_one_kind = is_of_products(ops[0]) == is_of_products(ops[1])
            && ops[0].operands().len() == ops[1].operands().len()
            && ops.iter().all(|op| is_fold(op.opcode()));
        is_one_kind.then_some(())?;
        let types = [0, 1].map(|side| {
            let array = ops[side].shape().at(&places[side].place.1)?.as_array()?;
            Some(array.element_type())
        });
        let are_floats =
            || self.is_rounded && types.iter().all(|of| of.is_some_and(ElementType::is_float));
        (types[0].is_some() && types[0] == types[1] || are_floats()).then_some(())?;
        let [old, new] = [self.folded(0, places[0])?, self.folded(1, places[1])?];
        let folded = aligned([old.clone(), new.clone()]);
        let found = self.folded_alike(sizes, views, &folded);
        if found.as_ref().is_some_and(Verdict::is_same) {
            return found;
        }
        if ops.iter().all(|op| *op.opcode() == Opcode::ReduceWindow) {
            return found;
        }
        let flat = match is_of_products(ops[0]) {
            true => [old, new],
            false => [self.flattened(0, places[0], old), self.flattened(1, places[1], new)],
        };
        for sides in in_orders(&flat) {
            if self.folded_alike(sizes, views, &sides).is_some_and(|verdict| verdict.is_same()) {
                return Some(Verdict::Same);
            }
        }
        found
    }

    /// Compares two folds of these operands at the points of both views.
    fn folded_alike(
        &mut self,
        sizes: &[i64],
        views: [&View; 2],
        folded: &[Vec<Folded>; 2],
    ) -> Option<Verdict> {
        let places = views.map(|view| &view.at);
        let ops = [0, 1].map(|side| self.frames[side].instruction(places[side]));
        // The folded dimensions of each operand; empty for the initial values.
        let overs = folded.each_ref().map(|all| all.iter().map(|of| of.over.clone()).collect());
        let [over, other]: [Vec<Vec<i64>>; 2] = overs;
        let is_of_products = is_of_products(ops[0]);
        (over == other).then_some(())?;
        let mut initial = None;
        // The initial values come last, and an element outside of an array equals the initial value.
        let is_window = ops.iter().any(|op| *op.opcode() == Opcode::ReduceWindow);
        if is_window && let [_, start] = ops[0].operands() {
            initial = Constant::of(&self.frames[0].body(places[0].frame)[*start]);
        }
        let pair = |this: &mut Self, numbers: [usize; 2], without: Option<&Constant>| {
            let over = &over[numbers[0]];
            let both = [0, 1].map(|side| {
                let of = &folded[side][numbers[side]];
                let maps = views[side].maps.iter().map(|map| extended(map, over));
                let maps = maps.collect::<Option<Vec<_>>>()?;
                let maps = this.analyses[side].followed(&maps, &of.map)?;
                Some(View { at: of.at.clone(), maps })
            });
            let [Some(old), Some(new)] = both else {
                return None;
            };
            let space: Vec<i64> = sizes.iter().chain(over).copied().collect();
            Some(this.same(&space, [old, new], without))
        };
        let mut verdicts = Vec::new();
        for number in 0..folded[0].len() {
            let without = initial.as_ref().filter(|_| number == 0);
            verdicts.push(pair(self, [number, number], without)?);
            if self.is_rounded && !is_of_products && !verdicts[number].is_same() {
                return Some(other_operation(ops));
            }
        }
        let combiners = [0, 1].map(|side| combiner(self.frames[side].module, ops[side]));
        // Floats of any type are folded in the same way, but for rounding.
        let is_one_sum = self.is_rounded
            && combiners.iter().flatten().all(|(_, of)| of.is_float())
            && matches!(
                &combiners,
                [Some((old, _)), Some((new, _))] if old == new && is_commutative(old)
            );
        if is_one_sum || self.alike(ops, false) {
            let found = only_difference(verdicts);
            let has_order = ops[0].attributes().get("operand_precision").is_some();
            if found.is_same() || !is_of_products || has_order {
                return Some(found);
            }
            // The operands of a product commute.
            let is_turned =
                pair(self, [0, 1], None)?.is_same() && pair(self, [1, 0], None)?.is_same();
            return Some(if is_turned { Verdict::Same } else { found });
        }
        let all_same = verdicts.iter().all(Verdict::is_same);
        Some(match combiners {
            [Some((old, of)), Some((new, other))]
                if all_same && of == other && are_different([&old, &new], 2, of) =>
            {
                differs(ops, format!("it folded by {old}, and folds by {new}"))
            }
            _ => other_operation(ops),
        })
    }

    /// Returns the operands of a fold.
    pub(super) fn folded(&mut self, side: usize, at: &At) -> Option<Vec<Folded>> {
        let instruction = self.frames[side].instruction(at);
        let computation = self.frames[side].computation(at.frame);
        let place = InstructionPlace { computation, instruction: at.place.0 };
        let entries = self.analyses[side].unsimplified(place).ok()?;
        let mut views = Vec::new();
        let mut folded: Option<Vec<i64>> = None;
        for (number, operand) in instruction.operands().iter().enumerate() {
            let mut own = entries
                .iter()
                .filter(|entry| entry.output == at.place.1 && entry.operand == number);
            let (Some(entry), None) = (own.next(), own.next()) else {
                return None;
            };
            let Reads::Maps(maps) = &entry.reads else {
                return None;
            };
            let [map] = maps.as_slice() else {
                return None;
            };
            let is_plain = map.exactness == Exactness::Exact && map.runtime.is_empty();
            is_plain.then_some(())?;
            let (over, map) = spread(&map.map)?;
            // If nothing is folded, the operands do not constrain the points.
            (!over.contains(&0)).then_some(())?;
            if !over.is_empty() && *folded.get_or_insert_with(|| over.clone()) != over {
                return None;
            }
            let at = At { frame: at.frame, place: (*operand, entry.operand_path.clone()) };
            views.push(Folded { at, over, map });
        }
        Some(views)
    }
}

/// Returns whether the operation sums the products of elements of two operands.
fn is_of_products(op: &Instruction) -> bool {
    matches!(op.opcode(), Opcode::Convolution | Opcode::Dot)
}
