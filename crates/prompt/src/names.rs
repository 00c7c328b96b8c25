//! The names in the text of a module that may be typed after its path: instructions, their operands, computations.
//!
//! Law: each listed name occurs in the text. Only lines are examined, so a text that is not a module yields few or no names,
//! not an error. Out of scope: compressed files and MLIR.

use affinor_commands::{Class, Command, command, split};

/// The kind of names to list from a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// The names of its instructions.
    Instructions,
    /// The names of its computations.
    Computations,
    /// The names of the operands of this instruction.
    Operands(String),
}

/// Returns the path of the module that a line is about, and the kind of name that may come at the end of `before`; `None` if
/// no name of a module can come there.
#[must_use]
pub fn wanted(before: &str) -> Option<(String, Wanted)> {
    let mut words = before.split_whitespace();
    let command = command(words.next()?.trim_start_matches(':'))?;
    let (given, option) = given(command, words);
    let path = given.first().filter(|path| path.contains(['.', '/']))?.to_string();
    let of = match option {
        Some("instruction") => Wanted::Instructions,
        Some("computation") => Wanted::Computations,
        Some("operand") => Wanted::Operands((*given.get(1)?).to_owned()),
        Some(_) => return None,
        None if command.name == "hlo" => Wanted::Instructions,
        None if command.takes_module() && given.len() == 1 => Wanted::Instructions,
        None => return None,
    };
    Some((path, of))
}

/// Returns the words that are not options, and the option at the end that lacks its value.
fn given<'l>(
    command: &'static Command,
    words: impl Iterator<Item = &'l str>,
) -> (Vec<&'l str>, Option<&'static str>) {
    let (mut given, mut waiting) = (Vec::new(), None);
    for word in words {
        let option = word.strip_prefix("--");
        let option = option.and_then(|name| command.switches().find(|o| o.name == name));
        match (option, waiting.take()) {
            (Some(option), _) => waiting = option.value.map(|_| option.name),
            (None, Some(_)) => {}
            (None, None) if !word.starts_with("--") => given.push(word),
            (None, None) => {}
        }
    }
    (given, waiting)
}

/// Returns the names in the text of a module, sorted.
#[must_use]
pub fn names(text: &str, of: &Wanted) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let mut names: Vec<&str> = match of {
        Wanted::Instructions => lines.filter_map(instruction).map(|(name, _)| name).collect(),
        Wanted::Computations => lines.filter_map(computation).collect(),
        Wanted::Operands(of) => {
            let of = of.trim_start_matches('%');
            let mut found = lines.filter_map(instruction).filter(|(name, _)| *name == of);
            found.next().map_or(Vec::new(), |(_, rest)| operands(rest))
        }
    };
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}

/// Splits `%name = ..` into the name and the text after the `=`.
fn instruction(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("ROOT ").unwrap_or(line);
    let (name, rest) = line.split_once(" = ")?;
    let name = name.trim_start_matches('%');
    let is_name = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (is_name && !name.contains(char::is_whitespace)).then_some((name, rest))
}

/// Returns the name in `%name (p: f32[]) -> f32[] {`.
fn computation(line: &str) -> Option<&str> {
    let line = line.strip_prefix("ENTRY ").unwrap_or(line).strip_suffix('{')?;
    let name = line.split([' ', '(']).next()?.trim_start_matches('%');
    (!name.is_empty() && !line.contains(" = ") && name != "HloModule").then_some(name)
}

/// Returns the names in the first brackets after the shape.
fn operands(rest: &str) -> Vec<&str> {
    let shape = match rest.starts_with('(') {
        true => rest.find(") ").map_or(rest.len(), |end| end + 1),
        false => rest.find(' ').unwrap_or(rest.len()),
    };
    let rest = &rest[shape..];
    let Some(open) = rest.find('(') else {
        return Vec::new();
    };
    let inner = &rest[open + 1..];
    let mut depth = 0_i32;
    let end = inner.find(|c: char| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth < 0
    });
    let inner = &inner[..end.unwrap_or(inner.len())];
    let parts = split(inner, 0..inner.len(), Class::Comma).into_iter();
    let last = parts.filter_map(|part| inner[part].split_whitespace().next_back());
    last.map(|name| name.trim_start_matches('%')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "HloModule m\n\n%add (a: f32[], b: f32[]) -> f32[] {\n  ROOT %c = f32[] add(%a, %b)\n}\n\n\
        ENTRY main {\n  %p = (f32[2,3]{1,0}, s32[]) parameter(0)\n  pair.1 = (f32[4], f32[4]) tuple(f32[4]{0} %x, y-2)\n}\n";

    #[test]
    fn names_stand_in_the_text() {
        for (of, expected) in [
            (Wanted::Instructions, &["c", "p", "pair.1"][..]),
            (Wanted::Computations, &["add", "main"]),
            (Wanted::Operands("c".to_owned()), &["a", "b"]),
            (Wanted::Operands("%pair.1".to_owned()), &["x", "y-2"]),
            (Wanted::Operands("none".to_owned()), &[]),
        ] {
            assert_eq!(names(MODULE, &of), expected, "{of:?}");
            assert_eq!(names("no module at all = (\n{ = {\nROOT = (", &of), [""; 0], "{of:?}");
        }
    }

    #[test]
    fn a_line_says_which_names_it_wants() {
        let path = || "m.hlo".to_owned();
        for (before, expected) in [
            ("coalesce m.hlo ", Some(Wanted::Instructions)),
            ("coalesce --warp 32 m.hlo ", Some(Wanted::Instructions)),
            ("hlo m.hlo --instruction ", Some(Wanted::Instructions)),
            ("hlo m.hlo --computation ", Some(Wanted::Computations)),
            ("count m.hlo c --operand ", Some(Wanted::Operands("c".to_owned()))),
            ("count m.hlo c ", None),
            ("count m.hlo --operand ", None),
            ("coalesce ", None),
            ("coalesce a ", None),
            ("show m.hlo ", None),
            ("nonsense m.hlo ", None),
        ] {
            assert_eq!(wanted(before), expected.map(|of| (path(), of)), "{before:?}");
        }
    }
}
