//! `rules`: the laws that the simplifier uses.

use super::failure::Failure;
use super::output::{Object, Output, Role, Text, clipped};
use super::session::Call;
use super::table::{Command, Kind, Parameter};
use crate::error::ErrorKind;
use crate::rule::Rule;

/// `rules`
pub const RULES: Command = Command {
    name: "rules",
    parameters: &[Parameter {
        name: "list",
        kind: Kind::Word(&["list"]),
        required: false,
    }],
    options: &[],
    summary: "lists the rules of the simplifier",
    details: "Each rule is an equation, the conditions under which it may be used, and what it is for.",
    example: &["rules list"],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    if let Some(argument) = call.arguments.positional.first()
        && argument.text != "list"
    {
        let message = format!("`rules` knows no `{}`", clipped(&argument.text));
        return Err(argument
            .wrong(ErrorKind::Usage, message)
            .hint(format!("usage: {}", RULES.usage())));
    }
    let simplifier = call.simplifier()?;
    for rule in simplifier.rules().rules() {
        call.emit(described(rule));
    }
    Ok(())
}

fn described(rule: &Rule) -> Output {
    let (statement, conditions) = match rule.text.split_once(" where ") {
        Some((statement, conditions)) => (statement, conditions.split(", ").collect()),
        None => (rule.text.as_str(), Vec::new()),
    };
    let text = Text::of(Role::Name, &rule.name)
        .plain(": ")
        .with(Role::Formula, &rule.text)
        .with(
            Role::Faint,
            format!("\n    {} ({}:{})", rule.purpose, rule.file, rule.line),
        );
    let json = Object::new()
        .with("name", rule.name.as_str())
        .with("file", rule.file.as_str())
        .with("line", rule.line)
        .with("statement", statement)
        .with("where", conditions)
        .with("purpose", rule.purpose.as_str());
    Output::new(text, json)
}
