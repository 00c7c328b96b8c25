//! The text of a command, for the positions of its errors.

use affinor::text::render::{self, Look, Source};
use affinor_commands::{Failure, Place};

/// The source of the running command.
#[derive(Clone, Default)]
pub struct Given {
    /// The path; `-` if the text is not from a file.
    pub name: String,
    /// The command.
    pub text: String,
    /// The 1-based number of its first line.
    pub first_line: usize,
    /// The words of a command with separate arguments.
    pub words: Vec<String>,
}

impl Given {
    /// Creates the source of a command that was entered at a prompt.
    #[must_use]
    pub fn entered(text: &str) -> Given {
        let (name, text) = ("-".to_owned(), text.to_owned());
        Given { name, text, first_line: 1, words: Vec::new() }
    }

    /// Returns the text that a failure of this command points into.
    #[must_use]
    pub fn source<'g>(&'g self, failure: &'g Failure) -> Source<'g> {
        let (name, text, first_line) = match &failure.place {
            Place::Command => (&self.name, self.text.as_str(), self.first_line),
            Place::Argument(number) => {
                let word = number.checked_sub(1).and_then(|index| self.words.get(index));
                return Source {
                    name: "-",
                    text: word.map_or(self.text.as_str(), String::as_str),
                    first_line: 1,
                };
            }
            Place::Source(source) => (&source.name, &*source.text, source.first_line),
        };
        Source { name, text, first_line }
    }

    /// Renders a failure as text. A typed command is already on the line above, so only the column is reported; lines of a
    /// file are quoted.
    #[must_use]
    pub fn rendered(&self, failure: &Failure, look: Look) -> String {
        let render = match failure.place {
            Place::Command | Place::Argument(_) => render::render_line,
            Place::Source(_) => render::render_text,
        };
        render(&failure.error, &self.source(failure), look)
    }
}
