//! Operations that return an operand unchanged: because of the other operand, or because they undo the operation before; or
//! because this operand is a constant that decides the result.
//!
//! Law: whatever the elements of the operand are, each element of the result is the operand's element at the same index; a NaN
//! may have another payload. The sum of a float and 0 is not among these operations: it turns -0 into 0.

use super::alike::combiner;
use super::constant::Constant;
use super::frames::At;
use super::values::Computed;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::InstructionId;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::TuplePath;

impl Computed<'_> {
    /// Returns the operand that an elementwise operation returns unchanged.
    pub(super) fn kept(&mut self, side: usize, at: &At) -> Option<At> {
        use Opcode as O;
        let op = self.frames[side].instruction(at);
        let opcode = op.opcode();
        if *opcode == O::Conditional {
            return self.chosen(side, at);
        }
        let of_two = matches!(
            opcode,
            O::Add
                | O::And
                | O::Divide
                | O::Maximum
                | O::Minimum
                | O::Multiply
                | O::Or
                | O::ShiftLeft
                | O::ShiftRightArithmetic
                | O::ShiftRightLogical
                | O::Subtract
                | O::Xor
        );
        let element_type = op.shape().as_array()?.element_type();
        let of = |number: usize| {
            let id = *op.operands().get(number)?;
            Some(At { frame: at.frame, place: (id, TuplePath::new()) })
        };
        let kept: InstructionId = match (opcode, op.operands()) {
            // Twice is not at all.
            (O::Negate | O::Not, [inner]) => {
                let inner = &self.frames[side].body(at.frame)[*inner];
                *inner.operands().first().filter(|_| inner.opcode() == opcode)?
            }
            (O::Select, [_, one, other]) if one == other => *one,
            (O::And | O::Maximum | O::Minimum | O::Or, [one, other]) if one == other => *one,
            // Over no dimension: the sizes are compared below.
            (O::Reduce, [one, _]) => {
                let (combined, of_type) = combiner(self.frames[side].module, op)?;
                let start = self.scalar(side, &of(1)?)?;
                is_neutral(&combined, of_type, &start, true).then_some(*one)?
            }
            // To the same type: the types are compared below.
            (O::Convert, [one]) => *one,
            (O::Compare, [one, other]) => {
                let neutral = match op.word("direction").ok().flatten()? {
                    "NE" => "false",
                    "EQ" => "true",
                    _ => return None,
                };
                let mut is_neutral =
                    |number: usize| Some(self.scalar(side, &of(number)?)?.text() == neutral);
                match (is_neutral(1), is_neutral(0)) {
                    (Some(true), _) => *one,
                    (_, Some(true)) => *other,
                    _ => return None,
                }
            }
            (O::Select, [_, one, _]) if self.are_equal(side, [of(1)?, of(2)?]) => *one,
            (O::Select, [_, one, other]) => {
                let choice = self.scalar(side, &of(0)?)?;
                match choice.text() {
                    "true" => *one,
                    "false" => *other,
                    _ => return None,
                }
            }
            (_, [one, other]) if of_two => {
                let constants = [0, 1].map(|number| self.scalar(side, &of(number)?));
                let is = |number: usize, is_meant: &dyn Fn(&Constant) -> bool| {
                    constants[number].as_ref().is_some_and(is_meant)
                };
                let decides = |number| is(number, &|one| absorbs(opcode, element_type, one));
                let changes_nothing =
                    |number| is(number, &|one| is_neutral(opcode, element_type, one, number == 0));
                if decides(0) || changes_nothing(1) {
                    *one
                } else if decides(1) || changes_nothing(0) {
                    *other
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        let body = self.frames[side].body(at.frame);
        let arrays = [body[kept].shape(), op.shape()].map(|shape| {
            let array = shape.as_array()?;
            Some((array.element_type(), array.sizes()?))
        });
        let is_alike = arrays[0].is_some() && arrays[0] == arrays[1];
        is_alike.then_some(At { frame: at.frame, place: (kept, TuplePath::new()) })
    }

    /// Returns whether all elements of both arrays are one constant.
    fn are_equal(&mut self, side: usize, arrays: [At; 2]) -> bool {
        let [one, other] = arrays.map(|at| self.scalar(side, &at));
        one.is_some() && one == other
    }

    /// Returns the result of the branch that a conditional takes, if its choice is known. An index that is out of range selects
    /// the last branch.
    fn chosen(&mut self, side: usize, at: &At) -> Option<At> {
        let op = self.frames[side].instruction(at);
        let choice = At { frame: at.frame, place: (*op.operands().first()?, TuplePath::new()) };
        let choice = self.scalar(side, &choice)?;
        let last = op.branches().ok()?.len().checked_sub(1)?;
        let number = match choice.text() {
            "true" => 0,
            "false" => 1,
            text => text.parse::<i64>().ok()?.try_into().unwrap_or(last),
        };
        let frame = self.frames[side].branch(at.frame, at.place.0, number.min(last))?;
        let root = self.frames[side].body(frame).root();
        Some(At { frame, place: (root, at.place.1.clone()) })
    }
}

/// Returns whether the operation returns its other operand unchanged if this operand is `constant`.
pub(super) fn is_neutral(
    opcode: &Opcode,
    element_type: ElementType,
    constant: &Constant,
    is_first: bool,
) -> bool {
    use Opcode as O;
    let is_whole = element_type.is_signed_integer() || element_type.is_unsigned_integer();
    let is_truth = element_type == ElementType::Pred;
    let is_number = is_whole || element_type.is_float();
    match (opcode, constant.text()) {
        (O::Add | O::Or | O::Xor, "0") => is_whole,
        (O::Subtract, "0") => is_number && !is_first,
        (O::Add, "-0") => element_type.is_float(),
        (O::Multiply, "1") => is_number,
        (O::Divide, "1") => is_number && !is_first,
        (O::And, "true") | (O::Or | O::Xor, "false") => is_truth,
        (O::And, "-1") => element_type.is_signed_integer(),
        (O::ShiftLeft | O::ShiftRightArithmetic | O::ShiftRightLogical, "0") => {
            is_whole && !is_first
        }
        (O::Maximum, text) => is_number && text == extreme(element_type, false),
        (O::Minimum, text) => is_number && text == extreme(element_type, true),
        _ => false,
    }
}

/// Returns whether the operation returns this constant whatever its other operand is.
pub(super) fn absorbs(opcode: &Opcode, element_type: ElementType, constant: &Constant) -> bool {
    let is_whole = element_type.is_signed_integer() || element_type.is_unsigned_integer();
    let is_truth = element_type == ElementType::Pred;
    match (opcode, constant.text()) {
        (Opcode::And, "false") | (Opcode::Or, "true") => is_truth,
        (Opcode::And | Opcode::Multiply, "0") => is_whole,
        _ => false,
    }
}

/// Returns the least or the greatest number of a type.
fn extreme(element_type: ElementType, is_most: bool) -> String {
    let is_signed = element_type.is_signed_integer();
    let bits = element_type.bits().min(64);
    match (element_type.is_float(), is_most) {
        (true, true) => "inf".to_owned(),
        (true, false) => "-inf".to_owned(),
        (false, true) => ((1_i128 << (bits - u32::from(is_signed))) - 1).to_string(),
        (false, false) if is_signed => (-1_i128 << (bits - 1)).to_string(),
        (false, false) => "0".to_owned(),
    }
}
