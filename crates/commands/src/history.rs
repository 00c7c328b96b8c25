//! `history` and `clear`: show the lines of this session, and clear the screen.

use super::failure::Failure;
use super::output::{Object, Output, Role, Text};
use super::table::{Call, Command};

pub const HISTORY: Command = Command {
    name: "history",
    parameters: &[],
    options: &[],
    summary: "list the commands of this session",
    details: "At the prompt, Up and Ctrl-R reach those of earlier sessions too.",
    example: &["history"],
    makes_map: false,
    keys: "",
    run: run_history,
};

pub const CLEAR: Command = Command {
    name: "clear",
    parameters: &[],
    options: &[],
    summary: "clear the screen; names and answers stay",
    details: "`reset` forgets names and answers. In a script there is no screen, and `clear` does nothing.",
    example: &["clear"],
    makes_map: false,
    keys: "",
    run: run_clear,
};

fn run_history(call: &mut Call<'_>) -> Result<(), Failure> {
    let mut text = Text::new();
    for (number, line) in call.session.history.iter().enumerate() {
        text.new_line();
        text.push(Role::Faint, format!("{:4}  ", number + 1));
        text.push(Role::Plain, line.as_str());
    }
    let lines: Vec<&str> = call.session.history.iter().map(String::as_str).collect();
    let json = Object::new().with("history", lines);
    call.emit(Output::new(text, json));
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "as commands are")]
fn run_clear(_: &mut Call<'_>) -> Result<(), Failure> {
    Ok(()) // the terminal clears its own screen
}
