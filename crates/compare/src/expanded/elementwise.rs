//! Rewrites elementwise operations, and operations that are effectively elementwise, into a canonical form.
//!
//! Law: each text computes the same bits as its operation, including for NaN; of floats up to the sign of a zero if `is_rounded`.

use super::texts::{array, is_note, listed};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Computation, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::is_pointwise;
use std::fmt::Write;

/// Maximum number of operations through which a constant is followed.
const DEPTH: usize = 8;

/// Rewrites a `map` as the operations of its scalar computation on whole arrays.
pub(super) fn map(module: &Module, instruction: &Instruction) -> Option<String> {
    let (_, sizes) = array(instruction, &[])?;
    let sizes = listed(sizes);
    let body = &module[instruction.called("to_apply").ok()?];
    let mut text = "HloModule m\nENTRY e {\n".to_owned();
    for (id, one) in body.instructions() {
        let (of, scalar) = array(one, &[])?;
        scalar.is_empty().then_some(())?;
        let v = id.index();
        let operands = one.operands().iter().map(|id| format!("v{}", id.index()));
        let operands = operands.collect::<Vec<_>>().join(", ");
        let _ = match (one.parameter_number(), one.literal()) {
            (Some(number), _) => writeln!(text, " v{v} = {of}[{sizes}] parameter({number})"),
            (_, Some(literal)) => writeln!(
                text,
                " c{v} = {of}[] constant({})\n v{v} = {of}[{sizes}] broadcast(c{v}), dimensions={{}}",
                literal.text()
            ),
            _ if is_pointwise(one.opcode()) => {
                let said = one.attributes().iter().filter(|x| !is_note(x.name()));
                let said: String = said.map(|attribute| format!(", {attribute}")).collect();
                writeln!(text, " v{v} = {of}[{sizes}] {}({operands}){said}", one.opcode())
            }
            _ => return None,
        };
    }
    let (of, _) = array(instruction, &[])?;
    let _ = writeln!(text, " ROOT r = {of}[{sizes}] copy(v{})\n}}", body.root().index());
    Some(text)
}

/// Rewrites a `clamp` as a minimum of a maximum.
pub(super) fn clamp(computation: &Computation, instruction: &Instruction) -> Option<String> {
    let operands: Vec<&Instruction> = computation.operands(instruction).collect();
    let [low, _, high] = operands[..] else {
        return None;
    };
    let (of, sizes) = array(instruction, &[])?;
    let all = listed(&sizes);
    let mut text = "HloModule c\nENTRY e {\n".to_owned();
    for (name, number, bound) in [("l", 0, low), ("h", 2, high)] {
        let (_, own) = array(bound, &[])?;
        let own = listed(own);
        let _ = match own == all {
            true => writeln!(text, " {name} = {of}[{all}] parameter({number})"),
            false => writeln!(
                text,
                " {name}.0 = {of}[{own}] parameter({number})\n {name} = {of}[{all}] broadcast({name}.0), dimensions={{}}"
            ),
        };
    }
    let _ = write!(
        text,
        " x = {of}[{all}] parameter(1)\n m = {of}[{all}] maximum(x, l)\n ROOT r = {of}[{all}] minimum(m, h)\n}}\n"
    );
    Some(text)
}

/// Rewrites a quotient or a remainder of unsigned integers by a power of two as a bitwise operation, and a remainder of integers
/// by 1 as 0.
pub(super) fn of_bits(computation: &Computation, instruction: &Instruction) -> Option<String> {
    let (of, sizes) = array(instruction, &[])?;
    let element_type = instruction.shape().as_array()?.element_type();
    let is_unsigned = element_type.is_unsigned_integer();
    let by = constant(computation, *instruction.operands().get(1)?)?;
    let is_whole = is_unsigned || element_type.is_signed_integer();
    if is_whole && by == 1 && *instruction.opcode() == Opcode::Remainder {
        let all = listed(sizes);
        return Some(format!(
            "HloModule z\nENTRY e {{\n x = {of}[{all}] parameter(0)\n d = {of}[{all}] parameter(1)\n c = {of}[] constant(0)\n \
             ROOT r = {of}[{all}] broadcast(c), dimensions={{}}\n}}\n"
        ));
    }
    (is_unsigned && by.count_ones() == 1 && by > 0).then_some(())?;
    let (opcode, number) = match instruction.opcode() {
        Opcode::Divide => ("shift-right-logical", i64::from(by.trailing_zeros())),
        _ => ("and", by - 1),
    };
    let all = listed(sizes);
    Some(format!(
        "HloModule b\nENTRY e {{\n x = {of}[{all}] parameter(0)\n d = {of}[{all}] parameter(1)\n c = {of}[] constant({number})\n \
         b = {of}[{all}] broadcast(c), dimensions={{}}\n ROOT r = {of}[{all}] {opcode}(x, b)\n}}\n"
    ))
}

