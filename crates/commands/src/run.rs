//! `run`: runs the commands of a file, as if they were typed.

use super::failure::{Failure, Place, Source};
use super::held::Pause;
use super::lines::{Line, Lines, file_error};
use super::script::{Script, Splitter};
use super::table::{Call, Command, Kind, Parameter};
use affinor::text::{Error, ErrorKind};

pub const RUN: Command = Command {
    name: "run",
    parameters: &[Parameter::required("FILE", Kind::File)],
    options: &[],
    summary: "run the commands of a file in this session",
    details: "Runs the commands as if typed, until the first error. `save` writes such a file.",
    example: &[
        "let a = (d0) -> (d0 * 2), domain: d0 in [0, 3]",
        "save session.aff",
        "reset",
        "run session.aff",
    ],
    makes_map: false,
    keys: "",
    run,
};

/// The maximum nesting depth of scripts.
const MOST_NESTED: usize = 16;

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let path = call.argument(0)?.clone();
    if call.session.scripts == MOST_NESTED {
        let message = format!("scripts are nested more than {MOST_NESTED} deep");
        return Err(path.wrong(ErrorKind::TooLarge, message));
    }
    let reader = call.host.open(&path.text);
    let mut lines = Lines::new(reader.map_err(|error| path.blame(file_error(&path.text, &error)))?);
    call.session.scripts += 1;
    let result = commands(call, &path.text, &mut lines);
    call.session.scripts -= 1;
    result
}

fn commands(call: &mut Call<'_>, name: &str, lines: &mut Lines) -> Result<(), Failure> {
    let mut splitter = Splitter::new();
    loop {
        let first_line = splitter.next_line();
        let in_file = |error: Error, text: &str, first_line: usize| {
            let source = Source { name: name.to_owned(), text: text.into(), first_line };
            Failure::new(error, Place::Source(Box::new(source)))
        };
        let line = lines.next_of_script();
        let line = line.map_err(|error| in_file(file_error(name, &error), "", first_line))?;
        let is_last = line.is_none();
        let pause = match &line {
            None => Some(Pause::End),
            Some(Line::Text(line)) if splitter.is_pause(line) => Some(Pause::Blank),
            Some(_) => None,
        };
        let script: Option<Script> = match line {
            Some(Line::Text(line)) => {
                let pushed = splitter.push(&line);
                pushed.map_err(|error| in_file(error, "", first_line))?
            }
            Some(Line::Wrong(error, shown)) => return Err(in_file(error, &shown, first_line)),
            None => splitter.finish(),
        };
        if let Some(script) = script {
            let status = call.commands.run(call.session, &script.text, &mut *call.host);
            let status = status.map_err(|failure| match failure.place {
                Place::Source(_) => failure,
                _ => in_file(failure.error, &script.text, script.first_line),
            })?;
            call.status = call.status.and(status);
        }
        if let Some(pause) = pause {
            let status = call.commands.settle(call.session, pause, &mut *call.host);
            let status = status.map_err(|failure| in_file(failure.error, "", first_line))?;
            call.status = call.status.and(status);
        }
        call.go_on()?;
        if is_last || call.session.has_quit() {
            return Ok(());
        }
    }
}
