//! `let` and `show`: name maps and print them. Also the reading and printing of maps for all commands.

use super::arguments::Argument;
use super::bare::is_code;
use super::code::name_value;
use super::failure::{Failure, Place};
use super::given::part;
use super::host::Host;
use super::option::C;
use super::output::{Object, Output, Role, Status, Text};
use super::relay::Relay;
use super::results::number_of;
use super::table::{Call, Command, Kind, Parameter};
use super::width::{BITS, UNSIGNED};
use affinor::text::{ErrorKind, is_name, print_map};
use affinor_code::Value;

pub const LET: Command = Command {
    name: "let",
    parameters: &[Parameter::required("NAME = MAP", Kind::Inner)],
    options: &[C.switch],
    summary: "name a map",
    details: "MAP is a map or a command that returns one: `let c = compose a ; b`.\n\
              `_` is the last map; `_1`, `_2`, .. are the numbered answers.",
    example: &["let a = (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]"],
    makes_map: false,
    keys: "",
    run: run_let,
};

pub const SHOW: Command = Command {
    name: "show",
    parameters: &[Parameter::optional("MAP", Kind::Map)],
    options: &[C.switch, BITS.switch, UNSIGNED.switch],
    summary: "print a map unchanged, or list the named maps",
    details: "",
    example: &["let a = (d0) -> (16d0 // 2), domain: d0 in [0, 3]", "show a"],
    makes_map: true,
    keys: "",
    run: run_show,
};

fn run_let(call: &mut Call<'_>) -> Result<(), Failure> {
    let definition = call.argument(0)?.clone();
    let Some(equals) = definition.text.find('=') else {
        return Err(call.wrong_usage("`let` needs `NAME = MAP`"));
    };
    let target = part(&definition, 0..equals);
    let value = part(&definition, equals + 1..definition.text.len());
    let name = new_name(call, &target)?;
    let numbered = call.session.results.last_number();
    let before = call.session.last.clone();
    let (output, of_code) = named_value(call, &definition, &value)?;
    if call.session.results.last_number() > numbered + 1 {
        let failure =
            value.wrong(ErrorKind::Usage, "the answer has several maps, and a name is of one");
        return Err(failure.hint(
            "of `hlo`, `--instruction NAME --operand NUMBER` asks for the maps of one operand",
        ));
    }
    // Some answers have no map, such as that of `layout equal`; `_` is then the map of an earlier answer.
    let has_map = |output: &Output| {
        output.number.is_some()
            || call.session.last != before
            || output.json.as_ref().is_none_or(|json| json.get("map").is_some())
    };
    let last = call.session.last.clone().filter(|_| output.as_ref().is_none_or(has_map));
    let (Some(map), Some(mut output)) = (last, output.clone()) else {
        // The answer may give the reason.
        output.into_iter().for_each(|output| call.emit(output));
        return Err(value.wrong(ErrorKind::Usage, "there was no map to name"));
    };
    // If the answer has more than the map, the text from the map on is about the map.
    if let Some(text) = output.text.behind_number() {
        output.text = text;
    }
    // A named answer is printed as its map only, unless its status is an error.
    let shown = call.written(&map)?;
    if output.status == Status::Done && !output.text.to_string().starts_with(&shown) {
        output.text = Text::of(Role::Formula, shown);
    }
    call.session.results.truncate(numbered); // a named result gets no number
    match &of_code {
        Some(value) => name_value(call, &name, value, None),
        None => call.session.name(name.clone(), map),
    }
    let mut output = output.of_name(&name);
    output.json = output.json.map(|fields| Object::from(fields).with("name", name).into());
    output.is_echo = true;
    call.emit(output);
    Ok(())
}

/// Returns the name that a map is to get.
fn new_name(call: &Call<'_>, target: &Argument) -> Result<String, Failure> {
    let name = target.text.trim().to_owned();
    if !is_name(&name) || name == "_" {
        return Err(target
            .wrong(ErrorKind::Name, "invalid map name")
            .hint(
                "a name consists of letters, digits and `_`, does not start with a digit, and is not a keyword",
            ));
    }
    if number_of(&name).is_some() {
        return Err(target
            .wrong(ErrorKind::Name, format!("`{name}` is reserved for a numbered answer"))
            .hint("choose another name"));
    }
    if call.commands.named(&name).is_some() {
        return Err(target.wrong(ErrorKind::Name, format!("`{name}` is a command")));
    }
    Ok(name)
}

/// Returns the answer with the map to be named, and the code that it is, if it is a single value of code.
fn named_value(
    call: &mut Call<'_>,
    definition: &Argument,
    value: &Argument,
) -> Result<(Option<Output>, Option<Value>), Failure> {
    let mut of_code = None;
    let output = match call.commands.find(&value.text) {
        Ok((inner, _)) if inner.makes_map => answer_of(call, value)?,
        Ok((inner, _)) => {
            let message = format!("`{}` does not return a map", inner.name);
            return Err(value.wrong(ErrorKind::Usage, message));
        }
        Err(_) if is_code(&value.text) => {
            let mut code = call.code(value, call.has(C))?;
            if code.relation.is_some() {
                // A named condition is a number, 1 if it holds.
                code = call.code(definition, call.has(C))?;
                code.values.iter_mut().for_each(|value| value.name = None);
            }
            if let [only] = &code.values[..] {
                of_code = Some(only.clone());
            }
            let map = call.map_of_code(value, code)?;
            Some(call.map_output(map)?)
        }
        Err(_) => {
            let map = call.map(value)?;
            Some(call.map_output(map)?)
        }
    };
    Ok((output, of_code))
}

/// Runs a command that returns a map; returns its last answer, and emits the others.
fn answer_of(call: &mut Call<'_>, value: &Argument) -> Result<Option<Output>, Failure> {
    call.session.recent.expect_inner(value);
    // The last answer is passed on under its name.
    let mut last: Option<Output> = None;
    let mut relay = Relay {
        host: &mut *call.host,
        answer: |host: &mut dyn Host, output: Output| match &last {
            // Of several numbered answers only the first is held, and the others are dropped: their numbers are
            // reverted.
            Some(held) if held.number.is_some() => {
                if output.number.is_none() {
                    host.emit(output);
                }
            }
            _ => {
                if let Some(earlier) = last.replace(output) {
                    host.emit(earlier);
                }
            }
        },
    };
    call.commands.run(call.session, &value.text, &mut relay).map_err(|failure| {
        match failure.place {
            Place::Command => value.blame(failure.error),
            _ => failure,
        }
    })?;
    Ok(last)
}

fn run_show(call: &mut Call<'_>) -> Result<(), Failure> {
    if let Some(argument) = call.arguments.positional.first() {
        let map = call.map(argument)?;
        let output = call.map_output(map)?;
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
        text.push(Role::Faint, "no named maps; `let NAME = MAP` names one");
    }
    call.emit(Output::new(text, Object::new().with("maps", maps)));
    Ok(())
}
