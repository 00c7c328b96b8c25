//! Splits a stream of lines into commands.
//!
//! A newline ends a command unless a bracket is open, or the command is `rule` and the next line is indented; lines with only
//! spaces and comments are not commands. Lines are processed as they arrive, so a program at the other end of a pipe gets
//! each answer before it sends the next command. The answer to a `rule` comes once the rule has its purpose, or with the next
//! line, which may be empty.

use super::bare::goes_on;
use super::token::{Brackets, Class, Pieces};
use affinor::text::{Error, ErrorKind};

/// The maximum size of a command, in bytes.
pub const MAX_COMMAND_BYTES: usize = 64 << 20;

/// A command with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// The command as written, comments included.
    pub text: String,
    /// 1-based number of its first line.
    pub first_line: usize,
}

/// Checks whether the command that begins with `above` may continue in an indented line, as a `rule` may until it has its
/// purpose.
#[must_use]
pub fn may_go_on(above: &str) -> bool {
    let text = above.trim_start();
    let text = text.strip_prefix(':').unwrap_or(text);
    let begins = text
        .strip_prefix("rule")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n']));
    let quoted = Pieces::new(above).filter(|piece| piece.class == Class::Quoted);
    let quotes = quoted.map(|piece| above[piece.span].matches('"').count());
    begins && quotes.sum::<usize>() < 2
}

/// Checks whether this line continues a `rule` above it.
#[must_use]
pub fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t']) && !line.trim().is_empty()
}

/// Collects lines until they form a command.
#[derive(Debug)]
pub struct Splitter {
    pending: String,
    first_line: usize,
    next_line: usize,
    has_content: bool,
    open: Brackets,
}

impl Default for Splitter {
    fn default() -> Splitter {
        Splitter::new()
    }
}

impl Splitter {
    /// Creates a splitter before line 1.
    #[must_use]
    pub fn new() -> Splitter {
        Splitter {
            pending: String::new(),
            first_line: 1,
            next_line: 1,
            has_content: false,
            open: Brackets::new(),
        }
    }

    /// Returns the 1-based number of the next line.
    #[must_use]
    pub fn next_line(&self) -> usize {
        self.next_line
    }

    /// Returns whether the next line is an empty one between commands.
    #[must_use]
    pub fn is_pause(&self, line: &str) -> bool {
        line.trim().is_empty() && self.pending.is_empty()
    }

    /// Adds the next line, without its newline, or several lines that belong together. Returns a command if they complete it.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`] if the command grows beyond [`MAX_COMMAND_BYTES`]; it is dropped.
    pub fn push(&mut self, line: &str) -> Result<Option<Script>, Error> {
        if self.pending.is_empty() {
            self.first_line = self.next_line;
        } else {
            self.pending.push('\n');
        }
        self.next_line += 1 + line.matches('\n').count();
        if self.pending.len() + line.len() > MAX_COMMAND_BYTES {
            self.restart();
            return Err(too_large());
        }
        if self.pending.is_empty() && is_comment(line) && !says(line) {
            return Ok(None);
        }
        let mut pieces = Pieces::going_on(line, std::mem::take(&mut self.open));
        for piece in pieces.by_ref() {
            let says = piece.class == Class::Comment && says(&line[piece.span.clone()]);
            self.has_content |= (piece.class != Class::Comment || says) && !piece.is_space();
        }
        self.open = pieces.open_at_end();
        self.pending.push_str(line);
        if !self.open.is_empty() || (self.has_content && self.goes_on(line)) {
            return Ok(None);
        }
        Ok(self.finish())
    }

    /// Checks whether the command continues after this line. An empty line ends a command, but not a module.
    fn goes_on(&self, line: &str) -> bool {
        let ends = line.trim().is_empty() && !self.pending.trim_start().starts_with("HloModule");
        !ends && goes_on(&self.pending)
    }

    /// Counts a line that could not be read, and drops the command that it belongs to.
    pub fn skip_line(&mut self) {
        self.next_line += 1;
        self.restart();
    }

