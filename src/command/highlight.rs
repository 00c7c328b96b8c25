//! What each part of a line is, so that a terminal can colour it while it is typed.
//!
//! Looks at words only: nothing is parsed, looked up in a file, simplified or proved. The time is in
//! proportion to the line, and a very long line stays plain.

use super::complete::{OPERATIONS, Vocabulary};
use super::list::command;
use super::scan::{Class, classes};
use super::table::{Command, Kind};
use crate::rule::PARTS;
use crate::text::Span;
use crate::text::token::{Token, Tokens};

/// Longest line that is painted, in bytes.
const LONGEST: usize = 1 << 14;

/// What a part of a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// The name of a command.
    Command,
    /// `--option`
    Switch,
    /// A word of the language of maps and rules.
    Keyword,
    /// An integer.
    Number,
    /// The name of a map, or of an answer.
    Map,
    /// A variable of the map that is being typed.
    Variable,
    /// A comment.
    Comment,
    /// A quoted text.
    Quoted,
    /// What nothing is called, or a bracket that closes nothing.
    Unknown,
    /// The bracket at the cursor and the one that belongs to it.
    Partner,
}

/// A part of a line; the parts that are nothing special are left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Painted {
    /// Its bytes.
    pub span: Span,
    /// What it is.
    pub ink: Ink,
}

/// The parts of `line` in order, without overlaps; `cursor` is a byte offset.
#[must_use]
pub fn paint(line: &str, cursor: usize, vocabulary: &Vocabulary) -> Vec<Painted> {
    if line.len() > LONGEST {
        return Vec::new();
    }
    let classes = classes(line);
    let mut painted = Vec::new();
    runs(&classes, Class::Comment, Ink::Comment, &mut painted);
    runs(&classes, Class::Quoted, Ink::Quoted, &mut painted);
    // What is left of comments and quoted texts is spaces, so that offsets agree.
    let mut text = String::with_capacity(line.len());
    for (offset, letter) in line.char_indices() {
        let hidden = matches!(classes.get(offset), Some(Class::Comment | Class::Quoted));
        match hidden && letter != '\n' {
            true => text.extend(std::iter::repeat_n(' ', letter.len_utf8())),
            false => text.push(letter),
        }
    }
    for span in commands(&text, &classes) {
        paint_command(&text, span, vocabulary, &mut painted);
    }
    paint_brackets(&text, cursor, &mut painted);
    painted.sort_by_key(|part| part.span.start);
    painted
}

/// Runs of bytes of one class.
fn runs(classes: &[Class], class: Class, ink: Ink, painted: &mut Vec<Painted>) {
    let mut start = None;
    for offset in 0..=classes.len() {
        match (start, classes.get(offset) == Some(&class)) {
            (None, true) => start = Some(offset),
            (Some(from), false) => {
                let span = from..offset;
                painted.push(Painted { span, ink });
                start = None;
            }
            _ => {}
        }
    }
}

