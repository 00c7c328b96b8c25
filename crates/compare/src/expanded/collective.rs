//! Collectives in one spelling: of one array each, at once, on listed groups of devices.
//!
//! Law: the number of a channel does not affect which devices take part, only whether there is one; nor does the order of groups
//! matter or, to a sum over devices, that of their members. The start of an asynchronous collective is where it is computed. An
//! exchange of the parts of an array is one of several arrays.

use super::texts::{array, is_note, listed};
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use std::fmt::Write as _;

/// Maximum number of parts that are exchanged.
const PARTS: i64 = 64;

/// Rewrites a collective in that spelling; `None` if it already is.
pub(super) fn text(module: &Module, of: &Computation, instruction: &Instruction) -> Option<String> {
    let (opcode, is_start) = match instruction.opcode() {
        Opcode::AllGather => ("all-gather", false),
        Opcode::AllGatherStart => ("all-gather", true),
        Opcode::AllReduce => ("all-reduce", false),
        Opcode::AllReduceStart => ("all-reduce", true),
        Opcode::CollectivePermute => ("collective-permute", false),
        Opcode::CollectivePermuteStart => ("collective-permute", true),
        Opcode::ReduceScatter => ("reduce-scatter", false),
        Opcode::AllToAll => return exchange(module, of, instruction),
        _ => return None,
    };
    let operands = instruction.operands().len();
    let (said, is_plain) = attributes(module, instruction);
    (!is_plain || operands > 1 || is_start).then_some(())?;
    let mut text = "HloModule a\nENTRY e {\n".to_owned();
    let mut results = Vec::new();
    for (number, operand) in of.operands(instruction).enumerate() {
        let result = result(instruction, opcode, is_start, number)?.as_array()?;
        let to = format!("{}[{}]", result.element_type().name(), listed(result.fixed_sizes()?));
        let (from, sizes) = array(operand, &[])?;
        let from = format!("{from}[{}]", listed(sizes));
        let _ = writeln!(text, " p{number} = {from} parameter({number})");
        let _ = writeln!(text, " r{number} = {to} {opcode}(p{number}){said}");
        results.push(format!("r{number}"));
    }
    let root = match (instruction.shape().as_tuple(), opcode, is_start) {
        (None, ..) if operands == 1 => format!("{} copy(r0)", shape(instruction.shape())?),
        (Some(_), "all-reduce", _) | (Some(_), _, false) => {
            format!("{} tuple({})", shape(instruction.shape())?, listed(results))
        }
        // The operand, the result, and contexts that only the end of the collective takes.
        (Some([_, _, contexts @ ..]), _, true) if operands == 1 => {
            let mut parts = vec!["p0".to_owned(), "r0".to_owned()];
            for (number, context) in contexts.iter().enumerate() {
                let _ = writeln!(text, " c{number} = {} constant(0)", shape(context)?);
                parts.push(format!("c{number}"));
            }
            format!("{} tuple({})", shape(instruction.shape())?, listed(parts))
        }
        _ => return None,
    };
    let _ = writeln!(text, " ROOT r = {root}\n}}");
    Some(text)
}

/// Rewrites an exchange of the parts of an array along a dimension as an exchange of several arrays.
fn exchange(module: &Module, of: &Computation, instruction: &Instruction) -> Option<String> {
    let (said, is_plain) = attributes(module, instruction);
    let mut text = "HloModule a\nENTRY e {\n".to_owned();
    if instruction.attributes().get("dimensions").is_none() {
        let whole = shape(instruction.shape())?;
        (!is_plain && instruction.shape().as_tuple().is_some()).then_some(())?;
        let mut sent = Vec::new();
        for (number, operand) in of.operands(instruction).enumerate() {
            let _ = writeln!(text, " p{number} = {} parameter({number})", shape(operand.shape())?);
            sent.push(format!("p{number}"));
        }
        let _ = writeln!(text, " ROOT a = {whole} all-to-all({}){said}\n}}", listed(sent));
        return Some(text);
    }
    let mut operands = of.operands(instruction);
    let (element_type, sizes) = array(operands.next()?, &[])?;
    let [along] = instruction.dimensions(sizes.len()).ok()?[..] else {
        return None;
    };
    let parts = module.device_groups(instruction, None).ok()?.size();
    let size = *sizes.get(along)?;
    ((1..=PARTS).contains(&parts) && size % parts == 0 && operands.next().is_none())
        .then_some(())?;
    let size = size / parts;
    let shape = |size: i64| {
        let mut own = sizes.clone();
        own[along] = size;
        format!("{element_type}[{}]", listed(own))
    };
    let (whole, part) = (shape(size * parts), shape(size));
    let _ = writeln!(text, " p = {whole} parameter(0)");
    for number in 0..parts {
        let ranges = sizes.iter().enumerate().map(|(k, own)| match k == along {
            true => format!("[{}:{}]", number * size, (number + 1) * size),
            false => format!("[0:{own}]"),
        });
        let _ = writeln!(text, " s{number} = {part} slice(p), slice={{{}}}", listed(ranges));
    }
    let all = |name: &str| listed((0..parts).map(|number| format!("{name}{number}")));
    let shapes = listed((0..parts).map(|_| &part));
    let _ = writeln!(text, " a = ({shapes}) all-to-all({}){said}", all("s"));
    for number in 0..parts {
        let _ = writeln!(text, " t{number} = {part} get-tuple-element(a), index={number}");
    }
    let _ =
        writeln!(text, " ROOT r = {whole} concatenate({}), dimensions={{{along}}}\n}}", all("t"));
    Some(text)
}

