//! The kinds of the parts of a line, by which a terminal colours it while it is typed.
//!
//! Only words are examined: nothing is parsed, looked up in a file, simplified or proved. The time is linear in the length
//! of the line, and a very long line is not coloured.

use crate::complete::{OPERATIONS, Vocabulary};
use affinor::rule::PARTS;
use affinor::text::Span;
use affinor::text::token::{Token, Tokens};
use affinor_commands::{COMMANDS, Class, Command, Kind, Piece, Pieces, command, runs, without};

/// The maximum length of a coloured line, in bytes.
pub const LONGEST: usize = 1 << 14;

/// The kind of a part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// The name of a command.
    Command,
    /// An `--option`.
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
    /// An unknown name, or a bracket that closes nothing.
    Unknown,
    /// The bracket at the cursor, and its partner.
    Partner,
}

/// A part of a line; parts without a kind are omitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Painted {
    /// The span in bytes.
    pub span: Span,
    /// The kind.
    pub ink: Ink,
}

/// Returns the parts of `line` in order, without overlaps; `cursor` is a byte offset.
#[must_use]
pub fn paint(line: &str, cursor: usize, vocabulary: &Vocabulary) -> Vec<Painted> {
    if line.len() > LONGEST {
        return Vec::new();
    }
    let text = &without(line, |class| hidden(class).is_some());
    let mut painter = Painter { text, vocabulary, painted: Vec::new() };
    let mut starts = vec![0];
    for piece in Pieces::new(line) {
        if let Some(ink) = hidden(piece.class) {
            painter.add(piece.span, ink);
        } else if piece.class == Class::Newline && piece.is_outside() {
            // A line continues the line above unless it begins with a command.
            let word = text[piece.span.end..].split_whitespace().next();
            starts.extend(word.and_then(command).map(|_| piece.span.end));
        }
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    for (start, end) in starts.iter().copied().zip(ends) {
        painter.command(start..end);
    }
    painter.brackets(cursor);
    painter.painted.sort_by_key(|part| part.span.start);
    painter.painted
}

/// Returns the ink of a piece that hides its words.
fn hidden(class: Class) -> Option<Ink> {
    match class {
        Class::Comment => Some(Ink::Comment),
        Class::Quoted => Some(Ink::Quoted),
        _ => None,
    }
}

struct Painter<'p> {
    /// The line, with hidden pieces replaced by spaces.
    text: &'p str,
    vocabulary: &'p Vocabulary,
    painted: Vec<Painted>,
}

