//! Operations on single numbers, as real arithmetic, and the numbers that parameters have in a sample.
//!
//! Law: `None` is returned where the result is not determined: NaN, an integer outside the range of its type, division of
//! integers by 0, and operations on bits. Source: XLA, *Operation semantics*, the elementwise ops.

use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Instruction, Module};
use affinor_hlo::opcode::Opcode;

const PRIME: u64 = 65_521;

/// A choice of the parameters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Sample {
    /// Floats from 0.25 to 1.75: roots and logarithms are numbers.
    #[default]
    Positive,
    /// Floats from -0.75 to 0.75: few functions are saturated.
    Signed,
    /// No parameter is known.
    Unknown,
}

pub(super) const SAMPLES: [Sample; 2] = [Sample::Positive, Sample::Signed];

/// Returns element `k`, in row-major order, of array `n` among the parameters.
pub(super) fn given(sample: Sample, n: u64, k: u64, of: ElementType) -> Option<f64> {
    let number = scattered(n, k);
    let value = match (of, sample) {
        (_, Sample::Unknown) => return None,
        (ElementType::Pred, _) => (number % 2) as f64,
        (of, Sample::Positive) if of.is_float() => 1.0 + noise_of(n, k),
        (of, Sample::Signed) if of.is_float() => noise_of(n, k),
        _ => (number % 5) as f64,
    };
    Some(value)
}

/// Returns a number from -0.75 to 0.75.
pub(super) fn noise_of(n: u64, k: u64) -> f64 {
    1.5 * scattered(n, k) as f64 / PRIME as f64 - 0.75
}

fn scattered(n: u64, k: u64) -> u64 {
    let (n, k) = ((n + 1) % PRIME, (k + 1) % PRIME);
    (31 * (k * k % PRIME) + 7_919 * (n * k % PRIME)) % PRIME
}

/// Returns the elements of a constant.
pub(super) fn literal(op: &Instruction) -> Option<Vec<f64>> {
    let word = |word: &str| match word {
        "true" => Some(1.0),
        "false" => Some(0.0),
        word => word.parse().ok(),
    };
    op.literal()?.words()?.iter().map(|one| word(one)).collect()
}

/// Returns whether a type can represent a value: an integer exactly, a float unless it is too large.
pub(super) fn is_representable(value: f64, of: ElementType) -> bool {
    let bits = of.bits().min(52);
    let most = |bits: u32| (1_u64 << bits) as f64;
    match of {
        ElementType::Pred => value == 0.0 || value == 1.0,
        _ if of.is_signed_integer() => value.abs() < most(bits - 1),
        _ if of.is_unsigned_integer() => (0.0..most(bits)).contains(&value),
        ElementType::F32 => value.abs() <= f32::MAX.into() || value.is_infinite(),
        _ => of.is_float() && !value.is_nan(),
    }
}

/// Returns the result of an elementwise operation, with elements of type `of`.
pub(super) fn applied(op: &Instruction, of: ElementType, values: &[f64]) -> Option<f64> {
    use Opcode as O;
    let truth = |holds: bool| Some(f64::from(u8::from(holds)));
    let is_float = of.is_float();
    match (op.opcode(), values) {
        (O::Abs, [x]) => Some(x.abs()),
        (O::Negate, [x]) => Some(-x),
        (O::Exponential, [x]) => Some(x.exp()),
        (O::ExponentialMinusOne, [x]) => Some(x.exp_m1()),
        (O::Log, [x]) => Some(x.ln()),
        (O::LogPlusOne, [x]) => Some(x.ln_1p()),
        (O::Logistic, [x]) => Some(1.0 / (1.0 + (-x).exp())),
        (O::Tanh, [x]) => Some(x.tanh()),
        (O::Sine, [x]) => Some(x.sin()),
        (O::Cosine, [x]) => Some(x.cos()),
        (O::Sqrt, [x]) => Some(x.sqrt()),
        (O::Rsqrt, [x]) => Some(1.0 / x.sqrt()),
        (O::Cbrt, [x]) => Some(x.cbrt()),
        (O::Floor, [x]) => Some(x.floor()),
        (O::Ceil, [x]) => Some(x.ceil()),
        (O::Sign, [x]) if *x != 0.0 => Some(x.signum()),
        (O::Sign, [_]) => Some(0.0),
        (O::Not, [x]) if of == ElementType::Pred => truth(*x == 0.0),
        (O::Convert, [x]) if of == ElementType::Pred => truth(*x != 0.0),
        (O::Convert, [x]) if is_float => Some(*x),
        (O::Convert, [x]) => Some(x.trunc()),
        (O::Add, [x, y]) if of != ElementType::Pred => Some(x + y),
        (O::Subtract, [x, y]) => Some(x - y),
        (O::Multiply, [x, y]) => Some(x * y),
        (O::Divide, [x, y]) if is_float => Some(x / y),
        (O::Divide, [x, y]) if *y != 0.0 => Some((x / y).trunc()),
        (O::Remainder, [x, y]) if *y != 0.0 => Some(x % y),
        (O::Power, [x, y]) if is_float => Some(x.powf(*y)),
        (O::Maximum, [x, y]) => Some(x.max(*y)),
        (O::Minimum, [x, y]) => Some(x.min(*y)),
        (O::And, [x, y]) if of == ElementType::Pred => truth(*x != 0.0 && *y != 0.0),
        (O::Or, [x, y]) if of == ElementType::Pred => truth(*x != 0.0 || *y != 0.0),
        (O::Xor, [x, y]) if of == ElementType::Pred => truth((*x != 0.0) != (*y != 0.0)),
        (O::Clamp, [low, x, high]) => Some(x.max(*low).min(*high)),
        (O::Select, [choice, x, y]) => Some(if *choice == 0.0 { *y } else { *x }),
        // In their total order, two zeros may differ.
        (O::Compare, [x, y])
            if *x == 0.0 && *y == 0.0 && op.word("type").ok()? == Some("TOTALORDER") =>
        {
            None
        }
        (O::Compare, [x, y]) => match op.word("direction").ok()?? {
            "EQ" => truth(x == y),
            "NE" => truth(x != y),
            "LT" => truth(x < y),
            "LE" => truth(x <= y),
            "GT" => truth(x > y),
            "GE" => truth(x >= y),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether a module has floats whose rounding may change a result much.
pub(super) fn is_narrow(module: &Module) -> bool {
    let all = module.computations().flat_map(|(_, computation)| computation.instructions());
    let mut arrays = all.flat_map(|(_, one)| one.shape().arrays());
    arrays.any(|(_, array)| array.element_type().is_float() && array.element_type().bits() < 32)
}
