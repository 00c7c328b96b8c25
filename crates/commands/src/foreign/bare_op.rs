//! An op of HLO without the word `op`: `transpose f32[2,3] {1,0}`, `reshape [2,3,4] to [6,4]`.
//!
//! Law: the first word is an opcode and no command, and a shape follows. A shape without an element type is of f32, unless the
//! op reads bits.

use affinor_hlo::opcode::Opcode;

/// Opcodes as NumPy and PyTorch name them.
const NAMES: [(&str, &str); 3] =
    [("concat", "concatenate"), ("permute", "transpose"), ("flip", "reverse")];

/// Opcodes that are commands, too.
const COMMANDS: [&str; 1] = ["bitcast"];

/// Translates an op to a line of commands.
pub fn line(text: &str) -> Option<String> {
    let (word, operands) = text.trim().trim_end_matches(['?', ';']).split_once(' ')?;
    let word = NAMES.iter().find(|(name, _)| *name == word).map_or(word, |(_, opcode)| opcode);
    let is_opcode = Opcode::LISTED.iter().any(|opcode| opcode.name() == word);
    let operands = operands.trim();
    if !is_opcode
        || COMMANDS.contains(&word)
        || operands.contains(['\n', '=', '%']) && !operands.contains("={")
    {
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
    Some(format!("op {word} {operands}"))
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
        let commands = crate::table::Commands(crate::list::COMMANDS);
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
            // An instruction, other words, and what has no shape.
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