/// Lines that begin with a command outside of brackets, each up to the next one.
fn commands(text: &str, classes: &[Class]) -> Vec<Span> {
    let mut starts = vec![0];
    for (offset, _) in text.match_indices('\n') {
        let rest = text.get(offset + 1..).unwrap_or("");
        let word = rest.split_whitespace().next().unwrap_or("");
        if classes.get(offset) == Some(&Class::Outside) && command(word).is_some() {
            starts.push(offset + 1);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}

fn paint_command(text: &str, span: Span, vocabulary: &Vocabulary, painted: &mut Vec<Painted>) {
    let part = text.get(span.clone()).unwrap_or("");
    let trimmed = part.trim_start();
    let start = span.start + part.len() - trimmed.len();
    let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
    let word = trimmed.get(..length).unwrap_or("");
    if word.is_empty() {
        return;
    }
    let name_start = start + usize::from(word.starts_with(':'));
    let name = word.strip_prefix(':').unwrap_or(word);
    let Some(command) = command(name) else {
        let is_begun = length == trimmed.len()
            && super::list::COMMANDS
                .iter()
                .any(|c| c.name.starts_with(name));
        if !is_begun {
            let span = start..start + length;
            painted.push(Painted {
                span,
                ink: Ink::Unknown,
            });
        }
        return;
    };
    let span_of_name = name_start..start + length;
    painted.push(Painted {
        span: span_of_name,
        ink: Ink::Command,
    });
    paint_arguments(command, text, start + length..span.end, vocabulary, painted);
}

fn paint_arguments(
    command: &'static Command,
    text: &str,
    span: Span,
    vocabulary: &Vocabulary,
    painted: &mut Vec<Painted>,
) {
    let part = text.get(span.clone()).unwrap_or("");
    match command.name {
        "let" => match part.find('=') {
            None => {}
            Some(equals) => {
                let target = part.get(..equals).unwrap_or("");
                let name = target.trim();
                let start = span.start + target.len() - target.trim_start().len();
                painted.push(Painted {
                    span: start..start + name.len(),
                    ink: Ink::Map,
                });
                let value = span.start + equals + 1..span.end;
                let rest = text.get(value.clone()).unwrap_or("");
                let word = rest.split_whitespace().next().unwrap_or("");
                match super::list::command(word) {
                    Some(_) => paint_command(text, value, vocabulary, painted),
                    None => paint_formula(text, value, Some(vocabulary), painted),
                }
            }
        },
        "time" => match part.trim() {
            "on" | "off" | "" => {}
            _ => paint_command(text, span, vocabulary, painted),
        },
        _ => {
            let takes_map = command.parameters.iter().any(|p| p.kind == Kind::Map);
            let span = paint_switches(command, text, span, painted);
            if takes_map {
                paint_formula(text, span, Some(vocabulary), painted);
            } else if command.takes_rest() {
                paint_formula(text, span, None, painted);
            }
        }
    }
}

/// `--options`, of which the command knows some. Gives what is before the first.
fn paint_switches(command: &Command, text: &str, span: Span, painted: &mut Vec<Painted>) -> Span {
    if command.takes_rest() {
        return span;
    }
    let part = text.get(span.clone()).unwrap_or("");
    let mut end = span.end;
    for (offset, _) in part.match_indices("--") {
        let start = span.start + offset;
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let rest = text.get(start + 2..span.end).unwrap_or("");
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '-'))
            .unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or("");
        let is_switch = before.is_some_and(char::is_whitespace)
            && name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !is_switch {
            continue;
        }
        end = end.min(start);
        let known = command.options.iter().any(|option| option.name == name);
        let begun = start + 2 + length == text.len()
            && command
                .options
                .iter()
                .any(|option| option.name.starts_with(name));
        let ink = if known || begun {
            Ink::Switch
        } else {
            Ink::Unknown
        };
        painted.push(Painted {
            span: start..start + 2 + length,
            ink,
        });
    }
    span.start..end
}

/// Maps between `;`; without a vocabulary a statement, in which every name may stand.
fn paint_formula(
    text: &str,
    span: Span,
    vocabulary: Option<&Vocabulary>,
    painted: &mut Vec<Painted>,
) {
    let part = text.get(span.clone()).unwrap_or("");
    let mut words = Vec::new();
    let mut tokens = Tokens::new(part);
    while tokens.token() != Token::End {
        words.push((tokens.token(), tokens.word(), tokens.span()));
        tokens.advance();
    }
    // `a ; b`, and with some commands `a and b`.
    let separates = |(token, word, _): &(Token, &str, Span)| {
        *token == Token::Semicolon
            || (vocabulary.is_some() && *token == Token::Name && *word == "and")
    };
    for (_, _, place) in words
        .iter()
        .filter(|word| word.1 == "and" && separates(word))
    {
        let span = span.start + place.start..span.start + place.end;
        let ink = Ink::Keyword;
        painted.push(Painted { span, ink });
    }
    for map in words.split(separates) {
        let arrow = map.iter().position(|(token, ..)| *token == Token::Arrow);
        let head = arrow.map_or(&[][..], |arrow| map.get(..arrow).unwrap_or_default());
        let has_bracket = map.iter().any(|(token, ..)| *token == Token::LeftParen);
        for (token, word, place) in map {
            let ink = match (token, vocabulary) {
                (Token::Integer, _) => Ink::Number,
                (Token::Name, None) => match *word {
                    "and" | "or" | "not" => Ink::Keyword,
                    word if PARTS.contains(&word) => Ink::Keyword,
                    _ => continue,
                },
                (Token::Name, Some(vocabulary)) => {
                    let declared = |(token, name, _): &(Token, &str, Span)| {
                        *token == Token::Name && name == word
                    };
                    let is_typed = span.start + place.end == text.len();
                    let begun = |(token, name, _): &(Token, &str, Span)| {
                        *token == Token::Name && name.starts_with(word)
                    };
                    let begins = head.iter().any(begun)
                        || OPERATIONS.iter().any(|name| name.starts_with(word))
                        || "domain".starts_with(word);
                    if head.iter().any(declared) {
                        Ink::Variable
                    } else if arrow.is_some() && is_typed && begins {
                        continue;
                    } else if arrow.is_some() {
                        Ink::Unknown
                    } else if has_bracket {
                        continue; // the variables of a map that has no arrow yet
                    } else if vocabulary.is_map(word) {
                        Ink::Map
                    } else if vocabulary.begins_map(word) && is_typed {
                        continue;
                    } else {
                        Ink::Unknown
                    }
                }
                (token, _) if token.is_keyword() => Ink::Keyword,
                _ => continue,
            };
            let span = span.start + place.start..span.start + place.end;
            painted.push(Painted { span, ink });
        }
    }
}

