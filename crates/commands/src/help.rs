//! `help`, `completions` and `quit`.

use super::advice::synonym;
use super::failure::Failure;
use super::glossary;
use super::output::{Object, Output, Role, Text, clipped};
use super::rules::rule_output;
use super::table::{Call, Command, Commands, Kind, Parameter};
use super::topics::{TOPICS, topic};
use super::words::nearest;
use affinor::text::ErrorKind;

pub const HELP: Command = Command {
    name: "help",
    parameters: &[Parameter::optional("NAME...", Kind::Command)],
    options: &[],
    summary: "list the commands, or explain a command, a rule, a topic or a word",
    details: "Topics: maps, code, answers, words, keys, scripts, examples. `help all` lists each command in a line. For any other\n\
              word, help shows its meaning, or the lines of help that contain it.",
    example: &["help compose", "help div-strip", "help maps", "help range variable"],
    makes_map: false,
    keys: "",
    run: run_help,
};

pub const COMPLETIONS: Command = Command {
    name: "completions",
    parameters: &[Parameter::required("SHELL", Kind::Word(&["bash", "zsh", "fish"]))],
    options: &[],
    summary: "print a shell completion script",
    details: "For example, in bash: affinor completions bash > ~/.local/share/bash-completion/completions/affinor",
    example: &["completions bash"],
    makes_map: false,
    keys: "",
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
    keys: "",
    run: run_quit,
};

fn run_help(call: &mut Call<'_>) -> Result<(), Failure> {
    let words: Vec<&str> = call.arguments.positional.iter().map(|word| &*word.text).collect();
    let words = words.join(" ");
    let output = match words.as_str() {
        "" | "me" => overview(call.commands),
        "all" => list(call.commands),
        name => match (call.commands.named(name.trim_start_matches(':')), topic(name)) {
            (Some(command), _) => explanation(command),
            (None, Some(topic)) => topic.output(call.commands),
            (None, None) => match rule_output(call, name)? {
                Some(output) => output,
                None => elsewhere(call, name)?,
            },
        },
    };
    call.emit(output);
    Ok(())
}

/// Returns the help for words that are not a command, topic or rule: their meaning, the command with this name in other
/// programs, or the lines of help that contain them.
fn elsewhere(call: &Call<'_>, words: &str) -> Result<Output, Failure> {
    let meaning = glossary::meaning(words);
    let command = || call.commands.named(synonym(words)?).map(explanation);
    let found = meaning.or_else(command).or_else(|| glossary::lines(call.commands, words));
    found.ok_or_else(|| unknown(call, words))
}

/// Creates the failure for words without help.
fn unknown(call: &Call<'_>, words: &str) -> Failure {
    let argument = &call.arguments.positional[0];
    let message = format!("nothing is known of `{}`", clipped(words));
    let failure = argument.wrong(ErrorKind::Usage, message);
    let topics = TOPICS.iter().map(|topic| topic.name);
    let commands = call.commands.iter().map(|command| command.name);
    let mut known: Vec<&str> = commands.chain(topics).chain(glossary::names()).collect();
    known.extend(call.session.rule_names());
    let near = nearest(words, known.into_iter());
    match near {
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
        return Err(shell.wrong(ErrorKind::Usage, message).hint("it is one of bash, zsh, fish"));
    };
    let json = Object::new().with("result", script.as_str());
    call.emit(Output::new(Text::new().plain(script), json));
    Ok(())
}

fn run_quit(call: &mut Call<'_>) -> Result<(), Failure> {
    call.session.quit();
    Ok(())
}

/// Returns the list of commands, which fits on a screen of 80 x 24.
fn overview(commands: Commands) -> Output {
    let mut text = Text::of(
        Role::Plain,
        "A map, code, HLO, MLIR or a shape alone in a line is answered: i * 8 + (j & 7)\n\n",
    );
    for (group, commands) in commands.0 {
        text.push(Role::Faint, format!("{group:10}"));
        let mut column = 10;
        for command in *commands {
            let name = command.name;
            if column > 10 && column + name.len() + 2 > 80 {
                text.push(Role::Plain, format!("\n{:10}", ""));
                column = 10;
            } else if column > 10 {
                text.push(Role::Plain, "  ");
                column += 2;
            }
            text.push(Role::Name, name);
            column += name.len();
        }
        text.push(Role::Plain, "\n");
    }
    text.push(
        Role::Faint,
        "\n`help COMMAND` says more, `help all` lists each in a line, `help examples` shows\n\
         each at work, `help words` explains answers. Also: maps, code, answers, keys,\n\
         scripts; `tour` shows what this is for.\n\
         A map: (d0, d1)[s0] -> (d0 * 8 + s0, d1 floordiv 2), domain: d0 in [0, 3],\n       \
         d1 in [0, 9], s0 in [0, 7]",
    );
    Output::new(text, commands_object(commands))
}

/// Returns a line for each command.
fn list(commands: Commands) -> Output {
    let width = commands.iter().map(|command| command.name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = Text::new();
    for command in commands.iter() {
        text.new_line();
        text.push(Role::Name, format!("{:width$}", command.name));
        text.push(Role::Plain, format!("  {}", command.summary));
    }
    Output::new(text, commands_object(commands))
}

fn commands_object(commands: Commands) -> Object {
    let commands: Vec<Object> = commands
        .iter()
        .map(|command| {
            Object::nested()
                .with("name", command.name)
                .with("usage", command.usage())
                .with("summary", command.summary)
        })
        .collect();
    Object::new().with("commands", commands)
}

fn explanation(command: &Command) -> Output {
    let mut text = Text::of(Role::Name, command.short_usage());
    text.push(Role::Plain, format!("\n{}", command.summary));
    text.push(Role::Faint, "\n\nfor example");
    for line in command.example {
        text.push(Role::Formula, format!("\n  {line}"));
    }
    if !command.details.is_empty() {
        text.push(Role::Prose, format!("\n\n{}", command.details));
    }
    let width = command.options.iter().map(|option| option.sketch().len()).max().unwrap_or(0);
    for (index, option) in command.options.iter().enumerate() {
        text.push(Role::Plain, if index == 0 { "\n\n  " } else { "\n  " });
        text.push(Role::Name, format!("{:width$}", option.sketch()));
        text.push(Role::Plain, format!("  {}", option.summary));
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
