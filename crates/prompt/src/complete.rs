//! Completions of a line: commands, names of maps and rules, options, words, and hints at the rest of the line.
//!
//! Only words are examined: pressing a key never reads a file, simplifies or proves.

use affinor::rule::PARTS;
use affinor::text::token::{Token, Tokens};
use affinor_commands::{
    COMMANDS, Class, Command, Kind, Parameter, Piece, Pieces, Session, Switch, TOPICS, command,
    is_complete, number_of, setting_values, split, words_of_op,
};
use std::collections::BTreeSet;

/// The names known to a session, besides commands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vocabulary {
    /// The names of maps.
    pub maps: BTreeSet<String>,
    /// The names of rules.
    pub rules: Vec<String>,
    /// The names of disabled rules.
    pub off: Vec<String>,
    /// The number of the last answer that is a map.
    pub last_number: usize,
}

impl Vocabulary {
    /// Checks whether a map or an answer has this name.
    #[must_use]
    pub fn is_map(&self, name: &str) -> bool {
        let number = number_of(name);
        name == "_" || self.maps.contains(name) || number.is_some_and(|n| n <= self.last_number)
    }

    /// Checks whether the name of a map begins with `start`.
    #[must_use]
    pub fn begins_map(&self, start: &str) -> bool {
        let mut from = self.maps.range(start.to_owned()..);
        from.next().is_some_and(|name| name.starts_with(start))
    }
}

impl From<&Session> for Vocabulary {
    fn from(session: &Session) -> Vocabulary {
        Vocabulary {
            maps: session.names().map(str::to_owned).collect(),
            rules: session.rule_names().map(str::to_owned).collect(),
            off: session.rules_off().map(str::to_owned).collect(),
            last_number: session.last_number(),
        }
    }
}

/// The possible continuations of a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completion {
    /// The offset of the word that is being typed, in bytes.
    pub start: usize,
    /// The candidates for this word, in order.
    pub candidates: Vec<String>,
    /// Whether the word may be a path.
    pub takes_file: bool,
}

/// Words of expressions.
pub const OPERATIONS: [&str; 5] = ["ceildiv", "floordiv", "max", "min", "mod"];

/// Returns the completions at the end of `line`, the text before the cursor.
#[must_use]
pub fn complete(line: &str, vocabulary: &Vocabulary) -> Completion {
    let is_word = |c: char| c.is_alphanumeric() || "_-./~?".contains(c);
    let start = line.trim_end_matches(is_word).len();
    let word = &line[start..];
    let mut candidates: Vec<String> = Vec::new();
    let mut takes_file = false;
    match context(&line[..start]) {
        Context::Command => add(&mut candidates, COMMANDS.iter().map(|c| c.name)),
        Context::Value => {
            let makers = COMMANDS.iter().filter(|c| c.makes_map);
            add(&mut candidates, makers.map(|c| c.name));
            add(&mut candidates, &vocabulary.maps);
        }
        Context::Arguments(command, before) if let Some(option) = awaiting(command, before) => {
            add(&mut candidates, (option.values)());
            takes_file = option.value == Some("FILE");
        }
        Context::Arguments(command, before) => {
            candidates = arguments(command, before, vocabulary);
            if word.starts_with('-') {
                let options = command.switches_beside(before);
                add(&mut candidates, options.map(|o| format!("--{}", o.name)));
            }
            takes_file = command.takes_module()
                || command.parameters.iter().any(|p| matches!(p.kind, Kind::File | Kind::Files))
                || command.options.iter().any(|o| o.value == Some("FILE"));
        }
        Context::Formula(command, _) | Context::Statement(command, _) if word.starts_with("--") => {
            add(&mut candidates, command.switches().map(|o| format!("--{}", o.name)));
        }
        Context::Formula(_, text) if !word.is_empty() => {
            add(&mut candidates, OPERATIONS);
            add(&mut candidates, variables(text));
        }
        Context::Statement(_, text) if !word.is_empty() => {
            add(&mut candidates, OPERATIONS);
            add(&mut candidates, PARTS);
            add(&mut candidates, variables(text));
        }
        Context::Formula(..) | Context::Statement(..) | Context::Nothing => {}
    }
    candidates.retain(|candidate| candidate.starts_with(word));
    candidates.sort();
    candidates.dedup();
    Completion { start, candidates, takes_file }
}

