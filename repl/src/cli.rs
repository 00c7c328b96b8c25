//! The command line of the process, built from the library's table of commands.

use crate::shell;
use affinor::text::{Error, ErrorKind, Style};
use affinor_commands::{Argument, Arguments, COMMANDS, Command, Kind, OF_ANY, Switch, command};
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::error::ContextKind;
use clap::error::ContextValue;
use clap::error::ErrorKind::UnknownArgument;
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use std::ffi::{OsStr, OsString};

/// The name of the argument for the remaining words.
const MORE: &str = "more";

/// The parsed command line.
pub struct Invocation {
    /// The task.
    pub task: Task,
    /// The output format.
    pub look: Look,
    /// Whether to continue after an error.
    pub keep_going: bool,
}

/// A task of the process.
pub enum Task {
    /// A session that reads commands from standard input.
    Session,
    /// Script files, followed by commands.
    Run {
        /// The paths; `-` is standard input.
        files: Vec<String>,
        /// The commands given as arguments.
        commands: Vec<String>,
    },
    /// A single command with its arguments.
    Call(&'static Command, Arguments),
    /// A single command as a line, built from these words.
    Line(String, Vec<String>),
}

/// The output format.
#[derive(Clone, Copy)]
pub struct Look {
    /// Prints one JSON object per line instead of text.
    pub json: bool,
    /// Whether to add each map as a tree.
    pub trees: bool,
    /// Whether to use ASCII only.
    pub ascii: bool,
    /// Whether to omit the greeting and the echo of definitions.
    pub quiet: bool,
    /// The use of colours.
    pub color: Color,
    /// The notation of maps.
    pub style: Style,
}

/// The use of colours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Colours on a terminal, unless `NO_COLOR` is set.
    Auto,
    Always,
    Never,
}

/// The reason why no task is run.
pub enum Refusal {
    /// `--help`, `--version`, or wrong usage, as reported by clap.
    Clap(clap::Error),
    /// Wrong usage or a wrong argument, as reported by the library, with the number and text of the argument at fault,
    /// if any.
    Error(Error, Option<(usize, String)>),
}

/// Parses the process's arguments, the program's name first.
pub fn parse(words: Vec<OsString>) -> Result<Invocation, Refusal> {
    let mut arguments: Vec<String> = Vec::new();
    let mut called = None;
    for (number, word) in words.into_iter().enumerate() {
        let word = word.into_string().map_err(|word| not_utf8(number, &word))?;
        // After `-e` and after a script file, the word is not a command.
        let is_first = number > 0 && arguments[1..].iter().all(|word| word.starts_with("--"));
        called = called.or_else(|| command(&word).filter(|_| is_first));
        // The word after `-e` is a command, which may begin with a minus.
        let is_command = word != "-e" && arguments.iter().any(|word| word == "-e");
        let takes_text = is_command || called.is_some_and(shell::takes_text);
        arguments.push(match shell::is_text(&word, takes_text) {
            true => format!(" {word}"), // keeps the word from being parsed as an option
            false => word,
        });
    }
    let mut matches = matches_of(arguments, called).map_err(|error| refused(error, called))?;
    let look = Look {
        json: matches.get_flag("json") || matches.get_flag("trees"),
        trees: matches.get_flag("trees"),
        ascii: matches.get_flag("ascii"),
        quiet: matches.get_flag("quiet"),
        color: match matches.get_one::<String>("color").map(String::as_str) {
            Some("always") => Color::Always,
            Some("never") => Color::Never,
            _ => Color::Auto,
        },
        style: match matches.get_one::<String>("style").map(String::as_str) {
            Some("xla") => Style::Xla,
            Some("mlir") => Style::Mlir,
            _ => Style::Plain,
        },
    };
    let keep_going = matches.get_flag("keep-going");
    let files = strings(&mut matches, "files");
    let mut commands = strings(&mut matches, "commands");
    for command in commands.iter_mut().filter(|command| command.starts_with(" -")) {
        command.remove(0);
    }
    let task = match matches.remove_subcommand() {
        Some((name, inner)) if files.is_empty() && commands.is_empty() => call(&name, inner)?,
        Some((name, _)) => {
            let message = format!("the command `{name}` cannot follow script files or `-e`");
            return Err(Refusal::Error(Error::without_span(ErrorKind::Usage, message), None));
        }
        None if files.is_empty() && commands.is_empty() => Task::Session,
        None => Task::Run { files, commands },
    };
    Ok(Invocation { task, look, keep_going })
}

