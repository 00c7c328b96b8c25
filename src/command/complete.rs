//! What may come next on a line: commands, names of maps and rules, options, words, how to go on.
//!
//! Looks at words only: no key that is pressed reads a file, simplifies or proves.

use super::list::{COMMANDS, command};
use super::op::words::words_of_op;
use super::scan::outline;
use super::session::Session;
use super::settings::values;
use super::table::{Command, Kind, Parameter};
use super::topics::TOPICS;
use crate::rule::PARTS;
use crate::text::token::{Token, Tokens};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// The names that a session knows besides commands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vocabulary {
    maps: BTreeSet<String>,
    rules: Vec<String>,
    /// Rules that are switched off.
    off: Vec<String>,
    last_number: usize,
}

impl Vocabulary {
    /// The names of some maps and of some rules.
    pub fn of<'a>(
        maps: impl IntoIterator<Item = &'a str>,
        rules: impl IntoIterator<Item = &'a str>,
    ) -> Vocabulary {
        Vocabulary {
            maps: maps.into_iter().map(str::to_owned).collect(),
            rules: rules.into_iter().map(str::to_owned).collect(),
            off: Vec::new(),
            last_number: 0,
        }
    }

    /// Is there a map or an answer with this name?
    #[must_use]
    pub fn is_map(&self, name: &str) -> bool {
        let number = super::results::number_of(name);
        name == "_" || self.maps.contains(name) || number.is_some_and(|n| n <= self.last_number)
    }

    /// Does the name of a map begin so?
    #[must_use]
    pub fn begins_map(&self, start: &str) -> bool {
        let mut from = self.maps.range(start.to_owned()..);
        from.next().is_some_and(|name| name.starts_with(start))
    }
}

impl Session {
    /// The names that may be typed now.
    #[must_use]
    pub fn vocabulary(&self) -> Vocabulary {
        let shipped = shipped_rules().iter().map(String::as_str);
        let added = self.rules.iter().map(|added| added.rule.name.as_str());
        let mut vocabulary = Vocabulary::of(self.names(), shipped.chain(added));
        vocabulary.off = self.off.iter().cloned().collect();
        vocabulary.last_number = self.results.last_number();
        vocabulary
    }
}

fn shipped_rules() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(super::rules::names)
}

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

/// Words of expressions.
pub(super) const OPERATIONS: [&str; 5] = ["ceildiv", "floordiv", "max", "min", "mod"];

