//! Selection of instructions of a module by the options: by name, by opcode, by computation.
//!
//! Law: an option that is given several times selects the union, and different options select the intersection. Each pattern must
//! match something.

use super::options::{COMPUTATION, INSTRUCTION, OPCODE};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::instruction::{OPERAND, bare, unknown};
use crate::output::clipped;
use crate::table::Call;
use crate::words::nearest;
use affinor::text::ErrorKind;
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};

/// An instruction of a module.
pub(super) type Place = (ComputationId, InstructionId);

/// Returns the selected instructions, in the order of the text; if no name or opcode is given, those for which `by_itself` holds.
pub(super) fn places(
    call: &Call<'_>,
    module: &Module,
    by_itself: fn(&Instruction) -> bool,
) -> Result<Vec<Place>, Failure> {
    let all: Vec<(Place, &Instruction)> = computations(call, module)?
        .into_iter()
        .flat_map(|(id, body)| {
            let instructions = body.instructions();
            instructions.map(move |(at, instruction)| ((id, at), instruction))
        })
        .collect();
    let names: Vec<&str> = all.iter().map(|(_, found)| found.name()).collect();
    let by_name = Wanted::read("instruction", call.texts_of(&INSTRUCTION), &names)?;
    let names: Vec<&str> = all.iter().map(|(_, found)| found.opcode().name()).collect();
    let by_opcode = Wanted::read("operation", call.texts_of(&OPCODE), &names)?;
    let is_asked = call.has(&INSTRUCTION) || call.has(&OPCODE);
    let is_wanted = |found: &Instruction| match is_asked {
        true => by_name.has(found.name()) && by_opcode.has(found.opcode().name()),
        false => by_itself(found),
    };
    let wanted = all.iter().filter(|(_, found)| is_wanted(found));
    let places: Vec<Place> = wanted.map(|(place, _)| *place).collect();
    match call.text_of(&OPCODE) {
        Some(opcode) if places.is_empty() && is_asked => {
            let message = "no instruction has both such a name and such an opcode";
            Err(opcode.wrong(ErrorKind::Name, message))
        }
        _ => Ok(places),
    }
}

/// Returns the selected computations, in the order of the text.
pub(super) fn computations<'m>(
    call: &Call<'_>,
    module: &'m Module,
) -> Result<Vec<(ComputationId, &'m Computation)>, Failure> {
    let mut computations: Vec<(ComputationId, &Computation)> = module.computations().collect();
    let names: Vec<&str> = computations.iter().map(|(_, body)| body.name()).collect();
    let wanted = Wanted::read("computation", call.texts_of(&COMPUTATION), &names)?;
    computations.retain(|(_, body)| wanted.has(body.name()));
    Ok(computations)
}

/// Returns the places that have the operand of `--operand`; all of them without that option.
///
/// # Errors
/// If no place has it, or no instruction is selected.
pub(super) fn with_operand(
    call: &Call<'_>,
    module: &Module,
    mut places: Vec<Place>,
) -> Result<Vec<Place>, Failure> {
    let Some(operand) = call.text_of(&OPERAND) else {
        return Ok(places);
    };
    if !call.has(&INSTRUCTION) && !call.has(&OPCODE) {
        return Err(call.wrong_usage("`--operand` goes with `--instruction` or `--opcode`"));
    }
    let first = places.first().copied();
    places.retain(|(id, at)| operand_number(&module[*id], &module[*id][*at], operand).is_some());
    let (true, Some((id, at))) = (places.is_empty(), first) else {
        return Ok(places);
    };
    let (body, text) = (&module[id], clipped(bare(operand)));
    let message = format!("`{}` has no operand `{text}`", clipped(body[at].name()));
    let failure = operand.wrong(ErrorKind::Name, message);
    let names: Vec<&str> = body.operands(&body[at]).map(Instruction::name).collect();
    Err(match (nearest(&text, names.iter().copied()), names.first()) {
        (Some(near), _) => failure.hint(format!("did you mean `{near}`?")),
        (None, Some(first)) => failure.hint(format!("operand 0 is `{}`", clipped(first))),
        (None, None) => failure.hint("it has no operands"),
    })
}

/// Returns the number of an operand given by its name or its number from 0.
pub(super) fn operand_number(
    body: &Computation,
    instruction: &Instruction,
    given: &Argument,
) -> Option<usize> {
    let text = bare(given);
    let mut operands = body.operands(instruction);
    let by_number = || {
        let number = text.parse::<usize>().ok();
        number.filter(|number| *number < instruction.operands().len())
    };
    let by_name = operands.position(|operand| operand.name() == text);
    by_name.or_else(by_number)
}

/// The names selected by an option that may be given several times.
struct Wanted<'a> {
    patterns: Vec<Pattern<'a>>,
}