/// Brackets that close nothing, and the partner of the one at the cursor.
fn paint_brackets(text: &str, cursor: usize, painted: &mut Vec<Painted>) {
    let mut open: Vec<(usize, u8)> = Vec::new();
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => open.push((offset, byte)),
            b')' | b']' | b'}' => {
                let opening = match byte {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                match open.pop() {
                    Some((partner, kind)) if kind == opening => {
                        let is_near = |place: usize| place == cursor || place + 1 == cursor;
                        if is_near(offset) || is_near(partner) {
                            for place in [partner, offset] {
                                let span = place..place + 1;
                                painted.push(Painted {
                                    span,
                                    ink: Ink::Partner,
                                });
                            }
                        }
                    }
                    other => {
                        open.extend(other);
                        let span = offset..offset + 1;
                        painted.push(Painted {
                            span,
                            ink: Ink::Unknown,
                        });
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The painted parts, each with the first letter of its ink.
    #[track_caller]
    fn check(line: &str, cursor: usize, expected: &str) {
        let vocabulary = Vocabulary::of(["apple"], ["half"]);
        let mut found = Vec::new();
        let mut end = 0;
        for Painted { span, ink } in paint(line, cursor, &vocabulary) {
            assert!(span.start >= end, "{line:?}: parts overlap");
            end = span.end;
            found.push(format!("{ink:?}:{}", &line[span]));
        }
        assert_eq!(found.join(" "), expected, "{line:?}");
    }

    #[test]
    fn words_are_what_they_are() {
        let far = usize::MAX;
        check("simplify apple", far, "Command:simplify Map:apple");
        check("simplify appel", far, "Command:simplify Unknown:appel");
        check(
            "equal apple and (i) -> (i)",
            far,
            "Command:equal Map:apple Keyword:and Variable:i Variable:i",
        );
        check("show (row) -> (ro", far, "Command:show Variable:row");
        check(
            "show (row) -> (row flo",
            far,
            "Command:show Variable:row Variable:row",
        );
        check("simplify app", far, "Command:simplify");
        check("simplif", far, "");
        check("simplif a", far, "Unknown:simplif");
        check(":show _ # all", far, "Command:show Map:_ Comment:# all");
        check(
            "show (d0) -> (d0 * 2 mod x)",
            far,
            "Command:show Variable:d0 Variable:d0 Number:2 Keyword:mod Unknown:x",
        );
        check(
            "let b = compose apple ; c --simplify",
            far,
            "Command:let Map:b Command:compose Map:apple Unknown:c Switch:--simplify",
        );
        check(
            "simplify apple --chekc 1",
            far,
            "Command:simplify Map:apple Unknown:--chekc",
        );
        check(
            "prove x mod 4 = y where x >= 0",
            far,
            "Command:prove Keyword:mod Number:4 Keyword:where Number:0",
        );
        check(
            "rule a: x mod c => x constant c",
            far,
            "Command:rule Keyword:mod Keyword:constant",
        );
        check("hlo a/b.hlo --check", far, "Command:hlo Switch:--check");
        check(
            "help\nshow apple",
            far,
            "Command:help Command:show Map:apple",
        );
        check("hlo \"(a\"", far, "Command:hlo Quoted:\"(a\"");
        check(
            "time show apple",
            far,
            "Command:time Command:show Map:apple",
        );
    }

    #[test]
    fn brackets_have_partners_or_are_wrong() {
        check("show (1)", 5, "Command:show Partner:( Number:1 Partner:)");
        check("show (1)", 8, "Command:show Partner:( Number:1 Partner:)");
        check("show (1", 5, "Command:show Number:1");
        check("show 1)", 0, "Command:show Number:1 Unknown:)");
        check("show (1]", 0, "Command:show Number:1 Unknown:]");
    }

    #[test]
    fn a_very_long_line_stays_plain() {
        let line = format!("show {}", "(".repeat(LONGEST));
        assert_eq!(paint(&line, 0, &Vocabulary::default()), []);
    }
}
