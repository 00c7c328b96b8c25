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

/// Other names of commands: a question may end with a question mark. In shells this is a pattern, so it is not part of the
/// name.
const ALIASES: [(&str, &str); 3] =
    [("bitcast?", "bitcast"), ("contains?", "contains"), ("injective?", "injective")];

/// The maximum length of a usage line in an error.
const SHORT_USAGE: usize = 90;

/// A command: its name, its parameters, its action.
#[derive(Debug)]
pub struct Command {
    /// The word that calls the command.
    pub name: &'static str,
    /// The positional parameters, in order.
    pub parameters: &'static [Parameter],
    /// The `--options`.
    pub options: &'static [Switch],
    /// A description of one line.
    pub summary: &'static str,
    /// Further description: the meaning and the limits of the answer. May be empty.
    pub details: &'static str,
    /// Lines that can be typed as they are; the last one shows this command.
    pub example: &'static [&'static str],
    /// Whether the command answers with a map, so that `let NAME = ` may precede it.
    pub makes_map: bool,
    /// The keys of its JSON answers that need a description, as members of `properties` in the schema; keys of several commands
    /// are in `tests/commands/answers.schema.json`.
    pub keys: &'static str,
    /// Runs the command.
    pub run: fn(&mut Call<'_>) -> Result<(), Failure>,
}

/// A call of a command: its arguments, the session and the host.
pub struct Call<'a> {
    /// All commands.
    pub commands: Commands,
    /// The command.
    pub command: &'static Command,
    /// The arguments.
    pub arguments: &'a Arguments,
    /// The session.
    pub session: &'a mut Session,
    /// The host.
    pub host: &'a mut dyn Host,
    /// The file that the answers are about, if there are several.
    pub about: Option<About>,
    /// Notices on arguments that are not read literally; they are shown above the next answer.
    pub notices: RefCell<Vec<String>>,
    /// The most severe status of the answers so far.
    pub status: Status,
    /// The words of the command in the line, for errors that no argument causes.
    pub(super) place: Argument,
}

/// The table of commands, in the order of the help: the commands of each purpose. It is passed to the code that looks words up,
/// so that this code need not depend on every command.
#[derive(Clone, Copy, Debug)]
pub struct Commands(pub &'static [(&'static str, &'static [&'static Command])]);

/// A positional argument of a command.
#[derive(Debug)]
pub struct Parameter {
    /// The name in the help.
    pub name: &'static str,
    /// The kind of the argument.
    pub kind: Kind,
    /// Whether the argument is required.
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
    /// The rest of the line, verbatim, except options.
    Rest,
    /// The rest of the line, which may contain a command with options of its own.
    Inner,
}

/// An option, as used by help, completion and both command lines.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The name, without `--`.
    pub name: &'static str,
    /// The name of the value, if the option takes one.
    pub value: Option<&'static str>,
    /// A description of one line.
    pub summary: &'static str,
    /// The possible words for the value, if there is a fixed list.
    pub values: fn() -> Vec<&'static str>,
    /// The options of the command that are invalid beside it.
    pub excludes: Excluded,
    /// Options of which one must be given, too; empty if it stands alone.
    pub needs: &'static [Switch],
}

