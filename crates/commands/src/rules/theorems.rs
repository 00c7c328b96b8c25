//! `--theorems FILE`: rules that were found or proved, as theorems that Rocq's kernel checks.
//!
//! Law: the file has a theorem for each rule for which steps are found, and names the others; only coqc decides.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::lines::not_written;
use crate::option::{Setting, text};
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::words::count;
use affinor::rule::Rule;
use affinor_workshop::export::Theorems;

pub const THEOREMS: Setting<Argument> = Setting::new(
    "theorems",
    "FILE",
    "write the rules as theorems for Rocq, each with the steps of a proof where the lemmas of linear arithmetic suffice",
    text,
);

/// Writes the rules to the file that the option names, if it is given.
///
/// # Errors
/// If the file cannot be written, or the work is interrupted.
pub fn write_theorems(call: &mut Call<'_>, rules: &[&Rule]) -> Result<(), Failure> {
    let Some(file) = call.value(&THEOREMS)? else {
        return Ok(());
    };
    let theorems = Theorems::of(rules, &call.rule_budget()).map_err(|error| call.failed(error))?;
    call.go_on()?;
    let written = call.host.write(&file.text, theorems.text.as_bytes());
    written.map_err(|error| file.blame(not_written(&file.text, &error)))?;
    let all = rules.iter().zip(&theorems.proved);
    let without: Vec<&str> =
        all.filter(|(_, proved)| !**proved).map(|(rule, _)| rule.name.as_str()).collect();
    let proved = rules.len() - without.len();
    let mut said = Text::of(Role::Good, count(proved, "theorem"))
        .plain(format!(" in {}, for coqc to check", file.text));
    if !without.is_empty() {
        said.push(Role::Doubtful, format!("\nno steps were found for {}", without.join(", ")));
    }
    let json = Object::new()
        .with("theorems", proved)
        .with("file", file.text.as_str())
        .with("without_steps", without);
    call.emit(Output::new(said, json));
    Ok(())
}
