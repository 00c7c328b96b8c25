//! Which bytes of a command count: brackets, quoted texts and comments.
//!
//! The one place that knows when a newline ends a command, where `;` separates arguments and what a
//! comment hides (but see [`attribute_length`] on which `#` begins none). It never rejects anything: an unbalanced bracket is for the parser to report.

use crate::text::token::attribute_length;

/// Follows brackets and quotes through a text, byte by byte.
///
/// Brackets are `( [ {`, and `<` directly after a name (`affine_map<`), where a `>` inside of other brackets is a
/// comparison. A `"` opens a quoted text, which ends at the next `"` or at the end of the line. `#` outside a quoted text
/// starts a comment, which ends at the end of the line.
#[derive(Clone, Default, Debug)]
pub struct Scanner {
    depth: u64,
    /// The depths at which a `<` was opened.
    angles: Vec<u64>,
    in_quotes: bool,
    in_comment: bool,
    previous: u8,
}

/// What one byte is to a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Outside all brackets, quoted texts and comments.
    Outside,
    /// A bracket, or inside one.
    Bracketed,
    /// A quote, or inside a quoted text.
    Quoted,
    /// Part of a comment; its newline is not.
    Comment,
}

impl Scanner {
    /// A scanner at the start of a command.
    #[must_use]
    pub fn new() -> Scanner {
        Scanner::default()
    }

    /// Is a bracket open?
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Takes the byte of `text` at `position`, the next one, and says what it is.
    pub fn step(&mut self, text: &str, position: usize) -> Class {
        let byte = text.as_bytes()[position];
        let previous = std::mem::replace(&mut self.previous, byte);
        if byte == b'\n' {
            self.in_comment = false;
            self.in_quotes = false;
        } else if self.in_comment {
            return Class::Comment;
        } else if byte == b'"' {
            self.in_quotes = !self.in_quotes;
            return Class::Quoted;
        } else if self.in_quotes {
            return Class::Quoted;
        } else if byte == b'#' && attribute_length(&text[position..]).is_none() {
            self.in_comment = true;
            return Class::Comment;
        }
        let was_open = self.is_open();
        match byte {
            b'(' | b'[' | b'{' => self.depth += 1,
            b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            b'<' if is_name_byte(previous) => {
                self.depth += 1;
                self.angles.push(self.depth);
            }
            b'>' if previous != b'-' && self.angles.last() == Some(&self.depth) => {
                self.depth -= 1;
            }
            _ => {}
        }
        while self.angles.last().is_some_and(|depth| *depth > self.depth) {
            self.angles.pop();
        }
        if was_open || self.is_open() {
            Class::Bracketed
        } else {
            Class::Outside
        }
    }
}

/// Does a newline at the end of `text` end the command? No if a bracket is open there.
#[must_use]
pub fn is_complete(text: &str) -> bool {
    let mut scanner = Scanner::new();
    for position in 0..text.len() {
        scanner.step(text, position);
    }
    !scanner.is_open()
}

/// The bytes of `text` that stand outside brackets, quoted texts and comments; spaces in the place
/// of the others. As long as `text`, so that offsets agree.
#[must_use]
pub fn outline(text: &str) -> Vec<u8> {
    let outside = |(byte, class)| match class {
        Class::Outside => byte,
        Class::Bracketed | Class::Quoted | Class::Comment => b' ',
    };
    text.bytes().zip(classes(text)).map(outside).collect()
}

/// What each byte of `text` is.
#[must_use]
pub fn classes(text: &str) -> Vec<Class> {
    let mut scanner = Scanner::new();
    (0..text.len())
        .map(|position| scanner.step(text, position))
        .collect()
}

/// `text` with spaces in the place of its comments; as long as `text`, so that offsets agree.
#[must_use]
pub fn without_comments(text: &str) -> String {
    let classes = classes(text);
    let mut kept = String::with_capacity(text.len());
    for (position, character) in text.char_indices() {
        if classes[position] == Class::Comment {
            kept.extend(std::iter::repeat_n(' ', character.len_utf8()));
        } else {
            kept.push(character);
        }
    }
    kept
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_complete(text: &str, expected: bool) {
        assert_eq!(is_complete(text), expected, "{text:?}");
    }

    #[test]
    fn a_newline_ends_a_command_unless_a_bracket_is_open() {
        check_complete("simplify a", true);
        check_complete("let a = (d0,", false);
        check_complete("let a = (d0,\n d1) -> (d0)", true);
        check_complete("let a = [d0", false);
        check_complete("let a = {d0", false);
        check_complete("let a = affine_map<(d0) ->", false);
        check_complete("let a = affine_map<(d0) -> (d0)>", true);
        check_complete("let a = affine_map<(d0)[s0] -> (d0)", false);
        check_complete("show affine_set<(d0) : (d0 >= 0)", false);
        check_complete("show affine_set<(d0) : (d0 >= 0, d0 > 1)>", true);
        check_complete("show #xla.indexing_map<\"(d0)", false);
        check_complete("show #xla.indexing_map<(d0) -> (d0)>", true);
        check_complete("show # xla.indexing_map<(d0)", true);
    }

    #[test]
    fn brackets_in_comments_and_quoted_texts_are_not_brackets() {
        check_complete("help # (", true);
        check_complete("simplify (d0 # )", false);
        check_complete("hlo \"a(b\"", true);
        check_complete("hlo \"a(b", true); // the quoted text ends with its line
        check_complete("hlo \"a#b\" (", false);
    }

    #[test]
    fn unbalanced_closing_brackets_close_nothing() {
        check_complete(")", true);
        check_complete(")(", false);
        check_complete("(]", true);
        check_complete("d0 < d1", true);
        check_complete("->>", true);
    }

    #[track_caller]
    fn check_outline(text: &str, expected: &str) {
        assert_eq!(
            String::from_utf8_lossy(&outline(text)),
            expected,
            "{text:?}"
        );
    }

    #[test]
    fn an_outline_keeps_what_stands_outside() {
        check_outline(
            "a ; (b ; c) ; \"d ; e\" # f ;",
            "a ;         ;              ",
        );
        check_outline("é;(é)", "é;    ");
        check_outline("#map ; #map1 # map", "#map ; #map1      ");
    }

    #[test]
    fn comments_become_spaces_of_the_same_length() {
        assert_eq!(without_comments("a # é\nb"), "a     \nb");
        assert_eq!(without_comments("\"#\" é#"), "\"#\" é ");
    }
}
