//! Properties of elementwise ops by opcode: whether each element depends only on the operand elements at its index, and an
//! interval of its values.

use super::arithmetic::held;
use super::values::holds_all;
use affinor::num::Interval;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::opcode::Opcode;

/// Attributes that do not affect values.
pub const SILENT: [&str; 7] = [
    "metadata",
    "sharding",
    "frontend_attributes",
    "backend_config",
    "control-predecessors",
    "origin",
    "statistics",
];

/// Returns whether a conversion from the first to the second type preserves integers.
pub(super) fn keeps((from, to): (ElementType, ElementType)) -> bool {
    from == to || holds_all(to, from)
}

/// Returns the values of a boolean type, or of an integer type all of whose values are representable; `None` for other types.
pub(super) fn integers(element_type: ElementType) -> Option<Interval> {
    let is_whole = element_type == ElementType::Pred
        || element_type.is_signed_integer()
        || element_type.is_unsigned_integer();
    let all = is_whole && element_type.bits() < 64;
    all.then(|| held(element_type)).flatten()
}

/// Returns whether the operands of an op may be exchanged.
pub fn is_commutative(opcode: &Opcode) -> bool {
    use Opcode as O;
    matches!(opcode, O::Add | O::And | O::Maximum | O::Minimum | O::Multiply | O::Or | O::Xor)
}

/// Returns an interval of the values of an op of integers with these ranges.
pub(super) fn range_of(
    opcode: &Opcode,
    element_type: ElementType,
    ranges: &[Interval],
) -> Interval {
    let Some(all) = integers(element_type) else {
        return Interval::ALL;
    };
    let own = match (opcode, ranges) {
        (Opcode::Maximum, [x, y]) => x.intersect(all).max(y.intersect(all)),
        (Opcode::Minimum, [x, y]) => x.intersect(all).min(y.intersect(all)),
        (Opcode::Add, [x, y]) => x.intersect(all).add(y.intersect(all)),
        _ => Interval::ALL,
    };
    // Values outside the range of the type wrap around.
    match all.contains_all(own) {
        true => own,
        false => all,
    }
}

/// Returns whether each element of the result is determined by the elements of the operands at its index.
pub fn is_pointwise(opcode: &Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::Abs
            | O::Acos
            | O::Acosh
            | O::Add
            | O::And
            | O::Asin
            | O::Asinh
            | O::Atan2
            | O::Atanh
            | O::Cbrt
            | O::Ceil
            | O::Clamp
            | O::Compare
            | O::Complex
            | O::Convert
            | O::Cosh
            | O::Cosine
            | O::CountLeadingZeros
            | O::Divide
            | O::Erf
            | O::Exponential
            | O::ExponentialMinusOne
            | O::Floor
            | O::Imag
            | O::IsFinite
            | O::Log
            | O::LogPlusOne
            | O::Logistic
            | O::Maximum
            | O::Minimum
            | O::Mulhi
            | O::Multiply
            | O::Negate
            | O::Not
            | O::Or
            | O::Popcnt
            | O::Power
            | O::Real
            | O::ReducePrecision
            | O::Remainder
            | O::RoundNearestAfz
            | O::RoundNearestEven
            | O::Rsqrt
            | O::Select
            | O::ShiftLeft
            | O::ShiftRightArithmetic
            | O::ShiftRightLogical
            | O::Sign
            | O::Sine
            | O::Sinh
            | O::Sqrt
            | O::Subtract
            | O::Tan
            | O::Tanh
            | O::Xor
    )
}
