//! `undo` and `reset`: restore the previous state of the session, or the initial one.

use super::failure::Failure;
use super::output::{Object, Output, Role, Text, clipped};
use super::table::{Call, Command};
use super::words::count;

pub const UNDO: Command = Command {
    name: "undo",
    parameters: &[],
    options: &[],
    summary: "undo the last command that changed the session",
    details: "Restores names, numbered answers, rules and settings, but not written files. Repeat it for up to 100 commands.\n\
              `reset` can be undone too.",
    example: &["let a = (d0) -> (d0 * 2), domain: d0 in [0, 3]", "undo"],
    makes_map: false,
    keys: "",
    run: run_undo,
};

pub const RESET: Command = Command {
    name: "reset",
    parameters: &[],
    options: &[],
    summary: "forget all names, numbered answers and added rules",
    details: "Disabled rules are enabled again. Settings are kept.",
    example: &["reset"],
    makes_map: false,
    keys: "",
    run: run_reset,
};

fn run_undo(call: &mut Call<'_>) -> Result<(), Failure> {
    let Some(command) = call.session.undo() else {
        return Err(call.wrong_usage("no command has changed this session").hint(
            "only commands that name a map, return a map, add a rule or change a setting can be undone",
        ));
    };
    let text = Text::of(Role::Faint, format!("taken back: {}", clipped(&command)));
    call.emit(Output::new(text, Object::new().with("undone", command)).echo());
    Ok(())
}

fn run_reset(call: &mut Call<'_>) -> Result<(), Failure> {
    let session = &mut *call.session;
    let (names, rules) = (session.maps.len(), session.rules.len());
    session.forget();
    let text = Text::of(
        Role::Faint,
        format!("forgot {}, {}; `undo` restores them", count(names, "name"), count(rules, "rule")),
    );
    let json = Object::new().with("names", names).with("rules", rules);
    call.emit(Output::new(text, json).echo());
    Ok(())
}
