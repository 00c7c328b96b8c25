//! Commands, and calls of them.

use super::arguments::{Argument, Arguments};
use super::bare::{is_expression, is_paste};
use super::failure::{Failure, stopped};
use super::host::Host;
use super::output::{Output, Role, Status, Text};
use super::session::Session;
use super::words::nearest;
use affinor::text::{Error, ErrorKind};
use affinor_code::is_builtin;
use std::cell::RefCell;

/// Other names of commands: a question may end with its mark. Shells take that for a pattern, so that it is not in the
/// names.
const ALIASES: [(&str, &str); 3] =
    [("bitcast?", "bitcast"), ("contains?", "contains"), ("injective?", "injective")];

/// Longest usage that an error shows.
const SHORT_USAGE: usize = 90;

/// A command: its name, its parameters, its action.
#[derive(Debug)]
pub struct Command {
    /// The word it is called by.
    pub name: &'static str,
    /// Positional arguments in order.
    pub parameters: &'static [Parameter],
    /// `--options`.
    pub options: &'static [Switch],
    /// One-line description.
    pub summary: &'static str,
    /// Further description: the meaning and the limits of the answer. May be empty.
    pub details: &'static str,
    /// Lines that may be typed as they are; the last shows this command.
    pub example: &'static [&'static str],
    /// Whether it answers with a map, so that `let NAME = ` may precede it.
    pub makes_map: bool,
    /// Runs the command.
    pub run: fn(&mut Call<'_>) -> Result<(), Failure>,
}

/// A call of a command: its arguments, the session and the host.
pub struct Call<'a> {
    /// All commands.
    pub commands: Commands,
    /// The command.
    pub command: &'static Command,
    /// Its arguments.
    pub arguments: &'a Arguments,
    /// The session.
    pub session: &'a mut Session,
    /// The host.
    pub host: &'a mut dyn Host,
    /// The file that the answers are about, if there are several.
    pub about: Option<About>,
    /// The reading of the arguments where it is not the literal one; it stands above the next answer.
    pub notices: RefCell<Vec<String>>,
    /// The most severe status of the answers so far.
    pub status: Status,
    /// Its words in the line, for errors that no argument causes.
    pub(super) place: Argument,
}

/// The table of commands, in the order of the help. It is passed to the code that looks words up, which so need not depend
/// on every command.
#[derive(Clone, Copy, Debug)]
pub struct Commands(pub &'static [&'static Command]);

/// A positional argument of a command.
#[derive(Debug)]
pub struct Parameter {
    /// Its name in the help.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Whether it is required.
    pub required: bool,
}

/// The kind of an argument, which determines how a line is split and which words completion offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A map: a name or a text.
    Map,
    /// Coordinates, `3,4`.
    Point,
    /// A path; `-` may be standard input.
    File,
    /// Paths of files or directories, at least one; takes all remaining words.
    Files,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a command, or words; takes all remaining words.
    Command,
    /// The shape of an array, `f32[3,5]{1,0:T(2,2)}`, or one of these words.
    Shape(&'static [&'static str]),
    /// An op, or a chain of ops; takes the rest of the line except options.
    Op,
    /// Names of rules; takes all remaining words.
    Rules,
    /// The rest of the line as it stands, except options.
    Rest,
    /// The rest of the line, in which a command may stand with options of its own.
    Inner,
}

/// An option, as help, completion and both command lines see it.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Name, without `--`.
    pub name: &'static str,
    /// Name of its value, if it takes one.
    pub value: Option<&'static str>,
    /// One-line description.
    pub summary: &'static str,
    /// The words that its value may be, if there are only these.
    pub values: fn() -> Vec<&'static str>,
}

impl Parameter {
    /// Creates a required parameter.
    pub(super) const fn required(name: &'static str, kind: Kind) -> Parameter {
        let required = true;
        Parameter { name, kind, required }
    }

    /// Creates an optional parameter.
    pub(super) const fn optional(name: &'static str, kind: Kind) -> Parameter {
        let required = false;
        Parameter { name, kind, required }
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
    /// Other names that it may be called by.
    pub fn aliases(&self) -> impl Iterator<Item = &'static str> {
        let own = ALIASES.iter().filter(|(_, name)| *name == self.name);
        own.map(|(alias, _)| *alias)
    }

