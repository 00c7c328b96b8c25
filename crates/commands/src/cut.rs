//! Splits a line into the arguments of its command, according to the parameters of the command.
//!
//! Maps are separated by `;` (two maps also by `and`), all other arguments by spaces; so is `MODULE INSTRUCTION`, even if it
//! replaces maps.
//!
//! Law: a word outside brackets and quotes that begins with `--` and a letter is an option, at any position. If a command is
//! in the line of another (`time`, `let`), the options belong to the inner command, except options of every command that the
//! inner one does not declare.

use super::arguments::{Argument, Arguments};
use super::bare::{is_no_argument, is_triton};
use super::failure::{Failure, Place};
use super::option::{C, OF_ANY, OF_PROGRAM};
use super::output::clipped;
use super::table::{Command, Commands, Kind};
use super::token::{Class, Piece, runs, split, without, words};
use super::words::nearest;
use affinor::text::{Error, ErrorKind, Span};

impl Arguments {
    /// Cuts the line of `command`, whose arguments begin at byte `start`.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for an unknown option, an option without its value, and for more
    /// arguments than the command takes.
    pub fn from_line(
        commands: Commands,
        command: &Command,
        line: &str,
        start: usize,
    ) -> Result<Arguments, Failure> {
        let mut text = without(line, |class| class == Class::Comment);
        let inner = commands.inner(command, &text, start);
        let options = take_options(command, inner, &mut text, start)?;
        let arguments = Arguments { positional: cut(command, &text, start), options };
        arguments.check_count(command)?;
        Ok(arguments)
    }

    /// Checks that there are not too many positional arguments.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] at the first excess argument.
    pub fn check_count(&self, command: &Command) -> Result<(), Failure> {
        let Some(first) = self.positional.first() else {
            return Ok(());
        };
        let Some(most) = command.most_arguments(&first.text) else {
            return Ok(());
        };
        let Some(extra) = self.positional.get(most) else {
            return Ok(());
        };
        let number = match most {
            0 => "no arguments".to_owned(),
            1 => "one argument".to_owned(),
            2 => "two arguments".to_owned(),
            most => format!("{most} arguments"),
        };
        let message = format!("`{}` takes {number}", command.name);
        let failure = extra.wrong(ErrorKind::Usage, message);
        Err(failure.hint(command.usage_hint()))
    }
}

impl Commands {
    /// Returns the command within the line of another, with the offset of its word.
    fn inner(self, outer: &Command, text: &str, start: usize) -> Option<(&'static Command, usize)> {
        if !outer.takes_command() {
            return None;
        }
        let rest = text.get(start..)?;
        // `let NAME = COMMAND`, or `time COMMAND`, possibly after options.
        let from = match outer.name {
            "let" => rest.find('=')? + 1,
            _ => words(text, start..text.len())
                .find(|word| !is_option(&text[word.clone()]))
                .map(|word| word.start - start)?,
        };
        let (command, _) = self.find(&rest[from..]).ok()?;
        Some((command, start + from))
    }
}

