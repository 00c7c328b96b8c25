//! Compares truth values, and choices by them, that one side negates.
//!
//! Law: two truth values are opposite if they are the same but for a negation, if they compare the same operands in complementary
//! directions, or if they are a conjunction and a disjunction of opposite operands. Orders of floats have no complement but in
//! the total order: all are false for NaN.

use super::alike::attributes;
use super::parts::View;
use super::values::{Computed, turned};
use super::verdict::Verdict;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;

/// Maximum number of operations through which a truth value is followed.
const DEPTH: usize = 12;

impl Computed<'_> {
    /// Compares two choices by opposite truth values, or a negation and another operation; returns `None` if they are not shown to
    /// be the same.
    pub(super) fn negated(&mut self, sizes: &[i64], views: [&View; 2]) -> Option<Verdict> {
        let opcodes = [0, 1].map(|side| self.frames[side].instruction(&views[side].at).opcode());
        let are_same = match opcodes {
            [Opcode::Select, Opcode::Select] => {
                self.are_opposite(sizes, self.both(views, [0, 0])?, DEPTH)
                    && self.same(sizes, self.both(views, [1, 2])?, None).is_same()
                    && self.same(sizes, self.both(views, [2, 1])?, None).is_same()
            }
            [Opcode::Not, Opcode::Not] => false,
            [Opcode::Not, _] if self.type_of(0, views[0])? == ElementType::Pred => {
                let inner = self.operand(0, views[0], 0)?;
                self.are_opposite(sizes, [inner, views[1].clone()], DEPTH)
            }
            [_, Opcode::Not] if self.type_of(1, views[1])? == ElementType::Pred => {
                let inner = self.operand(1, views[1], 0)?;
                self.are_opposite(sizes, [views[0].clone(), inner], DEPTH)
            }
            _ => false,
        };
        are_same.then_some(Verdict::Same)
    }

    /// Returns whether each of two truth values is the negation of the other.
    fn are_opposite(&mut self, sizes: &[i64], views: [View; 2], depth: usize) -> bool {
        let [old, new] = views;
        let [(old, is_negated), (new, other)] =
            [self.stripped(0, sizes, old), self.stripped(1, sizes, new)];
        if is_negated != other {
            return self.same(sizes, [old, new], None).is_same();
        }
        self.are_complementary(sizes, [&old, &new], depth).unwrap_or_default()
    }

    fn are_complementary(
        &mut self,
        sizes: &[i64],
        views: [&View; 2],
        depth: usize,
    ) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let ops = [0, 1].map(|side| self.frames[side].instruction(&views[side].at));
        match ops.map(|op| op.opcode()) {
            [Opcode::Compare, Opcode::Compare] => {
                let said = [0, 1].map(|side| attributes(self.frames[side].module, ops[side], true));
                let [old, new] = [0, 1].map(|side| ops[side].word("direction").ok().flatten());
                let straight = [self.both(views, [0, 0])?, self.both(views, [1, 1])?];
                let [of, other] = [0, 1].map(|side| self.type_of(side, &straight[0][side]));
                let is_total = ops[0].word("type").ok().flatten() == Some("TOTALORDER");
                let needed = complement(new?, is_total || !of?.is_float())?;
                (said[0].is_some() && said[0] == said[1] && of == other).then_some(())?;
                let crossed = [self.both(views, [0, 1])?, self.both(views, [1, 0])?];
                let mut are_same = |direction: &str, pairs: [[View; 2]; 2]| {
                    let mut pairs = pairs.into_iter();
                    old == Some(direction) && pairs.all(|x| self.same(sizes, x, None).is_same())
                };
                Some(are_same(needed, straight) || are_same(turned(needed), crossed))
            }
            [Opcode::And, Opcode::Or] | [Opcode::Or, Opcode::And] => {
                let are = |this: &mut Self, numbers: [usize; 2]| {
                    let pair = this.both(views, numbers)?;
                    Some(this.are_opposite(sizes, pair, depth))
                };
                let is_straight = are(self, [0, 0])? && are(self, [1, 1])?;
                Some(is_straight || are(self, [0, 1])? && are(self, [1, 0])?)
            }
            _ => None,
        }
    }

    /// Returns a truth value without the negations that compute it, and whether their number is odd.
    fn stripped(&mut self, side: usize, sizes: &[i64], view: View) -> (View, bool) {
        let (mut view, mut is_negated) = (view, false);
        for _ in 0..DEPTH {
            let Ok(mut leaves) = self.leaves(side, sizes, &view) else {
                break;
            };
            let (Some(leaf), true) = (leaves.pop(), leaves.is_empty()) else {
                break;
            };
            let inner = match self.frames[side].instruction(&leaf.at).opcode() {
                Opcode::Not => self.operand(side, &leaf, 0),
                _ => None,
            };
            view = match inner {
                Some(inner) => inner,
                None => return (leaf, is_negated),
            };
            is_negated = !is_negated;
        }
        (view, is_negated)
    }

    /// Returns an operand of each of two elementwise operations.
    fn both(&self, views: [&View; 2], numbers: [usize; 2]) -> Option<[View; 2]> {
        let [old, new] = [0, 1].map(|side| self.operand(side, views[side], numbers[side]));
        Some([old?, new?])
    }
}

/// Returns the direction that holds whenever `direction` does not.
fn complement(direction: &str, is_ordered: bool) -> Option<&'static str> {
    Some(match (direction, is_ordered) {
        ("EQ", _) => "NE",
        ("NE", _) => "EQ",
        ("LT", true) => "GE",
        ("GE", true) => "LT",
        ("GT", true) => "LE",
        ("LE", true) => "GT",
        _ => return None,
    })
}
