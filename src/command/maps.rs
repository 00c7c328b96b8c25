//! `let` and `show`: naming maps and looking at them. Also how every command reads and writes maps.

use super::arguments::Argument;
use super::failure::{Failure, Place};
use super::output::{Object, Output, Role, Status, Text, clipped};
use super::relay::Relay;
use super::results::number_of;
use super::session::{Call, Host};
use super::table::{Command, Kind, Parameter, command, nearest, nearest_command};
use crate::error::{Error, ErrorKind};
use crate::expr::ExprError;
use crate::fuel::Stopped;
use crate::map::IndexingMap;
use crate::syntax::{is_name, parse_map, print_map};

/// `let`
pub const LET: Command = Command {
    name: "let",
    parameters: &[Parameter {
        name: "NAME = MAP",
        kind: Kind::Rest,
        required: true,
    }],
    options: &[],
    summary: "names a map",
    details: "In the place of MAP, a command that answers with a map may stand: `let c = compose a ; b`.\n\
              `_` is the map of the last answer; `_1`, `_2`, .. are the answers that were maps, in order.",
    example: &["let a = (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]"],
    makes_map: false,
    run: run_let,
};

/// `show`
pub const SHOW: Command = Command {
    name: "show",
    parameters: &[Parameter {
        name: "MAP",
        kind: Kind::Map,
        required: false,
    }],
    options: &[],
    summary: "writes a map as it is, or lists the named maps",
    details: "",
    example: &[
        "let a = (d0) -> (16d0 // 2), domain: d0 in [0, 3]",
        "show a",
    ],
    makes_map: true,
    run: run_show,
};

fn run_let(call: &mut Call<'_>) -> Result<(), Failure> {
    let definition = call.argument(0)?.clone();
    let Some(equals) = definition.text.find('=') else {
        return Err(call.wrong_usage("`let` needs `NAME = MAP`"));
    };
    let target = part(&definition, 0, equals);
    let value = part(&definition, equals + 1, definition.text.len());
    let name = target.text.trim().to_owned();
    if !is_name(&name) || name == "_" {
        return Err(target
            .wrong(ErrorKind::Name, "this cannot be the name of a map")
            .hint(
                "a name is letters, digits and `_`, is no keyword and does not begin with a digit",
            ));
    }
    if number_of(&name).is_some() {
        return Err(target
            .wrong(
                ErrorKind::Name,
                format!("`{name}` is the name of an answer"),
            )
            .hint("choose another name"));
    }
    if command(&name).is_some() {
        return Err(target.wrong(ErrorKind::Name, format!("`{name}` is a command")));
    }
    let numbered = call.session.results.last_number();
    let output = match call.session.find(&value.text) {
        Ok((inner, _)) if inner.makes_map => {
            // The last answer is given on under its name.
            let mut last = None;
            let mut relay = Relay {
                host: &mut *call.host,
                answer: |host: &mut dyn Host, output| {
                    if let Some(earlier) = last.replace(output) {
                        host.emit(earlier);
                    }
                },
            };
            call.session
                .run(&value.text, &mut relay)
                .map_err(|failure| match failure.place {
                    Place::Command => value.blame(failure.error),
                    _ => failure,
                })?;
            last
        }
        Ok((inner, _)) => {
            let message = format!("`{}` does not answer with a map", inner.name);
            return Err(value.wrong(ErrorKind::Usage, message));
        }
        Err(_) => {
            let map = call.map(&value)?;
            Some(call.map_output(map))
        }
    };
    let (Some(map), Some(mut output)) = (call.session.last.clone(), output) else {
        return Err(value.wrong(ErrorKind::Usage, "there was no map to name"));
    };
    // Of an answer that says more than the map, what has a name is the map: unless something is wrong with it.
    let shown = print_map(&map, call.session.style);
    if output.status == Status::Done && !output.text.to_string().starts_with(&shown) {
        output.text = Text::of(Role::Formula, shown);
    }
    call.session.results.truncate(numbered); // it has a name
    output.number = None;
    call.session.name(name.clone(), map);
    let mut text = Text::of(Role::Name, &name).plain(" = ");
    text.append(output.text);
    output.text = text;
    output.json = output
        .json
        .map(|fields| Object::from(fields).with("name", name).into());
    output.is_echo = true;
    call.emit(output);
    Ok(())
}