/// Replaces the options in `text` from `start` by spaces and returns them. `from END` is `--from END` if the command has this
/// option.
fn take_options(
    command: &Command,
    inner: Option<(&'static Command, usize)>,
    text: &mut String,
    start: usize,
) -> Result<Vec<(&'static str, Option<Argument>)>, Failure> {
    let mut found = Vec::new();
    let mut used: Vec<Span> = Vec::new();
    let mut from = start;
    for word in words(text, start..text.len()) {
        if word.start < from {
            continue; // it was a value
        }
        let is_word = &text[word.clone()] == "from"
            && command.options.iter().any(|option| option.name == "from");
        if !is_option(&text[word.clone()]) && !is_word {
            continue;
        }
        let name_at = word.start + if is_word { 0 } else { 2 };
        let written = text[name_at..word.end].to_owned();
        let (name, inline) = match written.split_once('=') {
            Some((name, _)) => (name, Some(name_at + name.len() + 1..word.end)),
            None => (written.as_str(), None),
        };
        let is_inner = inner.is_some_and(|(inner, start)| {
            let is_own = inner.takes_command() || inner.options.iter().any(|o| o.name == name);
            let is_of_any = OF_ANY.iter().any(|option| option.name == name);
            word.start > start && (is_own || !is_of_any)
        });
        if is_inner {
            continue;
        }
        let Some(option) = command.switches().find(|option| option.name == name) else {
            let error = command.unknown_option(name);
            let error = Error { span: Some(word), ..error };
            return Err(Failure::new(error, Place::Command));
        };
        let mut taken = word.clone();
        let value = match (option.value, inline) {
            (None, None) => None,
            (None, Some(value)) => {
                return Err(usage(value, format!("`--{name}` takes no value")));
            }
            (Some(_), Some(value)) => Some(unquoted(text, value)),
            (Some(what), None) => match next_shell_word(text, word.end) {
                Some(value) if !is_option(&text[value.clone()]) => {
                    taken.end = value.end;
                    from = value.end;
                    Some(unquoted(text, value))
                }
                _ => return Err(usage(word, format!("`--{name}` needs a value: {what}"))),
            },
        };
        found.push((option.name, value));
        used.push(taken);
    }
    for span in used {
        let blank = " ".repeat(span.len());
        text.replace_range(span, &blank);
    }
    Ok(found)
}

/// The maximum number of options that an error lists.
const FEW_OPTIONS: usize = 5;

impl Command {
    /// Creates the error for an unknown option of the command.
    #[must_use]
    pub fn unknown_option(&self, name: &str) -> Error {
        let message = format!("`{}` has no option `--{}`", self.name, clipped(name));
        let error = Error::without_span(ErrorKind::Usage, message);
        if OF_PROGRAM.contains(&name) {
            return error.hint(match name {
                "help" => format!("`help {}` says how it is used", self.name),
                _ => format!("it is an option of the program: `affinor --{name} ..` in a shell"),
            });
        }
        if matches!(name, "lean" | "rocq" | "coq") {
            return error.hint("the rules are exported with proofs, `rules export --format lean`, and a certificate of an answer, `equal .. --certificate --format rocq`");
        }
        if name == C.switch.name {
            return error.hint(match self.name {
                "prove" => "it is for code, and statements are not: type a comparison of code without `prove`, as in `x / 4 == x >> 2 --c`",
                _ => "`--c` selects the rounding of / and % in code",
            });
        }
        // The names of attributes of ops in MLIR and XLA.
        let is_attribute = matches!(name, "permutation" | "perm" | "dims" | "dimensions" | "axes");
        if is_attribute && matches!(self.name, "op" | "equal" | "compose") {
            return error.hint("attributes of an op are written without dashes: `op transpose f32[4,8] dimensions={1,0}`");
        }
        let known = || self.switches().map(|option| option.name);
        // `--cuda`, `--lang c`
        if let Some(option) = self.switches().find(|option| (option.values)().contains(&name)) {
            return error.hint(format!("write `--{} {name}`", option.name));
        }
        let is_value = |value: &str| name.len() > 2 && value.to_lowercase().starts_with(name);
        if let Some(option) = self.switches().find(|option| option.value.is_some_and(is_value)) {
            return error.hint(format!("write `--{} {}`", option.name, option.value.unwrap_or("")));
        }
        if let Some(near) = nearest(name, known()) {
            return error.hint(format!("did you mean `--{near}`?"));
        }
        let listed: Vec<String> = known().map(|name| format!("`--{name}`")).collect();
        let is_text = self
            .parameters
            .iter()
            .any(|parameter| matches!(parameter.kind, Kind::Map | Kind::Rest | Kind::Inner));
        let negation = match is_text {
            true => "; write `- -x` for a double negation",
            false => "",
        };
        error.hint(match self.options.len() {
            0..=FEW_OPTIONS => format!("it has {}{negation}", listed.join(", ")),
            _ => format!("`help {}` lists its options", self.name),
        })
    }
}

fn usage(span: Span, message: String) -> Failure {
    Failure::new(Error::new(ErrorKind::Usage, span, message), Place::Command)
}

/// Splits `text` from `start` into positional arguments.
fn cut(command: &Command, text: &str, start: usize) -> Vec<Argument> {
    let kinds: Vec<Kind> = command.parameters.iter().map(|p| p.kind).collect();
    let reads_module = next_shell_word(text, start).is_some_and(|word| {
        // `threadIdx.x * 4` is not a path.
        let is_code = is_no_argument(&text[word.end..]);
        !is_code && command.reads_module(&unquoted(text, word).text)
    });
    let mut arguments: Vec<Argument> = if reads_module {
        shell_words(text, start)
    } else if command.takes_rest() || kinds.contains(&Kind::Op) {
        vec![Argument::in_line(text, start..text.len())]
    } else if kinds.contains(&Kind::Map) {
        let mut spans = split(text, start..text.len(), Class::Semicolon);
        // The `;` at the end of a C statement.
        if spans.len() > 1 && spans.last().is_some_and(|last| text[last.clone()].trim().is_empty())
        {
            spans.pop();
        }
        if let ([only], [Kind::Map, Kind::Map]) = (spans.as_slice(), kinds.as_slice()) {
            spans = split_at_and(text, only.clone());
        }
        if let ([only], [Kind::Map, Kind::Map]) = (spans.as_slice(), kinds.as_slice()) {
            spans = split_before_second_map(text, only.clone());
        }
        if let ([only], [.., Kind::Point]) = (spans.as_slice(), kinds.as_slice()) {
            spans = split_before_point(text, only.clone());
        }
        let argument = |span| Argument::in_line(text, span);
        spans.into_iter().map(argument).collect()
    } else if let Some(Kind::Shape(names)) = kinds.first() {
        shapes(names, text, start)
    } else if kinds.iter().any(|kind| matches!(kind, Kind::Shape(_))) {
        words_outside_brackets(text, start)
    } else {
        shell_words(text, start)
    };
    if matches!(arguments.as_slice(), [only] if only.text.is_empty()) {
        arguments.clear();
    }
    arguments
}

fn shell_words(text: &str, start: usize) -> Vec<Argument> {
    let mut words = Vec::new();
    let mut from = start;
    while let Some(word) = next_shell_word(text, from) {
        from = word.end;
        words.push(unquoted(text, word));
    }
    words
}

/// Splits shapes at spaces, and layouts and maps after the name of an operation at `;`; a map after `of` is one argument.
fn shapes(names: &[&str], text: &str, start: usize) -> Vec<Argument> {
    let Some(first) = next_shell_word(text, start) else {
        return Vec::new();
    };
    let name = unquoted(text, first.clone());
    let is_operation = names.contains(&name.text.as_str());
    let from = if is_operation { first.end } else { start };
    if is_triton(text[from..].trim_start()) {
        // The layouts may contain spaces.
        let layouts = split(text, from..text.len(), Class::Semicolon).into_iter();
        let layouts = layouts.filter(|span| !text[span.clone()].trim().is_empty());
        let layouts = layouts.map(|span| Argument::in_line(text, span));
        return is_operation.then_some(name).into_iter().chain(layouts).collect();
    }
    let mut spans = split(text, first.end..text.len(), Class::Semicolon);
    // `of MAP`, or a map in place of the single layout of other operations.
    let is_map = matches!(&*name.text, "inverse" | "coalesce" | "flatten")
        && text[first.end..].contains("->");
    let is_one = matches!(&*spans, [_]) && name.text != "of" && !is_map;
    if !names.contains(&name.text.as_str()) || is_one {
        return words_outside_brackets(text, start);
    }
    spans.retain(|span| !text[span.clone()].trim().is_empty());
    let rest = spans.into_iter().map(|span| Argument::in_line(text, span));
    std::iter::once(name).chain(rest).collect()
}

/// Returns the words separated by spaces outside brackets: `f32[3, 5]` is one word, and so is `Swizzle<2,0,3> o (8,8):(8,1)`.
fn words_outside_brackets(text: &str, start: usize) -> Vec<Argument> {
    let mut words: Vec<Span> = Vec::new();
    let mut joins = false;
    let is_gap = |piece: &Piece| piece.is_space() && piece.is_outside();
    for word in runs(text, start..text.len(), is_gap) {
        let part = &text[word.clone()];
        let is_composition = matches!(part, "o" | "∘");
        match words.last_mut() {
            Some(last) if is_composition || joins || part.starts_with(':') => last.end = word.end,
            _ => words.push(word),
        }
        // `Swizzle<2, 0, 3>` and `(4, 8) : (8, 1)` are continued.
        joins = is_composition || part.ends_with([':', ',']);
    }
    let argument = |word| unquoted(text, word);
    words.into_iter().map(argument).collect()
}

/// Splits `a and b` at the word between two maps.
fn split_at_and(text: &str, span: Span) -> Vec<Span> {
    let has_map = |span: Span| !text[span].trim().is_empty();
    let mut between = words(text, span.clone()).filter(|word| &text[word.clone()] == "and");
    match between.find(|and| has_map(span.start..and.start) && has_map(and.end..span.end)) {
        Some(and) => vec![span.start..and.start, and.end..span.end],
        None => vec![span],
    }
}

/// Splits `affine_map<..> affine_map<..>` before the second map.
fn split_before_second_map(text: &str, span: Span) -> Vec<Span> {
    let starts = text[span.clone()].match_indices("affine_map<");
    let starts: Vec<usize> = starts.map(|(at, _)| span.start + at).collect();
    match starts[..] {
        [first, second] if text[span.start..first].trim().is_empty() => {
            vec![span.start..second, second..span.end]
        }
        _ => vec![span],
    }
}

/// Splits `MAP 3,4` before the point. A map ends with a bracket or a name, so the numbers, commas, signs and spaces at the
/// end are the point, from the first space on. A last bracket `[3, 4]` is also a point, unless it is the interval of a
/// variable.
fn split_before_point(text: &str, span: Span) -> Vec<Span> {
    let part = &text[span.clone()];
    if let Some((before, _)) = part.trim_end().strip_suffix(']').and_then(|x| x.rsplit_once('[')) {
        // `f32[8]`
        let before = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        let last = before.trim_end().rsplit(|c: char| c.is_whitespace()).next();
        let is_apart = before.ends_with(|c: char| c.is_whitespace());
        if is_apart && !matches!(last, Some("in" | "")) {
            let middle = span.start + before.len();
            return vec![span.start..middle, middle..span.end];
        }
    }
    // `i * 8 + j at (3, 4)`
    if let Some((map, point)) = part.rsplit_once(" at ") {
        let is_point = |c: char| c.is_ascii_digit() || c.is_whitespace() || "(),-+=_".contains(c);
        if point.trim_matches(is_point).is_empty() && !point.trim().is_empty() {
            let end = span.start + map.len();
            return vec![span.start..end, end + " at ".len()..span.end];
        }
    }
    let is_point =
        |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_whitespace() || b",-+".contains(byte);
    let tail = part.bytes().rev().take_while(is_point).count();
    let mut position = part.len() - tail;
    // `a1 3,4`: the digits of the name belong to the name. `..., 3]  ,3`: so does a leading comma.
    while let Some(byte) = part.as_bytes().get(position) {
        if byte.is_ascii_whitespace() {
            break;
        }
        position += 1;
    }
    if part[position..].trim().is_empty() {
        return vec![span];
    }
    let middle = span.start + position;
    vec![span.start..middle, middle..span.end]
}

/// Returns the next word; a quoted text counts as one word, quotes included.
fn next_shell_word(text: &str, from: usize) -> Option<Span> {
    let is_space = |c: char| c.is_ascii_whitespace();
    let start = from + text[from..].find(|c| !is_space(c))?;
    let rest = &text[start..];
    let end = match rest.strip_prefix('"') {
        Some(inner) => inner.find(['"', '\n']).map(|position| position + 2),
        None => rest.find(is_space),
    };
    Some(start..start + end.unwrap_or(rest.len()))
}

fn unquoted(text: &str, span: Span) -> Argument {
    let inner = &text[span.clone()];
    let inner_start = span.start + usize::from(inner.starts_with('"'));
    let stripped = inner.strip_prefix('"').map(|s| s.strip_suffix('"').unwrap_or(s));
    Argument::at(stripped.unwrap_or(inner), inner_start)
}

/// Checks whether the word is an option.
pub(super) fn is_option(word: &str) -> bool {
    matches!(word.as_bytes(), [b'-', b'-', first, ..] if first.is_ascii_alphabetic())
}
