//! An op of HLO without the word `op`: `transpose f32[2,3] {1,0}`, `reshape [2,3,4] to [6,4]`.
//!
//! A chain has words or a bar between its ops: `f32[4,8] transpose {1,0} then reshape to f32[32]`.
//!
//! Law: the first word, or the one after the first shape, is an opcode and not a command. A shape without an element type is of
//! f32, unless the op reads bits. A transpose of two dimensions without a permutation swaps them.

use affinor_hlo::opcode::Opcode;

/// Opcodes as NumPy and PyTorch name them.
const NAMES: [(&str, &str); 3] =
    [("concat", "concatenate"), ("permute", "transpose"), ("flip", "reverse")];

/// Opcodes that are commands, too.
const COMMANDS: [&str; 1] = ["bitcast"];

/// Words between the ops of a chain.
const JOINS: [&str; 6] =
    [", then ", " and then ", ", followed by ", " followed by ", " then ", " | "];

/// Ops whose result has the shape that follows.
const TO_SHAPE: [&str; 2] = ["reshape", "broadcast"];

/// Translates an op, or a chain of ops, to a line of commands.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['?', ';']);
    let text = text.strip_prefix("fusion:").unwrap_or(text).trim_start();
    let text = JOINS.iter().fold(text.to_owned(), |text, join| text.replace(join, "\0"));
    let mut ops = text.split('\0').map(str::trim);
    let first = ops.next()?;
    let first = one(first).or_else(|| one(&operand_first(first)?))?;
    let kind = first.split(' ').nth(2)?.split('[').next()?.to_owned();
    ops.try_fold(first, |chain, op| Some(format!("{chain} | {}", next(op, &kind)?)))
}

/// Returns `transpose f32[4,8] {1,0}` for `f32[4,8] transpose {1,0}`.
fn operand_first(text: &str) -> Option<String> {
    let (shape, rest) = text.split_once(' ')?;
    let (word, rest) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
    let is_shape = typed(shape).is_some() && !shape.contains('(');
    is_shape.then(|| format!("{word} {shape} {rest}").trim_end().to_owned())
}

/// Returns an op of a chain, whose operand is the result of the op before it; a shape without a type is of the type `kind`.
fn next(text: &str, kind: &str) -> Option<String> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let word = opcode(word)?;
    let rest = rest.trim_start();
    let to = ["to ", "into ", "->"].iter().find_map(|sign| rest.strip_prefix(sign));
    let is_shape = TO_SHAPE.contains(&word) && rest.contains('[') && !rest.contains(['=', '(']);
    match to.or(is_shape.then_some(rest)) {
        Some(shape) if shape.trim().starts_with('[') => {
            Some(format!("{word} -> {kind}{}", shape.trim()))
        }
        Some(shape) => Some(format!("{word} -> {}", typed(shape)?)),
        None => Some(format!("{word} {rest}").trim_end().to_owned()),
    }
}

/// Returns the opcode that a word names.
fn opcode(word: &str) -> Option<&str> {
    let word = NAMES.iter().find(|(name, _)| *name == word).map_or(word, |(_, opcode)| opcode);
    Opcode::LISTED.iter().any(|opcode| opcode.name() == word).then_some(word)
}

fn one(text: &str) -> Option<String> {
    let (word, operands) = text.split_once(' ')?;
    let word = opcode(word)?;
    let operands = operands.trim();
    // An equation is none of an op.
    let is_equation = operands.contains(['\n', '%'])
        || operands.contains('=')
            && (operands.contains(" =") || operands.contains("= ") || operands.contains("=="));
    if COMMANDS.contains(&word) || is_equation && !operands.contains("={") {
        return None;
    }
    if word == "bitcast-convert" && operands.starts_with('[') {
        return None;
    }
    let operands = match operands.split_once(" to ") {
        Some((from, to)) => format!("{} -> {}", typed(from)?, typed(to)?),
        None => match operands.split_once("->") {
            Some((from, to)) => format!("{} -> {}", typed(from.trim_end())?, typed(to)?),
            None => typed(operands)?,
        },
    };
    // `[0:8:2, 0:4]`, as NumPy writes a slice
    let operands = match operands.rsplit_once(" [") {
        Some((shape, parts)) if word == "slice" && !parts.contains(['[', '{']) => {
            format!("{shape} [{}", parts.replace(' ', "").replace(',', "],["))
        }
        _ => operands,
    };
    let sizes = operands.split_once('[').and_then(|(_, rest)| Some(rest.split_once(']')?.0));
    let is_plain = operands.ends_with(']') && operands.matches('[').count() == 1;
    let is_square = word == "transpose" && is_plain && sizes?.matches(',').count() == 1;
    let swapped = if is_square { " {1,0}" } else { "" };
    Some(format!("op {word} {operands}{swapped}"))
}

/// Returns a text that begins with a shape, with the element type of the shape.
fn typed(text: &str) -> Option<String> {
    let text = text.trim();
    let open = text.find('[')?;
    let (kind, rest) = text.split_at(open);
    let is_kind = kind.starts_with(|c: char| c.is_ascii_lowercase())
        && kind.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    match kind {
        "" => Some(format!("f32{rest}")),
        _ => is_kind.then(|| text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_no_ops() {
        let commands = crate::COMMANDS;
        for opcode in Opcode::LISTED {
            let is_command = commands.named(opcode.name()).is_some();
            assert_eq!(is_command, COMMANDS.contains(&opcode.name()), "{}", opcode.name());
        }
    }

    #[test]
    fn ops_are_lines() {
        for (text, expected) in [
            ("transpose f32[2,3] {1,0}", Some("op transpose f32[2,3] {1,0}")),
            ("reshape [2,3,4] to [6,4]", Some("op reshape f32[2,3,4] -> f32[6,4]")),
            ("reshape bf16[2,3]->bf16[6]?", Some("op reshape bf16[2,3] -> bf16[6]")),
            ("concat f32[2,3] f32[4,3]", Some("op concatenate f32[2,3] f32[4,3]")),
            (
                "dot f32[4,8] f32[8,16] lhs_contracting_dims={1} rhs_contracting_dims={0}",
                Some("op dot f32[4,8] f32[8,16] lhs_contracting_dims={1} rhs_contracting_dims={0}"),
            ),
            (
                "transpose f32[4,8] {1,0} then reshape f32[32]",
                Some("op transpose f32[4,8] {1,0} | reshape -> f32[32]"),
            ),
            (
                "fusion: bf16[64,128] transpose, then reshape to [8192]",
                Some("op transpose bf16[64,128] {1,0} | reshape -> bf16[8192]"),
            ),
            (
                "reshape f32[8] to f32[2,4] | transpose {1,0}",
                Some("op reshape f32[8] -> f32[2,4] | transpose {1,0}"),
            ),
            ("transpose f32[2,3,4]", Some("op transpose f32[2,3,4]")),
            ("slice f32[8,8] [0:8:2, 0:4]", Some("op slice f32[8,8] [0:8:2],[0:4]")),
            ("pad f32[4] padding=1_2_1", Some("op pad f32[4] padding=1_2_1")),
            ("transpose f32[4,8] then sing", None),
            ("f32[4,8] then reshape f32[32]", None),
            // An instruction, other words, and texts without a shape.
            ("add = f32[4] add(p, q)", None),
            ("bitcast f32[8,16]{1,0} f32[16,8]{0,1}", None),
            ("transpose (4,8):(8,1)", None),
            ("reshape x to [6,4]", None),
            ("compose f32[2,3]", None),
            ("reverse", None),
            ("bitcast-convert [4] to [4,4]", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
