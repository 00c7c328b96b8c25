//! Compares arrays of numbers that depend on no parameter, element by element.
//!
//! Law: the numbers are those of `known_word`. Floats may differ by rounding errors if they are treated as real numbers; then the
//! numbers may also be those of real arithmetic (`reals`).

use super::constant::Constant;
use super::parts::View;
use super::polynomials::are_near;
use super::reals::Sample;
use super::values::Computed;
use affinor::expr::VariableKind;
use affinor::num::product;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{InstructionPlace, known_word};

/// Maximum number of compared elements.
const ELEMENTS: i64 = 1_024;

impl Computed<'_> {
    /// Returns whether both sides have the same numbers at all points, if one of them has them from literals.
    pub(super) fn same_numbers(&mut self, sizes: &[i64], leaves: [&[View]; 2]) -> bool {
        let are_literals = |side: usize| {
            leaves[side]
                .iter()
                .all(|leaf| *self.frames[side].instruction(&leaf.at).opcode() == Opcode::Constant)
        };
        let count = product(sizes.iter().copied());
        let is_fitting = count.is_some_and(|count| (1..=ELEMENTS).contains(&count))
            && leaves.iter().all(|all| !all.is_empty())
            && (are_literals(0) || are_literals(1));
        is_fitting && self.all_equal(sizes, leaves).unwrap_or_default()
    }

    fn all_equal(&mut self, sizes: &[i64], leaves: [&[View]; 2]) -> Option<bool> {
        let mut point = vec![0_i64; sizes.len()];
        loop {
            let numbers = [0, 1].map(|side| self.number(side, leaves[side], &point));
            let is_equal = matches!(&numbers, [Some(old), Some(new)] if old == new);
            if !is_equal && !self.are_near_numbers(leaves, &point)? {
                return Some(false);
            }
            let Some(next) = (0..sizes.len()).rev().find(|k| point[*k] + 1 < sizes[*k]) else {
                return Some(true);
            };
            point[next] += 1;
            point[next + 1..].fill(0);
        }
    }

    /// Returns whether two numbers differ by no more than rounding errors, if these are permitted.
    fn are_near_numbers(&mut self, leaves: [&[View]; 2], point: &[i64]) -> Option<bool> {
        self.is_rounded.then_some(())?;
        let of = self.type_of(0, leaves[0].first()?)?;
        let other = self.type_of(1, leaves[1].first()?)?;
        (of.is_float() && other.is_float() && of.bits() >= 32).then_some(())?;
        let numbers = [0, 1].map(|side| {
            let exact = self.number(side, leaves[side], point);
            let exact = exact.and_then(|number| number.text().parse::<f64>().ok());
            exact.or_else(|| {
                self.in_sample(Sample::Unknown, 0, |this| {
                    let mut all = leaves[side].iter();
                    all.find_map(|leaf| this.sample(side, &leaf.at, &leaf.maps, point))
                })
            })
        });
        Some(are_near(numbers[0]?, numbers[1]?, of))
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