    /// Whether it takes the rest of the line verbatim, except options.
    #[must_use]
    pub fn takes_rest(&self) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|parameter| matches!(parameter.kind, Kind::Rest | Kind::Inner))
    }

    /// Whether a command may stand in the rest of the line.
    #[must_use]
    pub fn takes_command(&self) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|parameter| parameter.kind == Kind::Inner)
    }

    /// Whether a call whose first word is `word` asks about an instruction of a module: a command with `--operand` takes
    /// `MODULE INSTRUCTION` in place of maps and shapes, where the module's path has a dot or a slash, or is `-`.
    #[must_use]
    pub fn reads_module(&self, word: &str) -> bool {
        let is_path = word.contains(['.', '/', '\\']) && !word.contains(['(', '[']);
        let begins = ['~', '!', '+', '-'];
        let is_code = word.starts_with(begins) && word != "-"
            || is_builtin(word)
            || word.contains(' ') && (is_expression(word) || is_paste(word));
        let is_path = is_path && !is_code;
        self.takes_module() && (is_path || word == "-")
    }

    /// Whether it takes `MODULE INSTRUCTION` in place of maps and shapes.
    #[must_use]
    pub fn takes_module(&self) -> bool {
        let mut parameters = self.parameters.iter();
        let takes_files = parameters.any(|parameter| parameter.kind == Kind::Files);
        !takes_files && self.options.iter().any(|option| option.name == "operand")
    }

    /// The parameters behind `MODULE INSTRUCTION`: points.
    fn behind_module(&self) -> impl Iterator<Item = &Parameter> {
        let parameters = self.parameters.iter();
        parameters.filter(|parameter| self.takes_module() && parameter.kind == Kind::Point)
    }

    /// Returns its usage: `compose MAP ; MAP [--simplify]`.
    #[must_use]
    pub fn usage(&self) -> String {
        let mut usage = self.name.to_owned();
        for (index, parameter) in self.parameters.iter().enumerate() {
            let separator = match parameter.kind {
                Kind::Map if index > 0 => " ; ",
                _ => " ",
            };
            let (open, close) = if parameter.required { ("", "") } else { ("[", "]") };
            usage += &format!("{separator}{open}{}{close}", parameter.name);
        }
        if self.takes_module() {
            usage += " | MODULE INSTRUCTION";
            for parameter in self.behind_module() {
                usage += &format!(" [{}]", parameter.name);
            }
        }
        for option in self.options {
            usage += &format!(" [{}]", option.sketch());
        }
        usage
    }

    /// Its usage, in a line that has room for it: many options are listed below it.
    #[must_use]
    pub fn short_usage(&self) -> String {
        let usage = self.usage();
        let bare = || usage.split(" [--").next().unwrap_or(&usage);
        match usage.len() <= SHORT_USAGE {
            true => usage,
            false => format!("{} [OPTIONS]", bare()),
        }
    }

    /// Its usage where that is short, for errors.
    #[must_use]
    pub fn usage_hint(&self) -> String {
        let usage = self.usage();
        match usage.len() <= SHORT_USAGE {
            true => format!("usage: {usage}"),
            false => format!("`help {}` says how it is used", self.name),
        }
    }

    /// Returns the maximum number of positional arguments of a call with the first argument `first`; `None` if unlimited.
    #[must_use]
    pub fn most_arguments(&self, first: &str) -> Option<usize> {
        if self.reads_module(first) {
            return Some(2 + self.behind_module().count());
        }
        let any = self
            .parameters
            .iter()
            .any(|parameter| matches!(parameter.kind, Kind::Rules | Kind::Files | Kind::Command));
        (!any).then_some(self.parameters.len())
    }

    /// Returns the maximum number of positional arguments of any call; of those that take any number, one for each parameter.
    #[must_use]
    pub fn positions(&self) -> usize {
        let with_module = if self.takes_module() { 2 } else { 0 } + self.behind_module().count();
        self.parameters.len().max(with_module)
    }
}

