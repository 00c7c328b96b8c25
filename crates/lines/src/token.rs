//! A command as a stream of pieces: words, quoted texts, comments, and brackets with their depth.
//!
//! Only this module decides whether a newline ends a command, whether a `;` separates arguments, and which text is hidden by
//! a comment. It never rejects a text: unbalanced brackets are reported by the parser.

use affinor::text::token::attribute_length;
use affinor::text::{Span, is_name};
use logos::{Lexer, Logos};

/// The class of a piece of a command.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A run of other characters: a name, `--option`, or operators.
    #[regex("[^ \t\r\n\x0c\"#()\\[\\]{}<>=,;|]+")]
    Word,
    /// Spaces without a newline.
    #[regex("[ \t\r\x0c]+")]
    Space,
    /// A newline.
    #[token("\n")]
    Newline,
    /// A quoted text, which ends with its line if it is not closed.
    #[regex("\"[^\"\n]*\"?")]
    Quoted,
    /// `#` up to the end of the line, with the exceptions of [`attribute_length`].
    #[token("#")]
    Comment,
    /// `( [ {`, and `<` directly after the name of an MLIR map or set (`affine_map<`).
    #[regex("[(\\[{<]")]
    Open,
    /// `) ] }`, and a `>` that closes a `<`; within other brackets `>` is a comparison.
    #[regex("[)\\]}>]")]
    Close,
    /// `=`
    #[token("=")]
    Equals,
    /// `,`
    #[token(",")]
    Comma,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `|`
    #[token("|")]
    Bar,
}

/// A piece of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The class.
    pub class: Class,
    /// The position.
    pub span: Span,
    /// The number of open brackets around the piece; a bracket is within itself.
    pub depth: usize,
}

impl Piece {
    /// Checks whether the piece is outside all brackets, quoted texts and comments.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        self.depth == 0 && !matches!(self.class, Class::Quoted | Class::Comment)
    }

    /// Checks whether the piece is a space or a newline.
    #[must_use]
    pub fn is_space(&self) -> bool {
        matches!(self.class, Class::Space | Class::Newline)
    }
}

/// The open brackets, the innermost last: for each, whether it is a `<`.
pub type Brackets = Vec<bool>;

/// The pieces of a text, which cover it without gaps.
///
/// Pieces are produced lazily: whatever the length of the text, only open brackets are stored.
#[derive(Clone)]
pub struct Pieces<'t> {
    lexer: Lexer<'t, Class>,
    open: Brackets,
}

impl<'t> Pieces<'t> {
    /// Creates the pieces of `text`.
    #[must_use]
    pub fn new(text: &'t str) -> Pieces<'t> {
        Pieces::going_on(text, Vec::new())
    }

    /// Creates the pieces of `text`, before which these brackets are open.
    #[must_use]
    pub fn going_on(text: &'t str, open: Brackets) -> Pieces<'t> {
        let lexer = Class::lexer(text);
        Pieces { lexer, open }
    }

    /// Returns the brackets that are open after all pieces.
    #[must_use]
    pub fn open_at_end(mut self) -> Brackets {
        self.by_ref().for_each(drop);
        self.open
    }
}

/// Lines of the preprocessor of C that are part of a text, not comments.
const PREPROCESSOR: [&str; 6] = ["#define ", "#if ", "#ifdef ", "#ifndef ", "#else\n", "#endif"];

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let mut class = self.lexer.next()?.unwrap_or(Class::Word);
        let before = self.open.len();
        let (above, rest) = self.lexer.source().split_at(self.lexer.span().start);
        let previous = above.bytes().next_back().unwrap_or(b'\n');
        match (class, self.lexer.slice()) {
            (Class::Open, "<") if !is_name_byte(previous) || !is_type(above) => class = Class::Word,
            (Class::Open, bracket) => self.open.push(bracket == "<"),
            (Class::Close, ">") if previous == b'-' || self.open.last() != Some(&true) => {
                class = Class::Word;
            }
            (Class::Close, _) => _ = self.open.pop(),
            (Class::Comment, _) if PREPROCESSOR.iter().any(|word| rest.starts_with(word)) => {
                class = Class::Word;
                let line = rest.find('\n').unwrap_or(rest.len());
                self.lexer.bump(line - 1);
            }
            (Class::Comment, _) => {
                let attribute = attribute_length(rest)
                    .or_else(|| part_length(above, rest))
                    .or_else(|| layout_length(self.lexer.source(), rest));
                if attribute.is_some() {
                    class = Class::Word;
                }
                let line = || rest.find('\n').unwrap_or(rest.len());
                self.lexer.bump(attribute.unwrap_or_else(line) - 1); // after the `#`
            }
            _ => {}
        }
        Some(Piece { class, span: self.lexer.span(), depth: before.max(self.open.len()) })
    }
}

/// Returns the runs of letters, digits and `_` in a text: names, keywords and numbers.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Returns the [`identifiers`] of a text that may be names.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    identifiers(text).filter(|word| is_name(word))
}

/// Returns the length of the name of a Triton layout, `#blocked`, in a text with an attribute of the Triton dialect.
fn layout_length(text: &str, rest: &str) -> Option<usize> {
    let has_dialect = ["#ttg.", "#triton_gpu."].iter().any(|dialect| text.contains(dialect));
    let name = rest.strip_prefix('#').filter(|_| has_dialect)?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = name.find(|c| !is_part(c)).unwrap_or(name.len());
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(length + 1)
}

