//! `link`: a shell command, or the address of a page, that reproduces the last answer.

use super::arguments::{Argument, Arguments};
use super::failure::Failure;
use super::lines::{Line, Lines, not_written};
use super::option::{Setting, text};
use super::output::{Object, Output, Role, Text, clipped};
use super::session::Session;
use super::table::{Call, Command, Commands, Kind, Parameter};
use affinor::text::ErrorKind;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::{Compression, write::DeflateEncoder};
use std::io::Write;

const PAGE: Setting<Argument> =
    Setting::new("page", "URL", "as an address of the page at URL, which runs the commands", text);

pub const LINK: Command = Command {
    name: "link",
    parameters: &[Parameter::optional("FILE", Kind::File)],
    options: &[PAGE.switch],
    summary: "write a shell command that gives the last answer again, for a bug report",
    details: "Names of maps are replaced by their texts. Rules that were added or switched off, and the style, come before as commands\n\
              of their own. Files that the answer depends on are named. With FILE, it is written there as a script of sh. What\n\
              `show` without a map, `rules`, `set`, `help` and the like say is of this session, and passed over. With --page, the\n\
              commands are in the fragment of the address, which a browser keeps to itself; files are not.",
    example: &[
        "let a = (d0) -> (d0 mod 4), domain: d0 in [0, 9]",
        "equal a ; (d0) -> (d0), domain: d0 in [0, 9]",
        "link",
    ],
    makes_map: false,
    keys: "",
    run,
};

/// The first line of a script.
const HEAD: &str = "#!/bin/sh";

/// The separator of commands in an address, and the maximum length of its fragment in characters: as in `web/page/link.js`.
const SEPARATOR: &str = "\u{1e}";
const MOST_OF_A_FRAGMENT: usize = 1 << 16;

/// The maximum size in bytes of one argument of a process, with a margin: Linux allows 131,072.
const MOST_BYTES: usize = 120_000;

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let Some(commands) = call.session.recent.commands() else {
        let failure = call.wrong_usage("there is no answer that a command could give again");
        return Err(failure.hint("type it after a command such as `equal`, `simplify` or `hlo`"));
    };
    if let Some(page) = call.value(&PAGE)? {
        return address(call, &page, &commands);
    }
    if commands.iter().any(|command| command.len() > MOST_BYTES) {
        let failure = call.place.wrong(ErrorKind::TooLarge, "the command is too long for a shell");
        return Err(failure.hint("`save FILE` writes the session as a script"));
    }
    let line = commands.last().cloned().unwrap_or_default();
    let mut words = vec!["affinor".to_owned()];
    // Omits the answers of preparatory commands. For a definition, this would omit the answer itself.
    if commands.len() > 1
        && call
            .commands
            .find_or_paste(call.session, &line)
            .is_ok_and(|(command, ..)| command.name != "let")
    {
        words.push("-q".to_owned());
    }
    words.push("-e".to_owned());
    words.extend(commands);
    let files = files_of(call.commands, call.session, &line);
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let mut script: String =
        files.iter().map(|file| format!("# with the file {}\n", quoted_file(file))).collect();
    script += &quoted.join(" ");
    let json =
        Object::new().with("script", script.as_str()).with("words", words).with("files", files);
    let Some(path) = call.arguments.positional.first().cloned() else {
        call.emit(Output::new(Text::of(Role::Plain, script), json));
        return Ok(());
    };
    if let Ok(reader) = call.host.open(&path.text) {
        let first = Lines::new(reader).next_line();
        if !matches!(&first, Ok(Some(Line::Text(line))) if line == HEAD)
            && !matches!(first, Ok(None))
        {
            let message =
                format!("`{}` already exists and is not a script of sh", clipped(&path.text));
            return Err(path.wrong(ErrorKind::File, message).hint("choose another name"));
        }
    }
    let written = call.host.write(&path.text, format!("{HEAD}\n{script}\n").as_bytes());
    written.map_err(|error| path.blame(not_written(&path.text, &error)))?;
    let text = Text::of(Role::Faint, format!("written to {}", clipped(&path.text)));
    call.emit(Output::new(text, json.with("file", path.text)));
    Ok(())
}

/// Answers the address of a page that runs these commands.
fn address(call: &mut Call<'_>, page: &Argument, commands: &[String]) -> Result<(), Failure> {
    let has_scheme = ["http://", "https://"].iter().any(|scheme| page.text.starts_with(scheme));
    if !has_scheme || page.text.contains(|c: char| c == '#' || c.is_whitespace() || c.is_control())
    {
        let failure = page.wrong(
            ErrorKind::Usage,
            "the address of a page begins with http:// or https://, and has no fragment",
        );
        return Err(failure.hint("for instance `link --page https://example.org/affinor/`"));
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let packed =
        encoder.write_all(commands.join(SEPARATOR).as_bytes()).and_then(|()| encoder.finish());
    let fragment = packed.map(|packed| URL_SAFE_NO_PAD.encode(packed)).unwrap_or_default();
    if fragment.is_empty() || fragment.len() > MOST_OF_A_FRAGMENT {
        let failure =
            call.place.wrong(ErrorKind::TooLarge, "the commands are too long for an address");
        return Err(failure.hint("`save FILE` writes the session as a script"));
    }
    let url = format!("{}#s={fragment}", page.text);
    let line = commands.last().map_or("", String::as_str);
    let files = files_of(call.commands, call.session, line);
    let mut text = Text::new();
    for file in &files {
        text.push(Role::Faint, format!("to drop on the page: {}\n", quoted_file(file)));
    }
    text.push(Role::Plain, url.as_str());
    call.emit(Output::new(text, Object::new().with("url", url).with("files", files)));
    Ok(())
}

/// Returns the files that a command line names.
fn files_of(commands: Commands, session: &Session, line: &str) -> Vec<String> {
    let Ok((command, _, end)) = commands.find_or_paste(session, line) else {
        return Vec::new();
    };
    // Commands that run another command.
    let rest = line.get(end..).unwrap_or_default();
    match command.name {
        "let" => {
            return rest
                .split_once('=')
                .map_or(Vec::new(), |(_, value)| files_of(commands, session, value));
        }
        "time" => return files_of(commands, session, rest),
        _ => {}
    }
    let Ok(arguments) = Arguments::from_line(commands, command, line, end) else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for (index, argument) in arguments.positional.iter().enumerate() {
        let kind = command
            .parameters
            .get(index)
            .or(command.parameters.last())
            .map(|parameter| parameter.kind);
        let is_file = matches!(kind, Some(Kind::File | Kind::Files));
        if is_file || index == 0 && command.reads_module(&argument.text) {
            files.push(argument.text.clone());
        }
    }
    for (name, value) in &arguments.options {
        let option = command.options.iter().find(|option| option.name == *name);
        let is_file = option.is_some_and(|option| matches!(option.value, Some("FILE" | "DIR")));
        files.extend(value.iter().filter(|_| is_file).map(|value| value.text.clone()));
    }
    files
}

/// Quotes a word for sh.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Returns the name of a file for a comment: a single line.
fn quoted_file(file: &str) -> String {
    match file {
        "-" => "on standard input".to_owned(),
        file => file.chars().filter(|c| !c.is_control()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_sh() {
        for (word, expected) in [
            ("affinor", "affinor"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("$x `y` \"z\"", "'$x `y` \"z\"'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