/// Returns clap's matches of the words. Describing all commands to clap takes longer than most commands run, so only the
/// called one is described first, and all of them if clap has a message to print.
fn matches_of(
    arguments: Vec<String>,
    called: Option<&'static Command>,
) -> Result<ArgMatches, clap::Error> {
    if let Some(command) = called
        && let Ok(matches) =
            with_files(of_any().subcommand(subcommand(command))).try_get_matches_from(&arguments)
    {
        return Ok(matches);
    }
    program().try_get_matches_from(arguments)
}

/// Converts clap's error. For an option that the command does not have, the library lists the options of the command.
fn refused(error: clap::Error, called: Option<&'static Command>) -> Refusal {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == UnknownArgument => {
            word.strip_prefix("--")
        }
        _ => None,
    };
    match unknown.zip(called) {
        Some((name, command)) => Refusal::Error(command.unknown_option(name), None),
        None => Refusal::Clap(error),
    }
}

/// Returns the clap description of the whole program.
pub fn program() -> clap::Command {
    with_files(without_files())
}

fn with_files(program: clap::Command) -> clap::Command {
    program.arg(
        Arg::new("files")
            .value_name("FILE.aff")
            .num_args(0..)
            .value_hint(ValueHint::FilePath)
            .help("Script files to run; without any, a prompt on a terminal, else standard input is the script"),
    )
}

/// Returns the description of the program without script files.
pub fn without_files() -> clap::Command {
    of_any().subcommands(COMMANDS.iter().map(subcommand))
}

/// Returns the arguments that every command has, without the commands.
fn of_any() -> clap::Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue).global(true)
    };
    let choice = |name: &'static str, values: &'static [&'static str], help: &'static str| {
        Arg::new(name)
            .long(name)
            .help(help)
            .value_parser(PossibleValuesParser::new(values))
            .global(true)
    };
    clap::Command::new("affinor")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A formally checked symbolic engine for index maps")
        .disable_help_subcommand(true)
        .arg(
            Arg::new("commands")
                .short('e')
                .value_name("COMMAND")
                .num_args(1..)
                .action(ArgAction::Append)
                .help("Commands to run, in order, in one session"),
        )
        .arg(flag("json", "One JSON object a line on standard output, and nothing else there"))
        .arg(flag("trees", "As --json, with each map as a tree too"))
        .arg(flag("keep-going", "Go on after an error in a script"))
        .arg(flag("ascii", "Write ASCII only"))
        .arg(flag("quiet", "No greeting and no echo of definitions").short('q'))
        .arg(choice(
            "color",
            &["auto", "always", "never"],
            "Whether to colour (NO_COLOR is honoured)",
        ))
        .arg(choice("style", &["plain", "xla", "mlir"], "Notation of maps"))
}

