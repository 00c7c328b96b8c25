//! The options that every command takes: the form of its answers, for this line only.
//!
//! Law: they change the display only; the settings of the session are the same afterwards.

use super::arguments::Arguments;
use super::failure::Failure;
use super::option::{ASCII, JSON, STYLE, TREES};
use super::output::{Output, Text};
use super::session::Session;
use super::table::Command;
use super::trees::with_trees;
use affinor::text::Style;

/// The form in which the answers of one call are shown.
pub(super) struct Look {
    is_json: bool,
    has_trees: bool,
    is_ascii: bool,
    style: Option<Style>,
}

/// The settings of a session that options override.
pub(super) struct Usual {
    style: Style,
    is_ascii: bool,
}

impl Look {
    /// Reads the options of a call of `command`.
    ///
    /// # Errors
    /// An unknown style.
    pub(super) fn of(command: &Command, arguments: &Arguments) -> Result<Look, Failure> {
        // A command with an option of the same name implements it itself.
        let has =
            |name: &str| arguments.has(name) && !command.options.iter().any(|o| o.name == name);
        let has_trees = has(TREES.switch.name);
        let style = arguments.value(STYLE.switch.name);
        Ok(Look {
            is_json: has(JSON.switch.name) || has_trees,
            has_trees,
            is_ascii: has(ASCII.switch.name),
            style: style.map(|given| STYLE.read(given)).transpose()?,
        })
    }

    /// Checks whether the options change answers.
    pub(super) fn changes_answers(&self) -> bool {
        self.is_json || self.is_ascii
    }

    /// Returns the answer in its displayed form.
    pub(super) fn shown(&self, mut output: Output) -> Output {
        if self.has_trees {
            output.json = output.json.map(with_trees);
        }
        if self.is_json {
            output.text = Text::new();
        } else if self.is_ascii {
            output.text = output.text.in_ascii();
        }
        output
    }

    /// Applies the settings, and returns the previous ones.
    pub(super) fn begin(&self, session: &mut Session) -> Usual {
        let usual = Usual { style: session.style, is_ascii: session.ascii };
        session.style = self.style.unwrap_or(usual.style);
        session.ascii |= self.is_ascii;
        usual
    }

    /// Restores the usual settings, unless the command has changed them (`set`).
    pub(super) fn end(&self, session: &mut Session, usual: &Usual) {
        if self.style == Some(session.style) {
            session.style = usual.style;
        }
        if self.is_ascii && session.ascii {
            session.ascii = usual.is_ascii;
        }
    }
}
