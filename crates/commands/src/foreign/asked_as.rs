//! Shows a line that a text stands for, and runs it; notes on how its bounds are read.

use super::{domains, ranges};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::host::Host;
use crate::output::{Output, Role, Status, Text};
use crate::session::Session;
use crate::table::{Call, Commands};
use affinor::text::Error;

/// Shows lines and runs them.
pub fn run_all(
    call: &mut Call<'_>,
    argument: &Argument,
    lines: Vec<String>,
) -> Result<(), Failure> {
    for note in notes(&argument.text, &lines.iter().map(String::as_str).collect::<Vec<_>>()) {
        call.host.emit(said(note));
    }
    lines.into_iter().try_for_each(|line| {
        let status = run_as(call.commands, &line, call.session, call.host)
            .map_err(|failure| argument.blame(Error { span: None, ..failure.error }))?;
        call.status = call.status.and(status);
        Ok(())
    })
}

/// Returns the notes on the bounds of a text, as its lines have them.
pub fn notes(text: &str, lines: &[&str]) -> Vec<String> {
    let is_read = lines.iter().all(|line| ranges::note(line).is_none());
    let of_ends = ranges::note(text).filter(|_| is_read);
    let of_zero = lines.iter().find_map(|line| domains::note(text, line));
    of_ends.into_iter().chain(of_zero).collect()
}

/// Shows a line and runs it.
pub fn run_as(
    commands: Commands,
    line: &str,
    session: &mut Session,
    host: &mut dyn Host,
) -> Result<Status, Failure> {
    host.emit(said(format!("asked as `{line}`")));
    commands.run(session, line, host)
}

/// Returns a line about how a text is read.
pub fn said(text: String) -> Output {
    let text = Text::of(Role::Faint, text);
    Output { text, json: None, status: Status::Done, is_echo: false, number: None }
}