/// The options of a command that are invalid beside one of them.
#[derive(Clone, Copy, Debug)]
pub enum Excluded {
    /// These.
    Only(&'static [Switch]),
    /// All others but these.
    AllBut(&'static [Switch]),
}

impl Excluded {
    /// Checks whether the option is one of them.
    #[must_use]
    pub fn has(self, option: &Switch) -> bool {
        let is_in = |list: &[Switch]| list.iter().any(|one| one.name == option.name);
        match self {
            Excluded::Only(list) => is_in(list),
            Excluded::AllBut(list) => !is_in(list),
        }
    }
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
    /// Creates an option; `value` is the name of its value, if it takes one.
    pub(super) const fn new(
        name: &'static str,
        value: Option<&'static str>,
        summary: &'static str,
    ) -> Switch {
        Switch { name, value, summary, values: Vec::new, excludes: Excluded::Only(&[]), needs: &[] }
    }

    /// Returns the option in the notation `--name VALUE`.
    #[must_use]
    pub fn sketch(&self) -> String {
        match self.value {
            Some(value) => format!("--{} {value}", self.name),
            None => format!("--{}", self.name),
        }
    }
}

impl Command {
    /// Iterates over the aliases of the command.
    pub fn aliases(&self) -> impl Iterator<Item = &'static str> {
        let own = ALIASES.iter().filter(|(_, name)| *name == self.name);
        own.map(|(alias, _)| *alias)
    }

    /// Checks whether the command takes the rest of the line verbatim, except options.
    #[must_use]
    pub fn takes_rest(&self) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|parameter| matches!(parameter.kind, Kind::Rest | Kind::Inner))
    }

    /// Checks whether the rest of the line may contain a command.
    #[must_use]
    pub fn takes_command(&self) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|parameter| parameter.kind == Kind::Inner)
    }

    /// Checks whether a call whose first word is `word` is about an instruction of a module: a command with `--operand` takes
    /// `MODULE INSTRUCTION` in place of maps and shapes, if the module's path has a dot or a slash, or is `-`.
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

    /// Checks whether the command takes `MODULE INSTRUCTION` in place of maps and shapes.
    #[must_use]
    pub fn takes_module(&self) -> bool {
        let mut parameters = self.parameters.iter();
        let takes_files = parameters.any(|parameter| parameter.kind == Kind::Files);
        !takes_files && self.options.iter().any(|option| option.name == "operand")
    }

    /// Returns the parameters after `MODULE INSTRUCTION`: points.
    fn behind_module(&self) -> impl Iterator<Item = &Parameter> {
        let parameters = self.parameters.iter();
        parameters.filter(|parameter| self.takes_module() && parameter.kind == Kind::Point)
    }

    /// Returns the usage: `compose MAP ; MAP [--simplify]`.
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

    /// Returns the usage without options if it is too long for a line; the options are then listed below it.
    #[must_use]
    pub fn short_usage(&self) -> String {
        let usage = self.usage();
        let bare = || usage.split(" [--").next().unwrap_or(&usage);
        match usage.len() <= SHORT_USAGE {
            true => usage,
            false => format!("{} [OPTIONS]", bare()),
        }
    }

    /// Returns the usage for errors, if it is short.
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

    /// Returns the maximum number of positional arguments of any call; a parameter that takes any number counts as one.
    #[must_use]
    pub fn positions(&self) -> usize {
        let with_module = if self.takes_module() { 2 } else { 0 } + self.behind_module().count();
        self.parameters.len().max(with_module)
    }
}

impl Commands {
    /// Iterates over the commands.
    pub fn iter(self) -> impl Iterator<Item = &'static Command> {
        self.0.iter().flat_map(|(_, commands)| commands.iter().copied())
    }

    /// Returns the command `name`, which may be an alias.
    #[must_use]
    pub fn named(self, name: &str) -> Option<&'static Command> {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        let name = alias.map_or(name, |(_, name)| name);
        self.iter().find(|command| command.name == name)
    }

    /// Returns the name nearest to `word`; `None` if no name is near.
    #[must_use]
    pub fn nearest(self, word: &str) -> Option<&'static str> {
        nearest(word, self.iter().map(|command| command.name))
    }
}

/// The subject file of answers.
#[derive(Debug)]
pub struct About {
    file: String,
    is_said: bool,
}

impl About {
    /// Creates the subject of the answers that follow.
    #[must_use]
    pub fn new(file: &str) -> About {
        About { file: file.to_owned(), is_said: false }
    }

    /// Adds the name of the file to an answer: as `file` in the JSON, and above the first text.
    fn with_file(&mut self, mut output: Output) -> Output {
        if let Some(json) = &mut output.json {
            json.shift_insert(1, "file".to_owned(), self.file.as_str().into()); // after the schema
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

    /// Records, once, how an argument was read.
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
