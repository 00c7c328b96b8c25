//! Exports rule sets to other systems, which check them independently.
//!
//! Law: each format is generated from the same set of rules, and each exported rule carries its hash from `rules/PROOFS.lock`. An
//! export is a self-contained directory: its README explains the format, a script checks it, and it includes *false* laws that
//! the check must reject.
//!
//! `SHA256SUMS` lists every other file, so any changed byte is detected.
//!
//! In order: `parts`; `json`, whose manifests are placed `beside` the output of `halide` and `rare`, and of `lean` and `rocq`,
//! which print one `theorem` per `proof`; `smtlib`; and `firing`, which the exports for e-graphs (`egg_*`, `egglog*`) use.

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
mod parts;
mod proof;
mod rare;
mod rocq;
mod rocq_table;
mod smtlib;
mod theorem;

pub use parts::File;
pub use rocq::Theorems;

use affinor::rule::sources::REFUTED;
use affinor::rule::verify::{self, Lock};
use affinor::rule::{Rule, read_rules};
use affinor::text::Error;
use parts::{Known, file};
use std::fmt::Write;

/// A target format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A JSON manifest, checked by evaluation.
    Json,
    /// Proof obligations for any SMT solver.
    Smtlib,
    /// Rewrites in the syntax of Halide's simplifier, checked by evaluation.
    Halide,
    /// cvc5's language of rewrite rules, checked by a parser and by evaluation.
    Rare,
    /// Theorems, checked by Lean 4; their statements are checked by a parser and by evaluation.
    Lean,
    /// Theorems, checked by Rocq (Coq).
    Rocq,
    /// A crate of egg rewrites.
    Egg,
    /// An egglog program.
    Egglog,
}

impl Format {
    /// All formats.
    pub const ALL: &'static [Format] = &[
        Format::Json,
        Format::Smtlib,
        Format::Halide,
        Format::Rare,
        Format::Lean,
        Format::Rocq,
        Format::Egg,
        Format::Egglog,
    ];

    /// Returns the name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Smtlib => "smtlib",
            Format::Halide => "halide",
            Format::Rare => "rare",
            Format::Lean => "lean",
            Format::Rocq => "rocq",
            Format::Egg => "egg",
            Format::Egglog => "egglog",
        }
    }

    /// Looks up a format by name.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }
}

/// Returns the files of an export of `rules`, sorted by path.
///
/// # Errors
/// [`affinor::text::ErrorKind::Rule`] if a rule differs from its entry in `lock`: only proved rules are exported.
pub fn export(format: Format, rules: &[Rule], lock: &Lock) -> Result<Vec<File>, Error> {
    let known = rules.iter().map(|rule| Known::of(rule, lock));
    let known: Vec<Known<'_>> = known.collect::<Result<_, _>>()?;
    let false_rules = read_rules("refuted.rules", REFUTED)?;
    let mut files = match format {
        Format::Egg => egg_package::files(&known, &false_rules),
        Format::Egglog => egglog::files(&known, &false_rules),
        Format::Json => json::files(&known, &false_rules),
        Format::Smtlib => smtlib::files(&known, &false_rules)?,
        Format::Halide => halide::files(&known, &false_rules),
        Format::Rare => rare::files(&known, &false_rules),
        Format::Lean => lean::files(&known, &false_rules)?,
        Format::Rocq => rocq::files(&known, &false_rules)?,
    };
    files.sort_by(|x, y| x.path.cmp(&y.path));
    let mut sums = String::new();
    for file in &files {
        // Writing to a string cannot fail.
        let _ = writeln!(sums, "{}  {}", verify::sha256(file.text.as_bytes()), file.path);
    }
    files.push(file("SHA256SUMS", sums));
    Ok(files)
}