/// The completions at the end of `line`, which is what stands before the cursor.
#[must_use]
pub fn complete(line: &str, vocabulary: &Vocabulary) -> Completion {
    let is_word = |c: char| c.is_alphanumeric() || "_-./~?".contains(c);
    let start = line.trim_end_matches(is_word).len();
    let word = &line[start..];
    let mut candidates: Vec<String> = Vec::new();
    let mut takes_file = false;
    let mut add = |words: &[&str]| candidates.extend(words.iter().map(|w| (*w).to_owned()));
    let commands = || COMMANDS.iter().map(|c| c.name);
    match context(&line[..start]) {
        Context::Command => add(&commands().collect::<Vec<_>>()),
        Context::Value => {
            let makers = COMMANDS.iter().filter(|c| c.makes_map).map(|c| c.name);
            add(&makers.collect::<Vec<_>>());
            add(&vocabulary
                .maps
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>());
        }
        Context::Arguments(command, before) => {
            if word.starts_with('-') {
                let options = command.options.iter().map(|o| format!("--{}", o.name));
                let options: Vec<String> = options.collect();
                add(&options.iter().map(String::as_str).collect::<Vec<_>>());
            }
            if command.name == "op" {
                let words = words_of_op(before);
                add(&words.iter().map(String::as_str).collect::<Vec<_>>());
            }
            let words: Vec<&str> = before.split_whitespace().collect();
            let takes_map = command.parameters.iter().any(|p| p.kind == Kind::Map);
            let parameter = command
                .parameters
                .get(words.len().min(command.parameters.len().saturating_sub(1)));
            if takes_map {
                add(&vocabulary
                    .maps
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>());
            }
            match parameter.map(|p: &Parameter| p.kind) {
                Some(Kind::Command) => {
                    add(&commands().collect::<Vec<_>>());
                    add(&TOPICS.iter().map(|topic| topic.name).collect::<Vec<_>>());
                    add(&vocabulary
                        .rules
                        .iter()
                        .map(String::as_str)
                        .collect::<Vec<_>>());
                }
                Some(Kind::Word(_)) if command.name == "set" && words.len() == 1 => {
                    add(values(words[0]));
                }
                Some(Kind::Word(words) | Kind::Shape(words)) => add(words),
                Some(Kind::Rules) if words.first() == Some(&"on") => {
                    add(&vocabulary
                        .off
                        .iter()
                        .map(String::as_str)
                        .collect::<Vec<_>>());
                }
                Some(Kind::Rules) => add(&vocabulary
                    .rules
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()),
                _ => {}
            }
            takes_file = command.parameters.iter().any(|p| p.kind == Kind::File)
                || command.options.iter().any(|o| o.value == Some("FILE"));
        }
        Context::Formula(text) if !word.is_empty() => {
            add(&OPERATIONS);
            add(&variables(text));
        }
        Context::Statement(text) if !word.is_empty() => {
            add(&OPERATIONS);
            add(&PARTS);
            add(&variables(text));
        }
        Context::Formula(_) | Context::Statement(_) | Context::Nothing => {}
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

enum Context<'l> {
    /// At the beginning of a line.
    Command,
    /// Where `let` wants a map or a command that makes one.
    Value,
    /// Behind a command and this text.
    Arguments(&'static Command, &'l str),
    /// Inside a map's text, of which this stands before.
    Formula(&'l str),
    /// Inside a rule or a statement, of which this stands before.
    Statement(&'l str),
    /// Where nothing is known.
    Nothing,
}

fn context(before: &str) -> Context<'_> {
    // Lines above belong to the command only where a bracket is open.
    let start = before
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .rfind(|at| super::scan::is_complete(&before[..*at]));
    let line = &before[start.unwrap_or(0)..];
    let trimmed = line.trim_start();
    let trimmed = trimmed.strip_prefix(':').unwrap_or(trimmed);
    let word = trimmed.split_whitespace().next().unwrap_or("");
    if word.is_empty() {
        return Context::Command;
    }
    let Some(found) = command(word) else {
        return Context::Nothing;
    };
    let arguments = &trimmed[word.len()..];
    if found.name == "time" {
        return match context(arguments) {
            Context::Command if arguments.is_empty() => Context::Nothing,
            inner => inner,
        };
    }
    if !found.takes_rest() {
        return match super::scan::is_complete(line) {
            true => Context::Arguments(found, arguments),
            false => Context::Formula(arguments),
        };
    }
    if matches!(found.name, "rule" | "prove") {
        let mut words = arguments.split_whitespace();
        let is_begun = !words.all(|word| word.starts_with("--"));
        return match is_begun || found.options.is_empty() {
            true => Context::Statement(arguments),
            false => Context::Arguments(found, arguments), // options come first
        };
    }
    let equals = outline(line).iter().position(|byte| *byte == b'=');
    match equals.and_then(|position| line.get(position + 1..)) {
        _ if found.name != "let" => Context::Formula(arguments),
        None => Context::Nothing,
        Some(value) if value.trim().is_empty() => Context::Value,
        Some(value) if !super::scan::is_complete(value) && value.trim_start().starts_with('(') => {
            Context::Formula(value)
        }
        Some(value) => context(value),
    }
}

/// The names in a text that may be variables.
fn variables(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut tokens = Tokens::new(text);
    while tokens.token() != Token::End {
        if tokens.token() == Token::Name {
            names.push(tokens.word());
        }
        tokens.advance();
    }
    names
}

/// How to go on from the end of `line`: `rest` may be taken over by a key, `usage` is only to be read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hint {
    /// The rest of the word that is being typed.
    pub rest: String,
    /// The arguments that come then.
    pub usage: String,
}

/// A hint at the end of `line`, if there is just one way to go on.
#[must_use]
pub fn hint(line: &str) -> Option<Hint> {
    let is_word = |c: char| c.is_alphanumeric() || "_-?".contains(c);
    let start = line.trim_end_matches(is_word).len();
    let word = &line[start..];
    let only = |matching: Vec<(&'static str, String)>| match matching.as_slice() {
        [(name, usage)] => Some(Hint {
            rest: name
                .strip_prefix(word.trim_start_matches('-'))
                .unwrap_or("")
                .to_owned(),
            usage: usage.clone(),
        }),
        _ => None,
    };
    match context(&line[..start]) {
        Context::Command if !word.is_empty() => {
            let named = COMMANDS.iter().filter(|c| c.name == word);
            let begun = COMMANDS.iter().filter(|c| c.name.starts_with(word));
            let some: Vec<_> = named.map(|c| (c.name, arguments(c))).collect();
            only(if some.is_empty() {
                begun.map(|c| (c.name, arguments(c))).collect()
            } else {
                some
            })
        }
        Context::Arguments(command, before) => {
            if let Some(begun) = word.strip_prefix("--") {
                let options = command.options.iter().filter(|o| o.name.starts_with(begun));
                let options =
                    options.map(|o| (o.name, o.value.map_or(String::new(), |v| format!(" {v}"))));
                return only(options.collect());
            }
            let usage = match before.trim().is_empty() && word.is_empty() {
                true => arguments(command).trim_start().to_owned(),
                false => next_map(command, &line[line.len() - before.len() - word.len()..])?,
            };
            Some(Hint {
                rest: String::new(),
                usage,
            })
        }
        _ => None,
    }
    .filter(|hint| !hint.rest.is_empty() || !hint.usage.is_empty())
}

/// ` MAP [--check]`
fn arguments(command: &Command) -> String {
    command.usage()[command.name.len()..].to_owned()
}

/// ` ; SECOND` where one map of two has been typed.
fn next_map(command: &Command, given: &str) -> Option<String> {
    let maps: Vec<&Parameter> = command
        .parameters
        .iter()
        .filter(|p| p.kind == Kind::Map)
        .collect();
    let outside = outline(given);
    let semicolons = outside.iter().filter(|byte| **byte == b';').count();
    let next = maps.get(semicolons + 1)?;
    let last = given.rsplit(';').next()?.trim();
    let has_option = given.contains("--");
    (!last.is_empty() && !has_option).then(|| format!(" ; {}", next.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let mut vocabulary = Vocabulary::of(["apple", "axis"], ["half-odd", "halve"]);
        vocabulary.off = vec!["halve".to_owned()];
        let completion = complete(line, &vocabulary);
        assert_eq!(completion.candidates, expected, "{line:?}");
    }

    #[test]
    fn commands_come_first_and_names_after_them() {
        check("compo", &["compose"]);
        check(":compo", &["compose"]);
        check("show a", &["apple", "axis"]);
        check("show ap", &["apple"]);
        check("compose a ; ax", &["axis"]);
        check("compose a ; b --s", &["--simplify", "--steps"]);
        check("help comp", &["completions", "compose"]);
        check("let b = com", &["compose"]);
        check("let b = compose ap", &["apple"]);
        check("let b = a", &["apple", "axis"]);
        check("let a", &[]);
        check("nonsense a", &[]);
        check("show (a", &[]);
        check("help\nshow ap", &["apple"]);
    }

    #[test]
    fn words_depend_on_what_stands_before() {
        check("set s", &["style"]);
        check("set style m", &["mlir"]);
        check("set style o", &[]);
        check("set ascii o", &["off", "on"]);
        check("rules sh", &["show"]);
        check("rules show half", &["half-odd"]);
        check("rules o", &["off", "on"]);
        check("rules off half", &["half-odd"]);
        check("rules on half-odd ha", &["halve"]);
        check("rule --", &["--law"]);
        check("rule --law a: x floordiv c => x wh", &["where"]);
        check("rule a: x => x const", &["constant"]);
        check("rule a: -", &[]);
        check("prove index + 1 = ind", &["index"]);
        check("prove x = x expr", &["expression"]);
        check("rules show hal", &["half-odd", "halve"]);
        check("time sho", &["show"]);
        check("show (row, column) -> (r", &["row"]);
        check("let x = (row,\n column) -> (row floor", &["floordiv"]);
    }

    #[track_caller]
    fn check_hint(line: &str, rest: &str, usage: &str) {
        let found = hint(line).unwrap_or_default();
        assert_eq!(
            (found.rest.as_str(), found.usage.as_str()),
            (rest, usage),
            "{line:?}"
        );
    }

    #[test]
    fn hints_tell_how_to_go_on() {
        check_hint("", "", "");
        check_hint("und", "o", "");
        check_hint("equ", "al", " LEFT ; RIGHT [--reads]");
        check_hint("equal", "", " LEFT ; RIGHT [--reads]");
        check_hint("equal ", "", "LEFT ; RIGHT [--reads]");
        check_hint("equal a", "", " ; RIGHT");
        check_hint("equal a ; b", "", "");
        check_hint("equal a ; b --r", "eads", "");
        check_hint("simplify a --js", "onl", " FILE");
        check_hint("nonsense ", "", "");
        check_hint("rule ", "", "NAME: STATEMENT [--law]");
        check_hint("rule --l", "aw", "");
        check_hint("rule a: x ", "", "");
    }
}