impl Painter<'_> {
    fn add(&mut self, span: Span, ink: Ink) {
        self.painted.push(Painted { span, ink });
    }

    fn command(&mut self, span: Span) {
        let part = &self.text[span.clone()];
        let Some(word) = part.split_whitespace().next() else {
            return;
        };
        let start = span.end - part.trim_start().len();
        let end = start + word.len();
        let name = word.strip_prefix(':').unwrap_or(word);
        if let Some(command) = command(name) {
            self.add(end - name.len()..end, Ink::Command);
            self.arguments(command, end..span.end);
        } else if end < span.end || !COMMANDS.iter().any(|c| c.name.starts_with(name)) {
            self.add(start..end, Ink::Unknown);
        }
    }

    fn arguments(&mut self, command: &Command, span: Span) {
        let part = &self.text[span.clone()];
        match command.name {
            "let" => {
                let Some((target, value)) = part.split_once('=') else {
                    return;
                };
                let name = target.trim();
                let start = span.start + target.len() - target.trim_start().len();
                self.add(start..start + name.len(), Ink::Map);
                let word = value.split_whitespace().next();
                let value = span.end - value.len()..span.end;
                match word.and_then(affinor_commands::command) {
                    Some(_) => self.command(value),
                    None => self.formula(value, true),
                }
            }
            "time" => match part.trim() {
                "on" | "off" | "" => {}
                _ => self.command(span),
            },
            _ => {
                let takes_map = command.parameters.iter().any(|p| p.kind == Kind::Map);
                let takes_rest = command.takes_rest();
                let text = self.between_switches(command, span);
                if takes_map || takes_rest {
                    self.formula(text, takes_map);
                }
            }
        }
    }

    /// Paints the `--options`, known to the command or not. Returns the text after the leading options, up to the next option.
    fn between_switches(&mut self, command: &Command, span: Span) -> Span {
        let mut text = span.clone();
        let mut is_in_front = true;
        for word in runs(self.text, span, Piece::is_space) {
            let Some(rest) = self.text[word.clone()]
                .strip_prefix("--")
                .filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
            else {
                is_in_front = false;
                continue;
            };
            match is_in_front {
                true => text.start = word.end,
                false => text.end = text.end.min(word.start),
            }
            let is_name = |c: char| c.is_alphanumeric() || c == '-';
            let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
            let end = word.start + 2 + name.len();
            let is_typed = end == self.text.len();
            let known = command
                .switches()
                .any(|option| option.name == name || is_typed && option.name.starts_with(name));
            let ink = if known { Ink::Switch } else { Ink::Unknown };
            self.add(word.start..end, ink);
        }
        text
    }

    /// Paints maps separated by `;`, or a statement, in which any name may occur.
    fn formula(&mut self, span: Span, is_map: bool) {
        let mut words = Vec::new();
        let mut tokens = Tokens::new(&self.text[span.clone()]);
        while tokens.token() != Token::End {
            let place = tokens.span();
            let place = span.start + place.start..span.start + place.end;
            words.push((tokens.token(), tokens.word(), place));
            tokens.advance();
        }
        // The separator `;`, and for some commands `and`.
        let is_and = |token, word| is_map && token == Token::Name && word == "and";
        for (token, word, place) in &words {
            if is_and(*token, *word) {
                self.add(place.clone(), Ink::Keyword);
            }
        }
        for map in
            words.split(|(token, word, _)| *token == Token::Semicolon || is_and(*token, *word))
        {
            let arrow = map.iter().position(|(token, ..)| *token == Token::Arrow);
            let head = map[..arrow.unwrap_or(0)].iter();
            let variables = head.filter(|(token, ..)| *token == Token::Name);
            let variables: Vec<&str> = variables.map(|(_, name, _)| *name).collect();
            let has_bracket = map.iter().any(|(token, ..)| *token == Token::LeftParen);
            for (token, word, place) in map {
                let is_typed = place.end == self.text.len();
                let begins = |name: &&str| name.starts_with(word);
                let ink = match token {
                    Token::Integer => Ink::Number,
                    Token::Name if !is_map => match *word {
                        "and" | "or" | "not" => Ink::Keyword,
                        word if PARTS.contains(&word) => Ink::Keyword,
                        _ => continue,
                    },
                    Token::Name if variables.contains(word) => Ink::Variable,
                    Token::Name if arrow.is_some() => {
                        let mut known = variables.iter().chain(&OPERATIONS).chain(&["domain"]);
                        match is_typed && known.any(begins) {
                            true => continue,
                            false => Ink::Unknown,
                        }
                    }
                    Token::Name if has_bracket => continue, // a variable of a map whose arrow is not typed yet
                    Token::Name if self.vocabulary.is_map(word) => Ink::Map,
                    Token::Name if is_typed && self.vocabulary.begins_map(word) => continue,
                    Token::Name => Ink::Unknown,
                    token if token.is_keyword() => Ink::Keyword,
                    _ => continue,
                };
                self.add(place.clone(), ink);
            }
        }
    }

    /// Paints brackets that close nothing, and the partner of the bracket at the cursor.
    fn brackets(&mut self, cursor: usize) {
        let mut open: Vec<(&str, Span)> = Vec::new();
        for piece in Pieces::new(self.text) {
            let span = piece.span;
            let opening = match &self.text[span.clone()] {
                bracket @ ("(" | "[" | "{") => {
                    open.push((bracket, span));
                    continue;
                }
                ")" => "(",
                "]" => "[",
                "}" => "{",
                _ => continue,
            };
            let is_near = |place: &Span| place.start == cursor || place.end == cursor;
            match open.pop_if(|(bracket, _)| *bracket == opening) {
                None => self.add(span, Ink::Unknown),
                Some((_, partner)) if is_near(&span) || is_near(&partner) => {
                    self.add(partner, Ink::Partner);
                    self.add(span, Ink::Partner);
                }
                Some(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the painted parts, each with the first letter of its ink.
    #[track_caller]
    fn check(line: &str, cursor: usize, expected: &str) {
        let vocabulary = Vocabulary { maps: ["apple".to_owned()].into(), ..Vocabulary::default() };
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
        check("show (row) -> (row flo", far, "Command:show Variable:row Variable:row");
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
        check("simplify apple --chekc 1", far, "Command:simplify Map:apple Unknown:--chekc");
        check(
            "prove x mod 4 = y where x >= 0",
            far,
            "Command:prove Keyword:mod Number:4 Keyword:where Number:0",
        );
        check("rule a: x mod c => x constant c", far, "Command:rule Keyword:mod Keyword:constant");
        check("hlo a/b.hlo --check", far, "Command:hlo Switch:--check");
        check("help\nshow apple", far, "Command:help Command:show Map:apple");
        check("hlo \"(a\"", far, "Command:hlo Quoted:\"(a\"");
        check("time show apple", far, "Command:time Command:show Map:apple");
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
