//! Rule sets for other systems, which check them themselves.
//!
//! Law: each format is written from the one set of rules, and of each rule it carries the hash that
//! `rules/PROOFS.lock` has. An export is a directory that needs nothing of this project: its README says what the
//! text means, a script in it checks it, and laws that are *false* come with it, which that check must refuse.
//!
//! `SHA256SUMS` lists every other file, so a changed byte is noticed.

mod beside;
mod egg_code;
mod egg_instance;
mod egg_package;
mod egglog;
mod egglog_code;
mod firing;
mod halide;
mod json;
mod lean;
mod rare;
mod smtlib;

use crate::rule::verify::{self, Lock};
use crate::rule::{Rule, read_rules};
use crate::text::{Error, ErrorKind};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A file of an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Path in the directory of the export; its parts are separated by `/`.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// What an export is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A manifest, for any program; checked by evaluation.
    Json,
    /// Obligations, for any SMT solver.
    Smtlib,
    /// Lines of rewrites, as Halide's simplifier has them; checked by evaluation.
    Halide,
    /// cvc5's language of rewrite rules; checked by a reader and by evaluation.
    Rare,
    /// Theorems; checked by Lean 4, and what they state by a reader and by evaluation.
    Lean,
    /// A crate of rewrites for egg.
    Egg,
    /// A program for egglog.
    Egglog,
}

impl Format {
    /// All of them.
    pub const ALL: &'static [Format] = &[
        Format::Json,
        Format::Smtlib,
        Format::Halide,
        Format::Rare,
        Format::Lean,
        Format::Egg,
        Format::Egglog,
    ];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Smtlib => "smtlib",
            Format::Halide => "halide",
            Format::Rare => "rare",
            Format::Lean => "lean",
            Format::Egg => "egg",
            Format::Egglog => "egglog",
        }
    }

    /// The format with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name)
    }
}

/// A rule with what is known of it.
pub(crate) struct Known<'a> {
    rule: &'a Rule,
    /// SHA-256 of the rule, and of the scripts that prove it.
    hashes: [String; 2],
    /// What Z3 and cvc5 say of these scripts.
    verdicts: [String; 2],
}

/// The files of an export of `rules`, in the order of their paths.
///
/// # Errors
/// [`ErrorKind::Rule`] if one of them is not in `lock` as it stands: nothing is exported that was not proved.
pub fn export(format: Format, rules: &[Rule], lock: &Lock) -> Result<Vec<File>, Error> {
    let known = rules.iter().map(|rule| known(rule, lock));
    let known: Vec<Known<'_>> = known.collect::<Result<_, _>>()?;
    let false_rules = read_rules("refuted.rules", REFUTED)?;
    let mut files = match format {
        Format::Egg => egg_package::files(&known, &false_rules),
        Format::Egglog => egglog::files(&known, &false_rules),
        Format::Json => json::files(&known, &false_rules),
        Format::Smtlib => smtlib::files(&known, &false_rules)?,
        Format::Halide => halide::files(&known, &false_rules),
        Format::Rare => rare::files(&known, &false_rules),
        Format::Lean => lean::files(&known, &false_rules),
    };
    files.sort_by(|x, y| x.path.cmp(&y.path));
    let mut sums = String::new();
    for file in &files {
        // Writing to a string cannot fail.
        let _ = writeln!(
            sums,
            "{}  {}",
            verify::sha256(file.text.as_bytes()),
            file.path
        );
    }
    files.push(file("SHA256SUMS", sums));
    Ok(files)
}

/// Laws that look true and are not: what a check must refuse.
const REFUTED: &str = include_str!("../../../rules/refuted.rules");

fn known<'a>(rule: &'a Rule, lock: &Lock) -> Result<Known<'a>, Error> {
    let entry = lock.entries.get(&rule.name).filter(|_| lock.trusts(rule));
    let Some(entry) = entry else {
        let message = format!(
            "the rule '{}' is not one of those that were proved and locked",
            rule.name
        );
        return Err(Error::without_span(ErrorKind::Rule, message)
            .hint("only proved rules are exported: add yours with `rule`, or with `rule --law`"));
    };
    Ok(Known {
        rule,
        hashes: [entry.rule.clone(), entry.scripts.clone()],
        verdicts: [entry.z3.clone(), entry.cvc5.clone()],
    })
}

fn file(path: impl Into<String>, text: impl Into<String>) -> File {
    File {
        path: path.into(),
        text: text.into(),
    }
}

/// A rule as JSON: what it states, without what is known of it.
fn stated(rule: &Rule) -> Map<String, Value> {
    let conditions = rule.conditions.iter();
    let conditions: Vec<String> = conditions
        .map(|written| rule.write_condition(written))
        .collect();
    let object = json!({
        "name": rule.name,
        "statement": rule.write_statement(),
        "where": conditions,
        "constants": rule.constants,
        "expressions": rule.expressions,
        "purpose": rule.purpose,
        "file": rule.file,
        "line": rule.line,
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
