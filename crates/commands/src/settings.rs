//! `set` and `time`: output settings, and the time of commands.

use super::failure::{Failure, Place};
use super::interpreter::time_output;
use super::output::{Object, Output, Role, Text, clipped};
use super::session::Session;
use super::table::{Call, Command, Kind, Parameter};
use super::words::{nearest, style_word};
use affinor::text::{ErrorKind, Style};

const NAMES: &[&str] = &["style", "ascii", "time"];
const VALUES: &[&str] = &["default", "plain", "xla", "mlir", "on", "off"];

/// Returns the words that may follow `set NAME`.
pub fn setting_values(name: &str) -> &'static [&'static str] {
    match name {
        "style" => &["default", "mlir", "plain", "xla"],
        _ => &["default", "off", "on"],
    }
}

pub const SET: Command = Command {
    name: "set",
    parameters: &[
        Parameter::optional("SETTING", Kind::Word(NAMES)),
        Parameter::optional("VALUE", Kind::Word(VALUES)),
    ],
    options: &[],
    summary: "show or change output settings",
    details: "style plain|xla|mlir  the notation of maps: floordiv, / as XLA writes it, or affine_map<..>, affine_set<..>\n\
\x20                     mlir refuses an answer that it has no text for (min, max, values known at run time);\n\
\x20                     in a longer answer such a map is written as in plain\n\
              ascii on|off          answers and pictures without characters beyond ASCII\n\
              time on|off           the CPU time of each command, below its answer\n\
              `default` is plain and off. Input may be in any notation, whatever the style.",
    example: &["set style xla", "set ascii on", "set"],
    makes_map: false,
    keys: "",
    run: run_set,
};

pub const TIME: Command = Command {
    name: "time",
    parameters: &[Parameter::optional("on|off|COMMAND", Kind::Inner)],
    options: &[],
    summary: "run a command and print its CPU time, or do so for every command",
    details: "`time` without arguments toggles. The CPU time is that of the session's thread.",
    example: &[
        "time simplify (d0) -> ((d0 * 4) floordiv 2), domain: d0 in [0, 9]",
        "time on",
        "time off",
    ],
    makes_map: false,
    keys: "",
    run: run_time,
};

fn run_set(call: &mut Call<'_>) -> Result<(), Failure> {
    let Some(name) = call.arguments.positional.first().cloned() else {
        let output = settings(call.session, NAMES);
        call.emit(output);
        return Ok(());
    };
    let Some(known) = NAMES.iter().position(|known| *known == name.text) else {
        let message = format!("unknown setting `{}`", clipped(&name.text));
        let failure = name.wrong(ErrorKind::Name, message);
        return Err(match nearest(&name.text.to_lowercase(), NAMES.iter().copied()) {
            Some(near) => failure.hint(format!("did you mean `set {near}`?")),
            None if name.text == "unicode" => {
                failure.hint("type `set ascii on` or `set ascii off`")
            }
            None => failure.hint("type `set` for the settings"),
        });
    };
    let shown = NAMES.get(known..=known).unwrap_or_default();
    if let Some(value) = call.arguments.positional.get(1) {
        let switch = match value.text.as_str() {
            "on" => Some(true),
            "off" | "default" => Some(false),
            _ => None,
        };
        let style = match value.text.as_str() {
            "plain" | "default" => Some(Style::Plain),
            "xla" => Some(Style::Xla),
            "mlir" => Some(Style::Mlir),
            _ => None,
        };
        let session = &mut *call.session;
        match (name.text.as_str(), style, switch) {
            ("style", Some(style), _) => session.style = style,
            ("ascii", _, Some(switch)) => session.ascii = switch,
            ("time", _, Some(switch)) => session.time = switch,
            (setting, ..) => {
                let message = format!("invalid value for `{setting}`: `{}`", clipped(&value.text));
                return Err(value.wrong(ErrorKind::Usage, message).hint(match setting {
                    "style" => "it is one of plain, xla, mlir",
                    _ => "it is `on` or `off`",
                }));
            }
        }
    }
    call.emit(settings(call.session, shown).echo());
    Ok(())
}

/// Answers the values of some settings.
fn settings(session: &Session, names: &[&str]) -> Output {
    let switch = |on: bool| if on { "on" } else { "off" };
    let (mut text, mut json) = (Text::new(), Object::new());
    for name in names {
        let value = match *name {
            "style" => style_word(session.style),
            "ascii" => switch(session.ascii),
            _ => switch(session.time),
        };
        text.new_line();
        text.push(Role::Name, *name);
        text.push(Role::Plain, format!(" {value}"));
        json = json.with(name, value);
    }
    if names == NAMES && !session.off.is_empty() {
        let off: Vec<&str> = session.off.iter().map(String::as_str).collect();
        text.push(Role::Plain, format!("\nrules off: {}", off.join(", ")));
        json = json.with("rules_off", off);
    }
    Output::new(text, json)
}

fn run_time(call: &mut Call<'_>) -> Result<(), Failure> {
    let Some(argument) = call.arguments.positional.first().cloned() else {
        call.session.time = !call.session.time;
        return say_time(call);
    };
    match argument.text.as_str() {
        "on" | "off" => {
            call.session.time = argument.text == "on";
            say_time(call)
        }
        text => {
            let clock = call.host.cpu_clock();
            let start = clock();
            let (inner, _) =
                call.commands.find(text).map_err(|failure| argument.blame(failure.error))?;
            call.session.recent.expect_inner(&argument);
            let status =
                call.commands.run(call.session, text, &mut *call.host).map_err(|failure| {
                    match failure.place {
                        Place::Command => argument.blame(failure.error),
                        _ => failure,
                    }
                })?;
            call.status = call.status.and(status);
            let output = time_output(inner.name, clock().saturating_sub(start));
            call.emit(output);
            Ok(())
        }
    }
}

fn say_time(call: &mut Call<'_>) -> Result<(), Failure> {
    call.emit(settings(call.session, &["time"]).echo());
    Ok(())
}
