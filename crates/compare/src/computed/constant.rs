//! Literals as values.
//!
//! Law: equal scalars are the same value. Scalars that [`Constant::differs`] distinguishes are different numbers in their type.

use affinor::num::product;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;

/// A constant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Constant {
    element_type: ElementType,
    sizes: Vec<i64>,
    /// The value, in a canonical notation.
    text: String,
}

impl Constant {
    /// Returns `None` if the instruction is not a constant, or if its text omits the values.
    pub(super) fn of(instruction: &Instruction) -> Option<Constant> {
        (*instruction.opcode() == Opcode::Constant).then_some(())?;
        let array = instruction.shape().as_array()?;
        let element_type = array.element_type();
        let text = instruction.literal()?.text();
        let sizes = array.fixed_sizes()?;
        (!text.contains("...")).then_some(())?;
        let text = match sizes.is_empty() {
            true => normal(element_type, text),
            false => text.to_owned(),
        };
        Some(Constant { element_type, sizes, text })
    }

    /// Returns the value that all elements of a constant have.
    pub(super) fn of_all(instruction: &Instruction) -> Option<Constant> {
        let own = Constant::of(instruction)?;
        if own.is_scalar() {
            return Some(own);
        }
        let words = instruction.literal()?.words()?;
        let count = product(own.sizes.iter().copied());
        let first = words.first()?;
        let is_whole = i64::try_from(words.len()).ok() == count;
        let is_one = words.iter().all(|word| word == first);
        let text = normal(own.element_type, first);
        (is_whole && is_one).then_some(Constant { sizes: Vec::new(), text, ..own })
    }

    /// Returns the scalar that a word of a literal denotes.
    pub(super) fn of_word(element_type: ElementType, word: &str) -> Constant {
        Constant { element_type, sizes: Vec::new(), text: normal(element_type, word) }
    }

    pub(super) fn is_scalar(&self) -> bool {
        self.sizes.is_empty()
    }

    pub(super) fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// Returns a scalar integer.
    pub(super) fn integer(element_type: ElementType, value: i64) -> Constant {
        Constant { element_type, sizes: Vec::new(), text: value.to_string() }
    }

    /// Returns whether both are scalars of the same type with different numbers.
    pub(super) fn differs(&self, other: &Constant) -> bool {
        let is_one_type = self.element_type == other.element_type;
        let are_scalars = self.sizes.is_empty() && other.sizes.is_empty();
        if !is_one_type || !are_scalars {
            return false;
        }
        if let (Ok(one), Ok(other)) = (self.text.parse::<i128>(), other.text.parse::<i128>())
            && !self.element_type.is_float()
        {
            return one != other;
        }
        let (Ok(one), Ok(other)) = (self.text.parse::<f64>(), other.text.parse::<f64>()) else {
            return self.element_type == ElementType::Pred && self.text != other.text;
        };
        let apart = (one - other).abs();
        match self.element_type {
            ElementType::F32 | ElementType::F64 => apart > 0.0,
            // The numbers are so far apart that no floating-point type rounds both to the same value.
            _ => apart > 0.5 * one.abs().max(other.abs()),
        }
    }

    /// Returns the value as text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// Returns a scalar in its canonical notation, if that is known.
fn normal(element_type: ElementType, text: &str) -> String {
    if !element_type.is_float() {
        return match (element_type, text) {
            (ElementType::Pred, "1") => "true".to_owned(),
            (ElementType::Pred, "0") => "false".to_owned(),
            _ => text.to_owned(),
        };
    }
    let written = match element_type {
        ElementType::F32 => text
            .parse::<f32>()
            .ok()
            .filter(|value| value.is_finite())
            .map(|value| value.to_string()),
        _ => text
            .parse::<f64>()
            .ok()
            .filter(|value| value.is_finite())
            .map(|value| value.to_string()),
    };
    written.unwrap_or_else(|| text.to_owned())
}