/// Rewrites a `select` between the two numbers that it compares (floats only if `is_rounded`, since either may be a zero of
/// another sign), by a sign test of an integer that is never negative, between equal constants, or between truth values of
/// which one is a constant.
pub(super) fn select(
    computation: &Computation,
    instruction: &Instruction,
    is_rounded: bool,
) -> Option<String> {
    let [choice, one, other] = instruction.operands() else {
        return None;
    };
    let (of, sizes) = array(instruction, &[])?;
    let all = listed(&sizes);
    let element_type = instruction.shape().as_array()?.element_type();
    if of == "pred" && array(&computation[*choice], &[])?.1 == sizes {
        let known = [*one, *other].map(|id| constant(computation, id));
        let last = match known {
            [_, Some(0)] => "and(p, x)",
            [Some(1), _] => "or(p, y)",
            _ => return None,
        };
        return Some(format!(
            "HloModule s\nENTRY e {{\n p = pred[{all}] parameter(0)\n x = pred[{all}] parameter(1)\n \
             y = pred[{all}] parameter(2)\n ROOT r = pred[{all}] {last}\n}}\n"
        ));
    }
    let is_whole = element_type.is_signed_integer() || element_type.is_unsigned_integer();
    let known = constant(computation, *one).filter(|_| is_whole);
    if known.is_some() && known == constant(computation, *other) {
        let p = array(&computation[*choice], &[])?.1;
        return Some(format!(
            "HloModule s\nENTRY e {{\n p = pred[{}] parameter(0)\n x = {of}[{all}] parameter(1)\n \
             y = {of}[{all}] parameter(2)\n ROOT r = {of}[{all}] copy(x)\n}}\n",
            listed(p)
        ));
    }
    let is_number = is_whole || is_rounded && element_type.is_float();
    let compare = compared(computation, *choice);
    (is_number && *compare.opcode() == Opcode::Compare).then_some(())?;
    let [x, zero] = compare.operands() else {
        return None;
    };
    let direction = compare.word("direction").ok()??;
    if is_whole
        && direction == "LT"
        && constant(computation, *zero) == Some(0)
        && is_natural(computation, *x)
    {
        return Some(format!(
            "HloModule s\nENTRY e {{\n p = pred[{all}] parameter(0)\n x = {of}[{all}] parameter(1)\n \
             y = {of}[{all}] parameter(2)\n ROOT r = {of}[{all}] copy(y)\n}}\n"
        ));
    }
    let is_straight = (x, zero) == (one, other);
    (is_straight || (x, zero) == (other, one)).then_some(())?;
    let takes_more = match direction {
        "GT" | "GE" => is_straight,
        "LT" | "LE" => !is_straight,
        _ => return None,
    };
    let opcode = if takes_more { "maximum" } else { "minimum" };
    Some(format!(
        "HloModule s\nENTRY e {{\n p = pred[{all}] parameter(0)\n x = {of}[{all}] parameter(1)\n y = {of}[{all}] parameter(2)\n \
         ROOT r = {of}[{all}] {opcode}(x, y)\n}}\n"
    ))
}

/// Returns the comparison of two numbers in a truth value that also holds if one of them is a NaN.
fn compared(computation: &Computation, choice: InstructionId) -> &Instruction {
    let whole = &computation[choice];
    let [one, other] = whole.operands() else {
        return whole;
    };
    let is_nan_test = |id: InstructionId| {
        let test = &computation[id];
        let is_one = matches!(test.operands(), [x, y] if x == y);
        is_one && test.word("direction").ok().flatten() == Some("NE")
    };
    match (*whole.opcode() == Opcode::Or, is_nan_test(*one), is_nan_test(*other)) {
        (true, true, false) => &computation[*other],
        (true, false, true) => &computation[*one],
        _ => whole,
    }
}

