//! Evaluates ops on single values.
//!
//! Law: an op of integers wraps around in the bits of its type; an op of floats rounds once, to the nearest value of its type
//! (IEEE 754). `None` is returned for results that are not determined: NaN, numbers too small to be normal, conversions to
//! integers out of their range, divisions by 0, shifts by more than all bits, and types other than integers of at most 64 bits,
//! truth values, `f32` and `f64`. Source: XLA, *Operation semantics*, the elementwise ops.

use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::Instruction;
use affinor_hlo::opcode::Opcode;

/// A value of a type known from its context. Truth values are 0 and 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Scalar {
    Int(i64),
    F32(f32),
    F64(f64),
}

impl Scalar {
    pub(super) fn integer(self) -> Option<i64> {
        match self {
            Scalar::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value of `word`, a word of a literal.
    pub(super) fn read(element_type: ElementType, word: &str) -> Option<Scalar> {
        let value = match (element_type, word) {
            (ElementType::F32, _) => Scalar::F32(word.parse().ok()?),
            (ElementType::F64, _) => Scalar::F64(word.parse().ok()?),
            (_, "true") => Scalar::Int(1),
            (_, "false") => Scalar::Int(0),
            _ => wrapped(element_type, word.parse::<i64>().ok()?.into())?,
        };
        value.plain()
    }

    /// Returns the word for the value in a literal of the type, if it is a finite number.
    pub(super) fn word(self, element_type: ElementType) -> Option<String> {
        match self {
            Scalar::Int(value) if element_type == ElementType::Pred => {
                Some((value != 0).to_string())
            }
            Scalar::Int(value) => Some(value.to_string()),
            Scalar::F32(value) => value.is_finite().then(|| value.to_string()),
            Scalar::F64(value) => value.is_finite().then(|| value.to_string()),
        }
    }

    /// Returns the integer as a value of a type, as in an iota.
    pub(super) fn counted(element_type: ElementType, number: i64) -> Option<Scalar> {
        converted(Scalar::Int(number), element_type)
    }

    fn plain(self) -> Option<Scalar> {
        let is_plain = match self {
            Scalar::Int(_) => true,
            Scalar::F32(x) => x.is_normal() || x == 0.0 || x.is_infinite(),
            Scalar::F64(x) => x.is_normal() || x == 0.0 || x.is_infinite(),
        };
        is_plain.then_some(self)
    }
}

/// Wraps `value` around in the bits of the type.
fn wrapped(element_type: ElementType, value: i128) -> Option<Scalar> {
    let bits = element_type.bits();
    let value = match element_type {
        ElementType::Pred => value & 1,
        _ if element_type.is_signed_integer() => value << (128 - bits) >> (128 - bits),
        _ if element_type.is_unsigned_integer() => value & ((1 << bits) - 1),
        _ => return None,
    };
    Some(Scalar::Int(i64::try_from(value).ok()?))
}

fn converted(value: Scalar, to: ElementType) -> Option<Scalar> {
    let from_float = |x: f64| {
        let whole = x.trunc();
        let fits = whole.abs() < 9e18;
        let Scalar::Int(kept) = wrapped(to, whole as i128).filter(|_| fits)? else {
            return None;
        };
        (kept as f64 == whole).then_some(Scalar::Int(kept))
    };
    let found = match (value, to) {
        (Scalar::Int(x), ElementType::Pred) => Scalar::Int(i64::from(x != 0)),
        (Scalar::F32(_) | Scalar::F64(_), ElementType::Pred) => return None,
        (Scalar::Int(x), ElementType::F32) => Scalar::F32(x as f32),
        (Scalar::Int(x), ElementType::F64) => Scalar::F64(x as f64),
        (Scalar::F32(_), ElementType::F32) | (Scalar::F64(_), ElementType::F64) => value,
        (Scalar::F32(x), ElementType::F64) => Scalar::F64(x.into()),
        (Scalar::F64(x), ElementType::F32) => Scalar::F32(x as f32),
        (Scalar::Int(x), _) => wrapped(to, x.into())?,
        (Scalar::F32(x), _) => from_float(x.into())?,
        (Scalar::F64(x), _) => from_float(x)?,
    };
    found.plain()
}

/// The result of an op on floats of one type.
macro_rules! of_floats {
    ($float:ty, $opcode:expr, $operands:expr) => {{
        // The sign of the minimum or maximum of two zeros is unspecified.
        let differ = |x: $float, y: $float| x != 0.0 || y != 0.0 || x.to_bits() == y.to_bits();
        match ($opcode, &$operands[..]) {
            (Opcode::Abs, [x]) => Some(x.abs()),
            (Opcode::Negate, [x]) => Some(-x),
            (Opcode::Floor, [x]) => Some(x.floor()),
            (Opcode::Ceil, [x]) => Some(x.ceil()),
            (Opcode::RoundNearestAfz, [x]) => Some(x.round()),
            (Opcode::RoundNearestEven, [x]) => Some(x.round_ties_even()),
            (Opcode::Add, [x, y]) => Some(x + y),
            (Opcode::Subtract, [x, y]) => Some(x - y),
            (Opcode::Multiply, [x, y]) => Some(x * y),
            (Opcode::Divide, [x, y]) if *y != 0.0 => Some(x / y),
            (Opcode::Minimum, [x, y]) if differ(*x, *y) => Some(x.min(*y)),
            (Opcode::Maximum, [x, y]) if differ(*x, *y) => Some(x.max(*y)),
            _ => None,
        }
    }};
}
/// Returns the result of an elementwise op, with elements of type `to`; each operand has its type.
pub(super) fn applied(
    instruction: &Instruction,
    to: ElementType,
    operands: &[(ElementType, Scalar)],
) -> Option<Scalar> {
    let opcode = instruction.opcode();
    let values: Vec<Scalar> = operands.iter().map(|(_, value)| *value).collect();
    match (opcode, &values[..]) {
        (Opcode::Convert, [x]) => return converted(*x, to),
        (Opcode::Select, [Scalar::Int(choice), x, y]) => {
            return Some(if *choice == 0 { *y } else { *x });
        }
        (Opcode::Compare, [x, y]) => {
            let order = match (x, y) {
                (Scalar::Int(x), Scalar::Int(y)) => x.cmp(y),
                (Scalar::F32(x), Scalar::F32(y)) => x.partial_cmp(y)?,
                (Scalar::F64(x), Scalar::F64(y)) => x.partial_cmp(y)?,
                _ => return None,
            };
            // The total order of floats distinguishes the two zeros.
            let is_total = instruction.word("type").ok()? == Some("TOTALORDER");
            let is_known = !is_total || order.is_ne() || matches!(x, Scalar::Int(_));
            let holds = match instruction.word("direction").ok()?? {
                "LT" => order.is_lt(),
                "LE" => order.is_le(),
                "GT" => order.is_gt(),
                "GE" => order.is_ge(),
                "EQ" => order.is_eq(),
                "NE" => order.is_ne(),
                _ => return None,
            };
            return is_known.then_some(Scalar::Int(i64::from(holds)));
        }
        _ => {}
    }
    match values.first()? {
        Scalar::Int(_) => {
            let integers = values.iter().map(|value| value.integer());
            of_integers(opcode, to, &integers.collect::<Option<Vec<_>>>()?)
        }
        Scalar::F32(_) => {
            let floats = values.iter().map(|value| match value {
                Scalar::F32(x) => Some(*x),
                _ => None,
            });
            let floats: Vec<f32> = floats.collect::<Option<_>>()?;
            of_floats!(f32, opcode, floats).map(Scalar::F32)?.plain()
        }
        Scalar::F64(_) => {
            let floats = values.iter().map(|value| match value {
                Scalar::F64(x) => Some(*x),
                _ => None,
            });
            let floats: Vec<f64> = floats.collect::<Option<_>>()?;
            of_floats!(f64, opcode, floats).map(Scalar::F64)?.plain()
        }
    }
}

fn of_integers(opcode: &Opcode, to: ElementType, operands: &[i64]) -> Option<Scalar> {
    let (bits, is_truth) = (to.bits(), to == ElementType::Pred);
    let wide: Vec<i128> = operands.iter().map(|x| i128::from(*x)).collect();
    let in_bits = |shift: i128| (0..i128::from(bits)).contains(&shift).then_some(shift as u32);
    let value = match (opcode, &wide[..]) {
        (Opcode::And, [x, y]) => x & y,
        (Opcode::Or, [x, y]) => x | y,
        (Opcode::Xor, [x, y]) => x ^ y,
        (Opcode::Not, [x]) => !x,
        (Opcode::Minimum, [x, y]) => *x.min(y),
        (Opcode::Maximum, [x, y]) => *x.max(y),
        _ if is_truth => return None,
        (Opcode::Add, [x, y]) => x + y,
        (Opcode::Subtract, [x, y]) => x - y,
        (Opcode::Multiply, [x, y]) => x * y,
        (Opcode::Divide, [x, y]) if *y != 0 => x / y,
        (Opcode::Remainder, [x, y]) if *y != 0 => x % y,
        (Opcode::Negate, [x]) => -x,
        (Opcode::Abs, [x]) => x.abs(),
        (Opcode::Sign, [x]) => x.signum(),
        (Opcode::Clamp, [least, x, most]) => *x.max(least).min(most),
        (Opcode::ShiftLeft, [x, y]) => x << in_bits(*y)?,
        (Opcode::ShiftRightArithmetic, [x, y]) if to.is_signed_integer() => x >> in_bits(*y)?,
        (Opcode::ShiftRightLogical, [x, y]) => (x & ((1 << bits) - 1)) >> in_bits(*y)?,
        _ => return None,
    };
    wrapped(to, value)
}
