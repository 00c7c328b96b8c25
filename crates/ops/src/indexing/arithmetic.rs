//! Integer arithmetic on values known at compile time, as expressions.
//!
//! Law: where the operands have the values of their expressions, the result has the value of the returned expression. `None` is
//! returned if the element type might not represent a value: integers wrap and floats round, and expressions do neither.
//! Source: XLA, *Operation semantics*, the elementwise ops.
//!
//! `x < y` is encoded as `min(max(y - x, 0), 1)`, and a selection by it likewise as a min and a max.

use super::number::Number;
use affinor::num::Interval;
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;

/// Returns the interval to which values of an element type are restricted: all integers that an integer type represents, and
/// for floats the integers up to the first that is not representable. The extreme values of 64 bits are left out.
pub(super) fn held(element_type: ElementType) -> Option<Interval> {
    use ElementType::{BF16, F16, F32, F64, Pred};
    let around = |bits: u32| Interval::new(-(1 << bits), 1 << bits);
    match element_type {
        Pred => Some(Interval::new(0, 1)),
        BF16 => Some(around(8)),
        F16 => Some(around(11)),
        F32 => Some(around(24)),
        F64 => Some(around(53)),
        _ if element_type.is_signed_integer() => {
            let hi = i64::MAX >> (64 - element_type.bits());
            Some(Interval::new((-hi - 1).max(-i64::MAX), hi.min(i64::MAX - 1)))
        }
        _ if element_type.is_unsigned_integer() => {
            let hi = u64::MAX >> (64 - element_type.bits());
            Some(Interval::new(0, i64::try_from(hi).unwrap_or(i64::MAX - 1)))
        }
        _ => None,
    }
}

fn is_integer(element_type: ElementType) -> bool {
    element_type.is_signed_integer() || element_type.is_unsigned_integer()
}

/// Returns the value of an elementwise op, given the values of its operands, each with its element type; `None` if the value is
/// unknown, or if the result's element type might not represent it.
pub(super) fn combined(
    instruction: &Instruction,
    element_type: ElementType,
    operands: &[(ElementType, Number)],
) -> Option<Number> {
    let numbers: Vec<&Number> = operands.iter().map(|(_, number)| number).collect();
    let value = match element_type {
        ElementType::Pred => truth(instruction, &numbers, operands.first()?.0),
        _ => number(instruction.opcode(), &numbers)
            .or_else(|| integer(instruction.opcode(), &numbers, element_type)),
    }?;
    held(element_type)?.contains_all(value.range).then_some(value)
}

