//! What a command is, and one at work.

use super::arguments::{Argument, Arguments};
use super::failure::{Failure, stopped};
use super::host::Host;
use super::output::{Output, Status};
use super::session::Session;
use super::words::nearest;
use crate::text::{Error, ErrorKind};

/// A command: what it is called, what it takes, what it does.
#[derive(Debug)]
pub struct Command {
    /// The word it is called by.
    pub name: &'static str,
    /// Positional arguments in order.
    pub parameters: &'static [Parameter],
    /// `--options`.
    pub options: &'static [Switch],
    /// One line: what it does.
    pub summary: &'static str,
    /// More about it: what the answer means, and what it does not do. May be empty.
    pub details: &'static str,
    /// Lines that may be typed as they are; the last shows this command.
    pub example: &'static [&'static str],
    /// Does it leave a map behind, so that `let NAME = ` may stand before it?
    pub makes_map: bool,
    /// Does it.
    pub run: fn(&mut Call<'_>) -> Result<(), Failure>,
}

/// A command at work: its arguments, the session and the host.
pub struct Call<'a> {
    /// All commands that there are.
    pub commands: Commands,
    /// What was called.
    pub command: &'static Command,
    /// With what.
    pub arguments: &'a Arguments,
    /// In which session.
    pub session: &'a mut Session,
    /// For whom.
    pub host: &'a mut dyn Host,
    /// The gravest status of the answers so far.
    pub status: Status,
    /// Its words in the line, for errors that blame no argument.
    pub(super) place: Argument,
}

/// The commands that there are, in the order of the help. What looks a word up is given them, so that it need not
/// know each of them.
#[derive(Clone, Copy, Debug)]
pub struct Commands(pub &'static [&'static Command]);

/// A positional argument of a command.
#[derive(Debug)]
pub struct Parameter {
    /// What help calls it.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Must it be given?
    pub required: bool,
}

/// What an argument is: how a line is cut, and what completion offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A map: a name or a text.
    Map,
    /// Coordinates, `3,4`.
    Point,
    /// A path; `-` may be standard input.
    File,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a command.
    Command,
    /// The shape of an array, `f32[3,5]{1,0:T(2,2)}`, or one of these words.
    Shape(&'static [&'static str]),
    /// An op, or several after each other; takes the rest of the line but for options.
    Op,
    /// Names of rules; takes all the words that are left.
    Rules,
    /// The rest of the line as it stands.
    Rest,
}

/// What help, completion and both command lines know of an option.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Without its `--`.
    pub name: &'static str,
    /// What its value is called, if it takes one.
    pub value: Option<&'static str>,
    /// One line: what it changes.
    pub summary: &'static str,
}

impl Parameter {
    /// One that must be given.
    pub(super) const fn required(name: &'static str, kind: Kind) -> Parameter {
        let required = true;
        Parameter {
            name,
            kind,
            required,
        }
    }

    /// One that may be left out.
    pub(super) const fn optional(name: &'static str, kind: Kind) -> Parameter {
        let required = false;
        Parameter {
            name,
            kind,
            required,
        }
    }
}

impl Switch {
    /// `--name VALUE`
    #[must_use]
    pub fn sketch(&self) -> String {
        match self.value {
            Some(value) => format!("--{} {value}", self.name),
            None => format!("--{}", self.name),
        }
    }
}

impl Command {
    /// Does it take the rest of the line as it stands?
    #[must_use]
    pub fn takes_rest(&self) -> bool {
        self.parameters
            .iter()
            .any(|parameter| parameter.kind == Kind::Rest)
    }

    /// How to call it: `compose MAP ; MAP [--simplify]`.
    #[must_use]
    pub fn usage(&self) -> String {
        let mut usage = self.name.to_owned();
        for (index, parameter) in self.parameters.iter().enumerate() {
            let separator = match parameter.kind {
                Kind::Map if index > 0 => " ; ",
                _ => " ",
            };
            let (open, close) = if parameter.required {
                ("", "")
            } else {
                ("[", "]")
            };
            usage += &format!("{separator}{open}{}{close}", parameter.name);
        }
        for option in self.options {
            usage += &format!(" [{}]", option.sketch());
        }
        usage
    }

    /// The most positional arguments that it takes; `None` for any number.
    #[must_use]
    pub fn most_arguments(&self) -> Option<usize> {
        let any = self
            .parameters
            .iter()
            .any(|parameter| parameter.kind == Kind::Rules);
        (!any).then_some(self.parameters.len())
    }

    /// How many positional arguments it takes, in words.
    #[must_use]
    pub fn parameter_count(&self) -> String {
        match self.parameters.len() {
            0 => "no arguments".to_owned(),
            1 => "one argument".to_owned(),
            2 => "two arguments".to_owned(),
            count => format!("{count} arguments"),
        }
    }
}

impl Commands {
    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = &'static Command> {
        self.0.iter().copied()
    }

    /// The one called `name`.
    #[must_use]
    pub fn named(self, name: &str) -> Option<&'static Command> {
        self.iter().find(|command| command.name == name)
    }

    /// The name that is nearest to `word`, if one is near.
    #[must_use]
    pub fn nearest(self, word: &str) -> Option<&'static str> {
        nearest(word, self.iter().map(|command| command.name))
    }
}

impl Call<'_> {
    /// Hands an answer over.
    pub fn emit(&mut self, output: Output) {
        self.status = self.status.and(output.status);
        self.host.emit(output);
    }

    /// Hands over a failure that does not end the command.
    pub fn report(&mut self, failure: &Failure) {
        self.status = self.status.and(failure.status());
        self.host.report(failure);
    }

    /// The positional argument number `index`, from 0.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] if it was not given.
    pub fn argument(&self, index: usize) -> Result<&Argument, Failure> {
        self.arguments.positional.get(index).ok_or_else(|| {
            let missing = self.command.parameters.get(index);
            let name = missing.map_or("argument", |parameter| parameter.name);
            let failure = self.wrong_usage(format!("`{}` needs {name}", self.command.name));
            match missing.map(|parameter| parameter.kind) {
                Some(Kind::Map) if index > 0 => failure.hint(format!(
                    "maps are separated by `;`: {}",
                    self.command.usage()
                )),
                _ => failure,
            }
        })
    }

    /// Wrong usage of the command.
    #[must_use]
    pub fn wrong_usage(&self, message: impl Into<String>) -> Failure {
        self.place
            .wrong(ErrorKind::Usage, message)
            .hint(format!("usage: {}", self.command.usage()))
    }

    /// An error that blames no argument.
    #[must_use]
    pub fn failed(&self, error: Error) -> Failure {
        self.place.blame(error)
    }

    /// Goes on, unless the user asked the command to stop.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`].
    pub fn go_on(&self) -> Result<(), Failure> {
        match self.host.interrupt().is_triggered() {
            true => Err(self.interrupted()),
            false => Ok(()),
        }
    }

    /// The failure of a command that was asked to stop.
    #[must_use]
    pub fn interrupted(&self) -> Failure {
        self.failed(stopped())
    }
}