fn add(candidates: &mut Vec<String>, words: impl IntoIterator<Item = impl ToString>) {
    candidates.extend(words.into_iter().map(|word| word.to_string()));
}

/// Returns the option whose value comes after the text `before`.
fn awaiting(command: &Command, before: &str) -> Option<&'static Switch> {
    let (last, is_inline) = match before.strip_suffix('=') {
        Some(before) => (before, true),
        None => (before.trim_end(), false),
    };
    let is_apart = is_inline || last.len() < before.len();
    let name = last.split_whitespace().next_back()?.strip_prefix("--")?;
    let mut takers = command.switches().filter(|o| o.value.is_some());
    takers.find(|option| is_apart && option.name == name)
}

/// Returns the words that may follow a command and the text `before`, besides options.
fn arguments(command: &Command, before: &str, vocabulary: &Vocabulary) -> Vec<String> {
    let mut found = Vec::new();
    if command.name == "op" {
        found = words_of_op(before);
    }
    let given: Vec<&str> = before.split_whitespace().collect();
    if command.parameters.iter().any(|p| p.kind == Kind::Map) {
        add(&mut found, &vocabulary.maps);
    }
    let parameter = command.parameters.get(given.len()).or(command.parameters.last());
    match parameter.map(|p| p.kind) {
        Some(Kind::Command) => {
            add(&mut found, COMMANDS.iter().map(|c| c.name));
            add(&mut found, TOPICS.iter().map(|topic| topic.name));
            add(&mut found, &vocabulary.rules);
        }
        Some(Kind::Word(_)) if command.name == "set" && given.len() == 1 => {
            add(&mut found, setting_values(given[0]));
        }
        Some(Kind::Word(words) | Kind::Shape(words)) => add(&mut found, words),
        Some(Kind::Rules) if given.first() == Some(&"on") => add(&mut found, &vocabulary.off),
        Some(Kind::Rules) => add(&mut found, &vocabulary.rules),
        _ => {}
    }
    found
}

enum Context<'l> {
    /// The beginning of a line.
    Command,
    /// The position in `let` at which a map is expected, or a command that makes one.
    Value,
    /// A position after a command and this text.
    Arguments(&'static Command, &'l str),
    /// A position within the text of a map that a command takes, after this text.
    Formula(&'static Command, &'l str),
    /// A position within a rule or a statement that a command takes, after this text.
    Statement(&'static Command, &'l str),
    /// A position without known candidates.
    Nothing,
}

fn context(before: &str) -> Context<'_> {
    // Lines above belong to the command only if a bracket is open.
    let ends =
        Pieces::new(before).filter(|piece| piece.class == Class::Newline && piece.depth == 0);
    let line = &before[ends.last().map_or(0, |newline| newline.span.end)..];
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
        return match is_complete(line) {
            true => Context::Arguments(found, arguments),
            false => Context::Formula(found, arguments),
        };
    }
    if matches!(found.name, "rule" | "prove") {
        let mut words = arguments.split_whitespace();
        let is_begun = !words.all(|word| word.starts_with("--"));
        return match is_begun || found.options.is_empty() {
            true => Context::Statement(found, arguments),
            false => Context::Arguments(found, arguments),
        };
    }
    let is_equals = |piece: &Piece| piece.class == Class::Equals && piece.is_outside();
    let equals = Pieces::new(line).find(is_equals);
    match equals.and_then(|equals| line.get(equals.span.end..)) {
        _ if found.name != "let" => Context::Formula(found, arguments),
        None => Context::Nothing,
        Some(value) if value.trim().is_empty() => Context::Value,
        Some(value) if !is_complete(value) && value.trim_start().starts_with('(') => {
            Context::Formula(found, value)
        }
        Some(value) => context(value),
    }
}

/// Returns the names in a text that may be variables.
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

/// A hint at the end of `line`: a key may accept `rest`; `usage` is only shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hint {
    /// The rest of the word that is being typed.
    pub rest: String,
    /// The arguments that follow.
    pub usage: String,
}