fn run_show(call: &mut Call<'_>) -> Result<(), Failure> {
    if let Some(argument) = call.arguments.positional.first() {
        let map = call.map(argument)?;
        let output = call.map_output(map);
        call.emit(output);
        return Ok(());
    }
    let style = call.session.style;
    let (mut text, mut maps) = (Text::new(), Object::nested());
    for (name, map) in &call.session.maps {
        let map = print_map(map, style);
        text.new_line();
        text.push(Role::Name, name);
        text.push(Role::Plain, " = ");
        text.push(Role::Formula, &map);
        maps = maps.with(name, map);
    }
    if text.is_empty() {
        text.push(
            Role::Faint,
            "no map has a name yet: `let NAME = MAP` gives one",
        );
    }
    call.emit(Output::new(text, Object::new().with("maps", maps)));
    Ok(())
}

impl Call<'_> {
    /// The map that an argument names or writes out.
    ///
    /// # Errors
    /// At its position, whatever is wrong with it.
    pub fn map(&self, argument: &Argument) -> Result<IndexingMap, Failure> {
        let text = argument.text.trim();
        if text == "_" {
            return self.session.last.clone().ok_or_else(|| {
                argument.wrong(
                    ErrorKind::Name,
                    "there is no last answer yet that `_` could be",
                )
            });
        }
        if let Some(number) = number_of(text) {
            return self.session.results.get(number).cloned().ok_or_else(|| {
                let failure = argument.wrong(
                    ErrorKind::Name,
                    format!("there is no answer `{}`", clipped(text)),
                );
                match self.session.results.last_number() {
                    0 => failure.hint("no answer has been a map yet"),
                    last => failure.hint(format!("the last one is `_{last}`")),
                }
            });
        }
        if is_name(text) {
            return self.session.maps.get(text).cloned().ok_or_else(|| {
                let names = self.session.names();
                let near = nearest(text, names);
                let hint = match near {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "`let NAME = MAP` names one, `show` lists the names".to_owned(),
                };
                argument
                    .wrong(
                        ErrorKind::Name,
                        format!("no map is called `{}`", clipped(text)),
                    )
                    .hint(hint)
            });
        }
        self.check_first_word(argument)?;
        parse_map(&argument.text).map_err(|error| argument.blame(error))
    }

    /// Is `argument` not a name, or what looks like a command, with more text behind it?
    fn check_first_word(&self, argument: &Argument) -> Result<(), Failure> {
        let text = argument.text.trim_start();
        let start = argument.text.len() - text.len();
        let length = text.find(char::is_whitespace).unwrap_or(text.len());
        let word = &text[..length];
        if !is_name(word) {
            return Ok(()); // a text, or nothing that this could say more about than the parser
        }
        if word == "_" || number_of(word).is_some() || self.session.maps.contains_key(word) {
            let rest = text[length..].trim_start();
            let error = Error::new(
                ErrorKind::Syntax,
                argument.text.len() - rest.len()..argument.text.len(),
                format!("expected nothing after the name `{}`", clipped(word)),
            );
            return Err(argument.blame(error.hint("two maps are separated by `;`")));
        }
        let error = Error::new(
            ErrorKind::Name,
            start..start + length,
            format!("there is neither a map nor a command `{}`", clipped(word)),
        );
        Err(argument.blame(match nearest_command(word) {
            Some(name) => error.hint(format!("did you mean `{name}`?")),
            None => error.hint("write a map as `(d0) -> (d0 * 2), domain: d0 in [0, 9]`"),
        }))
    }

    /// Makes `map` the last answer, and says it.
    pub fn map_output(&mut self, map: IndexingMap) -> Output {
        let text = print_map(&map, self.session.style);
        let number = self.session.answer(map);
        let json = Object::new().with("result", text.as_str());
        let mut output = Output::new(Text::of(Role::Formula, text), json);
        output.number = Some(number);
        output
    }
}

/// The error for an expression that cannot be held.
#[must_use]
pub fn expr_error(error: ExprError) -> Error {
    let kind = match error {
        ExprError::Overflow => ErrorKind::Overflow,
        ExprError::Divisor(_) => ErrorKind::Division,
        ExprError::Stopped(Stopped::Interrupted) => ErrorKind::Interrupted,
        ExprError::TooDeep | ExprError::TooLarge | ExprError::Stopped(_) => ErrorKind::TooLarge,
    };
    Error::without_span(kind, error.to_string())
}

fn part(argument: &Argument, start: usize, end: usize) -> Argument {
    argument
        .part(start..end)
        .unwrap_or_else(|| argument.clone())
}
