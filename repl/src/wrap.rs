//! Wraps lines between words, so that the terminal does not break them within a word.

use affinor_commands::{Role, Text};

/// The minimum width at which wrapping helps.
const LEAST: usize = 20;

/// The additional indentation of a continuation line.
const HANG: usize = 2;

/// The minimum number of columns of a line that was broken because it was full.
const FULL: usize = 96;

/// Returns the text with lines of at most `width` columns, as far as spaces allow it; `None` if nothing needs wrapping, or
/// the text has a picture. A continuation line is indented by two more than its line.
pub fn wrapped(text: &Text, width: usize) -> Option<Text> {
    let is_picture = |role: Role| matches!(role, Role::Tile(_) | Role::Read);
    let is_long = text.to_string().lines().any(|line| line.chars().count() > width);
    if width < LEAST || !is_long || text.pieces().any(|(role, _)| is_picture(role)) {
        return None;
    }
    let mut broken = Text::new();
    let mut state = State { hang: HANG, ..State::default() };
    for (role, piece) in text.pieces() {
        let mut out = String::new();
        let flowing = (role == Role::Prose).then(|| flowing(piece));
        state.hang = if flowing.is_some() { 0 } else { HANG };
        for word in words(flowing.as_deref().unwrap_or(piece)) {
            state.put(word, width, &mut out);
        }
        broken.push(role, out);
    }
    Some(broken)
}

/// Wraps the lines of an error, with or without colours, in the same way.
pub fn wrapped_lines(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut state = State { hang: HANG, ..State::default() };
    let is_wide = width >= LEAST;
    for word in words(text) {
        state.put(word, if is_wide { width } else { usize::MAX }, &mut out);
    }
    out
}

/// Joins lines at which sentences were broken: those after a line of some length, and before a line that is neither indented
/// nor a row of a table.
fn flowing(text: &str) -> String {
    let is_table = |line: &str| line.trim_start().contains("  ");
    let mut flowing = String::new();
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        flowing.push_str(line);
        let Some(next) = lines.peek() else {
            break;
        };
        let is_broken = line.chars().count() >= FULL
            && !line.ends_with([':', ';'])
            && !line.starts_with(' ')
            && !next.is_empty()
            && !next.starts_with(' ')
            && !is_table(line)
            && !is_table(next);
        flowing.push(if is_broken { ' ' } else { '\n' });
    }
    flowing
}

/// Returns the number of columns of a word: its characters, without colour codes.
fn columns(word: &str) -> usize {
    let mut is_code = false;
    let shown = word.chars().filter(|letter| {
        let is_shown = !is_code && *letter != '\u{1b}';
        is_code = (is_code || *letter == '\u{1b}') && *letter != 'm';
        is_shown
    });
    shown.count()
}

/// Iterates over runs of spaces, newlines, and the words between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let kind = |c: char| match c {
            '\n' => 0,
            ' ' => 1,
            _ => 2,
        };
        let end = match first {
            '\n' => 1,
            _ => rest.find(|c| kind(c) != kind(first)).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// The position of the next word.
#[derive(Default)]
struct State {
    /// The additional indentation of a continuation line.
    hang: usize,
    column: usize,
    indent: usize,
    has_word: bool,
    /// The number of spaces that are written once a word follows in the line.
    spaces: usize,
}

impl State {
    fn put(&mut self, word: &str, width: usize, out: &mut String) {
        let length = columns(word);
        if word == "\n" {
            *self = State { hang: self.hang, ..State::default() };
            out.push('\n');
            return;
        }
        if word.starts_with(' ') {
            self.spaces += length;
            return;
        }
        if !self.has_word {
            self.indent = self.spaces.min(width / 2);
        }
        if self.has_word && self.spaces > 0 && self.column + self.spaces + length > width {
            let indent = self.indent + self.hang;
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            self.column = indent;
        } else {
            out.extend(std::iter::repeat_n(' ', self.spaces));
            self.column += self.spaces;
        }
        out.push_str(word);
        self.column += length;
        self.spaces = 0;
        self.has_word = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, width: usize, expected: &str) {
        let text = Text::of(Role::Plain, text);
        let found = wrapped(&text, width).unwrap_or(text);
        assert_eq!(found.to_string(), expected);
        assert!(
            found.to_string().lines().all(|line| line.len() <= width || !line.trim().contains(' '))
        );
    }

    #[test]
    fn lines_break_between_words() {
        check("short", 20, "short");
        check(
            "a line that is longer than its screen",
            20,
            "a line that is\n  longer than its\n  screen",
        );
        check("  indented text that goes on", 20, "  indented text that\n    goes on");
        check("averylongwordthatcannotbebroken x", 20, "averylongwordthatcannotbebroken\n  x");
        check("one\ntwo words and more of them", 20, "one\ntwo words and more\n  of them");
    }

    #[test]
    fn sentences_of_a_page_flow() {
        let full = "word ".repeat(20);
        let text =
            format!("{}\nends here.\nA new line.\n  {}\nlast", full.trim_end(), full.trim_end());
        let found = wrapped(&Text::of(Role::Prose, text.clone()), 52).expect("it is too long");
        let half = "word ".repeat(10);
        let half = half.trim_end();
        let indented = format!("  {half}\n  {half}");
        assert_eq!(
            found.to_string(),
            format!("{half}\n{half}\nends here.\nA new line.\n{indented}\nlast")
        );
        assert_eq!(wrapped(&Text::of(Role::Prose, text), 200), None);
    }

    #[test]
    fn codes_of_colours_take_no_columns() {
        let text = "\u{1b}[1;31merror[name]\u{1b}[0m: there is none\n  | (a) |\n";
        let expected = "\u{1b}[1;31merror[name]\u{1b}[0m: there is\n  none\n  | (a) |\n";
        assert_eq!(wrapped_lines(text, 22), expected);
        assert_eq!(wrapped_lines(text, 26), text);
        assert_eq!(wrapped_lines(text, 2), text); // too narrow to wrap
    }

    #[test]
    fn pieces_keep_their_roles() {
        let text = Text::of(Role::Name, "0123456789").with(Role::Faint, " 0123456789 abc");
        let found = wrapped(&text, 20).expect("it is too long");
        let pieces: Vec<_> = found.pieces().collect();
        assert_eq!(pieces, [(Role::Name, "0123456789"), (Role::Faint, "\n  0123456789 abc")]);
    }

    #[test]
    fn pictures_are_left_alone() {
        assert_eq!(wrapped(&Text::of(Role::Tile(1), "0 1 2 ".repeat(9)), 20), None);
    }
}