/// Returns a hint at the end of `line`, if there is exactly one continuation.
#[must_use]
pub fn hint(line: &str) -> Option<Hint> {
    let is_word = |c: char| c.is_alphanumeric() || "_-?".contains(c);
    let start = line.trim_end_matches(is_word).len();
    let word = &line[start..];
    let only = |matching: Vec<(&'static str, String)>| match matching.as_slice() {
        [(name, usage)] => Some(Hint {
            rest: name.strip_prefix(word.trim_start_matches('-')).unwrap_or("").to_owned(),
            usage: usage.clone(),
        }),
        _ => None,
    };
    match context(&line[..start]) {
        Context::Command if !word.is_empty() => {
            let begun = COMMANDS.iter().filter(|c| c.name.starts_with(word));
            only(match command(word) {
                Some(named) => vec![(named.name, usage(named))],
                None => begun.map(|c| (c.name, usage(c))).collect(),
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
                true => usage(command).trim_start().to_owned(),
                false => next_map(command, &line[line.len() - before.len() - word.len()..])?,
            };
            Some(Hint { rest: String::new(), usage })
        }
        _ => None,
    }
    .filter(|hint| !hint.rest.is_empty() || !hint.usage.is_empty())
}

/// Returns ` MAP [--check]`, or ` MAP [OPTIONS]` if there are many options.
fn usage(command: &Command) -> String {
    command.short_usage()[command.name.len()..].to_owned()
}

/// Returns ` ; SECOND` if one of two maps has been typed.
fn next_map(command: &Command, given: &str) -> Option<String> {
    let maps: Vec<&Parameter> = command.parameters.iter().filter(|p| p.kind == Kind::Map).collect();
    let next = maps.get(split(given, 0..given.len(), Class::Semicolon).len())?;
    let last = given.rsplit(';').next()?.trim();
    let has_option = given.contains("--");
    (!last.is_empty() && !has_option).then(|| format!(" ; {}", next.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let vocabulary = Vocabulary {
            maps: ["apple".to_owned(), "axis".to_owned()].into(),
            rules: vec!["half-odd".to_owned(), "halve".to_owned()],
            off: vec!["halve".to_owned()],
            last_number: 0,
        };
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
        check("compose a ; b --s", &["--simplify", "--steps", "--style"]);
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
        check("rule --", &["--ascii", "--json", "--law", "--style", "--trees"]);
        check("rule --law a: x floordiv c => x wh", &["where"]);
        check("rule a: x => x const", &["constant"]);
        check("rule a: -", &[]);
        check("rule a: x => x --la", &["--law"]);
        check("prove x = x --js", &["--json"]);
        check("show apple --style m", &["mlir"]);
        check("prove index + 1 = ind", &["index"]);
        check("prove x = x expr", &["expression"]);
        check("hlo model.hlo --direction in", &["input-to-output"]);
        check("hlo m.hlo --p", &["--parameter", "--parts"]);
        check("hlo m.hlo --entry --p", &["--parameter"]);
        check("hlo m.hlo --opcode=dot --e", &["--explain"]);
        check("hlo model.hlo --direction ", &["input-to-output", "output-to-input"]);
        check("emit apple --as=c", &["c", "cuda"]);
        check("emit apple --as c a", &["apple", "axis"]); // after the value
        check("emit apple --name a", &[]); // any name is allowed
        check("emit apple --as", &["--as", "--ascii"]);
        check("inj", &["injective"]);
        check("injective? ap", &["apple"]);
        check("rules show hal", &["half-odd", "halve"]);
        check("time sho", &["show"]);
        check("show (row, column) -> (r", &["row"]);
        check("let x = (row,\n column) -> (row floor", &["floordiv"]);
    }

    #[track_caller]
    fn check_hint(line: &str, rest: &str, usage: &str) {
        let found = hint(line).unwrap_or_default();
        assert_eq!((found.rest.as_str(), found.usage.as_str()), (rest, usage), "{line:?}");
    }

    #[test]
    fn hints_tell_how_to_go_on() {
        check_hint("", "", "");
        check_hint("und", "o", "");
        check_hint("equ", "al", " LEFT ; RIGHT [OPTIONS]");
        check_hint("equal", "", " LEFT ; RIGHT [OPTIONS]");
        check_hint("equal ", "", "LEFT ; RIGHT [OPTIONS]");
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
