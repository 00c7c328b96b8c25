//! Evaluates the integers that determine reads: offsets, indices, loop counters.
//!
//! A moved element has the value of its source, by the op's definition; integer arithmetic is mathematical, and a value
//! beyond the range of its type is unknown.

use super::access::Role;
use super::interpret::{Element, Interpreter, Origin, unsupported};
use super::passing;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::{Opcode, Values};
use affinor_hlo::shape::{ArrayShape, Shape};
use affinor_maps::num::Interval;
use affinor_maps::text::Error;

impl Interpreter<'_> {
    /// Returns the value of `element`.
    ///
    /// # Errors
    /// Kind `unsupported` if the value is unknown, and the errors of definitions.
    pub(super) fn value(&mut self, element: &Element) -> Result<i64, Error> {
        if let Some(known) = self.values.get(element) {
            return Ok(*known);
        }
        let value = self.one_deeper(element, |own| own.worked_out(element))?;
        self.values.insert(element.clone(), value);
        Ok(value)
    }

    fn worked_out(&mut self, element: &Element) -> Result<i64, Error> {
        let instruction = self.instruction(element.place);
        match self.origin(element)? {
            Origin::Same(other) => self.value(&other),
            Origin::Parameter(parameter) => {
                let known = (self.known)(&parameter);
                known.ok_or_else(|| unsupported(instruction, "the value of it is not known"))
            }
            Origin::Op => self.computed(element),
        }
    }

    fn computed(&mut self, element: &Element) -> Result<i64, Error> {
        let instruction = self.instruction(element.place);
        match instruction.opcode() {
            Opcode::Constant => {
                let values = instruction.constant_integers()?;
                let sizes = instruction.shape().as_array().and_then(ArrayShape::sizes);
                let position = sizes.and_then(|sizes| row_major(&sizes, &element.index));
                let value = values.zip(position).and_then(|(values, p)| values.get(p).copied());
                value.ok_or_else(|| unsupported(instruction, "its value is not a known integer"))
            }
            Opcode::Iota => {
                let dimension = instruction.iota_dimension(element.index.len())?;
                Ok(element.index.get(dimension).copied().unwrap_or(0))
            }
            Opcode::GetDimensionSize => {
                let operand = self.body(element.place).operands(instruction).next();
                let operand = operand.and_then(|operand| operand.shape().as_array());
                let size = operand.and_then(|array| {
                    let dimensions = instruction.dimensions(array.rank()).ok()?;
                    array.fixed_sizes()?.get(*dimensions.first()?).copied()
                });
                size.ok_or_else(|| unsupported(instruction, "the size is not known"))
            }
            opcode if *opcode == Opcode::Bitcast || opcode.values() != Values::Made => {
                self.moved(element)
            }
            _ => {
                let operands = self.operands(element)?;
                let bounds = bounds(instruction);
                let value = arithmetic(instruction, &operands)
                    .filter(|value| bounds.is_some_and(|bounds| bounds.contains(*value)));
                value.ok_or_else(|| unsupported(instruction, "its value cannot be worked out"))
            }
        }
    }

    /// Returns the value of the element that is moved to `element`.
    fn moved(&mut self, element: &Element) -> Result<i64, Error> {
        let (body, instruction) = (self.body(element.place), self.instruction(element.place));
        if *instruction.opcode() == Opcode::Bitcast && !passing::moves(body, instruction) {
            return Err(unsupported(instruction, "it reads values in another way"));
        }
        let definition = self.definition(element.place)?;
        let mut from = Vec::new();
        for access in definition.accesses() {
            if access.role == Role::Data && access.output == element.path {
                from.extend(self.read_by(element, access)?);
            }
        }
        match from.as_slice() {
            [one] => self.value(one),
            _ => Err(unsupported(instruction, "it is not made of single elements")),
        }
    }

    /// Returns the operand values that an elementwise op combines.
    fn operands(&mut self, element: &Element) -> Result<Vec<i64>, Error> {
        let definition = self.definition(element.place)?;
        let mut values = Vec::new();
        for access in definition.accesses() {
            for operand in self.read_by(element, access)? {
                values.push(self.value(&operand)?);
            }
        }
        Ok(values)
    }
}