    /// Ends the stream: the remaining text is a command, even if a bracket is open.
    pub fn finish(&mut self) -> Option<Script> {
        let complete = self.has_content;
        let text = std::mem::take(&mut self.pending);
        self.restart();
        complete.then_some(Script { text, first_line: self.first_line })
    }

    fn restart(&mut self) {
        self.pending = String::new();
        self.has_content = false;
        self.open = Brackets::new();
    }
}

/// Whether a comment may ask about the code near it, or state a size in it.
fn says(comment: &str) -> bool {
    comment.trim_end().ends_with('?') || comment.contains(|c: char| c.is_ascii_digit())
}

/// Whether a line is a comment of C, from its first letter to its last.
fn is_comment(line: &str) -> bool {
    let line = line.trim();
    let inner = line.strip_prefix("/*").and_then(|line| line.strip_suffix("*/"));
    line.starts_with("//") || inner.is_some_and(|inner| !inner.contains("*/"))
}

/// Creates the error for a command or line beyond [`MAX_COMMAND_BYTES`].
#[must_use]
pub fn too_large() -> Error {
    Error::without_span(
        ErrorKind::TooLarge,
        format!("a command may have at most {} MiB", MAX_COMMAND_BYTES >> 20),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(usize, &str)]) {
        let mut splitter = Splitter::new();
        let mut found = Vec::new();
        for line in text.lines() {
            found.extend(splitter.push(line).unwrap());
        }
        found.extend(splitter.finish());
        let found: Vec<(usize, &str)> =
            found.iter().map(|script| (script.first_line, script.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn one_command_a_line() {
        check("", &[]);
        check("help", &[(1, "help")]);
        check("help\n\n  # nothing\nquit # now\n", &[(1, "help"), (4, "quit # now")]);
    }

    #[test]
    fn a_comment_that_asks_or_states_a_size_is_a_command() {
        check("x = a[i * 4]\n# coalesced?", &[(1, "x = a[i * 4]"), (2, "# coalesced?")]);
        check("# coalesced?\n\nx = a[i]", &[(1, "# coalesced?"), (3, "x = a[i]")]);
        check("// block of 64\na[i] = 0;", &[(1, "// block of 64"), (2, "a[i] = 0;")]);
        check("x = a[i * 4]\n# as above", &[(1, "x = a[i * 4]")]);
        check("// as above\nhelp", &[(2, "help")]);
    }

    #[test]
    fn brackets_join_lines() {
        check(
            "\nlet a = (d0, # first\n  d1) -> (d0)\nshow a",
            &[(2, "let a = (d0, # first\n  d1) -> (d0)"), (4, "show a")],
        );
    }

    #[test]
    fn a_rule_may_go_on_until_it_has_its_purpose() {
        for (text, expected) in [
            ("rule a: x => x", true),
            ("rule", true),
            ("rule\n  a: x => x", true),
            ("  :rule a: x => x", true),
            ("rule a: x => x # say \"a\"", true),
            ("rule a: x => x \"A purpose that", true),
            ("rule a: x => x \"A purpose.\"", false),
            ("rule a: x => x\n  \"A\n  purpose.\"", false),
            ("rules list", false),
            ("ruler", false),
            ("prove x = x", false),
        ] {
            assert_eq!(may_go_on(text), expected, "{text:?}");
        }
        for (line, expected) in
            [("  where x", true), ("\twhere", true), ("where", false), ("  ", false)]
        {
            assert_eq!(is_indented(line), expected, "{line:?}");
        }
    }

    #[test]
    fn an_open_bracket_reaches_to_the_end() {
        check("show (\nhelp", &[(1, "show (\nhelp")]);
    }

    #[test]
    fn a_command_that_is_too_large_is_dropped_and_the_next_one_is_read() {
        let mut splitter = Splitter::new();
        let half = "(".repeat(MAX_COMMAND_BYTES / 2 + 1);
        assert_eq!(splitter.push(&half), Ok(None));
        assert_eq!(splitter.push(&half), Err(too_large()));
        assert_eq!(splitter.push("help"), Ok(Some(Script { text: "help".into(), first_line: 3 })));
    }
}
