//! A session: named maps, the last answer, and how to run one command.
//!
//! Everything outside the process comes through a [`Host`] that the caller gives: where answers go,
//! files, the clock, the request to stop. A failed command leaves the session as it was.

use super::advice::{advised, unknown_word};
use super::arguments::{Argument, Arguments};
use super::contain::contained;
use super::failure::{Failure, Place, stopped};
use super::output::{Output, Status, clipped};
use super::results::{Results, number_of};
use super::settings::time_output;
use super::table::{Command, Kind, command, nearest_command};
use super::undo::Journal;
use crate::error::{Error, ErrorKind};
use crate::fuel::Interrupt;
use crate::map::IndexingMap;
use crate::rule::Rule;
use crate::simplify::{Simplifier, Tally};
use crate::syntax::Style;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::sync::Arc;
use std::time::Duration;

/// What a session needs from the program around it.
pub trait Host {
    /// Takes an answer, as soon as there is one.
    fn emit(&mut self, output: Output);

    /// Takes a failure that does not end the command: one bad line of many.
    fn report(&mut self, failure: &Failure);

    /// Opens a file for reading; `-` is standard input.
    ///
    /// # Errors
    /// As the file system has them.
    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>>;

    /// Writes a file, in the place of one that is there.
    ///
    /// # Errors
    /// As the file system has them.
    fn write(&mut self, path: &str, text: &str) -> io::Result<()>;

    /// Makes a directory, and those above it; an empty one may be there already.
    ///
    /// # Errors
    /// As the file system has them, and if something is in it.
    fn new_directory(&mut self, path: &str) -> io::Result<()>;

    /// A clock that tells the CPU time used by the thread that reads it.
    fn cpu_clock(&self) -> fn() -> Duration;

    /// Takes note of how far the running command is: `done` of `all` answers.
    fn progress(&mut self, done: usize, all: usize);

    /// The handle by which the running command is asked to stop.
    fn interrupt(&self) -> Interrupt;

    /// The script that teaches `shell` to complete the program's command line, if there is one.
    fn completions(&self, shell: &str) -> Option<String>;
}

/// Named maps, the last answer, and settings.
#[derive(Debug, Default)]
pub struct Session {
    pub(super) maps: BTreeMap<String, IndexingMap>,
    /// `_`
    pub(super) last: Option<IndexingMap>,
    /// `_1`, `_2`, ..
    pub(super) results: Results,
    /// What was simplified last, as it was given.
    pub(super) last_simplified: Option<IndexingMap>,
    /// Rules and laws that were added, each proved.
    pub(super) rules: Vec<Added>,
    /// The names of rules that are switched off.
    pub(super) off: BTreeSet<String>,
    /// The simplifier for them, once there are any.
    pub(super) simplifier: Option<Simplifier>,
    /// How often each rule was used.
    pub(super) tally: Arc<Tally>,
    /// How maps are written.
    pub style: Style,
    /// Are pictures drawn with ASCII characters only?
    pub ascii: bool,
    /// Is the CPU time of each command said?
    pub time: bool,
    pub(super) journal: Journal,
    /// The steps of the tour that were shown.
    pub(super) tour: usize,
    /// The scripts that `run` has begun.
    pub(super) scripts: usize,
    has_quit: bool,
}

/// A rule that was added to a session.
#[derive(Clone, Debug)]
pub struct Added {
    /// The rule.
    pub rule: Rule,
    /// As it was given, hints included.
    pub text: String,
}

/// A command at work: its arguments, the session and the host.
pub struct Call<'a> {
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
    place: Argument,
}

impl Session {
    /// A session that knows no map.
    #[must_use]
    pub fn new() -> Session {
        Session::default()
    }

    /// Was `quit` given?
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    pub(super) fn quit(&mut self) {
        self.has_quit = true;
    }