impl Commands {
    /// Iterates over the commands.
    pub fn iter(self) -> impl Iterator<Item = &'static Command> {
        self.0.iter().copied()
    }

    /// Returns the command `name`, which may be an alias.
    #[must_use]
    pub fn named(self, name: &str) -> Option<&'static Command> {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        let name = alias.map_or(name, |(_, name)| name);
        self.iter().find(|command| command.name == name)
    }

    /// Returns the name nearest to `word`, if one is near.
    #[must_use]
    pub fn nearest(self, word: &str) -> Option<&'static str> {
        nearest(word, self.iter().map(|command| command.name))
    }
}

/// The file that answers are about.
#[derive(Debug)]
pub struct About {
    file: String,
    is_said: bool,
}

impl About {
    /// The answers that follow are about this file.
    #[must_use]
    pub fn new(file: &str) -> About {
        About { file: file.to_owned(), is_said: false }
    }

    /// The name of the file stands above its first answer, and in each as `file`.
    fn with_file(&mut self, mut output: Output) -> Output {
        if let Some(json) = &mut output.json {
            json.shift_insert(1, "file".to_owned(), self.file.as_str().into()); // behind the schema
        }
        if !output.text.is_empty() && !std::mem::replace(&mut self.is_said, true) {
            let mut text = Text::of(Role::Faint, self.file.as_str()).plain("\n");
            text.append(output.text);
            output.text = text;
        }
        output
    }
}

impl Call<'_> {
    /// Emits an answer.
    pub fn emit(&mut self, output: Output) {
        let mut output = output;
        let notices = self.notices.take();
        if !notices.is_empty() {
            if let Some(json) = &mut output.json {
                json.insert("notes".to_owned(), notices.clone().into());
            }
            self.host.emit(Output {
                text: Text::of(Role::Faint, notices.join("\n")),
                json: None,
                status: Status::Done,
                is_echo: false,
                number: None,
            });
        }
        if let Some(about) = &mut self.about {
            output = about.with_file(output);
        }
        self.status = self.status.and(output.status);
        self.host.emit(output);
    }

    /// Notes how an argument was read, once.
    pub fn notice(&self, notice: impl Into<String>) {
        let (notice, mut notices) = (notice.into(), self.notices.borrow_mut());
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }

    /// Reports a failure that does not end the command.
    pub fn report(&mut self, failure: &Failure) {
        self.status = self.status.and(failure.status());
        self.host.report(failure);
    }

    /// Returns the positional argument `index`, 0-based.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] if it was not given.
    pub fn argument(&self, index: usize) -> Result<&Argument, Failure> {
        self.arguments.positional.get(index).ok_or_else(|| {
            let missing = self.command.parameters.get(index);
            let name = missing.map_or("argument", |parameter| parameter.name);
            let failure = self.wrong_usage(format!("`{}` needs {name}", self.command.name));
            match missing.map(|parameter| parameter.kind) {
                Some(Kind::Map) if index > 0 && self.place.offset().is_none() => failure.hint(
                    "put each map in single quotes, or both in one pair with `;` between; outside of quotes, `;` ends a shell's command",
                ),
                Some(Kind::Point) if index > 0 && self.place.offset().is_some() => {
                    failure.hint(format!("`;` ends the map: `{} MAP ; {name}`", self.command.name))
                }
                Some(Kind::Map) if index > 0 => failure.hint(format!(
                    "two maps are separated by `;`: `{} MAP ; MAP`",
                    self.command.name
                )),
                _ => failure,
            }
        })
    }

    /// Creates a usage error of the command.
    #[must_use]
    pub fn wrong_usage(&self, message: impl Into<String>) -> Failure {
        let hint = self.command.usage_hint();
        self.place.wrong(ErrorKind::Usage, message).hint(hint)
    }

    /// Creates a failure that no argument causes.
    #[must_use]
    pub fn failed(&self, error: Error) -> Failure {
        self.place.blame(error)
    }

    /// Checks for interruption.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`].
    pub fn go_on(&self) -> Result<(), Failure> {
        match self.host.interrupt().is_triggered() {
            true => Err(self.interrupted()),
            false => Ok(()),
        }
    }

    /// Creates the failure of an interrupted command.
    #[must_use]
    pub fn interrupted(&self) -> Failure {
        self.failed(stopped())
    }
}
