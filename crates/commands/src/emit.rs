//! `emit`: prints a map as code.

use super::arguments::Argument;
use super::failure::Failure;
use super::option::{C, Setting, text};
use super::output::{Object, Output, Role, Text, clipped};
use super::results::number_of;
use super::table::{Call, Command, Kind, Parameter, Switch};
use super::words::nearest;
use affinor::text::{ErrorKind, is_name};
use affinor_emit::Language;

const AS: Setting<Language> =
    Setting::new("as", "LANGUAGE", Language::CHOICES, language).among(words);
const NAME: Setting<Argument> = Setting::new(
    "name",
    "NAME",
    "name of the function (default: the map's name, or index_map)",
    text,
);

pub const EMIT: Command = Command {
    name: "emit",
    parameters: &[Parameter::required("MAP", Kind::Map)],
    options: &[AS.switch, NAME.switch, C.switch],
    summary: "write a map as code",
    details: "The arguments are the dimensions, range variables, runtime variables and parameters, in this order. A second function\n\
              checks whether a point is in the domain. Division rounds as in the map, also where the language truncates. C, CUDA, Triton\n\
              and MLIR divide by powers of two where this takes a few more operations and gives the same results on the domain. C and CUDA\n\
              use int64_t, and __int128 where a value may exceed 64 bits; Triton and MLIR refuse such a map. MLIR is an\n\
              affine_map where that can express the map, else functions on i64. isl is the relation of the reads.",
    example: &[
        "let f = (d0, d1) -> ((d0 - d1) floordiv 4, d1 mod 8), domain: d0 in [0, 9], d1 in [0, 99]",
        "emit f --as cuda",
    ],
    makes_map: false,
    keys: "",
    run,
};

fn language(_: &Switch, given: &Argument) -> Result<Language, Failure> {
    let word = given.text.as_str();
    let found = Language::ALL.iter().find(|language| language.word() == word);
    found.copied().ok_or_else(|| {
        let failure =
            given.wrong(ErrorKind::Usage, format!("unknown language `{}`", clipped(word)));
        match nearest(word, words().into_iter()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint(format!("it is one of {}", words().join(", "))),
        }
    })
}

fn words() -> Vec<&'static str> {
    Language::ALL.iter().map(|language| language.word()).collect()
}

fn is_identifier(name: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(letter) && !name.starts_with(char::is_numeric)
}

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let map = call.map(&argument)?;
    let language = call.value(&AS)?.unwrap_or(Language::Python);
    let own = argument.text.trim();
    let name = match call.value(&NAME)? {
        Some(given) if !is_identifier(&given.text) => {
            let message = format!("`{}` is not a name of a function", clipped(&given.text));
            return Err(given.wrong(ErrorKind::Name, message).hint(
                "a name consists of letters, digits and `_`, and does not start with a digit",
            ));
        }
        Some(given) => given.text,
        None if is_name(own) && own != "_" && number_of(own).is_none() => {
            call.session.recent.implied(format!("--name {own}"));
            own.to_owned()
        }
        None => "index_map".to_owned(),
    };
    let emitted = language.emit(&map, &name).map_err(|error| argument.blame(error))?;
    let code = emitted.code.trim_end();
    let text = Text::of(Role::Plain, code);
    let json = Object::new()
        .with("language", language.word())
        .with("name", emitted.name)
        .with("arguments", emitted.arguments)
        .with("code", code);
    call.emit(Output::new(text, json));
    Ok(())
}