fn subcommand(command: &'static Command) -> clap::Command {
    let mut result = clap::Command::new(command.name)
        .aliases(command.aliases())
        .about(command.summary)
        .after_help(after_help(command));
    for (index, parameter) in command.parameters.iter().enumerate() {
        let mut arg = Arg::new(format!("argument {index}"))
            .value_name(parameter.name.trim_end_matches("..."))
            .index(index + 1);
        arg = match parameter.kind {
            Kind::Map | Kind::Shape(_) | Kind::Op => arg,
            Kind::Point => arg.allow_hyphen_values(true),
            Kind::File => arg.value_hint(ValueHint::FilePath),
            Kind::Files => arg.value_hint(ValueHint::AnyPath).num_args(1..),
            Kind::Word(words) => arg.value_parser(PossibleValuesParser::new(words)),
            Kind::Rest | Kind::Inner => arg.num_args(1..),
            Kind::Rules | Kind::Command => arg.num_args(0..),
        };
        // Two maps may be a single word, as at the prompt.
        let is_required = parameter.required && (index == 0 || !shell::takes_text(command));
        result = result.arg(arg.required(is_required));
    }
    if command.takes_module() {
        result = result.override_usage(format!("affinor {}", command.usage()));
        for index in command.parameters.len()..command.positions() {
            let arg = Arg::new(format!("argument {index}")).index(index + 1);
            result = result.arg(arg.hide(true));
        }
    }
    if shell::takes_text(command) && !command.takes_rest() {
        // The words of an unquoted text.
        let arg = Arg::new(MORE).index(command.positions() + 1);
        result = result.arg(arg.num_args(0..).hide(true));
        if !command.takes_module() {
            result = result.override_usage(usage(command));
        }
    }
    // Options of every command are options of the whole program.
    let is_own = |option: &&Switch| OF_ANY.iter().all(|any| any.name != option.name);
    for option in command.options.iter().filter(is_own) {
        let arg = Arg::new(option.name).long(option.name).help(option.summary);
        result = result.arg(match option.value {
            None => arg.action(ArgAction::SetTrue),
            Some("FILE") => {
                arg.value_name("FILE").value_hint(ValueHint::FilePath).action(ArgAction::Append)
            }
            Some(value) => {
                let arg = arg.value_name(value).action(ArgAction::Append);
                match (option.values)() {
                    words if words.is_empty() => arg,
                    words => arg.value_parser(Offered(words)),
                }
            }
        });
    }
    result
}

/// Returns the usage: `affinor equal [OPTIONS] <LEFT> <RIGHT>`.
fn usage(command: &Command) -> String {
    let mut usage = format!("affinor {} [OPTIONS]", command.name);
    for parameter in command.parameters {
        usage += &match parameter.required {
            true => format!(" <{}>", parameter.name),
            false => format!(" [{}]", parameter.name),
        };
    }
    usage
}

/// A parser that accepts any text, and offers these words for completion. Other words are checked by the command.
#[derive(Clone)]
struct Offered(Vec<&'static str>);

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|word| PossibleValue::new(*word))))
    }
}

fn after_help(command: &Command) -> String {
    let mut text = command.details.to_owned();
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str("In a session, for example:");
    for line in command.example {
        text.push_str("\n  ");
        text.push_str(line);
    }
    text
}

/// Builds the call of the command `name` from clap's matches.
fn call(name: &str, mut matches: ArgMatches) -> Result<Task, Refusal> {
    let Some(command) = command(name) else {
        let message = format!("there is no command `{name}`");
        return Err(Refusal::Error(Error::without_span(ErrorKind::Usage, message), None));
    };
    let mut words = Vec::new();
    for index in 0..command.positions() {
        words.extend(strings(&mut matches, &format!("argument {index}")));
    }
    if matches.try_contains_id(MORE).is_ok() {
        words.extend(strings(&mut matches, MORE));
    }
    if let Some(error) = shell::cut_off(command, &words) {
        return Err(Refusal::Error(error, None));
    }
    if let ([only], true) = (&mut words[..], shell::takes_text(command))
        && only == "-"
    {
        *only = shell::from_input().map_err(|error| Refusal::Error(error, None))?;
    }
    let mut options = Vec::new();
    let mut number = words.len();
    for option in command.options {
        if option.value.is_none() {
            if matches.get_flag(option.name) {
                options.push((option.name, None));
            }
            continue;
        }
        for value in strings(&mut matches, option.name) {
            number += 1;
            let value = Argument::word(value, number);
            options.push((option.name, Some(value)));
        }
    }
    if let Some(line) = shell::line(command, &words, &options) {
        return Ok(Task::Line(line, words));
    }
    let positional = (1..).zip(words);
    let positional = positional.map(|(number, word)| Argument::word(word, number));
    Ok(Task::Call(command, Arguments { positional: positional.collect(), options }))
}

fn strings(matches: &mut ArgMatches, id: &str) -> Vec<String> {
    matches.remove_many::<String>(id).map(Iterator::collect).unwrap_or_default()
}

fn not_utf8(number: usize, word: &OsString) -> Refusal {
    let bytes = word.as_encoded_bytes();
    let valid = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    let message = format!("argument {number} is not UTF-8");
    let error = Error::new(ErrorKind::Encoding, valid..valid + 1, message);
    Refusal::Error(error, Some((number, word.to_string_lossy().into_owned())))
}