impl<'a> Wanted<'a> {
    /// Reads the values of an option, each of which must match some of `names`. `what` is the kind of these names, for errors.
    fn read(what: &str, given: Vec<&'a Argument>, names: &[&str]) -> Result<Wanted<'a>, Failure> {
        let mut patterns = Vec::new();
        for argument in given {
            let pattern = Pattern::of(bare(argument), names);
            if !names.iter().any(|name| pattern.has(name)) {
                return Err(nothing(what, argument, names));
            }
            patterns.push(pattern);
        }
        Ok(Wanted { patterns })
    }

    fn has(&self, name: &str) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| pattern.has(name))
    }
}

/// Returns the error for a value that matches nothing, with the nearest names.
fn nothing(what: &str, given: &Argument, names: &[&str]) -> Failure {
    let text = bare(given);
    let part = text.trim_matches(['*', '?']);
    let holding = names.iter().find(|name| name.contains(part));
    let failure = unknown(what, given, names.iter().copied());
    match holding {
        _ if failure.error.hint.is_some() || part.is_empty() => failure,
        Some(name) => failure.hint(format!("`*{}*` asks for `{name}`", clipped(part))),
        None => match nearest(part, names.iter().copied()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure,
        },
    }
}

/// A pattern for names.
#[derive(Clone, Copy)]
enum Pattern<'a> {
    Name(&'a str),
    /// A pattern with `*` for any text and `?` for any character.
    Glob(&'a str),
    /// Words of a name: `transpose` in `loop_transpose_fusion.2`.
    Words(&'a str),
}

impl<'a> Pattern<'a> {
    /// Parses `text` as an exact name if it is one of `names`; otherwise as a pattern, or as words of a name.
    fn of(text: &'a str, names: &[&str]) -> Pattern<'a> {
        match text {
            text if names.contains(&text) => Pattern::Name(text),
            text if text.contains(['*', '?']) => Pattern::Glob(text),
            text => Pattern::Words(text),
        }
    }

    fn has(self, name: &str) -> bool {
        match self {
            Pattern::Name(text) => name == text,
            Pattern::Glob(text) => is_match(text, name),
            Pattern::Words(text) => has_words(name, text),
        }
    }
}

/// Returns whether `name` contains `words`, with a separator or an end at each side: `add.1` is not in `add.10`.
fn has_words(name: &str, words: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric();
    let is_whole = |start: usize| {
        let (before, after) = (&name[..start], &name[start + words.len()..]);
        !before.ends_with(is_letter) && !after.starts_with(is_letter)
    };
    let starts_with_letter = words.starts_with(is_letter) && words.ends_with(is_letter);
    let mut found = name.match_indices(words);
    starts_with_letter && found.any(|(start, _)| is_whole(start))
}

/// Returns whether all of `name` matches a pattern with `*` and `?`, in time of their product: only the last `*` is backtracked,
/// since it can take any text that an earlier one could take instead.
fn is_match(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    let mut last: Option<(usize, usize)> = None;
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                last = Some((at, read));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[read] => (at, read) = (at + 1, read + 1),
            _ => {
                let Some((star, taken)) = &mut last else {
                    return false;
                };
                *taken += 1;
                (at, read) = (*star + 1, *taken);
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("fusion.*", "fusion.3", true),
            ("fusion.*", "fusion", false),
            ("fusion.*", "loop_fusion.3", false),
            ("*transpose*", "loop_transpose_fusion.2", true),
            ("*transpose*", "transpose", true),
            ("a*b*c", "axbxbxc", true),
            ("a*b*c", "axbxbx", false),
            ("add.?", "add.1", true),
            ("add.?", "add.10", false),
            ("?*", "", false),
            ("*", "", true),
            ("**", "x", true),
            ("a", "a", true),
            ("", "a", false),
            ("*aab", "aaab", true),
        ] {
            assert_eq!(is_match(pattern, name), expected, "{pattern} {name}");
        }
        let (pattern, name) = ("*a".repeat(200) + "b", "a".repeat(5000));
        assert!(!is_match(&pattern, &name));
    }

    #[test]
    fn words_are_whole_and_a_name_as_it_is_comes_first() {
        for (name, words, expected) in [
            ("loop_transpose_fusion.2", "transpose", true),
            ("loop_transpose_fusion.2", "transp", false),
            ("fusion.12", "12", true),
            ("add.10", "add.1", false),
            ("add.1.clone", "add.1", true),
            ("xadd.1", "add.1", false),
            ("add.1", "", false),
            ("add.1", ".", false),
            ("badd_add", "add", true),
        ] {
            assert_eq!(has_words(name, words), expected, "{name} {words}");
        }
        let names = ["add", "add.1"];
        let pattern = Pattern::of("add", &names);
        assert!(pattern.has("add") && !pattern.has("add.1"));
        let pattern = Pattern::of("add", &names[1..]);
        assert!(pattern.has("add.1"));
    }
}