/// Returns the attributes in that spelling, without the dimension of an exchange, and whether they are written so.
fn attributes(module: &Module, instruction: &Instruction) -> (String, bool) {
    let mut is_plain = true;
    let mut said = String::new();
    let is_exchange = *instruction.opcode() == Opcode::AllToAll;
    for attribute in instruction.attributes().iter().filter(|x| !is_note(x.name())) {
        let was = format!(", {attribute}");
        let is = match attribute.name() {
            "channel_id" => ", channel_id=1".to_owned(),
            "replica_groups" => match groups(module, instruction) {
                Some(groups) => format!(", replica_groups={{{groups}}}"),
                None => was.clone(),
            },
            "dimensions" if is_exchange => continue,
            _ => was.clone(),
        };
        is_plain &= was == is;
        said += match attribute.name() {
            "to_apply" => ", to_apply=given0",
            _ => &is,
        };
    }
    (said, is_plain)
}

/// Returns the shape that an operand becomes.
fn result<'m>(
    instruction: &'m Instruction,
    opcode: &str,
    is_start: bool,
    number: usize,
) -> Option<&'m Shape> {
    let whole = instruction.shape();
    match (whole.as_tuple(), is_start && opcode != "all-reduce") {
        (None, _) => Some(whole),
        (Some(parts), false) => parts.get(number),
        (Some(parts), true) => parts.get(1),
    }
}

/// Returns a shape without layouts.
fn shape(shape: &Shape) -> Option<String> {
    if let Some(parts) = shape.as_tuple() {
        let parts = parts.iter().map(self::shape).collect::<Option<Vec<_>>>()?;
        return Some(format!("({})", listed(parts)));
    }
    let array = shape.as_array()?;
    Some(format!("{}[{}]", array.element_type().name(), listed(array.fixed_sizes()?)))
}

/// Returns the stated groups of devices, as a list in order.
fn groups(module: &Module, instruction: &Instruction) -> Option<String> {
    let AttributeValue::Integers(none) = instruction.attributes().get("replica_groups")?.value()
    else {
        let mut groups = module.device_groups(instruction, None).ok()?.groups;
        if matches!(instruction.opcode(), Opcode::AllReduce | Opcode::AllReduceStart) {
            groups.iter_mut().for_each(|group| group.sort_unstable());
        }
        groups.sort();
        return Some(listed(groups.iter().map(|group| format!("{{{}}}", listed(group)))));
    };
    none.is_empty().then(String::new)
}

/// Rewrites the end of an asynchronous collective as a copy of the result.
pub(super) fn end(of: &Computation, instruction: &Instruction) -> Option<String> {
    let start = of.operands(instruction).next()?;
    let is_rewritten = matches!(
        start.opcode(),
        Opcode::AllGatherStart | Opcode::AllReduceStart | Opcode::CollectivePermuteStart
    );
    is_rewritten.then_some(())?;
    let (from, to) = (shape(start.shape())?, shape(instruction.shape())?);
    let root = match (*instruction.opcode() == Opcode::AllReduceDone, start.operands().len()) {
        (true, _) if from == to => format!("{to} copy(p)"),
        (false, 1) => format!("{to} get-tuple-element(p), index=1"),
        _ => return None,
    };
    Some(format!("HloModule a\nENTRY e {{\n p = {from} parameter(0)\n ROOT r = {root}\n}}\n"))
}
