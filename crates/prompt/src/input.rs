//! Splits the input of a prompt into commands.

use affinor::text::Error;
use affinor_commands::{self as command, Splitter};

/// The state of a conversation, which splits each entry into commands.
#[derive(Default)]
pub struct Conversation {
    splitter: Splitter,
    tours: bool,
}

impl Conversation {
    /// Returns the commands of an entry, which may be pasted text of many lines, in order, with an error for each command
    /// that is too large. After a page of the tour, an empty entry shows the next page.
    pub fn enter(&mut self, text: &str) -> Vec<Result<String, Error>> {
        let text = match text.trim().is_empty() && self.tours {
            true => "tour",
            false => text,
        };
        self.tours = text.trim() == "tour" || (self.tours && text.trim() == "tour next");
        let mut entered = Vec::new();
        for line in commands(text) {
            match self.splitter.push(&line) {
                Ok(script) => entered.extend(script.map(|script| Ok(script.text))),
                Err(error) => entered.push(Err(error)),
            }
        }
        entered.extend(self.splitter.finish().map(|script| Ok(script.text)));
        entered
    }
}

/// Splits input into commands. Pasted text may span several lines without an open bracket, like domains that XLA prints: a
/// line that begins with no command continues the line above, and so does an indented line after a `rule`, whose hints may
/// begin with `let`.
fn commands(text: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let word = line.split_whitespace().next().unwrap_or("");
        match commands.last_mut() {
            Some(above)
                if goes_on_with(above, line, word)
                    || (command::may_go_on(above) && command::is_indented(line)) =>
            {
                above.push('\n');
                above.push_str(line);
            }
            _ => commands.push(line.to_owned()),
        }
    }
    commands
}

/// Checks whether this line, with this first word, continues pasted text. Statements of code are separate lines, as in a
/// script; other text continues in each line that begins with no command.
fn goes_on_with(above: &str, line: &str, word: &str) -> bool {
    if command::is_open(above) || command::belongs_below(above, line) {
        return true;
    }
    let after = line.split_once(word).map_or("", |(_, after)| after);
    let begins = command::command(word).is_some() && !command::is_no_argument(after);
    !begins && !command::is_statement(above)
}

#[cfg(test)]
mod tests {
    use super::{Conversation, commands};

    #[test]
    fn an_empty_entry_goes_on_with_the_tour_alone() {
        let mut conversation = Conversation::default();
        for (entry, expected) in [
            ("", &[][..]),
            ("tour", &["tour"]),
            ("", &["tour"]),
            ("show a", &["show a"]),
            (" ", &[]),
            ("tour next", &["tour next"]),
            ("", &[]),
            ("let a = (i) ->\n (i)\nshow a", &["let a = (i) ->\n (i)", "show a"]),
        ] {
            let entered = conversation.enter(entry).into_iter();
            let entered: Vec<String> = entered.map(|text| text.unwrap_or_default()).collect();
            assert_eq!(entered, expected, "{entry:?}");
        }
    }

    #[test]
    fn pasted_text_splits_before_commands() {
        for (text, expected) in [
            ("simplify (i) -> (i)\nhelp", &["simplify (i) -> (i)", "help"][..]),
            (
                "simplify (i) -> (i)\ndomain:\ni in [0, 9]",
                &["simplify (i) -> (i)\ndomain:\ni in [0, 9]"],
            ),
            ("simplify (i,\nj) -> (i)", &["simplify (i,\nj) -> (i)"]),
            ("x = a // 4\ny = x * 4", &["x = a // 4", "y = x * 4"]),
            ("", &[""]),
        ] {
            assert_eq!(commands(text), expected, "{text:?}");
        }
    }
}
