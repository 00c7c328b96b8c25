//! Compares arrays of numbers that depend on no parameter, element by element.
//!
//! Law: the numbers are those of `known_word`. Floats may differ by rounding errors if they are treated as real numbers.

use super::constant::Constant;
use super::parts::View;
use super::polynomials::are_near;
use super::values::Computed;
use affinor::expr::VariableKind;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{InstructionPlace, known_word};

/// Maximum number of compared elements.
const ELEMENTS: i64 = 1_024;

impl Computed<'_> {
    /// Returns whether both sides have the same numbers at all points, if one of them has them from literals.
    pub(super) fn same_numbers(&self, sizes: &[i64], leaves: [&[View]; 2]) -> bool {
        let are_literals = |side: usize| {
            leaves[side]
                .iter()
                .all(|leaf| *self.frames[side].instruction(&leaf.at).opcode() == Opcode::Constant)
        };
        let count = sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
        let is_fitting = count.is_some_and(|count| (1..=ELEMENTS).contains(&count))
            && leaves.iter().all(|all| !all.is_empty())
            && (are_literals(0) || are_literals(1));
        is_fitting && self.all_equal(sizes, leaves).unwrap_or_default()
    }

    fn all_equal(&self, sizes: &[i64], leaves: [&[View]; 2]) -> Option<bool> {
        let mut point = vec![0_i64; sizes.len()];
        loop {
            let [old, new] = [0, 1].map(|side| self.number(side, leaves[side], &point));
            let (old, new) = (old?, new?);
            let of = old.element_type();
            let are_near = || {
                let numbers = [&old, &new].map(|one| one.text().parse::<f64>());
                matches!(numbers, [Ok(one), Ok(other)] if are_near(one, other, of))
            };
            let is_rounded = self.is_rounded && of.is_float() && new.element_type().is_float();
            if old != new && !(is_rounded && are_near()) {
                return Some(false);
            }
            let Some(next) = (0..sizes.len()).rev().find(|k| point[*k] + 1 < sizes[*k]) else {
                return Some(true);
            };
            point[next] += 1;
            point[next + 1..].fill(0);
        }
    }

    /// Returns the number at a point; `None` if it is not known.
    fn number(&self, side: usize, leaves: &[View], point: &[i64]) -> Option<Constant> {
        for leaf in leaves {
            for map in &leaf.maps {
                let domain = map.map.domain();
                let is_plain = domain.count(VariableKind::Dimension) == domain.variables().len()
                    && domain.variables().len() == point.len();
                is_plain.then_some(())?;
                if domain.contains(point).ok()? {
                    let index = map.map.eval(point).ok()?;
                    let frames = &self.frames[side];
                    let (instruction, path) = &leaf.at.place;
                    let array = frames.instruction(&leaf.at).shape().at(path)?.as_array()?;
                    let computation = frames.computation(leaf.at.frame);
                    let place = InstructionPlace { computation, instruction: *instruction };
                    let interrupt = self.budget.interrupt.clone().unwrap_or_default();
                    let word = known_word(frames.module, place, path, &index, &interrupt)?;
                    return Some(Constant::of_word(array.element_type(), &word));
                }
            }
        }
        None
    }
}