/// Returns the result of an op for these values of its operands.
fn arithmetic(instruction: &Instruction, operands: &[i64]) -> Option<i64> {
    let truth = i64::from;
    let of = instruction.shape().as_array()?.element_type();
    let is_integer = of.is_signed_integer() || of.is_unsigned_integer();
    let in_bits = |shift: i64| is_integer && (0..i64::from(of.bits()).min(63)).contains(&shift);
    match (instruction.opcode(), operands) {
        (Opcode::Convert, [x]) if of == ElementType::Pred => Some(truth(*x != 0)),
        (Opcode::Convert | Opcode::Floor | Opcode::Ceil, [x]) => Some(*x),
        (Opcode::RoundNearestAfz | Opcode::RoundNearestEven, [x]) => Some(*x),
        (Opcode::Negate, [x]) => x.checked_neg(),
        (Opcode::Abs, [x]) => x.checked_abs(),
        (Opcode::Add, [x, y]) => x.checked_add(*y),
        (Opcode::Subtract, [x, y]) => x.checked_sub(*y),
        (Opcode::Multiply, [x, y]) => x.checked_mul(*y),
        (Opcode::Minimum, [x, y]) => Some(*x.min(y)),
        (Opcode::Maximum, [x, y]) => Some(*x.max(y)),
        (Opcode::Clamp, [least, x, most]) => Some(*x.max(least).min(most)),
        (Opcode::Select, [chosen, x, y]) => Some(if *chosen == 0 { *y } else { *x }),
        (Opcode::Sign, [x]) => Some(x.signum()),
        (Opcode::Divide, [x, y]) if is_integer => x.checked_div(*y),
        (Opcode::Remainder, [x, y]) if is_integer => x.checked_rem(*y),
        (Opcode::ShiftLeft, [x, y]) if in_bits(*y) => x.checked_mul(1_i64.checked_shl(*y as u32)?),
        (Opcode::ShiftRightArithmetic, [x, y]) if in_bits(*y) && of.is_signed_integer() => {
            Some(x >> y)
        }
        (Opcode::ShiftRightLogical, [x, y]) if in_bits(*y) && *x >= 0 => Some(x >> y),
        (Opcode::Not, [x]) if of == ElementType::Pred => Some(1 - x),
        (Opcode::Not, [x]) if of.is_signed_integer() => Some(!x),
        (Opcode::Not, [x]) if is_integer && of.bits() < 64 => Some((1 << of.bits()) - 1 - x),
        (Opcode::Power, [x, y]) if is_integer => x.checked_pow(u32::try_from(*y).ok()?),
        (Opcode::And, [x, y]) => Some(x & y),
        (Opcode::Or, [x, y]) => Some(x | y),
        (Opcode::Xor, [x, y]) => Some(x ^ y),
        (Opcode::Compare, [x, y]) => match instruction.word("direction").ok()?? {
            "EQ" => Some(truth(x == y)),
            "NE" => Some(truth(x != y)),
            "LT" => Some(truth(x < y)),
            "LE" => Some(truth(x <= y)),
            "GT" => Some(truth(x > y)),
            "GE" => Some(truth(x >= y)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the integers that the result's element type represents, for floats those up to the first that is not representable;
/// `None` for other types.
fn bounds(instruction: &Instruction) -> Option<Interval> {
    let Shape::Array(array) = instruction.shape() else {
        return None;
    };
    held(array.element_type())
}

/// Returns the integers that an element type represents.
pub(super) fn held(element_type: ElementType) -> Option<Interval> {
    let bits = element_type.bits();
    let signed = element_type.name().starts_with('s');
    let around = |bits: u32| Some(Interval::new(-(1 << bits), 1 << bits));
    match element_type {
        ElementType::Pred => Some(Interval::new(0, 1)),
        ElementType::BF16 => around(8),
        ElementType::F16 => around(11),
        ElementType::F32 => around(24),
        ElementType::F64 => around(53),
        _ if bits == 64 && signed => Some(Interval::new(i64::MIN, i64::MAX)),
        _ if bits == 64 && element_type == ElementType::U64 => Some(Interval::new(0, i64::MAX)),
        _ if bits > 32 => None,
        _ if signed => Some(Interval::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        _ if element_type.name().starts_with('u') => Some(Interval::new(0, (1 << bits) - 1)),
        _ => None,
    }
}

/// Returns the position of an index in row-major order.
fn row_major(sizes: &[i64], index: &[i64]) -> Option<usize> {
    let digits = sizes.iter().zip(index);
    let position = digits.fold(0, |position, (size, k)| position * size + k);
    usize::try_from(position).ok()
}
