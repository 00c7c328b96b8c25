//! `simplify`: one map and its simplest form.

pub(super) mod batch;
pub(super) mod batch_line;
mod batch_sizes;
mod check;
mod left;
mod mlir_file;
pub(super) mod options;
mod proof;
pub(super) mod replay;
pub(super) mod simplified;
mod steps;
pub(super) mod why;

use crate::bindings::bound;
use crate::certificate_form::FORMAT;
use crate::failure::Failure;
use crate::option::C;
use crate::simplifier::{EFFORT, STEPS};
use crate::table::{Call, Command, Kind, Parameter};
use crate::token::{Class, split};
use crate::width::{BITS, UNSIGNED};
use affinor::expr::{IndexingMap, VariableKind};
use options::{CERTIFICATE, CHECK, DROP_UNUSED, EXPLAIN, GIVEN, JSONL, THREADS};
use simplified::simplified;

pub const SIMPLIFY: Command = Command {
    name: "simplify",
    parameters: &[Parameter::optional("MAP", Kind::Map)],
    options: &[
        BITS.switch,
        UNSIGNED.switch,
        C.switch,
        CERTIFICATE.switch,
        CHECK.switch,
        DROP_UNUSED.switch,
        EXPLAIN.switch,
        FORMAT.needing(&[CERTIFICATE.switch]).switch,
        GIVEN.switch,
        JSONL.switch,
        STEPS.switch,
        EFFORT.switch,
        THREADS.switch,
    ],
    summary: "simplify MAP to the smallest form that the rules reach",
    details: "The result is the same function: same domain, same values. Variables are kept even if unused, unless --drop-unused is given. `why` explains\n\
              the last simplification.\n\
              FILE.mlir in place of MAP: the file is printed with its affine maps simplified, each proved to be the same; nothing else changes.\n\
              --check asks the prover, and replays a certificate where the prover cannot decide.\n\
              --certificate --format rocq writes a file that Rocq's kernel checks, from the rules that `rules export` writes.\n\
              --jsonl reads lines {\"id\", \"vars\": {\"d0\": [0, 9]}, \"expr\"} or {\"id\", \"map\"} and prints one line of JSON each;\n\
              an invalid line prints an error with its id. Sizes with names: \"params\": {\"n\": [1, null]}, \"multiple_of\":\n\
              {\"n\": 4}, \"facts\": [\"n <= m\"], and bounds such as \"n - 1\" in \"vars\". In JSON, \"bits\" are those of a signed\n\
              integer that holds every step of the result (null: more than 64); one operation more is accepted where\n\
              that keeps numbers within 32.",
    example: &[
        "simplify --given n=8 <n>(d0) -> (d0 mod n), domain: n in [1, inf], d0 in [0, n - 1]",
        "simplify --certificate --format rocq (d0) -> (d0 mod 8), domain: d0 in [0, 7]",
        "simplify (d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 9], d1 in [0, 14]",
    ],
    makes_map: true,
    keys: "",
    run: run_simplify,
};

fn run_simplify(call: &mut Call<'_>) -> Result<(), Failure> {
    if let Some(file) = call.value(&JSONL)? {
        if call.has(&FORMAT) {
            let failure = call.wrong_usage("`--format` takes a map, not `--jsonl FILE`");
            return Err(
                failure.hint("`replay --format rocq FILE` writes out the certificates of a file")
            );
        }
        if call.text_of(&GIVEN).is_some() {
            return Err(call.wrong_usage("`--given` takes a map, not `--jsonl FILE`"));
        }
        if call.width()?.is_some() {
            let failure = call.wrong_usage("`--bits` takes a map, not `--jsonl FILE`");
            return Err(failure.hint("each answer says in `bits` how many its steps need"));
        }
        if call.arguments.positional.is_empty() {
            return batch::run(call, &file);
        }
        return Err(call.wrong_usage("`simplify` takes a map or `--jsonl FILE`, not both"));
    }
    let argument = call.argument(0)?.clone();
    if mlir_file::is_file(&argument) {
        if call.width()?.is_some() {
            return Err(call.wrong_usage("`--bits` takes a map, not a file"));
        }
        return mlir_file::run(call, &argument);
    }
    let mut map = call.map(&argument)?;
    if let Some(given) = call.value(&GIVEN)? {
        let bindings = split(&given.text, 0..given.text.len(), Class::Comma);
        (map, _) = bound(&map, &given, bindings)?;
    }
    if call.has(DROP_UNUSED) {
        map = without_unused(call, &map)?;
    }
    let output = simplified(call, &map)?;
    call.emit(output);
    Ok(())
}

/// Returns the simplified map over the variables that it uses. It is no longer the same function, since its domain has fewer
/// variables.
fn without_unused(call: &Call<'_>, map: &IndexingMap) -> Result<IndexingMap, Failure> {
    let simple = call.simplifier()?.simplify(map, &call.search_options()?).map;
    let used = simple.without_unused(&[
        VariableKind::Dimension,
        VariableKind::Range,
        VariableKind::Runtime,
        VariableKind::Parameter,
    ]);
    let names = |map: &IndexingMap| -> Vec<String> {
        map.domain().variables().iter().map(|variable| variable.name.to_string()).collect()
    };
    let kept = names(&used);
    let dropped: Vec<String> =
        names(&simple).into_iter().filter(|name| !kept.contains(name)).collect();
    if !dropped.is_empty() {
        call.notice(format!("left out: {}", dropped.join(", ")));
    }
    Ok(used)
}