/// Returns the integer that all elements of an array are equal to.
fn constant(computation: &Computation, id: InstructionId) -> Option<i64> {
    let mut id = id;
    // The greatest number that all types on the way represent.
    let mut most = i64::MAX;
    // The only negation that is followed is that of 0.
    let mut is_negated = false;
    for _ in 0..DEPTH {
        let one = &computation[id];
        if let Some(literal) = one.literal() {
            let all = literal.integers()?;
            let first = *all.first()?;
            let is_kept = most == i64::MAX || (0..=most).contains(&first);
            let is_kept = is_kept && (!is_negated || first == 0);
            return (is_kept && all.iter().all(|x| *x == first)).then_some(first);
        }
        let mut spreads =
            matches!(one.opcode(), Opcode::Broadcast | Opcode::Copy | Opcode::Reshape);
        if *one.opcode() == Opcode::Convert {
            let of = one.shape().as_array()?.element_type();
            let bits = of.bits().min(62).checked_sub(u32::from(of.is_signed_integer()))?;
            most = most.min((1 << bits) - 1);
            spreads = of.is_signed_integer() || of.is_unsigned_integer();
        }
        if *one.opcode() == Opcode::Negate {
            is_negated = true;
            spreads = true;
        }
        id = *one.operands().first().filter(|_| spreads)?;
    }
    None
}

/// Returns whether no element of an array of integers is negative.
fn is_natural(computation: &Computation, id: InstructionId) -> bool {
    natural_part(computation, id, &[], DEPTH)
}

fn natural_part(
    computation: &Computation,
    id: InstructionId,
    path: &[usize],
    depth: usize,
) -> bool {
    use Opcode as O;
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let one = &computation[id];
    let operand = |number: usize, path: &[usize]| {
        let id = one.operands().get(number);
        id.is_some_and(|id| natural_part(computation, *id, path, depth))
    };
    match one.opcode() {
        // An iota of a narrow type wraps.
        O::Iota => one.shape().as_array().is_some_and(|array| array.element_type().bits() >= 32),
        O::Copy => operand(0, path),
        // A remainder has the sign of its dividend, or is 0; that by 0 is the dividend.
        O::Broadcast
        | O::DynamicSlice
        | O::Gather
        | O::Remainder
        | O::Reshape
        | O::Reverse
        | O::Slice
        | O::Transpose => operand(0, &[]),
        O::Convert => is_widened(computation, one) && operand(0, &[]),
        O::Select => operand(1, &[]) && operand(2, &[]),
        // The sign bit is set only if it is set in both.
        O::And | O::Maximum => operand(0, &[]) || operand(1, &[]),
        O::Concatenate | O::Minimum => (0..one.operands().len()).all(|k| operand(k, &[])),
        O::Clamp => operand(0, &[]) && operand(2, &[]),
        O::GetTupleElement => {
            let whole = one.tuple_index().map(|index| [&[index], path].concat());
            whole.is_ok_and(|whole| operand(0, &whole))
        }
        O::Sort => operand(path.first().copied().unwrap_or(0), &[]),
        O::Tuple => path.split_first().is_some_and(|(number, path)| operand(*number, path)),
        O::Constant => {
            let all = one.literal().and_then(|literal| literal.integers());
            all.is_some_and(|all| all.iter().all(|value| *value >= 0))
        }
        _ => false,
    }
}

/// Returns whether the result of a conversion represents all numbers that are not negative of the operand's type.
fn is_widened(computation: &Computation, instruction: &Instruction) -> bool {
    let from = computation.operands(instruction).next().map(Instruction::shape);
    let types = [from, Some(instruction.shape())];
    let [Some(from), Some(to)] = types.map(|shape| Some(shape?.as_array()?.element_type())) else {
        return false;
    };
    let bits = |of: ElementType| of.bits() - u32::from(of.is_signed_integer());
    let is_whole = |of: ElementType| of.is_signed_integer() || of.is_unsigned_integer();
    is_whole(from) && is_whole(to) && bits(from) <= bits(to)
}
