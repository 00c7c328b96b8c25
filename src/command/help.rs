//! `help`, `completions` and `quit`.

use super::advice::synonym;
use super::arguments::Argument;
use super::failure::Failure;
use super::output::{Object, Output, Role, Text, clipped};
use super::rules::rule_output;
use super::table::{Call, Command, Commands, Kind, Parameter};
use super::topics::{TOPICS, topic};
use super::words::nearest;
use crate::text::ErrorKind;

pub const HELP: Command = Command {
    name: "help",
    parameters: &[Parameter::optional("NAME", Kind::Command)],
    options: &[],
    summary: "list the commands, or explain a command, a rule or a topic",
    details: "Topics: maps, answers, keys, scripts, examples.",
    example: &["help compose", "help div-strip", "help maps"],
    makes_map: false,
    run: run_help,
};

pub const COMPLETIONS: Command = Command {
    name: "completions",
    parameters: &[Parameter::required(
        "SHELL",
        Kind::Word(&["bash", "zsh", "fish"]),
    )],
    options: &[],
    summary: "print a shell completion script",
    details: "For example, in bash: affinor completions bash > ~/.local/share/bash-completion/completions/affinor",
    example: &["completions bash"],
    makes_map: false,
    run: run_completions,
};

pub const QUIT: Command = Command {
    name: "quit",
    parameters: &[],
    options: &[],
    summary: "end the session",
    details: "",
    example: &["quit"],
    makes_map: false,
    run: run_quit,
};

fn run_help(call: &mut Call<'_>) -> Result<(), Failure> {
    let output = match call.arguments.positional.first() {
        None => overview(call.commands),
        Some(argument) => {
            let name = argument.text.as_str();
            match (
                call.commands.named(name.trim_start_matches(':')),
                topic(name),
            ) {
                (Some(command), _) => explanation(command),
                (None, Some(topic)) => topic.output(call.commands),
                (None, None) => match rule_output(call, name)? {
                    Some(output) => output,
                    None => return Err(unknown(call, argument)),
                },
            }
        }
    };
    call.emit(output);
    Ok(())
}

/// The failure for a name that nothing has.
fn unknown(call: &Call<'_>, argument: &Argument) -> Failure {
    let name = argument.text.as_str();
    let message = format!("unknown command, rule or topic `{}`", clipped(name));
    let failure = argument.wrong(ErrorKind::Usage, message);
    let topics = TOPICS.iter().map(|topic| topic.name);
    let commands = call.commands.iter().map(|command| command.name);
    let known = commands.chain(topics).chain(call.session.rule_names());
    match synonym(name).or_else(|| nearest(name, known)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("type `help` for the commands"),
    }
}

fn run_completions(call: &mut Call<'_>) -> Result<(), Failure> {
    let shell = call.argument(0)?;
    let known = matches!(shell.text.as_str(), "bash" | "zsh" | "fish");
    let script = call.host.completions(&shell.text).filter(|_| known);
    let Some(script) = script else {
        let message = format!("unsupported shell `{}`", clipped(&shell.text));
        return Err(shell
            .wrong(ErrorKind::Usage, message)
            .hint("it is one of bash, zsh, fish"));
    };
    let json = Object::new().with("result", script.as_str());
    call.emit(Output::new(Text::new().plain(script), json));
    Ok(())
}

fn run_quit(call: &mut Call<'_>) -> Result<(), Failure> {
    call.session.quit();
    Ok(())
}

fn overview(commands: Commands) -> Output {
    let width = commands.iter().map(|command| command.name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = Text::new();
    for command in commands.iter() {
        text.new_line();
        text.push(Role::Name, format!("{:width$}", command.name));
        text.push(Role::Plain, format!("  {}", command.summary));
    }
    text.push(
        Role::Faint,
        "\n`help COMMAND` says more, `help examples` shows each at work, `tour` shows what this is for. A map is a name or a text:\n  \
         (d0, d1)[s0] -> (d0 * 8 + s0, d1 floordiv 2), domain: d0 in [0, 3], d1 in [0, 9], s0 in [0, 7]",
    );
    let commands: Vec<Object> = commands
        .iter()
        .map(|command| {
            Object::nested()
                .with("name", command.name)
                .with("usage", command.usage())
                .with("summary", command.summary)
        })
        .collect();
    Output::new(text, Object::new().with("commands", commands))
}

fn explanation(command: &Command) -> Output {
    let mut text = Text::of(Role::Name, command.usage());
    text.push(Role::Plain, format!("\n{}", command.summary));
    if !command.details.is_empty() {
        text.push(Role::Plain, format!("\n\n{}", command.details));
    }
    let width = command
        .options
        .iter()
        .map(|option| option.sketch().len())
        .max()
        .unwrap_or(0);
    for (index, option) in command.options.iter().enumerate() {
        text.push(Role::Plain, if index == 0 { "\n\n  " } else { "\n  " });
        text.push(Role::Name, format!("{:width$}", option.sketch()));
        text.push(Role::Plain, format!("  {}", option.summary));
    }
    text.push(Role::Faint, "\n\nfor example");
    for line in command.example {
        text.push(Role::Formula, format!("\n  {line}"));
    }
    let options: Vec<Object> = command
        .options
        .iter()
        .map(|option| {
            Object::nested()
                .with("name", format!("--{}", option.name))
                .with_some("value", option.value)
                .with("summary", option.summary)
        })
        .collect();
    let json = Object::new()
        .with("name", command.name)
        .with("usage", command.usage())
        .with("summary", command.summary)
        .with("details", command.details)
        .with("options", options)
        .with("example", command.example);
    Output::new(text, json)
}