/// Returns the value of an op whose result is a truth value; operands have elements of type `of`.
fn truth(instruction: &Instruction, operands: &[&Number], of: ElementType) -> Option<Number> {
    match (instruction.opcode(), operands) {
        (Opcode::Convert, [x]) => x.is_not_zero(),
        (Opcode::Not, [x]) => x.negated(),
        (Opcode::And | Opcode::Minimum, [x, y]) => x.min(y),
        (Opcode::Or | Opcode::Maximum, [x, y]) => x.max(y),
        (Opcode::Xor, [x, y]) => x.plus(-1, y)?.is_not_zero(),
        (Opcode::Select, [choice, x, y]) => selected(choice, x, y),
        // Floats have two zeros, which some comparisons distinguish.
        (Opcode::Compare, [x, y]) if of == ElementType::Pred || is_integer(of) => {
            let is_below = |x: &Number, y: &Number| y.plus(-1, x)?.is_positive();
            match instruction.word("direction").ok()?? {
                "LT" => is_below(x, y),
                "GT" => is_below(y, x),
                "LE" => is_below(y, x)?.negated(),
                "GE" => is_below(x, y)?.negated(),
                "NE" => x.plus(-1, y)?.is_not_zero(),
                "EQ" => x.plus(-1, y)?.is_not_zero()?.negated(),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `x` where the choice is 1, else `y`.
pub(super) fn selected(choice: &Number, x: &Number, y: &Number) -> Option<Number> {
    match choice.value() {
        Some(0) => Some(y.clone()),
        Some(_) => Some(x.clone()),
        None => {
            let blend = y.plus(1, &x.plus(-1, y)?.where_true(choice)?)?;
            // The value is one of the two, so it is in their hull.
            Some(Number::new(blend.expr, blend.range.intersect(x.range.hull(y.range))))
        }
    }
}

/// Returns the value of an op that is defined on numbers of any type.
fn number(opcode: &Opcode, operands: &[&Number]) -> Option<Number> {
    use Opcode::{Ceil, Convert, Floor, RoundNearestAfz, RoundNearestEven};
    match (opcode, operands) {
        (Convert | Floor | Ceil | RoundNearestAfz | RoundNearestEven, [x]) => Some((*x).clone()),
        (Opcode::Negate, [x]) => x.times(-1),
        (Opcode::Abs, [x]) => x.max(&x.times(-1)?),
        (Opcode::Sign, [x]) => x.forced(Interval::new(-1, 1)),
        (Opcode::Add, [x, y]) => x.plus(1, y),
        (Opcode::Subtract, [x, y]) => x.plus(-1, y),
        (Opcode::Multiply, [x, y]) => match (x.value(), y.value()) {
            (Some(factor), _) => y.times(factor),
            (_, Some(factor)) => x.times(factor),
            _ => None,
        },
        (Opcode::Minimum, [x, y]) => x.min(y),
        (Opcode::Maximum, [x, y]) => x.max(y),
        (Opcode::Clamp, [least, x, most]) => x.max(least)?.min(most),
        (Opcode::Select, [choice, x, y]) => selected(choice, x, y),
        _ => None,
    }
}

/// Returns the value of an op that is defined on integers only.
fn integer(opcode: &Opcode, operands: &[&Number], of: ElementType) -> Option<Number> {
    let (bits, is_signed) = (of.bits(), of.is_signed_integer());
    match (opcode, operands) {
        _ if !is_integer(of) => None,
        (Opcode::Not, [x]) if is_signed => Number::constant(-1).plus(-1, x),
        (Opcode::Not, [x]) if bits < 64 => Number::constant((1 << bits) - 1).plus(-1, x),
        (Opcode::Power, [x, y]) => {
            let exponent = u32::try_from(y.value()?).ok()?;
            x.value()?.checked_pow(exponent).map(Number::constant)
        }
        (Opcode::Divide, [x, y]) => {
            let divisor = y.value().filter(|divisor| *divisor != 0)?;
            let size = divisor.checked_abs()?;
            x.times(divisor.signum())?.by_size(|x| x.floordiv(size))
        }
        (Opcode::Remainder, [x, y]) => {
            let size = y.value().filter(|divisor| *divisor != 0)?.checked_abs()?;
            x.by_size(|x| x.modulo(size))
        }
        (Opcode::ShiftLeft, [x, y]) => x.times(y.power(bits)?),
        (Opcode::ShiftRightArithmetic, [x, y]) if is_signed => x.floordiv(y.power(bits)?),
        (Opcode::ShiftRightLogical, [x, y]) if x.range.lo() >= 0 => x.floordiv(y.power(bits)?),
        (Opcode::And | Opcode::Or | Opcode::Xor, [x, y]) => match (x.value(), y.value()) {
            (Some(x), Some(y)) => Some(Number::constant(match opcode {
                Opcode::And => x & y,
                Opcode::Or => x | y,
                _ => x ^ y,
            })),
            (Some(mask), None) if *opcode == Opcode::And => low_bits(y, mask),
            (None, Some(mask)) if *opcode == Opcode::And => low_bits(x, mask),
            _ => None,
        },
        _ => None,
    }
}

/// The low bits of a number in two's complement are its remainder.
fn low_bits(x: &Number, mask: i64) -> Option<Number> {
    let modulus = mask.checked_add(1).filter(|modulus| *modulus > 0)?;
    if modulus.count_ones() != 1 {
        return None;
    }
    x.modulo(modulus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::points;
    use affinor::expr::{Expr, VariableId};
    use affinor_hlo as hlo;

    /// Returns the values of `op` applied to operands of these types: `d0 + lo` with `d0 < count` for each `x`, and constants.
    fn made(
        text: &str,
        operands: &[(ElementType, Option<i64>)],
        lo: i64,
        count: i64,
    ) -> Option<Number> {
        let module = hlo::read(text.as_bytes()).expect("an instruction");
        let entry = &module[module.entry()];
        let root = &entry[entry.root()];
        let element_type = root.shape().as_array().expect("an array").element_type();
        let counted = || {
            let x = Expr::variable(VariableId(0)).add(&Expr::constant(lo)).expect("small");
            Number::new(x, Interval::new(lo, lo + count - 1))
        };
        let number = |constant: &Option<i64>| constant.map_or_else(counted, Number::constant);
        let operands: Vec<_> =
            operands.iter().map(|(of, constant)| (*of, number(constant))).collect();
        combined(root, element_type, &operands)
    }

    #[track_caller]
    fn check(
        of: &str,
        line: &str,
        lo: i64,
        constants: &[Option<i64>],
        expected: Option<&dyn Fn(i64) -> i64>,
    ) {
        let of_type = ElementType::from_name(of).expect("a type");
        let result = if line.starts_with("compare") { "pred" } else { of };
        let names = ["a", "b", "c"];
        let parameters = (0..constants.len()).map(|k| {
            let of = if k == 0 && line.starts_with("select") { "pred" } else { of };
            format!("{} = {of}[] parameter({k})\n", names[k])
        });
        let parameters: String = parameters.collect();
        let (opcode, attribute) = line.split_once(' ').unwrap_or((line, ""));
        let list = names[..constants.len()].join(", ");
        let comma = if attribute.is_empty() { "" } else { ", " };
        let text = format!("{parameters}r = {result}[] {opcode}({list}){comma}{attribute}");
        let operands: Vec<_> = constants.iter().map(|c| (of_type, *c)).collect();
        let made = made(&text, &operands, lo, 9);
        let Some(expected) = expected else {
            assert_eq!(made, None, "{text}");
            return;
        };
        let made = made.expect(&text);
        for point in points(&[9]) {
            let value = made.expr.eval(&point).expect("small");
            assert_eq!(value, expected(point[0] + lo), "{text} at {point:?}");
            assert!(made.range.contains(value), "{text}: {made:?}");
        }
    }

    #[test]
    fn values_are_those_of_the_op() {
        let x = None;
        for lo in [-12, -4, 0, 3] {
            check("s32", "add", lo, &[x, Some(5)], Some(&|x| x + 5));
            check("s32", "subtract", lo, &[Some(5), x], Some(&|x| 5 - x));
            check("s32", "multiply", lo, &[x, Some(-3)], Some(&|x| -3 * x));
            check("s32", "negate", lo, &[x], Some(&|x| -x));
            check("s32", "abs", lo, &[x], Some(&i64::abs));
            check("s32", "sign", lo, &[x], Some(&i64::signum));
            check("s32", "not", lo, &[x], Some(&|x| !x));
            check("s32", "minimum", lo, &[x, Some(2)], Some(&|x| x.min(2)));
            check("s32", "maximum", lo, &[x, Some(2)], Some(&|x| x.max(2)));
            check("s32", "clamp", lo, &[Some(-2), x, Some(3)], Some(&|x| x.clamp(-2, 3)));
            check("s32", "clamp", lo, &[Some(4), x, Some(3)], Some(&|_| 3));
            check("f32", "floor", lo, &[x], Some(&|x| x));
            for divisor in [-5, -1, 1, 2, 5] {
                let (quotient, rest) = (|x, y| x / y, |x, y| x % y);
                check("s32", "divide", lo, &[x, Some(divisor)], Some(&|x| quotient(x, divisor)));
                check("s32", "remainder", lo, &[x, Some(divisor)], Some(&|x| rest(x, divisor)));
            }
            check("s8", "shift-left", lo, &[x, Some(3)], Some(&|x| x << 3));
            check("s8", "shift-right-arithmetic", lo, &[x, Some(2)], Some(&|x| x >> 2));
            check("s8", "and", lo, &[x, Some(3)], Some(&|x| x & 3));
            check("s8", "xor", lo, &[Some(12), Some(-10)], Some(&|_| 12 ^ -10));
            for (direction, holds) in [
                ("LT", (|x, y| x < y) as fn(i64, i64) -> bool),
                ("LE", |x, y| x <= y),
                ("GT", |x, y| x > y),
                ("GE", |x, y| x >= y),
                ("EQ", |x, y| x == y),
                ("NE", |x, y| x != y),
            ] {
                let line = format!("compare direction={direction}");
                check("s32", &line, lo, &[x, Some(2)], Some(&|x| i64::from(holds(x, 2))));
                check("s32", &line, lo, &[Some(-3), x], Some(&|x| i64::from(holds(-3, x))));
            }
        }
        check("u8", "not", 3, &[x], Some(&|x| 255 - x));
        check("s8", "power", 0, &[Some(-2), Some(3)], Some(&|_| -8));
        check("u8", "shift-right-logical", 3, &[x, Some(2)], Some(&|x| x >> 2));
        check("s32", "select", 0, &[Some(1), x, Some(7)], Some(&|x| x));
        // If the choice is 0 or 1, the variable itself is the choice.
        let choice = Number::new(Expr::variable(VariableId(0)), Interval::new(0, 1));
        for (x, y) in [(-4, 9), (9, -4), (0, 3), (3, 0), (5, 5)] {
            let value =
                selected(&choice, &Number::constant(x), &Number::constant(y)).expect("known");
            assert_eq!(value.expr.eval(&[1]), Ok(x));
            assert_eq!(value.expr.eval(&[0]), Ok(y));
        }
    }

    #[test]
    fn what_might_wrap_or_round_is_not_known() {
        let x = None;
        check("s8", "add", 115, &[x, Some(5)], None);
        check("s8", "add", 114, &[x, Some(5)], Some(&|x| x + 5));
        check("u8", "subtract", 0, &[x, Some(1)], None);
        check("u64", "not", 0, &[x], None);
        check("s32", "power", 0, &[x, Some(2)], None);
        check("s32", "power", 0, &[Some(3), Some(-1)], None);
        check("s8", "power", 0, &[Some(2), Some(7)], None);
        check("s8", "abs", -128, &[x], None);
        check("s8", "divide", -128, &[x, Some(-1)], None);
        check("s8", "shift-left", 9, &[x, Some(3)], None);
        check("s8", "shift-left", 0, &[x, Some(8)], None);
        check("s8", "shift-right-logical", -1, &[x, Some(1)], None);
        check("s32", "divide", 0, &[x, Some(0)], None);
        check("s32", "remainder", 0, &[x, Some(0)], None);
        check("s32", "multiply", 0, &[x, x], None);
        check("s32", "and", 0, &[x, Some(5)], None);
        check("f32", "add", 1 << 24, &[x, Some(1)], None);
        check("f32", "divide", 0, &[x, Some(2)], None);
        check("s64", "add", i64::MAX - 20, &[x, Some(15)], None);
        check("f32", "compare direction=EQ", 0, &[x, Some(2)], None);
        check("s32", "exponential", 0, &[x], None);
    }

    #[test]
    fn element_types_hold_their_integers() {
        for (name, lo, hi) in [
            ("pred", 0, 1),
            ("s4", -8, 7),
            ("u4", 0, 15),
            ("s32", i64::from(i32::MIN), i64::from(i32::MAX)),
            ("u32", 0, i64::from(u32::MAX)),
            ("s64", -i64::MAX, i64::MAX - 1),
            ("u64", 0, i64::MAX - 1),
            ("f32", -(1 << 24), 1 << 24),
        ] {
            let element_type = ElementType::from_name(name).expect("a type");
            assert_eq!(held(element_type), Some(Interval::new(lo, hi)), "{name}");
        }
        assert_eq!(held(ElementType::C64), None);
        assert_eq!(held(ElementType::F8E5M2), None);
    }
}
