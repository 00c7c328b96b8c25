//! What may come next on a line: commands, names of maps, options, words.

use super::scan::outline;
use super::table::{COMMANDS, Command, Kind, command};

/// How a line may go on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completion {
    /// Where the word that is being typed begins, in bytes.
    pub start: usize,
    /// Words that may stand there, in order.
    pub candidates: Vec<String>,
    /// May a path stand there too?
    pub takes_file: bool,
}

/// The completions at the end of `line`, which is what stands before the cursor.
pub fn complete<'a>(line: &str, names: impl Iterator<Item = &'a str>) -> Completion {
    let is_word = |c: char| c.is_alphanumeric() || "_-./~".contains(c);
    let start = line.trim_end_matches(is_word).len();
    let word = &line[start..];
    let mut candidates: Vec<String> = Vec::new();
    let mut takes_file = false;
    match context(&line[..start]) {
        Context::Command => candidates.extend(COMMANDS.iter().map(|c| c.name.to_owned())),
        Context::Arguments(command, maps_makers_too) => {
            if word.starts_with('-') {
                candidates.extend(command.options.iter().map(|o| format!("--{}", o.name)));
            }
            for parameter in command.parameters {
                match parameter.kind {
                    Kind::Command => candidates.extend(COMMANDS.iter().map(|c| c.name.to_owned())),
                    Kind::Word(words) | Kind::Shape(words) => {
                        candidates.extend(words.iter().map(|w| (*w).to_owned()))
                    }
                    Kind::File => takes_file = true,
                    Kind::Rules => candidates.extend(super::rules::names()),
                    Kind::Map | Kind::Point | Kind::Rest => {}
                }
            }
            takes_file |= command.options.iter().any(|o| o.value == Some("FILE"));
            let takes_map = |c: &Command| c.parameters.iter().any(|p| p.kind == Kind::Map);
            if maps_makers_too {
                let makers = COMMANDS.iter().filter(|c| c.makes_map);
                candidates.extend(makers.map(|c| c.name.to_owned()));
            }
            if maps_makers_too || takes_map(command) {
                candidates.extend(names.map(str::to_owned));
            }
        }
        Context::Nothing => {}
    }
    candidates.retain(|candidate| candidate.starts_with(word));
    candidates.sort();
    candidates.dedup();
    Completion {
        start,
        candidates,
        takes_file,
    }
}

enum Context {
    /// At the beginning of a line.
    Command,
    /// Behind a command; `true` where `let` wants a map or a command that makes one.
    Arguments(&'static Command, bool),
    /// Inside a map's text, or where nothing is known.
    Nothing,
}

fn context(before: &str) -> Context {
    let line = before.rsplit('\n').next().unwrap_or(before);
    let trimmed = line.trim_start();
    if trimmed.is_empty() {
        return Context::Command;
    }
    let word = trimmed.split_whitespace().next().unwrap_or("");
    let Some(found) = command(word) else {
        return Context::Nothing;
    };
    if !super::scan::is_complete(line) {
        return Context::Nothing;
    }
    if !found.takes_rest() {
        return Context::Arguments(found, false);
    }
    let equals = outline(line).iter().position(|byte| *byte == b'=');
    match equals.and_then(|position| line.get(position + 1..)) {
        None => Context::Nothing,
        Some(value) if value.trim().is_empty() => Context::Arguments(found, true),
        Some(value) => context(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let completion = complete(line, ["apple", "axis"].into_iter());
        assert_eq!(completion.candidates, expected, "{line:?}");
    }

    #[test]
    fn commands_come_first_and_names_after_them() {
        check("compo", &["compose"]);
        check("show a", &["apple", "axis"]);
        check("show ap", &["apple"]);
        check("compose a ; ax", &["axis"]);
        check("help comp", &["completions", "compose"]);
        check("let b = com", &["compose"]);
        check("let b = compose ap", &["apple"]);
        check("let b = a", &["apple", "axis"]);
        check("let a", &[]);
        check("nonsense a", &[]);
        check("show (a", &[]);
    }
}