/// Returns the length of `#1` after the name of a value, as in `%0#1`.
fn part_length(above: &str, rest: &str) -> Option<usize> {
    let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
    let is_value = above.trim_end_matches(is_part).ends_with('%') && !above.ends_with('%');
    (digits > 0 && is_value).then_some(digits + 1)
}

/// Checks whether a newline at the end of `text` ends the command: no bracket is open there.
#[must_use]
pub fn is_complete(text: &str) -> bool {
    Pieces::new(text).open_at_end().is_empty()
}

/// Returns the pieces of a part of `text`, at whose start no bracket is open.
fn pieces_of(text: &str, part: Span) -> Pieces<'_> {
    let mut pieces = Pieces::new(text.get(..part.end).unwrap_or(text));
    pieces.lexer.bump(part.start);
    pieces
}

/// Iterates over the maximal runs of pieces in a part of `text` without gaps.
pub fn runs(text: &str, part: Span, is_gap: impl Fn(&Piece) -> bool) -> impl Iterator<Item = Span> {
    let mut pieces = pieces_of(text, part);
    std::iter::from_fn(move || {
        let mut run = pieces.by_ref().find(|piece| !is_gap(piece))?.span;
        let more = pieces.by_ref().take_while(|piece| !is_gap(piece));
        run.end = more.last().map_or(run.end, |last| last.span.end);
        Some(run)
    })
}

/// Iterates over the words outside all brackets, quoted texts and comments in a part of `text`.
pub fn words(text: &str, part: Span) -> impl Iterator<Item = Span> {
    runs(text, part, |piece| !piece.is_outside() || piece.is_space())
}

/// Splits a part of `text` at the pieces of this class outside all brackets, quoted texts and comments.
pub fn split(text: &str, part: Span, class: Class) -> Vec<Span> {
    let mut spans = vec![part.clone()];
    let separates = |piece: &Piece| piece.class == class && piece.is_outside();
    for separator in pieces_of(text, part.clone()).filter(separates) {
        if let Some(last) = spans.last_mut() {
            last.end = separator.span.start;
        }
        spans.push(separator.span.end..part.end);
    }
    spans
}

/// Returns the trimmed parts of a list; commas in brackets and strings separate nothing.
#[must_use]
pub fn listed(text: &str) -> Vec<&str> {
    split(text, 0..text.len(), Class::Comma).into_iter().map(|span| text[span].trim()).collect()
}

/// Returns `text` with its hidden pieces replaced by spaces; the length is unchanged, so that offsets agree.
#[must_use]
pub fn without(text: &str, is_hidden: impl Fn(Class) -> bool) -> String {
    let mut kept = String::with_capacity(text.len());
    for Piece { class, span, .. } in Pieces::new(text) {
        match is_hidden(class) {
            true => kept.extend(span.map(|_| ' ')),
            false => kept.push_str(text.get(span).unwrap_or("")),
        }
    }
    kept
}

/// Checks whether the text ends with the name of a type or attribute, after which `<` is a bracket.
fn is_type(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '#' | '!');
    let start = text.len()
        - text.chars().rev().take_while(|c| is_part(*c)).map(char::len_utf8).sum::<usize>();
    let name = text.get(start..).unwrap_or(text);
    let names = [
        "affine_map",
        "affine_set",
        "memref",
        "strided",
        "tensor",
        "vector",
        "Swizzle",
        "static_cast",
    ];
    names.contains(&name) || name.starts_with(['#', '!'])
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
        check_complete("%1 = stablehlo.add(%0#1, %0#2", false);
        check_complete("%1 = stablehlo.add(%0#1, %0#2)", true);
        check_complete("(i %2#1", false);
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

    #[test]
    fn pieces_know_their_depth() {
        let text = "é;(a #map<\n\"b\"[])\n#map ; > # c";
        let found: Vec<_> =
            Pieces::new(text).map(|piece| (&text[piece.span], piece.class, piece.depth)).collect();
        assert_eq!(
            found,
            [
                ("é", Class::Word, 0),
                (";", Class::Semicolon, 0),
                ("(", Class::Open, 1),
                ("a", Class::Word, 1),
                (" ", Class::Space, 1),
                ("#map<", Class::Comment, 1),
                ("\n", Class::Newline, 1),
                ("\"b\"", Class::Quoted, 1),
                ("[", Class::Open, 2),
                ("]", Class::Close, 2),
                (")", Class::Close, 1),
                ("\n", Class::Newline, 0),
                ("#map", Class::Word, 0),
                (" ", Class::Space, 0),
                (";", Class::Semicolon, 0),
                (" ", Class::Space, 0),
                (">", Class::Word, 0),
                (" ", Class::Space, 0),
                ("# c", Class::Comment, 0),
            ]
        );
    }

    #[test]
    fn words_and_parts_stand_outside() {
        let text = "show a(b c)d \"e\" ; #map1 # ; f\n;";
        let cut = |spans: Vec<Span>| -> Vec<&str> { spans.into_iter().map(|s| &text[s]).collect() };
        let words = words(text, 4..text.len()).collect();
        assert_eq!(cut(words), ["a", "d", ";", "#map1", ";"]);
        let parts = split(text, 4..text.len(), Class::Semicolon);
        assert_eq!(cut(parts), [" a(b c)d \"e\" ", " #map1 # ; f\n", ""]);
    }

    #[test]
    fn what_is_hidden_becomes_spaces_of_the_same_length() {
        let check = |text: &str, expected: &str| {
            assert_eq!(without(text, |class| class == Class::Comment), expected);
        };
        check("a # é\nb", "a     \nb");
        check("\"#\" é#", "\"#\" é ");
    }
}