    /// The names of the maps, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.maps.keys().map(String::as_str)
    }

    /// Makes `map` the last answer, under the next number.
    pub(super) fn answer(&mut self, map: IndexingMap) -> usize {
        self.last = Some(map.clone());
        self.results.push(map)
    }

    /// Runs one command, given as text. Answers go to `host` as they come.
    ///
    /// # Errors
    /// Whatever is wrong with the command or its inputs.
    pub fn run(&mut self, text: &str, host: &mut dyn Host) -> Result<Status, Failure> {
        self.run_line(text, host)
            .map_err(|failure| advised(failure, text))
    }

    fn run_line(&mut self, text: &str, host: &mut dyn Host) -> Result<Status, Failure> {
        let (command, word_end) = self.find(text)?;
        let arguments = Arguments::from_line(command, text, word_end)?;
        let start = word_end - command.name.len();
        let place = Argument::at(command.name, start);
        self.start(command, &arguments, place, text, host)
    }

    /// Runs a command whose arguments are already separate.
    ///
    /// # Errors
    /// Whatever is wrong with the arguments or the command's inputs.
    pub fn call(
        &mut self,
        command: &'static Command,
        arguments: &Arguments,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        arguments.check_count(command)?;
        let place = Argument::word(command.name, 0);
        let result = self.start(command, arguments, place, command.name, host);
        result.map_err(|failure| match failure.place {
            Place::Argument(number) => {
                let index = number.saturating_sub(1);
                let given = arguments.positional.get(index);
                let text = given.map_or("", |argument| argument.text.as_str());
                advised(failure, text)
            }
            _ => failure,
        })
    }

    fn start(
        &mut self,
        command: &'static Command,
        arguments: &Arguments,
        place: Argument,
        text: &str,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        // Each command of a script can be taken back by itself.
        let is_outermost = command.name != "run" && self.begin(text);
        let clock = (is_outermost && self.time).then(|| host.cpu_clock());
        let start = clock.map(|clock| clock());
        let mut call = Call {
            command,
            arguments,
            session: self,
            host,
            status: Status::Done,
            place,
        };
        let result = match contained(|| (command.run)(&mut call)) {
            Ok(result) => result.map(|()| call.status),
            Err(defect) => Err(call.failed(defect)), // what was half done is taken back below
        };
        if is_outermost {
            self.finish(result.is_ok());
        }
        let says_time = self.time && !matches!(command.name, "set" | "time");
        if let (Some(clock), Some(start), true) = (clock, start, says_time) {
            host.emit(time_output(command.name, clock().saturating_sub(start)));
        }
        result
    }

    /// The command that `text` begins with, and where its word ends.
    pub(super) fn find(&self, text: &str) -> Result<(&'static Command, usize), Failure> {
        let start = text.len() - text.trim_start().len();
        // As in other prompts: `:time`, `:quit`.
        let colon = text[start..].starts_with(':');
        let start = start + usize::from(colon);
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let length = text[start..]
            .find(|c| !is_word(c))
            .unwrap_or(text.len() - start);
        // `bitcast?` is a word too.
        let length = match text[start + length..].starts_with('?') {
            true if command(&text[start..=start + length]).is_some() => length + 1,
            _ => length,
        };
        let word = &text[start..start + length];
        if let Some(command) = command(word) {
            return Ok((command, start + length));
        }
        Err(Failure::new(
            self.unknown(text, start, word),
            Place::Command,
        ))
    }

    /// The error for a line that begins with no command, with a hint at what may have been meant.
    fn unknown(&self, text: &str, start: usize, word: &str) -> Error {
        let rest = text[start + word.len()..].trim_start();
        let other = unknown_word(
            text,
            if word.is_empty() {
                text.trim().get(..1).unwrap_or("")
            } else {
                word
            },
        );
        if word.is_empty() || word == "affine_map" {
            let end = text[start..]
                .chars()
                .next()
                .map_or(start, |c| start + c.len_utf8());
            return Error::new(
                ErrorKind::Syntax,
                start..end.max(start + word.len()),
                "a line begins with a command",
            )
            .hint(other.unwrap_or_else(|| {
                "type `show` before a map, or `help` for the commands".to_owned()
            }));
        }
        let shown = clipped(word);
        let error = Error::new(
            ErrorKind::Name,
            start..start + word.len(),
            format!("there is no command `{shown}`"),
        );
        error.hint(if let Some(other) = other {
            other
        } else if rest.starts_with('=') {
            format!("to name a map, type `let {shown} = ...`")
        } else if self.maps.contains_key(word) || word == "_" || number_of(word).is_some() {
            format!("`{word}` is a map: type `show {word}` or `simplify {word}`")
        } else if let Some(name) = nearest_command(word) {
            format!("did you mean `{name}`?")
        } else {
            "type `help` for the commands".to_owned()
        })
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

    /// The value of `--name`, a positive integer; `default` if it was not given.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for anything else.
    pub fn positive(&self, name: &str, default: u64) -> Result<u64, Failure> {
        let Some(given) = self.arguments.value(name) else {
            return Ok(default);
        };
        match given.text.parse() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(given.wrong(
                ErrorKind::Usage,
                format!(
                    "expected a positive integer for `--{name}`, found `{}`",
                    clipped(&given.text)
                ),
            )),
        }
    }

    /// The failure of a command that was asked to stop.
    #[must_use]
    pub fn interrupted(&self) -> Failure {
        self.failed(stopped())
    }
}
