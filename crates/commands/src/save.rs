//! `save`: writes the session as a script that reproduces it; `run` restores it.
//!
//! The script has the state of the session, not its history: it does not need the files that were read, and its only cost is
//! to prove the added rules again.

use super::failure::Failure;
use super::lines::{Line, Lines, not_written};
use super::option::Flag;
use super::output::{Object, Output, Role, Text, clipped};
use super::session::Session;
use super::table::{Call, Command, Kind, Parameter};
use super::words::count;
use affinor::expr::IndexingMap;
use affinor::text::{ErrorKind, Style, print_map};

const FORCE: Flag = Flag::new("force", "overwrite a file that is not a saved session");

pub const SAVE: Command = Command {
    name: "save",
    parameters: &[Parameter::required("FILE", Kind::File)],
    options: &[FORCE.switch],
    summary: "write a script that reproduces the session",
    details: "`run FILE`, or `affinor FILE`, restores names, numbered answers, the last answer, added rules and settings.",
    example: &["let a = (d0) -> (d0 * 2), domain: d0 in [0, 3]", "save session.aff"],
    makes_map: false,
    keys: "",
    run,
};

/// The first line of a saved session.
const HEAD: &str = "# A session of affinor.";

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let path = call.argument(0)?.clone();
    if !call.has(FORCE)
        && let Ok(reader) = call.host.open(&path.text)
    {
        let first = Lines::new(reader).next_line();
        let is_ours = match &first {
            Ok(Some(Line::Text(line))) => line == HEAD,
            Ok(None) => true, // an empty file
            _ => false,
        };
        if !is_ours {
            let message =
                format!("`{}` already exists and is not a saved session", clipped(&path.text));
            return Err(path
                .wrong(ErrorKind::File, message)
                .hint("choose another name, or overwrite it with `--force`"));
        }
    }
    let script = script(call.session);
    let written = call.host.write(&path.text, script.as_bytes());
    written.map_err(|error| path.blame(not_written(&path.text, &error)))?;
    let names = call.session.maps.len();
    let text = Text::of(
        Role::Faint,
        format!("{} written to {}", count(names, "name"), clipped(&path.text)),
    );
    let json = Object::new().with("file", path.text.as_str()).with("names", names);
    call.emit(Output::new(text, json));
    Ok(())
}

/// Returns the commands that bring a new session into the state of this one.
fn script(session: &Session) -> String {
    let mut script = format!("{HEAD}\n");
    let mut line = |text: String| {
        script.push_str(&text);
        script.push('\n');
    };
    if session.locked.is_some() {
        line("# `rules lock` put rules of a checkout in force; a program that is built with them has them.".to_owned());
    }
    session.commands_for_rules().into_iter().for_each(&mut line);
    let layouts = session.attributes.iter();
    layouts.for_each(|(name, text)| line(format!("#{name} = {text}")));
    session.arrays.values().cloned().for_each(&mut line);
    let written = |map: &IndexingMap| print_map(map, Style::Plain);
    let wanted = session.last.as_ref();
    // The last answer is the last numbered one. Otherwise it has a name, and is named last, or it is shown again.
    let results: Vec<&IndexingMap> = session.results.all().into_iter().flatten().collect();
    let is_wanted = |(_, map): &(&String, &IndexingMap)| wanted == Some(*map);
    let named = match results.last().copied() == wanted {
        true => None,
        false => session.maps.iter().find(is_wanted),
    };
    let others = session.maps.iter().filter(|entry| Some(*entry) != named);
    for (name, map) in others {
        line(format!("let {name} = {}", written(map)));
    }
    for map in &results {
        line(format!("show {}", written(map)));
    }
    match (named, wanted) {
        (Some((name, map)), _) => line(format!("let {name} = {}", written(map))),
        (None, Some(wanted)) if results.last().copied() != Some(wanted) => {
            line(format!("show {}", written(wanted)));
        }
        _ => {}
    }
    session.commands_for_settings().into_iter().for_each(line);
    script
}
