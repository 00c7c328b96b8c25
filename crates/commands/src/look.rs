//! The options that any command takes: the form in which its answers come, for this one line.
//!
//! Law: they change what is shown and nothing of the session, whose settings are the same afterwards.

use super::arguments::Arguments;
use super::failure::Failure;
use super::option::{ASCII, JSON, STYLE, TREES};
use super::output::{Output, Text};
use super::session::Session;
use super::table::Command;
use super::trees::with_trees;
use affinor::text::Style;

/// How the answers of one call are shown.
pub(super) struct Look {
    is_json: bool,
    has_trees: bool,
    is_ascii: bool,
    style: Option<Style>,
}

/// The settings of a session while others are in force.
pub(super) struct Usual {
    style: Style,
    is_ascii: bool,
}

impl Look {
    /// What the options of a call of `command` say.
    ///
    /// # Errors
    /// For a style that there is not.
    pub(super) fn of(command: &Command, arguments: &Arguments) -> Result<Look, Failure> {
        // A command with an option of the same name does it by itself.
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

    /// Does it change answers?
    pub(super) fn changes_answers(&self) -> bool {
        self.is_json || self.is_ascii
    }

    /// The answer as it is to be shown.
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

    /// Puts the settings in force.
    pub(super) fn begin(&self, session: &mut Session) -> Usual {
        let usual = Usual { style: session.style, is_ascii: session.ascii };
        session.style = self.style.unwrap_or(usual.style);
        session.ascii |= self.is_ascii;
        usual
    }

    /// Puts the usual settings back, unless the command has changed them (`set`).
    pub(super) fn end(&self, session: &mut Session, usual: &Usual) {
        if self.style == Some(session.style) {
            session.style = usual.style;
        }
        if self.is_ascii && session.ascii {
            session.ascii = usual.is_ascii;
        }
    }
}
