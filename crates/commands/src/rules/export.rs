//! `rules export`: the rules as a directory for another system.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::lines::not_written;
use crate::option::{Setting, text};
use crate::output::{Object, Output, Role, Text, clipped};
use crate::table::{Call, Switch};
use crate::words::nearest;
use affinor::rule::Rule;
use affinor::rule::verify::Lock;
use affinor::text::ErrorKind;
use affinor_workshop::export::{Format, export};

pub(super) const FORMAT: Setting<Format> = Setting::new(
    "format",
    "FORMAT",
    "with `export`: json, smtlib, halide, rare, lean, rocq, egg or egglog",
    format,
)
.among(names);

pub(super) const OUT: Setting<Argument> =
    Setting::new("out", "DIR", "with `export`: the directory to write, new or empty", text);

/// Writes `rules` in the format and to the directory that the options name.
///
/// # Errors
/// If an option is missing or wrong, a rule has not been proved, or a file cannot be written.
pub(super) fn run(call: &mut Call<'_>, rules: &[Rule], lock: &Lock) -> Result<(), Failure> {
    let Some(format) = call.value(&FORMAT)? else {
        let failure = call.wrong_usage("`rules export` needs `--format FORMAT`");
        return Err(failure.hint(formats()));
    };
    let Some(out) = call.value(&OUT)? else {
        return Err(call.wrong_usage("`rules export` needs `--out DIR`"));
    };
    let files = export(format, rules, lock).map_err(|error| call.failed(error))?;
    let directory = out.text.trim_end_matches('/');
    let texts = files.iter();
    let texts: Vec<(&str, &str)> = texts.map(|file| (&*file.path, &*file.text)).collect();
    let written = call.host.write_directory(directory, &texts);
    written.map_err(|error| out.blame(not_written(directory, &error)))?;
    let text = Text::of(Role::Good, format!("{} rules", rules.len())).plain(format!(
        " as {}: {} files in {directory}; README.md explains how to check them",
        format.name(),
        files.len()
    ));
    let json = Object::new()
        .with("format", format.name())
        .with("out", directory)
        .with("rules", rules.len())
        .with("files", files.len());
    call.emit(Output::new(text, json));
    Ok(())
}

fn format(_: &Switch, given: &Argument) -> Result<Format, Failure> {
    Format::named(&given.text).ok_or_else(|| {
        let message = format!("unknown format `{}`", clipped(&given.text));
        let failure = given.wrong(ErrorKind::Name, message);
        match nearest(&given.text, names().into_iter()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint(formats()),
        }
    })
}

fn names() -> Vec<&'static str> {
    Format::ALL.iter().map(|format| format.name()).collect()
}

fn formats() -> String {
    format!("the formats are {}", names().join(", "))
}
